"""One look for every figure and page: size, type, a quiet frame, and a colour, dash and marker by name.

Colours are Okabe and Ito's, which stay apart for colour-blind readers; the one-shot methods are one
hue that darkens as S grows, and so are the bounds that are known before S is drawn. Where theirs are
too pale for a line, which needs a contrast of 3 against what is behind it (WCAG 1.4.11), they are
darkened. Dashes and markers carry the same difference without colour. `NAMES` are the words.
The bytes of a figure do not depend on the day.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING, Any, final

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

GREY = "#C9C9C9"  # what was not chosen, and what is only compared
GRID = "#ECECEC"
_QUIET = "#AAAAAA"


@contextlib.contextmanager
def figure_style() -> Iterator[None]:
    """Draw and save inside: matplotlib's defaults and ours, whatever the user's matplotlibrc."""
    style = need("matplotlib.style", "a figure")
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
    axes.grid(True, which="major", color=GRID, linewidth=0.6)
    axes.tick_params(which="both", color=_QUIET)
    axes.set_axisbelow(True)


def figure_bytes(figure: Figure, kind: str) -> bytes:
    """The figure as "pdf" or "png", the same bytes for the same data."""
    undated: dict[str, Any] = {"pdf": {"CreationDate": None}, "png": {"Software": None}}[kind]
    buffer = BytesIO()
    figure.savefig(buffer, format=kind, metadata=undated)
    return buffer.getvalue()


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


@final
@dataclass(frozen=True)
class Look:
    """How one line is drawn."""

    colour: str  # on paper and on a light page
    dark: str  # on a dark page
    dash: tuple[float, ...] = ()  # on and off lengths in line widths; empty for a solid line
    marker: str = "o"  # as matplotlib names it
    above: bool = False  # drawn over the others: its dashes show what lies beneath


LOOKS = {
    # methods
    "none": Look("#8A8A8A", "#9A9A9A", (1, 1.6), "X"),
    "full": Look("#1A1A1A", "#F2F2F2", (4, 1.6), "s", above=True),
    "streaming": Look("#D55E00", "#FF8A3D", (), "D"),
    "one-shot-4": Look("#3A97D3", "#A8DCFA"),
    "one-shot-16": Look("#1B69A8", "#4BAAE8"),
    "one-shot-64": Look("#0A3A78", "#2F7BE0"),
    # which S
    "one-shot": Look("#1B69A8", "#4BAAE8"),
    "draws": Look("#1B69A8", "#4BAAE8"),
    "distinct draws": Look("#3A97D3", "#A8DCFA", (), "v"),
    "products": Look("#A33B20", "#F29C82", (), "P"),
    "streaming-8": Look("#E69F00", "#F0C04D", (5, 1.4), "D"),
    "design": Look("#009E73", "#2CC79B", (5, 1.4), "s"),
    "words": Look("#9A8700", "#F0E442", (2, 1.4), above=True),
    "field": Look("#B26F00", "#E69F00", (3, 1.4), "^"),  # what other libraries take
    # the full-gradient norm and its bounds; `words` is a bound too
    "truth": Look("#1A1A1A", "#F2F2F2"),
    "kernel": Look("#8A5A2B", "#D9A06B"),
    "spectral": Look("#0072B2", "#4BAAE8", (5, 1.4)),
    "a-priori": Look("#8E2C62", "#F0A6CF", (1, 1.4), "D"),
    # the deviation of S and its bounds
    "deviation": Look("#0072B2", "#4BAAE8"),
    "sharp-bound": Look("#C2609A", "#E59BC4", (5, 1.4), "s"),
    "a-priori-bound": Look("#8E2C62", "#F0A6CF", (1, 1.4), "D"),
}
SPARE = (
    Look("#7B5EA7", "#B39BDB"),
    Look("#8A5A2B", "#D9A06B", (), "D"),
    Look("#4F6D7A", "#9FB8C3", (), "s"),
    Look("#C2609A", "#E59BC4", (), "^"),
    Look("#9A8700", "#F0E442", (), "v"),
    Look("#A33B20", "#F29C82", (), "P"),
    Look("#2E8B9A", "#7FD3DF", (), "X"),
)
NAMES = {
    "a-priori": "a-priori (the paper's bound)",
    "spectral": "spectral (exact deviation)",
    "kernel": "kernel",
    "words": "words",
    "truth": "truth",
    "draws": "m draws",
    "design": "a design of m",
    "deviation": "exact deviation",
    "a-priori-bound": "the paper's bound",
    "sharp-bound": "the sharper bound",
}
"""What legends and labels call them: the words of the API and of the pages."""


def looks(names: Iterable[str]) -> dict[str, Look]:
    """A look for each name: the known ones are fixed, the others take the spare ones in turn.

    Examples:
        >>> looks(["full", "one-shot-8"])["one-shot-8"] == SPARE[0]
        True
    """
    found, spare = {}, itertools.cycle(SPARE)
    for name in names:
        found[name] = LOOKS[name] if name in LOOKS else next(spare)
    return found
