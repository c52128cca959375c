"""Who computes: this process with two helpers, workers of joblib, or ranks of torchrun.

In one process samples are fetched, values computed and chunks written at the same time, a thread each.
The function is called by the caller's thread alone: many modules keep something of their last call. All
engines make the same calls with the same number of threads, so they write the same bytes.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

import joblib
import threadpoolctl

from sparseaug.actions.arrays import this_rank
from sparseaug.errors import StorageError
from sparseaug.views.function import Function, Named
from sparseaug.views.layout import Layout

T = TypeVar("T")
_WAITING = 4  # chunks that wait to be written


@dataclass(frozen=True)
class Task:
    """One block of samples, whose chunks are to be there afterwards.

    Args:
        layout: the store
        values: the function of an element and samples
        block: its number
        fetch: gives the samples
    """

    layout: Layout
    values: Function
    block: int
    fetch: Callable[[], Any]

    def run(self) -> None:
        """All of it, in a worker."""
        with same_threads(self.layout.facts["threads"]):
            for element, values in self.parts(*self.fetched()):
                self.layout.write(self.block, element, values)

    def fetched(self) -> tuple[list[int], Any]:
        """The elements whose chunks are missing or damaged, and the samples where they are needed."""
        elements = range(self.layout.elements)
        wanted = [j for j in elements if not self.layout.is_sound(self.block, j)]
        return wanted, self.values.put(self.fetch()) if wanted else None

    def parts(self, wanted: list[int], x: Any) -> Iterator[tuple[int, Named]]:
        """Elements and their values."""
        return ((j, self.values(self.layout.rows[j], x)) for j in wanted)


def run_tasks(tasks: Iterator[Task], workers: int | None) -> Iterator[None]:
    """Run every task, and tell of each that has ended.

    Args:
        tasks: are made when they are needed
        workers: of joblib; None for what `joblib.parallel_config` states
    """
    if joblib.effective_n_jobs(workers) == 1:
        yield from _overlapping(tasks)
        return
    backend = joblib.parallel.get_active_backend()[0]
    streams = getattr(backend, "supports_return_generator", False)  # Ray's has none
    run = joblib.Parallel(workers, return_as="generator" if streams else "list")
    yield from run(joblib.delayed(Task.run)(task) for task in tasks)


def _overlapping(tasks: Iterator[Task]) -> Iterator[None]:
    """Fetch the next block and write the last while values are computed."""
    with ThreadPoolExecutor(1) as fetcher, ThreadPoolExecutor(1) as writer:
        writing: deque[Future[None]] = deque()
        coming = deque((task, fetcher.submit(task.fetched)) for task in islice(tasks, 1))
        while coming:
            coming.extend((task, fetcher.submit(task.fetched)) for task in islice(tasks, 1))
            task, fetched = coming.popleft()
            with same_threads(task.layout.facts["threads"]):
                for part in task.parts(*fetched.result()):
                    writing.append(writer.submit(task.layout.write, task.block, *part))
                    if len(writing) > _WAITING:
                        writing.popleft().result()
            yield
        for last in writing:
            last.result()


def on_all_ranks(step: Callable[[], T]) -> T:
    """Run a step and wait for all ranks; where one fails, all do."""
    ranks = this_rank()[1]
    if ranks == 1:
        return step()
    failure: Exception | None = None
    try:
        found = step()
    except Exception as error:
        failure = error
    told: list[str] = [""] * ranks
    said = "" if failure is None else repr(failure)
    sys.modules["torch.distributed"].all_gather_object(told, said)
    if failure is not None:
        raise failure
    for number, text in enumerate(told):
        if text:
            raise StorageError(f"rank {number} failed: {text}; call again to resume.")
    return found


def threads_now() -> int:
    """How many threads one call of torch, BLAS or OpenMP takes, at most."""
    torch = sys.modules.get("torch")
    pools = [pool["num_threads"] for pool in threadpoolctl.threadpool_info()]
    return max(1, *pools, 0 if torch is None else torch.get_num_threads())


@contextmanager
def same_threads(count: int) -> Iterator[None]:
    """Calls take so many threads, whatever machine or worker this is: last bits may depend on it."""
    torch = sys.modules.get("torch")
    before = 0 if torch is None else torch.get_num_threads()
    with threadpoolctl.threadpool_limits(count):
        if torch is None or before == count:
            yield
            return
        torch.set_num_threads(count)
        try:
            yield
        finally:
            torch.set_num_threads(before)
