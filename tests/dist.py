"""What `make dist` built, used as a stranger would: in clean folders, without a compiler.

The wheel is installed with scikit-learn, and the first example of the README runs; the sdist is
installed and unpacked, and some of its tests run. Before that, both are looked into: the wheel holds the
library and nothing else, the sdist nothing that git does not track, and all that its tests need.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
NEEDED = (  # in the sdist
    *("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "conftest.py"),
    *("src/sparseaug/py.typed", "tests/conftest.py", "docs/index.md"),
)
TESTS = ("tests/qmc", "tests/theory", "tests/sampling", "tests/test_public_names.py")
EXAMPLE = """
import doctest, pathlib, re, sys
text = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
block = re.search(r"```python\\n(.*?)```", text, re.DOTALL)[1]
test = doctest.DocTestParser().get_doctest(block, {}, "README", None, 0)
result = doctest.DocTestRunner().run(test)
print(result)
sys.exit(result.failed or not result.attempted)
"""


def wheel_faults(names: Iterable[str], version: str) -> Iterator[str]:
    """What a wheel holds and should not, or lacks."""
    names = set(names)
    ours = ("sparseaug/", f"sparseaug-{version}.dist-info/")
    yield from (f"{name} is not of the library" for name in names if not name.startswith(ours))
    yield from (f"{name} is compiled" for name in names if name.endswith((".pyc", ".so", ".pyd")))
    needed = {"sparseaug/__init__.py", "sparseaug/py.typed"}
    yield from (f"{name} is missing" for name in needed - names)


def sdist_faults(names: Iterable[str], version: str, tracked: set[str]) -> Iterator[str]:
    """The same for an sdist, compared with what git tracks."""
    top = f"sparseaug-{version}/"
    names = set(names)
    yield from (f"{name} is outside {top}" for name in names if not name.startswith(top))
    inside = {name.removeprefix(top) for name in names}
    yield from (f"{name} is not tracked" for name in inside - tracked - {"PKG-INFO"})
    whole = {name for name in tracked if name.startswith(("src/", "tests/"))}
    yield from (f"{name} is missing" for name in (whole | set(NEEDED)) - inside)


def main(folder: Path) -> None:
    """Look into the two files of the folder, then use them."""
    (wheel,), (sdist,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    version = re.fullmatch(r"sparseaug-(.+)\.tar\.gz", sdist.name)[1]
    command = ["git", "ls-files"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    with zipfile.ZipFile(wheel) as archive, tarfile.open(sdist) as packed:
        faults = [
            *wheel_faults(archive.namelist(), version),
            *sdist_faults(packed.getnames(), version, set(listed.splitlines())),
        ]
    if faults:
        sys.exit("\n".join(sorted(faults)))
    with tempfile.TemporaryDirectory() as name:
        clean = Path(name).resolve()
        python = fresh(clean / "wheel", f"sparseaug[sklearn] @ {wheel.resolve().as_uri()}")
        (clean / "example.py").write_text(EXAMPLE)
        (clean / "README.md").write_text((ROOT / "README.md").read_text(encoding="utf-8"))
        run(clean, python, "example.py", "README.md")
        python = fresh(clean / "sdist", str(sdist.resolve()), "hypothesis", "mpmath", "pytest")
        with tarfile.open(sdist) as packed:
            packed.extractall(clean, filter="data")
        unpacked = clean / f"sparseaug-{version}"
        run(unpacked, python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS)
    sys.stdout.write(f"{wheel.name} and {sdist.name} install without a compiler and work\n")


def fresh(folder: Path, *requirements: str) -> str:
    """The Python of a new environment with these packages."""
    run(folder.parent, sys.executable, "-m", "venv", str(folder))
    python = str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")
    run(folder.parent, python, "-m", "pip", "install", "--quiet", *requirements)
    return python


def run(folder: Path, *command: str) -> None:
    """Run it in the folder, with no compiler and nothing of ours in the path, and fail if it fails."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    subprocess.run(
        command, cwd=folder, check=True, env={**kept, "CC": "/bin/false", "CXX": "/bin/false"}
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
