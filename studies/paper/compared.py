"""Designs next to draws of the same m: what is compared, no part of the paper.

For each size there are m uniform draws, and a design of m elements that is translated on both sides:
k S h with k and h uniform, two oracle calls. One S of six elements says little about all of them, so
each seed has several of either kind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import final

from sparseaug.designs import design
from sparseaug.designs.constructions import fixed_designs
from sparseaug.groups import dihedral, symmetric
from sparseaug.sampling import GroupSample
from studies.paper.problem import Problem

SAMPLES = 8
"""S of either kind, for each size and seed: a standard error of a third of the spread of one S."""

KINDS = ("draws", "design")
"""The two ways to choose S, in the order in which they are run and listed."""

MEASURED = {
    "discrepancy": "discrepancy of the gradients",
    "gradient_norm": "full-gradient norm",
    "test_risk": "test risk over the group",
}
"""What is measured at the end of a run, and its label: ||grad R^S - grad R^G||, two of the paper's."""

_HIGHEST = (
    3  # degree of the designs that are compared; A_n is exact to n - 2, and half of the group
)


@final
@dataclass(frozen=True)
class Compared:
    """One size: a design and as many draws."""

    m: int
    label: str  # of the design, for people
    degree: int  # the design is exact to
    build: Callable[[], GroupSample]

    def samples(self, given: Problem, kind: str) -> list[GroupSample]:
        """So many S of one kind, each a function of the seed."""
        if kind == "draws":
            return [given.oracle(f"one-shot-{self.m}{_number(i)}").fresh(self.m) for i in _NUMBERS]
        S = self.build()
        oracles = (given.oracle(f"translate of {self.label}{_number(i)}") for i in _NUMBERS)
        return [S.translate(oracle, side="both") for oracle in oracles]


def compared(n: int) -> list[Compared]:
    """The designs of S_n that are exact to degree 1, 2 or 3, and D_n, by size.

    Examples:
        >>> [(each.m, each.label, each.degree) for each in compared(6)]
        [(6, 'C_6', 1), (12, 'D_6', 1), (60, 'PSL(2,5)', 2), (120, 'PGL(2,5)', 3)]
    """
    group = symmetric(n)
    found = {}
    if n > 2:
        found[2 * n] = Compared(2 * n, f"D_{n}", 1, partial(_dihedral, n))
    for one in fixed_designs(group):
        if one.m is not None and 1 <= one.degree <= _HIGHEST:
            label = f"C_{n}" if one.name == "cyclic shifts" else one.name
            build = partial(design, group, name=one.name)
            found.setdefault(one.m, Compared(one.m, label, one.degree, build))
    return [found[m] for m in sorted(found) if m < group.order]


_NUMBERS = range(SAMPLES)


def _number(i: int) -> str:
    """The first draws of a size are those of the one-shot method of that size."""
    return f" #{i}" if i else ""


def _dihedral(n: int) -> GroupSample:
    """The symmetries of a polygon with n corners, as permutations of these."""
    polygon = dihedral(n)
    return GroupSample(symmetric(n), polygon.permutations(polygon.all_elements()))
