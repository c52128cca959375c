"""One answer to "which S?": the best of everything that is known or can be found, by a spectrum.

What may be chosen: the constructions of the catalogue, the full group, what the kernel search finds of m
elements from several starts, unions of cosets of subgroups in the catalogue. Each is judged by what the
spectrum predicts, at the upper end of its error bar. `design(m=)`, `choose`, `plan`, `pilot.plan` and
the estimators ask here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from sparseaug.designs.catalogue import candidates, sized
from sparseaug.designs.kernel import (
    Kernel,
    best_rows,
    best_union,
    doubled,
    moved,
    nested_rows,
    takes_all,
)
from sparseaug.designs.offers import Offer
from sparseaug.designs.turns import best_turns
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError
from sparseaug.groups import Rows
from sparseaug.groups.degrees.bands import Bands
from sparseaug.sampling import GroupSample, Origin
from sparseaug.spectral.norm import announce
from sparseaug.spectral.spectrum import Prediction, Spectrum

MOST_STARTS = 3
"""Constructions that the search starts from, and subgroups whose cosets it puts together."""

MOST_LATTICES = 4
"""Divisors of the order up to m, the largest, of which there is a lattice."""

LARGEST_SUBGROUP = 512
"""Elements of a set that is tried for being a subgroup: all products are looked up."""

MOST_JUDGED = 20_000
"""Elements of a set whose mean squares are looked at; all of the group may have more."""


class Judged(NamedTuple):
    """A set, where it comes from, and what averaging over it leaves."""

    name: str
    sample: GroupSample
    prediction: Prediction

    @property
    def left(self) -> float:
        """The mean-square error at the upper end of its bar; of a prior there is no bar."""
        return self.prediction.upper


def best(
    spectrum: Spectrum, m: int, *, moves: bool = True, known: list[Judged] | None = None
) -> Judged:
    """The set of at most m elements that leaves least; among equals the smallest.

    Without small moves, which take longest in large groups, it leaves some percent more. Where many m
    are tried, `known` has the constructions, judged once.
    """
    group = spectrum.group
    if group.is_finite and group.order <= m:
        return judge(spectrum, "full", group.all_elements())
    known = list(constructions(spectrum, m)) if known is None else known
    fixed = [*(one for one in known if one.sample.m <= m), *lattices(spectrum, m)]
    found = [*fixed, *searched(spectrum, m, fixed)]
    if moves and not takes_all(group) and not isinstance(spectrum.blocks, Bands):
        alone = [one for one in found if one.name == "search"]
        rows = [one.sample.elements for one in (least(alone), least(found))]
        found += [judge(spectrum, "search", moved(kernel_of(spectrum), r)) for r in rows]
    return least(found)


def least(found: list[Judged]) -> Judged:
    """What leaves least; what is within rounding of it counts as equal, and the smallest is taken."""
    most = min(one.left for one in found)
    scale = max(one.prediction.variance for one in found)
    near = [one for one in found if one.left <= most + 1e-12 * scale]
    return min(near, key=lambda one: one.sample.m)


def judge(spectrum: Spectrum, name: str, rows: Rows) -> Judged:
    """Rows, named and judged."""
    sample = GroupSample(spectrum.group, rows, 0, Origin("design", design=name))
    return Judged(name, sample, spectrum.predict("full" if name == "full" else sample))


def constructions(spectrum: Spectrum, most: int) -> Iterator[Judged]:
    """The designs of the catalogue with at most so many elements, the smallest first."""
    return _built(spectrum, candidates(spectrum.group, most=most))


def lattices(spectrum: Spectrum, m: int) -> Iterator[Judged]:
    """Of m elements, and of fewer that divide the order or are a multiple of 2, 4, 8 or 16."""
    order = spectrum.group.order if spectrum.group.is_finite else 1
    divisors = [k for k in range(m, 0, -1) if order % k == 0][:MOST_LATTICES]
    sizes = {m, *divisors, *(m - m % k for k in (2, 4, 8, 16) if m >= k)}
    for size in sorted(sizes):
        offers = [each for each in sized(spectrum.group, size) if each.name == "lattice"]
        yield from _built(spectrum, offers)


def _built(spectrum: Spectrum, offers: list[Offer]) -> Iterator[Judged]:
    for offer in offers:
        if offer.build is None or ((offer.m or 0) > MOST_JUDGED and offer.name != "full"):
            continue
        try:
            yield judge(spectrum, offer.name, offer.build())
        except (ArgumentError, UnsupportedError, GroupTooLargeError):
            continue  # a size that this construction does not have, or one that cannot be judged


def searched(spectrum: Spectrum, m: int, fixed: list[Judged]) -> Iterator[Judged]:
    """What the search finds of m elements, from several starts."""
    kernel = kernel_of(spectrum)
    group = spectrum.group
    good = sorted((one for one in fixed if 1 < one.sample.m <= m), key=lambda one: one.left)
    if isinstance(kernel.blocks, Bands):
        for rows in best_turns(kernel.blocks, kernel.weights, m):
            yield judge(spectrum, "search", rows)
        return
    subgroups = [one for one in good if 2 * one.sample.m <= m and _is_subgroup(one.sample)]
    announce(
        f"the search for m={m} elements of {group.name}",
        seconds=kernel.seconds(m),
        instead="lower m, or give name= of a construction.",
    )
    alone = best_rows(kernel, m, group.identity())
    yield judge(spectrum, "search", alone)
    if m >= 4:
        half = best_rows(kernel, m // 2, group.identity())
        yield judge(spectrum, "search", best_rows(kernel, m, doubled(kernel, half)))
    starts = MOST_STARTS if m < 128 else 1  # of large sets all are nearly as good
    for one in good[:starts]:
        yield judge(spectrum, "search", best_rows(kernel, m, one.sample.elements))
    for H in subgroups[:starts]:
        union = best_union(kernel, H.sample.elements, m)
        yield judge(spectrum, f"{m // H.sample.m} cosets of {H.name}", union)
        if len(union) < m:
            yield judge(spectrum, "search", best_rows(kernel, m, union))


def search(spectrum: Spectrum, m: int) -> Judged:
    """The best that the search finds, whatever is in the catalogue; of m elements if it can be."""
    found = list(searched(spectrum, m, []))
    return least([one for one in found if one.sample.m == m] or found)


def is_quick(spectrum: Spectrum, m: int) -> bool:
    """Whether `best` takes a second or so."""
    return not isinstance(spectrum.blocks, Bands) and 5 * kernel_of(spectrum).seconds(m) < 1.0


def nested(spectrum: Spectrum, m: int) -> Judged:
    """The greedy choice, every prefix of which is the greedy choice of fewer."""
    return judge(spectrum, "nested", nested_rows(kernel_of(spectrum), m))


@lru_cache(maxsize=4)
def kernel_of(spectrum: Spectrum) -> Kernel:
    """Of the variances at the upper end of their bars."""
    return Kernel(spectrum.group, spectrum.blocks, spectrum.upper)


def _is_subgroup(S: GroupSample) -> bool:
    group, rows = S.group, S.elements
    if len(rows) > LARGEST_SUBGROUP:
        return False
    products = group.compose(rows[:, None], rows[None]).reshape(-1, group.width)
    return len(np.unique(np.concatenate([rows, products]), axis=0)) == len(np.unique(rows, axis=0))
