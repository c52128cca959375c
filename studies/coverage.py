"""How often the error bars of a spectrum from draws hold: at 95 %, at least 190 of 200 in every cell.

    python -m studies.coverage [repetitions] [groups ...]    # 200 of all groups: half an hour

For each group, function and S: the elements are drawn again and again, and it is counted how often the
truth lies within the bar of the prediction, within that of the variance, and all shares within their
band. The truth is the sum over irreps, one by one, of what S leaves of each: from all values of the
function where the group is listed, in closed form on S_14 (functions that lie in one irrep) and for
rotations (functions of one matrix entry, in Legendre polynomials). The functions are not friendly ones
alone: high degrees only, parities, zero on nine tenths of the group, heavy tails. With the counts
the median bar, of the variance or share, of predictions in units of the variance over m. Exits with 1
where a cell holds less often.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial.legendre import leggauss, legvander
from numpy.typing import NDArray
from rich import box
from rich.console import Console
from rich.progress import track
from rich.table import Table

import sparseaug as sa
from sparseaug.spectrum.measure import drawn, measure
from sparseaug.spectrum.spectrum import Spectrum

Floats = NDArray[np.float64]
Values = Callable[[NDArray[Any]], Floats]

REPETITIONS = 200
SMALL = 1e-9  # of the variance: rounding


class Truth(NamedTuple):
    """Of one function: its values at rows, variance, shares, and what each S leaves."""

    values: Values
    variance: float
    shares: dict[Any, float]
    left: dict[str, float]


class Cell(NamedTuple):
    """How often the truth lay within the bars."""

    group: str
    function: str
    of: str  # "variance", "shares", or a prediction for this S
    held: int
    runs: int
    bar: float


# ---- functions on finite groups, as tables over all elements


def signs_of(rows: NDArray[Any]) -> Floats:
    i, j = np.triu_indices(rows.shape[1], 1)
    return np.asarray(np.sign(rows[:, j] - rows[:, i]).prod(axis=1), np.float64)


def coordinates(group: Any, rows: NDArray[Any]) -> Floats:
    """Numbers that change smoothly with the element: degree or frequency 1."""
    if group.moduli is not None:
        angles = 2 * np.pi * rows / np.array(group.moduli)
        return np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
    if group.factors:
        parts = zip(group.factors, group.split(rows), strict=True)
        return np.concatenate([coordinates(factor, part) for factor, part in parts], axis=1)
    images = group.faithful().images(rows)
    return np.asarray(np.random.default_rng(2).normal(size=images.shape[1])[images])


def parity(group: Any, rows: NDArray[Any]) -> Floats:
    """A character with values +1 and -1, as far from the trivial one as there is."""
    if group.moduli is not None:
        even = np.array([n % 2 == 0 for n in group.moduli])
        return np.asarray(1.0 - 2.0 * (rows[:, even].sum(axis=1) % 2))
    if group.factors:
        parts = zip(group.factors, group.split(rows), strict=True)
        return np.asarray(np.prod([parity(factor, part) for factor, part in parts], axis=0))
    return signs_of(group.faithful().images(rows))


def functions(group: Any, rows: NDArray[Any]) -> Iterator[tuple[str, Floats]]:
    rng = np.random.default_rng(1)
    x = coordinates(group, rows)
    inside = rng.normal(size=(x.shape[1], 16)) * 1.5 / math.sqrt(x.shape[1])
    smooth = np.tanh(x @ inside) @ rng.normal(size=(16, 2))
    smooth /= math.sqrt(smooth.var(axis=0).sum())
    odd = parity(group, rows)[:, None]
    yield "smooth", smooth
    if group.moduli is not None and max(group.moduli) > 2:
        place = np.ravel_multi_index((rows % 4).T, [4] * rows.shape[1])
        yield "strided", smooth + rng.normal(size=(4 ** rows.shape[1], 1))[place]
        yield "stride only", rng.normal(size=(4 ** rows.shape[1], 1))[place]
    yield "band-limited", x[:, :1]
    yield "high degree only", odd * x[:, :1]
    yield "parity", odd
    yield "smooth and some parity", smooth + 0.2 * odd
    tenth = rng.permutation(len(rows))[:, None] < len(rows) / 10
    yield "zero on nine tenths", tenth * rng.choice([-1.0, 1.0], (len(rows), 1))
    yield "a tenth", tenth.astype(float)
    yield "one face", (x[:, :1] >= np.quantile(x[:, 0], 0.9)).astype(float)
    yield "heavy tails", rng.standard_t(4, size=(len(rows), 1))
    yield "one in a hundred", (rng.permutation(len(rows))[:, None] < len(rows) / 100).astype(float)
    yield "invariant", np.ones((len(rows), 1))


def samples(group: Any) -> Iterator[tuple[str, sa.GroupSample]]:
    oracle = sa.Oracle(group, seed=11)
    yield "draws", oracle.draw(12)
    if group.is_finite:
        generated = sa.GroupSample.generated(group, oracle.draw(1).elements)
        if 1 < generated.m < group.order / 2:
            yield "subgroup", generated
    if group.log_order < math.log(1e4):
        yield "searched", sa.design(group, m=max(6, round(math.sqrt(group.order))))
    else:
        yield "searched", sa.design(group, m=24, degree=2)
    designs = [one for one in sa.records(group) if one.kind != "record"]
    for one in designs:
        if one.kind == "lattice":
            m = 49 if group.order == 784 else math.isqrt(group.order)
            yield "lattice", sa.design(group, m=_divisor(group, m), name="lattice")
    most = min(group.order, 1100) if group.is_finite else 61
    exact = [one for one in designs if one.m and one.degree and 1 < one.m < most]
    for one in exact[:: max(1, len(exact) - 1)]:
        yield one.name, one.sample()


def _divisor(group: Any, most: int) -> int:
    step = 2 if group.transform == "dihedral" else 1
    return max(m for m in range(step, most + 1, step) if (group.order) % m == 0)


def listed(group: Any, chosen: dict[str, sa.GroupSample]) -> Iterator[tuple[str, Truth]]:
    whole = measure(group, calls=10**6)
    for name, table in functions(group, group.all_elements()):
        truth = whole.spectrum([table[group.rank(whole.rows)]])
        left = {kind: truth.predict(S).value for kind, S in chosen.items()}
        values = lambda rows, table=table: table[group.rank(rows)]  # noqa: E731
        yield name, Truth(values, truth.variance, dict(truth.shares), left)


# ---- S_n too large to list: functions that lie in one irrep, or in two


def permutations(group: Any, chosen: dict[str, sa.GroupSample]) -> Iterator[tuple[str, Truth]]:
    """Functions of where one point goes, in (n - 1, 1), and those times the sign."""
    n = group.n
    rng = np.random.default_rng(1)
    row = rng.normal(size=n)
    row -= row.mean()
    heavy = rng.standard_t(3, size=n)
    heavy -= heavy.mean()
    one = np.eye(n)[0] - 1 / n
    first: Values = lambda rows: np.ones(len(rows))  # noqa: E731
    parts = {  # values, variance, degree, with the sign
        "band-limited": [(lambda g: row[g[:, 0]], row.var(), 1, False)],
        "one face": [(lambda g: one[g[:, 0]], one.var(), 1, False)],
        "heavy tails": [(lambda g: heavy[g[:, 0]], heavy.var(), 1, False)],
        "parity": [(first, 1.0, 0, True)],
        "high degree only": [(lambda g: row[g[:, 0]], row.var(), 1, True)],
        "smooth and some parity": [
            (lambda g: row[g[:, 0]], row.var(), 1, False),
            (lambda g: 0.2 * first(g), 0.04, 0, True),
        ],
        "invariant": [],
    }
    ratios = {}
    for kind, S in chosen.items():
        sign = signs_of(S.elements)
        for s, weights in ((0, np.ones(S.m)), (1, sign)):
            one_point = np.einsum("k,kij->ij", weights, np.eye(n)[S.elements]) / S.m
            square = float(weights.mean() ** 2)
            ratios[kind, 0, s] = square
            ratios[kind, 1, s] = (float((one_point**2).sum()) - square) / (n - 1)
    for name, terms in parts.items():
        variance = sum(v for _, v, _, _ in terms)

        def values(rows: NDArray[Any], terms: Any = terms) -> Floats:
            total = np.zeros(len(rows))
            for f, _, _, sign in terms:
                total += f(rows) * (signs_of(rows) if sign else 1.0)
            return total[:, None]

        left = {kind: sum(v * ratios[kind, d, int(s)] for _, v, d, s in terms) for kind in chosen}
        shares = dict.fromkeys((1, 2, 3, "above 3"), 0.0)
        for _, v, d, s in terms:
            shares["above 3" if s else d] += v / variance
        yield name, Truth(values, variance, shares, left)


# ---- rotations: functions of the entry R_33, whose part in P_l lies in degree l

ENTRIES: dict[str, Callable[[Floats], Any]] = {
    "smooth": lambda z: np.exp(1.5 * z),
    "band-limited": lambda z: z + 0.5 * z * z,
    "strided": lambda z: legvander(z, 12)[..., 12],
    "high degree only": lambda z: legvander(z, 9)[..., 9],
    "parity": lambda z: legvander(z, 15)[..., 15],
    "smooth and some parity": lambda z: z + 0.3 * legvander(z, 12)[..., 12],
    "zero on nine tenths": lambda z: np.maximum(0.0, z - 0.8),
    "one face": lambda z: (z > 0.8).astype(float),
    "heavy tails": lambda z: 1 / (1.05 - z),
    "invariant": lambda z: np.ones_like(z),
}
HIGHEST = 200


def rotations(group: Any, chosen: dict[str, sa.GroupSample]) -> Iterator[tuple[str, Truth]]:
    z, weights = leggauss(1_500)
    polynomials = legvander(z, HIGHEST)
    odd = 2 * np.arange(HIGHEST + 1) + 1
    ratios = {}
    for kind, S in chosen.items():
        q = group.compose(group.inverse(S.elements)[:, None], S.elements[None]).reshape(-1, 4)
        half = np.arctan2(np.linalg.norm(q[:, 1:], axis=1), abs(q[:, 0]))
        half = np.maximum(half, 1e-7)  # sin(n t) / (n sin t) is 1 there, to ten digits
        ratios[kind] = np.array([np.mean(np.sin(n * half) / (n * np.sin(half))) for n in odd])
    for name, f in ENTRIES.items():
        coefficients = polynomials.T @ (weights * f(z)) * odd / 2
        variances = coefficients**2 / odd
        variances[0] = 0.0
        total = float(weights @ f(z) ** 2 / 2 - coefficients[0] ** 2)
        total = total if total > SMALL else 0.0
        rest = max(0.0, total - variances.sum())  # above l = 200
        left = {}
        for kind, S in chosen.items():
            left[kind] = float(variances @ ratios[kind] + rest / S.m) if total else 0.0
        shares: dict[Any, float] = {d: variances[d] / (total or 1.0) for d in range(1, 9)}
        shares["above 8"] = (total - variances[:9].sum()) / total if total else 0.0

        def values(rows: NDArray[Any], f: Any = f) -> Floats:
            w, x, y, zz = rows[:, :4].T
            return np.asarray(f(np.clip(w * w - x * x - y * y + zz * zz, -1, 1)))[:, None]

        yield name, Truth(values, total, shares, left)


GROUPS: dict[str, tuple[Any, int, Callable[..., Iterator[tuple[str, Truth]]]]] = {
    "C12xC12": (sa.abelian(12, 12), 64, listed),
    "C28xC28": (sa.abelian(28, 28), 256, listed),
    "Z2^8": (sa.sign_flips(8), 64, listed),
    "S5": (sa.symmetric(5), 64, listed),
    "S6": (sa.symmetric(6), 128, listed),
    "D48": (sa.dihedral(48), 64, listed),
    "B3": (sa.hyperoctahedral(3), 40, listed),
    "S4xC6": (sa.direct_product(sa.symmetric(4), sa.cyclic(6)), 96, listed),
    "AGL(1,7)": (sa.permutation_group([[1, 2, 3, 4, 5, 6, 0], [0, 3, 6, 2, 5, 1, 4]]), 36, listed),
    "S14": (sa.symmetric(14), 256, permutations),
    "SO3": (sa.rotations(3), 256, rotations),
}


def cells(name: str, runs: int, only: tuple[str, ...] = ()) -> Iterator[Cell]:
    """The cells of one group, of all functions or of some."""
    group, calls, truths = GROUPS[name]
    chosen = dict(samples(group))
    by = measure(group, calls=10**6).by if truths is listed else None
    draws = [drawn(group, sa.Oracle(group, seed=seed), calls, by) for seed in range(runs)]
    for function, truth in truths(group, chosen):
        if function in only or not only:
            found = [some.spectrum([truth.values(some.rows)]) for some in draws]
            yield from _counted(name, function, truth, found, chosen)


def _counted(
    name: str, function: str, truth: Truth, found: list[Spectrum], chosen: dict[str, sa.GroupSample]
) -> Iterator[Cell]:
    small = SMALL * truth.variance
    runs, scale = len(found), truth.variance or 1.0
    bars = [spectrum.variance_error for spectrum in found]
    off = [abs(spectrum.variance - truth.variance) for spectrum in found]
    held = sum(o <= bar + small for o, bar in zip(off, bars, strict=True))
    yield Cell(name, function, "variance", held, runs, float(np.median(bars)) / scale)
    bars = [max(spectrum.errors.values()) for spectrum in found]
    held = sum(
        all(abs(s.shares[d] - share) <= s.errors[d] + SMALL for d, share in truth.shares.items())
        for s in found
    )
    yield Cell(name, function, "shares", held, runs, float(np.median(bars)))
    for kind, S in chosen.items():
        left = [spectrum.predict(S) for spectrum in found]
        held = sum(abs(p.value - truth.left[kind]) <= p.error + small for p in left)
        bar = float(np.median([p.error for p in left])) / scale * S.m
        yield Cell(name, function, kind, held, runs, bar)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("repetitions", type=int, nargs="?", default=REPETITIONS)
    parser.add_argument("groups", nargs="*", help=f"of {', '.join(GROUPS)}; all by default")
    options = parser.parse_args()
    each = track(options.groups or list(GROUPS), description="groups")
    rows = [row for name in each for row in cells(name, options.repetitions)]
    table = Table("group", "function", "bar of", "held", "bar", box=box.SIMPLE_HEAD)
    short = [row for row in rows if row.held < 0.95 * row.runs]
    for row in sorted(short, key=lambda row: row.held):
        table.add_row(
            row.group, row.function, row.of, f"{row.held} of {row.runs}", f"{row.bar:.3g}"
        )
    Console().print(table)
    print(f"{len(short)} of {len(rows)} cells hold less often than 95 %")
    sys.exit(bool(short))


if __name__ == "__main__":
    main()
