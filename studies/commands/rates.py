"""`python -m studies rates` and `views`: what is run, printed and written."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from sparseaug.cli.output import say
from sparseaug.errors import ArgumentError, SparseAugError, need, shorten


def _shared(folder: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The options that both commands have."""
    options = (
        click.option(
            "--out",
            metavar="FOLDER",
            default=folder,
            show_default=True,
            help="Folder for all files; a study that was stopped there is resumed.",
        ),
        click.option("--quick", is_flag=True, help="Small problems and few draws, labelled so."),
        click.option("--jobs", type=int, help="Workers.  [default: all that the back end has]"),
        click.option(
            "--backend",
            default="loky",
            show_default=True,
            metavar="NAME",
            help="Back end of joblib: loky, threading, dask, or a registered one.",
        ),
        click.option(
            "--address", metavar="HOST:PORT", help="Scheduler of the Dask cluster, for dask."
        ),
    )

    def add(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


@click.command()
@_shared("study")
@click.option(
    "--part",
    "parts",
    multiple=True,
    metavar="PARTS",
    help="A part to run, several times for several: rates, deviation, training.  [default: all]",
)
def rates(parts: tuple[str, ...], **options: Any) -> None:
    """Measure the paper's rates, bounds and costs on groups of 16 to 2^1000 elements.

    Oracle calls to reach a gradient norm, by method; exact deviations next to every bound; what a step
    of training costs. About an hour on two cores. A study that was stopped is resumed, with the
    same results.

    \b
    Examples:
      python -m studies rates --quick --out quick
      python -m studies rates --out study --jobs 2
      python -m studies rates --backend dask --address tcp://scheduler:8786
    """
    _study(parts=parts or None, **options)


@click.command()
@_shared("views")
def views(**options: Any) -> None:
    """Measure the error of averaging predictions over m views, on six tasks.

    Four with real data, all graphs with seven nodes, and a toy potential. Seven minutes on two cores.
    `python -m studies.pages.views FOLDER` then writes the page of the documentation.

    \b
    Examples:
      python -m studies views --quick --out quick
      python -m studies views --out views
    """
    _study(parts=("views",), **options)


def _study(
    out: str,
    parts: tuple[str, ...] | None,
    quick: bool,
    jobs: int | None,
    backend: str,
    address: str | None,
) -> None:
    """Run these parts, write their files, say what was found."""
    from studies.rates import run_study  # SciPy takes a while to import
    from studies.report import check_study, write_study

    if not out:
        raise click.BadParameter("the name is empty; give a folder", param_hint="--out")
    check_study(out)
    with _workers(backend, address), _bar() as update:
        done = run_study(out, quick=quick, parts=parts, jobs=jobs, progress=update)
    stopped: SparseAugError | None = None
    try:
        written = write_study(done.folder)
    except SparseAugError as error:
        written, stopped = [], error  # what was found is shown, drawn or not
    if quick:
        say("QUICK: small groups and few draws; not the study.\n")
    for summary in done.summaries.values():
        for finding in summary.findings:
            verdict = {True: "holds", False: "not shown", None: "measured"}[finding.holds]
            say(f"[{verdict}] {finding.text}\n    {finding.measured}")
    names = ["results.json", *(path.name for path in written)]
    say(f"\nIn {done.folder}: {', '.join(names)}")
    kept = done.total - done.computed
    say(f"{done.total} tasks, {kept} of them were there already.")
    if stopped is not None:
        raise stopped


@contextlib.contextmanager
def _workers(backend: str, address: str | None) -> Iterator[None]:
    """joblib's back end of that name, for dask the cluster at that address."""
    import joblib

    with contextlib.ExitStack() as stack:
        if backend == "dask":
            if address is None:
                raise ArgumentError("address= is missing; give HOST:PORT of the Dask scheduler.")
            distributed = need("dask.distributed", "--backend dask", install="dask[distributed]")
            try:
                stack.enter_context(distributed.Client(address, timeout="10s"))
            except (OSError, ValueError) as error:
                raise ArgumentError(
                    f"address={shorten(address)} is not a Dask scheduler that answers: {error}."
                ) from error
        elif address is not None:
            raise ArgumentError(f"address={shorten(address)} goes with --backend dask.")
        try:
            stack.enter_context(joblib.parallel_config(backend=backend))
        except (ValueError, KeyError) as error:
            raise ArgumentError(
                f"backend={shorten(backend)} is not known to joblib; give loky, threading or dask."
            ) from error
        yield


@contextlib.contextmanager
def _bar() -> Iterator[Callable[[int, int], None]]:
    columns = (TextColumn("tasks"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    quiet = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=quiet) as progress:
        bar = progress.add_task("tasks", total=None)
        yield lambda done, total: progress.update(bar, completed=done, total=total)
