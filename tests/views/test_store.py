"""What a store holds is what a direct computation gives, however it was computed."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.cli import cli
from sparseaug.errors import ArgumentError, ConfigMismatchError, FileFormatError, StorageError
from sparseaug.views.places import Folder
from tests.extras import optional
from tests.views.common import ACTION, D4, N, S, X, compute, direct, features, files, several

zarr = optional("zarr")
torch = optional("torch")
pytest.importorskip("zarr")


def test_the_store_holds_the_function_of_every_moved_sample(tmp_path):
    store = compute(tmp_path / "a")
    assert np.array_equal(store.array(), direct())
    again = sa.views.open(tmp_path / "a")
    assert np.array_equal(again.array(samples=[22, 3, 3]), direct()[[22, 3, 3]])
    assert again.S == S
    assert np.array_equal(again.S.elements, S.elements)
    assert (again.n, again.outputs, again.function) == (N, ("values",), "features 1")


def test_zarr_itself_reads_the_store_and_its_checksums(tmp_path):
    compute(tmp_path / "a")
    group = zarr.open_group(str(tmp_path / "a"), mode="r")
    assert np.array_equal(group["values"][:], direct())
    assert group.attrs["sparseaug"]["S"] == S.sha256
    assert [name for name, _ in group.arrays()] == ["values"]
    chunk = next(path for path in (tmp_path / "a/values/c").rglob("0") if path.is_file())
    data = bytearray(chunk.read_bytes())
    data[0] ^= 1
    chunk.write_bytes(data)
    with pytest.raises(ValueError, match="checksum"):
        group["values"][:]


def test_without_a_function_the_moved_copies_are_kept(tmp_path):
    store = sa.views.compute(X, ACTION, S, out=tmp_path / "a", batch=5)
    assert np.array_equal(store.array(), np.moveaxis(ACTION(S.counts()[0], X), 0, 1))


def test_a_dict_of_outputs_becomes_named_arrays(tmp_path):
    store = compute(tmp_path / "a", function=several)
    assert store.outputs == ("corner", "row", "sign")
    moved = np.moveaxis(ACTION(S.counts()[0], X), 0, 1)
    assert np.array_equal(store.array("corner"), moved[:, :, 0, 0])
    assert np.array_equal(store.array("row"), moved[:, :, 1])
    assert store.array("sign").dtype == bool
    with pytest.raises(ArgumentError, match="name=None is not an output"):
        store.array()


def test_a_chunk_of_zeros_is_written_too(tmp_path):
    sa.views.compute(np.zeros_like(X), ACTION, S, out=tmp_path / "a")
    sa.views.open(tmp_path / "a").verify()


class Items:
    """A data set of torch's kind."""

    def __len__(self):
        return N

    def __getitem__(self, i):
        return X[i], i


class Table(Items):
    """A data set of Hugging Face's kind."""

    def __getitem__(self, i):
        return {"image": X[i].tolist(), "label": i}


class Once:
    """An iterable with a length."""

    def __len__(self):
        return N

    def __iter__(self):
        return iter(list(X))


@pytest.mark.parametrize("kind", [Items, Table, Once, list])
@pytest.mark.parametrize("workers", [1, 2])
def test_every_kind_of_source_and_number_of_workers_gives_the_same_bytes(tmp_path, kind, workers):
    compute(tmp_path / "a")
    options = {"column": "image"} if kind is Table else {}
    compute(
        tmp_path / "b",
        source=list(X) if kind is list else kind(),
        workers=workers,
        **options,
    )
    a, b = files(tmp_path / "a"), files(tmp_path / "b")
    if kind is Table:
        a.pop("zarr.json"), b.pop("zarr.json")  # which names the column
    assert a == b


def test_a_hugging_face_data_set_gives_the_same_bytes(tmp_path):
    data = optional("datasets").Dataset.from_dict({"image": X.tolist(), "label": list(range(N))})
    lists = compute(tmp_path / "a", source=data, column="image")
    assert np.array_equal(lists.array(), direct())
    arrays = compute(tmp_path / "b", source=data.with_format("numpy"), column="image")
    assert arrays.array().dtype == np.float32
    assert np.allclose(arrays.array(), direct(), atol=1e-6)


