"""For how many samples the label stays, whoever chooses the element of G.

A sample that agrees with f(x) on less than a share q of G passes k independent draws with probability
below q^k. So of the share T of samples that pass at most q^k (1 - A) do so wrongly:

    T <= A + q^k (1 - A),     A >= (T - q^k) / (1 - q^k).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from operator import itemgetter
from typing import Any, final

import numpy as np

from sparseaug._checks import Progress, check_integer, check_progress, check_real
from sparseaug._floats import text_down
from sparseaug._tables import Shown
from sparseaug.actions import Action
from sparseaug.actions.arrays import map_leaves
from sparseaug.certificate.accuracy import Task, chunk_of, in_words, move, oracle_of, owner
from sparseaug.certificate.anytime import MOST_CALLS
from sparseaug.certificate.intervals import LEAST_DELTA, Floats, binomial
from sparseaug.certificate.predictions import Model, labels_of, outputs_of
from sparseaug.certificate.statements import chance
from sparseaug.groups import Rows
from sparseaug.groups.distributions.base import group_of
from sparseaug.sampling import Oracle
from sparseaug.sampling.keys import keyed_rng
from sparseaug.spectrum.models import evaluating, require_inputs, require_model

_TYPICAL = 0.9


@final
@dataclass(frozen=True)
class Consistency(Shown):
    """The share of these samples whose label is the same for all of G, or for a share of it.

    Attributes:
        estimate: the share of samples that agreed wherever they were tried
        lower: with probability 1 - delta at least so many agree with f(x) on a share of at least
            `share` of G
        share: of the group
        calls: oracle calls
        evaluations: copies that went through the model
        failure_probability: delta; 0 where every element was tried
        samples: n
        elements: of the group, in words
    """

    estimate: float
    lower: float
    share: float
    calls: int
    evaluations: int
    failure_probability: float
    samples: int
    elements: str

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return asdict(self)

    def __str__(self) -> str:
        part = "" if self.share == 1 else f"at least {100 * self.share:g} % of "
        bound = ", certain"
        if self.failure_probability:
            least = text_down(self.lower, 3)
            bound = f", at least {least} with probability {chance(self.failure_probability)}"
        return (
            f"the label is the same on {part}all {self.elements} for a share of {self.estimate:.3f} of "
            f"these {self.samples:,} samples{bound} ({self.evaluations:,} evaluations)"
        )


def audit_consistency(
    predict: Model,
    x: Any,
    action: Action,
    *,
    share: float = 0.9,
    oracle: Oracle | None = None,
    calls: int = 1000,
    delta: float = 0.05,
    progress: Progress | None = None,
) -> Consistency:
    """For how many samples the label stays, whoever chooses the element of G.

    Where n |G| is at most `calls` all elements are tried, and the share is exact. Else some elements
    are drawn for each of some samples, and the statement is about a share q of G.

    Args:
        predict: takes a batch and returns labels (B,) or scores (B, classes)
        x: samples
        action: how G moves x
        share: q, the share of G on which a label must stay, where not all of G is tried
        oracle: where elements come from; by default one of its own
        calls: how many elements, at most
        delta: how often the bound may fail
        progress: called as progress(done, total)

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> x = np.random.default_rng(0).normal(size=(40, 4))
        >>> act = sa.permute_axis(sa.symmetric(4))
        >>> largest_first = lambda x: (x[:, 0] > 2).astype(int)
        >>> print(sa.certificate.audit_consistency(largest_first, x, act))
        the label is the same on all 24 elements of S4 for a share of 0.975 of these 40 samples,
        certain (1,000 evaluations)
    """
    require_model(predict)
    n = require_inputs(action, x)
    share = check_real("share", share, above=0, below=1)
    calls = check_integer("calls", calls, at_least=1, below=MOST_CALLS)
    delta = check_real("delta", delta, above=LEAST_DELTA, below=1)
    report = check_progress(progress)
    group, chunk = action.distribution, chunk_of(x)
    oracle = oracle_of(oracle, group, None)

    def stays(rows: Rows, which: Any) -> Floats:
        """1 where the label of the moved sample is that of the sample."""
        labels = labels_of(outputs_of(predict, move(action, x, rows, which)))
        return np.asarray(labels == base[which], dtype=np.float64)

    task = Task(stays, n, group, oracle, calls, delta, chunk, report, True)
    with evaluating(owner(predict)):
        cuts = [slice(start, start + chunk) for start in range(0, n, chunk)]
        parts = [map_leaves(itemgetter(cut), x) for cut in cuts]
        base = np.concatenate([labels_of(outputs_of(predict, part)) for part in parts])
        if task.is_small:
            stayed = float((task.table().min(axis=1) == 1).mean())
            tries = n * group_of(group).order + n
            return Consistency(stayed, stayed, 1.0, 0, tries, 0.0, n, in_words(group))
        k = _draws_each(share, calls, delta)
        tried, before = calls // k, oracle.calls
        which = keyed_rng(oracle.seed, "audit pairs", step=before).integers(n, size=tried)
        rows = oracle.fresh(tried * k).elements
        agrees = task.evaluate(tried * k, lambda at: (rows[at], which[at // k]))
    passed = int((agrees.reshape(tried, k).min(axis=1) == 1).sum())
    lower = _share_at_least(binomial(passed, tried, delta).lower, share**k)
    made = oracle.calls - before
    return Consistency(passed / tried, lower, share, made, made + n, delta, n, in_words(group))


def _draws_each(share: float, calls: int, delta: float) -> int:
    """The k that is best where 9 of 10 samples stay and the others never pass; from no draw.

    More draws for a sample leave fewer samples: T - T_low is about sqrt(2 T (1 - T) L / N) + L / N for
    N = calls / k of them and L = log(1 / delta).
    """
    k = np.arange(1, min(calls, 100_000) + 1)
    level, luck = -math.log(delta) / (calls // k), share**k
    passed = _TYPICAL - np.sqrt(2 * _TYPICAL * (1 - _TYPICAL) * level) - level
    return int(k[((passed - luck) / (1 - luck)).argmax()])


def _share_at_least(passed: float, luck: float) -> float:
    """A >= (T - q^k) / (1 - q^k), rounded down."""
    return max(0.0, (passed - luck) / (1 - luck) * (1 - 1e-12))
