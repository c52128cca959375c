"""From results.json to what a person opens: figures in two formats, and the page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from sparseaug.report.canvas import figure_bytes, figure_style
from sparseaug.report.certificate_figure import draw_certificates
from sparseaug.report.figures import draw_figure
from sparseaug.report.page import Verdict, render_page
from sparseaug.report.results import Results, read_results
from sparseaug.storage import write_atomic


def write_report(folder: str | os.PathLike[str]) -> list[Path]:
    """Write figure.pdf and .png, certificates.pdf and .png if there are any, and report.html.

    Everything is drawn before anything is written, and each file is whole or absent. The same
    results give the same bytes. Returns the paths in the order written, the page last.
    """
    results = read_results(folder)
    files: dict[str, bytes] = {}
    with figure_style():
        drawings = {"figure": draw_figure(results)}
        if results.certificates:
            drawings["certificates"] = draw_certificates(results)
        for name, figure in drawings.items():
            for kind in ("pdf", "png"):
                files[f"{name}.{kind}"] = figure_bytes(figure, kind)
    page = render_page(results, verdicts=_verdicts(results))
    files["report.html"] = page.encode()
    for name, data in files.items():
        write_atomic(Path(folder) / name, data)
    return [Path(folder) / name for name in files]


def _verdicts(results: Results) -> Sequence[Verdict]:
    """The claims, where the file has the methods and the config that they are about.

    Imported here, so that a figure of a plan does not load the experiment and its workers.
    """
    from sparseaug.experiments.claims import claims

    try:
        return claims(results.raw)
    except KeyError:
        return ()
