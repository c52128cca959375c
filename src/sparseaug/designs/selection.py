"""One answer to "which S?": the best of everything that is known or can be found, by a spectrum.

What may be chosen: constructions and records, the full group, what the search finds of m elements from
several starts, unions of cosets of subgroups that are known. Each is judged by one number, what the
spectrum predicts at the upper end of its error bar. `design(m=)`, `choose`, `inspect`, `plan` and the
estimators ask here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from sparseaug.designs.constructions import Design, fixed_designs
from sparseaug.designs.constructions.lattices import lattice_designs
from sparseaug.designs.prediction import (
    KernelSearch,
    SpectrumKernel,
    doubled,
    polished,
    search_cosets,
    search_rows,
    takes_all,
)
from sparseaug.designs.rotation_search import search_rotations
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError
from sparseaug.groups import Rows
from sparseaug.groups.degrees.bands import Bands
from sparseaug.groups.quotients import subgroup_of
from sparseaug.norms.norm import announce
from sparseaug.sampling import GroupSample, Origin
from sparseaug.spectrum.spectrum import Prediction, Spectrum

MOST_STARTS = 3
"""Constructions that the search starts from, and subgroups whose cosets it puts together."""

MOST_DOUBLED = 64
"""Elements up to which half of them and a translate are a start in a group that is not listed."""

MOST_LATTICES = 4
"""Divisors of the order up to m, the largest, of which there is a lattice."""

LARGEST_SUBGROUP = 512
"""Elements of a set that is tried for being a subgroup."""

MOST_JUDGED = 20_000
"""Elements of a set whose mean squares are looked at; all of the group may have more."""


class PredictedSet(NamedTuple):
    """A set, where it comes from, and what averaging over it leaves.

    `kind` is that of a `Design`, or "cosets"; "search" where every element was searched for.
    """

    name: str
    kind: str
    sample: GroupSample
    prediction: Prediction

    @property
    def left(self) -> float:
        """The mean-square error at the upper end of its bar; of a prior there is no bar."""
        return self.prediction.upper


def predicted(spectrum: Spectrum, rows: Rows, kind: str = "search", name: str = "") -> PredictedSet:
    """Rows, named, and what the spectrum predicts of them."""
    name = name or kind
    sample = GroupSample(spectrum.group, rows, 0, Origin("design", design=name))
    prediction = spectrum.predict("full" if kind == "full" else sample)
    return PredictedSet(name, kind, sample, prediction)


def least(found: list[PredictedSet]) -> PredictedSet:
    """What leaves least; what is within rounding of it counts as equal, and the smallest is taken."""
    most = min(one.left for one in found)
    scale = max(one.prediction.variance for one in found)
    near = [one for one in found if one.left <= most + 1e-12 * scale]
    return min(near, key=lambda one: one.sample.m)


def select(spectrum: Spectrum, m: int, known: Iterable[PredictedSet] | None = None) -> PredictedSet:
    """The set of at most m elements that leaves least; among equals the smallest.

    `known` are the constructions and records up to m elements or more, where they have been judged.
    """
    group = spectrum.group
    if group.is_finite and group.order <= m:
        return predicted(spectrum, group.all_elements(), "full")
    if known is None:
        known = known_sets(spectrum, m)
    ready = [*(one for one in known if one.sample.m <= m), *lattices(spectrum, m)]
    found = [*ready, *searched(spectrum, m, ready)]
    if group.is_finite and not takes_all(group):
        alone = [one for one in found if one.kind == "search"]
        kernel = kernel_of(spectrum)
        for one in {id(one): one for one in (least(alone), least(found))}.values():
            found.append(predicted(spectrum, polished(kernel, one.sample.elements)))
    return least(found)


def known_sets(spectrum: Spectrum, most: int) -> Iterator[PredictedSet]:
    """The constructions and records of at most so many elements, the smallest first."""
    return _made(spectrum, fixed_designs(spectrum.group, most=most))


def lattices(spectrum: Spectrum, m: int) -> Iterator[PredictedSet]:
    """Of m elements, and of fewer that divide the order or are a multiple of 2, 4, 8 or 16."""
    order = spectrum.group.order if spectrum.group.is_finite else 1
    divisors = [k for k in range(m, 0, -1) if order % k == 0][:MOST_LATTICES]
    yield from lattices_of(spectrum, {m, *divisors, *(m - m % k for k in (2, 4, 8, 16) if m >= k)})


def lattices_of(spectrum: Spectrum, sizes: Iterable[int]) -> Iterator[PredictedSet]:
    """Of these numbers of elements, where there are any."""
    for size in sorted(sizes):
        made = [one for one in lattice_designs(spectrum.group, size) if one.build]
        if not made:
            return
        yield from _made(spectrum, made)


def _made(spectrum: Spectrum, designs: Iterable[Design]) -> Iterator[PredictedSet]:
    for one in designs:
        if (one.m or 0) > MOST_JUDGED and one.kind != "full":
            continue
        try:
            yield predicted(spectrum, one.rows(), one.kind, one.name)
        except (ArgumentError, UnsupportedError, GroupTooLargeError):
            continue  # a size that this construction does not have, or one that cannot be judged


def searched(spectrum: Spectrum, m: int, ready: list[PredictedSet]) -> Iterator[PredictedSet]:
    """What the search finds of m elements, from several starts."""
    kernel = kernel_of(spectrum)
    if isinstance(kernel.blocks, Bands):
        for rows in search_rotations(kernel.blocks, kernel.weights, m):
            yield predicted(spectrum, rows)
        return
    good = sorted((one for one in ready if 1 < one.sample.m <= m), key=lambda one: one.left)
    announce(
        f"the search for m={m} elements of {spectrum.group.name}",
        seconds=kernel.seconds(m),
        instead="lower m, or give name= of a construction.",
    )
    starts = MOST_STARTS if m < 128 else 1  # of large sets all are nearly as good
    near = [one.sample.elements for one in good[:starts]]
    # one pool for all starts takes less time; a pool for each finds more
    shared = m > MOST_DOUBLED or takes_all(spectrum.group)
    choosing = KernelSearch(kernel, m, near if shared else ())
    yield predicted(spectrum, choosing.best(m))
    for i, start in enumerate(near, start=1):
        rows = choosing.best(m, i) if shared else search_rows(kernel, m, start)
        yield predicted(spectrum, rows)
    if m >= 4 and (m <= MOST_DOUBLED or takes_all(spectrum.group)):
        twice = doubled(kernel, choosing.best(m // 2))
        yield predicted(spectrum, search_rows(kernel, m, twice))
    for H in subgroups(good, m)[:starts]:
        union = search_cosets(kernel, H.sample.elements, m)
        yield predicted(spectrum, union, "cosets", f"{m // H.sample.m} cosets of {H.name}")
        if len(union) < m:
            yield predicted(spectrum, search_rows(kernel, m, union))


def search(spectrum: Spectrum, m: int) -> PredictedSet:
    """The best that the search finds, whatever is known; of m elements if it can be."""
    found = list(searched(spectrum, m, []))
    return least([one for one in found if one.sample.m == m] or found)


def nested(spectrum: Spectrum, m: int) -> PredictedSet:
    """The greedy choice, every prefix of which is the greedy choice of fewer."""
    return predicted(spectrum, KernelSearch(kernel_of(spectrum), 1).nested(m), "nested")


def is_quick(spectrum: Spectrum, m: int) -> bool:
    """Whether `select` takes a second or so."""
    return spectrum.group.is_finite and 5 * kernel_of(spectrum).seconds(m) < 1.0


@lru_cache(maxsize=4)
def kernel_of(spectrum: Spectrum) -> SpectrumKernel:
    """Of the variances at the upper end of their bars."""
    return SpectrumKernel(spectrum.group, spectrum.blocks, spectrum.upper)


def subgroups(ready: list[PredictedSet], m: int) -> list[PredictedSet]:
    """Those of which several cosets have at most m elements."""
    return [one for one in ready if 2 * one.sample.m <= m and _is_subgroup(one.sample)]


def _is_subgroup(S: GroupSample) -> bool:
    rows = S.counts()[0]
    if S.m > LARGEST_SUBGROUP or not (rows == S.group.identity()).all(axis=1).any():
        return False
    return subgroup_of(S.group, rows) is not None
