"""`plan(group, ...)`: what a gradient norm, or a deviation, costs, by each method, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, overload

from sparseaug._floats import float_above
from sparseaug._tables import Shown, Table
from sparseaug.errors import ArgumentError, UnsupportedError, check_integer, check_real, shorten
from sparseaug.groups import Group
from sparseaug.plans.dimension import degree_dimension_sum, find_dimension_sum, is_finite
from sparseaug.plans.draws import DrawPlan, plan_draws
from sparseaug.plans.methods import MethodPlan, Problem, each_method
from sparseaug.plans.table import Constants, row_of, table, to_json
from sparseaug.spectral import best_method
from sparseaug.spectral.methods import restricted
from sparseaug.theory import Crossovers, crossovers

_MOST_CHARACTERS = (
    1 << 38
)  # some minutes for a sample of sign flips, as `spectral.abelian.walsh` has it

MOST_TRANSFORMATIONS = 10**14
"""In a step that is recommended: a day's work for a thousand machines at 10^6 a second each."""


@dataclass(frozen=True, slots=True)
class Plan(Shown):
    """The methods side by side at one eps; `str(plan)` is a table.

    `crossovers` says for which eps one-shot, by the paper's bound, asks the oracle for less than
    the full group and than streaming.

    Args:
        problem: the group and the constants
        eps: the gradient norm to reach
        rows: one per method
        crossovers: for which eps one-shot makes fewer calls
    """

    problem: Problem
    eps: float
    rows: tuple[MethodPlan, ...]
    crossovers: Crossovers

    def __post_init__(self) -> None:
        check_real("eps", self.eps, above=0)
        rows = isinstance(self.rows, tuple) and all(isinstance(r, MethodPlan) for r in self.rows)
        if not rows or all(row.calls is None for row in self.rows):
            raise ArgumentError(f"rows={shorten(self.rows)} is not a tuple of methods with calls.")
        for name, kind in (("problem", Problem), ("crossovers", Crossovers)):
            if not isinstance(getattr(self, name), kind):
                given = shorten(getattr(self, name))
                raise ArgumentError(f"{name}={given} is not a {kind.__name__}.")

    @property
    def largest_batch(self) -> int:
        """Transformations in a step that are recommended at most: `max_batch`, and never over 10^14."""
        return min(self.problem.max_batch or MOST_TRANSFORMATIONS, MOST_TRANSFORMATIONS)

    @property
    def best(self) -> MethodPlan:
        """The row with the fewest oracle calls, of those whose steps are small enough.

        Among equals, with the least work; where no step is small enough, the smallest one.
        """
        known = [row for row in self.rows if row.calls is not None and row.batch is not None]
        fitting = [row for row in known if (row.batch or 1) <= self.largest_batch]
        if not fitting:
            return min(known, key=lambda row: row.batch or 1)
        return min(fitting, key=lambda row: (row.calls, (row.batch or 1) * row.steps))

    def row(self, method: str) -> MethodPlan:
        """The row of that method."""
        return row_of(self.rows, method)

    def at(self, eps: float) -> Plan:
        """The same problem at another eps."""
        return _build(self.problem, eps)

    def to_dict(self) -> dict[str, Any]:
        """As JSON data. Integers above 2^53 are hexadecimal text, infinity is null."""
        limits = {name: to_json(value) for name, value in self.crossovers.to_dict().items()}
        return {
            "eps": self.eps,
            **self.problem.to_dict(),
            "rows": [row.to_dict() for row in self.rows],
            "best": self.best.method,
            "crossovers": limits,
        }

    def _table(self) -> Table:
        return table(self)


@overload
def plan(
    group: Group,
    *,
    deviation: float,
    degree: int | None = None,
    delta: float = 0.05,
    draw: bool | None = None,
    seed: int | None = None,
) -> DrawPlan: ...


@overload
def plan(
    group: Group,
    *,
    eps: float,
    C: float | None = None,
    B: float | None = None,
    L: float | None = None,
    gap: float | None = None,
    constants: Constants | None = None,
    delta: float = 0.05,
    sigma: float | None = None,
    b: int | None = None,
    n: int | None = None,
    degree: int | None = None,
    max_batch: int | None = None,
) -> Plan: ...


