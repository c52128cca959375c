"""All tasks of the study in parallel, resumed where they were stopped; then results.json.

Workers send their results back and this process writes them, each file whole or absent: so the workers
may be on other machines, without a common disk.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from threadpoolctl import threadpool_limits

from sparseaug._archive import canonical_json
from sparseaug._checks import check_integer
from sparseaug._io import check_path, is_name, show_path
from sparseaug.errors import ArgumentError, ConfigMismatchError, FileFormatError, shorten
from studies.paper.checks import expect, mapping_of, naming
from studies.paper.folder import require_no_link, using
from studies.paper.workers import active_backend, results_of
from studies.rates.part import Part, Result, Summary, Task
from studies.rates.table import PARTS
from studies.sealed import load_json, save_json

VERSION = 2
"""Of the frozen tasks: another number where what a task measures changes."""

Progress = Callable[[int, int], None]


@final
@dataclass(frozen=True, eq=False)
class Study:
    """A finished study.

    Args:
        folder: where the files are
        summaries: what each part found, by name
        computed: tasks that were not there already
        total: tasks of the study
    """

    folder: Path
    summaries: dict[str, Summary]
    computed: int
    total: int


def run_study(
    folder: str | os.PathLike[str],
    *,
    quick: bool = False,
    parts: Sequence[str] | None = None,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> Study:
    """Measure the paper's rates and bounds against exact truth, or what is missing of it.

    The tasks run through joblib: under `joblib.parallel_config`, with any of its back ends. Each
    finished task is a file; a study that was stopped resumes, to the same results.json.

    Args:
        folder: Where the files go; created if needed.
        quick: A study of the same form in seconds, with small groups, and labelled so.
        parts: Names of parts: "rates", "deviation" and "training", which are about the paper and are
            run if none is given, and "views", about the averaging of predictions.
        jobs: Workers; as many as there are cores, or as the back end has, if not given.
        progress: Called with the number of finished tasks, and of all.

    Returns:
        What each part found, and how much of it this call computed.

    Raises:
        ConfigMismatchError: The folder holds another study.
        FileFormatError: A file in the folder is damaged or not of this study.

    Examples:
        >>> from studies.rates import run_study
        >>> done = run_study("study")                                              # doctest: +SKIP
    """
    if not isinstance(quick, bool):
        raise ArgumentError(f"quick={shorten(quick)} is not a bool; give True or False.")
    if jobs is not None:
        jobs = check_integer("jobs", jobs, at_least=1, below=1025)
    if progress is not None and not callable(progress):
        raise ArgumentError(
            f"progress={shorten(progress)} cannot be called; give progress(done, total)."
        )
    active_backend()  # before anything is written
    files = _Files(check_path("folder", folder), quick, _chosen(parts))
    files.open()
    tasks = [(part, i, task) for part in files.parts for i, task in enumerate(part.tasks(quick))]
    missing = [each for each in tasks if not files.has(*each)]
    if progress is not None:
        progress(len(tasks) - len(missing), len(tasks))
    work = [(part.name, i, task) for part, i, task in missing]
    with threadpool_limits(1), closing(results_of(run_task, work, jobs)) as results:
        for done, (name, i, result) in enumerate(results, start=1):
            files.save(name, i, result)
            if progress is not None:
                progress(len(tasks) - len(missing) + done, len(tasks))
    return Study(files.path, files.assemble(), len(missing), len(tasks))


def run_task(name: str, index: int, task: Task) -> tuple[str, int, Result]:
    """One task, with its place; matrix products take one thread, so that sums have one order."""
    part = next(each for each in PARTS if each.name == name)
    with threadpool_limits(1):
        return name, index, part.run(task)


def read_study(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """The folder's results.json as JSON data, checked: its checksum, names and summaries.

    Args:
        folder: What `run_study` wrote to.

    Returns:
        `config`, and for each of `parts` its `title`, `results` and `summary`.

    Raises:
        FileFormatError: It is damaged, or not of a study.
        StorageError: There is none, or it cannot be read.
    """
    path = check_path("folder", folder) / "results.json"
    with naming(path, "make study"):
        data = load_json(path)
        quick = mapping_of(data, "config").get("quick")
        expect(isinstance(quick, bool), "its config does not say whether it is quick")
        expect("parts" in data, "it has no parts")
        for name, part in mapping_of(data, "parts").items():
            expect(is_name(name), f"{shorten(name)} is not the name of a part")
            title = part.get("title") if isinstance(part, dict) else None
            expect(isinstance(title, str), f"{name} has no title")
            Summary.from_dict(part.get("summary"))
    return data


@final
@dataclass(frozen=True)
class _Files:
    """config.json, tasks/PART-NUMBER.json, results.json."""

    path: Path
    quick: bool
    parts: tuple[Part, ...]

    @property
    def config(self) -> dict[str, Any]:
        tasks = {part.name: part.tasks(self.quick) for part in self.parts}
        return {"study": VERSION, "quick": self.quick, "tasks": tasks}

    def open(self) -> None:
        """Make the folder this study's own, or refuse."""
        config = self.path / "config.json"
        with using(self.path):
            for name in ("config.json", "results.json", "tasks"):
                require_no_link(self.path / name)
            if config.exists() and canonical_json(_load(config)) != canonical_json(self.config):
                raise ConfigMismatchError(
                    f"{show_path(self.path)} holds another study, or one of another version; give "
                    "another folder, or remove that one."
                )
            (self.path / "tasks").mkdir(parents=True, exist_ok=True)
        if not config.exists():
            save_json(config, self.config, follow=False)

    def has(self, part: Part, index: int, task: Task) -> bool:
        """Whether this task is done; a file of another task is an error."""
        path = self._task(part.name, index)
        return path.exists() and self._result(path, task) is not None

    def save(self, name: str, index: int, result: Result) -> None:
        """Keep a result."""
        task = self.config["tasks"][name][index]
        path = self._task(name, index)
        save_json(path, {"task": task, "result": result}, follow=False)

    def assemble(self) -> dict[str, Summary]:
        """Write results.json from all tasks, and return the summaries in it."""
        parts, summaries = {}, {}
        for part in self.parts:
            tasks = part.tasks(self.quick)
            results = [self._result(self._task(part.name, i), t) for i, t in enumerate(tasks)]
            summaries[part.name] = part.summarise(list(zip(tasks, results, strict=True)))
            summary = summaries[part.name].to_dict()
            parts[part.name] = {"title": part.title, "results": results, "summary": summary}
        save_json(self.path / "results.json", {"config": self.config, "parts": parts}, follow=False)
        return summaries

    def _task(self, name: str, index: int) -> Path:
        return self.path / "tasks" / f"{name}-{index}.json"

    def _result(self, path: Path, task: Task) -> Result:
        data = _load(path)
        if canonical_json(data.get("task")) != canonical_json(task) or "result" not in data:
            raise FileFormatError(
                f"{show_path(path)} belongs to another task; remove it to have it computed again."
            )
        return data["result"]


def _chosen(names: Sequence[str] | None) -> tuple[Part, ...]:
    """The parts of these names, in the order of the table."""
    if names is None:
        return tuple(part for part in PARTS if part.usual)
    known = [part.name for part in PARTS]
    given = [names] if isinstance(names, str) else names
    unknown: Any = given
    if isinstance(given, list | tuple) and given:
        unknown = next((each for each in given if each not in known), None)
    if unknown is not None:
        raise ArgumentError(
            f"parts={shorten(unknown)} is not known; give some of {', '.join(known)}."
        )
    return tuple(part for part in PARTS if part.name in given)


def _load(path: Path) -> dict[str, Any]:
    try:
        return load_json(path)
    except FileFormatError as error:
        raise FileFormatError(f"{error} Remove it to have it computed again.") from error
