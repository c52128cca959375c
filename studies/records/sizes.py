"""How few elements a set can have that is exact, or whose middles or neighbours are even.

Equally often means a whole number of times: m is a multiple of the number of images. Each function
returns a number such that no set has fewer elements, and why. Only `array_size` needs elements that do
not repeat.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from math import comb, lcm, perm

from studies.records import Record, delsarte
from studies.records.bounds import facts, least_deviation, moduli_of
from studies.records.codes import smallest_array

NO_PLANE = {6: "Tarry 1900", 10: "Lam, Thiel and Swiercz 1989", 14: "Bruck and Ryser 1949"}
"""Orders up to 16 without a projective plane: no n (n - 1) permutations are exact to degree 2."""

ABSENT = ((9, 96), (10, 112))
"""Signs and rows for which no array of strength 4 exists (Boyvalenkov, Marinova and Stoyanova 2017)."""


def proved_bound(record: Record) -> tuple[str, str]:
    """What no set can beat for the question of a record, as text, and why."""
    name, criterion, degree = record["group"], record["criterion"], record["degree"]
    if criterion == "deviation":
        return least_deviation(name, record["m"], degree)
    least, because = least_size(name, criterion, degree)
    return str(least), because


def least_size(name: str, criterion: str, degree: int | None) -> tuple[int, str]:
    """The fewest elements of a group for `exact`, `middle` or `neighbours`.

    >>> least_size("S7", "exact", 2)
    (42, 'a multiple of 42, as every 2-tuple goes to every 2-tuple equally often')
    """
    moduli = moduli_of(name)
    one, two = re.fullmatch(r"([SA])(\d+)", name), re.fullmatch(r"S(\d+)(?:xS(\d+)|\^2)", name)
    if criterion == "middle" and one:
        return middle_size(int(one[2]))
    if criterion == "neighbours" and one:
        return neighbours_size(int(one[2]))
    if criterion == "exact" and degree:
        if name == "SO3":
            return rotations_size(degree)
        if moduli and set(moduli) == {2}:
            return array_size(len(moduli), degree)
        if two:
            return product_size(int(two[1]), int(two[2] or two[1]), degree)
        if one and degree >= int(one[2]) - (1 if one[1] == "S" else 2):
            return facts(name).order, "exact on all functions: every element"
        if one:
            return tuples_size(int(one[2]), degree)
    raise ValueError(f"no bound is known here for {name}, {criterion}, {degree}.")


def tuples_size(n: int, t: int) -> tuple[int, str]:
    """Permutations of n points that move t-tuples evenly."""
    unit = perm(n, t)
    why = f"a multiple of {unit}, as every {t}-tuple goes to every {t}-tuple equally often"
    base = n - t + 2  # those that fix t - 2 points as one tells: sharply 2-transitive on the others
    if t >= 2 and base in NO_PLANE:
        why += (
            f"; {unit} would give a sharply 2-transitive set of S{base}, and so a projective plane"
        )
        return 2 * unit, f"{why} of order {base}: none ({NO_PLANE[base]})"
    return unit, why


def middle_size(n: int) -> tuple[int, str]:
    """Multiples of 12 for n >= 4, and not 12 for n >= 6.

    Of four items in an order the two inner ones are each in the middle of two of the four triples. So an
    item that is in the middle of each of its three triples m/6 times, over m/2 orders up to reversal, is
    inner m/4 times. For six orders all sets can be found, item after item: with 4 and 5 items, and none
    with 6 (`tests/studies/test_records.py`).
    """
    if n <= 3:
        return 6, "a multiple of 6: each of the three is in the middle of a third of the m/2 pairs"
    why = "a multiple of 12: of four items each is an inner one in m/4 of the m/2 pairs"
    if n <= 5:
        return 12, why
    why += "; 12 is impossible by a complete search, item after item"
    literature = {
        6: "12 rows suffice (Na, Jedwab and Li 2023)",
        7: "12 rows suffice (Na, Jedwab and Li 2023)",
        8: "18 rows are the fewest (Gentle and Wanless 2023)",
        9: "24 rows suffice (Na, Jedwab and Li 2023)",
    }
    if n in literature:
        why += f". Without reverses, {literature[n]}"
    return 24, why


def neighbours_size(n: int) -> tuple[int, str]:
    """Multiples of n: m orders have m (n - 1) steps, each of the n (n - 1) possible ones equally often.

    In n orders each step occurs once, so each item is once the first and once the last. With one more
    item between the last and the first they are closed, to n circuits through n + 1 items that contain
    each step once: there are such for odd n + 1, and for even n + 1 but 4 and 6 (Tillson 1980).
    """
    why = f"a multiple of {n}, as each of {n * (n - 1)} steps is taken equally often"
    if n not in (3, 5):
        return n, why
    return 2 * n, f"{why}; {n} are impossible by a complete search (Tillson 1980)"


def rotations_size(degree: int) -> tuple[int, str]:
    """Delsarte, Goethals and Seidel 1977, for S and -S in the sphere; or a linear program."""
    because = (
        "linear programming (Delsarte 1973): a non-negative class function, checked in integers"
    )
    return max(comb(degree + 3, 3), delsarte.least_size(degree)), because


def product_size(c: int, p: int, degree: int) -> tuple[int, str]:
    """No set in S_c x S_p of fewer elements is exact to the degree, and why.

    Index 1 in one factor is a projective plane. And m = 12 for c, p = 3, 4 fails: each (column, place)
    has 3 elements, which move 3 classes as a Latin square, all even or all odd; as any two of these
    triples with other columns and other places share an element, all 12 are even or all odd, and S_3 is
    not met evenly.
    """
    if degree == 1:
        return lcm(c, p), f"a multiple of {c} and of {p}"
    m = lcm(c * (c - 1), p * (p - 1), c * p)
    because = f"a multiple of {c * (c - 1)}, {p * (p - 1)} and {c * p}"
    for n in {c, p} & set(NO_PLANE):
        if m == n * (n - 1):
            return 2 * m, f"{because}; {m} would be a projective plane of order {n} ({NO_PLANE[n]})"
    if (c, p) == (3, 4):
        return 24, f"{because}; in 12 the orders of classes would all have the same parity"
    return m, because


@cache
def array_size(d: int, t: int) -> tuple[int, str]:
    """No set of fewer elements of Z_2^d has strength t, and why. In integers and fractions.

    m is a multiple of 2^t. For odd t, the rows with 0 in one column have strength t - 1 in the others,
    and so do those with 1. For even t the largest of

    Rao 1947: m is at least the number of words of weight at most t / 2, whose characters are
    orthogonal vectors on the rows.

    Linear programming (Delsarte 1973): `codes.smallest_array`.

    Fon-Der-Flaass 2007: a set of strength t that is neither empty, nor all, nor half of Z_2^d has
    3 (t + 1) <= 2 d. (For sets; the other bounds allow rows to repeat.)

    Boyvalenkov, Marinova and Stoyanova 2017: no strength 4 with the signs and rows in `ABSENT`, nor
    with more signs.
    """
    if t % 2:
        half, because = array_size(d - 1, t - 1)
        return 2 * half, f"twice strength {t - 1} for {d - 1} signs: {because}"
    unit = 1 << t
    bounds = [
        (Fraction(sum(comb(d, k) for k in range(t // 2 + 1))), "Rao 1947"),
        (smallest_array(d, t), "linear programming (Delsarte 1973)"),
    ]
    if 3 * (t + 1) > 2 * d:
        bounds.append((Fraction(1 << d - 1), "Fon-Der-Flaass 2007"))
    found = [(-(-bound // unit) * unit, because) for bound, because in bounds]
    most = max(bound for bound, _ in found)
    because = next(because for bound, because in found if bound == most)
    for k, m in ABSENT:
        if t == 4 and k <= d and m == most:
            most, because = m + unit, f"not {m} (Boyvalenkov, Marinova and Stoyanova 2017)"
    return most, f"a multiple of {unit}; {because}"
