"""What a group is stands on the group: six members make a family, and no package lists families."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import sparseaug as sa
from sparseaug._archive import save_archive
from sparseaug.errors import ArgumentError, SparseAugError
from sparseaug.groups import Group, Rows, from_dict
from sparseaug.groups.catalogue import CATALOGUE
from sparseaug.groups.representations import class_labels
from sparseaug.testing import check_group

SOURCE = Path(sa.__file__).parent


@dataclass(frozen=True)
class Heisenberg(Group):
    """The matrices 1 + a E12 + b E23 + c E13 modulo p, by the six members that a family needs."""

    p: int

    @property
    def name(self) -> str:
        return f"Heisenberg modulo {self.p}"

    @property
    def radices(self) -> tuple[int, ...]:
        return (self.p,) * 3

    def _compose(self, a: Rows, b: Rows) -> Rows:
        x, y = np.broadcast_arrays(a, b)
        return (x + y + np.eye(3, dtype=int)[2] * x[..., :1] * y[..., 1:2]) % self.p

    def _inverse(self, a: Rows) -> Rows:
        return (-a + np.eye(3, dtype=int)[2] * a[..., :1] * a[..., 1:2]) % self.p


def test_four_members_make_a_group():
    assert sorted(Group.__abstractmethods__) == ["_compose", "_inverse", "name", "radices"]
    for p in (1, 2, 3, 5, 7):
        check_group(Heisenberg(p))


def test_the_defaults_are_the_truth():
    g = Heisenberg(5)
    assert (g.width, g.is_abelian, Heisenberg(1).is_abelian) == (3, False, True)
    assert g.contains(np.array([[0, 4, 1], [0, 5, 1], [-1, 0, 0]])).tolist() == [True, False, False]
    assert g.closure(g.generators()).all()
    assert len(g.generators()) <= 3
    assert class_labels(g).max() + 1 == 5**2 + 5 - 1
    value, exact = g.dimension_sum()  # p^2 - 1 characters and p - 1 irreps of dimension p
    assert 24 + 4 * 5 <= value < g.order - 1
    assert not exact
    faithful = g.faithful()
    rows = g.all_elements()
    images = faithful.images(rows)
    assert faithful.points == g.order == len(np.unique(images, axis=0))
    product = faithful.images(g.compose(rows[:9], rows[31:40]))
    assert np.array_equal(product, np.take_along_axis(images[:9], images[31:40], axis=1))


def test_a_family_of_four_members_is_sampled_planned_and_judged():
    g = Heisenberg(3)
    S = sa.Oracle(g, seed=0).draw(40)
    found = sa.deviation(S)
    assert found.method == "regular"
    assert found.rigorous
    assert not found.reason
    assert "Heisenberg" in str(sa.plan(g, eps=0.1, delta=0.05, C=1.0, B=1.0, L=1.0, gap=1.0))
    coset = sa.GroupSample(
        g, g.compose([[1, 0, 0]], [[0, b, c] for b in range(3) for c in range(3)])
    )
    assert "coset of a subgroup of order 9, index 3" in sa.deviation(coset).reason


def families() -> set[str]:
    names = set()
    for cls in Group.__subclasses__():
        if cls.__module__.startswith("sparseaug.groups."):
            names.add(cls.__name__)
    return names


@pytest.mark.parametrize("package", ["norms", "designs", "plans"])
def test_no_package_asks_for_concrete_families(package):
    """Neither isinstance(x, Abelian), case Abelian() nor type(x) is Abelian: a trait says it."""
    found = []
    paths = sorted((SOURCE / package).rglob("*.py"))
    assert paths
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
                asked = {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)}
            elif isinstance(node, ast.MatchClass):
                asked = {getattr(node.cls, "id", "")}
            elif isinstance(node, ast.Compare):
                asked = {getattr(side, "id", "") for side in node.comparators}
            else:
                continue
            if asked & families():
                found.append(f"{path.name}:{node.lineno}")
    assert found == []


ANOTHERS = ["M11", "M12", "M5", "Rubik", "Cube24", "Cube48", "S6", "Grid28", "Z2", "C2v", "D4h"]


@pytest.mark.parametrize("label", ANOTHERS)
def test_a_label_cannot_steal_a_name_of_the_catalogue(label):
    turn = [[[1.0, 0.0], [0.0, 1.0]], [[-1.0, 0.0], [0.0, -1.0]]]
    for make in (
        lambda: sa.permutation_group([[1, 0]], label=label),
        lambda: sa.table_group([[0, 1], [1, 0]], label=label),
        lambda: sa.matrix_group(turn, label=label),
        lambda: from_dict({"permutations": [[1, 0]], "label": label}),
        lambda: from_dict({"table": [[0, 1], [1, 0]], "label": label}),
        lambda: from_dict({"matrices": turn, "label": label}),
    ):
        with pytest.raises(ArgumentError, match=f"label='{label}' reads like the name of another"):
            make()


def test_a_file_whose_group_bears_a_stolen_name_is_refused(tmp_path):
    S = sa.GroupSample(sa.symmetric(2), [[1, 0]])
    facts = {"group": {"permutations": [[1, 0]], "label": "M11"}, **S._facts()}
    save_archive(tmp_path / "S", "sparseaug.GroupSample/1", {"elements": S.elements}, facts)
    with pytest.raises(SparseAugError, match="label='M11'"):
        sa.GroupSample.load(tmp_path / "S")


def test_every_row_of_the_catalogue_is_a_group_that_bears_its_name():
    for row in CATALOGUE:
        assert sa.group(row.example).name == row.example
        assert row.letters == row.example or row.example.startswith(row.letters)
        assert row.acts_by in dir(sa)


def test_a_closure_of_many_elements_uses_the_few_that_generate_it():
    g = sa.group("Grid64")
    half = g.all_elements()[::2]  # without flips: 16384 elements, of which three generate the rest
    assert g.closure(half).sum() == len(half) == g.order // 2
