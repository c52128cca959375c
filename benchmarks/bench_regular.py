"""Norms on l2(G) and on tuples, next to SciPy's sparse solvers on the same operator."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, eigsh

import sparseaug as sa
from benchmarks.side_by_side import compare
from sparseaug.norms.abelian.low_weight import low_weight_norm
from sparseaug.norms.coordinates import coordinates_norm
from sparseaug.norms.norm import Norm
from sparseaug.norms.regular import left_translations, regular_norm


def groups_on_themselves() -> None:
    for group in (sa.groups.mathieu(11), sa.groups.mathieu(12)):
        S = sa.Oracle(group, seed=0).draw(64)
        rounds = 3 if group.order < 10_000 else 1
        _beside_scipy(
            f"{group.name}, {group.order:,} elements",
            partial(regular_norm, S),
            partial(_scipy_on_group, S),
            rounds,
        )


def a_million_elements() -> None:
    large = [[*range(1, 7), 0, *range(7, 14)], [1, 0, *range(2, 14)]]
    small = [[*range(7), 8, 9, 10, 11, 7, 12, 13], [*range(7), 8, 7, *range(9, 14)]]
    swap = [*range(12), 13, 12]
    group = sa.permutation_group([*large, *small, swap])  # S_7 x S_5 x C_2 on 14 points
    S = sa.Oracle(group, seed=0).draw(64)
    _beside_scipy(
        f"{group.name}, {group.order:,} elements",
        partial(regular_norm, S),
        partial(_scipy_on_group, S),
        1,
    )


def pairs_of_200_points() -> None:
    S = sa.Oracle(sa.symmetric(200), seed=0).draw(64)
    ours = partial(coordinates_norm, S, degree=2)
    _beside_scipy("S200, degree 2 (target: under 10 s)", ours, partial(_scipy_on_pairs, S), 1)


def sign_flips_of_low_weight() -> None:
    S = sa.Oracle(sa.sign_flips(4096), seed=0).draw(64)
    signs = (1 - 2 * S.elements).astype(np.float32)
    compare(
        "sign flips of 4096 coordinates, the 8.4 million characters of weight at most 2",
        {
            "one product X^T X": lambda: signs.T @ signs,
            "low_weight_norm": lambda: low_weight_norm(S, degree=2),
        },
        rounds=3,
    )


def _beside_scipy(
    title: str, ours: Callable[[], Norm], scipy: Callable[[], float], rounds: int
) -> None:
    found: dict[str, Norm | float] = {}
    compare(
        title,
        {
            "scipy CSR and eigsh, an estimate": lambda: found.update(scipy=scipy()),
            "bounds on both sides": lambda: found.update(ours=ours()),
        },
        rounds=rounds,
    )
    norm, estimate = found["ours"], found["scipy"]
    if isinstance(norm, Norm) and isinstance(estimate, float):
        print(
            f"  {norm.lower:.12f} <= norm <= {norm.upper:.12f}, failing with probability "
            f"{norm.failure_probability}; scipy {estimate:.12f}\n"
        )


def _scipy_on_group(S: sa.GroupSample) -> float:
    return _top(left_translations(S.group, S.elements))


def _scipy_on_pairs(S: sa.GroupSample) -> float:
    n = S.group.width
    a, b = np.nonzero(~np.eye(n, dtype=bool))
    number = np.full((n, n), -1)
    number[a, b] = np.arange(len(a))
    return _top(np.array([number[p[a], p[b]] for p in S.elements]))


def _top(images: np.ndarray) -> float:
    """The square root of the top eigenvalue of D^T D, D = mean - projection onto constants."""
    m, n = images.shape
    columns = np.tile(np.arange(n), m)
    matrix = csr_array((np.full(m * n, 1.0 / m), (images.ravel(), columns)), shape=(n, n))
    back = matrix.T.tocsr()
    gram = LinearOperator((n, n), lambda x: (y := back @ (matrix @ x)) - y.mean(), dtype=float)
    return float(np.sqrt(eigsh(gram, k=1, return_eigenvectors=False)[0]))


if __name__ == "__main__":
    groups_on_themselves()
    a_million_elements()
    pairs_of_200_points()
    sign_flips_of_low_weight()
