"""All seeds in parallel processes, resumed where they were stopped; then results.json.

joblib runs the seeds, so that its other backends (Dask, Ray) do too, under `joblib.parallel_config`.
"""

from __future__ import annotations

import os
import platform
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import joblib
import numpy as np
import scipy

import sparseaug
from sparseaug._checks import check_integer
from sparseaug._io import check_path
from sparseaug.errors import ArgumentError, shorten
from studies.paper.certificates import certify_seed
from studies.paper.comparison import Comparison
from studies.paper.config import Config
from studies.paper.folder import Count, Folder
from studies.paper.results import Results
from studies.paper.seed import run_seed
from studies.paper.workers import run_parallel
from studies.sealed import save_json

Progress = Callable[[Count], None]

_EVERY = 0.2  # seconds between two looks at the folder


@final
@dataclass(frozen=True, eq=False)
class Finished:
    """A finished experiment: what is in results.json, and what this call had to do for it.

    Args:
        folder: where the files are
        seconds: for the runs and their evaluation
        certificate_seconds: for the certificates
        computed: runs that were not there already
        table: the results, read and checked
        comparison: designs next to draws, read and checked; None where no design is known
    """

    folder: Path
    table: Results
    seconds: float  # for the runs and their evaluation
    certificate_seconds: float
    computed: int  # methods of seeds that were not there yet
    comparison: Comparison | None = None  # designs next to draws, where designs are known

    @property
    def results(self) -> dict[str, Any]:
        """The table as JSON data."""
        return self.table.to_dict()

    def __repr__(self) -> str:
        return f"Finished({str(self.folder)!r}, {self.computed} runs in {self.seconds:.1f} s)"


def reproduce(
    config: Config,
    folder: str | os.PathLike[str],
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Finished:
    """Run the experiment into the folder, or what is missing of it there.

    Args:
        config: What is run.
        folder: Where the files go; created if needed.
        jobs: Processes, at most 1024; as many as there are cores, if not given.
        progress: Called with what is finished, a few times a second.

    Returns:
        The results, and how long this call took for them.

    Raises:
        ConfigMismatchError: The folder holds an experiment of another config.
        FileFormatError: A file in the folder is damaged or not of this experiment.
    """
    started = time.perf_counter()
    if not isinstance(config, Config):
        raise ArgumentError(f"config={shorten(config)} is not a Config.")
    if progress is not None and not callable(progress):
        raise ArgumentError(f"progress={shorten(progress)} cannot be called; give progress(count).")
    most = (
        joblib.cpu_count() if jobs is None else check_integer("jobs", jobs, at_least=1, below=1025)
    )
    jobs = min(most, config.seeds)
    files = Folder(check_path("folder", folder), config)
    files.open()
    files.check()
    before = files.count().methods
    tasks = [(config, seed, files.path) for seed in range(config.seeds)]
    with _watched(files, progress):
        run_parallel(run_seed, tasks, jobs)
        half = time.perf_counter()
        run_parallel(certify_seed, tasks, jobs)
    table, comparison = files.assemble(), files.assemble_designs()
    finished = time.perf_counter()
    computed = files.count().methods - before
    done = Finished(files.path, table, half - started, finished - half, computed, comparison)
    _note_time(files, done, jobs)
    return done


@contextmanager
def _watched(files: Folder, progress: Progress | None) -> Iterator[None]:
    """Report what is in the folder while the body runs: workers anywhere need no line to us."""
    if progress is None:
        yield
        return
    stop = threading.Event()

    def watch() -> None:
        while not stop.wait(_EVERY):
            progress(files.count())

    watcher = threading.Thread(target=watch, daemon=True)
    progress(files.count())
    watcher.start()
    try:
        yield
    finally:
        stop.set()
        watcher.join()
        progress(files.count())


def _note_time(files: Folder, done: Finished, jobs: int) -> None:
    """timing.json, apart from the results, whose bytes no clock may change."""
    path = files.path / "timing.json"
    if not done.computed and path.exists():
        return
    note = {
        "seconds": done.seconds,
        "certificate_seconds": done.certificate_seconds,
        "computed": done.computed,  # runs that these seconds were for, of seeds times methods
        "jobs": jobs,
        "versions": {
            "sparseaug": sparseaug.__version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
        },
    }
    save_json(path, note, follow=False)
