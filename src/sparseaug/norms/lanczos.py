"""The norm of a matrix-free operator from its Krylov space, by a bound that rounding cannot break.

Lanczos started at a vector that is known not to be orthogonal to the answer bounds it from above
(Kuczynski and Wozniakowski, SIAM J. Matrix Anal. Appl. 13, 1992). The proof below is about the
vectors that were computed: neither exact arithmetic nor orthogonality is assumed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh_tridiagonal

from sparseaug._checks import Progress, silent
from sparseaug._floats import UNIT, down, gamma, up
from sparseaug.norms.norm import Norm
from sparseaug.norms.verified import UNDERFLOW
from sparseaug.sampling.keys import keyed_rng

# Let B = D^T D, l = ||D||^2 its largest eigenvalue, z a unit eigenvector for it, and v_0 a
# start with <z, v_0> >= w > 0. The computed vectors satisfy, for whatever numbers a_j and b_j,
#     r_j = B v_j - a_j v_j - b_j v_(j-1) + f_j,      b_(j+1) v_(j+1) = r_j + g_j,
# with f_j, g_j the rounding of one step. So c_j = <z, v_j> satisfies, with |e_j| <= ||f_j|| + ||g_j||,
#     b_(j+1) c_(j+1) = s_j c_j,      s_j = l - a_j - b_j c_(j-1) / c_j + e_j / c_j.
# Suppose l >= x. Then s_j is bounded from below, step by step, by the same recursion at x with every
# quantity rounded the safe way: s_j grows with l, with c_j and with c_j / c_(j-1), as long as all of
# them are positive. But s_j c_j <= ||r_j|| + ||g_j||: as soon as the lower bound exceeds that,
# l >= x is refuted (`_excludes`). The least x that is refuted, by bisection, is the bound.
#
# How tight: for the a_j, b_j of exact Lanczos the lower bounds of c_j are w p_j(x), with p_j the
# orthonormal polynomials, which grow exponentially above the largest Ritz value. Comparing them with
# Chebyshev's polynomials of the fourth kind: the largest Ritz value of k steps is at least
# (1 - eps) l as soon as w > 1 / cosh(t), t = (2 k - 1) artanh(sqrt(eps)). For a start uniform on
# the sphere P(|<z, v_0>| < w) <= w sqrt(2 n / pi), and 1 / cosh(t) <= 2 exp(-t): that is the
# theorem of 1992, P <= 1.6 sqrt(n) exp(-(2 k - 1) sqrt(eps)). Where the eigenvalue is separated from
# the next, convergence is faster, and the bound sees it. What stops it in the end is e_j / c_j:
# about 1e-13 for a start that leans on z by 1e-2, about 1e-3 for one by 1e-11.
#
# That is why one start at a probability of 1e-9 is worse than the largest bound of three independent
# starts at 1e-3: each bound is true wherever its own start is good, so the largest is below the truth
# only where all three are bad, 1e-3^3; and each start leans on z a million times more.
#
# What the probability is over. The starts are a function of `key`, the hash of S, by Philox keyed
# with SHA-256, and are taken for independent Gaussian vectors. So an S that was not chosen by looking
# at its starts (it was drawn, or designed for other reasons) has bad ones with the stated probability;
# the best of T samples that were tried with T times that (`draw_until` counts them); and to find an S
# with bad starts on purpose takes about one over that probability of trials.


Vector: TypeAlias = NDArray[np.float64]

FAILURE_PROBABILITY = 1e-9
"""Of a bound from random starts, unless another is asked for."""

STARTS = 3
"""Independent starts, the largest of whose bounds is taken."""

MAX_STEPS = 1000
"""Lanczos steps at most, for each start."""

BASIS_ENTRIES = 1 << 28
"""Entries of the Lanczos vectors kept, in single precision, for the Ritz vector: 1 GiB."""

TOLERANCE = 1e-11
"""Relative distance of upper and lower bound of the norm's square at which the steps end."""

RANDOM_TOLERANCE = 2e-9
"""The same for random starts, where rounding stops them soon after: 1e-9 of the norm."""

_SLACK = 1.0 + 2.0**-48  # covers 16 roundings of positive terms added and multiplied


