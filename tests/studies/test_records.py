"""Records: the bounds against brute force, the check against broken records, and the tables."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, pairwise, permutations, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.designs.constructions.recorded import expand
from studies.records import Record, bounds, counts, moments, table
from studies.records.__main__ import main as command
from studies.records.check import RESIDUAL, TABLES, judge, main, name_of, records, squares, verify
from studies.records.codes import largest_code
from studies.records.elements import (
    WrongRecordError,
    composed,
    everything,
    factors,
    hash_of,
    rotations_of,
    rows_of,
)
from studies.records.sizes import least_size, neighbours_size

SMALL_GROUPS = ("C5", "C6", "C7", "C8", "S3", "D4", "Z2^3", "C2xC4", "C3xC3", "A4", "B2", "C2xS3")


def record(group: str, criterion: str, degree: int | None, m: int, **more: Any) -> Record:
    """A record with the bound that holds, and the hash of its rows."""
    given = {"group": group, "criterion": criterion, "degree": degree, "m": m, "value": "0"}
    given |= {"because": "it is so", "source": "a test"} | more
    if "bound" not in given and criterion == "deviation":
        given["bound"] = bounds.least_deviation(group, m, degree)[0]
    elif "bound" not in given:
        given["bound"] = str(least_size(group, criterion, degree)[0])
    rows = rotations_of(given) if group == "SO3" else rows_of(given)
    return given | {"sha256": hash_of(rows)}


def interval(group: str, rows: list[list[int]], degree: int | None = None) -> str:
    found = sa.deviation(sa.GroupSample(sa.group(group), rows), degree=degree)
    return f"{Fraction(math.floor(found.lower * 10**9), 10**9)}..{found.value + 1e-9:.9f}"


def affine() -> Record:
    return record(
        "S7", "exact", 2, 42, rows="0123456", generators="1234560 0362514", source="AGL(1,7)"
    )


def singer() -> Record:
    return record("C13", "deviation", None, 4, value="sqrt(3/16)", rows="0 1 3 9")


RIGHT = {
    "affine permutations": affine,
    "a difference set": singer,
    "an interval of shifts": lambda: record(
        "C30", "deviation", None, 3, value=interval("C30", [[0], [1], [7]]), rows="0 1 7"
    ),
    "an exact value that is no difference set": lambda: record(
        "C3xC3", "deviation", None, 3, value="sqrt(1/3)", rows="00 01 10"
    ),
    "signs": lambda: record("Z2^3", "deviation", None, 4, value="1/2", rows="000 100 010 001"),
    "permutations of three, by pairs": lambda: record(
        "S5",
        "deviation",
        2,
        3,
        value=interval("S5", [[0, 1, 2, 3, 4], [1, 2, 3, 4, 0], [0, 2, 1, 4, 3]], 2),
        rows="01234 12340 02143",
    ),
    "signed permutations": lambda: record(
        "B2", "deviation", None, 2, value="1", rows="0100 1001"
    ),
    "middles": lambda: record("S3", "middle", None, 6, rows="012 210 120 021 201 102"),
    "neighbours": lambda: record("S4", "neighbours", None, 4, rows="0132 1203 2310 3021"),
    "neighbours that are no Latin square": lambda: record(
        "S7", "neighbours", None, 7, rows="5041326 1524360 4612035 3140562 2510634 0216453 6542301"
    ),
    "the rotations of a cube": lambda: record(
        "SO3", "exact", 3, 24, value="0..1e-15", rows="1,0,0,0", generators="O"
    ),
    "integer quaternions": lambda: record(
        "SO3", "deviation", None, 6, value="sqrt(5/9)",
        rows="1,2,0,0 1,-2,0,0 1,0,2,0 1,0,-2,0 1,0,0,2 1,0,0,-2",
    ),
    "the norm of rotations": lambda: turned("0.7333333333..0.7333333334"),
    "a dihedral group by generators": lambda: record(
        "SO3", "exact", 1, 6, value="0..1e-15", rows="1,0,0,0", generators=DIHEDRAL
    ),
}  # fmt: skip

THIRDS = "1,0,0,0 0.5,0,0,0.86602540378443864676 0.5,0,0,-0.86602540378443864676"
DIHEDRAL = "0.5,0,0,0.866025403784438646763723170753 0,1,0,0"
"""A third of a turn about z and half a turn about x, in 30 digits."""


def turned(value: str) -> Record:
    """The mean of the matrices of three rotations."""
    return record("SO3", "deviation", 1, 3, value=value, rows="1,0,0,0 0,1,0,0 0.6,0,0.8,0")


@pytest.mark.parametrize("name", RIGHT)
def test_right_records_are_proved(name: str) -> None:
    assert verify(RIGHT[name]()).how


def test_optimal_where_the_bound_is_met() -> None:
    assert verify(affine()).optimal
    assert verify(singer()).optimal
    assert not verify(RIGHT["the rotations of a cube"]()).optimal


def without(given: Record, key: str) -> Record:
    return {name: value for name, value in given.items() if name != key}


def rehashed(given: Record) -> Record:
    rows = rotations_of(given) if given["group"] == "SO3" else rows_of(given)
    return given | {"sha256": hash_of(rows)}


def with_generators(generators: str) -> Callable[[], Record]:
    return lambda: RIGHT["a dihedral group by generators"]() | {"generators": generators}


BROKEN = {
    "an entry changed": (lambda: rehashed(affine() | {"generators": "1234560 0362541"}), "rows"),
    "an element changed": (lambda: rehashed(singer() | {"rows": "0 1 3 8"}), "polynomial"),
    "m": (lambda: affine() | {"m": 84}, "m is 84"),
    "the hash": (lambda: affine() | {"sha256": "0" * 64}, "hash"),
    "a value too low": (lambda: singer() | {"value": "0.4..0.43"}, "square"),
    "an exact value too low": (lambda: singer() | {"value": "sqrt(2/16)"}, "polynomial"),
    "a bound too high": (lambda: affine() | {"bound": "84"}, "bound is 84"),
    "a bound from nowhere": (lambda: singer() | {"bound": "0.1"}, "bound is 0.1"),
    "a missing field": (lambda: without(affine(), "source"), "source"),
    "a field too many": (lambda: affine() | {"optimal": True}, "optimal"),
    "not exact to degree 3": (
        lambda: affine() | {"degree": 3, "bound": "210"},
        "degree 3",
    ),
    "neighbours": (
        lambda: rehashed(RIGHT["neighbours"]() | {"rows": "0123 1230 2301 3012"}),
        "neighbours",
    ),
    "middles without reverses": (
        lambda: rehashed(RIGHT["middles"]() | {"rows": "012 120 201 012 120 201"}),
        "its reverse",
    ),
    "rotations": (lambda: RIGHT["the rotations of a cube"]() | {"degree": 4, "bound": "35"}, "residual"),
    "not an element": (lambda: singer() | {"rows": "0 1 3 13"}, "not an element"),
    "not the norm of the quaternions of norm 5": (
        lambda: RIGHT["integer quaternions"]() | {"value": "sqrt(1/2)"},
        "norm",
    ),
    "not the quaternions of norm 5": (
        lambda: rehashed(
            RIGHT["integer quaternions"]()
            | {"rows": "1,2,0,0 1,-2,0,0 1,0,2,0 1,0,-2,0 1,0,0,2 2,0,0,-1"}
        ),
        "norm 5",
    ),
    "an element twice, claimed exact": (
        lambda: record("S3", "exact", 1, 6, rows="012 120 201 012 120 201"),
        "twice",
    ),
    "a row twice instead of another": (
        lambda: record("S3", "exact", 1, 3, rows="012 120 120"),
        "twice",
    ),
    "a bound below the best one": (lambda: affine() | {"bound": "21"}, "proved is 42"),
    "a bound above the value": (lambda: singer() | {"bound": "1/2"}, "bound is 1/2"),
    "a norm of rotations too low": (lambda: turned("0.73..0.7333333333"), "the norm is"),
    "a rotation with one digit wrong": (
        lambda: record("SO3", "exact", 1, 3, value="0..1e-15", rows=THIRDS.replace("866", "867")),
        "residual",
    ),
    "an exact value where only an interval is proved": (
        lambda: record("S7", "deviation", None, 2, value="1", rows="0123456 1032546"),
        "give that",
    ),
    "generators of an infinite group": (with_generators("0.6,0.8,0,0 0.6,0,0.8,0"), "more than"),
    "a generator that is not a unit": (with_generators("2,0,0,0"), "more than"),
    "a generator that is not a quaternion": (with_generators("1,0,0"), "not a quaternion"),
    "a subgroup that is not known": (with_generators("W"), "subgroup W"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_records_are_refused(name: str) -> None:
    broken, message = BROKEN[name]
    with pytest.raises(WrongRecordError, match=message):
        verify(broken())


@pytest.mark.parametrize("name", SMALL_GROUPS)
def test_no_set_of_a_small_group_beats_the_bounds(name: str) -> None:
    """Over all multisets with the identity (a translate has the same norm), by singular values."""
    group, every = factors(name), sa.group(name).all_elements()
    order, facts = len(every), bounds.facts(name)
    shifts = np.array([counts.regular_matrix(row[None], group, every) for row in every])
    assert facts.order == order
    assert facts.involutions == sum((s @ s == np.eye(order)).all() for s in shifts) - 1
    assert facts.abelian == all((a @ b == b @ a).all() for a in shifts for b in shifts)
    for m in range(2, 10):
        if math.comb(order + m - 2, m - 1) > 1500:
            break
        chosen = np.array(list(combinations_with_replacement(range(order), m - 1)))
        mean = (shifts[0] + sum(shifts[column] for column in chosen.T)) / m - 1 / order
        least = np.linalg.svd(mean, compute_uv=False)[:, 0].min()
        squared = [
            bounds.floor(order, m),
            bounds.pairs(order, facts.involutions, m),
            bounds.walks(facts, m)[0],
            squares(bounds.least_deviation(name, m)[0])[0],
        ]
        assert max(squared) <= (least + 1e-12) ** 2


@pytest.mark.parametrize(("n", "t"), [(3, 1), (4, 1), (3, 2)])
def test_no_permutations_beat_the_floor_of_a_degree(n: int, t: int) -> None:
    every = np.array(list(permutations(range(n))))
    matrices = np.array([counts.tuple_matrix(row[None], n, t) for row in every])
    for m in range(2, 5):
        chosen = np.array(list(combinations_with_replacement(range(len(every)), m - 1)))
        mean = (matrices[0] + sum(matrices[column] for column in chosen.T)) / m
        mean = mean - 1 / mean.shape[1]
        least = np.linalg.svd(mean, compute_uv=False)[:, 0].min()
        assert bounds.degree_floor(n, t, m) <= (least + 1e-12) ** 2


@pytest.mark.parametrize("name", ["Z2^4", "C3xC3", "C2xC4", "C2xC2xC3"])
def test_no_set_beats_the_floor_of_a_degree(name: str) -> None:
    """Over all multisets with 0, and all characters that move so many coordinates."""
    every = everything(factors(name))
    phases = every / np.array([factor.n for factor in factors(name)]) @ every.T
    for degree in range(1, every.shape[1] + 1):
        weight = (every != 0).sum(axis=1)
        characters = np.exp(2j * np.pi * phases)[:, (weight > 0) & (weight <= degree)]
        for m in (2, 3, 4, 5):
            chosen = np.array(list(combinations_with_replacement(range(len(every)), m - 1)))
            sums = characters[0] + sum(characters[column] for column in chosen.T)
            bound = squares(bounds.least_deviation(name, m, degree)[0])[0]
            assert bound <= (abs(sums).max(axis=1).min() / m + 1e-12) ** 2


@pytest.mark.parametrize("name", ["Z2^3", "Z2^4", "S3", "A4", "S2^2", "S2xS3"])
def test_no_exact_set_of_a_small_group_has_fewer_elements(name: str) -> None:
    """Over all subsets: how often each tuple of coordinates has each of its values, from even."""
    every = everything(factors(name))
    subsets = np.arange(1, 1 << len(every))[:, None] >> np.arange(len(every)) & 1
    for degree in (1, 2):
        assert least_size(name, "exact", degree)[0] == min(exact_sizes(subsets, every, degree))


def exact_sizes(subsets: Any, every: Any, degree: int) -> Any:
    tables = []
    for chosen in combinations(every.T, min(degree, every.shape[1])):
        _, value = np.unique(np.stack(chosen, axis=1), axis=0, return_inverse=True)
        tables.append(np.eye(value.max() + 1)[value.ravel()])
    table = np.concatenate(tables, axis=1)
    off = subsets @ (table - table.mean(axis=0))
    return subsets.sum(axis=1)[(abs(off) < 1e-9).all(axis=1)].tolist()


def test_closed_words_are_counted() -> None:
    """Against all words, reduced letter by letter; with letters that repeat there are B(1)/m as many."""
    for labels, k in product(("abc", "aab", "aaa", "aabb", "aaab"), (2, 3)):
        m = len(labels)
        pairs = sum(x == y for x in labels for y in labels)
        for kind in ("", "abelian", "signs"):
            closed = sum(
                is_closed([labels[i] for i in word], kind) for word in np.ndindex(*(m,) * 2 * k)
            )
            least = Fraction(bounds.closed_words(m, k, kind) * pairs, m)
            assert closed == least if labels == "abc" else closed >= least


def is_closed(word: list[str], kind: str) -> bool:
    if kind == "signs":
        return all(word.count(x) % 2 == 0 for x in word)
    if kind == "abelian":
        return sorted(word[::2]) == sorted(word[1::2])
    left: list[tuple[str, int]] = []
    for place, x in enumerate(word):
        if left and left[-1] == (x, 1 - place % 2):
            left.pop()
        else:
            left.append((x, place % 2))
    return not left


@pytest.mark.parametrize(
    ("m", "distance", "words"),
    [(5, 1, 32), (8, 4, 16), (16, 6, 256), (16, 8, 32), (32, 12, 2048), (32, 16, 64)],
)
def test_no_code_that_exists_is_excluded(m: int, distance: int, words: int) -> None:
    """All words, and codes of Hamming, Nordstrom and Robinson, Reed and Muller: all meet the bound."""
    assert words <= largest_code(m, distance) < words + 1e-6


@pytest.mark.parametrize(("n", "there_is"), [(2, True), (3, False), (4, True), (5, False)])
def test_n_orders_with_even_neighbours(n: int, there_is: bool) -> None:
    """Each item is first once, and each step is taken once; the first order is 0, 1, ...: all tried."""
    marks = [
        [
            sum(1 << (a * n + b) for a, b in pairwise(row))
            for row in permutations(range(n))
            if row[0] == i
        ]
        for i in range(n)
    ]

    def goes_on(used: int, i: int) -> bool:
        return i == n or any(not used & row and goes_on(used | row, i + 1) for row in marks[i])

    assert goes_on(marks[0][0], 1) == there_is
    assert (neighbours_size(n)[0] == n) == there_is


def by_definition(criterion: str, rows: Any, group: str, degree: int | None) -> bool:
    """What the page of records says, item by item, with no condition more."""
    if criterion == "neighbours":
        steps = Counter(step for row in rows.tolist() for step in pairwise(row))
        return len({steps[step] for step in permutations(range(rows.shape[1]), 2)}) == 1
    if criterion == "middle":
        given = rows.tolist()
        met = Counter((frozenset(t), t[1]) for row in given for t in combinations(row, 3))
        reverses = all(b == a[::-1] for a, b in zip(given[::2], given[1::2], strict=True))
        triples = combinations(range(rows.shape[1]), 3)
        return reverses and all(len({met[frozenset(t), x] for x in t}) == 1 for t in triples)
    every = everything(factors(group))
    return any(size == len(rows) for size in exact_sizes_of(rows, every, degree))


def exact_sizes_of(rows: Any, every: Any, degree: int | None) -> Any:
    """As `exact_sizes`, for one multiset."""
    number = {row.tobytes(): i for i, row in enumerate(every)}
    counts_of = np.bincount([number[row.tobytes()] for row in rows], minlength=len(every))
    return exact_sizes(counts_of[None], every, degree or every.shape[1])


@pytest.mark.parametrize("n", [3, 4, 5])
def test_orders_are_judged_by_the_definition_alone(n: int) -> None:
    rng = np.random.default_rng(n)
    judged: Counter[Any] = Counter()
    for seed in range(40):
        drawn = rng.permuted(np.tile(np.arange(n), (2, 1)), axis=1)
        for rows in (
            np.concatenate([drawn, drawn[:, ::-1]])[[0, 2, 1, 3]],
            sa.orders(n, 2 * n, balance="neighbours", rng=seed),
            sa.orders(n, 12, rng=seed),
            rng.permutation(sa.orders(n, 12, rng=seed)),
        ):
            for name, judge_rows in (
                ("neighbours", counts.are_neighbours_even),
                ("middle", counts.are_middles_even),
            ):
                said = judge_rows(rows)
                assert said == by_definition(name, rows, "", None)
                judged[name, said] += 1
    assert len(judged) == 4


@pytest.mark.parametrize("name", ["S3", "S4", "A4", "A3", "C2xC4", "S2xS3", "Z2^3"])
def test_exact_sets_are_judged_by_the_definition_alone(name: str) -> None:
    """Random sets, cosets of cyclic subgroups, and everything, some of it twice."""
    group, every = factors(name), everything(factors(name))
    rng, judged = np.random.default_rng(0), Counter[bool]()
    sets = [every, np.concatenate([every, every])]
    sets += [every[rng.integers(len(every), size=m)] for m in (1, 2, 4, 6) for _ in range(10)]
    for g, h in every[rng.integers(len(every), size=(20, 2))]:
        sets.append(composed(np.tile(h, (12, 1)), np.resize(orbit(g, group), (12, len(g))), group))
    for rows in sets:
        for degree in (1, 2, 3):
            said = counts.moves_tuples_evenly(rows, group, degree)
            assert said == by_definition("exact", rows, name, degree)
            judged[said] += 1
    assert judged[True] > 5
    assert judged[False] > 5


def orbit(g: Any, group: Any) -> Any:
    """The powers of an element: as many as divide 12."""
    powers = [g[None]]
    for _ in range(11):
        powers.append(composed(powers[-1], g[None], group))
    return np.concatenate(powers)


def test_moments_give_the_norms_of_wigner_matrices() -> None:
    group = sa.rotations(3)
    rows = group.sample(20, np.random.default_rng(0))
    found = moments.frobenius_squares(rows, 4)
    means = [irrep.matrices(rows).mean(axis=0) for irrep in group.irreps_to(4)][1:]
    expected = [(abs(mean) ** 2).sum() for mean in means]
    np.testing.assert_allclose([float(x) for x in found], expected, rtol=1e-12)
    assert RESIDUAL < min(found)
    low, high = moments.largest_square(rows, 4)
    assert low <= high < low + Fraction(1, 10**40)
    assert float(high) == pytest.approx(max(np.linalg.norm(x, 2) for x in means) ** 2, rel=1e-12)


def test_the_command_fails_where_one_record_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["check", "--jobs", "1", "--tables", str(tmp_path)])
    lines = [json.dumps(affine()), json.dumps(singer() | {"value": "sqrt(2/16)"})]
    (tmp_path / "some.jsonl").write_text("\n".join(lines))
    assert main() == 1
    assert "WRONG C13 deviation None 4" in capsys.readouterr().out
    (tmp_path / "some.jsonl").write_text(lines[0])
    assert main() == 0


SHIFTS: Record = {
    "group": "C13", "criterion": "deviation", "degree": None, "m": 4, "source": "me",
    "rows": "0 1 3 9",
}  # fmt: skip
HALF = {
    "group": "SO3", "criterion": "exact", "degree": 2, "m": 4, "source": "me", "rows": "1,0,0,0",
    "generators": "V4",
}  # fmt: skip
SUBMITTED: dict[str, tuple[Any, str]] = {
    "another m": (SHIFTS | {"m": 5}, "m is 5, and there are 4 rows"),
    "not an element": (SHIFTS | {"rows": "0 1 3 13"}, "not an element of C13"),
    "rows as a list": (SHIFTS | {"rows": [0, 1, 3, 9]}, "rows is not a text"),
    "exchanged factors": (SHIFTS | {"group": "S4xS3", "rows": "0123012"}, "written S3xS4"),
    "a degree that is not asked for": (
        SHIFTS
        | {
            "group": "S3",
            "criterion": "middle",
            "degree": 1,
            "m": 6,
            "rows": "012 210 120 021 201 102",
        },
        "middle takes no degree, and 1 is given",
    ),
    "a degree that is not an integer": (
        SHIFTS
        | {"group": "S3", "criterion": "exact", "degree": True, "m": 3, "rows": "012 120 201"},
        "the degree True is not an integer from 1 to 3",
    ),
    "twice": (
        SHIFTS | {"group": "S4", "criterion": "exact", "degree": 1, "m": 2, "rows": "0123 0123"},
        "twice",
    ),
    "two orders": (
        SHIFTS | {"group": "S8", "criterion": "middle", "m": 2, "rows": "01234567 76543210"},
        "middles are not even",
    ),
    "two lines of source": (SHIFTS | {"source": "me\nand you"}, "one line of plain text"),
    "marks in the source": (SHIFTS | {"source": "<b>me</b>"}, "one line of plain text"),
    "one element": (SHIFTS | {"m": 1, "rows": "0"}, "m=1 is no question"),
    "all elements": (SHIFTS | {"group": "C4", "rows": "0 1 2 3"}, "m=4 is no question"),
    "a digit alone": (SHIFTS | {"rows": "0 1 3 a"}, "the row a is not a decimal number"),
    "no digit": (SHIFTS | {"group": "S3", "rows": "01!"}, "01! is not digits in base 36"),
    "a degree of a polygon": (
        SHIFTS | {"group": "D12", "criterion": "exact", "degree": 2, "rows": "00 01 10 11"},
        "records of D12 have no degree here",
    ),
    "not exact": (HALF, "residual"),
    "too small a value": (HALF | {"value": "0..1e-15"}, "residual"),
}


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the tables, without the best four of 13 shifts, into which records are submitted."""
    monkeypatch.setattr(table, "FOLDER", tmp_path)
    for path in TABLES.glob("*.jsonl"):
        lines = path.read_text().splitlines(keepends=True)
        kept = [line for line in lines if '"C13","criterion":"deviation"' not in line]
        (tmp_path / path.name).write_text("".join(kept))
    return tmp_path


