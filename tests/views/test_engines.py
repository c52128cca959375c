"""Whoever computes a store, and from whatever samples, writes the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import joblib
import numpy as np
import pytest

from tests.extras import optional
from tests.views.common import N, X, compute, direct, features, files, values_of
from tests.views.test_store import Table

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
assert store.array().shape == (23, 5, 3)
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
        compute(tmp_path / "one", **call).extend("full")
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


def test_a_function_is_called_only_by_the_callers_thread(tmp_path):
    seen = set()

    def watched(x):
        seen.add(threading.get_ident())
        return features(x)

    compute(tmp_path / "a", function=watched)
    assert seen == {threading.get_ident()}


class Items:
    """A data set of torch's kind."""

    def __len__(self):
        return N

    def __getitem__(self, i):
        return X[i], i


@pytest.mark.parametrize("kind", [Items, Table, list])
@pytest.mark.parametrize("workers", [1, 2])
def test_every_kind_of_source_and_number_of_workers_gives_the_same_chunks(tmp_path, kind, workers):
    compute(tmp_path / "a")
    options = {"column": "image"} if kind is Table else {}
    source = list(X) if kind is list else kind()
    compute(tmp_path / "b", source=source, workers=workers, **options)
    assert values_of(tmp_path / "a") == values_of(tmp_path / "b")


def test_tables_of_hugging_face_and_pandas_give_the_same_values(tmp_path):
    data = optional("datasets").Dataset.from_dict({"image": X.tolist(), "label": list(range(N))})
    series = optional("pandas").Series(list(X), index=range(N)[::-1])  # labels are not places
    for k, (source, column) in enumerate([(data, "image"), (series, None)]):
        store = compute(tmp_path / str(k), source=source, column=column)
        assert np.array_equal(store.array(), direct())


def test_a_function_may_return_its_own_memory_again_and_again(tmp_path):
    memory, tensor = np.empty((4, 4)), torch.empty(4, 4, dtype=torch.float64)
    wanted = direct(function=lambda x: x.sum(axis=1))
    found = compute(
        tmp_path / "a", function=lambda x: np.sum(x, axis=1, out=memory[: len(x)]), batch=1
    )
    assert np.array_equal(found.array(), wanted)
    again = compute(
        tmp_path / "b",
        source=torch.from_numpy(X),
        batch=1,  # several for each chunk
        function=lambda x: torch.sum(x, dim=1, out=tensor[: len(x)]),
    )
    assert np.allclose(again.array(), wanted, rtol=0, atol=1e-14)