@dataclass(frozen=True)
class Operator:
    """A real square matrix D given by what it does, and by how it rounds.

    Computed images are off by at most `rounding` times the norm of the argument, plus something of
    at most `drift` times the norm of the image in a subspace that D and its transpose send to 0.
    """

    dimension: int
    apply: Callable[[Vector], Vector]
    apply_transpose: Callable[[Vector], Vector]
    rounding: float
    drift: float = 0.0
    norm: float = 1.0
    """A bound on ||D|| that is known beforehand."""


def lanczos_norm(
    operator: Operator,
    *,
    key: str = "",
    failure_probability: float = FAILURE_PROBABILITY,
) -> Norm:
    """Bounds of ||D|| from random starts; `upper` fails with the stated probability.

    `lower` is certain. The starts are Gaussian, keyed by `key`; all rounding is accounted for.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.norms.lanczos import Operator, lanczos_norm
        >>> A = np.diag([0.5, 0.25])
        >>> bounds = lanczos_norm(Operator(2, A.__matmul__, A.__matmul__, 1e-15))
        >>> bounds.lower <= 0.5 <= bounds.upper < 0.5 + 1e-9
        True
    """
    share = failure_probability ** (1.0 / STARTS)
    found = []
    for index in range(STARTS):
        start = keyed_rng(0, f"lanczos {key}", index=index).standard_normal(operator.dimension)
        length = math.sqrt(float(start @ start))
        # <z, start> is a standard normal number: |.| < t with probability at most t sqrt(2 / pi),
        # 0.9974 share for t = 1.25 share: the rest is for the rounding of share. The division moves
        # the start by u times its new length, which is 1 within 1e-3.
        overlap = down(down(down(1.25 * share) / length) - 2.0 * UNIT)
        found.append(krylov_norm(operator, start / length, overlap, tolerance=RANDOM_TOLERANCE))
    upper, lower = max(one.upper for one in found), max(one.lower for one in found)
    return Norm(upper, lower, failure_probability=failure_probability)