def submitted(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = table.FOLDER / "mine.json"
    file.write_text(text)
    monkeypatch.setattr("sys.argv", ["records", "submit", str(file)])
    command()


def all_of(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.glob("*.jsonl")}


@pytest.mark.parametrize("name", SUBMITTED)
def test_a_wrong_record_is_refused_by_a_sentence_and_no_table_changes(
    name: str, tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, (given, message) = all_of(tables), SUBMITTED[name]
    with pytest.raises(SystemExit, match=message):
        submitted(json.dumps(given), monkeypatch)
    assert all_of(tables) == before


def test_a_better_record_is_taken_once_and_a_worse_one_is_not(
    tables: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    submitted(json.dumps(SHIFTS) + "\n\n", monkeypatch)
    assert "sqrt(3/16)" in capsys.readouterr().out
    taken = next(one for one in records(tables) if one["group"] == "C13")
    assert verify(taken).optimal
    before = all_of(tables)
    for worse in (SHIFTS, SHIFTS | {"m": 6, "rows": "0 1 3 9 4 5"}):
        submitted(json.dumps(worse), monkeypatch)
        assert "not better" in capsys.readouterr().out
        assert all_of(tables) == before


@pytest.mark.parametrize(
    "given",
    [
        SHIFTS | {"group": "C19", "m": 5, "rows": "0 1 2 3 4"},
        SHIFTS
        | {
            "group": "S3",
            "criterion": "exact",
            "degree": 1,
            "rows": "012 120 201 021 102 210",
            "m": 6,
        },
    ],
)
def test_what_the_library_finds_better_is_no_record_for_a_new_question(
    given: Record, tables: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in tables.glob("*.jsonl"):
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(x for x in lines if f'"{given["group"]}"' not in x))
    before = all_of(tables)
    submitted(json.dumps(given), monkeypatch)
    assert "not better" in capsys.readouterr().out
    assert all_of(tables) == before


def test_the_library_gives_the_rows_that_were_proved() -> None:
    """Of every shipped record, by the hash that the check compares too."""
    for stored in records():
        assert hash_of(expand(sa.group(stored["group"]), stored)) == stored["sha256"], name_of(
            stored
        )


def faults(chosen: list[Record]) -> list[str]:
    judged = [(name_of(one), judge(one)[0]) for one in chosen]
    return [f"{name}: {found}" for name, found in judged if isinstance(found, str)]


def test_tables_in_short() -> None:
    """Counts of few rows, and a few of the rest, by their hashes."""
    every = sorted(records(), key=lambda one: one["sha256"])
    few = [one for one in every if one["m"] <= 100]
    counted = [one for one in few if one["criterion"] != "deviation"]
    rest = [one for one in few if one["criterion"] == "deviation"][:20]
    assert faults(counted + rest) == []


@pytest.mark.slow
def test_every_record_is_proved() -> None:
    assert faults(records()) == []
