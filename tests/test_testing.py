"""The public checks are tested on broken objects, and must fail on each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.actions import Action
from sparseaug.errors import ArgumentError, LawError
from sparseaug.groups import Group, Irrep
from sparseaug.testing import check_action, check_group, check_oracle


@dataclass(frozen=True)
class Broken(Group):
    """S_4 with one thing wrong."""

    fault: str = ""

    name = "S4"
    width = 4
    is_abelian = False

    @property
    def _true(self) -> Group:
        return sa.symmetric(4)

    @property
    def radices(self) -> tuple[int, ...]:
        return (4, 3, 3) if self.fault == "order" else (4, 3, 2)

    @property
    def is_abelian(self) -> bool:  # noqa: F811
        return self.fault == "abelian"

    def from_digits(self, digits: Any) -> Any:
        digits = digits.copy()
        if self.fault == "digits":
            digits[0] = 0
        return self._true.from_digits(digits % np.array([[4], [3], [2]]))

    def to_digits(self, elements: Any) -> Any:
        return self._true.to_digits(elements)

    def compose(self, a: Any, b: Any) -> Any:
        if self.fault == "compose":
            return self._true.compose(self._true.compose(a, b), np.array([[1, 0, 2, 3]]))
        if self.fault == "associativity":
            return self._true.compose(a, self._true.inverse(b))
        return self._true.compose(a, b)

    def inverse(self, a: Any) -> Any:
        return a if self.fault == "inverse" else self._true.inverse(a)

    def contains(self, elements: Any) -> Any:
        if self.fault == "contains":
            return elements[:, 0] == 0
        return self._true.contains(elements)

    def generators(self) -> Any:
        rows = self._true.generators()
        return rows[:1] if self.fault == "generators" else rows

    def identity(self) -> Any:
        return self._true.generators()[:1] if self.fault == "identity" else self._true.identity()

    def sample(self, k: int, rng: Any) -> Any:
        rows = self._true.sample(k, rng)
        if self.fault == "bias":
            rows[: k // 50] = np.arange(4)
        if self.fault == "dtype":
            return rows.astype(np.int32)
        return rows

    def irreps(self) -> Any:
        def sign(elements: Any) -> Any:
            parity = np.linalg.det(np.eye(4)[elements])
            if self.fault == "homomorphism":
                parity = np.abs(parity) * np.where(elements[:, 0] == 0, 1, -1)
            if self.fault == "unitary":
                parity = 0 * parity
            return parity[:, None, None]

        def trivial(elements: Any) -> Any:
            return np.ones((len(elements), 1, 1))

        def copies(elements: Any) -> Any:
            return np.tile(np.eye(3), (len(elements), 1, 1))

        yield Irrep("trivial", 1, sign if self.fault == "trivial" else trivial)
        yield Irrep("sign", 1, sign)
        for name in "ab":
            yield Irrep(name, 3, copies)
        if self.fault != "dimensions":
            yield Irrep("two", 2, lambda g: np.tile(np.eye(2), (len(g), 1, 1)))

    def __eq__(self, other: object) -> bool:
        return self.fault != "equality" and isinstance(other, Broken)

    def __hash__(self) -> int:
        return 0


def test_the_unbroken_one_passes():
    check_group(Broken())


@pytest.mark.parametrize(
    ("fault", "law"),
    [
        ("order", "elements|unrank"),
        ("abelian", "commutes"),
        ("digits", "unrank|uniform"),
        ("compose", "ea = a"),
        ("associativity", "ea = a|ab"),
        ("inverse", "a a"),
        ("contains", "contained"),
        ("generators", "generate the group"),
        ("identity", "ea = a"),
        ("bias", "uniform"),
        ("dtype", "int64"),
        ("homomorphism", "sign is a homomorphism"),
        ("unitary", "sign is unitary"),
        ("trivial", "first irrep is trivial"),
        ("dimensions", "add up to the order"),
        ("equality", "comes back equal"),
    ],
)
def test_a_broken_group_fails(fault, law):
    with pytest.raises(LawError, match=law):
        check_group(Broken(fault))


@dataclass(frozen=True)
class BrokenAction(Action):
    """Permutations of an axis with one thing wrong."""

    fault: str
    group: Group = sa.symmetric(4)  # noqa: RUF009

    def prepare(self, elements: Any, shape: Any) -> Any:
        if self.fault == "right":
            return (elements,)
        index = self.group.inverse(elements)
        return (index[:, [1, 0, 2, 3]] if self.fault == "identity" else index,)

    def apply(self, prepared: Any, x: Any) -> Any:
        y = np.swapaxes(x[0].T[prepared[0]], 1, 2)
        return y * 1.001 if self.fault == "scale" else y


def test_a_broken_action_fails():
    x = np.arange(8.0).reshape(2, 4) + 1
    check_action(BrokenAction(""), x)
    for fault, law in (("right", "differs"), ("identity", "identity"), ("scale", "identity")):
        with pytest.raises(LawError, match=law):
            check_action(BrokenAction(fault), x)


class BrokenOracle:
    """The real oracle with one thing wrong."""

    def __init__(self, seed: int, budget: int | None, fault: str) -> None:
        self.oracle = sa.Oracle(sa.symmetric(5), seed=0 if fault == "seed" else seed)
        self.budget, self.fault, self.extra = budget, fault, 0

    @property
    def calls(self) -> int:
        return self.oracle.calls + self.extra

    @property
    def remaining(self) -> float:
        return (self.budget or 0) - self.calls

    def draw(self, m: int) -> sa.GroupSample:
        if self.budget is not None and self.fault != "budget" and self.calls + m > self.budget:
            if self.fault == "draws":
                self.oracle.draw(1)
                self.extra -= 1
            if self.fault == "counts":
                self.extra += 1
            raise sa.errors.OracleBudgetError("over")
        if self.fault == "miscounts":
            self.extra += 1
        if self.fault == "restarts":
            self.oracle, done = sa.Oracle(sa.symmetric(5)), self.oracle.calls
            self.extra += done
        return self.oracle.draw(m)


@pytest.mark.parametrize(
    ("fault", "law"),
    [
        ("miscounts", "24 calls"),
        ("restarts", r"draw\(5\) then"),
        ("seed", "seeds differ"),
        ("budget", "past the budget"),
        ("counts", "counts nothing"),
        ("draws", "draws nothing"),
    ],
)
def test_a_broken_oracle_fails(fault, law):
    check_oracle(lambda seed, budget: BrokenOracle(seed, budget, ""))
    with pytest.raises(LawError, match=law):
        check_oracle(lambda seed, budget: BrokenOracle(seed, budget, fault))


def test_law_errors_are_assertions_too():
    assert issubclass(LawError, AssertionError)
    assert issubclass(ArgumentError, ValueError)
