"""Accuracy and loss over all of G, for any model: what people quote.

A pair (i, g) that is drawn uniformly makes the 0-1 loss of the model at (g x_i, y_i) a Bernoulli
variable of mean R_n^G, the risk over these n samples and all of G. So k errors among N pairs bound it
by the binomial law: no layer, no smoothness, no constant of the model enters, and a loss in [0, bound]
is bounded by betting.

For the distribution that the samples came from the mean over S h_i, each sample with an h_i of its
own, has the mean risk for any S, and the samples are independent. Betting takes them one after the
other, so their order must not depend on them: a test set that is sorted by class would break the
bound, and is shuffled first.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import Progress, check_choice, check_integer, check_progress, check_real
from sparseaug.actions import Action
from sparseaug.actions.arrays import as_numpy, leaves, map_leaves
from sparseaug.actions.prepared import PreparedAction
from sparseaug.certificate.anytime import MOST_CALLS, require_fresh
from sparseaug.certificate.intervals import LEAST_DELTA, Ends, Floats, betting, binomial, decided
from sparseaug.certificate.predictions import BoundedLoss, Model, Score, averaged, outputs_of, right
from sparseaug.certificate.statements import RiskCertificate
from sparseaug.designs import design
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError, shorten
from sparseaug.groups import Distribution, Rows, format_order
from sparseaug.groups.distributions.base import group_of
from sparseaug.risk.problem import check_pair_of_data
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.oracle import require_oracle
from sparseaug.sampling.sample import as_sample
from sparseaug.spectrum.models import evaluating, require_inputs, require_model

_LOOK = 1 / 20  # a running stop looks after every so many more pairs
_FIRST = 32  # pairs before the first look
_MOST_TRANSLATED = 64  # m of a design: the group's share of the noise is below 1/64 then
_COPIES = 1024  # at once, or as many as take
_BYTES = 1 << 26


def audit_risk(
    predict: Model | tuple[Model, Model],
    data: tuple[Any, Any],
    action: Action,
    *,
    loss: str | BoundedLoss = "0-1",
    oracle: Oracle | None = None,
    calls: int = 1000,
    delta: float = 0.05,
    average_over: GroupSample | str | None = None,
    over: Literal["data", "population"] = "data",
    until: float | None = None,
    progress: Progress | None = None,
) -> RiskCertificate:
    """Accuracy, or a mean loss, over all of G with bounds that hold, for any model.

    The model and the data must not depend on the draws: not chosen among several by this very
    certificate. Nothing is said of inputs outside G, of another distribution, or of somebody who
    chooses g: the last is `sparseaug.certificate.audit_consistency`.

    Args:
        predict: takes a batch (B, ...) and returns labels (B,), scores (B, classes), or what
            `loss` takes: a module, which is put in eval mode meanwhile, `estimator.predict`, a
            function that asks a server. Two of them, as a pair: then the accuracy (or loss) of the
            first less that of the second, on the same pairs
        data: (x, y), samples and targets
        action: how G moves x
        loss: "0-1", of which the accuracy is stated, or a `BoundedLoss`, of which the mean is
        oracle: where elements come from; independent of the model. By default one of its own
        calls: how many elements, at most; where n |G| is no more, all of them are tried
        delta: how often the bounds may fail
        average_over: an S, "full" or rows: the model averaged over S is audited instead; scores are
            averaged, labels vote
        over: "data" for these samples, or "population" for the distribution that they were drawn
            from independently of the model and of one another
        until: an accuracy (or loss): stop as soon as it is known on which side of it the truth lies.
            0.8 asks whether accuracy is at least 0.8. Looks cost width; bounds hold at any stop
        progress: called as progress(done, total)

    Returns:
        A `RiskCertificate`: estimate, lower and upper in the unit of accuracy (or of the loss).

    Raises:
        ArgumentError: the oracle would draw elements of `average_over` again, a loss leaves [0,
            bound], and others that name the argument.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> x = np.random.default_rng(0).normal(size=(200, 6))
        >>> y = (x.sum(1) > 0).astype(int)
        >>> act = sa.permute_axis(sa.symmetric(6))
        >>> first = lambda x: (x[:, :5].sum(1) > 0).astype(int)  # looks at five of six numbers
        >>> print(sa.audit_risk(first, (x, y), act))
        accuracy over all 720 elements of S6 of these 200 samples: 0.839, at least 0.818 with
        probability 0.95, or 0.814 to 0.862 on both sides (1,000 evaluations)
    """
    models = predict if isinstance(predict, tuple) else (predict,)
    if len(models) not in (1, 2):
        raise ArgumentError(f"predict holds {len(models)} models; give one, or a pair to compare.")
    for model in models:
        require_model(model)
    score, name, most = _scored(loss)
    x, y, n = _checked(data, action, labels=score is right)
    check_choice("over", over, ["data", "population"])
    calls = check_integer("calls", calls, at_least=1, below=MOST_CALLS)
    delta = check_real("delta", delta, above=LEAST_DELTA, below=1)
    until = None if until is None else check_real("until", until)
    if until is not None and over == "population":
        raise ArgumentError('until goes with over="data"; leave it out.')
    report = check_progress(progress)
    averages = average_over is not None
    S = as_sample(average_over, action.distribution, "average_over") if averages else None
    oracle, copies = oracle_of(oracle, action.distribution, S), S.m if S else 1

    def values(rows: Rows, which: Any) -> Floats:
        """Of the pairs (which[j], rows[j]); of two models (a - b + 1) / 2."""
        found = []
        for model in models:
            moved = move(action, x, rows, which)
            outputs = (
                averaged(model, action, S, moved, labels=score is right, copies=chunk_of(x))
                if S
                else outputs_of(model, moved)
            )
            found.append(score(y[which], outputs))
        return found[0] if len(found) == 1 else (found[0] - found[1] + 1) / 2

    is_pair = len(models) == 2
    scale, shift = (2 * most, -most) if is_pair else (most, 0.0)
    binary, chunk = score is right and not is_pair, chunk_of(x, copies)
    task = Task(values, n, action.distribution, oracle, calls, delta, chunk, report, binary)
    before = oracle.calls
    with evaluating(owner(models[0])), evaluating(owner(models[-1])):
        if over == "population":
            found = task.population()
        else:
            found = task.data(None if until is None else (until - shift) / scale)
    return RiskCertificate(
        *found.numbers(shift, scale),
        calls=oracle.calls - before,
        evaluations=found.pairs * len(models) * copies,
        failure_probability=found.failure,
        loss=name,
        samples=n,
        elements=in_words(action.distribution),
        holds=found.holds,
        over=over,
        models=len(models),
        average=copies if S else None,
        until=until,
    )


class Found(NamedTuple):
    """Of values in [0, 1]."""

    mean: float
    both: Ends
    alone: Ends
    pairs: int
    failure: float
    holds: str

    def numbers(
        self, shift: float = 0.0, scale: float = 1.0
    ) -> tuple[float, float, float, float, float]:
        """As a certificate takes them, of what lies in [shift, shift + scale]."""

        def back(share: float) -> float:
            return min(max(shift + scale * share, shift), shift + scale)

        (low, high), (least, most) = self.both, self.alone
        return back(self.mean), back(low), back(high), back(least), back(most)


@dataclass(frozen=True)
class Task:
    """Values of pairs in [0, 1], and how many of them are asked for."""

    values: Callable[[Rows, Any], Floats]  # of the pairs (which[j], rows[j])
    n: int
    group: Distribution
    oracle: Oracle
    calls: int
    delta: float
    chunk: int
    report: Progress
    binary: bool  # values are 0 or 1, by what they are and not as they happened to be

    @property
    def is_small(self) -> bool:
        """Whether every element may be tried on every sample."""
        return self.group.is_finite and self.n * group_of(self.group).order <= self.calls

    def evaluate(
        self,
        count: int,
        pick: Callable[[NDArray[np.int64]], tuple[Rows, Any]],
        done: int = 0,
        total: int | None = None,
    ) -> Floats:
        """The values of pairs number 0 to count - 1, which `pick` gives, a chunk at a time."""
        parts = []
        for start in range(0, count, self.chunk):
            at = np.arange(start, min(start + self.chunk, count))
            parts.append(self.values(*pick(at)))
            self.report(done + int(at[-1]) + 1, total or count)
        return np.concatenate(parts)

    def table(self) -> Floats:
        """The values (n, |G|) of all pairs."""
        rows = group_of(self.group).all_elements()
        order = len(rows)
        every = self.evaluate(self.n * order, lambda at: (rows[at % order], at // order))
        return every.reshape(self.n, order)

    def data(self, until: float | None) -> Found:
        """Pairs: all of them, a fixed number, or as many as answer the question."""
        if self.is_small:
            return _exact(self.table())
        if until is None:
            return bounds(self._pairs(self.calls, 0, self.calls), self.delta, binary=self.binary)
        most = int(min(self.calls, max(self.oracle.remaining, 1)))  # of none, the oracle refuses
        seen = np.empty(0)
        while True:
            more = min(max(_FIRST, math.ceil(_LOOK * len(seen))), most - len(seen))
            seen = np.concatenate([seen, self._pairs(more, len(seen), most)])
            if len(seen) >= most or decided(seen, until, self.delta, horizon=most):
                return bounds(seen, self.delta, binary=False, horizon=most)

    def population(self) -> Found:
        """One mean for each sample, over S h_i or all of G; betting takes them in random order."""
        what, is_single, start = "samples", False, self.oracle.calls
        if self.is_small:
            each = self.table()
        else:
            if self.calls < self.n:
                raise ArgumentError(f"calls={self.calls} is below {self.n} samples; raise calls.")
            pick, m = self._own(min(self.calls // self.n, _MOST_TRANSLATED))
            each = self.evaluate(self.n * m, pick).reshape(self.n, m)
            what, is_single = "samples and of elements for each", m == 1
        order = keyed_rng(self.oracle.seed, "audit order", step=start).permutation(self.n)
        means = each.mean(axis=1)[order]
        found = bounds(means, self.delta, binary=self.binary and is_single)
        return found._replace(pairs=each.size, holds=_over(what, self.delta))

    def _own(self, m: int) -> tuple[Callable[[NDArray[np.int64]], tuple[Rows, Any]], int]:
        """The pairs of each sample with about m elements of its own, and how many these are.

        S h_i for the best known S, or m draws each where there is no S.
        """
        try:
            S = design(group_of(self.group), m=m).elements if m > 1 else None
        except (UnsupportedError, GroupTooLargeError):
            rows = self.oracle.fresh(self.n * m).elements
            return lambda at: (rows[at], at // m), m
        h = self.oracle.fresh(self.n).elements
        if S is None:
            return lambda at: (h[at], at), 1
        m = len(S)
        group = group_of(self.group)
        return lambda at: (group.compose(S[at % m], h[at // m]), at // m), m

    def _pairs(self, count: int, done: int, total: int) -> Floats:
        """The values of the next so many pairs."""
        rows, which = draw_pairs(self.oracle, self.n, count)
        return self.evaluate(count, lambda at: (rows[at], which[at]), done, total)


def bounds(values: Floats, delta: float, *, binary: bool, horizon: int | None = None) -> Found:
    """Of a fixed number of values, or of any number up to a horizon."""

    def ends(delta: float) -> Ends:
        if binary and horizon is None:
            return binomial(int(values.sum()), len(values), delta)
        return betting(values, delta, horizon=horizon)

    holds = _over("pairs", delta) + ("" if horizon is None else ", wherever one stops")
    mean = math.fsum(values) / len(values)
    return Found(mean, ends(delta / 2), ends(delta), len(values), delta, holds)


def draw_pairs(oracle: Oracle, n: int, count: int) -> tuple[Rows, NDArray[np.int64]]:
    """Elements (count, width), and for each the number of a sample: independent and uniform."""
    which = keyed_rng(oracle.seed, "audit pairs", step=oracle.calls).integers(n, size=count)
    return oracle.fresh(count).elements, which


def oracle_of(oracle: Oracle | None, group: Distribution, S: GroupSample | None) -> Oracle:
    """The one given, which must be independent of S, or one that no small seed of yours is."""
    if oracle is None:
        return Oracle(group, own_seed())
    require_oracle(oracle, group)
    if S is not None:
        require_fresh(oracle, S.origin.draws)
    return oracle


def own_seed() -> int:
    """A seed that nobody takes for an S: draws of seed 0 would be those of most samples."""
    return int(keyed_rng(0, "audit of a risk").integers(1 << 63))


def move(action: Action, x: Any, rows: Rows, which: Any) -> Any:
    """Sample which[j] moved by rows[j], for every j."""
    chosen = map_leaves(lambda part: part[which], x)
    return PreparedAction(action, rows, memory=0).each(chosen, np.arange(len(rows)))


def chunk_of(x: Any, copies: int = 1) -> int:
    """How many pairs to take at once, each of so many copies: large images take few."""
    size = sum(int(part.nbytes) // len(part) for part in leaves(x))
    return max(1, min(_COPIES, _BYTES // max(1, size)) // copies)


def owner(model: Model) -> Any:
    """The module that a method is of, or the model itself."""
    return getattr(model, "__self__", model)


def in_words(group: Distribution) -> str:
    """Its elements, for a sentence."""
    count = f"{format_order(group_of(group))} " if group.is_finite else ""
    return f"{count}elements of {group.name}"


def _exact(table: Floats) -> Found:
    mean = math.fsum(table.reshape(-1)) / table.size
    same = Ends(mean, mean)
    return Found(mean, same, same, table.size, 0.0, "certain: every element was tried")


def _over(draw: str, delta: float) -> str:
    return f"with probability 1 - {delta!r} over the draw of the {draw}"


def _scored(loss: str | BoundedLoss) -> tuple[Score, str, float]:
    """What gives a number in [0, 1] for each sample, its name, and what 1 stands for."""
    if isinstance(loss, BoundedLoss):
        return loss, loss.name, loss.bound
    if not isinstance(loss, str) or loss != "0-1":
        raise ArgumentError(f'loss={shorten(loss)} is neither "0-1" nor a BoundedLoss; give one.')
    return right, loss, 1.0


def _checked(data: Any, action: Action, *, labels: bool) -> tuple[Any, Any, int]:
    """x, y as a NumPy array, and n."""
    x, targets = check_pair_of_data(data)
    n, y = require_inputs(action, x), np.asarray(as_numpy(targets))
    if not y.ndim or len(y) != n or (labels and y.ndim > 1):
        shape = f"({n},)" if labels else f"({n}, ...)"
        raise ArgumentError(f"y has shape {y.shape}; give {shape}, one target per sample.")
    return x, y, n
