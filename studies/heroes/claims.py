"""Every sentence with a number that the first page and the README say of the three results.

README.md and docs/index.md hold each of them; `tests/docs/test_entrance.py` compares.
"""

from __future__ import annotations

import math
from typing import Any

COMMANDS = {
    name: f"python -m studies.heroes {name}" for name in ("pipeline", "rotations", "promise")
}


def row(found: dict[str, Any], way: str, m: int) -> dict[str, Any]:
    """What was measured of one way at m."""
    one: dict[str, Any] = next(one for one in found["rows"] if one["way"] == way and one["m"] == m)
    return one


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def at_least(share: float) -> str:
    """A lower bound, rounded down."""
    return f"{math.floor(1000 * share) / 10:.1f} %"


def claims(found: dict[str, Any]) -> dict[str, list[str]]:
    """The sentences by the command that measures them."""
    return {
        "pipeline": _pipeline(found["pipeline"]),
        "rotations": _rotations(found["rotations"]),
        "promise": _promise(found["promise"]),
    }


def _pipeline(found: dict[str, Any]) -> list[str]:
    ways = ("chosen", "Sobol points", "kernel thinning")
    chosen, sobol, thinned = (f"{1 / row(found, way, 16)['left']:.0f}" for way in ways)
    labels, drawn = (percent(row(found, way, 16)["labels"]) for way in ("chosen", "draws"))
    return [
        f"16 views chosen for the network come as close to the full average as {chosen} random ones",
        f"As many Sobol points are worth {sobol}, as many from kernel thinning {thinned}",
        f"With the chosen views {labels} of the labels differ from those of the full average, with "
        f"random ones {drawn}",
    ]


def _rotations(found: dict[str, Any]) -> list[str]:
    chosen, draws, grid = (
        f"{row(found, way, 24)['change']:.2f}" for way in ("chosen", "draws", "weighted grid")
    )
    exact, averaged = row(found, "kernel on distances", 1), row(found, "chosen", 24)
    return [
        "turned, the same molecule gets an energy that is "
        f"{row(found, 'one view', 1)['change']:.1f} kcal/mol off its average",
        f"Averages over 24 chosen rotations leave {chosen} kcal/mol, over as many random ones {draws}",
        f"A weighted grid of as many leaves {grid}, the four views along principal axes "
        f"{row(found, 'principal axes', 4)['change']:.2f}",
        f"has an error of {exact['error']:.1f} instead of {averaged['error']:.1f} kcal/mol",
    ]


def _promise(found: dict[str, Any]) -> list[str]:
    return [
        f"right on {percent(found['upright'])} of 500 photographs as they are",
        "Over their eight turns and mirror images it is right on "
        f"{percent(found['over_all'])}, which is certain",
        "Over random turns, crops and colours, of which there is no end, it is right on at least "
        f"{at_least(found['pipeline']['at_least'])}, with probability 95 %",
    ]
