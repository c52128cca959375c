"""Sampling and acting, each next to the plain way in the same run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import torch
from sympy.combinatorics import Permutation, PermutationGroup

import sparseaug as sa
from benchmarks.side_by_side import compare


def sampling_the_symmetric_group() -> None:
    k, n = 10**6, 10
    group = sa.symmetric(n)
    rng = np.random.Generator(np.random.Philox(0))
    rows = np.tile(np.arange(n), (k, 1))
    best = compare(
        f"{k:,} uniform elements of S{n} (target: at most 2x)",
        {
            "numpy permuted(axis=1)": lambda: rng.permuted(rows, axis=1),
            "group.sample": lambda: group.sample(k, rng),
            "copying the array": rows.copy,
        },
    )
    near = best["group.sample"] / best["copying the array"]
    print(f"  group.sample takes {near:.0f} times a copy of its {rows.nbytes >> 20} MiB result\n")


def sampling_permutation_groups() -> None:
    k, few = 10**5, 300
    for group in (sa.groups.mathieu(24), sa.groups.rubik()):
        theirs = PermutationGroup([Permutation(list(row)) for row in group.images])
        theirs.order()
        rng = np.random.Generator(np.random.Philox(0))
        rows = group.sample(k, rng)
        best = compare(
            f"one uniform element of {group.name}, of {k:,} (target: at least 10x faster)",
            {
                "sympy random": partial(_repeat, theirs.random, few),
                "group.sample": partial(group.sample, k, rng),
                "copying the array": rows.copy,
            },
            rounds=5,
            units={"sympy random": few, "group.sample": k, "copying the array": k},
        )
        speed = best["sympy random"] / best["group.sample"]
        near = best["group.sample"] / best["copying the array"]
        levels = len(group.parts.radices)
        print(
            f"  {speed:.0f} times faster than sympy; {near:.0f} times a copy of the result, "
            f"for {levels} gathers of it and {levels} table rows\n"
        )


def acting_on_small_arrays() -> None:
    group = sa.symmetric(6)
    S = sa.Oracle(group, seed=0).draw(64)
    x = np.random.default_rng(0).normal(size=(128, 6))
    act = sa.permute_axis(group)
    inverse = group.inverse(S.elements)
    prepared = act.prepare(S.elements, x.shape)

    compare(
        "64 permutations of a (128, 6) array, 200 times (target: at most 1.5x)",
        {
            "bare gather x[:, inverse]": partial(_repeat, lambda: x[:, inverse], 200),
            "act(S, x)": partial(_repeat, lambda: act(S, x), 200),
            "act(rows, x), which checks the rows": partial(
                _repeat, lambda: act(S.elements, x), 200
            ),
            "act.apply(prepared, x)": partial(_repeat, lambda: act.apply(prepared, x[None]), 200),
        },
        rounds=15,
    )


def acting_on_images() -> None:
    x = torch.randn(256, 3, 32, 32)
    shifts = sa.Oracle(sa.abelian(32, 32), seed=0).draw(64).elements
    turns = sa.Oracle(sa.dihedral(4), seed=0).draw(64).elements
    roll, turn = sa.roll(sa.abelian(32, 32)), sa.rotate_grid(sa.dihedral(4))

    def plain_roll() -> torch.Tensor:
        return torch.stack([torch.roll(x, (int(a), int(b)), (-2, -1)) for a, b in shifts])

    def plain_turn() -> torch.Tensor:
        flipped = torch.flip(x, (-1,))
        return torch.stack([torch.rot90(flipped if f else x, int(a), (-2, -1)) for a, f in turns])

    assert torch.equal(plain_roll(), roll(shifts, x))  # noqa: S101
    assert torch.equal(plain_turn(), turn(turns, x))  # noqa: S101
    size = 64 * x.numel() * 4 >> 20
    for name, plain, act, elements in (
        ("shifts", plain_roll, roll, shifts),
        ("turns", plain_turn, turn, turns),
    ):
        compare(
            f"64 {name} of a (256, 3, 32, 32) torch batch (target: at most 1.2x)",
            {
                "bare torch ops": plain,
                "act(elements, x)": partial(act, elements, x),
                "writing the result once": lambda: x.expand(64, *x.shape).clone(),
            },
            rounds=5,
            limit=f"The limit is writing {size} MiB.",
        )


def _repeat(way: Callable[[], object], times: int) -> None:
    for _ in range(times):
        way()


if __name__ == "__main__":
    sampling_the_symmetric_group()
    sampling_permutation_groups()
    acting_on_small_arrays()
    acting_on_images()
