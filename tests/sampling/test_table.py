"""Own elements for each sample: how they are drawn, counted, kept, and used for copies."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError, FileFormatError

D4 = sa.dihedral(4)


def test_draws_are_those_of_the_oracle_and_are_counted() -> None:
    oracle = sa.Oracle(D4, seed=3)
    table = sa.SampleTable.draws(oracle, n=20, m=5, identity=True)
    drawn = sa.Oracle(D4, seed=3).fresh(80).elements.reshape(20, 4, 2)
    assert np.array_equal(table.rows[:, 1:], drawn)
    assert not table.rows[:, 0].any()
    assert table.calls == oracle.calls == 80


@pytest.mark.parametrize("identity", [False, True])
def test_distinct_draws_of_as_many_as_there_are_are_all_of_the_group(identity: bool) -> None:
    oracle = sa.Oracle(D4, seed=0)
    table = sa.SampleTable.draws(oracle, n=30, m=8, identity=identity, distinct=True)
    assert all(len(np.unique(rows, axis=0)) == 8 for rows in table.rows)
    assert table.calls == oracle.calls > 8 * 30


def test_each_sample_s_distinct_draws_are_uniform() -> None:
    """Pairs of different elements of C_4, in order: 12; chi-square, failing by chance 1e-4."""
    table = sa.SampleTable.draws(sa.Oracle("C4", seed=1), n=6000, m=2, distinct=True)
    seen = np.bincount(table.rows[:, 0, 0] * 4 + table.rows[:, 1, 0], minlength=16)
    assert (seen[::5] == 0).all()
    others = np.delete(seen, [0, 5, 10, 15])
    assert ((others - 500) ** 2 / 500).sum() < 37.4  # 11 degrees of freedom


def test_translates_are_the_design_moved_for_each() -> None:
    S = sa.design("S5", degree=1)
    table = sa.SampleTable.translates(S, sa.Oracle("S5", seed=0), n=7)
    h = sa.Oracle("S5", seed=0).draw(7).elements
    for i in range(7):
        assert np.array_equal(table.rows[i], S.group.compose(S.elements, h[i][None]))
        assert sa.deviation(sa.GroupSample(S.group, table.rows[i]), degree=1).value < 1e-9
    assert table.calls == 7
    assert table.origin.design == S.origin.design


def test_a_table_survives_files_and_json(tmp_path: Path) -> None:
    for group in (D4, sa.rotations(3)):
        table = sa.SampleTable.draws(sa.Oracle(group, seed=0), n=4, m=3)
        table.save(tmp_path / f"{group.name}.safetensors")
        for copy in (
            sa.SampleTable.load(tmp_path / f"{group.name}.safetensors"),
            sa.SampleTable.from_dict(json.loads(json.dumps(table.to_dict()))),
        ):
            assert copy == table
            assert hash(copy) == hash(table)
            assert (copy.sha256, copy.calls, copy.origin) == (
                table.sha256,
                table.calls,
                table.origin,
            )


def test_the_hash_knows_whose_the_rows_are() -> None:
    table = sa.SampleTable.draws(sa.Oracle(D4, seed=0), n=4, m=3)
    other = sa.SampleTable(D4, table.rows[::-1])
    assert other.sha256 != table.sha256
    assert other != table


def test_a_damaged_file_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "table.safetensors"
    sa.SampleTable.draws(sa.Oracle(D4, seed=0), n=4, m=3).save(path)
    data = bytearray(path.read_bytes())
    data[-3] ^= 1
    path.write_bytes(data)
    with pytest.raises(FileFormatError):
        sa.SampleTable.load(path)
    sa.Oracle(D4).draw(4).save(tmp_path / "S.safetensors")
    with pytest.raises(FileFormatError, match="schema"):
        sa.SampleTable.load(tmp_path / "S.safetensors")


def test_copies_are_samples_moved_one_by_one() -> None:
    x = np.random.default_rng(0).normal(size=(5, 4, 4))
    y = np.random.default_rng(1).normal(size=(5, 4, 4))
    act = sa.rotate_grid(D4)
    table = sa.SampleTable.draws(sa.Oracle(D4, seed=2), n=5, m=3)
    moved, along = sa.augment(act, table, x, y, y_action=act)
    for j in range(3):
        for i in range(5):
            g = table.rows[i, j][None]
            assert np.array_equal(moved[5 * j + i], act(g, x[i : i + 1])[0, 0])
            assert np.array_equal(along[5 * j + i], act(g, y[i : i + 1])[0, 0])
    with pytest.raises(ArgumentError, match="for 5 samples, not for 4"):
        sa.augment(act, table, x[:4])


def test_a_loader_gives_the_same_copies() -> None:
    torch = pytest.importorskip("torch")
    from sparseaug.nn import OneShotDataset

    x = np.random.default_rng(0).normal(size=(5, 4, 4))
    act = sa.rotate_grid(D4)
    table = sa.SampleTable.draws(sa.Oracle(D4, seed=2), n=5, m=3)
    data = torch.utils.data.TensorDataset(torch.from_numpy(x), torch.arange(5))
    copies = OneShotDataset(data, act, table)
    loader = torch.utils.data.DataLoader(copies, batch_size=4)
    seen, labels = (torch.cat(parts) for parts in zip(*loader, strict=True))
    assert np.array_equal(seen.numpy(), sa.augment(act, table, x))
    assert labels.tolist() == 3 * list(range(5))