def plan(
    group: Group,
    *,
    eps: float | None = None,
    deviation: float | None = None,
    delta: float = 0.05,
    C: float | None = None,
    B: float | None = None,
    L: float | None = None,
    gap: float | None = None,
    constants: Constants | None = None,
    sigma: float | None = None,
    b: int | None = None,
    n: int | None = None,
    degree: int | None = None,
    max_batch: int | None = None,
    draw: bool | None = None,
    seed: int | None = None,
) -> Plan | DrawPlan:
    """What an accuracy costs, by each method: of a deviation in elements, of a gradient norm in steps.

    With `deviation`, how many elements a sample needs: by the paper's bound, by the sharper bound, as
    `draw_until` finds them, in the smallest known design, in the full group. With `eps`, batch, steps
    and oracle calls of each method for a full gradient norm of at most eps.

    Args:
        group: the group that acts on the data.
        eps: wanted norm of the full gradient; needs C, B, L and gap, or constants.
        deviation: wanted deviation of S, instead.
        delta: probability that S misses it.
        C: point evaluation of the gradients' space (ass:gradient-rkhs).
        B: mean RKHS norm of the gradients.
        L: smoothness of the risk.
        gap: initial value of the risk less its infimum.
        constants: all four at once, as `pilot.constants()` gives them; where they are estimates the plan
            says so.
        sigma: standard deviation of the gradient over the group, for streaming. By default C B: the
            gradient of one transformation has norm at most C B, and E|X - EX|^2 <= E|X|^2.
        b: fresh transformations in a streaming step, 1 by default.
        n: number of samples, for the work and the memory.
        degree: of the functions (with eps, of the gradients) that count, in coordinates of an element
            at a time, as `deviation(degree=)`. The sharper bound then sums over the irreps of that
            degree only.
        max_batch: transformations that a step may average over; `best` keeps to it.
        draw: with deviation, whether `draw_until` is run; by default where it takes seconds.
        seed: with deviation, of the oracle of `draw_until`; 0 by default.

    Returns:
        A `Plan` for eps, a `DrawPlan` for a deviation.

    Raises:
        ArgumentError: eps and deviation together, neither, or arguments that belong to the other.
        UnsupportedError: degree of a group that has none.

    Examples:
        >>> import sparseaug as sa
        >>> found = plan(sa.symmetric(10), deviation=0.25, degree=2)
        >>> [(row.method, row.m) for row in found.rows][:2]
        [('one-shot', 802), ('one-shot sharp', 280)]
        >>> found = plan(sa.symmetric(6), eps=0.1, delta=0.05, C=1.0, B=2.0, L=4.0, gap=1.0)
        >>> [(row.method, row.calls) for row in found.rows][2:5]
        [('one-shot', 43811), ('one-shot sharp', 25834), ('words', 75)]
        >>> found.best.method, found.best.length, found.best.steps
        ('words', 6, 3200)
    """
    with_eps = {"C": C, "B": B, "L": L, "gap": gap}
    further = {"sigma": sigma, "b": b, "n": n, "max_batch": max_batch}
    if deviation is not None:
        _refuse({"eps": eps, **with_eps, "constants": constants, **further}, "deviation")
        return plan_draws(
            group,
            deviation=deviation,
            degree=degree,
            delta=delta,
            draw=draw,
            seed=0 if seed is None else seed,
        )
    if eps is None:
        raise ArgumentError("eps and deviation are missing; give one of them: the goal.")
    _refuse({"draw": draw, "seed": seed}, "eps")
    if constants is not None:
        C, B, L, gap = _unpacked(constants, with_eps)
    if degree is not None:
        degree = check_integer("degree", degree, at_least=1)
    if not is_finite(group):
        raise UnsupportedError(
            f"eps={shorten(eps)}: plans for a gradient norm are for finite groups, and {group.name} has "
            "infinitely many elements; give deviation= and degree= instead."
        )
    D, exact = find_dimension_sum(group) if degree is None else degree_dimension_sum(group, degree)
    delta = check_real("delta", delta, above=0, below=1)
    c, bound = _positive("C", C), _positive("B", B)
    problem = Problem(
        group=group.name,
        order=group.order,
        dimension_sum=D,
        dimension_sum_exact=exact,
        exact_method=_exact_method(group, degree),
        delta=delta,
        C=c,
        B=bound,
        L=_positive("L", L),
        gap=check_real("gap", _given("gap", gap)),
        sigma=float_above(Fraction(c) * Fraction(bound))
        if sigma is None
        else check_real("sigma", sigma),
        b=1 if b is None else check_integer("b", b, at_least=1),
        n=None if n is None else check_integer("n", n, at_least=1),
        degree=degree,
        max_batch=None if max_batch is None else check_integer("max_batch", max_batch, at_least=1),
        estimated=constants is not None and constants.kind == "estimate",
    )
    return _build(problem, eps)


def _refuse(others: dict[str, Any], goal: str) -> None:
    """An `ArgumentError` for the first that was given, as it does not go with this goal."""
    for name, value in others.items():
        if value is not None and name == "eps":
            raise ArgumentError(
                f"eps={shorten(value)} and deviation= are two goals; give one of them."
            )
        if value is not None:
            wants = "eps" if goal == "deviation" else "deviation"
            raise ArgumentError(f"{name}={shorten(value)} goes with {wants}=, not with {goal}=.")


def _unpacked(constants: Any, alone: dict[str, Any]) -> tuple[float, float, float, float]:
    if not isinstance(constants, Constants):
        raise ArgumentError(
            f"constants={shorten(constants)} are not Constants; see pilot.constants()."
        )
    for name, value in alone.items():
        if value is not None:
            raise ArgumentError(
                f"{name}={shorten(value)} is in constants= already; give one of them."
            )
    return constants.C, constants.B, constants.L, constants.gap


def _given(name: str, value: float | None) -> float:
    if value is None:
        raise ArgumentError(
            f"{name}= is missing; with eps=, give C=, B=, L= and gap=, or constants=."
        )
    return value


def _positive(name: str, value: float | None) -> float:
    return check_real(name, _given(name, value), above=0)


def _build(problem: Problem, eps: float) -> Plan:
    p, eps = problem, check_real("eps", eps, above=0)
    limits = crossovers(p.delta, p.order, C=p.C, B=p.B, L=p.L, gap=p.gap, sigma=p.sigma, b=p.b)
    return Plan(p, eps, tuple(each_method(p, eps)), limits)


def _exact_method(group: Group, degree: int | None) -> str | None:
    if degree is not None:
        return restricted(group, degree).name
    if group.is_abelian and group.order > _MOST_CHARACTERS:
        return None
    try:
        return best_method(group)
    except UnsupportedError:
        return None
