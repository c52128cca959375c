"""Slopes beyond the paper on the 23 groups: `python -m studies.rates.beyond [--long] [--out FILE]`.

one-shot, words   m draws, and all words of two of them, as in `rates`
products          all 2^c subproducts of c draws: calls grow like log(1/eps), work like eps^-2
own draws         m own elements for each of the n samples: n m calls
mini-batch        S of m draws, steps over 8 fresh pairs (sample, element), step size and number of
                  steps of `theory.sgd_plan` for 2 sigma / sqrt(m); root mean square over the last half
streaming         plain SGD with the theory's step size, mean square over the iterates so far
variance-reduced  PAGE (Li, Bao, Zhang and Richtarik 2021) on fresh draws: with probability p =
                  sqrt(B) / (B + sqrt(B)) the mean over B = k sigma^2 / eps^2 of them, else the last
                  estimate and the change over sqrt(B); the least calls over k = 1/2, 2 and over two
                  step sizes, 1/(2L) and 1/L

Every full gradient is exact. The small form takes minutes; --long more seeds, sizes and calls.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from sparseaug.kernels.arrays import Floats
from sparseaug.sampling import GroupSample, Oracle, keyed_rng
from sparseaug.theory import sgd_plan
from studies.rates.numbers import Interval, call_slope, eps_slope, mean_interval, slopes
from studies.rates.problems import CENTERS, SAMPLES, StudyProblem, find_problem, group_label
from studies.rates.rates import QUICK, WHOLE, _one_shot, _reached, _streaming, _words
from studies.rates.walks import BOX, descend_all, gradients, norms, spread, stream

_RATIO = math.sqrt(2)  # between two eps
_PAIRS = 8  # of a mini-batch
_BLOCK = 512  # steps whose draws are made at once
_MOST = 50_000  # steps of descent on a sample
_PAGE = tuple((share, step) for share in (0.5, 2.0) for step in (0.5, 1.0))
"""Large batches as multiples of sigma^2 / eps^2, and step sizes as multiples of 1/L."""


class Sizes(NamedTuple):
    """What is measured."""

    seeds: int
    one_shot: Sequence[int]
    words: Sequence[int]
    products: Sequence[int]
    own: Sequence[int]
    minibatch: Sequence[int]
    streaming: int  # calls
    page: int  # calls


QUICKLY = Sizes(3, (8, 32, 128), (4, 8, 16), (2, 4, 6), (4, 16, 64), (8, 32), 2_000, 2_000)
SMALL = Sizes(
    *(6, (8, 32, 128, 512, 2048), (4, 8, 16, 32), (2, 4, 6, 8, 10), (2, 8, 32, 128, 512)),
    *((8, 32, 128), 20_000, 20_000),
)
LONG = Sizes(
    *(16, (8, 32, 128, 512, 2048, 8192), (4, 8, 16, 32, 64), (2, 4, 6, 8, 10, 12, 14)),
    *((2, 8, 32, 128, 512, 2048), (8, 32, 128, 512), 80_000, 320_000),
)


def measure(given: StudyProblem, sizes: Sizes) -> dict[str, Any]:
    """Every method on one problem: calls, and the norms of the full gradient, by seed."""
    task = {"seeds": sizes.seeds, "b": 1, "limit": sizes.one_shot}
    found = {
        "one-shot": _one_shot(given, task),
        "words": _words(given, {**task, "limit": sizes.words}),
        "products": _products(given, sizes),
        "own draws": _own(given, sizes),
        "mini-batch": _minibatch(given, sizes),
        "streaming": _streaming(given, {**task, "limit": sizes.streaming}),
        "variance-reduced": _page(given, sizes),
    }
    return {"log_order": given.action.group.log_order, "sigma": given.sigma, **found}


def _oracle(given: StudyProblem, method: str, m: int, seed: int) -> Oracle:
    """One for each method, size and seed."""
    key = keyed_rng(seed, f"study: {method}", index=m).integers(1 << 62)
    return Oracle(given.action.group, int(key))


def _products(given: StudyProblem, sizes: Sizes) -> dict[str, Any]:
    norms_ = [
        _reached(
            given,
            (
                _oracle(given, "products", calls, seed).products(calls)
                for seed in range(sizes.seeds)
            ),
        )
        for calls in sizes.products
    ]
    elements = [2**calls for calls in sizes.products]
    return {"calls": list(sizes.products), "elements": elements, "norms": norms_}


def _features(given: StudyProblem, S: GroupSample) -> Floats:
    """phi (m, samples, centers)."""
    return np.asarray(given._features(S.elements))


def _own(given: StudyProblem, sizes: Sizes) -> dict[str, Any]:
    """Descent where each sample has its own m elements."""
    found = []
    for m in sizes.own:
        A, v = [], []
        for seed in range(sizes.seeds):
            S = _oracle(given, "own draws", m, seed).fresh(SAMPLES * m)
            phi = _features(given, S).reshape(SAMPLES, m, SAMPLES, CENTERS)
            own = phi[np.arange(SAMPLES), :, np.arange(SAMPLES)]  # (samples, m, centers)
            A.append(np.einsum("ijr,ijs->rs", own, own) / (SAMPLES * m))
            v.append(np.einsum("ijr,i->r", own, given.y) / (SAMPLES * m))
        found.append(_ends(given, np.stack(A), np.stack(v)))
    return {
        "calls": [SAMPLES * m for m in sizes.own],
        "elements": list(sizes.own),
        "norms": found,
    }


def _ends(given: StudyProblem, A: Floats, v: Floats) -> list[float]:
    """The norm of the full gradient where descent with these moments ends."""
    full = given.full.A, given.full.v

    def done(theta: Floats) -> bool:
        there = np.maximum(norms(gradients(*full, theta)), 1e-6 * given.sigma)
        return bool((norms(gradients(A, v, theta)) <= 0.1 * there).all())

    theta = descend_all(A, v, given.start, 1 / given.smoothness, done, most=_MOST)
    return [float(value) for value in norms(gradients(*full, theta))]


def _minibatch(given: StudyProblem, sizes: Sizes) -> dict[str, Any]:
    """Steps over pairs of a fixed S: the root mean square over the last half of the steps."""
    found, steps = [], []
    full = given.full.A, given.full.v
    for m in sizes.minibatch:
        draws = [_oracle(given, "mini-batch", m, seed).fresh(m) for seed in range(sizes.seeds)]
        phi = np.stack([_features(given, S) for S in draws])  # (seeds, m, samples, centers)
        noise = max(_pair_spread(given, each, given.start) for each in phi)
        plan = sgd_plan(
            2 * given.sigma / math.sqrt(m),
            L=given.smoothness,
            gap=given.gap,
            sigma=noise,
            b=_PAIRS,
        )
        draw = partial(_pairs, given, phi, keyed_rng(0, "study: pairs", index=m))
        walk = stream(draw, full, given.start, np.array([plan.step_size]))
        blocks = 2 * math.ceil(plan.num_steps / (2 * _BLOCK))
        path = np.concatenate([next(walk)[:, 0] ** 2 for _ in range(blocks)])
        found.append([float(x) for x in np.sqrt(path[len(path) // 2 :].mean(axis=0))])
        steps.append(plan.num_steps)
    sizes_ = list(sizes.minibatch)
    return {"calls": sizes_, "elements": sizes_, "steps": steps, "norms": found}


def _pairs(given: StudyProblem, phi: Floats, rng: Any) -> tuple[Floats, Floats]:
    """A block of mean moments of fresh pairs, (block, seeds, R, R) and (block, seeds, R)."""
    seeds, m = phi.shape[:2]
    j, i = (rng.integers(top, size=(_BLOCK, seeds, _PAIRS)) for top in (m, SAMPLES))
    rows = phi[np.arange(seeds)[:, None], j, i]
    A = np.einsum("tspr,tspq->tsrq", rows, rows) / _PAIRS
    return A, np.einsum("tspr,tsp->tsr", rows, given.y[i]) / _PAIRS


def _pair_spread(given: StudyProblem, phi: Floats, theta: Floats) -> float:
    rows, y = phi.reshape(-1, CENTERS), np.tile(given.y, len(phi))
    return spread(theta, rows[:, :, None] * rows[:, None], y[:, None] * rows)


def _page(given: StudyProblem, sizes: Sizes) -> dict[str, Any]:
    """The least calls of PAGE over its options, until the mean square is at most eps^2."""
    first = float(norms(gradients(given.full.A, given.full.v, given.start)))
    eps, calls, options = min(first, given.sigma * _RATIO) / 2, [], []
    goals: list[float] = []
    while len(goals) < 14:
        tried = [_page_runs(given, eps, *option, sizes.page, sizes.seeds) for option in _PAGE]
        whole = [row for row in tried if all(row)]
        if not whole:
            break
        best = min(whole, key=sum)
        goals.append(eps)
        calls.append(best)
        options.append(list(_PAGE[tried.index(best)]))
        eps /= _RATIO
    return {"eps": goals, "calls": calls, "options": options}


def _page_runs(
    given: StudyProblem, eps: float, share: float, step: float, most: int, seeds: int
) -> list[int]:
    """Calls of one run for each seed; 0 where it takes more than `most`. The coin is one for all."""
    large = max(1, math.ceil(share * (given.sigma / eps) ** 2))
    small = max(1, round(math.sqrt(large)))
    restart = small / (large + small)
    draws = _Draws([_oracle(given, f"PAGE {eps!r} {share}", large, s) for s in range(seeds)], given)
    coin = keyed_rng(0, "study: PAGE", index=large)
    theta, total = np.tile(given.start, (seeds, 1)), np.zeros(seeds)
    eta, full = step / given.smoothness, (given.full.A, given.full.v)
    estimate, found = gradients(*draws.mean(large), theta), np.zeros(seeds, int)
    for count in range(1, most + 1):
        total += norms(gradients(*full, theta)) ** 2
        found[(found == 0) & (total <= count * eps**2)] = draws.calls
        if found.all() or draws.calls > most:
            break
        moved = np.clip(theta - eta * estimate, -BOX, BOX)
        if coin.random() < restart:
            estimate = gradients(*draws.mean(large), moved)
        else:
            A, v = draws.mean(small)
            estimate = estimate + gradients(A, v, moved) - gradients(A, v, theta)
        theta = moved
    return [int(each) for each in found]


class _Draws:
    """Mean moments of the next fresh elements of several oracles, drawn in blocks."""

    def __init__(self, oracles: list[Oracle], given: StudyProblem) -> None:
        self.oracles, self.given, self.calls = oracles, given, 0
        self.A = np.empty((len(oracles), 0, CENTERS, CENTERS))
        self.v = np.empty((len(oracles), 0, CENTERS))

    def mean(self, count: int) -> tuple[Floats, Floats]:
        """Over the next `count` of each oracle, (oracles, R, R) and (oracles, R)."""
        while self.A.shape[1] < count:
            made = [self.given.moments_of(oracle.fresh(_BLOCK)) for oracle in self.oracles]
            self.A = np.concatenate([self.A, np.stack([A for A, _ in made])], axis=1)
            self.v = np.concatenate([self.v, np.stack([v for _, v in made])], axis=1)
        self.calls += count
        A, v = self.A[:, :count].mean(axis=1), self.v[:, :count].mean(axis=1)
        self.A, self.v = self.A[:, count:], self.v[:, count:]
        return A, v


class Slopes(NamedTuple):
    """Of one group; of products the halvings of eps for each call, and the slope of the work."""

    values: dict[str, Interval]


_THEORY = {
    "one-shot": "-2",
    "words": "-1",
    "products": "0.5 halvings a call",
    "products, work": "-2",
    "own draws": "-2",
    "mini-batch": "-2",
    "streaming": "-4",
    "variance-reduced": "-3",
}


def summarise(found: dict[str, Any]) -> Slopes:
    """The slopes of log calls in log eps, with 95 % intervals over seeds."""
    values = {}
    for name in ("one-shot", "words", "own draws", "mini-batch"):
        values[name] = call_slope(found[name]["calls"], found[name]["norms"])
    made = found["products"]
    halved = -np.log2(np.array(made["norms"]))
    values["products"] = mean_interval(slopes(np.exp(made["calls"]), np.exp(halved)))
    values["products, work"] = call_slope(made["elements"], made["norms"])
    for name in ("streaming", "variance-reduced"):
        rows = found[name]
        whole = [i for i, row in enumerate(rows["calls"]) if None not in row]
        if len(whole) > 2:
            calls = [rows["calls"][i] for i in whole]
            values[name] = eps_slope([rows["eps"][i] for i in whole], calls)
    return Slopes(values)


def groups(quick: bool = False) -> Iterator[tuple[str, int]]:
    """The 23 groups, or two of them."""
    for family, sizes in (QUICK if quick else WHOLE).items():
        yield from ((family, size) for size in sizes)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description="Slopes beyond the paper.")
    parser.add_argument("--quick", action="store_true", help="two groups, seconds")
    parser.add_argument("--long", action="store_true", help="more seeds, sizes and calls")
    parser.add_argument("--out", type=Path, help="a JSON file of all numbers")
    given = parser.parse_args(arguments)
    sizes = QUICKLY if given.quick else LONG if given.long else SMALL
    found: dict[str, Any] = {}
    table = Table("group", *_THEORY, title="slopes, 95 % intervals", box=box.SIMPLE_HEAD)
    every: dict[str, list[float]] = {name: [] for name in _THEORY}
    with threadpool_limits(1):
        for family, size in groups(given.quick):
            label = group_label(family, size)
            found[label] = measure(find_problem(family, size), sizes)
            made = summarise(found[label]).values
            table.add_row(label, *(str(made.get(name, "-")) for name in _THEORY))
            for name, value in made.items():
                every[name].append(value.mean)
            print(label, file=sys.stderr, flush=True)
    middle = [f"{np.median(each):.2f} of {len(each)}" if each else "-" for each in every.values()]
    table.add_row("median", *middle)
    table.add_row("theory", *_THEORY.values())
    Console(width=200).print(table)
    if given.out:
        given.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
