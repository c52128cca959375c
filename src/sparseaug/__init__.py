"""One-shot sparse augmentation over groups.

A finite group G acts on the data. Draw one multiset S of m elements, before training, and reuse it:
`sparseaug` draws S, counts what that cost, says how good S is, and trains on it.

errors       typed errors: cause and remedy
_checks      every check of an argument, and the table of all limits of size
balance      orders and signs that are more even than random ones, for everyone
qmc          the same as engines in the style of scipy.stats.qmc
groups       finite groups and rotations: order, compose, inverse, uniform sample, rank, irreps
actions      how a group element moves an array
sampling     the oracle that counts, and S as data
theory       the paper's bounds: numbers in, numbers out
spectral     how good S is: the norm of Pi_S - Pi_G, exactly
designs      S by construction, by search, and the best sets known
plans        m and T for a group, by each method
kernels      invariant kernels and exact means over the group
risk         R_n, R_n^S, R_n^G: value and gradient
descent      none, full, streaming and one-shot in one loop
certificate  what holds at the returned iterate, and how we know
orbits       how much a function varies over orbits, and whether data are invariant
testing      checks for your own groups, actions and oracles
nn           the PyTorch layer (import sparseaug.nn)
sklearn      the scikit-learn layer (import sparseaug.sklearn)
views        values on moved copies, computed once and stored (import sparseaug.views)
sources      symmetries of graphs, crystals and molecules (import sparseaug.sources)
shapley      chosen orders in shap, captum and pyDVL (import sparseaug.shapley)
choices      multiple-choice questions in chosen orders of their answers (import sparseaug.choices)
cli          the command line

Private beside these: _floats (directed rounding), _io and _archive (files that are whole or absent),
_tables, _records (the best known sets, in tables/), _compiled (numba).
"""

import ast as _ast
import importlib as _importlib
from pathlib import Path as _Path
from typing import Any as _Any

# The one list of names is the stub beside this file: type checkers read it as it is, Python here.
# A package is imported when one of its names is first used.
_stub = _ast.parse(_Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
_imports = [
    (node, a.name) for node in _stub.body if isinstance(node, _ast.ImportFrom) for a in node.names
]
_HOME = {name: str(node.module) for node, name in _imports if not node.level}
_PACKAGES = [name for node, name in _imports if node.level]

__all__ = sorted(_HOME)


def __dir__() -> list[str]:
    return [*__all__, *(name for name in globals() if name.startswith("__"))]


def __getattr__(name: str) -> _Any:
    """A public name, a package, or the version; of other public names the package that has them."""
    if name in _PACKAGES or _HOME.get(name) == "sparseaug":
        return _importlib.import_module(f"sparseaug.{name}")
    if name in _HOME:
        return getattr(_importlib.import_module(_HOME[name]), name)
    if name == "__version__":
        return _importlib.import_module("importlib.metadata").version("sparseaug")
    for package in () if name.startswith("_") else ("designs", *_PACKAGES):
        text = (_Path(__file__).parent / package / "__init__.py").read_text(encoding="utf-8")
        if f'"{name}",' in text or f'"{name}"]' in text:
            raise ImportError(
                f"{name} is in sparseaug.{package}: from sparseaug.{package} import {name}"
            )
    raise AttributeError(f"module 'sparseaug' has no attribute {name!r}")
