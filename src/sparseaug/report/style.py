"""One look for every figure and page: a colour, a dash and a name for each method and bound.

Colours are Okabe and Ito's, which stay apart for colour-blind readers; the one-shot methods are one
hue that darkens as S grows. Where theirs are too pale for a line, which needs a contrast of 3 against
what is behind it (WCAG 1.4.11), they are darkened. Dashes carry the same difference without colour.
`dark` is the colour on a dark page.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """How one line is drawn; `dash` is on and off lengths in line widths, empty for solid."""

    label: str
    colour: str
    dark: str
    dash: tuple[float, ...] = ()
    marker: str = "o"


_KNOWN = {
    "none": Look("no augmentation", "#8A8A8A", "#9A9A9A", (1, 1.6), "X"),
    "full": Look("full group", "#1A1A1A", "#F2F2F2", (4, 1.6), "s"),
    "streaming": Look("streaming", "#D55E00", "#FF8A3D", (), "D"),
    "one-shot-4": Look("one-shot, |S| = 4", "#3A97D3", "#A8DCFA"),
    "one-shot-16": Look("one-shot, |S| = 16", "#1B69A8", "#4BAAE8"),
    "one-shot-64": Look("one-shot, |S| = 64", "#0A3A78", "#2F7BE0"),
}
_SPARE = (
    ("#009E73", "#2CC79B"),
    ("#C2609A", "#E59BC4"),
    ("#9A8700", "#F0E442"),
    ("#7B5EA7", "#B39BDB"),
)

BOUND_LOOKS = {
    "truth": Look("true norm", "#1A1A1A", "#F2F2F2"),
    "kernel": Look("kernel", "#009E73", "#2CC79B", (), "^"),
    "spectral": Look("spectral", "#0072B2", "#4BAAE8", (5, 1.4), "s"),
    "a_priori": Look("a priori", "#D55E00", "#FF8A3D", (1, 1.4), "D"),
}
DEVIATION_LOOKS = {
    "measured": Look("exact, each S", "#0072B2", "#4BAAE8"),
    "sharp": Look("sharper a-priori bound", "#C2609A", "#E59BC4", (5, 1.4), "s"),
    "a_priori": Look("a-priori bound", "#D55E00", "#FF8A3D", (1, 1.4), "D"),
}
QUANTITY_NAMES = {
    "train_risk": "Fully augmented training risk",
    "test_risk": "Permutation-averaged test risk",
    "gradient_norm": "Full-gradient norm",
    "identity_test_risk": "Identity-order test risk",
}


def looks(names: Iterable[str]) -> dict[str, Look]:
    """A look for each method, the known ones fixed and others in the order they come.

    Examples:
        >>> looks(["full", "one-shot-8"])["one-shot-8"].label
        'one-shot, |S| = 8'
    """
    result: dict[str, Look] = {}
    for name in names:
        if name in _KNOWN:
            result[name] = _KNOWN[name]
            continue
        strangers = sum(each not in _KNOWN for each in result)
        colour, dark = _SPARE[strangers % len(_SPARE)]
        result[name] = Look(_label(name), colour, dark)
    return result


def _label(name: str) -> str:
    size = name.removeprefix("one-shot-")
    return f"one-shot, |S| = {size}" if size != name and size.isdecimal() else name
