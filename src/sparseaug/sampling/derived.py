"""Samples made of other samples: both together, words, translates. Each is rows, calls and origin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from sparseaug._checks import check_integer
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Group, Rows
from sparseaug.groups.permutations import uniform_digits
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.memory import require_memory
from sparseaug.sampling.origin import Origin, merged_draws, shared_draws

if TYPE_CHECKING:
    from sparseaug.sampling.sample import GroupSample

LONGEST_WORD = 100_000
"""Letters: composing them one after the other takes a second or two. The deviation of words falls
as a power of their length, and is below every float long before."""


class Draws(Protocol):
    """What a translate asks of an oracle."""

    group: Group

    def draw(self, m: int) -> GroupSample:
        """The next m elements."""


def concat(S: GroupSample, other: Any) -> tuple[Rows, int, Origin]:
    """`GroupSample.concat`."""
    if not isinstance(other, type(S)) or other.group != S.group:
        raise ArgumentError(f"other={shorten(other)} is not a sample of {S.group.name}.")
    one, two = S.calls_behind, other.calls_behind
    origin = Origin(
        "concat",
        parents=(S.sha256, other.sha256),
        draws=tuple(sorted({*S.origin.draws, *other.origin.draws})),
        sourced=tuple(sorted({*S.origin.sourced, *other.origin.sourced})),
    )
    calls = max(one, two, one + two - shared_draws(S.origin, other.origin))
    return np.concatenate([S.elements, other.elements]), calls, origin


def words(S: GroupSample, length: int, size: int, seed: int) -> tuple[Rows, int, Origin]:
    """`GroupSample.words`."""
    length = check_integer("length", length, at_least=1, below=LONGEST_WORD + 1)
    size = check_integer("size", size, at_least=1)
    require_memory("size", size, max(length, S.group.width), f"words of {length} letters")
    letters = uniform_digits(np.full(length, S.m), size, keyed_rng(seed, "words", step=length))
    rows = S.elements[letters[0]]
    for index in letters[1:]:
        rows = S.group.compose(rows, S.elements[index])
    origin = Origin(
        "words",
        seed,
        length=length,
        parents=(S.sha256,),
        draws=S.origin.draws,
        sourced=S.origin.sourced,
        behind=S.calls_behind,
    )
    return rows, 0, origin


def translate(S: GroupSample, oracle: Draws, side: str) -> tuple[Rows, int, Origin]:
    """`GroupSample.translate`."""
    if not isinstance(side, str) or side not in ("left", "right", "both"):
        raise ArgumentError(f"side={shorten(side)}; give 'left', 'right' or 'both'.")
    group = getattr(oracle, "group", None)
    if not isinstance(group, Group) or group != S.group:
        raise ArgumentError(
            f"oracle={shorten(oracle)} is not an oracle of {S.group.name}, the group of S; "
            "translate by elements of the same group."
        )
    drawn = oracle.draw(2 if side == "both" else 1)
    if shared_draws(S.origin, drawn.origin):
        raise ArgumentError(
            f"oracle={shorten(oracle)} hands out draws that S is made of, so that its translate "
            "would not be unbiased; give an oracle with another seed, or the one S was drawn with."
        )
    rows = S.elements
    if side != "left":
        rows = group.compose(rows, drawn.elements[:1])
    if side != "right":
        rows = group.compose(drawn.elements[-1:], rows)
    origin = Origin(
        "translate",
        drawn.seed,
        start=drawn.origin.start,
        parents=(S.sha256,),
        draws=merged_draws((*S.origin.draws, *drawn.origin.draws)),
        sourced=(*S.origin.sourced, *drawn.origin.sourced),
        behind=S.origin.behind,
        design=S.origin.design,
        side=side,
    )
    return rows, S.calls + drawn.calls, origin
