"""Examples as users paste them: each code block of a page or docstring runs alone, in a fresh namespace.

A block is what the site shows with one copy button: on a page what stands between two fences, in a
docstring examples with no empty line between them. pytest collects a whole page as one test; `alone`
makes one test of each block. Docstrings of the studies are for those who read the module: they run as
one, with its names.

A block after the comment `about` prints what was measured, by a network that was trained say, which
differs from one processor to another: its numbers are compared to a quarter, its words as they stand.
"""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FRESH_SEED = 67280421310721  # of torch in a new process
ABOUT = doctest.register_optionflag("ABOUT")
NUMBER = re.compile(r"\d+(?:\.\d+)?")


class Checker(doctest.OutputChecker):
    """As doctest, but to a quarter, or two of the last digit, where a block asks for that."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        if not optionflags & ABOUT:
            return super().check_output(want, got, optionflags)
        same = NUMBER.sub("#", want).split() == NUMBER.sub("#", got).split()
        return same and all(
            abs(float(a) - float(b)) <= max(float(a) / 4, 2.001 * 10.0 ** -len(a.partition(".")[2]))
            for a, b in zip(NUMBER.findall(want), NUMBER.findall(got), strict=True)
        )


def alone(item: pytest.DoctestItem) -> Iterator[pytest.DoctestItem]:
    """One test per block of a page or of a docstring of the library; other tests as they are."""
    test, page = item.dtest, item.path.suffix == ".md"
    path = item.path.relative_to(ROOT).as_posix()
    if not (page or path.startswith("src/")):
        yield item
        return
    number = block_numbers(test, page=page)
    lines = (test.docstring or "").splitlines()
    item.runner._checker = Checker()
    for _, block in groupby(test.examples, key=lambda example: number[example.lineno]):
        examples = list(block)
        for example in examples if page else ():
            example.want = example.want.partition("```")[0]  # doctest reads on to an empty line
            if lines[examples[0].lineno - 2 :][:1] == ["<!-- about -->"]:
                example.options[ABOUT] = True
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
