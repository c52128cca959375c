"""`inspect`: what a list of transformations averages, what it misses, and what to use instead.

A list that somebody else wrote is an S like any other. Its profile says on which degrees it is exact;
the subgroup that its quotients generate says whether all of it lies in one coset, which no average over
it can see beyond; and the table of designs says which known S does better, or as well with fewer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, final

from numpy.typing import ArrayLike

from sparseaug._archive import fields_as_json, to_json
from sparseaug._checks import check_weights
from sparseaug._tables import Shown, Table
from sparseaug.designs.findings import findings_of, in_words
from sparseaug.designs.instead import Instead, better_designs, exact_degrees
from sparseaug.errors import GroupTooLargeError, UnsupportedError, shorten_text
from sparseaug.groups import Group, as_group
from sparseaug.groups.degrees import Degree
from sparseaug.norms.deviation import deviation
from sparseaug.norms.generation import generated_order
from sparseaug.norms.profiles.profile import profile
from sparseaug.norms.profiles.result import Profile
from sparseaug.sampling import GroupSample
from sparseaug.sampling.sample import as_sample

_WHOLE_N = 7  # S_n up to which all degrees are looked at, in a second; above, degree 1 to 3
_WHOLE_ORDER = 5_000  # order up to which the deviation of a group without degrees is computed
_MOST_NAMED = 3  # designs that are offered, of those with fewer and of those with more elements


@final
@dataclass(frozen=True, eq=False)
class Inspection(Shown):
    """What `inspect` found; `str` is a report.

    Attributes:
        sample: the rows, as an S
        profile: by degree; None where the group has no degrees or is too large
        order: of the subgroup H such that S lies in one coset of H; None where that is out of reach
        index: |G| / |H|: above 1 the deviation is 1
        deviation: an upper bound; None where it is out of reach
        exact: the degrees on which S is exact: proved in integers, or the norm is at most 1e-9, since
            rotations, weights and matrices are rounded
        misses: the degrees on which S is not exact
        findings: what is wrong with the list, in sentences
        instead: designs, the smallest first
    """

    sample: GroupSample
    profile: Profile | None
    order: int | None
    index: int | None
    deviation: float | None
    exact: tuple[Degree, ...]
    misses: tuple[Degree, ...]
    findings: tuple[str, ...]
    instead: tuple[Instead, ...]

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON data."""
        found = to_json(fields_as_json(self, "sample", "instead"))
        of = {"group": self.sample.group.name, "m": self.sample.m, "sha256": self.sample.sha256}
        return {**of, **found, "instead": [fields_as_json(one) for one in self.instead]}

    def _table(self) -> Table:
        title = f"{shorten_text(self.sample.group.name)}, m = {self.sample.m:,}"
        table = Table((), (), title=title) if self.profile is None else self.profile._table()
        known = {"exact on": self.exact, "not exact on": self.misses}
        verdict = "; ".join(f"{said} {in_words(found)}" for said, found in known.items() if found)
        notes = [f"- {finding}" for finding in self.findings]
        if self.instead:
            notes.append("instead, without an oracle call:")
        for one in self.instead:
            more = f", where S is not on {in_words(one.better)}" if one.better else ""
            notes.append(f"- {one.name}: m = {one.m:,}, exact on {in_words(one.exact)}{more}")
        return replace(table, title=f"{verdict}\n{table.title}", notes=[*table.notes, *notes])


def inspect(
    rows: Any,
    group: Group | str | None = None,
    *,
    weights: ArrayLike | None = None,
) -> Inspection:
    """What a given list of transformations averages, what it misses, and what to use instead.

    Args:
        rows: one row of numbers per element, or a `GroupSample`
        group: the group they are from, or its name; may be left out for a `GroupSample`
        weights: of the rows, as quadratures have them; divided by their sum (see `profile`)

    Returns:
        An `Inspection`: a report by `str`, `.exact`, `.misses`, `.index`, `.findings`, `.instead`.

    Raises:
        ElementError: a row is not an element of the group.

    Examples:
        >>> import sparseaug as sa
        >>> zipped = [[i % 4, i % 6] for i in range(12)]    # 4 class orders and 6 column orders, zipped
        >>> found = sa.inspect(zipped, group="C4xC6")
        >>> found.deviation, found.index, found.misses
        (1.0, 2, (2,))
        >>> found.findings[-1], found.instead[0].name
        ('C4 and C6: 12 of 24 combinations occur; they are zipped, not crossed.', 'full')
        >>> crossed = [[i, j] for i in range(4) for j in range(6)]
        >>> sa.inspect(crossed, group="C4xC6").deviation
        0.0
        >>> sa.inspect(sa.design("SO3", degree=5)).exact
        (1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 14)
    """
    own = rows.group if group is None and isinstance(rows, GroupSample) else group
    S = as_sample(rows, as_group(own), "rows")  # type: ignore[arg-type]  # which refuses None
    shares = None if weights is None else check_weights(weights, S.m)
    found = _profile(S, shares)
    exact = () if found is None else exact_degrees(found)
    order = generated_order(S)
    index = None if order is None else S.group.order // order
    instead = better_designs(S, found, exact)
    fewer = [one for one in instead if one.m <= S.m][-_MOST_NAMED:]
    more = [one for one in instead if one.m > S.m][:_MOST_NAMED]
    return Inspection(
        sample=S,
        profile=found,
        order=order,
        index=index,
        deviation=_deviation(S, found, index),
        exact=exact,
        misses=() if found is None else tuple(d for d in found.norms if d not in exact),
        findings=tuple(findings_of(S, found, order)),
        instead=(*fewer, *more),
    )


def _profile(S: GroupSample, weights: ArrayLike | None) -> Profile | None:
    group = S.group.known_as().group
    most = 3 if group.transform == "young" and group.width > _WHOLE_N else None
    if weights is not None:
        return profile(S, degree=most, weights=weights)
    try:
        return profile(S, degree=most)
    except (UnsupportedError, GroupTooLargeError):
        return None


def _deviation(S: GroupSample, found: Profile | None, index: int | None) -> float | None:
    if index is not None and index > 1 and not (found and found.weighted):
        return 1.0
    if found is not None and found.whole:
        return max((level.norm for level in found.levels), default=0.0)
    small = found is None and S.group.log_order < 10 and S.group.order <= _WHOLE_ORDER
    return deviation(S).value if small else None
