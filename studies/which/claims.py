"""What is claimed of the sets that are made for a model, checked line by line."""

from __future__ import annotations

from typing import Any

import numpy as np

from studies.which.measure import noise

WORSE = 1.1  # never worse than the best of the others by more than this factor
SMOOTH = 3.0  # at least so many times better than draws on smooth spectra
STRIDED = 0.6  # at most this part of what draws leave, a network of stride 4 at m = 49
ROUNDING = 1e-9  # of the variance: less is none
Line = tuple[bool, str]


def ours(pair: dict[str, Any], m: int) -> dict[str, Any] | None:
    return next((s for s in pair["sets"] if s["m"] == m and s["kind"] == "spectrum"), None)


def best_other(pair: dict[str, Any], m: int) -> dict[str, Any]:
    others = [s for s in pair["sets"] if s["m"] == m and s["kind"] != "spectrum"]
    return min(others, key=lambda s: s["left"])


def sizes(pair: dict[str, Any]) -> list[int]:
    return sorted({s["m"] for s in pair["sets"]})


def claims(pairs: list[dict[str, Any]]) -> list[Line]:
    """Each claim with PASS or FAIL."""
    found = [_never_worse(pairs), *_against_draws(pairs)]
    chosen = [(pair["pair"], one) for pair in pairs for one in pair["choices"]]
    if chosen:
        found += _choices(chosen)
    return [(kept, f"{'PASS' if kept else 'FAIL'}: {text}") for kept, text in found]


def _never_worse(pairs: list[dict[str, Any]]) -> Line:
    """More than the factor counts where it is more than the noise of the measurement."""
    above: list[str] = []
    within = count = 0
    for pair in pairs:
        for m in sizes(pair):
            count += 1
            mine, best = ours(pair, m), best_other(pair, m)
            if mine is None:
                above.append(f"{pair['pair']} m = {m}: none was made")
                continue
            # the same translates for both: the noise is that of the difference
            over = np.array(mine["each"]) - WORSE * np.array(best["each"])
            if over.mean() <= ROUNDING:
                continue
            if over.mean() <= noise(over):
                within += 1
                continue
            ratio = mine["left"] / max(best["left"], ROUNDING)
            told = f"{pair['pair']} m = {m}: {ratio:.2f} of {best['kind']} ({best['name']})"
            if best.get("predicted"):
                before = mine["predicted"][0] / max(best["predicted"][0], ROUNDING)
                told += f", {before:.2f} by the spectrum"
            if over.mean() <= mine["predicted"][1]:
                told += ", less than the error bar of the spectrum"
            above.append(told)
    text = f"design(spectrum=) at most {WORSE} of the best other in {count - len(above)} of {count}"
    note = f" ({count - len(above) - within} without allowing for the noise of the measurement)"
    return not above, "; ".join([text + note, *above])


def _against_draws(pairs: list[dict[str, Any]]) -> list[Line]:
    found = []
    for pair in pairs:
        for m in sizes(pair):
            mine = ours(pair, m)
            if mine is None or not pair["claim"]:
                continue
            share = mine["left"] * m  # draws leave 1 / m
            times = 1 / max(share, ROUNDING)
            if pair["claim"] == "smooth":
                other = 1 / max(best_other(pair, m)["left"] * m, ROUNDING)
                text = f"{pair['pair']}, m = {m}: {times:.1f} times better than draws"
                text += f", the best other {other:.1f}"
                found.append((times >= SMOOTH, text))
            elif m == 49:
                text = f"{pair['pair']}, m = {m}: {share:.3f} of what draws leave"
                found.append((share <= STRIDED, text))
    return found


def _choices(chosen: list[tuple[str, dict[str, Any]]]) -> list[Line]:
    made = [(name, one) for name, one in chosen if "m" in one]
    others = [f"{name} {one['share']}" for name, one in chosen if "m" not in one]
    found: list[Line] = []
    for half in ("same", "test"):
        over = [
            f"{name} {one['share']}: {one[half][0] ** 0.5 / one['share']:.3f} times"
            for name, one in made
            if one[half][0] - one[half][1] > one["share"] ** 2 + ROUNDING
        ]
        share = 1 - len(over) / max(1, len(made))
        strictly = sum(one[half][0] <= one["share"] ** 2 + ROUNDING for _, one in made)
        where = "the inputs it was chosen on" if half == "same" else "other inputs"
        text = f"choose: within what was asked, and the noise, on {where} in {share:.1%} of {len(made)}"
        text += f" ({strictly} without allowing for the noise)"
        found.append((share >= 0.95, "; ".join([text, *over])))
    less = [
        f"{name} {one['share']}: {one['smaller'][1]} has {one['smaller'][0]} of {one['m']}"
        for name, one in made
        if one["smaller"]
    ]
    share = len(less) / max(1, len(made))
    text = (
        f"choose: a smaller set of the list is enough on both halves in {share:.1%} of {len(made)}"
    )
    found.append((share <= 0.05, "; ".join([text, *less])))
    text = f"choose: {len(others)} refused, or too large to be measured"
    found.append((not others, "; ".join([text, *others])))
    return found