def test_the_command_tells_what_a_store_holds_and_what_is_damaged(tmp_path, capsys):
    run = partial(cli.main, prog_name="sparseaug", standalone_mode=False)
    compute(tmp_path / "a", dtype="float16")
    run(["views", "info", str(tmp_path / "a")])
    told = capsys.readouterr().out
    assert "features 1" in told
    assert "(23, 4, 2), float16" in told
    assert "5 elements, 4 distinct" in told
    run(["views", "verify", str(tmp_path / "a")])
    assert "is sound" in capsys.readouterr().out
    (tmp_path / "a/values/c/2/1/0").write_bytes(b"x")
    with pytest.raises(FileFormatError, match=r"c/2/1/0 is damaged"):
        run(["views", "verify", str(tmp_path / "a")])
    (tmp_path / "a/values/c/2/1/0").unlink()
    run(["views", "info", str(tmp_path / "a")])
    assert "24 chunks, 1 missing: incomplete" in capsys.readouterr().out


def test_a_torch_module_evaluates_without_gradients_and_is_left_as_it_was(tmp_path):
    net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Dropout(0.5), torch.nn.Linear(16, 3))
    x = torch.from_numpy(X).float()
    store = compute(tmp_path / "a", source=x, function=net, batch=N)
    assert net.training
    assert net[1].training
    net.eval()
    with torch.no_grad():
        wanted = torch.stack([net(moved) for moved in ACTION(S.counts()[0], x)], 1)
    assert np.array_equal(store.array(), wanted.numpy())
    arrays = compute(tmp_path / "b", source=x.numpy(), function=net, batch=N)
    assert np.array_equal(arrays.array(), wanted.numpy())
    data = torch.utils.data.TensorDataset(x, torch.arange(N))
    assert np.array_equal(
        compute(tmp_path / "c", source=data, function=net, batch=N).array(), wanted
    )


def test_float16_is_stored_and_float32_read_within_its_error(tmp_path):
    store = compute(tmp_path / "a", dtype="float16")
    values = store.array()
    assert values.dtype == np.float32
    assert (abs(values - direct()) <= 2**-11 * abs(direct()) + 2**-25).all()
    with pytest.raises(ArgumentError, match="no numbers as large as"):
        compute(tmp_path / "b", function=lambda x: 1e6 + features(x), dtype="float16")


def test_the_mean_weights_elements_by_their_counts(tmp_path):
    store = compute(tmp_path / "a")
    wanted = np.mean([features(moved) for moved in ACTION(S, X)], axis=0)
    assert np.allclose(store.mean(), wanted, rtol=0, atol=1e-14)
    assert np.array_equal(store.mean(samples=[4, 2]), store.mean()[[4, 2]])


def test_items_are_the_copies_of_augment_in_its_order(tmp_path):
    data = compute(tmp_path / "a").dataset(np.arange(N))
    copies, y = sa.augment(ACTION, S, X, np.arange(N))
    assert len(data) == len(copies)
    assert np.array_equal(
        [value for value, _ in data.__getitems__(range(len(data)))], features(copies)
    )
    assert [int(data[k][1]) for k in range(len(data))] == y.tolist()
    with pytest.raises(IndexError):
        data[len(data)]


def test_views_of_a_sample_come_together(tmp_path):
    store = compute(tmp_path / "a")
    data = store.dataset(items="views")
    assert len(data) == N
    assert np.array_equal(data[5], [features(moved)[5] for moved in ACTION(S, X)])


def test_an_epoch_shows_one_view_of_each_and_m_epochs_show_all_of_them(tmp_path):
    store = compute(tmp_path / "a")
    data = store.dataset(items="epoch", samples=np.arange(0, 20, 2))
    everything = np.array([features(moved) for moved in ACTION(S, X)])[:, ::2][:, :10]
    shown = []
    for epoch in range(S.m):
        data.set_epoch(epoch)
        shown.append(np.array(data.__getitems__(range(len(data)))))
    order = np.argsort(np.array(shown), axis=0)
    assert np.array_equal(
        np.take_along_axis(np.array(shown), order, 0), np.sort(everything, axis=0)
    )
    assert len({tuple(view) for view in shown[0].tolist()}) == len(data)


def test_loaders_with_workers_read_the_same_items(tmp_path):
    data = compute(tmp_path / "a").dataset(np.arange(N))
    loader = torch.utils.data.DataLoader(data, batch_size=7, num_workers=2)
    values = torch.cat([batch for batch, _ in loader]).numpy()
    assert np.array_equal(values, features(sa.augment(ACTION, S, X)))


