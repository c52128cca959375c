"""Where a sample came from, and the oracle draws that are behind it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from itertools import product
from typing import Any, Literal, TypeAlias, get_args

from sparseaug._checks import (
    check_choice,
    check_flag,
    check_integer,
    check_list,
    check_text,
    check_type,
)
from sparseaug.errors import ArgumentError, shorten

Kind: TypeAlias = Literal[
    "given", "oracle", "source", "until", "products", "words", "full", "design", "thin", "translate"
]
Draws: TypeAlias = tuple[tuple[int, int, int], ...]

LIMIT = 1 << 63  # of every count
SEEDS = 1 << 64  # of every seed

SIDES = ("left", "right", "both")


@dataclass(frozen=True)
class Origin:
    """Where a sample came from: "oracle" and "words" can be made again from these fields.

    Attributes:
        kind: "oracle": m uniform draws, m fixed beforehand; "source": the same, found by a user's
            function; "until": drawn until a deviation was reached; "products": all subproducts of a
            few draws; "words": made of another sample; "full": every element of the group, once;
            "design": made by the construction that `design` names; "thin": chosen from a larger
            sample; "translate": another sample times uniform elements; "given": rows that came from
            elsewhere
        seed: of the draws or of the words
        start: oracle: the number of the first draw
        length: words: the number of factors; products: how many draws make one set of subproducts
        parents: sha256 of the samples it was made from
        draws: (seed, start, stop) of the oracle draws behind it
        sourced: the seeds among them whose draws a source found
        behind: words: oracle calls behind their letters
        identity: oracle, source: the first element is the identity, put there and not drawn
        distinct: oracle, source: elements that had been drawn before were left out
        design: name of the construction; thinned and translated samples keep it
        side: translate: where the uniform element stands
    """

    kind: Kind = "given"
    seed: int | None = None
    start: int = 0
    length: int = 0
    parents: tuple[str, ...] = ()
    draws: Draws = ()
    sourced: tuple[int, ...] = ()
    behind: int = 0
    identity: bool = False
    distinct: bool = False
    design: str = ""
    side: str = ""

    @property
    def is_uniform(self) -> bool:
        """Whether it is m uniform draws, m fixed beforehand: what a-priori bounds are about."""
        return self.kind in ("oracle", "source") and not self.identity and not self.distinct

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Origin:
        """The origin that `dataclasses.asdict` turned into JSON data, whole and checked."""
        check_type("data", data, Mapping, "a mapping of an origin's fields")
        missing = [each.name for each in fields(cls) if each.name not in data]
        if missing:
            raise ArgumentError(f"data has no {missing[0]!r}; give all that to_dict() gave.")
        return cls(
            kind=check_choice("kind", data["kind"], get_args(Kind)),  # type: ignore[arg-type]
            seed=None if data["seed"] is None else check_integer("seed", data["seed"], below=SEEDS),
            start=check_integer("start", data["start"], below=LIMIT),
            length=check_integer("length", data["length"], below=LIMIT),
            parents=tuple(check_text("parents", one) for one in data["parents"]),
            draws=tuple(map(_draw, check_list("draws", data["draws"]))),
            sourced=_integers("sourced", data["sourced"]),
            behind=check_integer("behind", data["behind"], below=LIMIT),
            identity=check_flag("identity", data["identity"]),
            distinct=check_flag("distinct", data["distinct"]),
            design=check_text("design", data["design"]),
            side=check_choice("side", data["side"], ("", *SIDES)),
        )


def require_draws(origin: Origin, m: int, calls: int) -> None:
    """Raise an `ArgumentError` unless m elements and so many calls can come from these draws."""
    made = count_draws(origin.draws)
    needed = m - origin.identity
    more = origin.distinct or origin.kind == "source"  # elements left out, calls that found nothing
    sets, length = made // max(origin.length, 1), origin.length
    fits = {
        "oracle": made == needed or (made > needed and more),
        "source": made >= needed,
        "products": 0 < length <= 63 and made == sets * length and m == sets << length,
    }.get(origin.kind, True)
    if made > calls + origin.behind or (origin.draws and not fits):
        raise ArgumentError(
            f"draws={shorten(origin.draws)} do not make {m=} elements of {origin.kind!r} by {calls=}."
        )


def share_draws(one: Origin, other: Origin) -> bool:
    """Whether a draw is behind both; those that a source found are not taken for the same."""
    sourced = {*one.sourced, *other.sourced}
    return any(
        mine[0] == theirs[0] and max(mine[1], theirs[1]) < min(mine[2], theirs[2])
        for mine, theirs in product(one.draws, other.draws)
        if mine[0] not in sourced
    )


def count_draws(draws: Iterable[tuple[int, int, int]]) -> int:
    """How many draws they are, each counted once."""
    return sum(one.stop - one.start for found in _ranges(draws).values() for one in found)


def merged_draws(draws: Iterable[tuple[int, int, int]]) -> Draws:
    """The same draws in as few intervals as they fill."""
    return tuple(
        (seed, one.start, one.stop) for seed, found in _ranges(draws).items() for one in found
    )


def _ranges(draws: Iterable[tuple[int, int, int]]) -> dict[int, list[range]]:
    """The draws of each seed as ranges that do not meet."""
    found: dict[int, list[range]] = {}
    for seed, start, stop in sorted(draws):
        mine = found.setdefault(seed, [])
        if mine and start <= mine[-1].stop:
            mine[-1] = range(mine[-1].start, max(stop, mine[-1].stop))
        else:
            mine.append(range(start, stop))
    return found


def _draw(value: Any) -> tuple[int, int, int]:
    draw = _integers("draws", value)
    if len(draw) != 3 or not draw[1] < draw[2] < LIMIT:
        raise ArgumentError(f"draws={shorten(value)} is not (seed, start, stop) with start < stop.")
    return draw[0], draw[1], draw[2]


def _integers(name: str, value: Any) -> tuple[int, ...]:
    return tuple(check_integer(name, part, below=SEEDS) for part in check_list(name, value))
