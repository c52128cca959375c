"""What S leaves of each block of functions: its mean square, and the worst of the irreps in the block.

The mean square on a block is the mean of its phi over the m^2 quotients of S (`groups.degrees`): of one
irrep ||pi(S)||_F^2 / d_pi. Some kinds of blocks have a faster way, or a more exact one. Where a block
holds several irreps, the variance may sit in any of them: the worst is the largest mean square of an
irrep of the block, or an upper bound of it, 1 at most.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.special import gammaln

from sparseaug._checks import require_work
from sparseaug.groups.degrees import Degrees
from sparseaug.groups.degrees.bands import HIGHEST
from sparseaug.groups.degrees.blocks import Floats
from sparseaug.groups.degrees.shapes import (
    ABOVE,
    LARGEST_N,
    POLYNOMIALS,
    cycle_numbers,
    smallest_above,
)
from sparseaug.groups.permutations import Rows
from sparseaug.sampling import GroupSample
from sparseaug.spectral.irreps import irrep_means
from sparseaug.spectral.profiles.counting import counted_shapes, quotients, too_many

_CHUNK = 1 << 22
_WORK = 1 << 31  # products of characters of single coordinates
_HIGHEST = 64  # l up to which rotations are looked at one by one


def mean_squares(blocks: Degrees, S: GroupSample) -> Floats:
    """Of S on each block."""
    return _FASTER.get(blocks.kind, _of_quotients)(blocks, S)


def worst_squares(blocks: Degrees, S: GroupSample, squares: Floats) -> Floats:
    """Of the irreps in each block whose mean squares these are, the largest, or an upper bound."""
    bound = _BOUNDS.get(blocks.kind)
    if blocks.alone is not None:
        alone = mean_squares(blocks.alone, S)
        found = np.zeros(len(squares))
        np.maximum.at(found, blocks.owners, _of_copies(alone, blocks.copies))
    elif bound is not None:
        found = bound(blocks, S, squares)
    else:
        found = _of_copies(squares, blocks.copies)
    return np.maximum(squares, np.minimum(found, 1.0))


def _of_copies(squares: Floats, copies: Floats) -> Floats:
    """The mean of k numbers from 0 to 1 is at least the largest over k."""
    known = np.isfinite(copies)
    return np.where(known, np.where(known, copies, 1.0) * squares, 1.0)


def _of_quotients(blocks: Degrees, S: GroupSample) -> Floats:
    chunks = quotients(S)
    if chunks is None:
        raise too_many(S)
    total = np.zeros(len(blocks.degrees))
    step = max(1, _CHUNK // max(1, len(total)))
    for rows, often in chunks:
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            table, index = blocks.characters(rows[part])
            total += np.bincount(index, often[part], minlength=len(table)) @ table
    return np.maximum(total / S.m**2, 0.0)


def _of_irreps(blocks: Any, S: GroupSample) -> Floats:
    found = {block.label: block.values for block in irrep_means(S)}
    return np.array([np.linalg.norm(found[name]) ** 2 / len(found[name]) for name in blocks.names])


def _of_characters(blocks: Any, S: GroupSample) -> Floats:
    table = np.bincount(S.group.rank(S.elements), minlength=S.group.order)
    return np.asarray(blocks.power(table[:, None] * (S.group.order / S.m)))


def _of_frequencies(blocks: Any, S: GroupSample) -> Floats:
    squares, labels = _of_characters(blocks.alone, S), blocks.owners
    return np.asarray(np.bincount(labels, squares) / np.bincount(labels))


def _of_shapes(blocks: Any, S: GroupSample) -> Floats:
    parts = counted_shapes(S)
    if parts is None:
        raise too_many(S)
    squares = [float(part.mean_square) for part in parts]
    if S.group.width > LARGEST_N:
        # sum over all pi of d_pi^2 ||pi(S)||_F^2 / d_pi is |G| times the share of equal pairs
        order, counts = S.group.order, S.counts()[1]
        equal = order * sum(c * c for c in counts.tolist()) / S.m**2
        known = sum(part.weight for part in parts)
        rest = equal - 1 - sum(float(part.mean_square) * part.weight for part in parts)
        squares += [max(0.0, rest / (order - 1 - known))] * len(ABOVE)
    return np.array(squares)


def _of_tensors(blocks: Any, S: GroupSample) -> Floats:
    return (_of_quotients if S.group.is_finite else _of_rotations)(blocks, S)


def _of_rotations(blocks: Degrees, S: GroupSample) -> Floats:
    """At the angles of all quotients, not in cells."""
    return np.maximum(_over_rotations(S, blocks.exactly, len(blocks.degrees)), 0.0)


def _over_rotations(S: GroupSample, values: Callable[[Rows], Floats], width: int) -> Floats:
    """The mean over all quotients of so many values of each."""
    rows, counts = S.counts()
    what = f"the mean squares of m={S.m} rotations"
    require_work("rotations in quotients", len(rows), what, remedy="use fewer")
    inverses = S.group.inverse(rows)
    total = np.zeros(width)
    step = max(1, _CHUNK // (len(rows) * width))
    for start in range(0, len(rows), step):
        part = slice(start, start + step)
        products = S.group.compose(inverses[part, None], rows[None])
        weights = (counts[part, None] * counts[None]).ravel()
        total += weights @ values(products.reshape(-1, S.group.width))
    return total / S.m**2


_FASTER: dict[str, Callable[[Any, GroupSample], Floats]] = {
    "irreps": _of_irreps,
    "characters": _of_characters,
    "frequencies": _of_frequencies,
    "shapes": _of_shapes,
    "bands": _of_rotations,
    "tensors": _of_tensors,
}


def _bound_bands(blocks: Any, S: GroupSample, squares: Floats) -> Floats:
    """SO(3), O(3): |phi_l(q)| <= 1 / ((2l + 1) sin(omega / 2)): l up to `_HIGHEST` one by one.

    In the plane no S is good above its size: some frequency has all angles near multiples of 2 pi.
    """
    found = np.where(np.isinf(blocks.copies), 1.0, squares)
    if blocks.group.n == 3:
        above = partial(blocks.above, highest=_HIGHEST)
        by_parity = _over_rotations(S, above, 2 * (_HIGHEST - HIGHEST + 1)).reshape(-1, 2)
        for u in np.flatnonzero(np.isinf(blocks.copies)):
            found[u] = by_parity[:, int(blocks.parts[u][1] < 0)].max()
    return found


def _bound_shapes(blocks: Any, S: GroupSample, squares: Floats) -> Floats:
    """Above n = 12: degrees 0 to 3 times the sign, and |chi(q)|^2 <= |C(q)| for all the others.

    The squares of the characters at q sum to the order of its centraliser, and the dimension of the
    others is at least that of the smallest.
    """
    found = _of_copies(squares, blocks.copies)
    n, even, chunks = blocks.group.n, blocks.group.even, quotients(S)
    if n <= LARGEST_N or chunks is None or len(S.counts()[0]) ** 2 * n * n > _WORK:
        return found
    smallest = smallest_above(n, even=even)
    with_sign, others = np.zeros(1 + len(POLYNOMIALS)), 0.0
    for rows, often in chunks:
        cycles = cycle_numbers(rows)
        centralisers = cycles @ np.log(np.arange(1, n + 1)) + gammaln(cycles + 1).sum(axis=1)
        others += float(often @ np.exp(np.minimum(0.0, centralisers / 2 - math.log(smallest))))
        table, index = blocks.characters(rows)
        signed = often * (1 - 2 * ((n - cycles.sum(axis=1)) % 2))
        each = np.bincount(index, signed, len(table)) @ table[:, : len(POLYNOMIALS)]
        with_sign += np.append(signed.sum(), each)
    found[len(POLYNOMIALS) :] = max(others, 0.0 if even else with_sign.max()) / S.m**2
    return found


def _bound_weights(blocks: Any, S: GroupSample, squares: Floats) -> Floats:
    """Weights 1 to 3 by products of the characters of single coordinates; 1 above."""
    rows, counts = S.counts()
    moduli = np.array(S.group.moduli or ())
    owner = np.repeat(np.arange(len(moduli)), moduli - 1)
    count, found = len(owner), np.ones(len(squares))
    if count**2 * len(rows) > _WORK:
        return found
    steps = np.concatenate([np.arange(1, n) / n for n in moduli])
    chi: Any = np.exp(2j * np.pi * steps * rows[:, owner])
    chi = chi.real if moduli.max() <= 2 else chi
    weighted, apart = (counts / S.m)[:, None] * chi, owner[:, None] != owner
    found[0] = (np.abs(weighted.sum(axis=0)) ** 2).max()
    found[1:2] = (np.abs(chi.T @ weighted) ** 2 * apart).max()
    if count**3 * len(rows) <= _WORK:
        each = (np.abs(chi.T @ (chi[:, [i]] * weighted)) ** 2 * apart for i in range(count))
        found[2:3] = max((e * apart[i] * apart[i, :, None]).max() for i, e in enumerate(each))
    return found


_BOUNDS: dict[str, Callable[[Any, GroupSample, Floats], Floats]] = {
    "bands": _bound_bands,
    "shapes": _bound_shapes,
    "weights": _bound_weights,
}
