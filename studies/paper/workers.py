"""Worker processes that end with their parent, and leave Ctrl-C to it.

A worker of loky waits for its next task for minutes, whatever became of the process that started it:
killed, that one would leave workers behind that hold its standard output. So each worker watches its
parent. A terminal sends Ctrl-C to all processes; workers are started with it blocked, and end because
their parent does.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any

import joblib
from joblib.externals.loky.process_executor import TerminatedWorkerError

from sparseaug.errors import ArgumentError, SparseAugError, shorten_text

_EVERY = 0.5  # seconds between two looks at the parent


def run_parallel(work: Callable[..., None], tasks: Iterable[tuple[Any, ...]], jobs: int) -> None:
    """Call `work` with each of the tasks, in this process if jobs=1, else in so many others."""
    for _ in results_of(work, tasks, jobs):
        pass


def results_of(
    work: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], jobs: int | None
) -> Generator[Any]:
    """What `work` returns for each of the tasks, as soon as it is there, in any order.

    With jobs=None, by as many workers as the active back end has.
    """
    backend = active_backend()
    watched: dict[str, Any] = {}
    if type(backend).__name__ == "LokyBackend":  # its workers are our children; Dask's are not
        watched = {"initializer": end_with_parent, "initargs": (os.getpid(),)}
    count = joblib.effective_n_jobs(-1) if jobs is None else jobs
    call = joblib.delayed(work)
    try:
        with _interrupts_stay_here(count):
            parallel = joblib.Parallel(n_jobs=count, return_as="generator_unordered", **watched)
            yield from parallel(call(*task) for task in tasks)
    except TerminatedWorkerError as error:
        raise SparseAugError(
            "a worker process was killed, probably because memory ran out; run it again to resume, "
            "with fewer jobs."
        ) from error
    except CancelledError as error:  # of Dask, when its scheduler is gone
        raise SparseAugError(
            f"the workers were lost ({shorten_text(str(error), 200)}); start them and run it again to "
            "resume."
        ) from error


def active_backend() -> Any:
    """joblib's active back end; an `ArgumentError` for one that keeps its results until the end."""
    backend, _ = joblib.parallel.get_active_backend()
    if not backend.supports_return_generator:
        name = type(backend).__name__.removesuffix("Backend").lower()
        raise ArgumentError(
            f"backend={name!r} does not hand over results as they are finished; use loky, threading or "
            "dask."
        )
    return backend


def end_with_parent(parent: int) -> None:
    """End this process within a second of its parent; a thread looks who the parent is.

    On POSIX a process whose parent ended has another; elsewhere the number stays, and so does it.
    """

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_EVERY)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def _interrupts_stay_here(jobs: int) -> Iterator[None]:
    """Block Ctrl-C in this thread, whose mask new processes inherit; another thread receives it.

    Python runs the handler in the main thread whichever thread the signal came to.
    """
    main = threading.current_thread() is threading.main_thread()
    if jobs == 1 or not main or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # starting it would unblock the signal again
    done = threading.Event()
    receiver = threading.Thread(target=done.wait, daemon=True)
    receiver.start()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        done.set()
