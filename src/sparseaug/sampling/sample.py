"""S as data: an immutable multiset of group elements with its hash, its cost and its origin."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._archive import canonical_json, to_json
from sparseaug._checks import check_choice, check_integer, check_type, require_memory
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Distribution, Group, Rows, as_group
from sparseaug.groups.distributions.described import as_distribution
from sparseaug.groups.orders import ENUMERATION_LIMIT
from sparseaug.groups.permutations import uniform_digits
from sparseaug.groups.subgroups import listed_subgroup
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.origin import LIMIT, SIDES, Origin, merged_draws, require_draws, share_draws
from sparseaug.sampling.stored import Stored

if TYPE_CHECKING:
    from sparseaug.sampling.oracle import Oracle

LONGEST_WORD = 100_000
"""Letters: composing them one after the other takes a second or two. The deviation of words falls
as a power of their length, and is below every float long before."""


@dataclass(frozen=True, eq=False, repr=False)
class GroupSample(Stored):
    """A multiset S of m elements of a group or of another distribution. Duplicates stay and count.

    Equality, hash and `sha256` are those of the multiset in its group: they depend neither on the
    order of the rows, which is kept, nor on what the sample cost.

    Args:
        distribution: the group, or what else the elements are of
        elements: m rows of numbers, one per element: integers, and float64 for rotations
        calls: oracle calls that its elements took; words take none, and `calls_behind` adds those of
            their letters
        origin: where the sample came from

    Examples:
        >>> import sparseaug as sa
        >>> S = sa.GroupSample(sa.cyclic(4), [[1], [3], [1]])
        >>> S.m, S.calls
        (3, 0)
        >>> S.counts()[1].tolist()  # 1 twice, 3 once
        [2, 1]
    """

    distribution: Distribution
    elements: Rows
    calls: int = 0
    origin: Origin = field(default_factory=Origin)
    _field = "elements"

    def __post_init__(self) -> None:
        object.__setattr__(self, "distribution", as_distribution(self.distribution))
        rows = self.distribution.check(self.elements).copy()
        if not len(rows):
            raise ArgumentError("elements has no rows; a sample needs m >= 1 elements.")
        rows.flags.writeable = False
        object.__setattr__(self, "elements", rows)
        object.__setattr__(self, "calls", check_integer("calls", self.calls, below=LIMIT))
        check_type("origin", self.origin, Origin, "an Origin")
        require_draws(self.origin, self.m, self.calls)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.distribution, np.array(self.elements), self.calls, self.origin)

    @classmethod
    def full(cls, group: Group | str) -> GroupSample:
        """All of the group, each element once, in rank order: no oracle call, and no deviation.

        Args:
            group: a group that can be listed; above ten million elements it is refused, and so are
                rotations, which have infinitely many.

        Examples:
            >>> import sparseaug as sa
            >>> sa.GroupSample.full(sa.dihedral(4))
            GroupSample(D4, m=8, calls=0, full, sha256=...)
        """
        group = as_group(group)
        group.require_order(ENUMERATION_LIMIT, "all of the group")
        return cls(group, group.all_elements(), 0, Origin("full"))

    @classmethod
    def generated(cls, group: Group | str, generators: Any) -> GroupSample:
        """The subgroup that some elements generate, each element once: no oracle call.

        Args:
            group: the group.
            generators: rows (k, width) of its elements. A subgroup of more than 131,072 elements is
                refused.

        Examples:
            >>> import sparseaug as sa
            >>> sa.GroupSample.generated(sa.symmetric(20), [[1, 2, 0, *range(3, 20)]]).m
            3
        """
        group = as_group(group)
        return cls(group, listed_subgroup(group, group.check(generators, "generators")))

    @property
    def m(self) -> int:
        """Number of elements, counted with multiplicity."""
        return len(self.elements)

    @property
    def calls_behind(self) -> int:
        """All oracle calls that it took: `calls`, and those of its letters."""
        return self.calls + self.origin.behind

    def counts(self) -> tuple[Rows, NDArray[np.int64]]:
        """The distinct elements in lexicographic order, and how often each occurs."""
        rows, counts = np.unique(self.elements, axis=0, return_counts=True)
        return rows, counts.astype(np.int64)

    def words(self, length: int, size: int, seed: int = 0) -> GroupSample:
        """`size` random products of `length` elements of S: a new sample at no oracle call.

        Args:
            length: letters of a word
            size: how many words
            seed: of the choice of letters

        Examples:
            >>> import sparseaug as sa
            >>> W = sa.Oracle(sa.symmetric(6), seed=0).draw(16).words(length=3, size=64, seed=0)
            >>> W.m, W.calls, W.calls_behind, W.origin.length
            (64, 0, 16, 3)
        """
        length = check_integer("length", length, at_least=1, below=LONGEST_WORD + 1)
        size = check_integer("size", size, at_least=1)
        require_memory("size", size, max(length, self.group.width), f"words of {length} letters")
        letters = uniform_digits(
            np.full(length, self.m), size, keyed_rng(seed, "words", step=length)
        )
        rows = self.elements[letters[0]]
        for index in letters[1:]:
            rows = self.group.compose(rows, self.elements[index])
        origin = Origin(
            "words",
            seed,
            length=length,
            parents=(self.sha256,),
            draws=self.origin.draws,
            sourced=self.origin.sourced,
            behind=self.calls_behind,
        )
        return GroupSample(self.group, rows, 0, origin)

    def translate(self, oracle: Oracle, side: str = "right") -> GroupSample:
        """S h, h S or k S h for uniform h and k: an unbiased sample, for one oracle call or two.

        The mean of any v over S h equals, in expectation over h, its mean over the group, and

            E_h ||mean_S v(g h) - mean_G v||^2 = ||D_S v||^2 <= deviation(S)^2 Var_G(v).

        A design that is exact on some functions stays exact on them: D_(S h) = D_S Pi(h), and the
        degree of a function is that of its translates.

        Args:
            oracle: of the same group; it counts the calls.
            side: "right" for S h, "left" for h S, "both" for k S h (two calls).

        Returns:
            The translate. Its `calls` are those of S and the new ones, its origin names S and keeps
            its design and draws.

        Raises:
            ArgumentError: the oracle is of another group, or hands out draws that S is made of; or
                the side is not known.

        Examples:
            >>> import sparseaug as sa
            >>> S = sa.design(sa.symmetric(7), degree=2)
            >>> T = S.translate(sa.Oracle(sa.symmetric(7), seed=0))
            >>> T.m, T.calls, T.origin.design, T.origin.side
            (42, 1, 'AGL(1,7)', 'right')
        """
        check_choice("side", side, SIDES)
        drawn, origin = self._translators(oracle, 2 if side == "both" else 1, side)
        group, rows = self.group, self.elements
        if side != "left":
            rows = group.compose(rows, drawn.elements[:1])
        if side != "right":
            rows = group.compose(drawn.elements[-1:], rows)
        return GroupSample(self.group, rows, self.calls + drawn.calls, origin)

    def _translators(self, oracle: Oracle, count: int, side: str) -> tuple[GroupSample, Origin]:
        """Uniform elements to translate S by, none of which it is made of, and the result's origin."""
        if getattr(oracle, "group", None) != self.group:
            raise ArgumentError(f"oracle={shorten(oracle)} is not an Oracle of {self.group.name}.")
        drawn, own = oracle.fresh(count), self.origin
        if share_draws(own, drawn.origin):
            raise ArgumentError(
                f"oracle={shorten(oracle)} repeats draws of S; use another seed, or that which drew S."
            )
        return drawn, Origin(
            "translate",
            drawn.seed,
            start=drawn.origin.start,
            parents=(self.sha256,),
            draws=merged_draws((*own.draws, *drawn.origin.draws)),
            sourced=tuple(sorted({*own.sourced, *drawn.origin.sourced})),
            behind=own.behind,
            design=own.design,
            side=side,
        )

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON data; the order of rotations is null."""
        order = to_json(self.group.order) if self.distribution.is_group else None
        return {"order": order, "m": self.m, **super().to_dict()}

    @classmethod
    def _hash(cls, group: Distribution, rows: NDArray[Any]) -> str:
        """Of the multiset: in whatever order the rows are."""
        digest = hashlib.sha256(b"sparseaug multiset 1\n")
        digest.update(canonical_json(group.to_dict()))
        digest.update(f"\n{len(rows)} {group.width}\n".encode())
        digest.update(_sorted_rows(rows).astype(group.row_dtype.newbyteorder("<")).tobytes())
        return digest.hexdigest()

    def __len__(self) -> int:
        return self.m

    def __repr__(self) -> str:
        return (
            f"GroupSample({self.distribution.name}, m={self.m}, calls={self.calls}, "
            f"{self.origin.kind}, sha256={self.sha256[:12]})"
        )


_WHAT = "a GroupSample; draw one from an Oracle"


def as_sample(S: Any, group: Distribution, name: str = "S") -> GroupSample:
    """S itself, all of the group for "full", or the sample of these rows: what takes an S asks here."""
    if isinstance(S, str) and S == "full":
        return GroupSample.full(group)  # type: ignore[arg-type]  # which refuses what is no group
    if isinstance(S, list | tuple) or hasattr(S, "__array__"):
        rows = group.check(S, name)
        if not len(rows):
            raise ArgumentError(f"{name} has no rows; give at least one element.")
        return GroupSample(group, rows)
    check_type(name, S, GroupSample, _WHAT + ", or give 'full' or rows")
    if S.distribution != group:
        given = f"a sample of {S.distribution.name}, but the action is of {group.name}"
        raise ArgumentError(f"{name} is {given}; use one of both.")
    return S


def require_sample(S: Any) -> None:
    """S is a `GroupSample`."""
    check_type("S", S, GroupSample, _WHAT)


def _sorted_rows(rows: Rows) -> Rows:
    return rows[np.lexsort(rows.T[::-1])]
