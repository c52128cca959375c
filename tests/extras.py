"""The suite without the extras: what needs a package that is not installed is skipped, with one reason.

A module that imports such a package is skipped as a whole, and so is an example in a document or
docstring. A module of the core that has a few tests with torch or pandas takes
them from `optional`, and only those tests are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

PACKAGES = {  # what brings each: an extra of pyproject.toml
    **{"torch": "torch", "sklearn": "sklearn", "matplotlib": "report"},
    **{"networkx": "sources", "spglib": "sources", "zarr": "views"},
    **dict.fromkeys(("jax", "pandas", "lightning", "flint", "ase", "shap", "captum"), "dev"),
    **dict.fromkeys(("torch_geometric", "datasets", "albumentations", "kornia"), "dev"),
    **dict.fromkeys(("mpmath", "numba", "PIL", "grimp"), "dev"),
}
LAYERS = {"nn": "torch", "sklearn": "sklearn", "sources": "networkx", "views": "zarr"}
REASON = "needs {}, which is not installed"


@cache
def installed(package: str) -> bool:
    """Whether a package (or that of a module in it, or what a layer of ours needs) can be imported."""
    top, _, rest = package.partition(".")
    return installed(LAYERS[rest]) if top == "sparseaug" else find_spec(top) is not None


def optional(package: str) -> Any:
    """The package, or a stand-in that skips the test which uses it."""
    return import_module(package) if installed(package) else Absent(package)


class Absent(ModuleType):
    """Stands for a package that is not installed."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith(("_", "pytest")):  # asked by those who collect, not by tests
            raise AttributeError(name)
        pytest.skip(REASON.format(self.__name__), allow_module_level=True)


def missing(packages: Iterable[str]) -> str | None:
    return next((name for name in sorted(packages) if not installed(name)), None)


def packages_of(text: str, layers: str) -> set[str]:
    """The packages that lines of Python import, and those behind what the pattern `layers` finds."""
    found = set(re.findall(r"^(?:>>> )?(?:import|from) (\w+)", text, re.M)) & set(PACKAGES)
    return found | {
        LAYERS[layer] for one in re.findall(layers, text, re.M) for layer in one if layer
    }


NAMES = "|".join(LAYERS)
IMPORTED = rf"^(?:import|from) sparseaug\.({NAMES})\b|^from sparseaug import .*\b({NAMES})\b"
USED = rf"sparseaug\.({NAMES})\b|\bsa\.({NAMES})\b|from sparseaug import .*\b({NAMES})\b"


class Skipped(pytest.File):
    """A module that is not even imported."""

    package: str

    def collect(self) -> list[pytest.Item]:
        pytest.skip(REASON.format(self.package))


def skip_file(path: Path, parent: Any) -> Skipped | None:
    """What to collect instead of a module that imports what is not installed."""
    needed = packages_of(path.read_text(encoding="utf-8"), IMPORTED)
    if path.parent.parts[-2:] in (("sparseaug", "sklearn"), ("sparseaug", "views")):
        needed.add(LAYERS[path.parent.name])
    if "nn" in path.parts:
        needed.add("torch")
    package = missing(needed)
    if package is None:
        return None
    module: Skipped = Skipped.from_parent(parent, path=path)
    module.package = package
    return module


def skip_example(item: Any) -> None:
    """Skip a doctest one of whose examples needs what is not installed."""
    text = "\n".join(f">>> {example.source}" for example in item.dtest.examples)
    needed = packages_of(text, USED)
    package = missing(needed)
    if package is not None:
        item.add_marker(pytest.mark.skip(reason=REASON.format(package)))
