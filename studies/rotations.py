"""Rotations: designs next to the grids in use, at equal exactness and at equal m.

    python -m studies.rotations [seeds]

First the sizes: m of the smallest design with inversion that is exact to l, next to the product
grids of metatomic (Lebedev's rule of degree l, 2 l + 1 angles) and of l + 1 angles, the least that
is exact (i-PI's has L angles for the rule of degree L), rebuilt from SciPy's rules; the largest
mean over each of them of any D^k, k <= l, says that they are exact. Then a small network that was
trained on randomly turned point clouds is averaged over m rotations: the mean-square error, against
the average over the 1,260 that are exact to l = 14, over its variance, of designs (translated by
uniform elements), draws and grids. Then the time of `profile` to l = 16 of 1,000 rotations and of
`rotate` on (64, 1024, 3) float32, next to a bare batched product. Exits with 1 if a size or a time
limit is not kept.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from rich import box
from rich.console import Console
from rich.table import Table

import sparseaug as sa
from sparseaug.actions import PreparedAction
from studies.views.orbit import product_grid

SPACE, ALL = sa.rotations(3), sa.orthogonal(3)
LIMITS = {3: 48, 5: 120, 7: 336, 9: 720}  # with inversion
METATOMIC = {3: 84, 5: 308, 7: 780}
LARGEST_RATIO = 1.1
SECONDS = 2.0

Floats = NDArray[np.float64]
Grid = tuple[Floats, Floats]  # rows and weights


def of_sample(S: sa.GroupSample) -> Grid:
    return S.elements, np.full(S.m, 1 / S.m)


def largest_mean(grid: Grid, degree: int) -> float:
    rows, weights = grid
    means = (np.tensordot(weights, irrep.matrices(rows), 1) for irrep in SPACE.irreps_to(degree))
    next(means)  # the trivial one
    return max(float(np.linalg.norm(mean, 2)) for mean in means)


def sizes(console: Console) -> bool:
    table = Table(
        "exact to l", "design", "limit", "metatomic", "l + 1 angles", "left of it", box=box.SIMPLE
    )
    kept = True
    for degree, limit in LIMITS.items():
        S = sa.design(ALL, degree=degree)
        theirs, fewer = product_grid(degree, 2 * degree + 1), product_grid(degree, degree + 1)
        for grid in (theirs, fewer):
            assert largest_mean(grid, degree) < 1e-10, degree  # noqa: S101
        if degree in METATOMIC:
            assert 2 * len(theirs[0]) == METATOMIC[degree]  # noqa: S101
        left = sa.deviation(S, degree=degree).value
        counts = (S.m, limit, 2 * len(theirs[0]), 2 * len(fewer[0]))
        table.add_row(str(degree), *map(str, counts), f"{left:.1e}")
        kept &= S.m <= limit and left < 1e-10
    console.print(table)
    return kept


def network(seed: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """Trained on clouds of 6 points in random orientations; the target is their radius of gyration."""
    torch.manual_seed(seed)
    net = torch.nn.Sequential(
        torch.nn.Flatten(), torch.nn.Linear(18, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1)
    ).double()
    optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
    oracle, act = sa.Oracle(SPACE, seed=seed), sa.rotate(SPACE)
    shape = torch.randn(6, 3, dtype=torch.float64)
    for _ in range(400):
        x = shape + 0.3 * torch.randn(32, 6, 3, dtype=torch.float64)
        x = PreparedAction(act, oracle.fresh(32).elements, memory=0).each(x, np.arange(32))
        loss = (net(x)[:, 0] - x.square().sum((1, 2)).sqrt()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return lambda x: net(x).detach()[:, 0]


def errors(seeds: int) -> Iterator[tuple[str, int, float]]:
    """Mean-square error of an average over the variance of the network, by way and m."""
    found: dict[tuple[str, int], list[float]] = {}
    act = sa.rotate(SPACE)
    for seed in range(seeds):
        net = network(seed)
        x = torch.randn(8, 6, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
        finest = sa.design(SPACE, degree=14)
        values = torch.stack([net(y) for y in act(finest, x)])
        truth, variance = values.mean(dim=0), values.var(dim=0).mean()
        oracle = sa.Oracle(SPACE, seed=1000 + seed)
        ways: dict[tuple[str, int], Grid] = {}
        for degree in (1, 2, 3, 5, 7):
            S = sa.design(SPACE, degree=degree)
            ways["design", S.m] = of_sample(S)
            ways["drawn", S.m] = of_sample(oracle.draw(S.m))
        ways["integer quaternions", 30] = of_sample(sa.design(SPACE, m=30, objective="deviation"))
        ways["i-PI grid", 70] = product_grid(4, 5)
        for degree in (3, 5):
            grid = product_grid(degree, 2 * degree + 1)
            ways["metatomic grid", len(grid[0])] = grid
        for name, (rows, weights) in ways.items():
            squares = []
            for _ in range(8):  # in random orientations
                h, k = oracle.draw(1).elements, oracle.draw(1).elements
                turned = SPACE.compose(SPACE.compose(h, rows), k)
                mean = torch.tensor(weights) @ torch.stack([net(y) for y in act(turned, x)])
                squares.append(float((mean - truth).square().mean() / variance))
            found.setdefault(name, []).append(float(np.mean(squares)))
    for (way, m), values_ in sorted(found.items(), key=lambda item: (item[0][1], item[0][0])):
        yield way, m, float(np.mean(values_))


def least(function: Callable[[], object], times: int = 30) -> float:
    best = np.inf
    for _ in range(times):
        start = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - start)
    return best


def times(console: Console) -> bool:
    S = sa.Oracle(SPACE, seed=0).draw(1000)
    sa.profile(S, degree=2)
    seconds = least(lambda: sa.profile(S, degree=16), 3)
    console.print(f"profile to l = 16 of 1,000 rotations: {seconds:.2f} s (limit {SECONDS})")
    act = sa.rotate(SPACE)
    each = np.arange(64)
    bound = PreparedAction(act, S.elements[:64])
    kept = seconds <= SECONDS
    x = np.random.default_rng(0).standard_normal((64, 1024, 3)).astype(np.float32)
    R = np.ascontiguousarray(SPACE.matrices(bound.rows).astype(np.float32).swapaxes(1, 2))
    tensor, matrices = torch.tensor(x), torch.tensor(R)
    pairs = {
        "NumPy": (lambda: np.matmul(x, R), lambda: bound.each(x, each)),
        "torch": (lambda: torch.matmul(tensor, matrices), lambda: bound.each(tensor, each)),
    }
    for library, (bare, ours) in pairs.items():
        ours()  # type: ignore[no-untyped-call]
        ratio = min(least(ours) / least(bare) for _ in range(5))
        console.print(f"rotate on (64, 1024, 3) float32, {library}: {ratio:.2f} of a bare product")
        kept &= ratio <= LARGEST_RATIO
    return kept


def main(seeds: int = 3) -> int:
    console = Console()
    torch.set_num_threads(1)
    kept = sizes(console)
    table = Table("way", "m", "error / variance", "times m", box=box.SIMPLE)
    for way, m, error in errors(seeds):
        table.add_row(way, str(m), f"{error:.2e}", f"{m * error:.3g}")
    console.print(table)
    kept &= times(console)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
