"""Do the tests see soundness? Break the library in many small ways and run the tests on each.

    python tests/mutants/mutants.py [words ...] [--seconds 300] [--list]

An entry of `mutants.toml` names a function, a method or a constant (`where`), a text in it (`old`), what
it becomes (`new`), the tests that must fail, and why it would be unsound. The text is looked for in what
`ast.unparse` writes, so comments and line breaks do not matter. Each mutant (with words, those whose
name holds one) runs in a copy of the tree; one with `survives` is expected to pass. An entry that does
not apply any more is a failure; `--list` prints these and runs nothing.
"""

from __future__ import annotations

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIST = Path(__file__).with_suffix(".toml")
OUTPUTS = (".*", "__pycache__", "site", "results", "coverage", "dist")


@dataclass(frozen=True)
class Mutant:
    name: str
    where: str
    old: str
    new: str
    tests: tuple[str, ...]
    why: str
    survives: str = ""

    def applied(self, root: Path) -> tuple[Path, str]:
        """The file and its text with the mutation; a ValueError if the entry does not apply."""
        path, names = module(root / "src", self.where)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        hits = [hit for hit in defined(tree, names) if self.old in ast.unparse(hit[0][hit[1]])]
        text = "".join(ast.unparse(body[place]) for body, place in hits)
        if text.count(self.old) != 1:
            raise ValueError(f"the old text does not stand exactly once in {self.where}")
        (body, place), *_ = hits
        changed = ast.parse(text.replace(self.old, self.new))
        if ast.unparse(changed) == text:
            raise ValueError("changes nothing")
        body[place : place + 1] = changed.body
        return path, ast.unparse(tree)

    def fault(self, root: Path) -> str | None:
        """Why the entry does not apply, if it does not."""
        try:
            self.applied(root)
        except (ValueError, SyntaxError) as error:
            return str(error)
        missing = [test for test in self.tests if not (root / test.split("::")[0]).exists()]
        return f"no such tests: {missing}" if missing else None


def module(src: Path, where: str) -> tuple[Path, list[str]]:
    """The file of a dotted name, and the names inside it."""
    words = where.split(".")
    for cut in range(len(words) - 1, 0, -1):
        for end in (".py", "/__init__.py"):
            if (path := src / ("/".join(words[:cut]) + end)).exists():
                return path, words[cut:]
    raise ValueError(f"no module has {where}")


def defined(
    node: ast.Module | ast.ClassDef, names: list[str]
) -> Iterator[tuple[list[ast.stmt], int]]:
    """Where a name is defined: the body and the place in it. Overloads have several."""
    for place, child in enumerate(node.body):
        if names[0] in bound(child):
            if len(names) == 1:
                yield node.body, place
            elif isinstance(child, ast.ClassDef):
                yield from defined(child, names[1:])


def bound(node: ast.stmt) -> list[str]:
    """The names that a statement defines."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    return [target.id for target in targets if isinstance(target, ast.Name)]


def mutants() -> list[Mutant]:
    entries = tomllib.loads(LIST.read_text(encoding="utf-8"))["mutant"]
    return [Mutant(**entry | {"tests": tuple(entry["tests"])}) for entry in entries]


def run(tests: Sequence[str], root: Path, seconds: float) -> str:
    """ "caught" if a test failed, "survived" if all passed, "hung", or what else went wrong."""
    # no bytecode: a mutant of the same length, written in the same second, would not be compiled
    env = {**os.environ, "PYTHONPATH": str(root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(command, cwd=root, env=env, capture_output=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return "hung"
    other = f"pytest ended with {done.returncode}: {done.stdout.decode()[-2000:]}"
    return {0: "survived", 1: "caught"}.get(done.returncode, other)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("words", nargs="*")
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--list", action="store_true", help="print the entries that do not apply")
    options = parser.parse_args()
    chosen = [m for m in mutants() if not options.words or any(w in m.name for w in options.words)]
    faults = {mutant: text for mutant in chosen if (text := mutant.fault(ROOT))}
    for mutant, text in faults.items():
        print(f"! does not apply: {mutant.name}: {text}")
    fit = [mutant for mutant in chosen if mutant not in faults and not options.list]
    wrong, survivors = len(faults), 0
    with tempfile.TemporaryDirectory() as folder:
        root = shutil.copytree(ROOT, Path(folder) / "copy", ignore=shutil.ignore_patterns(*OUTPUTS))
        every = sorted({test for mutant in fit for test in mutant.tests})
        if every and (state := run(every, root, 20 * options.seconds)) != "survived":
            print(f"the tests do not pass without a mutant: {state}")
            return 2
        for number, mutant in enumerate(fit, start=1):
            path, text = mutant.applied(root)
            before = path.read_text(encoding="utf-8")
            path.write_text(text, encoding="utf-8")
            start = time.perf_counter()
            state = run(mutant.tests, root, options.seconds)
            path.write_text(before, encoding="utf-8")
            survivors += state == "survived"
            bad = state not in (("survived",) if mutant.survives else ("caught", "hung"))
            wrong += bad
            line = f"{' !'[bad]} {number:3}/{len(fit)} {state:9}"
            print(f"{line} {time.perf_counter() - start:5.1f} s  {mutant.name}", flush=True)
    print(f"{len(fit)} mutants tried: {survivors} survived; {len(faults)} do not apply")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
