"""Examples as users paste them: each code block of a page or docstring runs alone, in a fresh namespace.

A block is what the site shows with one copy button: on a page what stands between two fences, in a
docstring examples with no empty line between them. pytest collects a whole page as one test; `alone`
makes one test of each block. Docstrings that the reference does not show are for those who read the
module: they run as one, with its names.
"""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FRESH_SEED = 67280421310721  # of torch in a new process
# files whose blocks do not run alone yet, or that are too long: take yours out when they are done
PENDING: tuple[str, ...] = ()


def alone(item: pytest.DoctestItem) -> Iterator[pytest.DoctestItem]:
    """One test per block of a page or of a docstring that the reference shows, or the test as it is."""
    test = item.dtest
    page = item.path.suffix == ".md"
    if item.path.relative_to(ROOT).as_posix() in PENDING:
        yield item
        return
    if not page:
        module = item.parent.obj.__name__
        if not in_reference(module, test.name.removeprefix(f"{module}.")):
            yield item
            return
    number = block_numbers(test, page=page)
    for _, block in groupby(test.examples, key=lambda example: number[example.lineno]):
        examples = list(block)
        line = (test.lineno or 0) + examples[0].lineno + 1
        name = f"{item.name}:{line}"
        fresh = {"__name__": "__main__"}
        one = doctest.DocTest(examples, fresh, name, test.filename, test.lineno, test.docstring)
        made: pytest.DoctestItem = pytest.DoctestItem.from_parent(
            item.parent, name=name, runner=item.runner, dtest=one
        )
        yield made


def block_numbers(test: doctest.DocTest, *, page: bool) -> dict[int, int]:
    """The number of the block in which each example begins, by the example's line."""
    found, number, end = {}, 0, 0
    lines = (test.docstring or "").splitlines()
    for example in test.examples:
        between = lines[end : example.lineno]
        number += any(re.match(r"\s*```", line) for line in between) if page else bool(between)
        found[example.lineno] = number
        end = example.lineno + (example.source + example.want).count("\n")
    return found


def in_reference(module: str, name: str) -> bool:
    """Whether the reference has an entry for what a docstring is about, or for its class or package."""
    entries, first = reference(), name.split(".")[0]
    if not module.startswith("sparseaug."):
        return False
    return first in entries or (module.rpartition(".")[0] in entries and first[:1] != "_")


@cache
def reference() -> frozenset[str]:
    """The last words of all entries, and the packages that are entered whole."""
    pages = [page.read_text() for page in (ROOT / "docs/reference").glob("*.md")]
    paths = re.findall(r"^::: (\S+)", "\n".join(pages), re.MULTILINE)
    return frozenset(paths) | {path.rpartition(".")[2] for path in paths}
