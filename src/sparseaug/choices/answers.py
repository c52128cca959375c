"""The order of answers: a model asked the same question with its options in several orders.

An order of k options is a row of numbers: `order[p]` is the option that is shown at place p. A model is
a function model(questions, orders) -> (n, k), for n questions each with its own order: the score, say
the log-probability, of the label at each place. Here scores are put back to the options they are about.

Let v(g) be these scores in the order g. What a model adds to the score of an option because of its place
has degree 1, and averages out exactly over k cyclic orders. What depends on the places of two options
has degree 2, and averages out over k (k - 1) orders that are sharply 2-transitive: for four options A4.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparseaug._checks import check_array, check_callable, check_choice, check_integer, check_list
from sparseaug.actions import Action, permute_axis
from sparseaug.designs.best import design
from sparseaug.errors import ArgumentError
from sparseaug.groups import Rows
from sparseaug.groups.symmetric import symmetric
from sparseaug.orbits import InvarianceTest, Spectrum, test_invariance
from sparseaug.orbits.orbit_spectrum import orbit_spectrum
from sparseaug.sampling import GroupSample

__all__ = ["Answers", "answer_orders", "answer_spectrum", "ask", "position_bias"]

Scores: TypeAlias = NDArray[np.float64]
MOST_OPTIONS = 26


@final
@dataclass(frozen=True, eq=False)
class Answers:
    """What a model answered in several orders; made by `ask`.

    Attributes:
        scores: (m, n, k), of option, not of place, in each of the m orders
        orders: (m, k), the orders
    """

    scores: Scores
    orders: Rows

    @property
    def mean(self) -> Scores:
        """(n, k): the average over the orders."""
        return self.scores.mean(axis=0)

    @property
    def chosen(self) -> Rows:
        """(n,): the option with the largest mean score."""
        return self.mean.argmax(axis=1)

    @property
    def consistency(self) -> float:
        """How often one order alone chooses what the average does."""
        return float(np.mean(self.scores.argmax(axis=2) == self.chosen))


def answer_orders(k: int, balance: str = "positions") -> Rows:
    """Orders in which to show k options, the usual one first.

    Args:
        k: number of options, from 2 to 26
        balance: "positions": each option is at each place equally often, k orders. "pairs": each two
            options are at each two places equally often, k (k - 1) orders where k is a prime power,
            for k = 4 the even ones. "all": all k! orders, k at most 7

    Returns:
        (m, k) integers: `order[p]` is the option at place p.

    Examples:
        >>> from sparseaug.choices import answer_orders
        >>> answer_orders(4)
        array([[0, 1, 2, 3],
               [3, 0, 1, 2],
               [2, 3, 0, 1],
               [1, 2, 3, 0]])
        >>> [len(answer_orders(4, balance)) for balance in ("positions", "pairs", "all")]
        [4, 12, 24]
    """
    k = check_integer("k", k, at_least=2, below=MOST_OPTIONS + 1)
    check_choice("balance", balance, ("positions", "pairs", "all"))
    group = symmetric(k)
    if balance == "all":
        rows = GroupSample.full(group).elements
    else:
        rows = design(group, degree=1 if balance == "positions" else min(2, k - 1)).elements
    shown = permute_axis(group)(rows, np.arange(k)[None])[:, 0]
    usual = (shown == np.arange(k)).all(axis=1)
    return shown[np.argsort(~usual, kind="stable")]


def ask(model: Callable[..., Any], questions: Sequence[Any], orders: ArrayLike) -> Answers:
    """The scores of all questions in each of the orders, put back to the options.

    Args:
        model: model(questions, orders), see above
        questions: n of them, as the model takes them
        orders: (m, k) integers, as `answer_orders` makes them

    Returns:
        The `Answers`: `scores`, `mean`, `chosen`, `consistency`.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.choices import answer_orders, ask
        >>> def likes_the_first(questions, orders):      # and knows the answer, option 2, a little
        ...     return (orders == 2) * 1.0 + np.array([1.5, 0, 0, 0])
        >>> found = ask(likes_the_first, ["Which is it?"], answer_orders(4))
        >>> int(found.scores[0].argmax()), found.chosen, found.consistency
        (0, array([2]), 0.25)
    """
    rows = check_array("orders", orders)
    k = rows.shape[-1] if rows.ndim == 2 and len(rows) else 0
    if k < 2 or not (np.sort(rows) == np.arange(k)).all():
        raise ArgumentError(
            "orders must be (m, k), each row an order of 0..k-1; see answer_orders."
        )
    questions, _ = _asked(model, questions, k)
    scores = [_scores(model, questions, np.tile(row, (len(questions), 1))) for row in rows]
    places = np.argsort(rows, axis=1)  # of each option
    return Answers(np.array([part[:, p] for part, p in zip(scores, places, strict=True)]), rows)


def answer_spectrum(
    model: Callable[..., Any], questions: Sequence[Any], k: int, *, calls: int | None = None
) -> Spectrum:
    """How the scores vary over the orders, by degree: what any set of orders would leave of it.

    Args:
        model: model(questions, orders), see above
        questions: n of them
        k: number of options
        calls: orders to ask in; by default all of up to 7 options, and of more 256 draws

    Returns:
        The `Spectrum`: degree 1 is what depends on the place of one option, degree 2 on two, and so on.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.choices import answer_spectrum
        >>> first = lambda questions, orders: np.tile([1.5, 0, 0, 0], (len(orders), 1))
        >>> {d: round(share, 6) for d, share in answer_spectrum(first, ["?"], 4).shares.items()}
        {1: 1.0, 2: 0.0, 3: 0.0}
    """
    questions, act = _asked(model, questions, k)
    # option o of question i has the number i k + o: a moved row says which question it is, and the order
    options = np.arange(len(questions) * k).reshape(-1, k)

    def by_place(rows: Rows) -> Scores:
        return _scores(model, [questions[i] for i in rows[:, 0] // k], rows % k)

    return orbit_spectrum(by_place, act, options, output_action=act, calls=calls)


def position_bias(
    model: Callable[..., Any], questions: Sequence[Any], k: int, *, draws: int = 999, seed: int = 0
) -> InvarianceTest:
    """An exact p-value that the scores do not depend on the place at which an option is shown.

    Each question is asked once, in an order of its own, drawn uniformly. If places do not matter, the
    scores by place are as likely in any other order: `test_invariance` compares how different the mean
    scores of the places are with what it is after moving the scores of each question.

    Args:
        model: model(questions, orders), see above
        questions: n of them, independent of each other
        k: number of options
        draws: moves that the data are compared with
        seed: of the orders and the moves

    Returns:
        The `InvarianceTest`: small `pvalue`, biased model.

    Examples:
        >>> import numpy as np
        >>> from sparseaug.choices import position_bias
        >>> knows = np.random.default_rng(0).normal(size=(50, 4))         # a score of each option
        >>> fair = lambda questions, orders: np.take_along_axis(knows[questions], orders, 1)
        >>> biased = lambda questions, orders: fair(questions, orders) + [1, 0, 0, 0]
        >>> [position_bias(model, range(50), 4).pvalue for model in (fair, biased)]
        [0.569, 0.001]
    """
    questions, act = _asked(model, questions, k)
    seed = check_integer("seed", seed, below=1 << 64)
    orders = act.group.sample(len(questions), np.random.default_rng(seed))
    scores = _scores(model, questions, orders)
    return test_invariance(scores, act, statistic=_unevenness, draws=draws, seed=seed)


def _unevenness(scores: Scores) -> float:
    return float(np.var(scores.mean(axis=0)))


def _asked(
    model: Callable[..., Any], questions: Sequence[Any], k: int
) -> tuple[Sequence[Any], Action]:
    """The questions in a list, and how their k options move."""
    check_callable("model", model, "a function of questions and orders")
    k = check_integer("k", k, at_least=2, below=MOST_OPTIONS + 1)
    listed = check_list("questions", questions)
    if not listed:
        raise ArgumentError("questions is empty; give at least one.")
    return listed, permute_axis(symmetric(k))


def _scores(model: Callable[..., Any], questions: Any, orders: Rows) -> Scores:
    scores = check_array("what model returned", model(questions, orders), np.float64)
    if scores.shape != orders.shape or not np.isfinite(scores).all():
        raise ArgumentError(
            f"model must return finite scores of shape (n, k) = {orders.shape}; got {scores.shape}."
        )
    return scores
