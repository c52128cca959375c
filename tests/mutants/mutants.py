"""Do the tests see soundness? Break the library in many small ways and run the tests on each.

    python tests/mutants/mutants.py [words ...] [--seconds 300]

`mutants.toml` beside this file lists the mutants: a file, a text that stands in it exactly once, what
it becomes, the tests that must fail, and why the mutant would be unsound. With words, only mutants are
tried whose name holds one of them. Each runs in a copy of the tree; nothing here is touched.
A mutant with `survives` is expected to pass, for the reason given there.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_suffix(".toml")
COPIED = (
    "src",
    "tests",
    "benchmarks",
    "docs",
    "examples",
    "studies",
    "conftest.py",
    "pyproject.toml",
    "README.md",
)
MOST_SURVIVORS = 3


@dataclass(frozen=True)
class Mutant:
    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    why: str
    survives: str = ""

    def applied(self, root: Path) -> str:
        """The text of its file with the mutation; a ValueError if the old text has changed."""
        text = (root / self.file).read_text(encoding="utf-8")
        if text.count(self.old) != 1:
            raise ValueError(
                f"{self.name}: the old text stands {text.count(self.old)} times in {self.file}, not once"
            )
        return text.replace(self.old, self.new)


def mutants() -> list[Mutant]:
    entries = tomllib.loads(LIST.read_text(encoding="utf-8"))["mutant"]
    return [Mutant(**{**entry, "tests": tuple(entry["tests"])}) for entry in entries]


def run(tests: tuple[str, ...], root: Path, seconds: float) -> str:
    """ "caught" if a test failed, "survived" if all passed, "hung", or what else went wrong."""
    # no bytecode: a mutant of the same length, written in the same second, would not be compiled
    environment = {**os.environ, "PYTHONPATH": str(root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return "hung"
    if done.returncode in (0, 1):
        return ("survived", "caught")[done.returncode]
    return f"pytest ended with {done.returncode}: {done.stdout.decode()[-2000:]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("words", nargs="*")
    parser.add_argument("--seconds", type=float, default=300.0)
    options = parser.parse_args()
    chosen = [m for m in mutants() if not options.words or any(w in m.name for w in options.words)]
    wrong, survivors = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name in COPIED:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, root / name)
        every = tuple(sorted({test for mutant in chosen for test in mutant.tests}))
        if (state := run(every, root, 20 * options.seconds)) != "survived":
            print(f"the tests do not pass without a mutant: {state}")
            return 2
        for number, mutant in enumerate(chosen, start=1):
            path = root / mutant.file
            before = path.read_text(encoding="utf-8")
            path.write_text(mutant.applied(root), encoding="utf-8")
            start = time.perf_counter()
            state = run(mutant.tests, root, options.seconds)
            path.write_text(before, encoding="utf-8")
            survivors += state == "survived"
            expected = ("survived",) if mutant.survives else ("caught", "hung")
            wrong += state not in expected
            mark = " " if state in expected else "!"
            spent = time.perf_counter() - start
            print(
                f"{mark} {number:3}/{len(chosen)} {state:9} {spent:5.1f} s  {mutant.name}",
                flush=True,
            )
    print(f"{len(chosen)} mutants: {len(chosen) - survivors} caught, {survivors} survived")
    return int(wrong > 0 or survivors > MOST_SURVIVORS)


if __name__ == "__main__":
    sys.exit(main())
