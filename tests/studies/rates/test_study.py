"""The study: the same bytes by any workers, after any kill, and whole files only."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time

import joblib
import pytest

from studies.rates import run_study

pytest.importorskip("sklearn")

CHILD = """
import sys
from studies.rates import run_study
if __name__ == "__main__":
    print("ready", flush=True)
    run_study(sys.argv[1], quick=True, jobs=int(sys.argv[2]))
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A quick study by one worker: its folder."""
    folder = tmp_path_factory.mktemp("study")
    done = run_study(folder, quick=True, jobs=1)
    assert done.computed == done.total
    return folder


def results(folder):
    return (folder / "results.json").read_bytes()


def without(folder, to, keep=0.5, seed=0):
    """A copy of the folder from which about half of the tasks are gone, as after a kill."""
    shutil.copytree(folder, to)
    chance = random.Random(seed)  # noqa: S311 - which files, no secrets
    for path in sorted((to / "tasks").iterdir()):
        if chance.random() > keep:
            path.unlink()
    (to / "results.json").unlink()
    return to


def test_two_workers_give_the_same_bytes_as_one(whole, tmp_path):
    done = run_study(tmp_path, quick=True, jobs=2)
    assert done.computed == done.total
    assert results(tmp_path) == results(whole)


@pytest.fixture(scope="module")
def views(tmp_path_factory):
    """A quick study of views by one worker."""
    for package in ("ase", "networkx", "PIL"):
        pytest.importorskip(package)
    folder = tmp_path_factory.mktemp("views")
    run_study(folder, quick=True, jobs=1, parts=["views"])
    return folder


def test_a_part_alone_is_the_same_bytes_by_two_workers_and_nothing_else_is_run(views, tmp_path):
    folder = without(views, tmp_path / "half", keep=0.75)
    done = run_study(folder, quick=True, jobs=2, parts=["views"])
    assert 1 < done.computed < done.total
    assert list(done.summaries) == ["views"]
    assert results(folder) == results(views)
    assert {path.name.split("-")[0] for path in (views / "tasks").iterdir()} == {"views"}


@pytest.mark.parametrize("processes", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_dask_cluster_of_two_workers_gives_the_same_bytes(whole, tmp_path, processes):
    distributed = pytest.importorskip("dask.distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=processes, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
        joblib.parallel_config(backend="dask"),
    ):
        run_study(tmp_path, quick=True)
    assert results(tmp_path) == results(whole)


def test_what_is_missing_is_computed_and_nothing_else(whole, tmp_path):
    folder = without(whole, tmp_path / "half", keep=0.8)
    seen = []
    done = run_study(folder, quick=True, jobs=1, progress=lambda *now: seen.append(now))
    assert 0 < done.computed < done.total
    assert seen[0] == (done.total - done.computed, done.total)
    assert seen[-1] == (done.total, done.total)
    assert results(folder) == results(whole)


def kill_and_finish(whole, folder, *, kills, longest):
    chance = random.Random(kills)  # noqa: S311 - moments, no secrets
    for _ in range(kills):
        arguments = [sys.executable, "-c", CHILD, str(folder), "2"]
        child = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
        assert child.stdout.readline() == "ready\n"
        time.sleep(chance.uniform(0, longest))
        child.kill()
        child.wait()
        child.stdout.close()
        if (folder / "results.json").exists():
            assert results(folder) == results(whole)
            for path in [*sorted((folder / "tasks").iterdir())[::3], folder / "results.json"]:
                path.unlink()  # so that the next one has something to do
    run_study(folder, quick=True, jobs=1)
    assert results(folder) == results(whole)


def test_killed_studies_go_on_to_the_same_bytes(whole, tmp_path):
    kill_and_finish(whole, without(whole, tmp_path / "killed", keep=0.7), kills=2, longest=2.0)
