"""`python -m studies paper`: the paper's experiment, its claims and its figure in one command."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from sparseaug.cli.output import say
from sparseaug.errors import SparseAugError

_NARROWEST = 60  # columns

if TYPE_CHECKING:
    from studies.paper import Claim, Config, Count, Finished


@click.command()
@click.option(
    "--out",
    metavar="FOLDER",
    default="paper",
    show_default=True,
    help="Folder for all files; a run that was stopped there is resumed.",
)
@click.option("--seeds", type=int, help="Number of seeds.  [default: 10, or 2 with --quick]")
@click.option("--group-size", type=int, default=6, show_default=True, help="n of the group S_n.")
@click.option(
    "--init-std",
    type=float,
    default=0.5,
    show_default=True,
    help="Standard deviation of the initial a and b, which the paper does not give.",
)
@click.option("--jobs", type=int, help="Processes.  [default: one per core]")
@click.option("--quick", is_flag=True, help="2 seeds and 100 steps, labelled so in the results.")
def paper(
    out: str,
    seeds: int | None,
    group_size: int,
    init_std: float,
    jobs: int | None,
    quick: bool,
) -> None:
    """Run the paper's experiment and check each of its claims.

    Sum regression under S_6 with no augmentation, the full group, streaming, and one-shot with 4, 16
    and 64 elements; then, beyond the paper, designs of S next to as many draws, products of a few
    draws, batches of streaming and other starts. A run that was stopped is resumed, with the same
    results.

    \b
    Examples:
      python -m studies paper
      python -m studies paper --quick --out quick
      python -m studies paper --out paper --seeds 10 --jobs 2
    """
    from studies.paper import (  # SciPy takes a while to import
        Config,
        beyond,
        claims,
        design_claims,
        reproduce,
    )
    from studies.report import check_report, write_report

    if not out:
        raise click.BadParameter("the name is empty; give a folder", param_hint="--out")
    changes: dict[str, Any] = {"group_size": group_size, "init_std": init_std}
    if seeds is not None:
        changes["seeds"] = seeds
    config = Config.shortened(**changes) if quick else Config(**changes)
    check_report(out)  # before the work: a file in the way of the figures is not found after it
    with _bars(config) as update:
        done = reproduce(config, out, jobs=jobs, progress=update)
        beyond.measure(config, done.folder, jobs)
    stopped: SparseAugError | None = None
    try:
        written = write_report(done.folder)  # before anything is printed, which may fail
    except SparseAugError as error:
        written, stopped = [], error  # what was measured is shown, drawn or not
    if config.quick:
        say(f"QUICK: {config.seeds} seeds, {config.num_steps} steps; not the paper's run.\n")
    _show_claims(config, "the paper says", claims(done.table))
    if done.comparison is not None:
        say()
        _show_claims(config, "designs instead of draws", design_claims(done.comparison))
    _show_files(config, done, written)
    if stopped is not None:
        raise stopped


@contextmanager
def _bars(config: Config) -> Iterator[Callable[[Count], None]]:
    """Bars for seeds, and for methods and certificates of all seeds."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    quiet = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=quiet) as progress:
        seeds = progress.add_task("seeds", total=config.seeds)
        runs = progress.add_task("methods", total=config.seeds * len(config.methods))
        bounds = progress.add_task("certificates", total=config.seeds * len(config.sample_sizes))
        designs = progress.add_task("designs", total=config.seeds)

        def update(finished: Count) -> None:
            progress.update(seeds, completed=finished.seeds)
            progress.update(runs, completed=finished.methods)
            progress.update(bounds, completed=finished.certificates)
            progress.update(designs, completed=finished.designs)

        yield update


def _show_claims(config: Config, title: str, found: list[Claim]) -> None:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, show_lines=True)
    for name in (title, f"measured over {config.seeds} seeds (95 %)", "holds"):
        table.add_column(name)
    for claim in found:
        verdict = "[green]yes[/]" if claim.holds else "[bold red]not shown[/]"
        table.add_row(escape(claim.text), escape(claim.measured), verdict)
    console = Console()
    console.width = max(console.width, _NARROWEST)  # COLUMNS=0 would leave nothing
    with console.capture() as printed:
        console.print(table)
    sys.stdout.write(printed.get())


def _show_files(config: Config, done: Finished, written: list[Path]) -> None:
    """What is in the folder; a page alone means that matplotlib is missing."""
    files = ["results.json", "replay/", *(path.name for path in written)]
    if done.comparison is not None:
        files.insert(2, "designs.json")
    files.insert(2, "beyond.json")
    if [path.name for path in written] == ["report.html"]:
        say("\nNo figures: matplotlib is not installed; pip install matplotlib.")
    total = config.seeds * len(config.methods)
    kept = (
        f"; {total - done.computed} of {total} runs were there already"
        if done.computed < total
        else ""
    )
    say(f"\nIn {done.folder}: {', '.join(files)}")
    say(f"Took {done.seconds:.1f} s, certificates {done.certificate_seconds:.1f} s{kept}.")