def krylov_norm(
    operator: Operator,
    start: Vector,
    overlap: float,
    *,
    tolerance: float = TOLERANCE,
    progress: Progress = silent,
) -> Norm:
    """Bounds of ||D||, certain if <z, start> >= overlap for some unit z with D^T D z = ||D||^2 z.

    The start should be 1 long.
    """
    limit = operator.norm
    steps = max(2, min(MAX_STEPS, BASIS_ENTRIES // operator.dimension))
    run = _Run(operator, start)
    excess = math.inf
    for done in range(1, steps + 1):
        if run.step() <= UNIT * max(run.diagonal):
            break
        if done % 8 == 0 and _excludes(run.ritz() * (1.0 + tolerance), run, overlap):
            break
        if done % 32 == 0:  # convergence shrinks the excess by 6 % at least: 1 - (1 - 32/1000)^2
            before, excess = excess, _least_excluded(run, overlap, limit * limit) - run.ritz()
            if excess > 0.98 * before:  # what is left is rounding
                break
        progress(done, steps)
    progress(steps, steps)
    upper = min(up(up(math.sqrt(_least_excluded(run, overlap, limit * limit)))), limit)
    lower = run.lower()
    return Norm(max(lower, upper), lower)  # a bound that is seen to be false is not kept


@dataclass
class _Run:
    """Lanczos without reorthogonalisation, and what `_excludes` needs of each step."""

    operator: Operator
    vector: Vector
    basis: list[NDArray[np.float32]] = field(default_factory=list)
    previous: Vector | float = 0.0
    diagonal: list[float] = field(default_factory=list)  # a_j
    coupling: list[float] = field(default_factory=list)  # b_(j+1)
    residual: list[float] = field(default_factory=list)  # at least ||r_j|| + ||g_j||
    error: list[float] = field(default_factory=list)  # at least ||f_j|| + ||g_j||

    def step(self) -> float:
        """One step; returns the new off-diagonal entry."""
        v, before = self.vector, self.previous
        b = self.coupling[-1] if self.coupling else 0.0
        self.basis.append(v.astype(np.float32))
        image, error = self._apply(self.operator.apply, v, 0.0)
        image, error = self._apply(self.operator.apply_transpose, image, error)
        a = float(v @ image) / float(v @ v)
        r = image - a * v
        r -= b * before
        length = _norm_upper(r)
        # each entry of r: at most three roundings of each of its terms
        terms = _norm_upper(image) + abs(a) * _norm_upper(v)
        terms += b * (_norm_upper(before) if isinstance(before, np.ndarray) else 0.0)
        division = UNIT * length + UNDERFLOW
        self.error.append((error + gamma(3) * terms + division) * _SLACK)
        self.residual.append((length + division) * _SLACK)
        self.diagonal.append(a)
        self.coupling.append(math.sqrt(float(r @ r)))
        self.previous = v
        self.vector = r / (self.coupling[-1] or 1.0)
        return self.coupling[-1]

    def ritz(self) -> float:
        """The largest Ritz value."""
        values = eigh_tridiagonal(
            self.diagonal, self.coupling[:-1], eigvals_only=True, lapack_driver="sterf"
        )
        return max(0.0, float(values[-1]))

    def lower(self) -> float:
        """||D y|| / ||y|| for the Ritz vector y, rounded down; true of any y."""
        last = len(self.diagonal) - 1
        try:
            _, weights = eigh_tridiagonal(
                self.diagonal, self.coupling[:-1], select="i", select_range=(last, last)
            )
        except np.linalg.LinAlgError:  # bisection gives up where couplings are tiny
            _, weights = eigh_tridiagonal(self.diagonal, self.coupling[:-1], lapack_driver="stev")
        y = np.zeros(self.operator.dimension)
        for weight, v in zip(weights[:, -1], self.basis, strict=True):
            y += weight * v
        image, error = self._apply(self.operator.apply, y, 0.0)
        squares, relative = sum_in_two_levels(image * image)
        length = math.sqrt(squares / (1.0 + relative)) * (1.0 - self.operator.drift)
        squares, relative = sum_in_two_levels(y * y)
        over = math.sqrt(squares / (1.0 - relative)) * _SLACK
        return max(0.0, (length / _SLACK - error * _SLACK) / over) if over > 0.0 else 0.0

    def _apply(
        self, apply: Callable[[Vector], Vector], x: Vector, error: float
    ) -> tuple[Vector, float]:
        """What was wrong before is shrunk by ||D||, then one more error."""
        error = (self.operator.norm * error + self.operator.rounding * _norm_upper(x)) * _SLACK
        return apply(x), error


def sum_in_two_levels(x: Vector) -> tuple[float, float]:
    """The sum of x, and a bound on |computed - true| / sum |x_i| with a margin for one product each.

    Rows of about sqrt(n) numbers, then their sums: 3 sqrt(n) additions in a row at most, in
    whatever order each of them is made, instead of n.
    """
    side = math.isqrt(len(x)) or 1
    whole = side * (len(x) // side)
    total = x[:whole].reshape(-1, side).sum(axis=1).sum() + x[whole:].sum()
    return float(total), gamma(side + len(x) // side + side + 3)


def _excludes(x: float, run: _Run, overlap: float) -> bool:
    """Whether the steps refute that the largest eigenvalue is x or more."""
    c, push = overlap, 0.0  # at most c_j; at least b_j c_(j-1) / c_j
    for a, b, residual, error in zip(
        run.diagonal, run.coupling, run.residual, run.error, strict=True
    ):
        if not c > 0.0:
            return False
        slope = down(down(down(x - a) - push) - up(error / c))
        if slope <= 0.0:
            return False
        gain = down(slope * c)
        if gain > residual:
            return True
        c = down(gain / b) if b > 0.0 else 0.0
        push = up(up(b * b) / slope)
    return False


def _least_excluded(run: _Run, overlap: float, limit: float) -> float:
    """Nearly the least x that `_excludes` refutes, or the limit."""
    ritz = fails = run.ritz()
    width = max(UNIT * ritz, UNDERFLOW)
    while not _excludes(holds := min(ritz + width, limit), run, overlap):
        if holds >= limit:
            return limit
        fails, width = holds, 4.0 * width
    while holds - fails > 0.001 * width:
        middle = 0.5 * (holds + fails)
        if not fails < middle < holds:
            break
        if _excludes(middle, run, overlap):
            holds = middle
        else:
            fails = middle
    return holds


def _norm_upper(x: Vector) -> float:
    return up(math.sqrt(float(x @ x) / (1.0 - gamma(len(x))))) * _SLACK
