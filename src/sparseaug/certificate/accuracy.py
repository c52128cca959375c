"""Accuracy and loss over all of G, for any model: what people quote.

A pair (i, g) that is drawn uniformly makes the 0-1 loss of the model at (g x_i, y_i) a Bernoulli
variable of mean R_n^G, the risk over these n samples and all of G. So k errors among N pairs bound
it by the binomial law: no layer, no smoothness, no constant of the model enters, and a loss in [0,
    bound] is bounded by betting.

Three statements, each a type of its own:

DataRisk         these n samples and all of G: pairs
PopulationRisk   the distribution that n held-out samples came from, and all of G: per-sample means
                 over S h_i, each sample with an h_i of its own, are independent, of mean the risk,
                 for any S
Consistency      the share of samples whose label is the same for all of G, or for a share q of it
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import (
    Progress,
    check_callable,
    check_choice,
    check_integer,
    check_progress,
    check_real,
)
from sparseaug._floats import text_down, text_up
from sparseaug._tables import Shown, Table
from sparseaug.actions import Action
from sparseaug.actions.arrays import as_numpy, joined, leaves, map_leaves
from sparseaug.actions.prepared import PreparedAction
from sparseaug.certificate.anytime import MOST_CALLS, require_fresh
from sparseaug.certificate.intervals import Ends, Floats, betting, binomial
from sparseaug.designs import design
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError, shorten
from sparseaug.groups import Group, Rows
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.keys import keyed_rng
from sparseaug.sampling.oracle import require_oracle
from sparseaug.sampling.sample import as_sample
from sparseaug.spectrum.models import (
    call_by_rows,
    evaluating,
    require_inputs,
    require_model,
    usual_chunk,
)

Model: TypeAlias = Callable[..., Any]

_LOOK = 1 / 20  # a running stop looks after every so many more pairs
_FIRST = 32  # pairs before the first look


@final
@dataclass(frozen=True)
class BoundedLoss:
    """A loss of your own for `audit_risk`: numbers between 0 and `bound`, one per sample.

    Args:
        function: function(y, outputs) of the targets and what the model returned for as many
            samples
        bound: no loss is larger; one that is raises an error

    Examples:
        >>> import numpy as np
        >>> from sparseaug.certificate import BoundedLoss
        >>> absolute = BoundedLoss(lambda y, out: np.minimum(abs(y - out), 5.0), bound=5.0)
    """

    function: Callable[[Any, Any], Any]
    bound: float = 1.0

    def __post_init__(self) -> None:
        check_callable("function", self.function, "function(y, outputs)")
        object.__setattr__(self, "bound", check_real("bound", self.bound, above=0))

    def __call__(self, y: Any, outputs: Any) -> Floats:
        """The losses as shares of the bound."""
        losses = np.asarray(as_numpy(self.function(y, outputs)), dtype=np.float64)
        if losses.shape != (len(y),):
            raise ArgumentError(
                f"loss returned shape {losses.shape} for {len(y)} samples; return one number for each."
            )
        if not ((losses >= 0) & (losses <= self.bound)).all():  # NaN too
            raise ArgumentError(
                f"loss returned {losses.min():g} to {losses.max():g}, outside [0, {self.bound:g}]; clip "
                "it, or give a larger bound."
            )
        return losses / self.bound


@dataclass(frozen=True)
class RiskCertificate(Shown):
    """lower <= risk <= upper, and what that holds over.

    Attributes:
        estimate: the mean loss that was seen; of two models, that of the first less that of the
            second
        lower, upper: the risk lies between these two, with probability 1 - delta for both together
        at_least, at_most: what may be quoted alone instead: one of the two, with probability 1 -
            delta
        calls: oracle calls
        evaluations: copies that went through the model, those of an averaged one included
        failure_probability: delta; 0 where every element was tried
        loss: "0-1", whose risk is the share of errors, or the name of the function
        samples: n
        elements: of the group, in words
        holds: over what the probability is
    """

    estimate: float
    lower: float
    upper: float
    at_least: float
    at_most: float
    calls: int
    evaluations: int
    failure_probability: float
    loss: str
    samples: int
    elements: str
    holds: str

    over: ClassVar[str]
    subject: ClassVar[str]

    @property
    def accuracy(self) -> tuple[float, float, float]:
        """1 - estimate, 1 - upper and 1 - lower: accuracy and its bounds, for the 0-1 loss."""
        if self.loss != "0-1":
            raise UnsupportedError(
                f"loss={self.loss} has no accuracy; see estimate, lower and upper."
            )
        return 1 - self.estimate, 1 - self.upper, 1 - self.lower

    def to_dict(self) -> dict[str, Any]:
        """All fields as JSON data."""
        return {**asdict(self), "over": self.over}

    def _table(self) -> Table:
        bounds = (text_down(self.lower, 4), text_up(self.upper, 4), text_up(self.at_most, 4))
        row = (f"{self.estimate:.4g}", *bounds, f"{self.calls:,}", f"{self.evaluations:,}")
        header = ("risk", "at least", "at most", "at most, alone", "calls", "evaluations")
        return Table(header, [row], range(6), str(self))

    def __str__(self) -> str:
        where = self.subject.format(elements=self.elements, samples=f"{self.samples:,}")
        certain = not self.failure_probability
        chance = f"with probability {1 - self.failure_probability:g}"
        if self.loss == "0-1":
            name, value, least = "accuracy", 1 - self.estimate, text_down(1 - self.at_most, 3)
            both = f"{text_down(1 - self.upper, 3)} to {text_up(1 - self.lower, 3)}"
            bound = f"at least {least}"
        else:
            name, value = f"loss ({self.loss})", self.estimate
            both = f"{text_down(self.lower, 3)} to {text_up(self.upper, 3)}"
            bound = f"at most {text_up(self.at_most, 3)}"
        text = f"{name} over {where}: {value:.3f}"
        text += ", certain" if certain else f", {bound} {chance}, or {both} on both sides"
        return f"{text} ({self.evaluations:,} evaluations)"


@final
@dataclass(frozen=True)
class DataRisk(RiskCertificate):
    """The risk over these n samples and all of G."""

    over: ClassVar[str] = "data"
    subject: ClassVar[str] = "all {elements} of these {samples} samples"


@final
@dataclass(frozen=True)
class PopulationRisk(RiskCertificate):
    """The risk over the distribution of the samples and all of G."""

    over: ClassVar[str] = "population"
    subject: ClassVar[str] = "all {elements} and the population of these {samples} samples"


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

    def _table(self) -> Table:
        return Table((), (), notes=[str(self)])

    def __str__(self) -> str:
        part = "" if self.share == 1 else f"at least {100 * self.share:g} % of "
        bound = ", certain"
        if self.failure_probability:
            chance = 1 - self.failure_probability
            bound = f", at least {text_down(self.lower, 3)} with probability {chance:g}"
        return (
            f"the label is the same on {part}all {self.elements} for a share of {self.estimate:.3f} of "
            f"these {self.samples:,} samples{bound} ({self.evaluations:,} evaluations)"
        )


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
    """Accuracy, or another risk, over all of G with bounds that hold, for any model.

    The model and the data must not depend on the draws: not chosen among several by this very
        certificate.
    Nothing is said of inputs outside G, of another distribution, or of somebody who chooses g: the
        last is
    `audit_consistency`.

    Args:
        predict: takes a batch (B, ...) and returns labels (B,), scores (B, classes), or what
            `loss` takes: a module, which is put in eval mode meanwhile, `estimator.predict`, a
            function that asks a server. Two of them, as a pair: then the risk of the first less
            that of the second, on the same pairs
        data: (x, y), samples and targets
        action: how G moves x
        loss: "0-1", or a `BoundedLoss`
        oracle: where elements come from; independent of the model. By default one of its own
        calls: how many elements, at most; where n |G| is no more, all of them are tried
        delta: how often the bounds may fail
        average_over: an S, "full" or rows: the model averaged over S is audited instead; scores are
            averaged, labels vote
        over: "data" for these samples, or "population" for the distribution that they were drawn
            from independently of the model and of one another
        until: stop as soon as it is known on which side of this risk the true one lies, alone: 0.2
            asks whether accuracy is at least 0.8. Looks cost width; the bounds hold at any stop
        progress: called as progress(done, total)

    Returns:
        A `DataRisk` or a `PopulationRisk`.

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
    x, y, n = _checked(data, action)
    score = _zero_one if isinstance(loss, str) and check_choice("loss", loss, ["0-1"]) else loss
    if not isinstance(loss, str | BoundedLoss):
        raise ArgumentError(f'loss={shorten(loss)} is neither "0-1" nor a BoundedLoss; give one.')
    check_choice("over", over, ["data", "population"])
    calls = check_integer("calls", calls, at_least=1, below=MOST_CALLS)
    delta = check_real("delta", delta, above=0, below=1)
    until = None if until is None else check_real("until", until)
    if until is not None and over == "population":
        raise ArgumentError(
            'until is for over="data"; a population of n samples has n, all of them used.'
        )
    report = check_progress(progress)
    S = None if average_over is None else as_sample(average_over, action.group, "average_over")
    oracle = _oracle(oracle, action.group, S)
    outputs = [partial(_outputs, model, action, S) for model in models]
    chunk = max(1, usual_chunk(None, 1) // (1 if S is None else S.m))
    binary = len(models) == 1 and score is _zero_one

    def losses(rows: Rows, which: Any) -> Floats:
        """Of the pairs (which[j], rows[j]), as shares of the bound; of two models, (a - b + 1) / 2."""
        moved = PreparedAction(action, rows, memory=0).each(_take(x, which), np.arange(len(rows)))
        each = [score(y[which], out(moved)) for out in outputs]
        return each[0] if len(each) == 1 else (each[0] - each[1] + 1) / 2

    scale = loss.bound if isinstance(loss, BoundedLoss) else 1.0
    task = _Task(losses, n, action.group, oracle, calls, delta, chunk, report, binary)
    before = oracle.calls
    with evaluating(models[0]), evaluating(models[-1]):
        found = task.population() if over == "population" else task.data(until)
    least, most, shift = 0.0, scale, 0.0
    if len(models) == 2:
        least, shift, scale = -scale, -scale, 2 * scale
    kind = PopulationRisk if over == "population" else DataRisk

    def back(share: float) -> float:
        return min(max(shift + scale * share, least), most)

    return kind(
        *map(back, (found.mean, *found.both, *found.alone)),
        calls=oracle.calls - before,
        evaluations=found.copies * len(models) * (1 if S is None else S.m),
        failure_probability=delta * (not found.exact),
        loss=_name(loss) + ", first less second" * (len(models) == 2),
        samples=n,
        elements=_elements(action.group),
        holds=found.holds,
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

    Where n |G| is at most `calls` all elements are tried, and the share is exact. Else k elements
    are drawn for a sample and compared with f(x): a sample that agrees on less than a share q of G
    passes with probability below q^k, so that A >= (T - q^k) / (1 - q^k) for the share T that
    passes.

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
        certain (960 evaluations)
    """
    require_model(predict)
    n = require_inputs(action, x)
    share = check_real("share", share, above=0, below=1)
    calls = check_integer("calls", calls, at_least=1, below=MOST_CALLS)
    delta = check_real("delta", delta, above=0, below=1)
    report = check_progress(progress)
    oracle, group = _oracle(oracle, action.group, None), action.group

    def same(rows: Rows, which: Any) -> Floats:
        """1 where the label of the moved sample differs."""
        moved = PreparedAction(action, rows, memory=0).each(_take(x, which), np.arange(len(rows)))
        return (_labels(_outputs(predict, action, None, moved)) != base[which]).astype(float)

    with evaluating(predict):
        base = _labels(_outputs(predict, action, None, x))
        task = _Task(same, n, group, oracle, calls, delta, usual_chunk(None, 1), report, True)
        if task.is_small:
            stays = float((task.table().max(axis=1) == 0).mean())
            parts: tuple[Any, ...] = (stays, stays, 1.0, 0, n * group.order, 0.0)
            return Consistency(*parts, samples=n, elements=_elements(group))
        # half of the bound's slack is in q^k, and more draws for a sample leave fewer samples
        k = min(calls, max(1, math.ceil(math.log(0.05) / math.log(share))))
        tried = calls // k
        which = keyed_rng(oracle.seed, "audit pairs", step=oracle.calls).integers(n, size=tried)
        before = oracle.calls
        differ = task.evaluate(oracle.fresh(tried * k).elements, np.repeat(which, k))
    passed = int((differ.reshape(tried, k).max(axis=1) == 0).sum())
    chance = share**k
    T = 1 - binomial(tried - passed, tried, delta).upper
    lower = max(0.0, (T - chance) / (1 - chance) * (1 - 1e-12))
    made = oracle.calls - before
    parts = (passed / tried, lower, share, made, made + n, delta)
    return Consistency(*parts, samples=n, elements=_elements(group))


class _Found(NamedTuple):
    """In shares of the bound."""

    mean: float
    both: Ends
    alone: Ends
    copies: int
    holds: str
    exact: bool = False


@dataclass(frozen=True)
class _Task:
    """Losses of pairs, and how many of them are asked for."""

    losses: Callable[[Rows, Any], Floats]
    n: int
    group: Group
    oracle: Oracle
    calls: int
    delta: float
    chunk: int
    report: Progress
    binary: bool  # losses are 0 or 1, by what they are and not as they happened to be

    @property
    def is_small(self) -> bool:
        """Whether every element may be tried on every sample."""
        return self.group.is_finite and self.n * self.group.order <= self.calls

    def evaluate(self, rows: Rows, which: Any, done: int = 0) -> Floats:
        """The losses of the pairs, a chunk at a time."""
        parts = []
        for start in range(0, len(rows), self.chunk):
            cut = slice(start, start + self.chunk)
            parts.append(self.losses(rows[cut], which[cut]))
            self.report(min(done + start + self.chunk, self.calls), self.calls)
        return np.concatenate(parts)

    def table(self) -> Floats:
        """The losses (n, |G|) of all pairs."""
        rows = self.group.all_elements()
        every = self.evaluate(np.tile(rows, (self.n, 1)), np.repeat(np.arange(self.n), len(rows)))
        return every.reshape(self.n, -1)

    def data(self, until: float | None) -> _Found:
        """Pairs: all of them, a fixed number, or as many as answer the question."""
        if self.is_small:
            return _exact(self.table())
        if until is None:
            return _bounds(self._pairs(self.calls), self.delta, binary=self.binary)
        seen = np.empty(0)
        while True:
            more = max(_FIRST, math.ceil(_LOOK * len(seen)))
            seen = np.concatenate([seen, self._pairs(min(more, self.calls - len(seen)), len(seen))])
            found = _bounds(seen, self.delta, binary=False, horizon=self.calls)
            if len(seen) >= self.calls or not found.alone.lower <= until < found.alone.upper:
                return found

    def population(self) -> _Found:
        """One mean for each sample, over S h_i."""
        if self.is_small:
            found = _bounds(self.table().mean(axis=1), self.delta, binary=False)
            holds = _over("samples", self.delta)
            return found._replace(copies=self.n * self.group.order, holds=holds)
        if self.calls < self.n:
            raise ArgumentError(
                f"calls={self.calls} is less than one element for each of {self.n} samples; raise calls."
            )
        S = self._design(self.calls // self.n)
        h = np.repeat(self.oracle.fresh(self.n).elements, len(S), axis=0)
        rows = self.group.compose(np.tile(S, (self.n, 1)), h)
        each = self.evaluate(rows, np.repeat(np.arange(self.n), len(S)))
        means = each.reshape(self.n, -1).mean(axis=1)
        found = _bounds(means, self.delta, binary=self.binary and len(S) == 1)
        holds = _over("samples and of one element for each", self.delta)
        return found._replace(copies=len(rows), holds=holds)

    def _design(self, m: int) -> Rows:
        """The best known S of so many elements, or the identity where there is none."""
        try:
            return design(self.group, m=m).elements if m > 1 else self.group.identity()
        except (UnsupportedError, GroupTooLargeError):
            return self.group.identity()

    def _pairs(self, count: int, done: int = 0) -> Floats:
        """The losses of the next so many pairs."""
        return self.evaluate(*draw_pairs(self.oracle, self.n, count), done)


def _bounds(losses: Floats, delta: float, *, binary: bool, horizon: int | None = None) -> _Found:
    """Of a fixed number of losses, or of any number up to a horizon."""

    def ends(delta: float) -> Ends:
        if binary and horizon is None:
            return binomial(int(losses.sum()), len(losses), delta)
        return betting(losses, delta, horizon=horizon)

    holds = _over("pairs", delta) + ("" if horizon is None else ", wherever one stops")
    mean = math.fsum(losses) / len(losses)
    return _Found(mean, ends(delta / 2), ends(delta), len(losses), holds)


def _over(draw: str, delta: float) -> str:
    return f"with probability 1 - {delta!r} over the draw of the {draw}"


def draw_pairs(oracle: Oracle, n: int, count: int) -> tuple[Rows, NDArray[np.int64]]:
    """Elements (count, width), and for each the number of a sample: independent and uniform."""
    which = keyed_rng(oracle.seed, "audit pairs", step=oracle.calls).integers(n, size=count)
    return oracle.fresh(count).elements, which


def risk_of_losses(losses: Floats, group: Group, n: int, delta: float, *, binary: bool) -> DataRisk:
    """The certificate of losses that were measured elsewhere, at pairs of `draw_pairs`."""
    found = _bounds(losses, delta, binary=binary)
    return DataRisk(
        *(found.mean, *found.both, *found.alone),
        calls=len(losses),
        evaluations=len(losses),
        failure_probability=delta,
        loss="0-1" if binary else "given",
        samples=n,
        elements=_elements(group),
        holds=found.holds,
    )


def _exact(table: Floats) -> _Found:
    mean = math.fsum(table.reshape(-1)) / table.size
    same = Ends(mean, mean)
    return _Found(mean, same, same, table.size, "certain: every element was tried", exact=True)


def _outputs(model: Model, action: Action, S: GroupSample | None, x: Any) -> Any:
    """What the model returns for x, or its mean over S: scores are averaged, labels vote."""
    n = len(leaves(x)[0])
    if S is None:
        return as_numpy(call_by_rows("predict", model, x, n))
    y = as_numpy(call_by_rows("predict", model, joined(action(S.elements, x)), S.m * n))
    y = y.reshape(S.m, n, *y.shape[1:])
    if y.dtype.kind == "f" and not (y.ndim == 2 and _are_whole(y)):
        return y.mean(axis=0)
    labels, place = np.unique(_labels(y.reshape(S.m * n, *y.shape[2:])), return_inverse=True)
    votes = np.zeros((n, len(labels)), dtype=np.int64)
    np.add.at(votes, (np.tile(np.arange(n), S.m), place.reshape(-1)), 1)
    return labels[votes.argmax(axis=1)]


def _labels(outputs: Any) -> Any:
    """Labels (B,) as they are, of scores (B, classes) the number of the largest."""
    if outputs.ndim == 2 and outputs.shape[1] > 1:
        return outputs.argmax(axis=1)
    if outputs.ndim != 1 or (outputs.dtype.kind == "f" and not _are_whole(outputs)):
        raise ArgumentError(
            f"predict returned {outputs.dtype} of shape {outputs.shape}; return labels (B,) or scores "
            "(B, classes), or give a BoundedLoss of numbers."
        )
    return outputs


def _are_whole(values: Any) -> bool:
    return bool((values == np.round(values)).all())


def _zero_one(y: Any, outputs: Any) -> Floats:
    """1 where the label is wrong."""
    if outputs.ndim == 2 and y.dtype.kind not in "iub":
        raise ArgumentError(
            f"y has dtype {y.dtype}, and predict returned scores; give y as numbers of classes, or a "
            "predict that returns labels."
        )
    return (_labels(outputs) != y).astype(np.float64)


def _checked(data: Any, action: Action) -> tuple[Any, Any, int]:
    """x, y as a NumPy array, and n."""
    if not isinstance(data, tuple) or len(data) != 2:
        raise ArgumentError(f"data={shorten(data)} is not a pair; give (x, y).")
    x, n = data[0], require_inputs(action, data[0])
    y = np.asarray(as_numpy(data[1]))
    if not y.ndim or len(y) != n:
        raise ArgumentError(
            f"data[1] has shape {y.shape} for {n} samples; give one target for each."
        )
    return x, y, n


def _oracle(oracle: Oracle | None, group: Group, S: GroupSample | None) -> Oracle:
    """The one given, which must be independent of S, or one that no small seed of yours is."""
    if oracle is None:
        return Oracle(group, int(keyed_rng(0, "audit of a risk").integers(1 << 63)))
    require_oracle(oracle, group)
    if S is not None:
        require_fresh(oracle, S.origin.draws)
    return oracle


def _take(x: Any, which: Any) -> Any:
    return map_leaves(lambda part: part[which], x)


def _elements(group: Group) -> str:
    return f"{group.order:,} elements of {group.name}" if group.is_finite else group.name


def _name(loss: str | BoundedLoss) -> str:
    if isinstance(loss, str):
        return loss
    return getattr(loss.function, "__name__", type(loss.function).__name__)
