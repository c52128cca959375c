"""What `import sparseaug` offers: one list of names, for Python, for type checkers and for people."""

from __future__ import annotations

import importlib
import importlib.metadata
import subprocess
import sys

import pytest

import sparseaug as sa


def test_dir_lists_every_public_name_and_nothing_else():
    code = "import sparseaug; print(*(n for n in dir(sparseaug) if not n.startswith('_')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == sorted(sa.__all__)
    for name in ("deviation", "certify", "plan", "draw_until", "symmetric", "Oracle", "theory"):
        assert name in dir(sa)


def test_dir_stays_the_same_after_packages_were_imported():
    importlib.import_module("sparseaug.cli")  # puts `cli` and what it imports beside the names
    assert [name for name in dir(sa) if not name.startswith("_")] == sorted(sa.__all__)


@pytest.mark.parametrize("package", ["nn", "sklearn", "sources"])
def test_dir_of_an_extra_lists_its_public_names_and_modules_and_nothing_it_imports(package):
    pytest.importorskip({"nn": "torch", "sklearn": "sklearn", "sources": "numpy"}[package])
    module = importlib.import_module(f"sparseaug.{package}")
    listed = {name for name in dir(module) if not name.startswith("_")}
    own = {name for name in listed if f"sparseaug.{package}.{name}" in sys.modules}
    assert listed - own == set(module.__all__) - own


@pytest.mark.parametrize("name", sorted(sa.__all__))
def test_every_public_name_is_there_and_is_called_so(name):
    found = getattr(sa, name)
    assert found.__name__ in (name, f"sparseaug.{name}")


def test_a_name_of_a_package_is_answered_with_the_package():
    with pytest.raises(ImportError, match=r"from sparseaug\.nn import OneShotDataset"):
        from sparseaug import OneShotDataset  # noqa: F401
    with pytest.raises(ImportError, match=r"Spectrum is in sparseaug\.orbits"):
        getattr(sa, "Spectrum")  # noqa: B009


def test_there_are_at_most_sixty_names():
    assert len(sa.__all__) <= 60


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'deviatoin'"):
        _ = sa.deviatoin


def test_the_version_is_that_of_the_installed_package():
    assert sa.__version__ == importlib.metadata.version("sparseaug")


def test_importing_the_library_imports_no_other_package():
    code = """
import sys
before = set(sys.modules)
import sparseaug
print(*sorted({name.split(".")[0] for name in set(sys.modules) - before} - sys.stdlib_module_names))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["sparseaug"]
