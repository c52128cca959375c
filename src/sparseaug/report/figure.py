"""What every figure shares: size, type, a quiet frame, and bytes that do not depend on the day."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any

from sparseaug.errors import need, shorten_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 6.75  # inches, two columns of a conference page: 8 pt type stays above 6 pt at 5.5 inches
_SETTINGS = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "legend.handlelength": 2.6,
    "lines.dash_capstyle": "butt",
    "pdf.fonttype": 42,  # TrueType, which printers and arXiv take; Type 3 they refuse
}
_QUIET = "#AAAAAA"


@contextlib.contextmanager
def figure_style() -> Iterator[None]:
    """Draw and save inside: matplotlib's defaults and ours, whatever the user's matplotlibrc."""
    style = need("matplotlib.style", "a figure", extra="sparseaug[report]")
    with style.context(["default", _SETTINGS]):
        yield


def new_figure(*, height: float) -> Figure:
    """An empty figure that no window system knows of."""
    from matplotlib.figure import Figure

    return Figure(figsize=(WIDTH, height), dpi=250, layout="constrained")


def frame(axes: Axes) -> None:
    """Two spines, a light grid, nothing else."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(_QUIET)
    axes.grid(True, which="major", color="#ECECEC", linewidth=0.6)
    axes.tick_params(which="both", color=_QUIET)
    axes.set_axisbelow(True)


def title(axes: Axes, letter: str, text: str) -> None:
    """Put the panel's letter in bold, then what is on its vertical axis."""
    axes.set_title(rf"$\mathbf{{({letter})}}$  {text}", loc="left")


def plain(text: str, most: int = 40) -> str:
    """Text that matplotlib prints as it stands: no mathematics, no letters its font lacks.

    Examples:
        >>> print(plain("a$b"))
        a\\$b
    """
    safe = text.encode("ascii", "backslashreplace").decode()
    return shorten_text(safe, most).replace("$", r"\$")


def figure_bytes(figure: Figure, kind: str) -> bytes:
    """The figure as "pdf" or "png", the same bytes for the same data."""
    undated: dict[str, Any] = {"pdf": {"CreationDate": None}, "png": {"Software": None}}[kind]
    buffer = BytesIO()
    figure.savefig(buffer, format=kind, metadata=undated)
    return buffer.getvalue()
