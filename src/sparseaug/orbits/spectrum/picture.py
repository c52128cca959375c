"""The spectrum as bars, and beside it the error that is left against m: draws, designs, full."""

from __future__ import annotations

import math
from typing import Any

from sparseaug.errors import ArgumentError, need, shorten, shorten_text
from sparseaug.orbits.spectrum.choose import judged
from sparseaug.orbits.spectrum.result import ROUNDING, Spectrum

MOST_SHOWN = 4096
"""Elements of the largest design in the picture."""

_BLUE, _GREEN, _GREY = "#0072B2", "#009E73", "#8A8A8A"  # Okabe and Ito
_MOST_BARS = 24


def draw_spectrum(spectrum: Spectrum, axes: Any = None) -> Any:
    """What `Spectrum.plot` documents."""
    if axes is None:
        pyplot = need("matplotlib.pyplot", "Spectrum.plot", extra="sparseaug[report]")
        axes = pyplot.subplots(1, 2, figsize=(9.0, 3.6), layout="constrained")[1]
    try:
        left, right = axes
        if not all(hasattr(one, "set_xscale") for one in (left, right)):
            raise TypeError
    except Exception as error:  # whatever a foreign object raises
        raise ArgumentError(
            f"axes={shorten(axes)} are not two matplotlib axes; leave them out."
        ) from error
    _bars(spectrum, left)
    _errors(spectrum, right)
    for one in (left, right):
        one.spines[["top", "right"]].set_visible(False)
        one.grid(True, axis="y", color="#ECECEC", linewidth=0.6)
        one.set_axisbelow(True)
    return axes


def _bars(spectrum: Spectrum, axes: Any) -> None:
    shares = list(spectrum.shares.items())[:_MOST_BARS]
    places = range(len(shares))
    bars = [spectrum.errors[degree] for degree, _ in shares]
    heights = [share for _, share in shares]
    # a share lies between 0 and 1, and so do the ends of its bar
    ends = [
        [min(bar, height) for bar, height in zip(bars, heights, strict=True)],
        [min(bar, 1 - height) for bar, height in zip(bars, heights, strict=True)],
    ]
    axes.bar(places, heights, color=_BLUE, width=0.7)
    if any(bars):
        axes.errorbar(places, heights, ends, fmt="none", ecolor="#333333", capsize=2.5, linewidth=1)
    names = [shorten_text(str(degree), 16) for degree, _ in shares]
    long = max(map(len, names), default=1) > 4
    axes.set_xticks(places, names, rotation=30 if long else 0, ha="right" if long else "center")
    axes.set(xlabel=f"degree: {spectrum.meaning}", ylabel="share of the variance", ylim=(0, None))
    how = "exact" if spectrum.exact else f"{spectrum.calls} calls, 95 % band"
    axes.set_title(f"{shorten_text(spectrum.group.name, 24)}: spectrum ({how})", loc="left")


def _errors(spectrum: Spectrum, axes: Any) -> None:
    least = ROUNDING * spectrum.variance
    order = spectrum.group.order if spectrum.group.log_order < math.log(MOST_SHOWN) else None
    shown = [
        (name, prediction)
        for name, _, prediction in judged(spectrum, MOST_SHOWN)
        if name != "full" and prediction.m > 1 and prediction.m != order
    ]
    most = max([64, *(prediction.m for _, prediction in shown), *([order] if order else [])])
    root = math.sqrt(spectrum.variance)
    axes.plot([1, most], [root, root / math.sqrt(most)], color=_GREY, label="independent draws")
    better = [(n, p) for n, p in shown if p.value > least]
    exact = [(n, p) for n, p in shown if p.value <= least]
    if better:
        sizes, values = [p.m for _, p in better], [p.rms for _, p in better]
        axes.plot(sizes, values, "o", color=_BLUE, markersize=4.5, label="designs")
        if spectrum.variance_error or any(p.error for _, p in better):
            low = [p.rms - math.sqrt(max(p.value - p.error, 0.0)) for _, p in better]
            high = [math.sqrt(p.value + p.error) - p.rms for _, p in better]
            axes.errorbar(sizes, values, [low, high], fmt="none", ecolor=_BLUE, linewidth=0.9)
    axes.set_xscale("log", base=2)
    ticks = [2**i for i in range(0, math.ceil(math.log2(most)) + 1, 2 if most < 2000 else 3)]
    axes.set_xticks(ticks, [str(tick) for tick in ticks])
    axes.set_xlim(0.8, 1.8 * most)
    floor = min([p.rms for _, p in better], default=root / math.sqrt(most)) / 3
    if root:  # else there is nothing above 0
        axes.set_yscale("log")
        axes.set_ylim(min(floor, root / math.sqrt(most) / 3), 1.6 * root)
    bottom = {"clip_on": False, "zorder": 5, "transform": axes.get_xaxis_transform()}
    if exact:
        sizes = [p.m for _, p in exact]
        label = "designs: nothing left"
        axes.plot(sizes, [0.0] * len(sizes), "v", color=_GREEN, label=label, **bottom)
    if order:
        axes.plot([order], [0.0], "s", color="#444444", label="full group", **bottom)
    _name(axes, [*better, *exact], least)
    axes.set(xlabel="elements m of S", ylabel="rms error that is left")
    axes.set_title("what averaging over S leaves", loc="left")
    axes.legend(frameon=False, fontsize=8, loc="upper right")


def _name(axes: Any, designs: list[tuple[str, Any]], least: float) -> None:
    """Names beside the designs, where they are few: of those that no smaller one is as good as."""
    best = math.inf
    chosen: list[tuple[str, Any]] = []
    for name, prediction in sorted(designs, key=lambda each: (each[1].m, each[1].value)):
        if prediction.value < 0.9 * best and best > least:
            best = prediction.value
            if name not in [known for known, _ in chosen]:
                chosen.append((name, prediction))
    for name, prediction in chosen[:6]:
        exact = prediction.value <= least
        axes.annotate(
            shorten_text(name, 22),
            (prediction.m, 0.0 if exact else prediction.rms),
            xycoords=axes.get_xaxis_transform() if exact else "data",
            xytext=(4, 5) if exact else (-4, -5),
            ha="left" if exact else "right",
            va="bottom" if exact else "top",
            textcoords="offset points",
            fontsize=7,
            color="#444444",
        )
