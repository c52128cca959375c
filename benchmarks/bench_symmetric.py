"""Exact deviation on S_n: blocks by Clausen's recursion and verified norms, beside SciPy on l2(G).

    python benchmarks/bench_symmetric.py --n 7 8 9 10 11 --peer 8

Each n runs in a process of its own (peak memory), BLAS at one thread up to S_10 and at all cores
from S_11. "build" holds everything but the norms, the import of numba included. The peer is the
sparse matrix of Pi_S on l2(G) with `eigsh`: an estimate from below, where ours is a proof.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import resource
import subprocess
import sys
import time
from typing import Any

GRAM_FROM = 11
"""From here on the Gram matrices come from the transform, since products would take longer."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=[7, 8, 9, 10, 11])
    parser.add_argument("--peer", type=int, nargs="*", default=[8], help="n for SciPy on l2(G)")
    parser.add_argument("--m", type=int, default=64)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        measure = measure_peer if options.one == "peer" else measure_ours
        print(json.dumps(measure(options.n[0], options.m, options.engine)))
        return
    print(
        f"{'n':>3} {'build s':>8} {'norms s':>8} {'MB':>6} {'value':>14} {'peer s':>8} {'ratio':>7}"
    )
    for n in options.n:
        ours = in_own_process("ours", n, options)
        line = f"{n:>3} {ours['build']:>8.3f} {ours['norms']:>8.3f} {ours['memory']:>6.0f}"
        line += f" {ours['value']:>14.11f}"
        if n in options.peer:
            peer = in_own_process("peer", n, options)
            ratio = peer["seconds"] / (ours["build"] + ours["norms"])
            line += f" {peer['seconds']:>8.2f} {ratio:>6.1f}x"
            if not -1e-7 < ours["value"] - peer["value"] < 1e-7:
                line += f"  DIFFERS: {peer['value']:.11f}"
        print(line, flush=True)


def in_own_process(what: str, n: int, options: argparse.Namespace) -> dict[str, float]:
    threads = os.cpu_count() or 1
    environment = os.environ | {"OPENBLAS_NUM_THREADS": str(threads if n >= GRAM_FROM else 1)}
    command = [sys.executable, __file__, "--one", what, "--n", str(n), "--m", str(options.m)]
    command += ["--engine", options.engine]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # noqa: S603
    found: dict[str, float] = json.loads(done.stdout)
    return found


def sample(n: int, m: int) -> Any:
    import numpy as np

    return np.random.default_rng(n).permuted(np.tile(np.arange(n), (m, 1)), axis=1)


def measure_ours(n: int, m: int, engine: Any) -> dict[str, float]:
    from sparseaug.spectral.clausen import gram_blocks, mean_blocks
    from sparseaug.spectral.verified import norm_upper

    elements = sample(n, m)
    build = norms = worst = 0.0
    start = time.perf_counter()
    blocks = (gram_blocks if n >= GRAM_FROM else mean_blocks)(elements, engine=engine)
    for block in blocks:
        middle = time.perf_counter()
        build += middle - start
        if n >= GRAM_FROM:
            worst = root_upper(block.matrix, block.error, worst)
        else:
            worst = norm_upper(block.matrix, block.error, at_most=worst or None)
        del block  # so that its memory is free before the next is made
        start = time.perf_counter()
        norms += start - middle
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"build": build, "norms": norms, "memory": memory, "value": worst}


def root_upper(gram: Any, error: float, at_most: float) -> float:
    """A bound on the root of the top eigenvalue of each matrix within `error` of `gram`.

    Two factorisations at most: one where the largest bound so far holds for this block too.
    """
    import numpy as np
    from scipy.sparse.linalg import eigsh

    size = len(gram)

    def rounding(s: float) -> float:  # Rump 2006: gamma(d + 1) trace(s I - gram), and the shift
        return error + 2 * (size + 8) ** 2 * 2.0**-53 * s

    if at_most and cholesky_exists(gram, at_most**2 - rounding(at_most**2)):
        return at_most
    if size <= 300:
        top = float(np.linalg.eigvalsh(gram)[-1])
    else:
        top = float(eigsh(gram, k=1, which="LA", return_eigenvectors=False, tol=1e-13)[0])
    square = top * (1 + 1e-13)
    while not cholesky_exists(gram, square):
        square += rounding(square)
    return max(at_most, math.sqrt(square + rounding(square)) * (1 + 1e-15))


def cholesky_exists(gram: Any, shift: float) -> bool:
    import numpy as np
    from scipy.linalg.lapack import dpotrf

    if shift <= gram.diagonal().max():
        return False
    shifted = -gram
    shifted[np.diag_indices(len(gram))] += shift
    if shifted.flags.c_contiguous:
        shifted = shifted.T
    return bool(dpotrf(shifted, lower=True, clean=False, overwrite_a=True)[1] == 0)


def measure_peer(n: int, m: int, engine: Any) -> dict[str, float]:
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import LinearOperator, eigsh

    del engine
    elements = sample(n, m)
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
