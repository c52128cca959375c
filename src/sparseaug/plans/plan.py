"""`plan(group, ...)`: what a gradient norm, or a deviation, costs, by each method, side by side."""

from __future__ import annotations

from sparseaug._checks import check_real
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Group, as_group
from sparseaug.plans.draws import plan_draws
from sparseaug.plans.steps import plan_steps
from sparseaug.plans.table import Plan


def plan(
    group: Group | str,
    *,
    eps: float | None = None,
    deviation: float | None = None,
    delta: float = 0.05,
    degree: int | None = None,
    C: float | None = None,
    B: float | None = None,
    L: float | None = None,
    gap: float | None = None,
    sigma: float | None = None,
    b: int | None = None,
    n: int | None = None,
    max_batch: int | None = None,
) -> Plan:
    """What an accuracy costs, by each method: of a deviation in elements, of a gradient norm in steps.

    With `deviation`, how many elements a sample needs: by the paper's bound, by the sharper bound, as
    `draw_until` finds them where that takes seconds, in the smallest known design, in the full group.
    With `eps`, batch, steps and oracle calls of each method for a full gradient norm of at most eps;
    "one kernel", "products" and "mini-batch" need no |G| and are there for rotations too. That is about
    descent without projection, with constants that hold wherever the run goes: B and L of a box do not
    cover a run that the projection onto it changed (`Run.clipped`).

    Args:
        group: the group that acts on the data.
        eps: wanted norm of the full gradient; needs C, B, L and gap.
        deviation: wanted deviation of S, instead.
        delta: probability that S misses it.
        degree: of the functions (with eps, of the gradients) that count, as `deviation(degree=)`. The
            sharper bound then sums over the irreps up to that degree only.
        C: with eps: point evaluation of the gradients' space (ass:gradient-rkhs).
        B: with eps: mean RKHS norm of the gradients; to the rows without |G| their root mean square
            where n is not given.
        L: with eps: smoothness of the risk.
        gap: with eps: initial value of the risk less its infimum.
        sigma: with eps: standard deviation of the gradient over the group, for streaming. By default
            C B: the gradient of one transformation has norm at most C B, and E|X - EX|^2 <= E|X|^2.
        b: with eps: fresh transformations in a streaming step, 1 by default.
        n: with eps: number of samples, for the work and the memory, and for what B means.
        max_batch: with eps: transformations that a step may average over; `best` keeps to it.

    Returns:
        A `Plan`: `.rows`, `.best`, `.row(method)`, `.facts`, a table by `str`.

    Raises:
        ArgumentError: eps and deviation together, neither, or arguments that belong to the other.
        UnsupportedError: degree of a group that has none.

    Examples:
        >>> import sparseaug as sa
        >>> found = sa.plan(sa.symmetric(10), deviation=0.25, degree=2)
        >>> [(row.method, row.m) for row in found.rows][:2]
        [('one-shot', 802), ('one-shot sharp', 280)]
        >>> found = sa.plan(sa.symmetric(6), eps=0.1, delta=0.05, C=1.0, B=2.0, L=4.0, gap=1.0)
        >>> [(row.method, row.calls) for row in found.rows][2:5]
        [('one-shot', 43811), ('one-shot sharp', 25834), ('words', 75)]
        >>> [(row.method, row.calls) for row in found.rows][5:7]
        [('one kernel', 11805), ('products', 15)]
        >>> found.best.method, found.best.m, found.best.steps
        ('products', 720, 3200)
    """
    group = as_group(group)
    delta = check_real("delta", delta, above=0, below=1)
    options = {"C": C, "B": B, "L": L, "gap": gap, "sigma": sigma, "b": b, "n": n}
    options["max_batch"] = max_batch
    if (eps is None) == (deviation is None):
        given = f"eps={shorten(eps)} and deviation={shorten(deviation)} are the two goals"
        raise ArgumentError(f"{given}; give one of them.")
    if eps is not None:
        return plan_steps(group, degree, eps=eps, delta=delta, **options)
    for name, value in options.items():
        if value is not None:
            raise ArgumentError(f"{name}={shorten(value)} goes with eps=, not with deviation=.")
    return plan_draws(group, deviation, degree, delta)
