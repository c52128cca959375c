"""`profile(S)`: one number hides what matters; a norm and a mean square for each degree show it."""

from __future__ import annotations

from collections.abc import Callable

from numpy.typing import ArrayLike

from sparseaug._checks import Progress, check_choice, check_integer, check_progress, check_weights
from sparseaug.errors import UnsupportedError
from sparseaug.groups.degrees.abelian import MEANINGS
from sparseaug.norms.dihedral import dihedral_levels
from sparseaug.norms.methods import as_known
from sparseaug.norms.profiles.irreps import irrep_levels
from sparseaug.norms.profiles.result import Levels, Profile
from sparseaug.norms.profiles.shifts import shift_levels
from sparseaug.norms.profiles.weighted import weighted_levels
from sparseaug.norms.rotations.bands import band_levels
from sparseaug.norms.young.symmetric import permutation_levels
from sparseaug.sampling import GroupSample
from sparseaug.sampling.sample import require_sample

LEVELS: dict[str, Callable[..., Levels]] = {
    "characters": shift_levels,
    "dihedral": dihedral_levels,
    "young": permutation_levels,
}
"""Families with a way of their own, by transform: (S, most, by, progress) to `Levels`."""


def profile(
    S: GroupSample,
    *,
    degree: int | None = None,
    by: str = "degree",
    weights: ArrayLike | None = None,
    progress: Progress | None = None,
) -> Profile:
    """The norm of Pi_S - Pi_G on each degree, its mean square, and where S is exact.

    For k, h independent and uniform, the mean-square error of averaging v over k S h is

        sum_pi var_pi(v) ||pi(S)||_F^2 / d_pi,

    where var_pi(v) is the part of v's variance over the group in the isotypic component of pi. The
    profile has these factors, per irrep and, with weights d_pi^2, per degree; m uniform draws have 1/m
    in expectation. Degrees are

    - of permutations (S_n, A_n): the number of coordinates at a time, n - lambda_1; all of them up to
      n = 12, above it 1 to 3;
    - of sign flips, shifts and other abelian groups: the number of non-zero frequencies, or, with
      by="frequency", the length of the frequency, rounded up;
    - of dihedral groups: the frequency j of turn(j); the sign of flips is 0, the signs that change
      with every turn are n/2;
    - of signed permutations (B_n): n - alpha_1 for the bipartition (alpha | beta); their action on
      other points than the 2n signed axes, such as the corners of a cube, has other degrees and no
      profile;
    - of rotations: l for SO(3) and O(3), the frequency for SO(2) and O(2), up to 16 where `degree` is
      not given (4 for their products with other groups, where degrees add up); the determinant of
      O(n) has degree 0, and `parts` has both parities;
    - of other products: the set of factors on which an irrep is not trivial, an analysis of variance of
      S.

    Args:
        S: a sample of a group
        degree: only degrees up to this one. Without it, sign flips and abelian groups with more than
            4 million elements are looked at up to degree 3.
        by: "degree", or "frequency" for abelian groups
        weights: of the rows of S, one real number each, for quadratures from elsewhere; they are
            divided by their sum, which must be positive. Some may be negative: then norms above 1
            occur. Groups whose irreps can be looked at one by one, and rotations, have weighted means;
            nothing of them is exact, and mean squares are floats.
        progress: called now and then with two numbers, how much is done and of how much

    Returns:
        The `Profile`. Zeros are decided by integer arithmetic: without rounding or tolerance.

    Raises:
        UnsupportedError: the group's irreps have no degree, or m is too large to count quotients.
        GroupTooLargeError: there are too many irreps, or one is too large.
        ArgumentError: degree= or by= does not fit the group.

    Examples:
        >>> import sparseaug as sa
        >>> found = sa.profile(sa.design(sa.symmetric(5), degree=2))
        >>> found.exact_to, found.mean_square[3], round(found.norms[3], 6)
        (2, Fraction(5, 41), 1.0)
        >>> print(sa.profile(sa.design(sa.abelian(8, 8), m=32, name="lattice"), by="frequency"))
        C8xC8, m = 32; degree: frequency
        <BLANKLINE>
        degree  norm at most  at least  mean square x m
        1       0             0         0                exact
        2       0             0         0                exact
        3       0             0         0                exact
        4       0             0         0                exact
        5       0             0         0                exact
        6       1             1         32
        >>> found = sa.profile(sa.GroupSample.full("C2"), weights=[1, 3])    # |1/4 - 3/4|
        >>> round(found.norms[1], 12)
        0.5
    """
    require_sample(S)
    watch = check_progress(progress)
    most = None if degree is None else check_integer("degree", degree, at_least=1)
    shares = None if weights is None else check_weights(weights, S.m)
    T = as_known(S)
    check_choice("by", by, T.group.gradings)
    meaning = MEANINGS[by] if by == "frequency" else T.group.degree_meaning
    if T.group.factors and not T.group.is_finite:
        meaning = "degrees of all factors"
    if shares is not None:
        if by == "frequency":
            raise UnsupportedError('weights go by="degree" only; leave by= or weights= out.')
        found = weighted_levels(T, shares, most, watch)
    else:
        others = irrep_levels if T.group.is_finite else band_levels
        found = LEVELS.get(T.group.transform, others)(T, most, by, watch)
    return Profile(S.group.name, S.m, meaning, *found, S.sha256, shares is not None)
