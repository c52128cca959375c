"""The exact norm for abelian and dihedral groups next to plain transforms that prove nothing.

Run it with OPENBLAS_NUM_THREADS=1 on a machine that others use: OpenBLAS threads wait for each other.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import fft

import sparseaug as sa
from benchmarks.side_by_side import compare
from sparseaug.norms.abelian.characters import characters_norm
from sparseaug.norms.abelian.walsh import hadamard, walsh_norm
from sparseaug.norms.dihedral import dihedral_norm


def cyclic_and_torus() -> None:
    for moduli, m, target in (
        ((10**8,), 64, "20 s"),
        ((512, 512), 64, "1 s"),
        ((1_000_003,), 64, ""),
        ((10**7,), 100_000, ""),
    ):
        S = sa.Oracle(sa.abelian(*moduli), seed=0).draw(m)
        compare(
            f"all characters of {S.group.name}, m = {m}" + (f" (target: {target})" * bool(target)),
            {
                "scipy rfftn and the largest": partial(_plain_fft, S, moduli),
                "characters_norm": partial(characters_norm, S),
            },
            rounds=3,
            limit=_memory(partial(characters_norm, S)),
        )


def sign_flips() -> None:
    for d, m in ((24, 64), (24, 4096)):
        S = sa.Oracle(sa.sign_flips(d), seed=0).draw(m)
        compare(
            f"all characters of Z2^{d}, m = {m} (target: 2 s)",
            {
                "a table of 2^d and one pass a bit": partial(_by_table, S),
                "walsh_norm": partial(walsh_norm, S),
            },
            rounds=3,
            limit=_memory(partial(walsh_norm, S)),
        )
    S = sa.Oracle(sa.sign_flips(32), seed=0).draw(64)
    small = sa.Oracle(sa.sign_flips(24), seed=0).draw(64)
    compare(
        "all characters of Z2^32, m = 64 (target: a minute)",
        {
            "256 times Z2^24": partial(_repeat, partial(walsh_norm, small), 256),
            "walsh_norm": partial(walsh_norm, S),
        },
        rounds=1,
        limit=_memory(partial(walsh_norm, small)),
    )


def dihedral() -> None:
    n = 10**6
    S = sa.Oracle(sa.dihedral(n), seed=0).draw(64)
    compare(
        f"all irreps of D{n}, m = 64",
        {
            "two scipy rffts and the largest": partial(_plain_dihedral, S, n),
            "dihedral_norm": partial(dihedral_norm, S),
        },
        rounds=3,
        limit=_memory(partial(dihedral_norm, S)),
    )


def _plain_fft(S: sa.GroupSample, moduli: tuple[int, ...]) -> float:
    table = np.zeros(moduli)
    np.add.at(table, tuple(S.elements.T), 1.0)
    sizes = np.abs(fft.rfftn(table, workers=-1)).ravel()
    return float(sizes[1:].max()) / S.m


def _plain_dihedral(S: sa.GroupSample, n: int) -> float:
    turns = [S.elements[S.elements[:, 1] == flip, 0] for flip in (0, 1)]
    sizes = [np.abs(fft.rfft(np.bincount(turn, minlength=n).astype(float))) for turn in turns]
    return float((sizes[0] + sizes[1])[1:].max()) / S.m


def _by_table(S: sa.GroupSample) -> int:
    table = np.bincount(S.group.rank(S.elements), minlength=S.group.order).astype(np.int32)
    hadamard(table)
    return int(np.abs(table[1:]).max())


def _memory(way: Callable[[], object]) -> str:
    tracemalloc.start()
    way()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return f"Peak memory of ours: {peak / 2**20:.0f} MiB."


def _repeat(way: Callable[[], object], times: int) -> None:
    for _ in range(times):
        way()


if __name__ == "__main__":
    cyclic_and_torus()
    sign_flips()
    dihedral()
