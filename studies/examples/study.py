"""The harness that the examples share: rows measured over seeds become a table and a picture.

An example measures; everything else is here. It gives

- `columns`, what is measured: `Column("accuracy", "accuracy, %", scale=100, digits=1)`;
- a function `one_seed(seed)` that yields rows, `Row(learner, way, seed, {"accuracy": 0.91, ...})`,
  one for each way of training (a column that means nothing for a way is left out of its row);

and writes

    rows = run_seeds(one_seed, range(10), jobs=2, rows_per_seed=12)
    study = Study("Digits", columns, rows, settings={"train": 250})
    study.show()
    study.save("out", picture=("accuracy", "invariance"))    # results.json, table.md, picture.png

Learners and ways keep the order in which the rows first name them.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from joblib import Parallel, delayed
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from sparseaug._io import write_atomic
from sparseaug.errors import ArgumentError, shorten
from studies.report.looks import LOOKS, Look, figure_bytes, figure_style, frame, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def options(folder: str, seeds: int) -> Callable[[Callable[..., None]], click.Command]:
    """The command of an example: --out, --seeds, --jobs and --quick."""
    added = (
        click.option(
            "--out",
            type=click.Path(file_okay=False),
            default=folder,
            show_default=True,
            help="Folder for all files.",
        ),
        click.option(
            "--seeds",
            type=click.IntRange(1),
            help=f"Seeds.  [default: {seeds}, or 1 with --quick]",
        ),
        click.option(
            "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes."
        ),
        click.option("--quick", is_flag=True, help="A small study of half a minute."),
    )

    def command(main: Callable[..., None]) -> click.Command:
        for option in reversed(added):
            main = option(main)
        return click.command()(main)

    return command


@dataclass(frozen=True)
class Column:
    """Something measured: its key in the rows, its title, and how its numbers are printed."""

    key: str
    title: str
    scale: float = 1.0
    digits: int = 3
    spread: bool = True  # print the standard deviation too

    def text(self, mean: float, sd: float) -> str:
        """'91.2 ± 0.4'; the mean alone where there is no spread to speak of."""
        shown = f"{mean * self.scale:,.{self.digits}f}"
        return f"{shown} ± {sd * self.scale:.{self.digits}f}" if self.spread and sd else shown


@dataclass(frozen=True)
class Row:
    """One learner trained in one way with one seed, and what was measured."""

    learner: str
    way: str
    seed: int
    values: Mapping[str, float]


@dataclass(frozen=True)
class Line:
    """One learner and way over all seeds: means and standard deviations (n - 1) by column."""

    learner: str
    way: str
    seeds: int
    mean: Mapping[str, float]
    sd: Mapping[str, float]


@dataclass(frozen=True)
class Study:
    """All rows of an example, with the columns they have and the settings they were made with."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "rows", tuple(self.rows))
        known = {column.key for column in self.columns}
        for row in self.rows:
            if not set(row.values) <= known:
                raise ArgumentError(
                    f"rows holds {shorten(row)} with a value that no column names; "
                    f"columns are {sorted(known)}."
                )
        keys = [(row.learner, row.way, row.seed) for row in self.rows]
        if not keys or len(set(keys)) < len(keys):
            raise ArgumentError(
                "rows must be one for each learner, way and seed, and at least one."
            )

    def lines(self) -> list[Line]:
        """Mean and spread over seeds, learner by learner."""
        ways: dict[str, dict[str, list[Row]]] = {}
        for row in self.rows:
            ways.setdefault(row.learner, {}).setdefault(row.way, []).append(row)
        return [self._line(rows) for learner in ways.values() for rows in learner.values()]

    def line(self, learner: str, way: str) -> Line:
        """The line of this learner and way."""
        for line in self.lines():
            if (line.learner, line.way) == (learner, way):
                return line
        known = [f"{line.learner}: {line.way}" for line in self.lines()]
        raise ArgumentError(f"way={way!r} of learner={learner!r} is not among {known}.")

    def _line(self, rows: Sequence[Row]) -> Line:
        mean, sd = {}, {}
        for column in self.columns:
            numbers = [row.values[column.key] for row in rows if column.key in row.values]
            if numbers:
                mean[column.key] = statistics.fmean(numbers)
                sd[column.key] = statistics.stdev(numbers) if len(numbers) > 1 else 0.0
        return Line(rows[0].learner, rows[0].way, len(rows), mean, sd)

    def cells(self) -> list[list[str]]:
        """The table as text, without its head: one list a line."""
        return [
            [line.learner, line.way]
            + [
                column.text(line.mean[column.key], line.sd[column.key])
                if column.key in line.mean
                else "-"
                for column in self.columns
            ]
            for line in self.lines()
        ]

    def table(self) -> Table:
        """The table for a terminal."""
        table = Table(title=self.title, box=box.SIMPLE_HEAD)
        for title in ("learner", "way"):
            table.add_column(title, no_wrap=True)
        for column in self.columns:
            table.add_column(column.title, justify="right")
        learner = ""
        for cells in self.cells():
            if learner not in ("", cells[0]):
                table.add_section()
            learner = cells[0]
            table.add_row(*cells)
        return table

    def show(self) -> None:
        """Print the table, as wide as it needs to be where the output is no terminal."""
        console = Console()
        Console(width=console.width if console.is_terminal else 120).print(self.table())

    def markdown(self) -> str:
        """The table for a page."""
        head = ["learner", "way", *(column.title for column in self.columns)]
        rule = ["---", "---", *("---:" for _ in self.columns)]
        return "".join(f"| {' | '.join(cells)} |\n" for cells in (head, rule, *self.cells()))

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON data, rows and means."""
        return {
            "title": self.title,
            "settings": dict(self.settings),
            "columns": [asdict(column) for column in self.columns],
            "rows": [asdict(row) for row in self.rows],
            "lines": [asdict(line) for line in self.lines()],
        }

    def save(self, folder: str | os.PathLike[str], *, picture: Sequence[str]) -> list[Path]:
        """Write results.json, table.md and picture.png of these columns, each whole or not at all."""
        with figure_style():
            image = figure_bytes(draw(self, picture), "png")
        files = {
            "results.json": json.dumps(self.to_dict(), indent=1, allow_nan=False).encode(),
            "table.md": self.markdown().encode(),
            "picture.png": image,
        }
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            write_atomic(Path(folder) / name, data)
        return [Path(folder) / name for name in files]


def run_seeds(
    one_seed: Callable[[int], Iterable[Row]],
    seeds: Sequence[int],
    *,
    rows_per_seed: int,
    jobs: int = 1,
) -> list[Row]:
    """All rows of all seeds, with a progress bar; `jobs` processes, each a seed at a time."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    rows: list[Row] = []
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task("rows", total=rows_per_seed * len(seeds))
        if jobs > 1:
            parts = Parallel(n_jobs=jobs, return_as="generator")(
                delayed(_listed)(one_seed, seed) for seed in seeds
            )
        else:
            parts = ([row] for seed in seeds for row in one_seed(seed))
        for part in parts:
            rows += part
            progress.advance(bar, len(part))
    return rows


