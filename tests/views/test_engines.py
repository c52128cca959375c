"""Whoever computes a store writes the same bytes: workers, a Dask cluster, ranks of torchrun."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import joblib
import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError, StorageError
from sparseaug.views.places import Folder
from tests.extras import optional
from tests.views.common import ACTION, D4, N, S, X, compute, direct, features, files

zarr = optional("zarr")
torch = optional("torch")
pytest.importorskip("zarr")

RANKS = """
import sys
import torch
from sparseaug.errors import StorageError
from tests.views.test_engines import net
from tests.views.common import X, compute
torch.distributed.init_process_group("gloo")
rank = torch.distributed.get_rank()
torch.set_num_threads(2)
store = compute(sys.argv[1], X.astype("float32"), function=net(), name="net")
assert store.array().shape == (23, 4, 3)
store.extend("full")
seen = []
try:
    compute(sys.argv[2], function=lambda x: x[:1] if rank == 1 and seen.append(1) is None else x[:, 0])
except Exception as error:
    print(f"rank {rank}: {type(error).__name__}: {error}", flush=True)
torch.distributed.destroy_process_group()
"""


def net():
    """A small network whose values depend on every weight."""
    torch.manual_seed(0)
    layers = torch.nn.Conv2d(1, 8, 3, padding=1), torch.nn.Flatten(), torch.nn.Linear(128, 3)
    return torch.nn.Sequential(torch.nn.Unflatten(1, (1, 4)), *layers)


def test_two_workers_a_dask_cluster_and_two_ranks_write_the_bytes_of_one(tmp_path):
    distributed = pytest.importorskip("distributed")
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        call = {"source": X.astype("float32"), "function": net(), "name": "net"}
        compute(tmp_path / "one", **call)
        compute(tmp_path / "two", workers=2, **call)
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, dashboard_address=None
            ) as two,
            distributed.Client(two),
            joblib.parallel_config(backend="dask"),
        ):
            compute(tmp_path / "dask", **call)
        assert files(tmp_path / "one") == files(tmp_path / "two") == files(tmp_path / "dask")
    finally:
        torch.set_num_threads(threads)
    program = tmp_path / "program.py"
    program.write_text(RANKS)
    ranks, refused = tmp_path / "ranks", tmp_path / "refused"
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", "--standalone"]
    done = subprocess.run(
        [*command, str(program), str(ranks), str(refused)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert "rank 0: StorageError: rank 1 failed: ArgumentError" in done.stdout
    assert "rank 1: ArgumentError: function returned shape" in done.stdout
    torch.set_num_threads(2)
    try:
        compute(tmp_path / "one", **call).extend("full")
    finally:
        torch.set_num_threads(threads)
    assert files(ranks) == files(tmp_path / "one")


def test_a_ray_cluster_writes_the_bytes_of_one(tmp_path):
    ray = pytest.importorskip("ray")
    pytest.importorskip("ray.util.joblib").register_ray()
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        with joblib.parallel_config(backend="ray"):
            compute(tmp_path / "ray")
    finally:
        ray.shutdown()
    compute(tmp_path / "one")
    assert files(tmp_path / "ray") == files(tmp_path / "one")


def test_a_function_is_called_by_one_thread_at_a_time_and_only_by_the_callers(tmp_path):
    import threading

    seen = set()

    def watched(x):
        seen.add(threading.get_ident())
        return features(x)

    compute(tmp_path / "a", function=watched)
    assert seen == {threading.get_ident()}


def test_a_store_in_an_object_store_holds_the_same_bytes(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    compute(tmp_path / "a")
    url = "memory://bucket/views"
    store = compute(url)
    assert np.array_equal(sa.views.open(url).array(), direct())
    system = fsspec.filesystem("memory")
    found = {name: system.cat_file(f"/bucket/views/{name}") for name in files(tmp_path / "a")}
    assert all(data == (tmp_path / "a" / name).read_bytes() for name, data in found.items())
    chunk = "/bucket/views/values/c/1/0/0"
    system.pipe_file(chunk, found["values/c/1/0/0"][:-1] + b"x")
    with pytest.raises(sa.errors.FileFormatError, match="checksum does not match"):
        sa.views.open(url).array()
    compute(url)
    assert system.cat_file(chunk) == found["values/c/1/0/0"]
    store.extend("full").verify()
    system.rm(chunk)
    with pytest.raises(sa.errors.FileFormatError, match="1 of 48 chunks are missing"):
        sa.views.open(url)
    with pytest.raises(StorageError, match="cannot be opened"):
        sa.views.open("nowhere://x")


def test_compressed_chunks_are_smaller_and_read_by_zarr(tmp_path):
    call = {"source": np.tile(X, (1, 16, 16)).round(1), "function": None, "name": None}
    plain, packed = compute(tmp_path / "a", **call), compute(tmp_path / "b", compress=True, **call)
    assert np.array_equal(plain.array(), packed.array())
    assert np.array_equal(
        zarr.open_group(str(tmp_path / "b"), mode="r")["values"][:], plain.array()
    )
    sizes = [sum(p.stat().st_size for p in (tmp_path / k).rglob("*") if p.is_file()) for k in "ab"]
    assert sizes[1] < sizes[0] / 4
    compute(tmp_path / "c", compress=True, **call)
    assert files(tmp_path / "c") == files(tmp_path / "b")
    chunk = next(p for p in (tmp_path / "b/values/c").rglob("0") if p.is_file())
    data = bytearray(chunk.read_bytes())
    data[len(data) // 2] ^= 1
    chunk.write_bytes(data)
    with pytest.raises(sa.errors.FileFormatError, match="checksum does not match"):
        sa.views.open(tmp_path / "b").array()


def test_bfloat16_is_rounded_as_torch_does(tmp_path):
    store = compute(tmp_path / "a", dtype="bfloat16")
    wanted = torch.from_numpy(direct()).float().bfloat16().float().numpy()
    assert np.array_equal(store.array(), wanted)
    assert store.array().dtype == np.float32
    assert np.allclose(store.mean(), np.average(wanted, axis=1, weights=store.counts))
    assert (abs(store.array() - direct()) <= 0.004 * abs(direct())).all()
    special = np.array([[np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-45, 3.3e38]], np.float32)
    odd = compute(
        tmp_path / "b", function=lambda x: np.tile(special, (len(x), 1)), dtype="bfloat16"
    )
    wanted = torch.from_numpy(special).bfloat16().float().numpy()
    assert np.array_equal(odd.array()[0, 0], wanted[0], equal_nan=True)
    with pytest.raises(ArgumentError, match="no numbers as large"):
        compute(tmp_path / "c", function=lambda x: x[:, 0] * 0 + 3.4e38, dtype="bfloat16")


def test_samples_of_several_parts_move_together(tmp_path):
    both = sa.together(image=ACTION, mask=ACTION)
    rows = [{"image": x, "mask": x > 0, "label": i} for i, x in enumerate(X)]

    def inside(image, mask):
        return (image * mask)[:, 0]

    call = {"S": S, "function": inside, "name": "inside", "batch": 4}
    found = sa.views.compute(rows, both, **call, column=["image", "mask"], out=tmp_path / "a")
    arrays = {"image": X, "mask": X > 0}
    wanted = sa.views.compute(arrays, both, **call, out=tmp_path / "b")
    assert np.array_equal(found.array(), wanted.array())
    assert np.array_equal(found.array(), direct(function=lambda x: (x * (x > 0))[:, 0]))
    with pytest.raises(ArgumentError, match="with column="):
        sa.views.compute(rows, both, **call, column=["image", "other"], out=tmp_path / "c")


def test_the_spectrum_of_a_store_is_that_of_the_function_without_a_pass(tmp_path):
    def smooth(x):
        return np.tanh(x[:, 0, 0] + 2 * x[:, 0, 1] * x[:, 1, 0])[:, None]

    store = compute(tmp_path / "a", S="full", function=smooth)
    wanted = sa.orbit_spectrum(smooth, ACTION, X)
    assert store.spectrum().variance == pytest.approx(wanted.variance, rel=1e-12)
    assert store.spectrum().shares == pytest.approx(wanted.shares, abs=1e-12)
    assert sa.choose(store.spectrum(), error=0.05).sample == sa.choose(wanted, error=0.05).sample
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
    designed = compute(tmp_path / "c")
    with pytest.raises(ArgumentError, match=r"neither all of D4 nor drawn from it"):
        designed.spectrum()


def test_a_function_may_return_its_own_memory_again_and_again(tmp_path):
    memory, tensor = np.empty((4, 4)), torch.empty(4, 4, dtype=torch.float64)
    wanted = direct(function=lambda x: x.sum(axis=1))
    found = compute(tmp_path / "a", function=lambda x: np.sum(x, axis=1, out=memory[: len(x)]))
    assert np.array_equal(found.array(), wanted)
    again = compute(
        tmp_path / "b",
        source=torch.from_numpy(X),
        function=lambda x: torch.sum(x, dim=1, out=tensor[: len(x)]),
    )
    assert np.allclose(again.array(), wanted, rtol=0, atol=1e-14)


def test_an_epoch_reaches_workers_that_live_on(tmp_path):
    data = compute(tmp_path / "a").dataset(items="epoch")
    loader = torch.utils.data.DataLoader(data, batch_size=N, num_workers=1, persistent_workers=True)
    seen = []
    for epoch in range(3):
        data.set_epoch(epoch)
        seen.append(torch.cat(list(loader)).numpy())
        assert np.array_equal(seen[-1], data.__getitems__(range(N)))
    assert not np.array_equal(seen[0], seen[1])


def test_a_store_is_found_from_every_folder_and_a_new_one_in_its_place_is_noticed(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    store = compute("a")
    (tmp_path / "b").mkdir()
    monkeypatch.chdir(tmp_path / "b")
    assert np.array_equal(store.array(samples=[0]), direct()[[0]])
    shutil.rmtree(tmp_path / "a")
    compute(tmp_path / "a", function=lambda x: -features(x), name="other")
    with pytest.raises(StorageError, match="has become another store"):
        store.array()
    with pytest.raises(StorageError, match="has become another store"):
        store.verify()


def test_an_extension_that_cannot_be_done_leaves_the_store_as_it_is(tmp_path, monkeypatch):
    compute(tmp_path / "a")
    before = files(tmp_path / "a")
    store = sa.views.open(tmp_path / "a")
    with pytest.raises(ArgumentError, match="one shape and dtype"):
        store.extend("full", X, ACTION, lambda x: x[:, 0])
    monkeypatch.setattr(Folder, "free", lambda self: 0)
    with pytest.raises(StorageError, match="its disk has 0 bytes"):
        store.extend("full", X, ACTION, features)
    assert files(tmp_path / "a") == before


def test_the_order_of_items_is_that_of_the_s_that_was_given(tmp_path):
    compute(tmp_path / "a")
    turned = sa.GroupSample(D4, S.elements[::-1])
    items = compute(tmp_path / "a", S=turned).dataset()
    assert np.array_equal(
        items.__getitems__(range(len(items))), features(sa.augment(ACTION, turned, X))
    )


def test_labels_of_pandas_are_not_taken_for_places_and_iterators_are_refused(tmp_path):
    pandas = optional("pandas")
    series = pandas.Series(list(X), index=range(N)[::-1])
    assert np.array_equal(compute(tmp_path / "a", source=series).array(), direct())

    class Once:
        def __len__(self):
            return N

        def __iter__(self):
            return self

        def __next__(self):
            return X[0]

    with pytest.raises(ArgumentError, match="used up when read"):
        compute(tmp_path / "b", source=Once())
    table = {"image": X, "label": np.arange(N)}
    assert np.array_equal(compute(tmp_path / "c", source=table, column="image").array(), direct())
    for function in (lambda x: {"q": x, "Q": x}, lambda x: x[:, :0]):
        with pytest.raises(ArgumentError, match="function returned"):
            compute(tmp_path / "d", function=function)


def test_a_bar_shows_bytes_and_the_time_left(tmp_path, capsys):
    compute(tmp_path / "a", progress="bar")
    shown = capsys.readouterr().err
    assert "bytes" in shown or "kB" in shown
    assert "0:00:00" in shown
    with pytest.raises(ArgumentError, match="progress="):
        compute(tmp_path / "b", progress="line")


@pytest.mark.parametrize("workers", [1, 2])
def test_a_writer_that_fails_stops_the_run(tmp_path, monkeypatch, workers):
    def broken(x):
        raise RuntimeError("no more")

    compute(tmp_path / "a")
    (tmp_path / "a/values/c/3/1/0").unlink()
    with pytest.raises(RuntimeError, match="no more"):
        compute(tmp_path / "a", function=broken, workers=workers)
    assert compute(tmp_path / "a").array().shape == (N, 4, 2)
    assert D4.order == 8
