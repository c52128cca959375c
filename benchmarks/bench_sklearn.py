"""Fitting with a chosen second set next to fitting without one, in the 24 cells of `studies.doors`.

    python -m benchmarks.bench_sklearn [--data digits leaves] [--learners forest]

`average="chosen"` measures the fitted model and chooses m elements; `average="same"` does neither. Both
fit the same copies of 200 samples. Medians of processor seconds of interleaved runs. Target: at most 1.5
times, or 60 ms more where a fit takes milliseconds (1-NN, small linear models): choosing asks for 1,024
predictions, as averaging over 16 elements does for 64 new rows.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from rich.console import Console
from rich.table import Table

from sparseaug.sklearn import OneShotClassifier
from studies.doors import LEARNERS, TASKS, Task

TRAIN = 200


def medians(task: Task, learner: str, repeats: int) -> tuple[float, float]:
    """Seconds of one fit with the same set and with a chosen one."""
    rows = np.random.default_rng(0).permutation(len(task.y))[: min(TRAIN, len(task.y) // 2)]
    seconds: dict[str, list[float]] = {"same": [], "chosen": []}
    for _ in range(repeats + 1):  # the first prepares the group
        for average, found in seconds.items():
            model = OneShotClassifier(
                LEARNERS[learner](0), action=task.action, sample_shape=task.shape,
                m=task.m, average=average, random_state=0,
            )  # fmt: skip
            start = time.process_time()
            model.fit(task.x[rows], task.y[rows])
            found.append(time.process_time() - start)
    same, chosen = (float(np.median(found[1:])) for found in seconds.values())
    return same, chosen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--data", nargs="+", choices=TASKS, default=list(TASKS))
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=list(LEARNERS))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    table = Table("data", "learner", "same, ms", "chosen, ms", "ratio", title="one fit")
    for data in given.data:
        task = TASKS[data]()
        for learner in given.learners:
            same, chosen = medians(task, learner, given.repeats)
            times = (f"{1e3 * seconds:.1f}" for seconds in (same, chosen))
            table.add_row(data, learner, *times, f"{chosen / same:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
