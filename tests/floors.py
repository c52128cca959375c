"""The lowest versions that pyproject.toml allows, as requirements: `make test-floor` installs them.

torch is the one exception: only the build that constraints.txt pins comes without CUDA packages.
What only checks or documents the code (linters, types, pages) is left out.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
TOOLS = ("import-linter", "mypy", "ruff")
EXTRAS = ("torch", "sklearn", "sources", "views", "report", "dev")


def floors() -> Iterator[str]:
    """name==version for every package that the suite needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    pinned = dict(re.findall(r"^([\w-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.M))
    for line in (*project["dependencies"], *(each for extra in EXTRAS for each in extras[extra])):
        name, _, floor = line.partition(">=")
        if floor and name not in TOOLS:
            yield f"{name}=={pinned['torch'] if name == 'torch' else floor}"


if __name__ == "__main__":
    sys.stdout.write("\n".join(floors()) + "\n")
