"""Rotations of space that descend: the sum of a kernel over all quotients, by its gradient.

phi_l of q is U_2l(w) / (2l + 1) with w the cosine of half the angle of q, the inner product of two unit
quaternions s and t for q = s^-1 t; U is Chebyshev's, U_2l = 1 + 2 (T_2 + T_4 + ... + T_2l). So the sum
is a smooth function of the quaternions, and L-BFGS finds a local minimum. A start may be r rotations
that each stand for a coset t H of a finite subgroup: then w runs over <t_i, t_j h>.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.polynomial import chebyshev
from scipy.optimize import minimize

from sparseaug.designs.constructions.rotations import even_angles, subgroup, with_reflections
from sparseaug.designs.objectives import Values
from sparseaug.groups import Rows
from sparseaug.groups.degrees.bands import Bands
from sparseaug.groups.quaternions import multiplied, signed
from sparseaug.sampling import keyed_rng

STEPS = 400
WORK = 300_000_000
"""Terms of Chebyshev series, about a second."""

STARTS = 2
"""Random starts, from which elements go alone."""


def search_rotations(blocks: Bands, weights: Values, m: int) -> Iterator[Rows]:
    """Sets of at most m rows: m alone from some starts, and unions of cosets of the solids' groups.

    Of orthogonal(3) every rotation comes with its inversion; of the plane the angles are even.
    """
    group = blocks.group
    count = m // (1 + group.reflections)
    if not count:
        yield group.identity()
        return
    if group.n == 2:
        yield with_reflections(group, even_angles(count))
        return
    series = _series(blocks, weights)
    for i, letter in enumerate((*["C1"] * STARTS, "V4", "D5", "T", "O", "I")):
        H = np.array([[float(x) for x in q] for q in subgroup(letter)])
        if len(H) <= count:
            found = _minimised(series, H, count // len(H), keyed_rng(0, "sparseaug turns", index=i))
            turns = signed(multiplied(found[:, None], H[None]).reshape(-1, 4))
            yield with_reflections(group, turns)


def _minimised(series: Values, H: Values, count: int, rng: np.random.Generator) -> Values:
    """So many unit quaternions, the cosets of which leave least; from a random start."""
    moves = np.stack([multiplied(np.eye(4), h[None]) for h in H])  # t h = t @ moves
    start = rng.standard_normal((count, 4))
    slope = chebyshev.chebder(series)
    steps = min(STEPS, WORK // (count * count * len(H) * len(series)))

    def value(x: Values) -> tuple[float, Values]:
        x = x.reshape(count, 4)
        length = np.linalg.norm(x, axis=1, keepdims=True)
        t = x / length
        total, gradient = 0.0, np.zeros_like(t)
        for move in moves:
            others = t @ move
            w = np.clip(t @ others.T, -1.0, 1.0)
            total += float(chebyshev.chebval(w, series).sum())
            gradient += 2 * chebyshev.chebval(w, slope) @ others
        gradient -= (gradient * t).sum(axis=1, keepdims=True) * t
        size = count * count * len(H)
        return total / size, (gradient / length).reshape(-1) / size

    if steps > 0 and count > 1:
        scale = 1 / max(float(np.abs(series).sum()), np.finfo(float).tiny)
        result = minimize(
            lambda x: tuple(scale * part for part in value(x)),
            start.reshape(-1),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": steps, "ftol": 1e-13, "gtol": 1e-12},
        )
        start = result.x.reshape(count, 4)
    return np.asarray(start / np.linalg.norm(start, axis=1, keepdims=True))


def _series(blocks: Bands, weights: Values) -> Values:
    """k as a Chebyshev series of w; with the inversion, the mean of both its values."""
    highest = max(int(k) for k, _ in blocks.parts if k < math.inf)
    series = np.zeros(2 * highest + 1)
    for (k, parity), weight in zip(blocks.parts, weights, strict=True):
        if k == math.inf or (blocks.group.reflections and parity < 0):
            continue  # the same for every set of different elements, or 0 on average
        degree = int(k)
        series[0] += weight / (2 * degree + 1)
        series[2 : 2 * degree + 1 : 2] += 2 * weight / (2 * degree + 1)
    return series
