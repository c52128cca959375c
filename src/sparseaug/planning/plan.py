"""`plan(group, ...)`: what a gradient norm of at most eps costs, by each method, side by side."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sparseaug.errors import ArgumentError, UnsupportedError, check_integer, check_real, shorten
from sparseaug.floats import float_above
from sparseaug.groups import Group
from sparseaug.planning.dimension import find_dimension_sum
from sparseaug.planning.methods import MethodPlan, Problem, each_method
from sparseaug.planning.numbers import to_json
from sparseaug.planning.table import text
from sparseaug.spectral import best_method
from sparseaug.theory import Crossovers, crossovers

_MOST_CHARACTERS = (
    1 << 38
)  # some minutes for a sample of sign flips, as `spectral.abelian.walsh` has it


@dataclass(frozen=True, slots=True)
class Plan:
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
    def best(self) -> MethodPlan:
        """The row with the fewest oracle calls; among equals, with the least work."""
        known = [row for row in self.rows if row.calls is not None]
        return min(known, key=lambda row: (row.calls, (row.batch or 1) * row.steps))

    def row(self, method: str) -> MethodPlan:
        """The row of that method."""
        for row in self.rows:
            if isinstance(method, str) and row.method == method:
                return row
        names = ", ".join(row.method for row in self.rows)
        raise ArgumentError(f"method={shorten(method)} is not planned for; give one of {names}.")

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

    def __str__(self) -> str:
        return text(self)


def plan(
    group: Group,
    *,
    eps: float,
    delta: float,
    C: float,
    B: float,
    L: float,
    gap: float,
    sigma: float | None = None,
    b: int = 1,
    n: int | None = None,
) -> Plan:
    """Batch, steps and oracle calls of each method for a full gradient norm of at most eps.

    Args:
        group: the group that acts on the data.
        eps: wanted norm of the full gradient.
        delta: probability that S misses it.
        C: point evaluation of the gradients' space (ass:gradient-rkhs).
        B: mean RKHS norm of the gradients.
        L: smoothness of the risk.
        gap: initial value of the risk less its infimum.
        sigma: standard deviation of the gradient over the group, for streaming. By default C B: the
            gradient of one transformation has norm at most C B, and E|X - EX|^2 <= E|X|^2.
        b: fresh transformations in a streaming step.
        n: number of samples, for the work and the memory.

    Examples:
        >>> import sparseaug as sa
        >>> found = plan(sa.symmetric(6), eps=0.1, delta=0.05, C=1.0, B=2.0, L=4.0, gap=1.0)
        >>> [(row.method, row.calls) for row in found.rows][2:5]
        [('one-shot', 43811), ('one-shot sharp', 25834), ('words', 75)]
        >>> found.best.method, found.best.length, found.best.steps
        ('words', 6, 3200)
    """
    D, exact = find_dimension_sum(group)
    delta = check_real("delta", delta, above=0, below=1)
    C, B = check_real("C", C, above=0), check_real("B", B, above=0)
    problem = Problem(
        group=group.name,
        order=group.order,
        dimension_sum=D,
        dimension_sum_exact=exact,
        exact_method=_exact_method(group),
        delta=delta,
        C=C,
        B=B,
        L=check_real("L", L, above=0),
        gap=check_real("gap", gap),
        sigma=float_above(Fraction(C) * Fraction(B))
        if sigma is None
        else check_real("sigma", sigma),
        b=check_integer("b", b, at_least=1),
        n=None if n is None else check_integer("n", n, at_least=1),
    )
    return _build(problem, eps)


def _build(problem: Problem, eps: float) -> Plan:
    p, eps = problem, check_real("eps", eps, above=0)
    limits = crossovers(p.delta, p.order, C=p.C, B=p.B, L=p.L, gap=p.gap, sigma=p.sigma, b=p.b)
    return Plan(p, eps, tuple(each_method(p, eps)), limits)


def _exact_method(group: Group) -> str | None:
    if group.is_abelian and group.order > _MOST_CHARACTERS:
        return None
    try:
        return best_method(group)
    except UnsupportedError:
        return None
