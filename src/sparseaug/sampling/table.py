"""Own elements for each sample, as data: a table that is counted, hashed and saved as S is.

One S moves all samples alike. Learners that need all their data at once learn more from elements of
each sample's own, at the same number of rows: m fresh draws for each (m n calls), or a design S
translated for each, S h_i (one call each). A mean over S h_i is an unbiased one for every sample.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparseaug._archive import canonical_json
from sparseaug._checks import check_array, check_flag, check_integer, check_type, require_memory
from sparseaug.errors import ArgumentError
from sparseaug.groups import Distribution, Rows
from sparseaug.groups.distributions.base import group_of
from sparseaug.groups.distributions.described import as_distribution
from sparseaug.sampling.oracle import Oracle
from sparseaug.sampling.origin import LIMIT, Origin, merged_draws
from sparseaug.sampling.sample import GroupSample, as_sample
from sparseaug.sampling.stored import Stored


@dataclass(frozen=True, eq=False, repr=False)
class SampleTable(Stored):
    """m elements of a group for each of n samples. Rows keep their order: row i is for sample i.

    Where an S is taken to make copies (`augment`, `nn.OneShotDataset`) a table is too: copy j n + i is
    sample i moved by element j of row i.

    Args:
        distribution: the group, or what else the elements are of
        rows: (n, m, width), an element each
        calls: oracle calls that they took
        origin: where they came from

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> table = sa.SampleTable(sa.cyclic(3), [[[0], [1]], [[0], [2]]])
        >>> table.n, table.m, table.calls
        (2, 2, 0)
        >>> sa.augment(sa.permute_axis(table.group), table, np.array([[1, 2, 3], [4, 5, 6]])).tolist()
        [[1, 2, 3], [4, 5, 6], [3, 1, 2], [5, 6, 4]]
    """

    distribution: Distribution
    rows: NDArray[Any]
    calls: int = 0
    origin: Origin = field(default_factory=Origin)
    _field, _counted = "rows", ("n",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "distribution", as_distribution(self.distribution))
        given = check_array("rows", self.rows, self.distribution.row_dtype)
        if given.ndim != 3 or not given.size:
            width = self.distribution.width
            raise ArgumentError(f"rows has shape {given.shape}; give (n, m, {width}), a row each.")
        flat = self.distribution.check(given.reshape(-1, given.shape[2]), "rows")
        rows = np.array(flat).reshape(*given.shape[:2], -1)
        rows.flags.writeable = False
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "calls", check_integer("calls", self.calls, below=LIMIT))
        check_type("origin", self.origin, Origin, "an Origin")

    @classmethod
    def draws(
        cls, oracle: Oracle, n: int, m: int, *, identity: bool = False, distinct: bool = False
    ) -> SampleTable:
        """m fresh draws for each sample by itself, drawn once: m n calls.

        Args:
            oracle: counts the calls
            n: number of samples
            m: elements for each
            identity: the first of each sample is the identity, and the others are drawn
            distinct: of one sample without replacement: duplicates are redrawn, each a call

        Examples:
            >>> import sparseaug as sa
            >>> table = sa.SampleTable.draws(sa.Oracle("S5", seed=0), n=100, m=8, identity=True)
            >>> table
            SampleTable(S5, n=100, m=8, calls=700, oracle, sha256=0690a198fc3e)
        """
        check_type("oracle", oracle, Oracle, "an Oracle; give sparseaug.Oracle(group, seed=0)")
        n, m = check_integer("n", n, at_least=1), check_integer("m", m, at_least=1)
        identity, distinct = check_flag("identity", identity), check_flag("distinct", distinct)
        group = oracle.distribution
        if distinct and m > group_of(group).order:
            raise ArgumentError(f"m={m} is above the order of {group.name}; give S='full'.")
        require_memory("m", m, group.width, "elements")
        require_memory("n", n, m * group.width, f"times {m} elements")
        first = np.empty((n, 0, group.width), group.row_dtype)
        if identity:
            first = np.tile(group_of(group).identity(), (n, 1, 1))
        before = oracle.calls
        if m > identity:
            drawn = oracle.fresh(n * (m - identity))
            own = drawn.elements.reshape(n, m - identity, -1)
            rows, origin = np.concatenate([first, own], axis=1), drawn.origin
        else:
            rows, origin = first, Origin("oracle")
        changing = np.arange(n) if distinct else np.zeros(0, np.int64)
        more: list[tuple[int, int, int]] = []
        while len(changing):
            again = _repeated(rows[changing])
            changing, again = changing[again.any(axis=1)], again[again.any(axis=1)]
            if len(changing):
                drawn = oracle.fresh(int(again.sum()))
                some = rows[changing]
                some[again] = drawn.elements
                rows[changing] = some
                more.extend(drawn.origin.draws)
        origin = replace(
            origin,
            draws=merged_draws((*origin.draws, *more)),
            identity=identity,
            distinct=distinct,
        )
        return cls(group, rows, oracle.calls - before, origin)

    @classmethod
    def translates(cls, S: GroupSample, oracle: Oracle, n: int) -> SampleTable:
        """S h_i for each sample, with a uniform h_i of its own: n calls and those of S.

        What S is exact on, each translate is exact on.

        Args:
            S: a design, say
            oracle: of the same group; it counts the calls
            n: number of samples

        Examples:
            >>> import sparseaug as sa
            >>> S = sa.design("S7", degree=1)
            >>> sa.SampleTable.translates(S, sa.Oracle("S7", seed=0), n=10)
            SampleTable(S7, n=10, m=7, calls=10, translate, sha256=0a2213f7c6a1)
        """
        check_type("S", S, GroupSample, "a GroupSample; give a design, say")
        n = check_integer("n", n, at_least=1)
        require_memory("n", n, S.m * S.group.width, f"times {S.m} elements")
        (drawn, origin), group = S._translators(oracle, n, "right"), S.group
        rows = group.compose(np.tile(S.elements, (n, 1)), np.repeat(drawn.elements, S.m, axis=0))
        return cls(group, rows.reshape(n, S.m, -1), S.calls + drawn.calls, origin)

    @property
    def n(self) -> int:
        """Number of samples."""
        return len(self.rows)

    @property
    def m(self) -> int:
        """Elements for each sample."""
        return int(self.rows.shape[1])

    @cached_property
    def elements(self) -> Rows:
        """All of them (m n, width), in the order of the copies: element j n + i is j of sample i."""
        return np.ascontiguousarray(self.rows.swapaxes(0, 1)).reshape(self.m * self.n, -1)

    @classmethod
    def _hash(cls, group: Distribution, rows: NDArray[Any]) -> str:
        """Of the rows in their order."""
        digest = hashlib.sha256(b"sparseaug table 1\n")
        digest.update(canonical_json(group.to_dict()))
        digest.update(f"\n{rows.shape[0]} {rows.shape[1]} {group.width}\n".encode())
        digest.update(rows.astype(group.row_dtype.newbyteorder("<")).tobytes())
        return digest.hexdigest()

    def __repr__(self) -> str:
        return (
            f"SampleTable({self.distribution.name}, n={self.n}, m={self.m}, calls={self.calls}, "
            f"{self.origin.kind}, sha256={self.sha256[:12]})"
        )


def as_copies(S: Any, group: Distribution, n: int) -> GroupSample | SampleTable:
    """What makes the copies of n samples: a table of as many rows, or what `as_sample` takes."""
    if not isinstance(S, SampleTable):
        return as_sample(S, group)
    if S.distribution != group:
        given = f"a table of {S.distribution.name}, but the action is of {group.name}"
        raise ArgumentError(f"S is {given}; use one of both.")
    if S.n != n:
        raise ArgumentError(f"S is a table for {S.n} samples, not for {n}; make one for these.")
    return S


def _repeated(rows: NDArray[Any]) -> NDArray[np.bool_]:
    """Which elements (n, m) of a sample equal an earlier one of it."""
    n, m, width = rows.shape
    _, codes = np.unique(rows.reshape(n * m, width), axis=0, return_inverse=True)
    codes = codes.reshape(n, m)
    order = np.argsort(codes, axis=1, kind="stable")
    ordered = np.take_along_axis(codes, order, axis=1)
    again = np.zeros((n, m), bool)
    np.put_along_axis(again, order[:, 1:], ordered[:, 1:] == ordered[:, :-1], axis=1)
    return again
