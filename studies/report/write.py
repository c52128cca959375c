"""From results.json to what a person opens: figures in two formats, and the page."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sparseaug._io import check_path
from sparseaug.errors import MissingPackageError
from studies.paper import beyond
from studies.paper.comparison import Comparison, read_comparison
from studies.paper.results import Results, read_results
from studies.paper.sentences import claims
from studies.report.beyond import call_charts
from studies.report.figures import draw_certificates, draw_designs, draw_figure, draw_products
from studies.report.looks import figure_bytes, figure_style
from studies.report.owned import require_ours, write_owned
from studies.report.page import render_page

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMES = ("figure.pdf", "figure.png", "certificates.pdf", "certificates.png", "report.html")
_MORE = ("designs.pdf", "designs.png", "products.pdf", "products.png")


def write_report(folder: str | os.PathLike[str]) -> list[Path]:
    """Write figure.pdf and .png, those of certificates, designs and products if any, and report.html.

    Everything is drawn before anything is written, and each file is whole or absent. The same
    results give the same bytes. Without matplotlib only the page is written.

    Args:
        folder: What `studies.paper.reproduce` wrote to.

    Returns:
        The paths in the order written, the page last.

    Raises:
        FileFormatError: The results are damaged.
        StorageError: There are no results, or a file is in the way that was not written here, as
            files.json in the folder says.
    """
    path = check_path("folder", folder)
    results, designs = read_results(path), read_comparison(path)
    found = beyond.read(path)
    try:
        files = _figures(results, designs, found)
    except MissingPackageError:
        files = {}
    page = render_page(results, verdicts=claims(results), designs=designs, beyond=found)
    files["report.html"] = page.encode()
    write_owned(path, files)
    return [path / name for name in files]


def check_report(folder: str | os.PathLike[str]) -> None:
    """Raise a `StorageError` if a file is there that `write_report` would not replace."""
    require_ours(check_path("folder", folder), (*NAMES, *_MORE))


def _figures(
    results: Results, designs: Comparison | None, found: dict[str, Any] | None
) -> dict[str, bytes]:
    drawings = {"figure": partial(draw_figure, results)}
    if results.certificates:
        drawings["certificates"] = partial(draw_certificates, results)
    if designs is not None:
        drawings["designs"] = partial(draw_designs, designs)
    if found is not None:
        drawings["products"] = partial(draw_products, call_charts(found))
    return _saved(drawings)


def _saved(drawings: Mapping[str, Callable[[], Figure]]) -> dict[str, bytes]:
    """Each drawing in two formats, in the house style."""
    with figure_style():
        drawn = {name: draw() for name, draw in drawings.items()}
        return {
            f"{name}.{kind}": figure_bytes(figure, kind)
            for name, figure in drawn.items()
            for kind in ("pdf", "png")
        }
