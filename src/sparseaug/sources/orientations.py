"""Which rotations a calculator needs: the smallest exact design, by what it is measured to leave."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import chdtri

from sparseaug._checks import check_integer, check_list, check_real
from sparseaug.actions.base import suitable_group
from sparseaug.designs import design
from sparseaug.designs.choose import Choice
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Rotations
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.oracle import require_oracle
from sparseaug.sources.calculators import Batch, averaged_calculator
from sparseaug.spectrum.spectrum import LEVEL, Prediction

TRANSLATES = 8
"""By which `choose_rotations` measures what an S leaves."""


def choose_rotations(
    calculator: Any,
    atoms: Any,
    *,
    error: float,
    group: Rotations | str = "SO3",
    max_m: int = 1000,
    oracle: Oracle | None = None,
    batch: Batch | None = None,
    n_jobs: int = 1,
) -> Choice:
    """The smallest exact design over which a calculator's energy changes by at most `error`, measured.

    One design after another is tried, exact to l = 0 (the identity alone), 1, 2, ...: the energies of
    each structure are averaged over eight random translates of it, and their variance is what the
    design leaves. So no l is missed, whatever the spectrum: 256 draws bound the share of each l only to
    some percent, while 60 rotations may leave a millionth of the variance. The calculations are those
    of the designs tried, 8 m each per structure.

    Args:
        calculator: any ASE calculator with energies
        atoms: some structures like those to come, a list of `Atoms`
        error: what may be left: the root mean square over structures and orientations, in the
            calculator's unit of energy
        group: rotations(3), or orthogonal(3)
        max_m: elements of the largest design that is tried
        oracle: draws the translates; by default one with seed 0
        batch: as `averaged_calculator` takes it
        n_jobs: likewise

    Returns:
        A `Choice`: `sample` is S, `prediction` what was measured; the error is reached at the upper end
        of its 95 % bar.

    Raises:
        ArgumentError: no design of at most max_m elements reaches the error; it says what is left.

    Examples:
        >>> from ase.build import molecule
        >>> from ase.calculators.emt import EMT
        >>> from sparseaug.sources import choose_rotations
        >>> choose_rotations(EMT(), [molecule("H2O")], error=0.001).sample.m  # EMT is invariant
        1
    """
    error = check_real("error", error, above=0)
    max_m = check_integer("max_m", max_m, at_least=1)
    structures = check_list("atoms", atoms)
    if not structures or not all(hasattr(one, "get_positions") for one in structures):
        raise ArgumentError(f"atoms={shorten(atoms)} is not a list of ASE Atoms; give one.")
    what = "does not rotate space; give rotations(3) or orthogonal(3)"
    turns = suitable_group(lambda g: g.rotates_space, group, what)
    oracle = Oracle(turns, seed=0) if oracle is None else oracle
    require_oracle(oracle, turns)
    S, left, degree = GroupSample(turns, turns.identity()), math.inf, 0
    while S.m <= max_m:
        prediction = _measured(
            structures,
            S,
            lambda T: averaged_calculator(calculator, T, batch=batch, n_jobs=n_jobs),
            oracle,
        )
        left = prediction.rms_upper
        if left <= error:
            name, draws = S.origin.design or "identity", prediction.variance / error / error
            note = "" if left else "All turned copies agree exactly; others need not."
            return Choice(S, name, prediction, max(1, math.ceil(min(draws, 1e300))), error, note)
        degree += 1
        S = design(turns, degree=degree)
    raise ArgumentError(
        f"{error=:g} is not reached by designs up to {max_m=}, which leave {left:.3g}; raise one."
    )


def _measured(
    structures: list[Any], S: GroupSample, average: Callable[[GroupSample], Any], oracle: Oracle
) -> Prediction:
    """What translates of S leave: their variance, and its bar by chi-square.

    The degrees of freedom are Satterthwaite's, as structures differ in what is left of them.
    """
    means, spreads = np.empty((2, len(structures), TRANSLATES))
    for j in range(TRANSLATES):
        for i, one in enumerate(structures):
            averaged = average(S.translate(oracle))
            means[i, j] = averaged.get_potential_energy(one)
            spreads[i, j] = averaged.spread["energy"]
    left = means.var(axis=1, ddof=1)
    value, freedom = float(left.mean()), TRANSLATES - 1.0
    if value > 0:
        freedom *= float(left.sum() ** 2 / (left**2).sum())
    upper = value * freedom / float(chdtri(freedom, LEVEL))
    return Prediction(value, upper - value, S.m, value + float((spreads**2).mean()))
