"""What a store holds is what a direct computation gives."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.cli import cli
from sparseaug.errors import ArgumentError, ConfigMismatchError, FileFormatError
from tests.extras import optional
from tests.views.common import (
    ACTION,
    D4,
    N,
    S,
    X,
    compute,
    direct,
    features,
    files,
    several,
    values_of,
)

zarr = optional("zarr")
torch = optional("torch")
pytest.importorskip("zarr")


@pytest.mark.parametrize(
    "elements", [S.elements, sa.design("C28", m=16, name="nested").elements[:8]]
)
def test_column_j_is_element_j_of_the_s_that_was_given(tmp_path, elements):
    group = D4 if elements.shape == S.elements.shape else sa.cyclic(28)
    action = ACTION if group is D4 else sa.permute_axis(group)
    x = X if group is D4 else np.random.default_rng(1).normal(size=(9, 28))
    every = group.all_elements()
    for k, rows in enumerate((elements, elements[::-1], np.concatenate([every[::-1], elements]))):
        sample = sa.GroupSample(group, rows)
        if k < 2:
            store = sa.views.compute(x, action, sample, out=tmp_path / "a")
        else:
            store = store.extend(sample)
        wanted = np.moveaxis(action(sample, x), 0, 1)
        for read in (store, sa.views.open(tmp_path / "a")) if k != 1 else (store,):
            assert np.array_equal(read.S.elements, rows)
            assert np.array_equal(read.array(), wanted)
            assert np.array_equal(read.array(samples=[2, 2], elements=[1]), wanted[[2, 2]][:, [1]])
            assert np.array_equal(read.dataset(items="views")[5], wanted[5])


def test_zarr_itself_reads_the_store_and_its_checksums(tmp_path):
    store = compute(tmp_path / "a")
    group = zarr.open_group(str(tmp_path / "a"), mode="r")
    assert np.array_equal(group["values"][:], direct()[:, :4])  # distinct elements as they appear
    assert set(group.attrs["sparseaug"]["sample"]) == set(S.to_dict())
    chunk = tmp_path / "a/values/c.2.1.0"
    data = bytearray(chunk.read_bytes())
    data[0] ^= 1
    chunk.write_bytes(data)
    with pytest.raises(ValueError, match="checksum"):
        group["values"][:]
    assert (store.n, store.outputs, store.function) == (N, ("values",), "features 1")


def test_a_dict_of_outputs_becomes_named_arrays(tmp_path):
    store = compute(tmp_path / "a", function=several)
    assert store.outputs == ("corner", "row", "sign")
    moved = np.moveaxis(ACTION(S, X), 0, 1)
    assert np.array_equal(store.array("corner"), moved[:, :, 0, 0])
    assert np.array_equal(store.array("row"), moved[:, :, 1])
    assert store.array("sign").dtype == bool
    with pytest.raises(ArgumentError, match="name=None is not an output"):
        store.array()


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
    (tmp_path / "a/values/c.2.1.0").write_bytes(b"x")
    with pytest.raises(FileFormatError, match="1 of 24 chunks are missing"):
        run(["views", "verify", str(tmp_path / "a")])
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
        wanted = torch.stack([net(moved) for moved in ACTION(S, x)], 1)
    assert np.array_equal(store.array(), wanted.numpy())
    data = torch.utils.data.TensorDataset(x, torch.arange(N))
    found = compute(tmp_path / "b", source=data, function=net, batch=N).array()
    assert np.array_equal(found, wanted.numpy())


def test_float16_is_stored_and_float32_read_within_its_error(tmp_path):
    values = compute(tmp_path / "a", dtype="float16").array()
    assert values.dtype == np.float32
    assert (abs(values - direct()) <= 2**-11 * abs(direct()) + 2**-25).all()
    with pytest.raises(ArgumentError, match="cannot hold"):
        compute(tmp_path / "b", function=lambda x: 1e6 + features(x), dtype="float16")


def test_bfloat16_is_rounded_as_torch_does(tmp_path):
    store = compute(tmp_path / "a", dtype="bfloat16")
    wanted = torch.from_numpy(direct()).float().bfloat16().float().numpy()
    assert np.array_equal(store.array(), wanted)
    special = np.array([[np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, 3.3e38]], np.float32)
    odd = compute(
        tmp_path / "b", function=lambda x: np.tile(special, (len(x), 1)), dtype="bfloat16"
    )
    wanted = torch.from_numpy(special).bfloat16().float().numpy()
    assert np.array_equal(odd.array()[0, 0], wanted[0], equal_nan=True)
    with pytest.raises(ArgumentError, match="cannot hold"):
        compute(tmp_path / "c", function=lambda x: x[:, 0] * 0 + 3.4e38, dtype="bfloat16")


def test_the_mean_weights_elements_by_their_counts(tmp_path):
    store = compute(tmp_path / "a")
    wanted = direct().mean(axis=1)
    assert np.allclose(store.mean(), wanted, rtol=0, atol=1e-14)
    assert np.array_equal(store.mean(samples=[4, 2]), store.mean()[[4, 2]])


def test_the_spectrum_of_a_store_is_that_of_the_function_without_a_pass(tmp_path):
    def smooth(x):
        return np.tanh(x[:, 0, 0] + 2 * x[:, 0, 1] * x[:, 1, 0])[:, None]

    store = compute(tmp_path / "a", S="full", function=smooth)
    wanted = sa.orbit_spectrum(smooth, ACTION, X)
    assert store.spectrum().variance == pytest.approx(wanted.variance, rel=1e-12)
    assert store.spectrum().shares == pytest.approx(wanted.shares, abs=1e-12)
    act = sa.permute_axis(sa.symmetric(7))
    drawn = sa.Oracle(act.group, 5).draw(400)
    x = np.random.default_rng(1).normal(size=(30, 7))
    some = sa.views.compute(
        x, act, drawn, lambda x: x[:, :1] * x[:, 1:2], out=tmp_path / "b", name="product"
    ).spectrum()
    exact = sa.orbit_spectrum(lambda x: x[:, :1] * x[:, 1:2], act, x)
    assert exact.exact
    assert not some.exact
    assert some.shares[2] == pytest.approx(exact.shares[2], abs=4 * some.errors[2] + 0.02)
    with pytest.raises(ArgumentError, match=r"neither all of D4 nor drawn from it"):
        compute(tmp_path / "c").spectrum()


def test_items_are_the_copies_of_augment_in_its_order(tmp_path, monkeypatch):
    store = compute(tmp_path / "a")
    copies, y = sa.augment(ACTION, S, X, np.arange(N))
    for room in (1 << 30, 300, 0):  # chunks stay in memory, some of them, none
        monkeypatch.setattr("sparseaug.views.store._HELD", room)
        data = sa.views.open(tmp_path / "a").dataset(np.arange(N))
        assert len(data) == len(copies)
        for _ in range(2):
            items = data.__getitems__(range(len(data)))
            assert np.array_equal([value for value, _ in items], features(copies))
        assert [int(data[k][1]) for k in range(len(data))] == y.tolist()
    with pytest.raises(IndexError):
        data[len(data)]
    loader = torch.utils.data.DataLoader(store.dataset(), batch_size=7, num_workers=2)
    assert np.array_equal(torch.cat(list(loader)).numpy(), features(copies))


def test_an_epoch_shows_one_view_of_each_and_m_epochs_show_all_of_them(tmp_path):
    store = compute(tmp_path / "a")
    data = store.dataset(items="epoch", samples=np.arange(0, 20, 2))
    everything = direct()[::2][:10].swapaxes(0, 1)
    loader = torch.utils.data.DataLoader(data, batch_size=N, num_workers=1, persistent_workers=True)
    shown = []
    for epoch in range(S.m):
        data.set_epoch(epoch)
        shown.append(torch.cat(list(loader)).numpy())  # also by a worker that lives on
        assert np.array_equal(shown[-1], data.__getitems__(range(len(data))))
    assert np.array_equal(np.sort(shown, axis=0), np.sort(everything, axis=0))
    assert not np.array_equal(shown[0], shown[1])


def test_a_split_puts_all_copies_of_a_sample_on_one_side(tmp_path):
    store = compute(tmp_path / "a")
    parts = store.split((0.6, 0.2, 0.2), rng=1)
    assert sorted(np.concatenate(parts).tolist()) == list(range(N))
    assert [len(part) for part in parts] == [14, 4, 5]
    rows = [store.xy(np.arange(N), samples=part) for part in parts]
    groups = [set(row.groups.tolist()) for row in rows]
    assert not groups[0] & groups[1] | groups[0] & groups[2] | groups[1] & groups[2]
    assert np.array_equal(rows[0].y, rows[0].groups)
    assert np.array_equal(rows[0].X, direct()[parts[0], :4].reshape(-1, 2))
    assert rows[0].weights[:4].tolist() == [0.2, 0.2, 0.4, 0.2]


def test_extend_computes_only_new_elements_and_rewrites_no_chunk(tmp_path):
    calls = []

    def counted(x):
        calls.append(len(x))
        return features(x)

    store = compute(tmp_path / "a", function=counted)
    chunks = values_of(tmp_path / "a")
    calls.clear()
    larger = store.extend(sa.GroupSample.full(D4))
    assert sum(calls) == N * (8 - 4) + 3  # a batch of the last block again
    assert chunks.items() <= files(tmp_path / "a").items()
    assert np.array_equal(larger.array(), direct(larger.S))
    with pytest.raises(ConfigMismatchError, match="S lacks 6 of the 8"):
        store.extend(S=sa.GroupSample(D4, D4.all_elements()[:2]))


def test_a_store_of_something_else_is_refused_by_name(tmp_path):
    compute(tmp_path / "a")
    before = files(tmp_path / "a")
    others = {
        "S lacks 2 of the 4": {"S": sa.GroupSample(D4, S.elements[:2])},
        "n is 23 there and 22 here": {"source": X[:-1]},
        "function is 'features 1' there and 'features 2' here": {"name": "features 2"},
        "dtype is": {"dtype": "float32"},
        "batch is": {"batch": 5},
        "source is": {"source": np.concatenate([X[:-1], X[:1]])},
    }
    for message, options in others.items():
        with pytest.raises(ConfigMismatchError, match=message):
            compute(tmp_path / "a", **options)
    other = sa.rotate_grid(D4, axes=(-1, -2))
    call = {"out": tmp_path / "a", "name": "features 1", "batch": 4}
    with pytest.raises(ConfigMismatchError, match="action is"):
        sa.views.compute(X, other, S, features, **call)
    assert files(tmp_path / "a") == before


class Scaled:
    """A callable object."""

    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return x[:, 0] * self.factor

    def method(self, x):
        return self(x)


def scaled(x, factor):
    return x[:, 0] * factor


def closed_over(factor):
    return lambda x: x[:, 0] * factor


def linear(seed):
    torch.manual_seed(seed)
    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16, 2).double())


GLOBAL = {"factor": 1.0}


@pytest.mark.parametrize(
    "make",
    [
        Scaled,
        lambda k: Scaled(k).method,
        lambda k: partial(scaled, factor=np.array([k])),
        closed_over,
        linear,
        lambda k: (lambda x: x[:, 0]) if k == 1 else (lambda x: x[:, 1]),
    ],
)
def test_a_function_that_computes_something_else_is_noticed_under_the_same_name(tmp_path, make):
    compute(tmp_path / "a", function=make(1))
    compute(tmp_path / "a", function=make(1))
    with pytest.raises(ConfigMismatchError, match="fingerprint is"):
        compute(tmp_path / "a", function=make(2))


def test_what_a_fingerprint_cannot_see_one_chunk_computed_again_does(tmp_path):
    def of_global(x):
        return x[:, 0] * GLOBAL["factor"]

    class Drifting:
        shift = 0.0

        def __len__(self):
            return 100

        def __getitem__(self, i):
            return X[i % N] + (self.shift if i == 99 else 0)

    compute(tmp_path / "a", function=of_global)
    compute(tmp_path / "b", source=Drifting(), function=of_global)
    GLOBAL["factor"] = 1.001  # as on another processor, or in another precision
    compute(tmp_path / "a", function=of_global)
    GLOBAL["factor"] = 2.0
    with pytest.raises(ConfigMismatchError, match="has other 'values'"):
        compute(tmp_path / "a", function=of_global)
    GLOBAL["factor"] = 1.0
    Drifting.shift = 1.0
    with pytest.raises(ConfigMismatchError, match="source is"):
        compute(tmp_path / "b", source=Drifting(), function=of_global)


class Table:
    """A data set of Hugging Face's kind."""

    def __len__(self):
        return N

    def __getitem__(self, i):
        return {"image": X[i].tolist(), "label": i}