def timed(function: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """What the function returns, and how long it took by the clock on the wall."""
    start = time.perf_counter()
    return function(*arguments), time.perf_counter() - start


def draw(study: Study, keys: Sequence[str]) -> Figure:
    """One row of panels a learner, one panel a column: means as dots, standard deviations as bars."""
    learners: dict[str, list[Line]] = {}
    for line in study.lines():
        learners.setdefault(line.learner, []).append(line)
    titles = {column.key: column for column in study.columns}
    heights = [len(lines) + 1.5 for lines in learners.values()]
    figure = new_figure(height=0.19 * sum(heights) + 0.4)
    panels = figure.subplots(
        len(learners), len(keys), squeeze=False, sharex="col", height_ratios=heights
    )
    for row, (learner, lines) in zip(panels, learners.items(), strict=True):
        for panel, key in zip(row, keys, strict=True):
            _dots(panel, lines, titles[key])
            if panel is not row[0]:
                panel.tick_params(labelleft=False)
        row[0].set_title(learner, loc="left")
    for panel, key in zip(panels[-1], keys, strict=True):
        panel.set_xlabel(titles[key].title)
    return figure


def _dots(panel: Axes, lines: Sequence[Line], column: Column) -> None:
    frame(panel)
    for place, line in enumerate(lines):
        if column.key in line.mean:
            mean, sd = line.mean[column.key] * column.scale, line.sd[column.key] * column.scale
            look = look_of(line.way)
            style: dict[str, Any] = {"fmt": look.marker, "color": look.colour, "markersize": 3.5}
            panel.errorbar(mean, place, xerr=sd, capsize=2, **style)
    panel.set_yticks(range(len(lines)), [line.way for line in lines])
    panel.set_ylim(len(lines) - 0.5, -0.5)


def look_of(way: str) -> Look:
    """How a way of training is drawn everywhere: draws, designs, streaming, all, none."""
    kind = way.split(",")[0].split()[0]
    names = {"lattice": "design", "64": "words", "drawn": "draws", "sorted": "truth"}
    names |= {
        "own": "distinct draws",
        "spectrum": "truth",
        "invariant": "truth",
        "Lebedev": "field",
    }
    return LOOKS.get(names.get(kind, kind), LOOKS["none"])


def _listed(one_seed: Callable[[int], Iterable[Row]], seed: int) -> list[Row]:
    """A generator does not travel between processes; a list does."""
    return list(one_seed(seed))
