"""What is known of S degree by degree: norms from both sides, mean squares, exact zeros."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, NamedTuple

from sparseaug._checks import check_plot_axes
from sparseaug._floats import text_down, text_up
from sparseaug._tables import Shown, Table
from sparseaug.errors import shorten_text
from sparseaug.groups.degrees.counts import Degree, Number, Part, degree_size

_MOST_ROWS = 40  # of a printed table


@dataclass(frozen=True)
class Level:
    """What S does on the irreps of one degree.

    Attributes:
        degree: a number, or the names of the factors of a product
        norm: the norm of D_S there is at most this
        lower: and at least this, for certain
        mean_square: the mean of ||pi(S)||_F^2 / d_pi over the degree's irreps, with weights d_pi^2: a
            `Fraction` where it was counted in integers. For m uniform draws it is 1/m in expectation.
        exact: whether S is exact on this degree: the norm is 0, by integer arithmetic; not said of
            frequencies where that would take more than a minute
        block: an irrep where `lower` is attained; empty where that is not known
        failure_probability: 0 where `norm` is certain
    """

    degree: Degree
    norm: float
    lower: float
    mean_square: Number
    exact: bool
    block: str = ""
    failure_probability: float | None = 0.0


class Levels(NamedTuple):
    """What a profile is made of: see `Profile`."""

    levels: tuple[Level, ...]
    parts: tuple[Part, ...]
    whole: bool


@dataclass(frozen=True)
class Profile(Shown):
    """The norm of D_S = Pi_S - Pi_G and its mean square, degree by degree.

    Attributes:
        group: name of the group
        m: number of elements of S
        meaning: what the degrees count
        levels: one `Level` per degree, in ascending order
        parts: one `Part` per irrep, where they are listed one by one; empty otherwise
        whole: whether all non-trivial irreps of the group are in it
        sha256: of S
        weighted: whether its rows had weights of their own
    """

    group: str
    m: int
    meaning: str
    levels: tuple[Level, ...]
    parts: tuple[Part, ...] = ()
    whole: bool = True
    sha256: str = ""
    weighted: bool = False

    @property
    def norms(self) -> Mapping[Degree, float]:
        """An upper bound of the norm for each degree."""
        return MappingProxyType({level.degree: level.norm for level in self.levels})

    @property
    def lower(self) -> Mapping[Degree, float]:
        """A lower bound of the norm for each degree."""
        return MappingProxyType({level.degree: level.lower for level in self.levels})

    @property
    def mean_square(self) -> Mapping[Degree, Number]:
        """The mean square for each degree."""
        return MappingProxyType({level.degree: level.mean_square for level in self.levels})

    @property
    def exact(self) -> tuple[Degree, ...]:
        """The degrees on which S is exact."""
        return tuple(level.degree for level in self.levels if level.exact)

    @property
    def exact_to(self) -> int:
        """S is exact on every degree up to this one; 0 if not even on the first.

        Of a product: for every set of up to so many factors. Of a dihedral group it is -1 where S is
        not exact on the flip sign, whose frequency is 0.
        """
        sizes = [degree_size(level.degree) for level in self.levels]
        wrong = [n for n, level in zip(sizes, self.levels, strict=True) if not level.exact]
        return min(wrong) - 1 if wrong else max(sizes, default=0)

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON data; exact rational numbers also as text, such as "1/64"."""
        return {
            "group": self.group,
            "m": self.m,
            "meaning": self.meaning,
            "whole": self.whole,
            "exact_to": self.exact_to,
            "sha256": self.sha256,
            "weighted": self.weighted,
            "levels": [_plain(level) for level in self.levels],
            "parts": [_plain(part) for part in self.parts],
        }

    def _table(self) -> Table:
        more = len(self.levels) - _MOST_ROWS
        weighted = " with weights" * self.weighted
        return Table(
            ("degree", "norm at most", "at least", "mean square x m", ""),
            [self._row(level) for level in self.levels[:_MOST_ROWS]],
            title=f"{shorten_text(self.group)}, m = {self.m}{weighted}; degree: {self.meaning}",
            notes=[f"... and {more} more"] if more > 0 else [],
        )

    def _row(self, level: Level) -> tuple[str, ...]:
        said = "exact" if level.exact else ""
        if not level.exact and level.failure_probability != 0.0:
            said = f"with probability 1 - {level.failure_probability!r}"
        square = f"{float(level.mean_square) * self.m:.4g}"
        return (str(level.degree), text_up(level.norm), text_down(level.lower), square, said)

    def plot(self, axes: Any = None) -> Any:
        """Draw the norm and the root mean square of each degree, and what m draws have.

        Args:
            axes: matplotlib axes; new ones by default.

        Returns:
            The axes.

        Raises:
            MissingPackageError: matplotlib is not installed.
        """
        axes = check_plot_axes(axes, "Profile.plot")
        places = list(range(len(self.levels)))
        roots = [float(level.mean_square) ** 0.5 for level in self.levels]
        axes.plot(places, [x.norm for x in self.levels], "o-", color="#0072B2", label="norm")
        axes.plot(places, roots, "s--", color="#7B5EA7", label="root mean square")
        axes.axhline(self.m**-0.5, color="#1B69A8", dashes=(1, 1.6), label="of m draws, expected")
        axes.set_xticks(places, [str(level.degree) for level in self.levels])
        axes.set(xlabel=self.meaning, ylim=(0, None), title=f"{self.group}, m = {self.m}")
        axes.legend()
        return axes


def _plain(one: Level | Part) -> dict[str, Any]:
    facts = dict(vars(one))
    square = one.mean_square
    facts["mean_square"] = float(square)
    if isinstance(square, Fraction):
        facts["mean_square_exact"] = str(square)
    return facts
