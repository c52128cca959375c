"""The rows of a record from its text: a decoder, compositions and closures that only the check uses.

A group is a list of factors, read from its name; a row is the factors' rows side by side. Rotations are
computed in 50 digits and rounded once.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from decimal import Decimal, localcontext
from itertools import chain, combinations, permutations, product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from studies.records import Rows

Quaternion = tuple[Decimal, ...]

LARGEST = 1 << 20
"""Elements of a record."""


LARGEST_SUBGROUP = 120
"""Rotations by which those of a record are multiplied."""


class WrongRecordError(ValueError):
    """What is wrong with a record."""


class Factor(NamedTuple):
    """A letter of the name, its number, and how many entries of a row it has."""

    letter: str
    n: int
    width: int


def factors(name: str) -> list[Factor]:
    """S3xZ2^4: a factor S of 3 and four factors Z of 2."""
    widths = {"S": None, "A": None, "B": None, "C": 1, "Z": 1, "D": 2, "Grid": 4}
    found = []
    for part in name.split("x"):
        match = re.fullmatch(r"(S|A|B|C|Z|D|Grid)([1-9]\d*)(?:\^([1-9]\d*))?", part)
        if match is None:
            raise WrongRecordError(f"the group {name} is not one that can be checked")
        n = int(match[2])
        width = widths[match[1]] or (2 * n if match[1] == "B" else n)
        found += [Factor(match[1], n, width)] * int(match[3] or 1)
    return found


def rows_of(record: dict[str, Any]) -> Rows:
    """All rows of a record of integers: a h, a in rows, h in the subgroup of the generators."""
    group = factors(record["group"])
    starts = decoded(record["rows"], group)
    H = closure(decoded(record.get("generators", ""), group), group)
    if len(starts) * len(H) > LARGEST:
        raise WrongRecordError(f"more than {LARGEST} elements")
    return composed(np.repeat(starts, len(H), axis=0), np.tile(H, (len(starts), 1)), group)


def decoded(text: str, group: list[Factor]) -> Rows:
    """Rows with a blank between them: one digit in base 36 an entry, or numbers with commas."""
    width = sum(factor.width for factor in group)
    found = []
    for word in text.split():
        try:
            if "," in word or width == 1:
                row = [int(number) for number in word.split(",")]
            else:
                row = [int(digit, 36) for digit in word]
        except ValueError:
            form = "a decimal number" if width == 1 else "digits in base 36, or numbers with commas"
            raise WrongRecordError(f"the row {word[:40]} is not {form}") from None
        if len(row) != width:
            raise WrongRecordError(f"the row {word} has {len(row)} entries, and not {width}")
        found.append(row)
    rows = np.array(found, np.int64).reshape(-1, width)
    for factor, part in split(rows, group):
        if not _are_elements(factor, part):
            raise WrongRecordError(f"a row is not an element of {factor.letter}{factor.n}")
    return rows


def split(rows: Rows, group: list[Factor]) -> Iterator[tuple[Factor, Rows]]:
    """The entries of each factor."""
    place = 0
    for factor in group:
        yield factor, rows[:, place : place + factor.width]
        place += factor.width


def _are_elements(factor: Factor, part: Rows) -> bool:
    letter, n, _ = factor
    if letter in "SAB":
        images = np.sort(part[:, :n], axis=1)
        good = (images == np.arange(n)).all() and np.isin(part[:, n:], (0, 1)).all()
        return bool(good and (letter != "A" or all(map(_is_even, part))))
    return bool(((part >= 0) & (part < np.array(_limits(factor)))).all())


def _is_even(p: Rows) -> bool:
    """An even number of pairs in the wrong order."""
    return int(np.triu(p[:, None] > p[None], 1).sum()) % 2 == 0


def composed(a: Rows, b: Rows, group: list[Factor]) -> Rows:
    """Row by row ab, first b, then a."""
    both = zip(split(a, group), split(b, group), strict=True)
    return np.concatenate([_product(factor, x, y) for (factor, x), (_, y) in both], axis=1)


def _product(factor: Factor, a: Rows, b: Rows) -> Rows:
    letter, n, _ = factor
    if letter in "SA":
        return np.take_along_axis(a, b, axis=1)
    if letter == "B":  # e_i goes to (-1)^t_i e_q(i), then to (-1)^(t_i + s_q(i)) e_p(q(i))
        q = b[:, :n]
        signs = (b[:, n:] + np.take_along_axis(a[:, n:], q, axis=1)) % 2
        return np.concatenate([np.take_along_axis(a[:, :n], q, axis=1), signs], axis=1)
    if letter in "CZ":
        return (a + b) % n
    if letter == "D":  # x -> a + (-1)^f x on the numbers modulo n
        return np.stack(
            [(a[:, 0] + (-1) ** a[:, 1] * b[:, 0]) % n, (a[:, 1] + b[:, 1]) % 2], axis=1
        )
    # t r^a s^f with matrices of the plane: s = diag(1, -1), r = quarter turn
    turn, flip = np.array([[0, -1], [1, 0]]), np.array([[1, 0], [0, -1]])
    matrices = np.array(
        [
            [np.linalg.matrix_power(turn, k) @ np.linalg.matrix_power(flip, f) for f in (0, 1)]
            for k in range(4)
        ]
    )
    shift = (a[:, :2] + np.einsum("kij,kj->ki", matrices[a[:, 2], a[:, 3]], b[:, :2])) % n
    square = _product(Factor("D", 4, 2), a[:, 2:], b[:, 2:])
    return np.concatenate([shift, square], axis=1)


def identity(group: list[Factor]) -> Rows:
    """The row that moves nothing."""
    parts = [
        [*range(n)] + [0] * (width - n) if letter in "SAB" else [0] * width
        for letter, n, width in group
    ]
    return np.array([[*chain.from_iterable(parts)]], np.int64)


def everything(group: list[Factor]) -> Rows:
    """All elements of the group."""
    parts = [list(_elements(factor)) for factor in group]
    return np.array([[*chain.from_iterable(row)] for row in product(*parts)], np.int64)


def _elements(factor: Factor) -> Iterator[tuple[int, ...]]:
    letter, n, _ = factor
    if letter == "B":
        yield from (p + s for p in permutations(range(n)) for s in product((0, 1), repeat=n))
    elif letter in "SA":
        yield from (p for p in permutations(range(n)) if letter == "S" or _is_even(np.array(p)))
    else:
        yield from product(*map(range, _limits(factor)))


def _limits(factor: Factor) -> list[int]:
    n = factor.n
    return {"C": [n], "Z": [n], "D": [n, 2], "Grid": [n, n, 4, 2]}[factor.letter]


def closure(generators: Rows, group: list[Factor]) -> Rows:
    """The subgroup: from the identity, every product with a generator until nothing is new."""
    new = identity(group)
    found = {new[0].tobytes(): new[0]}
    while len(new):
        fresh = []
        for g in generators:
            for row in composed(new, np.tile(g, (len(new), 1)), group):
                key = row.tobytes()
                if key not in found:
                    found[key] = row
                    fresh.append(row)
        if len(found) > LARGEST:
            raise WrongRecordError(f"the generators make more than {LARGEST} elements")
        new = np.array(fresh, np.int64)
    return np.array(list(found.values()))


def hash_of(rows: NDArray[Any]) -> str:
    """SHA-256 of the rows as text, in the order of the lines."""
    lines = sorted((" ".join(map(repr, row)) + "\n").encode() for row in rows.tolist())
    return hashlib.sha256(b"".join(lines)).hexdigest()


def rotations_of(record: dict[str, Any]) -> NDArray[np.float64]:
    """Quaternions q h, h in the subgroup, the first entry but 0 positive.

    Their length is 1, but integers without a subgroup stay integers.
    """
    with localcontext() as context:
        context.prec = 50
        starts = _quaternions(record["rows"])
        subgroup = record.get("generators", "")
        if not subgroup and "." not in record["rows"]:
            return np.array([_rounded(q, Decimal(1)) for q in starts])
        products = [hamilton(q, h) for q, h in product(starts, list(_subgroup(subgroup)))]
        return np.array([_rounded(q, _length(q)) for q in products])


def _quaternions(text: str) -> list[Quaternion]:
    found = [tuple(map(Decimal, word.split(","))) for word in text.split()]
    if any(len(q) != 4 or not any(q) or not all(x.is_finite() for x in q) for q in found):
        raise WrongRecordError("a row is not a quaternion")
    return found


def _length(q: Quaternion) -> Decimal:
    return sum((x * x for x in q), Decimal(0)).sqrt()


def _rounded(q: Quaternion, length: Decimal) -> list[float]:
    row = [float(x / length) if abs(x / length) > Decimal("1e-25") else 0.0 for x in q]
    sign = 1 if next(x for x in row if x) > 0 else -1
    return [sign * x + 0.0 for x in row]


def hamilton(p: Quaternion, q: Quaternion) -> Quaternion:
    """(a + u)(b + v) = ab - u.v + a v + b u + u x v."""
    a, *u = p
    b, *v = q
    scalar = a * b - sum(x * y for x, y in zip(u, v, strict=True))
    cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    return scalar, *(a * y + b * x + z for x, y, z in zip(u, v, cross, strict=True))


def _subgroup(letter: str) -> Iterator[Quaternion]:
    """Each rotation of a solid once, listed: signs and even permutations of a few quaternions.

    Or all products of what generates a group: quaternions in decimals.
    """
    one, zero, half = Decimal(1), Decimal(0), Decimal("0.5")
    golden = (1 + Decimal(5).sqrt()) / 2
    units = [tuple(one if i == j else zero for j in range(4)) for i in range(4)]
    corners = [(half, *(s * half for s in signs)) for signs in product((1, -1), repeat=3)]
    if letter in ("", "C1"):
        yield units[0]
    elif letter == "D5":  # turns by k/5 about z, and each after a half turn about x
        cosine, sine = golden / 2, (1 - golden * golden / 4).sqrt()
        q = units[0]
        for _ in range(5):
            yield q
            yield hamilton(q, units[1])
            q = hamilton(q, (cosine, zero, zero, sine))
    elif letter in ("V4", "T", "O", "I"):
        yield from units
        yield from corners if letter != "V4" else ()
        if letter == "O":
            root = half.sqrt()
            for i, j in combinations(range(4), 2):
                for sign in (1, -1):
                    yield tuple(root * (k == i) + sign * root * (k == j) for k in range(4))
        if letter == "I":
            base = (golden / 2, half, half / golden, zero)
            for order in permutations(range(4)):
                for signs in product((1, -1), repeat=4) if _is_even(np.array(order)) else ():
                    entries = [s * base[k] for s, k in zip(signs, order, strict=True)]
                    if signs[order.index(3)] == 1 and next(x for x in entries if x) > 0:
                        yield tuple(entries)
    elif "," in letter:
        yield from _products(_quaternions(letter))
    else:
        raise WrongRecordError(f"the subgroup {letter} is not V4, D5, T, O, I or quaternions")


def _products(generators: list[Quaternion]) -> list[Quaternion]:
    """A small group: a product is far from all that were found, or one of them to 27 digits."""
    found: list[Quaternion] = [(Decimal(1), Decimal(0), Decimal(0), Decimal(0))]
    for q in found:  # which grows
        for g in generators:
            new = hamilton(q, g)
            apart = min(_apart(new, old) for old in found)
            if apart > Decimal("1e-4"):
                found.append(new)
            elif apart > Decimal("1e-54"):
                raise WrongRecordError(
                    "products of the generators are near each other, not the same"
                )
            if len(found) > LARGEST_SUBGROUP:
                raise WrongRecordError(
                    f"the generators make more than {LARGEST_SUBGROUP} rotations"
                )
    return found


def _apart(p: Quaternion, q: Quaternion) -> Decimal:
    """The square of the distance of p from q or -q."""
    pairs = list(zip(p, q, strict=True))
    return min(sum(((x - s * y) ** 2 for x, y in pairs), Decimal(0)) for s in (1, -1))
