"""Multiple-choice questions in a few chosen orders of their options: copy what you need.

    python examples/answers.py

`order[p]` is the option shown at place p. A model is a function model(questions, orders) -> (n, k) of n
questions, each with its order: the score, say the log-probability, of the label at each place. Language
models prefer places, and an option may profit from the one before it. k orders (2 k for odd k) show
each option at each place and right after each other one equally often: both effects average out.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations

import numpy as np

import sparseaug as sa

Model = Callable[[np.ndarray, np.ndarray], np.ndarray]


def answer_orders(k: int, questions: int, *, pairs: bool = False, seed: int = 0) -> np.ndarray:
    """(m, questions, k): m orders for each question, whose options are renamed at random.

    m is k for even k and 2 k for odd k: Williams squares. With `pairs`, each two options are at each
    two places equally often instead: k (k - 1) orders, where k is a prime power.
    """
    if pairs:
        m = k * (k - 1)
        rows = sa.orders(k, m * questions, balance="pairs", rng=seed)  # m at a time with new names
        return rows.reshape(questions, m, k).swapaxes(0, 1)
    steps = np.arange(k)
    zigzag = np.where(steps % 2, (steps + 1) // 2, -(steps // 2))  # 0, 1, -1, 2, -2, ...
    square = (zigzag + steps[:, None]) % k
    square = square if k % 2 == 0 else np.concatenate([square, square[:, ::-1]])
    names = np.random.default_rng(seed).permuted(np.tile(steps, (questions, 1)), axis=1)
    return names[:, square].swapaxes(0, 1)


def ask(model: Model, orders: np.ndarray) -> np.ndarray:
    """(m, n, k): the scores of the n questions in each of their orders, by option, not by place."""
    questions = np.arange(orders.shape[1])
    scores = np.array([model(questions, part) for part in orders])
    return np.take_along_axis(scores, np.argsort(orders, axis=2), axis=2)


def answer_spectrum(
    model: Model, questions: int, k: int, calls: int | None = None
) -> sa.spectrum.Spectrum:
    """How much depends on the place of one option (degree 1), of two, and so on."""
    act = sa.permute_axis(sa.symmetric(k))
    # option o of question i is the number i k + o: a moved row says which question and which order it is
    options = np.arange(questions * k).reshape(-1, k)

    def by_place(rows: np.ndarray) -> np.ndarray:
        return model(rows[:, 0] // k, rows % k)

    return sa.orbit_spectrum(by_place, act, options, output_action=act, calls=calls)


def position_bias(model: Model, questions: int, k: int, seed: int = 0) -> float:
    """An exact p-value that the scores do not depend on places; each question is asked once."""
    act = sa.permute_axis(sa.symmetric(k))
    orders = act.group.sample(questions, np.random.default_rng(seed))
    scores = model(np.arange(questions), orders)
    return sa.test_invariance(scores, act, statistic=_unevenness, seed=seed).pvalue


def _unevenness(scores: np.ndarray) -> float:
    return float(np.var(scores.mean(axis=0)))


def main() -> None:
    """What orders leave of the variance, for places and neighbours that matter; six options."""
    n, k, rng = 100, 6, np.random.default_rng(0)
    place, after = rng.normal(size=k), 0.3 * rng.normal(size=(n, k, k))

    def model(questions: np.ndarray, orders: np.ndarray) -> np.ndarray:
        scores = np.tile(place, (len(orders), 1))
        scores[:, 1:] += after[questions[:, None], orders[:, :-1], orders[:, 1:]]
        return scores

    every = np.array(list(permutations(range(k))))
    shifts = np.array([np.roll(range(k), shift) for shift in range(k)])
    scores = ask(model, np.repeat(every[:, None], n, axis=1))
    for name, orders in {
        "one order": np.repeat(every[:1, None], n, axis=1),
        "6 random orders": rng.permuted(np.tile(range(k), (k, n, 1)), axis=2),
        "6 cyclic shifts": np.repeat(shifts[:, None], n, axis=1),
        "6 chosen orders": answer_orders(k, n),
    }.items():
        off = ask(model, orders).mean(axis=0) - scores.mean(axis=0)
        print(f"{name:16} {np.mean(off**2) / scores.var(axis=0).mean():7.1%}")
    print(f"p-value of no position bias: {position_bias(model, n, k):g}")


if __name__ == "__main__":
    main()