def test_a_split_puts_all_copies_of_a_sample_on_one_side(tmp_path):
    store = compute(tmp_path / "a")
    parts = store.split((0.6, 0.2, 0.2), rng=1)
    assert sorted(np.concatenate(parts).tolist()) == list(range(N))
    assert [len(part) for part in parts] == [14, 4, 5]
    rows = [store.xy(np.arange(N), samples=part) for part in parts]
    groups = [set(row.groups.tolist()) for row in rows]
    assert not groups[0] & groups[1] | groups[0] & groups[2] | groups[1] & groups[2]
    assert np.array_equal(rows[0].y, rows[0].groups)
    assert np.array_equal(rows[0].X, direct()[parts[0]].reshape(-1, 2))
    assert np.allclose(np.bincount(rows[0].groups, rows[0].weights)[parts[0]], 1)


def test_extend_computes_only_new_elements_and_rewrites_no_chunk(tmp_path):
    calls = []

    def counted(x):
        calls.append(len(x))
        return features(x)

    store = compute(tmp_path / "a", function=counted)
    chunks = {k: v for k, v in files(tmp_path / "a").items() if "/c/" in k}
    calls.clear()
    larger = store.extend(sa.GroupSample.full(D4))
    assert sum(calls) == N * (8 - 4) + 4  # and one batch before the store is changed
    assert chunks.items() <= files(tmp_path / "a").items()
    assert np.allclose(larger.mean(), direct(larger.S).mean(axis=1), rtol=0, atol=1e-14)
    assert np.array_equal(larger.rows[:4], S.counts()[0])
    opened = sa.views.open(tmp_path / "a")
    assert np.array_equal(opened.array(), larger.array())
    with pytest.raises(ArgumentError, match="S lacks 6 of the 8"):
        opened.extend(
            S=sa.GroupSample(D4, D4.all_elements()[:2]), source=X, action=ACTION, function=features
        )
    with pytest.raises(ArgumentError, match="source is not given"):
        opened.extend(S)


def test_a_store_of_something_else_is_refused_by_name(tmp_path):
    compute(tmp_path / "a")
    before = files(tmp_path / "a")
    others = {
        "S is": {"S": sa.GroupSample(D4, D4.all_elements()[:2])},
        "the length of source is 23 there and 22 here": {"source": X[:-1]},
        "function is 'features 1' there and 'features 2' here": {"name": "features 2"},
        "dtype is": {"dtype": "float32"},
        "batch is": {"batch": 5},
        "the first sample of source is": {"source": X[::-1].copy()},
    }
    for message, options in others.items():
        with pytest.raises(ConfigMismatchError, match=message):
            compute(tmp_path / "a", **options)
    with pytest.raises(ConfigMismatchError, match="action is"):
        sa.views.compute(
            X,
            sa.rotate_grid(D4, axes=(-1, -2)),
            S,
            features,
            out=tmp_path / "a",
            name="features 1",
            batch=4,
        )
    assert files(tmp_path / "a") == before


def test_the_order_of_the_rows_of_S_does_not_matter(tmp_path):
    compute(tmp_path / "a")
    compute(tmp_path / "a", S=sa.GroupSample(D4, S.elements[::-1]))


def test_arguments_are_refused_with_a_remedy(tmp_path):
    for options, message in (
        ({"name": None}, "name is not given"),
        ({"dtype": "int8"}, 'give "float16"'),
        ({"source": iter(X)}, "has no length"),
        ({"source": X[:0]}, "source is empty"),
        ({"source": Table()}, "name one with column="),
        ({"function": lambda x: x[:1]}, "one row per sample"),
        ({"function": lambda x: {"../x": x}}, "names are letters"),
        ({"workers": 0}, "workers=0"),
    ):
        with pytest.raises(ArgumentError, match=message):
            compute(tmp_path / "a", **options)
    (tmp_path / "b").mkdir()
    (tmp_path / "b/other.txt").write_text("x")
    with pytest.raises(StorageError, match="holds other files"):
        compute(tmp_path / "b")


def test_two_writers_at_once_one_is_refused(tmp_path):
    compute(tmp_path / "a")
    with Folder(tmp_path / "a").locked(), pytest.raises(StorageError, match="another process"):
        compute(tmp_path / "a")
    compute(tmp_path / "a")


def test_progress_announces_the_bytes_before_work_starts(tmp_path):
    seen = []
    compute(tmp_path / "a", progress=lambda done, total: seen.append((done, total)))
    total = 6 * 4 * (4 * 2 * 8 + 4)  # blocks, elements, and samples, numbers, bytes of a chunk
    assert seen[0] == (0, total)
    assert seen[-1] == (total, total)
