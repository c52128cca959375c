"""Oracle calls to reach a full-gradient norm of eps: tab:nonconvex-comparison, measured.

one-shot    m draws, descent on S until the gradient on S is far below eps, the full gradient there
words       the same over all m^2 words of two letters: m calls for m^2 elements
designs     the same over known designs, moved by two uniform elements (k S h): two calls
streaming   the step size of prop:app-group-sgd for eps, until the mean square of the full gradient over
            the iterates so far is at most eps^2: what the proposition bounds; next to it, when an
            iterate reached eps for the first time; over decades of eps where the group can be listed
best step   the first time that an iterate reaches eps, for each step size of a grid
full        all of G, whatever eps is; the steps that it takes

The problem of a task is the first one with a data seed from `data` on that `find_problem` accepts. What
was tuned was tuned on data seeds below 100; the problems of `HELD_OUT` are measured as they come.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from sparseaug.designs import design
from sparseaug.designs.constructions import fixed_designs
from sparseaug.kernels.arrays import Floats
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.theory import full_gd_steps, sgd_plan
from studies.rates.lanes import crossings
from studies.rates.part import Result, Task
from studies.rates.problems import CENTERS, StudyProblem, find_problem
from studies.rates.walks import descend_all, gradients, norms, stream

WHOLE = {
    "S": (4, 5, 6, 7, 8, 9, 10, 11, 12),
    "Z2": (4, 10, 32, 100, 316, 1000),
    "B": (4, 5, 6, 7, 8),
    "C": (16, 64, 256),
}
LISTED = {"S": (4, 5, 6, 7, 8), "Z2": (4, 10), "B": (4, 5), "C": (16, 64, 256)}
"""Groups whose elements fit into a table of moments: streaming goes over decades of eps."""

TWO_DECADES = (("S", 6), ("Z2", 4), ("B", 5), ("C", 256))
"""One of each family, with b = 1: some 1e10 steps. The others go over one and a half, 1e8 steps."""

HELD_OUT = (100, 200)
"""First data seeds of two more problems on each listed group, fixed before they were run."""

QUICK = {"S": (4,), "Z2": (10,)}
QUICK_LISTED = {"S": (4,)}

_SIZES = [round(8 * 10 ** (4 * k / 7)) for k in range(8)]  # of eps: m from 8 to 80000
_BLOCK = 256  # streaming steps whose draws are made at once
_TENTH = 0.1  # of eps: where descent on S has converged for our purposes
_NOTHING = 1e-6  # of sigma: a full gradient that no sample of ours is asked to go below
_MOST = 50_000  # steps of descent on a sample
_RATIO = math.sqrt(2)  # between two eps
_PER_DECADE = 4  # eps in a decade, where streaming goes over decades
_LANES = 4  # seeds there: their calls for an eps differ by a per cent or less at the fine end


def tasks(quick: bool) -> list[Task]:
    """One task for each group and method, and two for each held-out problem."""
    found: list[Task] = []
    listed = QUICK_LISTED if quick else LISTED
    for method in ("one-shot", "words", "designs", "streaming", "best-step", "full"):
        for family, sizes in (QUICK if quick else WHOLE).items():
            for size in reversed(sizes):
                start = {"family": family, "size": size, "method": method, "data": 0}
                for b in (1, 8) if method == "streaming" else (1,):
                    if method == "streaming" and size in listed.get(family, ()):
                        found.append({**start, **_over_decades(family, size, b, quick)})
                    else:
                        limit = _limit(method, quick, wide=size > 100)
                        found.append({**start, "limit": limit, "b": b, "seeds": 4 if quick else 8})
    for data in HELD_OUT[:1] if quick else HELD_OUT:
        for family, sizes in listed.items():
            for size in reversed(sizes):
                start = {"family": family, "size": size, "data": data, "b": 1}
                many = {"limit": _limit("one-shot", quick, wide=False), "seeds": 4 if quick else 8}
                range_ = {"decades": 0.5 if quick else 1.5, "seeds": _LANES}
                found.append({**start, "method": "one-shot", **many})
                found.append({**start, "method": "streaming", **range_})
    return found


def _over_decades(family: str, size: int, b: int, quick: bool) -> Task:
    decades = 2.0 if b == 1 and (family, size) in TWO_DECADES else 1.5
    return {"decades": 0.5 if quick else decades, "b": b, "seeds": _LANES}


def _limit(method: str, quick: bool, *, wide: bool) -> Any:
    """The m of samples, the most elements of a design, the most calls of streaming, the most steps.

    Whole: two decades of eps for one-shot, and one and a half where a sample has hundreds of numbers.
    """
    if method == "one-shot":
        return [8, 32, 128, 512] if quick else _SIZES[: 6 if wide else 8]
    if method == "words":
        return [4, 8, 16, 32] if quick else [4, 8, 16, 32, 64, 128][: 5 if wide else 6]
    if method == "designs":
        return 1024 if quick else 2048 if wide else 32768
    if method in ("streaming", "best-step"):
        most = 80_000 if method == "streaming" else 40_000
        return 3_000 if quick else most // 4 if wide else most
    return 20_000


def run(task: Task) -> Result:
    """Measure one method on one group."""
    given = find_problem(task["family"], task["size"], task["data"])
    measure = {
        "one-shot": _one_shot,
        "words": _words,
        "designs": _designs,
        "streaming": _streaming,
        "best-step": _best_step,
        "full": _full,
    }[task["method"]]
    first = float(norms(gradients(given.full.A, given.full.v, given.start)))
    facts = {
        "problem": given.seed,
        "L": given.smoothness,
        "gap": given.gap,
        "sigma": given.sigma,
        "start": first,
    }
    return {"log_order": given.action.group.log_order, **facts, **measure(given, task)}


def _one_shot(given: StudyProblem, task: Task) -> Result:
    found = []
    for m in task["limit"]:
        found.append(_reached(given, (oracle.fresh(m) for oracle in _oracles(given, task, m))))
    return {"calls": task["limit"], "elements": task["limit"], "norms": found}


def _words(given: StudyProblem, task: Task) -> Result:
    group = given.action.group
    found = []
    for m in task["limit"]:
        letters = (oracle.fresh(m).elements for oracle in _oracles(given, task, m))
        pairs = (group.compose(np.repeat(S, m, axis=0), np.tile(S, (m, 1))) for S in letters)
        found.append(_reached(given, (GroupSample(group, rows) for rows in pairs)))
    return {"calls": task["limit"], "elements": [m * m for m in task["limit"]], "norms": found}


def _designs(given: StudyProblem, task: Task) -> Result:
    """Every known design of at most `limit` elements; for shifts, which have none, even grids."""
    group = given.action.group
    known = [
        (one.name, design(group, name=one.name, m=one.m))
        for one in fixed_designs(group)
        if one.m is not None and one.m <= task["limit"] and one.m < group.order
    ]
    if not known:
        sizes = [2**k for k in range(1, 12) if 2**k < group.order]
        known = [(f"{m} of {group.name}", design(group, m=m, objective="deviation")) for m in sizes]
    found = []
    for _, S in known:
        oracles = _oracles(given, task, S.m)
        found.append(_reached(given, (S.translate(oracle, side="both") for oracle in oracles)))
    elements = [S.m for _, S in known]
    return {
        "names": [name for name, _ in known],
        "calls": [2] * len(known),
        "elements": elements,
        "norms": found,
    }


def _streaming(given: StudyProblem, task: Task) -> Result:
    b = task["b"]
    constants = {"L": given.smoothness, "gap": given.gap, "sigma": given.sigma, "b": b}
    first = float(norms(gradients(given.full.A, given.full.v, given.start)))
    # below the first gradient, and where the theory's step size is below 1/L
    eps = [min(first, given.sigma * math.sqrt(2 / b)) / 2]
    if "decades" in task:
        points = round(task["decades"] * _PER_DECADE)
        eps = [eps[0] * 10 ** (-k / _PER_DECADE) for k in range(points + 1)]
    else:
        while sgd_plan(eps[-1], **constants).calls < 4 * task["limit"]:
            eps.append(eps[-1] / _RATIO)
    plans = [sgd_plan(each, **constants) for each in eps]
    steps = [plan.step_size for plan in plans]
    if "decades" in task:  # in expectation the proposition's own number of steps is enough
        means, firsts = crossings(given, eps, steps, [plan.calls // b for plan in plans], b)
    else:
        means, hits = _crossings(given, task, np.array(steps), eps)
        firsts = [row[i] for i, row in enumerate(hits)]
    return {
        "eps": eps,
        "calls": [_counts(row, b) for row in means],
        "first": [_counts(row, b) for row in firsts],
        "plan": [plan.calls for plan in plans],
    }


def _best_step(given: StudyProblem, task: Task) -> Result:
    """The first time that an iterate reaches each eps, by step size: 1/L, 1/(2L), ..., 1/(2^12 L)."""
    first = float(norms(gradients(given.full.A, given.full.v, given.start)))
    eps = [first / 2 / _RATIO**k for k in range(14)]
    steps = 2.0 ** -np.arange(13) / given.smoothness
    _, hits = _crossings(given, task, np.asarray(steps), eps, stop=False)
    return {"eps": eps, "first": [[_counts(each, 1) for each in row] for row in hits]}


def _full(given: StudyProblem, task: Task) -> Result:
    """How many steps of size 1/L reach each eps, next to those that suffice for any such problem."""
    first = float(norms(gradients(given.full.A, given.full.v, given.start)))
    eps = [first / 2 / _RATIO**k for k in range(14)]
    moments = given.full.A, given.full.v
    fixed = (
        np.broadcast_to(moments[0], (_BLOCK, 1, CENTERS, CENTERS)),
        np.broadcast_to(moments[1], (_BLOCK, 1, CENTERS)),
    )
    walk = stream(lambda: fixed, moments, given.start, np.array([1 / given.smoothness]))
    path = np.concatenate([next(walk)[:, 0, 0] for _ in range(0, task["limit"], _BLOCK)])
    taken = [int(np.argmax(path <= each)) if path.min() <= each else None for each in eps]
    bounds = [full_gd_steps(each, L=given.smoothness, gap=given.gap) for each in eps]
    return {"eps": eps, "steps": taken, "bound": bounds}


def _oracles(given: StudyProblem, task: Task, m: int = 0) -> list[Oracle]:
    """One for each seed; those for samples of different m share no draws."""
    return [Oracle(given.action.group, 1000 * (m + 1) + seed) for seed in range(task["seeds"])]


def _reached(given: StudyProblem, samples: Iterable[GroupSample]) -> list[float]:
    """The norm of the full gradient where descent on each sample ends.

    It ends once the gradient on the sample is below a tenth of the full one: what is left is the
    error of the sample. That is a stop for measuring; thm:main has a number of steps instead.
    """
    A, v = (np.stack(each) for each in zip(*map(given.mean_moments, samples), strict=True))
    full, nothing = (given.full.A, given.full.v), _NOTHING * given.sigma

    def done(theta: Floats) -> bool:
        there = np.maximum(norms(gradients(*full, theta)), nothing)
        return bool((norms(gradients(A, v, theta)) <= _TENTH * there).all())

    theta = descend_all(A, v, given.start, 1 / given.smoothness, done, most=_MOST)
    return [float(value) for value in norms(gradients(*full, theta))]


def _crossings(
    given: StudyProblem, task: Task, steps: Floats, eps: list[float], *, stop: bool = True
) -> tuple[Any, Any]:
    """Steps after which the mean square is at most eps^2, and after which an iterate is at eps.

    The first is for step size i and eps i, of shape (eps, seeds); the second for all pairs, (eps,
    step sizes, seeds). 0 where it did not happen within the calls.
    """
    oracles, b, seeds = _oracles(given, task), task["b"], task["seeds"]

    def draws() -> tuple[Floats, Floats]:
        parts = [given.moments_of(oracle.fresh(_BLOCK * b)) for oracle in oracles]
        A = [A.reshape(_BLOCK, b, CENTERS, CENTERS).mean(axis=1) for A, _ in parts]
        return np.stack(A, axis=1), np.stack(
            [v.reshape(_BLOCK, b, CENTERS).mean(axis=1) for _, v in parts], axis=1
        )

    goals = np.array(eps)
    means = np.zeros((len(steps), seeds), np.int64)
    hits = np.zeros((len(eps), len(steps), seeds), np.int64)
    total, taken = np.zeros((len(steps), seeds)), 0
    for block in stream(draws, (given.full.A, given.full.v), given.start, steps):
        count = taken + np.arange(1, len(block) + 1)
        if stop:
            sums = total + np.cumsum(block**2, axis=0)
            _note(means, sums / count[:, None, None] <= (goals**2)[:, None], taken)
            total = sums[-1]
        lowest = np.minimum.accumulate(block, axis=0)
        for i, goal in enumerate(goals):
            _note(hits[i], lowest <= goal, taken)
        taken += len(block)
        if taken * b >= task["limit"] or (means > 0).all():
            break
    return means, hits


def _note(found: Any, reached: Any, taken: int) -> None:
    """Steps at which something was first reached, where that is not known yet."""
    new = (found == 0) & reached.any(axis=0)
    found[new] = taken + 1 + reached.argmax(axis=0)[new]


def _counts(steps: Any, b: int) -> list[int | None]:
    return [int(each) * b or None for each in steps]
