"""`design` and `records`: what is chosen, that it is data, and what is refused."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError
from sparseaug.spectrum.spectrum import prior

GROUPS = [
    "S3",
    "S6",
    "S7",
    "A6",
    "A7",
    "B3",
    "Z2^6",
    "C31",
    "C7xC7",
    "C6xC4",
    "D6",
    "Grid4",
    "D6xD4",
]
GROUPS += ["S3xZ2^4", "Cube24", "S4xS3xC2"]


@pytest.mark.parametrize("name", GROUPS)
def test_every_row_of_the_table_is_what_it_says(name):
    group = sa.group(name)
    table = sa.records(group)
    assert len(table) >= 2
    for one in table:
        if one.m is None:
            continue
        S = one.sample()
        assert S.m == one.m
        assert (S.calls, S.origin.kind, S.origin.design) == (0, "design", one.name)
        if one.deviation is not None:
            assert sa.deviation(S).lower <= one.deviation
        elif one.value and one.by_degree <= 3:
            assert sa.deviation(S, degree=one.by_degree).lower <= one.value
        if one.degree and group.highest_degree:
            degree = min(one.degree, 3, group.highest_degree)
            assert sa.deviation(S, degree=degree).value < 1e-9


@pytest.mark.parametrize("name", GROUPS)
def test_the_table_prints_and_is_json(name):
    table = sa.records(sa.group(name))
    lines = str(table).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0].split()[:2] == ["design", "m"]
    data = json.loads(json.dumps(table.to_dict()))
    assert data["group"] == sa.group(name).name
    names = [row["name"] for row in data["designs"]]
    assert names == [one.name for one in table]
    assert {"m", "exact_to_degree", "deviation", "source"} <= set(data["designs"][0])


def test_a_design_is_saved_and_loaded_with_its_name(tmp_path):
    S = sa.design(sa.symmetric(8), degree=3)
    S.save(tmp_path / "S.safetensors")
    T = sa.GroupSample.load(tmp_path / "S.safetensors")
    assert T == S
    assert (T.origin, T.calls) == (S.origin, 0)
    assert T.origin.design == "PGL(2,7)"


def test_designs_are_the_same_in_another_process():
    code = (
        "import sparseaug as sa\n"
        "for S in (sa.design(sa.symmetric(9), degree=2), sa.design(sa.symmetric(5), m=8),\n"
        "          sa.design(sa.symmetric(11), m=12, degree=2), sa.design(sa.abelian(6, 9), m=12)):\n"
        "    print(S.sha256)\n"
    )
    environment = {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "7", "PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    here = [
        sa.design(sa.symmetric(9), degree=2),
        sa.design(sa.symmetric(5), m=8),
        sa.design(sa.symmetric(11), m=12, degree=2),
        sa.design(sa.abelian(6, 9), m=12),
    ]
    assert done.stdout.split() == [S.sha256 for S in here]


PINNED = [
    ("S7", {"degree": 2}, "235bec29138620d8"),
    ("S8", {"degree": 3}, "c7cf330245ab7c22"),
    ("A8", {"degree": 1}, "4de0634ebc6d3431"),
    ("Z2^40", {"degree": 4}, "cdab79d185057a1e"),
    ("C91", {"m": 10, "objective": "deviation"}, "9a1a95193c464e27"),
    ("C29xC29", {"m": 29, "objective": "deviation"}, "861fba69962a6e47"),
    ("Z2^14", {"m": 128, "objective": "deviation"}, "713f5d019e69ad06"),
    ("C8xC8", {"m": 32, "name": "lattice"}, "3c67b38fd7a106d1"),
    ("A5", {"m": 16, "objective": "deviation"}, "8518a2cc452f4329"),
    ("S12", {"m": 20, "degree": 2}, "a72270a7d54a2eea"),
    ("C12xC9", {"m": 20, "objective": "deviation"}, "2eb7ec8137a5494d"),
    ("Z2^40", {"m": 16, "degree": 2}, "66f14af546d1782a"),
    ("B4", {"degree": 2}, "a12f26abb96e9689"),
    ("S10xS12", {"m": 32, "degree": 1}, "415ab8d2af5fa49f"),
]


@pytest.mark.parametrize(("name", "options", "sha256"), PINNED)
def test_a_design_is_the_same_on_every_machine_and_in_every_version(name, options, sha256):
    assert sa.design(sa.group(name), **options).sha256.startswith(sha256)


KNOWN = {
    ("S7", 2): "AGL(1,7)",
    ("S8", 3): "PGL(2,7)",
    ("S10", 2): "PSL(2,9)",
    ("A8", 1): "even Latin square",
    ("A8", 2): "AGL(1,8)",
    ("S5", 3): "PGL(2,4)",
    ("S6", 4): "A6",
    ("S6", 5): "full",
    ("Z2^31", 1): "none and all",
    ("Z2^31", 2): "Hadamard array",
    ("Z2^31", 3): "Hadamard array with complements",
    ("Z2^31", 4): "BCH array of strength 4",
    ("B7", 2): "crossed AGL(1,7) x Hadamard array",
}


@pytest.mark.parametrize(("name", "degree"), KNOWN)
def test_the_smallest_exact_design_is_taken(name, degree):
    S = sa.design(sa.group(name), degree=degree)
    assert S.origin.design == KNOWN[name, degree]
    exact = [o.m for o in sa.records(S.group) if o.m and o.degree >= degree]
    assert S.m == min(exact)


def test_with_m_and_degree_an_exact_design_that_fits_is_taken_first():
    assert sa.design(sa.symmetric(7), m=64, degree=2).m == 42
    S = sa.design(sa.symmetric(7), m=41, degree=2)
    assert (S.origin.design, S.m) == ("search by degree 2", 41)
    assert 0 < sa.deviation(S, degree=2).value < 0.3


def test_the_whole_group_is_taken_where_m_reaches_it():
    S = sa.design(sa.dihedral(5), m=64)
    assert (S.origin.design, S.m) == ("full", 10)
    assert sa.deviation(S).value < 1e-12


@pytest.mark.parametrize(("name", "m"), [("S5", 24), ("D9", 7), ("C8xC6", 13), ("Cube48", 12)])
def test_prefixes_of_the_nested_choice_are_the_choice_of_fewer(name, m):
    group = sa.group(name)
    rows = sa.design(group, m=m, name="nested").elements
    for k in (1, 2, m // 2, m - 1):
        assert np.array_equal(sa.design(group, m=k, name="nested").elements, rows[:k])


def test_searches_stay_in_the_alternating_group_and_beat_draws():
    group = sa.alternating(9)
    S = sa.design(group, m=24, degree=2)
    drawn = [sa.deviation(sa.Oracle(group, seed=s).draw(24), degree=2).value for s in range(4)]
    assert sa.deviation(S, degree=2).value < min(drawn)


@pytest.mark.parametrize(("name", "m"), [("C8xC8", 32), ("D8xD8", 128)])
def test_lattices_are_exact_below_the_shortest_frequency_of_their_dual(name, m):
    """The checkerboard of 32 of 64 shifts is exact but for the frequency (4, 4)."""
    group = sa.group(name)
    S = sa.design(group, m=m, name="lattice")
    bad = [irrep.name for irrep in group.irreps() if _norm(irrep, S) > 1e-9]
    assert len(bad) == 2 if name == "C8xC8" else 2 <= len(bad) <= 9
    columns = [0, 2] if name == "D8xD8" else [0, 1]
    assert not (S.elements[:, columns].sum(axis=1) % 2).any()


def test_no_lattice_of_its_size_is_exact_to_a_higher_frequency_than_the_best():
    """Seven of 7 x 7 shifts: all subgroups, and waves with frequencies of either sign."""
    group = sa.abelian(7, 7)
    waves = np.array([f for f in itertools.product(range(-3, 4), repeat=2) if any(f)])

    def shortest(rows):
        means = np.exp(2j * np.pi * (waves @ rows.T) / 7).mean(axis=1)
        return np.linalg.norm(waves[abs(means) > 0.5], axis=1).min()

    rows = sa.design(group, m=7, name="lattice").elements
    subgroups = [np.arange(7)[:, None] * g % 7 for g in group.all_elements()[1:]]
    assert shortest(rows) == pytest.approx(max(map(shortest, subgroups)))


def _norm(irrep, S):
    return np.linalg.norm(irrep.matrices(S.elements).mean(axis=0), 2)


def test_lattices_of_every_divisor_are_subgroups_of_that_size():
    group = sa.abelian(12, 6)
    for m in [d for d in range(1, 73) if 72 % d == 0]:
        S = sa.design(group, m=m, name="lattice")
        assert S.m == len(S.counts()[0]) == m
        sums = group.compose(S.elements[:, None], S.elements[None]).reshape(-1, 2)
        assert len(np.unique(sums, axis=0)) == m


def test_difference_sets_have_every_quotient_equally_often():
    for n, m in ((7, 3), (13, 4), (21, 5), (31, 6), (57, 8), (73, 9), (91, 10)):
        S = sa.design(sa.cyclic(n), m=m, objective="deviation")
        assert S.m == m
        differences = (S.elements - S.elements.T) % n
        assert np.bincount(differences.ravel(), minlength=n).tolist() == [m] + [1] * (n - 1)


@pytest.mark.parametrize(
    ("group", "options", "error"),
    [
        ("S21", {"degree": 2}, UnsupportedError),
        ("S24", {"degree": 5}, GroupTooLargeError),
        ("S7", {}, ArgumentError),
        ("S20", {"m": 64, "objective": "deviation"}, UnsupportedError),
        ("Rubik", {"degree": 1}, UnsupportedError),
        ("Cube24", {"degree": 1}, UnsupportedError),
        ("C4xC4xC4", {"m": 31, "name": "lattice"}, ArgumentError),
        ("S7", {"name": "PGL(2,7)"}, ArgumentError),
        ("S7", {"m": 7, "name": "AGL(1,7)"}, ArgumentError),
        ("S7", {"degree": 3, "name": "AGL(1,7)"}, ArgumentError),
        ("S20", {"m": 4, "name": "search", "objective": "deviation"}, ArgumentError),
        ("S8", {"m": 20_000, "name": "search"}, ArgumentError),
        ("S20", {"m": 5, "degree": 3}, UnsupportedError),
    ],
)
def test_what_cannot_be_had_is_said_at_once(group, options, error):
    with pytest.raises(error):
        sa.design(sa.group(group), **options)


@pytest.mark.parametrize("name", ["S200000", "A200000", "C4611686018427387904", "B100000"])
def test_groups_of_any_size_are_answered_at_once(name):
    group = sa.group(name)
    assert str(sa.records(group))
    with pytest.raises((UnsupportedError, GroupTooLargeError), match="degree=1"):
        sa.design(group, degree=1)


def test_two_rows_are_exact_to_degree_1_of_any_number_of_signs():
    S = sa.design(sa.group("Z2^100000"), degree=1)
    assert S.m == 2
    assert set(S.elements.sum(axis=0)) == {1}


def test_a_subgroup_that_is_a_design_is_not_told_to_draw_more():
    S = sa.design(sa.symmetric(7), degree=2)
    reason = sa.deviation(S).reason
    assert "AGL(1,7)" in reason
    assert "degree=" in reason
    assert "draw more" not in reason
    assert "AGL(1,7) is exact for up to 2 coordinates" in reason
    given = sa.GroupSample(S.group, S.elements)
    assert "but S is exact for up to 2 coordinates" in sa.deviation(given).reason


@pytest.mark.parametrize("name", ["C427", "C28xC28", "C30xC20", "D427"])
@pytest.mark.parametrize("m", [10, 16, 46])
def test_where_m_is_no_divisor_a_lattice_is_rounded_and_still_good(name, m):
    group = sa.group(name)
    S = sa.design(group, m=m, name="lattice")
    assert S.m == m == len(np.unique(S.elements, axis=0))
    spectrum = prior(group)
    assert spectrum.predict(S).value < 0.35 * spectrum.predict(m).value
