"""What an inspection of a list of transformations found, as a report and as JSON data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, final

from sparseaug.errors import shorten_text
from sparseaug.sampling import GroupSample
from sparseaug.spectral.profiles.result import Degree, Profile

WIDTH = 100


@final
@dataclass(frozen=True)
class Instead:
    """A design that can be used instead: `sa.design(group, name=name)`.

    Attributes:
        name: of the design
        m: number of elements; it costs no oracle call
        exact: the degrees on which it is exact
        better: degrees on which it is exact and the inspected list is not
        calls: oracle calls
    """

    name: str
    m: int
    exact: tuple[Degree, ...]
    better: tuple[Degree, ...]
    calls: int = 0


@final
@dataclass(frozen=True, eq=False)
class Inspection:
    """What `inspect` found; `str` is a report.

    Attributes:
        sample: the rows, as an S
        profile: by degree; None where the group has no degrees or is too large
        factors: the profile of each factor of a product alone, by name
        order: of the subgroup H such that S lies in one coset of H; None where that is out of reach
        index: |G| / |H|: above 1 the deviation is 1
        deviation: an upper bound; None where it is out of reach
        misses: the degrees on which S is not exact
        findings: what is wrong with the list, or worth knowing, in sentences
        instead: designs, the smallest first
    """

    sample: GroupSample
    profile: Profile | None
    factors: Mapping[str, Profile]
    order: int | None
    index: int | None
    deviation: float | None
    misses: tuple[Degree, ...]
    findings: tuple[str, ...]
    instead: tuple[Instead, ...]

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON data; the index in hexadecimal, since it may have any length."""
        return {
            "group": self.sample.group.name,
            "m": self.sample.m,
            "sha256": self.sample.sha256,
            "profile": None if self.profile is None else self.profile.to_dict(),
            "factors": {name: one.to_dict() for name, one in self.factors.items()},
            "order": None if self.order is None else hex(self.order),
            "index": None if self.index is None else hex(self.index),
            "deviation": self.deviation,
            "misses": list(self.misses),
            "findings": list(self.findings),
            "instead": [
                {**vars(one), "exact": list(one.exact), "better": list(one.better)}
                for one in self.instead
            ],
        }

    def __str__(self) -> str:
        lines = [] if self.profile is None else [str(self.profile), ""]
        if self.profile is None:
            lines = [f"{shorten_text(self.sample.group.name)}, m = {self.sample.m}", ""]
        for finding in self.findings:
            lines += wrap(f"- {finding}", WIDTH, subsequent_indent="  ")
        if self.instead:
            lines += ["", "instead, without an oracle call:"]
            lines += [f"  {_offered(one)}" for one in self.instead]
        return "\n".join(lines)


def in_words(degrees: tuple[Degree, ...]) -> str:
    """Degrees in words: 1 to 3, or names."""
    numbers = [degree for degree in degrees if isinstance(degree, int)]
    if len(numbers) == len(degrees) and numbers == list(range(numbers[0], numbers[-1] + 1)):
        word = "degree" if len(numbers) == 1 else "degrees"
        return f"{word} {numbers[0]}" + (f" to {numbers[-1]}" if len(numbers) > 1 else "")
    return shorten_text(", ".join(map(str, degrees)))


def _offered(one: Instead) -> str:
    more = f", where S is not on {in_words(one.better)}" if one.better else ""
    return f"{one.name}: m = {one.m}, exact on {in_words(one.exact)}{more}"
