"""The public checks are tested on broken objects, and must fail on each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.actions import Action
from sparseaug.errors import ArgumentError, LawError, UnsupportedError
from sparseaug.groups import Group
from sparseaug.testing import check_action, check_group, check_oracle, check_uniform


@dataclass(frozen=True)
class Broken(Group):
    """S_4 with one thing wrong."""

    fault: str = ""

    name = "S4"
    width = 4
    points = 4

    @property
    def _true(self) -> Group:
        return sa.symmetric(4)

    @property
    def radices(self) -> tuple[int, ...]:
        return (4, 3, 3) if self.fault == "order" else (4, 3, 2)

    @property
    def is_abelian(self) -> bool:
        return self.fault == "abelian"

    def _from_digits(self, digits: Any) -> Any:
        digits = digits.copy()
        if self.fault == "digits":
            digits[0] = 0
        return self._true._from_digits(digits % np.array([[4], [3], [2]]))

    def _to_digits(self, elements: Any) -> Any:
        return self._true.to_digits(elements)

    def _compose(self, a: Any, b: Any) -> Any:
        if self.fault == "compose":
            return self._true.compose(self._true.compose(a, b), np.array([[1, 0, 2, 3]]))
        if self.fault == "associativity":
            return self._true.compose(a, self._true.inverse(b))
        return self._true.compose(a, b)

    def _inverse(self, a: Any) -> Any:
        return a if self.fault == "inverse" else self._true.inverse(a)

    def _contains(self, elements: Any) -> Any:
        inside = self._true.contains(elements)
        return {
            "contains": inside & (elements[:, 0] == 0),
            "contains all": inside | True,
            "contains any entries": inside | (elements[:, 0] == 0),
            "contains repeats": ((elements >= 0) & (elements < 4)).all(axis=1),
        }.get(self.fault, inside)

    def _permutations(self, elements: Any) -> Any:
        if self.fault == "points":
            return np.zeros_like(elements)
        return self._true.inverse(elements) if self.fault == "permutations" else elements

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
        if self.fault == "unsupported":
            raise UnsupportedError("none")
        irreps = {irrep.name: irrep for irrep in self._true.irreps()}
        trivial, two = irreps["(4,)"], irreps["(2, 2)"]
        match self.fault:
            case "no irreps":
                irreps = {}
            case "dimensions":
                del irreps["(2, 2)"]
            case "homomorphism":
                irreps["(2, 2)"] = replace(two, matrices=lambda g: two.matrices(g[:, [1, 0, 2, 3]]))
            case "unitary":
                irreps["(2, 2)"] = replace(two, matrices=lambda g: 0 * two.matrices(g))
            case "off":
                irreps["(2, 2)"] = replace(two, matrices=lambda g: two.matrices(g) + 1e-11)
            case "rounding":
                irreps["(2, 2)"] = replace(two, rounding=1.0)
            case "copies":
                for name, irrep in irreps.items():
                    irreps[name] = replace(irrep, matrices=copies(irrep.dimension))
            case "twice":
                irreps["(1, 1, 1, 1)"] = replace(trivial, name="trivial again")
        return iter(irreps.values())

    def __eq__(self, other: object) -> bool:
        return self.fault != "equality" and isinstance(other, Broken)

    def __hash__(self) -> int:
        return 0


def copies(dimension: int) -> Any:
    """As many copies of the trivial representation: a unitary homomorphism, but no irrep."""
    return lambda elements: np.tile(np.eye(dimension), (len(elements), 1, 1))


@pytest.mark.parametrize("fault", ["", "unsupported"])
def test_the_unbroken_one_passes_with_or_without_irreps(fault):
    check_group(Broken(fault))


@pytest.mark.parametrize(
    ("fault", "law"),
    [
        ("order", "elements|unrank"),
        ("abelian", "whether all commute"),
        ("digits", "unrank|uniform"),
        ("compose", "ea = a"),
        ("associativity", "ea = a|ab"),
        ("inverse", "a a"),
        ("contains", "contained"),
        ("contains all", "refuses rows with the entry"),
        ("contains any entries", "refuses rows with the entry"),
        ("contains repeats", "no more rows than the order"),
        ("permutations", r"\(ab\)\(i\) = a\(b\(i\)\)"),
        ("points", "permutations permute"),
        ("generators", "generate the group"),
        ("identity", "ea = a"),
        ("bias", "uniform"),
        ("dtype", "int64"),
        ("homomorphism", r"\(2, 2\) is a homomorphism"),
        ("unitary", r"\(2, 2\) is unitary"),
        ("off", r"\(2, 2\) is a homomorphism"),
        ("rounding", "has a rounding between"),
        ("no irreps", "add up to the order"),
        ("copies", "characters are orthonormal"),
        ("twice", "characters are orthonormal"),
        ("dimensions", "add up to the order"),
        ("equality", "comes back equal"),
    ],
)
def test_a_broken_group_fails(fault, law):
    with pytest.raises(LawError, match=law):
        check_group(Broken(fault))


def sorted_rows(g):
    def sample(k, rng):
        rows = g.sample(k, rng)
        return rows[np.lexsort(rows.T[::-1])]

    return sample


UNEVEN = {
    "constant": lambda g: lambda k, rng: np.repeat(g.identity(), k, axis=0),
    "each twice": lambda g: lambda k, rng: np.repeat(g.sample((k + 1) // 2, rng), 2, axis=0)[:k],
    "second half the first": lambda g: (
        lambda k, rng: np.resize(g.sample(k // 2, rng), (k, g.width))
    ),
    "sorted": sorted_rows,
}


@pytest.mark.parametrize("name", ["C97", "S7", "C5000", "Z2^20"])
@pytest.mark.parametrize("fault", list(UNEVEN))
def test_uneven_and_dependent_draws_fail(name, fault):
    g = sa.group(name)
    with pytest.raises(LawError, match="sample is uniform"):
        check_uniform(g, UNEVEN[fault](g))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d // 2 * 2,  # the lowest bit never set
        lambda d: d // 1024 * 1024 + d % 512,  # one in the middle never set
        lambda d: d - d // 16,  # the top never reached
    ],
)
@pytest.mark.parametrize("n", [5000, 2**40 + 1])
def test_every_part_of_a_large_digit_is_tested(n, spoil):
    g = sa.cyclic(n)
    with pytest.raises(LawError, match="sample is uniform"):
        check_uniform(g, lambda k, rng: spoil(g.sample(k, rng)))


@pytest.mark.parametrize("name", ["S4", "S7", "C5000"])
@pytest.mark.parametrize(
    ("sample", "law"),
    [
        (lambda g, k, rng: g.sample(k // 2, rng), "of shape"),
        (lambda g, k, rng: g.sample(k, rng) - 1, "elements of the group"),
        (lambda g, k, rng: g.sample(k, rng).astype(float), "of shape"),
        (lambda g, k, rng: None, "of shape"),
    ],
)
def test_what_is_no_batch_of_elements_fails(name, sample, law):
    g = sa.group(name)
    with pytest.raises(LawError, match=law):
        check_uniform(g, lambda k, rng: sample(g, k, rng))


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
    ],
)
def test_a_broken_oracle_fails(fault, law):
    check_oracle(lambda seed, budget: BrokenOracle(seed, budget, ""))
    with pytest.raises(LawError, match=law):
        check_oracle(lambda seed, budget: BrokenOracle(seed, budget, fault))


@dataclass(frozen=True)
class Failing(Broken):
    """S_4 with one method that raises, or answers with something else."""

    def __getattribute__(self, name: str) -> Any:
        fault = object.__getattribute__(self, "fault")
        method, _, answer = fault.partition(" ")
        if name != method:
            return object.__getattribute__(self, name)
        if answer == "raises":
            raise IndexError("out of bounds")
        return lambda *args, **options: None


@pytest.mark.parametrize(
    "method",
    [
        *("identity", "compose", "inverse", "contains", "generators", "rank", "unrank", "sample"),
        *("elements", "permutations", "irreps", "to_digits"),
    ],
)
@pytest.mark.parametrize("answer", ["raises", "none"])
def test_a_group_that_raises_or_answers_nonsense_breaks_a_law(method, answer):
    with pytest.raises((LawError, ArgumentError)):
        check_group(Failing(f"{method} {answer}"))
