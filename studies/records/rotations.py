"""Rotations: exact to degree l, of least norm to degree l, integer quaternions of prime norm."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import astuple
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import mpmath as mp
import numpy as np
from scipy.optimize import minimize

from studies.records import Record
from studies.records.polishing import polished
from studies.records.turning import (
    DIGITS,
    Array,
    System,
    Twist,
    expanded,
    extension,
    fixed_counts,
    group,
    inverse,
    kinds,
    precise_group,
    product,
    turn,
)

PRIMES = (5, 13, 17, 29, 37, 41, 53, 61, 73, 89, 97, 101, 109, 113)

HIGHEST = 16
"""The degree to which exact sets are sought."""

SMALL = (6, 8, 10, 12, 16, 20, 24, 30, 36, 40, 48, 60, 72, 80, 96, 100, 120)
"""Numbers of elements of least norm."""

EXACT_AT = {2: 12, 3: 24, 4: 57, 6: 144}
"""Where sets of so many elements are exact, no least norm is sought."""

TINY = 1e-19
"""What may be left of the equations: rows have 20 digits."""

NAMED = ("I", "O", "T", "D5", "V4")
"""Subgroups that the tables know by name; others are written by their generators."""


def known() -> Iterator[Record]:
    """Groups that fix no vector, and integer quaternions of prime norm."""
    from sparseaug.norms.rotations.primes import prime_rows

    for name, degree, words in (
        ("V4", 1, "half turns about three axes"),
        ("T", 2, "rotations of the tetrahedron"),
        ("O", 3, "rotations of the cube"),
    ):
        scaled = group(name) / abs(group(name)).max(axis=1, keepdims=True)
        rows = " ".join(",".join(str(round(x)) for x in row) for row in scaled)
        yield _exact_record(degree, len(group(name)), "0", words, rows)
    icosahedron = _exact_record(5, 60, "0..1e-9", "rotations of the icosahedron", "1,0,0,0", "I")
    yield verified(icosahedron)
    for p in PRIMES:
        square = Fraction(4 * p, (p + 1) ** 2)
        yield {
            "group": "SO3",
            "criterion": "deviation",
            "degree": None,
            "m": p + 1,
            "value": f"sqrt({square})",
            "source": f"integer quaternions of norm {p} (Lubotzky, Phillips, Sarnak 1986)",
            "rows": " ".join(",".join(str(int(x)) for x in row) for row in prime_rows(p)),
        }


def tasks() -> list[Record]:
    """Exact to each degree; least norms to degrees 2, 3, 4, 6."""
    exact = [
        {"group": "SO3", "criterion": "exact", "degree": degree, "m": 0}
        for degree in range(2, HIGHEST + 1)
    ]
    least = [
        {"group": "SO3", "criterion": "deviation", "degree": degree, "m": m}
        for degree, enough in EXACT_AT.items()
        for m in SMALL
        if m < enough
    ]
    return exact + least


def improve(task: Record, best: Record | None, seed: int, seconds: float) -> Record | None:
    """A set better than the best one, or None; `finish` makes its value rigorous."""
    rng = np.random.default_rng(seed)
    end = time.monotonic() + seconds
    search = _exact if task["criterion"] == "exact" else _least
    return search(task, best, rng, end)


def finish(candidate: Record) -> Record:
    """The candidate polished, where it is exact, and with a value that is verified."""
    recipe = candidate.get("recipe")
    if not recipe:
        return candidate if "value" in candidate else verified(candidate)
    twist = Twist(*recipe["twist"]) if recipe["twist"] else None
    system = System(recipe["left"], recipe["right"], candidate["degree"], recipe["which"], twist)
    t = np.array(recipe["t"])
    if candidate["criterion"] == "exact":
        precise, rest = polished(system, t)
        if rest > TINY:
            raise ValueError(f"degree {candidate['degree']}: {rest:.1e} is left after polishing.")
    else:
        precise = np.array([[mp.mpf(x) for x in q] for q in t])
    rows, letter = _written(system, precise)
    record = {key: value for key, value in candidate.items() if key != "recipe"}
    return verified(record | {"rows": rows, "generators": letter})


def verified(record: Record) -> Record:
    """The record with the interval in which `sparseaug.deviation` proves its value to be."""
    import sparseaug as sa
    from sparseaug.designs.constructions.recorded import expand

    space = sa.group("SO3")
    S = sa.GroupSample(space, expand(space, record))
    found = sa.deviation(S, degree=record["degree"])
    if record["criterion"] == "exact":
        return record | {"value": f"0..{_rounded(found.value, 2, up=True)}"}
    low, high = _rounded(found.lower, 12, up=False), _rounded(found.value, 12, up=True)
    return record | {"value": f"{low}..{high}"}


def _exact_record(
    degree: int, m: int, value: str, source: str, rows: str, generators: str = ""
) -> Record:
    return {
        "group": "SO3",
        "criterion": "exact",
        "degree": degree,
        "m": m,
        "value": value,
        "source": source,
        "rows": rows,
        "generators": generators,
    }


def _rounded(x: float, digits: int, *, up: bool) -> str:
    """A decimal above or below x."""
    if x <= 0:
        return "0"
    place = digits - 1 - math.floor(math.log10(x))
    whole = Fraction(x) * Fraction(10) ** place
    number = math.ceil(whole) if up else math.floor(whole)
    return str(Decimal(number).scaleb(-place)).lower()


def _written(system: System, t: Array) -> tuple[str, str]:
    """The rows as they are written, 20 digits, and the subgroup of which they are cosets."""
    left, right = system.left, system.right
    if len(group(left)) > len(group(right)):  # the inverses: unions of cosets of the larger group
        left, right, t = right, left, inverse(t)
    H = group(right)
    found = []
    for q in t:
        kept: list[Array] = []
        for k in precise_group(left):
            g = product(k, q)
            floats = g.astype(np.float64)
            if not kept or abs(np.array(kept) @ product(floats, H).T).max() < 1 - 1e-12:
                kept.append(floats)
                found.append(g)
    with mp.workdps(DIGITS):
        return _decimals(found, 20), _letter(right)


def _letter(name: str) -> str:
    """A group as it is written: a name that the tables know, or what generates it."""
    if name in NAMED or name == "C1":
        return name.replace("C1", "")
    n = int(name[1:])
    z = [mp.cospi(mp.mpf(1) / n), 0, 0, mp.sinpi(mp.mpf(1) / n)]
    return _decimals([z, [0, 1, 0, 0]][: 1 + (name[0] == "D")], 30)


def _decimals(quaternions: Iterable[Iterable[Any]], digits: int) -> str:
    return " ".join(
        ",".join(mp.nstr(x, digits, min_fixed=-3) if abs(x) > 1e-25 else "0" for x in q)
        for q in quaternions
    )


# --- exact sets ---


def _exact(
    task: Record, best: Record | None, rng: np.random.Generator, end: float
) -> Record | None:
    """Random pairs of groups and random families of double cosets, solved by least squares."""
    degree = task["degree"]
    target = best["m"] if best else 2 * degree**3 + 40
    pairs, chances = _pairs(degree, target)
    found = None
    while time.monotonic() < end:
        left, right, twist, equations, need = pairs[rng.choice(len(pairs), p=chances)]
        which = _families(left, right, twist, need, target, rng)
        if not which:
            continue
        system = System(left, right, degree, which, twist)
        slopes = system.values(system.start(1, rng))[1][0]
        unknowns = slopes.shape[1]
        if not unknowns or np.linalg.matrix_rank(slopes, tol=1e-7) < equations:
            continue
        count = max(2, min(16, 20000 // (equations * unknowns)))
        t, rest = system.solve(system.start(count, rng), end=end)
        good = t[rest.argmin()]
        if rest.min() < 1e-10 and _is_distinct(system, good) and polished(system, good)[1] < TINY:
            target, found = system.m, _candidate(system, good)
            pairs, chances = _pairs(degree, target)
    return found


Pair = tuple[str, str, Twist | None, int, int]


@lru_cache(maxsize=64)
def _pairs(degree: int, target: int) -> tuple[list[Pair], Array]:
    """Pairs of groups with twist, equations and unknowns needed, and the chances to try them."""
    cyclic = [f"C{n}" for n in range(1, degree + 2)]
    names = [*cyclic, "V4", *(f"D{n}" for n in range(3, degree + 2)), "T", "O", "I"]
    means = {name: fixed_counts(group(name), degree) for name in names}
    found: list[tuple[str, str, Twist | None, float, int]] = []
    for i, left in enumerate(names):
        for right in names[i:]:
            found.append(
                (left, right, None, float(means[left] @ means[right]), _idle(left) + _idle(right))
            )
    extensions = list(_extensions(names, degree))
    for i, (left, one, order, first) in enumerate(extensions):
        for right, other, same, second in extensions[i:]:
            for power in range(1, order // 2 + 1):
                if order == same and math.gcd(power, order) == 1:
                    turned = [second[power * j % order] for j in range(order)]
                    equations = (
                        sum(float(p @ q) for p, q in zip(first, turned, strict=True)) / order
                    )
                    idle = _idle_twisted(left, one) + _idle_twisted(right, other)
                    found.append((left, right, Twist(one, other, order, power), equations, idle))
    pairs, chances = [], []
    for left, right, twist, count, idle in found:
        equations = round(count)
        need = equations + idle
        size = len(group(left)) * len(group(right)) * (twist.order if twist else 1)
        free = 3 - _is_round(left, degree) - _is_round(right, degree)
        promised = -(-need // free) * size / target
        if 0 < equations <= 1000 and promised < (1 if twist else 1.35):
            pairs.append((left, right, twist, equations, need))
            chances.append(math.exp(-4 * promised) / (10 + equations))
    return pairs, np.array(chances) / sum(chances)


def _extensions(names: list[str], degree: int) -> Iterator[tuple[str, str, int, list[Array]]]:
    """Groups with an element that extends them, its order, and the mean characters on its cosets."""
    ways = [(name, "x", 2) for name in names if name[0] == "C" and name != "C1"]
    ways += [(name, "z", 2) for name in names if name[0] in "DV"] + [("T", "O", 2), ("V4", "T", 3)]
    ways += [
        (name, "z", order)
        for order in (2, 3, 4, 5, 7)
        for name in names
        if name[0] == "C" and int(name[1:]) * order <= 2 * degree
    ]
    for name, kind, order in ways:
        a = extension(name, kind, order).astype(np.float64)
        cosets = [group(name)]
        while len(cosets) < order:
            cosets.append(product(a, cosets[-1]))
        yield name, kind, order, [fixed_counts(coset, degree) for coset in cosets]


def _idle(name: str) -> int:
    """Rotations that commute with the group: they change no equation."""
    return 3 if name == "C1" else int(name[0] == "C")


def _is_round(name: str, degree: int) -> bool:
    """Whether all rotations about the axis of the group fix what it fixes."""
    return name[0] in "CD" and int(name[1:]) > degree


def _idle_twisted(name: str, kind: str) -> int:
    return int(name[0] == "C" and kind == "z")


def _families(
    left: str, right: str, twist: Twist | None, need: int, target: int, rng: np.random.Generator
) -> list[int] | None:
    """A random choice of families with about as many unknowns as are needed, or None."""
    choice = kinds(left, right)
    counts = [0]
    for kind in [] if twist else choice[1:]:
        counts.append(
            min(int(rng.geometric(0.5)) - 1, 4) if kind.free else int(rng.random() < 0.35)
        )
    free = sum(n * kind.free for n, kind in zip(counts, choice, strict=False))
    counts[0] = max(0, -(-(need - free) // 3) + int(rng.choice([-1, 0, 0, 0, 1])))
    m = sum(n * kind.size for n, kind in zip(counts, choice, strict=False))
    if not 0 < m * (twist.order if twist else 1) < target:
        return None
    return [i for i, n in enumerate(counts) for _ in range(n)]


def _is_distinct(system: System, t: Array) -> bool:
    S = np.concatenate([expanded(system.left, system.right, q) for q in t])
    near = abs(S @ S.T)
    np.fill_diagonal(near, 0)
    return len(S) == system.m and bool(near.max() < 1 - 1e-7)


def _candidate(system: System, t: Array, value: str = "0..1e-9") -> Record:
    """As it is found: in floats, with what is needed to polish it."""
    sizes = sorted(set(system.sizes.tolist()), reverse=True)
    parts = " + ".join(f"{(system.sizes == size).sum()} x {size}" for size in sizes)
    names = f"{system.left} t {system.right}"
    if system.twist:
        names += f" in cycles of {system.copies}"
    source = f"double cosets {names} ({parts}), found by least squares from random starts"
    if system.left == system.right == "C1":
        source = "least squares from random starts"
    rows, letter = _written(system, np.array([[mp.mpf(float(x)) for x in q] for q in t]))
    record = _exact_record(system.degree, system.m, value, source, rows, letter)
    twist = astuple(system.twist) if system.twist else None
    recipe = {
        "left": system.left,
        "right": system.right,
        "which": system.which,
        "twist": twist,
        "t": t.tolist(),
    }
    return record | {"recipe": recipe}


# --- least norms ---


def _least(
    task: Record, best: Record | None, rng: np.random.Generator, end: float
) -> Record | None:
    """Random families of m elements in all; a smooth stand-in for the largest norm is made small."""
    degree, m = task["degree"], task["m"]
    limit = _upper(best["value"]) - 1e-8 if best else 2.0
    found = None
    while time.monotonic() < end:
        system = _of_size(degree, m, rng)
        if system is None or not len(system.owner):
            continue
        t, norm = _descended(system, system.start(1, rng)[0], limit, end)
        if norm < limit and _is_distinct(system, t):
            limit, found = norm - 1e-8, _least_record(system, t, norm)
    return found


def _least_record(system: System, t: Array, norm: float) -> Record:
    record = _candidate(system, t, f"{norm - 1e-9:.12f}..{norm + 1e-9:.12f}")
    source = record["source"].replace("least squares", "gradient descent")
    return record | {"criterion": "deviation", "source": source}


def _upper(value: str) -> float:
    if value.startswith("sqrt("):
        return math.sqrt(Fraction(value[5:-1]))
    return float(value.rpartition("..")[2])


def _of_size(degree: int, m: int, rng: np.random.Generator) -> System | None:
    """Families of a random pair of groups whose sizes add up to m."""
    names = [*(f"C{n}" for n in range(1, degree + 2)), "V4", "D3", "D4", "D5", "D6", "T", "O", "I"]
    left, right = rng.choice(names, 2)
    if rng.random() < 0.2:
        left = right = "C1"
    choice = kinds(str(left), str(right))
    counts = [0]
    for kind in choice[1:]:
        counts.append(min(int(rng.geometric(0.6)) - 1, 3) if kind.free else int(rng.random() < 0.3))
    rest = m - sum(n * kind.size for n, kind in zip(counts, choice, strict=True))
    if rest < 0 or rest % choice[0].size:
        return None
    counts[0] = rest // choice[0].size
    return System(
        str(left), str(right), degree, [i for i, n in enumerate(counts) for _ in range(n)]
    )


def _descended(system: System, t: Array, limit: float, end: float) -> tuple[Array, float]:
    """Sums of ever higher powers of the singular values, made small one after the other."""
    x = _coordinates(system, t)
    for power in (2, 6, 20, 60, 200, 600):
        options = {"maxiter": 150 if power < 60 else 300}
        x = minimize(
            _power_norm,
            x,
            (system, power),
            jac=True,
            method="L-BFGS-B",
            options=options,
            callback=partial(_stop, end),
        ).x
        norm = _power_norm(x, system, math.inf)[0]
        if time.monotonic() > end or (power >= 6 and norm > 1.3 * limit + 0.02):
            break
    return _placed(system, x)[0], norm


def _stop(end: float, _x: Array) -> None:
    if time.monotonic() > end:
        raise StopIteration


def _coordinates(system: System, t: Array) -> Array:
    """Four of each free quaternion, an angle on an axis."""
    parts = [np.zeros(0)]
    for q, kind in zip(t, system.chosen, strict=True):
        turned = product(inverse(kind.start), q)
        angle = 2 * math.atan2(turned[1:] @ kind.axis, turned[0])
        parts.append(q if kind.free == 3 else np.array([angle])[: kind.free])
    return np.concatenate(parts)


def _placed(system: System, x: Array) -> tuple[Array, list[slice]]:
    """The unit quaternions, and where their coordinates are."""
    t, places, at = [], [], 0
    for kind in system.chosen:
        size = (0, 1, 0, 4)[kind.free]
        part = x[at : at + size]
        places.append(slice(at, at + size))
        at += size
        if kind.free == 3:
            t.append(part / np.linalg.norm(part))
        else:
            t.append(product(kind.start, turn(kind.axis, part[0])) if size else kind.start)
    return np.array(t), places


def _power_norm(x: Array, system: System, power: float) -> tuple[float, Array]:
    """(sum of sigma^power)^(1/power) over the singular values of all degrees, and its gradient."""
    t, places = _placed(system, x)
    r, J = system.values(t[None])
    pieces, at = [], 0
    for ell, Q, PL in system.parts:
        shape = len(Q), PL.shape[1] // 4
        size = shape[0] * shape[1]
        scale = math.sqrt(2 * ell + 1)
        U, sigma, V = np.linalg.svd(
            r[0, at : at + size].reshape(shape) / scale, full_matrices=False
        )
        pieces.append((U / scale, sigma, V))
        at += size
    top = max(float(sigma.max()) for _, sigma, _ in pieces)
    if power == math.inf or top == 0:
        return top, np.zeros_like(x)
    total = sum(((sigma / top) ** power).sum() for _, sigma, _ in pieces)
    weight = total ** (1 / power - 1)
    slope = np.concatenate(
        [((U * (weight * (sigma / top) ** (power - 1))) @ V).ravel() for U, sigma, V in pieces]
    )
    steps = slope @ J[0]
    gradient = np.zeros_like(x)
    for i, place in enumerate(places):
        mine = steps[system.owner == i]
        if len(mine) == 3:  # q exp(s) moves q by q (0, s/2)
            length = np.linalg.norm(x[place])
            gradient[place] = 2 * product(t[i], np.array([0, *mine])) / length
        elif len(mine) == 1:
            gradient[place] = mine
    return top * total ** (1 / power), gradient
