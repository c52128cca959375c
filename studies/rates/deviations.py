"""The exact deviation of m draws against m and |G|, next to the bounds and the floor.

draws    exact deviations of independent samples, by family, size and m
irreps   the norm of the mean on every single irrep of S_n, next to uniform orthogonal matrices
words    the exact norm of D_S^k next to deviation^k
designs  known designs next to draws of as many elements: whole, and to the degree of the design
"""

from __future__ import annotations

import numpy as np

from sparseaug.designs import design
from sparseaug.designs.constructions import fixed_designs
from sparseaug.groups import Group, group
from sparseaug.norms import deviation
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.theory import deviation_bound, deviation_floor, sharp_deviation_bound
from studies.rates.part import Result, Task
from studies.rates.problems import group_label
from studies.rates.typical import haar_norms

DELTA = 0.05
"""Chance of failing of the bounds."""

WHOLE = {
    "S": (5, 6, 7, 8, 9, 10, 11, 12),
    "Z2": (4, 6, 8, 10, 12, 16, 20),
    "B": (2, 3, 4, 5, 6, 7),
    "C": (16, 64, 256, 1024, 4096, 16384),
    "D": (8, 32, 128, 512, 2048, 8192),
}
QUICK = {"S": (4, 5), "Z2": (4, 8), "C": (16, 64)}

FEWER = {"S9": 40, "S10": 20, "S11": 6, "S12": 3, "B6": 50, "B7": 20}
"""Draws of the groups whose exact norm takes longest; all others have 100."""

_SIZES = (16, 64, 256)
_ONE_SIZE = ("S9", "S10", "S11", "S12", "B7")  # m = 64 alone
_ALONE = ("S11", "S12")  # one draw is a task


def tasks(quick: bool) -> list[Task]:
    """The longest first."""
    found: list[Task] = []
    for family, sizes in (QUICK if quick else WHOLE).items():
        for size in reversed(sizes):
            name = group_label(family, size)
            draws = 8 if quick else FEWER.get(name, 100)
            for m in (64,) if quick or name in _ONE_SIZE else _SIZES:
                task = {"kind": "draws", "family": family, "group": name, "m": m}
                alone = name in _ALONE
                parts = range(draws) if alone else range(1)
                found += [{**task, "seed": s, "draws": 1 if alone else draws} for s in parts]
    draws = 3 if quick else 20
    for name in ("S4",) if quick else ("S5", "S6", "S7", "S8"):
        found.append({"kind": "irreps", "group": name, "m": 64, "draws": draws})
    for name in ("S4",) if quick else ("S6", "B4", "D32", "Z2^8"):
        found.append({"kind": "words", "group": name, "m": 32, "draws": draws})
    for name in ("S4",) if quick else ("S6", "S7", "S8", "B4", "Z2^10", "Z2^12"):
        found.append({"kind": "designs", "group": name, "most": 2048, "draws": draws})
    return found


def run(task: Task) -> Result:
    """Measure one group."""
    kinds = {"draws": _draws, "irreps": _irreps, "words": _words, "designs": _designs}
    return kinds[task["kind"]](group(task["group"]), task)


def _draws(G: Group, task: Task) -> Result:
    m, order = task["m"], G.order
    values = []
    for seed in range(task["seed"], task["seed"] + task["draws"]):
        values.append(_norm(_sample(G, m, seed)))
    D = G.dimension_sum()
    return {
        "values": values,
        "log_order": G.log_order,
        "mean_dimension": order / D.value,
        "bound": deviation_bound(m, order=order, delta=DELTA),
        "sharp": sharp_deviation_bound(m, dimension_sum=D.value, delta=DELTA),
        "floor": deviation_floor(m, order=order),
    }


def _irreps(G: Group, task: Task) -> Result:
    """The mean norm of (1/m) sum_j pi(g_j), by irrep, next to as many uniform orthogonal matrices."""
    m, draws = task["m"], task["draws"]
    samples = [_sample(G, m, 500 + seed).elements for seed in range(draws)]
    rows: list[list[float]] = []
    for irrep in G.irreps():
        norms = [np.linalg.norm(irrep.matrices(S).mean(axis=0), 2) for S in samples]
        if min(norms) == 1:  # the trivial one
            continue
        uniform = haar_norms(m, irrep.dimension, draws, seed=len(rows))
        rows.append([irrep.dimension, float(np.mean(norms)), float(uniform.mean())])
    return {"rows": rows}


def _words(G: Group, task: Task) -> Result:
    """Mean exact norms of D_S^k, k = 1, ..., 4, next to the mean of the k-th powers of the first."""
    samples = [_sample(G, task["m"], 700 + seed) for seed in range(task["draws"])]
    norms = [[_power_norm(S, k) for S in samples] for k in range(1, 5)]
    powers = [[value**k for value in norms[0]] for k in range(1, 5)]
    return {"norms": norms, "powers": powers}


def _power_norm(S: GroupSample, k: int) -> float:
    """The largest norm of a mean's k-th power over the non-trivial irreps."""
    means = [irrep.matrices(S.elements).mean(axis=0) for irrep in S.group.irreps()][1:]
    return max(float(np.linalg.norm(np.linalg.matrix_power(mean, k), 2)) for mean in means)


def _designs(G: Group, task: Task) -> Result:
    rows = []
    for one in fixed_designs(G):
        if one.m is None or not 1 < one.m <= task["most"] or one.m >= G.order:
            continue
        S = design(G, name=one.name, m=one.m)
        drawn = [_sample(G, one.m, 900 + seed) for seed in range(task["draws"])]
        rows.append(
            {
                "name": one.name,
                "m": one.m,
                "degree": one.degree,
                "whole": _norm(S),
                "to_degree": _norm(S, one.degree) if one.degree else None,
                "draws_whole": float(np.median([_norm(T) for T in drawn])),
                "draws_to_degree": float(np.median([_norm(T, one.degree) for T in drawn]))
                if one.degree
                else None,
            }
        )
    return {"rows": rows}


def _norm(S: GroupSample, degree: int | None = None) -> float:
    return deviation(S, degree=degree).value


def _sample(G: Group, m: int, seed: int) -> GroupSample:
    return Oracle(G, seed).fresh(m)
