"""The exact deviation on S_n next to SciPy on l2(G), in the same run.

    python -m benchmarks.bench_symmetric                      S_7 to S_10, the peer at S_8
    python -m benchmarks.bench_symmetric --n 9 12 --peer 9    the peer's S_9 takes half a minute

Each case runs in a process of its own, for its peak memory; imports are not counted. The peer is the
sparse matrix of Pi_S on l2(G) with `eigsh`: an estimate from below, where ours is a proof.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import resource
import subprocess
import sys
import time
from typing import Any


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, nargs="+", default=[7, 8, 9, 10])
    parser.add_argument("--peer", type=int, nargs="*", default=[8], help="n for SciPy on l2(G)")
    parser.add_argument("--m", type=int, default=64)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        measure = measure_peer if options.one == "peer" else measure_ours
        print(json.dumps(measure(options)))
        return
    head = f"{'n':>3} {'seconds':>8} {'MB':>6} {'deviation':>14} {'width':>8}"
    print(f"{head} {'peer s':>8} {'ratio':>7}")
    for n in options.n:
        ours = in_own_process("ours", n, options)
        line = f"{n:>3} {ours['seconds']:>8.3f} {ours['memory']:>6.0f}"
        line += f" {ours['value']:>14.11f} {ours['value'] - ours['lower']:>8.1e}"
        if n in options.peer:
            peer = in_own_process("peer", n, options)
            line += f" {peer['seconds']:>8.2f} {peer['seconds'] / ours['seconds']:>6.1f}x"
            if abs(ours["value"] - peer["value"]) > 1e-7:
                line += f"  DIFFERS: {peer['value']:.11f}"
        print(line, flush=True)


def in_own_process(what: str, n: int, options: argparse.Namespace) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", what, "--n", str(n), "--m", str(options.m)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    found: dict[str, float] = json.loads(done.stdout)
    return found


def measure_ours(options: argparse.Namespace) -> dict[str, float]:
    import sparseaug as sa

    sa.deviation(sa.Oracle(sa.symmetric(5), seed=0).draw(8))  # imports
    S = sa.Oracle(sa.symmetric(options.n[0]), seed=0).draw(options.m)
    start = time.perf_counter()
    found = sa.deviation(S)
    seconds = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "memory": memory, "value": found.value, "lower": found.lower}


def measure_peer(options: argparse.Namespace) -> dict[str, float]:
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import LinearOperator, eigsh

    import sparseaug as sa

    n, m = options.n[0], options.m
    elements = sa.Oracle(sa.symmetric(n), seed=0).draw(m).elements
    order = math.factorial(n)
    start = time.perf_counter()
    group = np.array(list(itertools.permutations(range(n))), dtype=np.int8)
    images = np.concatenate([lehmer_rank(g.astype(np.int8)[group]) for g in elements])
    columns = np.tile(np.arange(order), m)
    matrix = csr_array((np.full(m * order, 1 / m), (images, columns)), shape=(order, order))

    def normal(x: Any) -> Any:
        x = x.ravel() - x.mean()
        y = matrix.T @ (matrix @ x)
        return y - y.mean()

    operator = LinearOperator((order, order), matvec=normal, dtype=np.float64)
    v0 = np.random.default_rng(0).standard_normal(order)
    top = eigsh(operator, k=1, which="LA", return_eigenvectors=False, tol=1e-9, v0=v0)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "value": math.sqrt(top[0])}


def lehmer_rank(rows: Any) -> Any:
    import numpy as np

    n = rows.shape[1]
    rank = np.zeros(len(rows), dtype=np.int64)
    for i in range(n):
        rank = rank * (n - i) + (rows[:, i + 1 :] < rows[:, i : i + 1]).sum(axis=1)
    return rank


if __name__ == "__main__":
    main()