def test_what_no_store_can_hold_is_refused(tmp_path):
    for options, message in (
        ({"source": iter(X)}, "has no length"),
        ({"source": Table()}, "none of source"),
        ({"function": lambda x: x[:1]}, "return a row of"),
        ({"function": lambda x: {"../x": x}}, "names are letters"),
        ({"function": lambda x: {"q": x, "Q": x}}, "differ not only in case"),
        ({"out": "s3://bucket/views"}, "is an address; give a folder"),
    ):
        with pytest.raises(ArgumentError, match=message):
            compute(**{"out": tmp_path / "a", **options})


def test_progress_announces_the_bytes_before_work_starts(tmp_path):
    seen = []
    compute(tmp_path / "a", progress=lambda done, total: seen.append((done, total)))
    total = 6 * 4 * (4 * 2 * 8 + 4)  # blocks, elements, and samples, numbers, bytes of a chunk
    assert seen[0] == (0, total)
    assert seen[-1] == (total, total)


def test_a_store_is_found_from_every_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = compute("a")
    (tmp_path / "b").mkdir()
    monkeypatch.chdir(tmp_path / "b")
    assert np.array_equal(store.array(), direct())


def test_chunks_of_zeros_are_written_like_all_others(tmp_path):
    act = sa.permute_axis(sa.cyclic(3))
    store = sa.views.compute(np.zeros((4, 3)), act, "full", out=tmp_path / "zeros")
    assert not store.array().any()
    assert not sa.views.open(tmp_path / "zeros").mean().any()
