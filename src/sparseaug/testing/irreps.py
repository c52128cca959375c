"""Whether the irreps of a group are what they say: homomorphisms, unitary, irreducible, all of them."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug.errors import GroupTooLargeError, UnsupportedError
from sparseaug.groups import Group, Irrep, Rows
from sparseaug.testing.answers import require
from sparseaug.testing.uniform import SMALL

LARGE = 64
"""Irreps above this dimension are left out."""

BAND = 6
"""Degree up to which irreps are looked at where they are infinitely many."""

_ROUNDING = 1e-12  # of the arithmetic of a check: above LARGE^2 times 2^-53
_MOST_ROUNDING = 1e-6  # a representation that errs by more says nothing


def check_irreps(group: Group, a: Rows, b: Rows) -> None:
    """The laws of every irrep on these elements, where the group has irreps; of rotations to `BAND`."""
    try:
        if group.is_finite:
            most = group.order + 1 if group.order <= SMALL else 64
            irreps = list(islice(group.irreps(), most))
        else:
            irreps = list(group.irreps_to(BAND))
    except (UnsupportedError, GroupTooLargeError):
        return  # not every group has them in closed form, or few enough to list
    for irrep in irreps:
        if irrep.dimension <= LARGE:
            _check_irrep(group, irrep, a, b)
    require(bool(irreps) and _is_trivial(irreps[0], a), "the first irrep is trivial")
    if group.order <= SMALL:
        total = sum(irrep.dimension**2 for irrep in irreps)
        require(total == group.order, "the squares of the irreps' dimensions add up to the order")
        _check_characters(group, irreps)


def _check_irrep(group: Group, irrep: Irrep, a: Rows, b: Rows) -> None:
    """With true matrices L, R of norm 1 and errors up to r each: LR - P errs by 3r + r^2."""
    small = 0 <= irrep.rounding <= _MOST_ROUNDING
    require(small, f"{irrep.name} has a rounding between 0 and {_MOST_ROUNDING}")
    left, right = irrep.matrices(a), irrep.matrices(b)
    product = irrep.matrices(group.compose(a, b))
    unit = np.eye(irrep.dimension)
    # a product within r of the true one is moved by less than 4 d r: |D^l(q) - 1| <= l omega
    tolerance = 4 * irrep.rounding + _ROUNDING + 4 * irrep.dimension * group.rounding
    for matrices in (left, right, product):
        require(matrices.shape == (len(a), *unit.shape), f"{irrep.name} has its dimension")
    require(_distance(left @ right, product) <= tolerance, f"{irrep.name} is a homomorphism")
    gram = left @ left.conj().swapaxes(1, 2)
    require(_distance(gram, unit) <= tolerance, f"{irrep.name} is unitary")


def _is_trivial(irrep: Irrep, a: Rows) -> bool:
    ones = np.ones((1, 1, 1))
    return irrep.dimension == 1 and _distance(irrep.matrices(a), ones) <= irrep.rounding + _ROUNDING


def _check_characters(group: Group, irreps: list[Irrep]) -> None:
    """Characters of different irreps are orthonormal: mean over g of chi_i(g) conj(chi_j(g)).

    A trace errs by at most sqrt(d) r, and the root mean square of a true character is 1.
    """
    rows = group.all_elements()
    traces = np.array([np.trace(i.matrices(rows), axis1=1, axis2=2) for i in irreps])
    gram = traces @ traces.conj().T / group.order
    error = np.array([np.sqrt(i.dimension) * i.rounding for i in irreps])
    allowed = error[:, None] + error + np.outer(error, error) + _ROUNDING
    orthonormal = bool((abs(gram - np.eye(len(irreps))) <= allowed).all())
    require(orthonormal, "the irreps' characters are orthonormal")


def _distance(left: NDArray[Any], right: NDArray[Any]) -> float:
    """The largest Frobenius norm of a difference of matrices (k, d, d)."""
    return float(np.linalg.norm(left - right, axis=(1, 2)).max())
