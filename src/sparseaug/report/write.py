"""From results.json to what a person opens: figures in two formats, and the page."""

from __future__ import annotations

import os
from pathlib import Path

from sparseaug.errors import MissingPackageError
from sparseaug.experiments.results import Results, read_results
from sparseaug.experiments.sentences import claims
from sparseaug.report.figure import figure_bytes, figure_style
from sparseaug.report.figures import draw_certificates, draw_figure
from sparseaug.report.owned import require_ours, write_owned
from sparseaug.report.page import render_page

NAMES = ("figure.pdf", "figure.png", "certificates.pdf", "certificates.png", "report.html")


def write_report(folder: str | os.PathLike[str]) -> list[Path]:
    """Write figure.pdf and .png, certificates.pdf and .png if there are any, and report.html.

    Everything is drawn before anything is written, and each file is whole or absent. The same
    results give the same bytes. Without matplotlib only the page is written.

    Args:
        folder: What `sparseaug.experiments.reproduce` wrote to.

    Returns:
        The paths in the order written, the page last.

    Raises:
        FileFormatError: The results are damaged.
        StorageError: There are no results, or a file is in the way that was not written here, as
            files.json in the folder says.
    """
    results = read_results(folder)
    try:
        files = _figures(results)
    except MissingPackageError:
        files = {}
    files["report.html"] = render_page(results, verdicts=claims(results)).encode()
    write_owned(Path(folder), files)
    return [Path(folder) / name for name in files]


def check_report(folder: str | os.PathLike[str]) -> None:
    """Raise a `StorageError` if a file is there that `write_report` would not replace."""
    require_ours(Path(folder), NAMES)


def _figures(results: Results) -> dict[str, bytes]:
    with figure_style():
        drawings = {"figure": draw_figure(results)}
        if results.certificates:
            drawings["certificates"] = draw_certificates(results)
        return {
            f"{name}.{kind}": figure_bytes(figure, kind)
            for name, figure in drawings.items()
            for kind in ("pdf", "png")
        }
