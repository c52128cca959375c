"""The spectral bound on words: the gradient at theta over W, many words of S, in place of S.

The certificate is about one theta, so the mean need not go over the S that was trained on. For any W,

    ||grad R_n^G|| <= ||grad R_n^W|| + ||D_W|| (||P'|| ||mu'|| + ||Q'|| ||nu'||),   D_W = Pi_W - Pi_G,

as grad R_n^W - grad R_n^G = <P, D_W mu> - <Q, D_W nu>. Here mu = (1/n) sum_i k'(., x_i) is in the space
of P and nu = (1/n) sum_i y_i k(., x_i) in that of Q. D_W vanishes on invariant functions and maps
to varying ones, so only the varying parts u' = u - Pi_G u count; a few words bound them (`variation`).
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from sparseaug._checks import check_integer
from sparseaug._floats import lifted, power_up
from sparseaug.certificate.certificates import Certificate, make_certificate
from sparseaug.certificate.evidence import Evidence, check_theta
from sparseaug.certificate.exact import largest_norm
from sparseaug.errors import GroupTooLargeError, UnsupportedError
from sparseaug.kernels.arrays import Floats
from sparseaug.kernels.variation import varying_data, varying_gradient
from sparseaug.norms import LongRunWarning, deviation
from sparseaug.risk import MomentRisk, augmented_risk
from sparseaug.sampling import GroupSample

MOST_WORDS = 32_000
"""Words unless `words` asks for another number, and fewer where `WORK` is spent before."""


WORK = 1 << 34
"""Multiplications of the moments over W: some seconds of one core."""


FEW = 256
"""Words by which the varying parts are bounded: from a deviation of 0.1 on, more gain little."""


PAIRS = 1 << 29
"""Kernel values, and multiplications, for that; where they would be more, norms are taken whole."""


LARGEST = 1_000_000
"""Words that may be asked for: their letters take half a gigabyte."""


LETTERS = 64
"""Letters of a word, each an element of S or the identity: the law of so many is close to uniform,
as soon as S generates the group at all well."""


class Known(NamedTuple):
    """Elements, an upper bound of their deviation and the chance that it fails."""

    sample: GroupSample
    deviation: float
    failure: float


class Words(NamedTuple):
    """What does not depend on theta."""

    risk: MomentRisk  # over W
    deviation: float  # of W
    failure: float  # chance that this, or that of `few`, is wrong
    few: Known  # by which varying parts are bounded
    mu: float  # at least ||mu'||
    nu: float  # at least ||nu'||


def words(evidence: Evidence, theta: Floats, *, words: int | None = None) -> Certificate:
    """||grad R_n^W(theta)|| + ||D_W|| (||P'|| ||mu'|| + ||Q'|| ||nu'||), for W = words of S.

    W are the distinct among so many random words, at no oracle call. Up to m of them it is S itself;
    where the group has no more elements than that, it is the group.
    """
    theta = check_theta(evidence, theta)
    if words is not None:
        words = check_integer("words", words, at_least=1, below=LARGEST + 1)
    condition = evidence.kernel_condition
    kept: dict[int | None, Words] = evidence.kept.setdefault("words", {})
    if words not in kept:
        kept[words] = _prepare(evidence, words)
    of, model = kept[words], evidence.model
    spread = 0.0
    if of.deviation:
        few, R = of.few, len(model.centers)
        # what is tested on the data says nothing about the centres, which the products of P move
        whole = bool(condition) or few.sample.m * R**3 > 8 * PAIRS
        at = model.centers, *model.split(theta), 1.0 if whole else few.deviation
        P, Q = varying_gradient(model.kernel, evidence.action, few.sample, *at)
        spread = of.deviation * (P * of.mu + Q * of.nu)
    bound = lifted(largest_norm(of.risk, theta) + spread, 12)
    over = "the norm estimate"
    return make_certificate("words", bound, evidence.calls, of.failure, over, condition)


def _prepare(evidence: Evidence, count: int | None) -> Words:
    S, n, R = evidence.sample, len(evidence.y), len(evidence.model.centers)
    number = count or max(1, min(MOST_WORDS, WORK // (n * R * (R + 40))))
    if S.group.order <= number:
        whole = Known(S, 0.0, 0.0)
        return Words(evidence.full_risk, 0.0, 0.0, whole, 0.0, 0.0)
    W = _choose(evidence, number, patient=count is not None)
    risk = evidence.sparse_risk
    if W.sample is not S:
        risk = augmented_risk(evidence.model, evidence.data, evidence.action, W.sample)
    few = _few(evidence)
    mu, nu = 1.0, lifted(float(abs(evidence.y).mean()), n + 4)  # as all k(x, x) are 1
    if few.sample.m * n**2 <= PAIRS:
        parts = evidence.action, few.sample, evidence.x
        mu = varying_data(evidence.narrow, *parts, np.ones(n), few.deviation)
        nu = varying_data(evidence.model.kernel, *parts, evidence.y, few.deviation)
    return Words(risk, W.deviation, min(1.0, W.failure + few.failure), few, mu, nu)


def _choose(evidence: Evidence, number: int, *, patient: bool) -> Known:
    """W: random words, and their deviation from W itself.

    Where that takes long, and nobody asked for it, or cannot be done, all words of one length, with
    D_W = D_S^length.
    """
    S = evidence.sample
    if number > S.m and (found := _measured(_random_words(S, number), patient=patient)):
        return found
    known = evidence.known_deviation
    if known.failure_probability is None:
        raise UnsupportedError("the deviation of S is an estimate, which certifies nothing.")
    length = 1
    while S.m > 1 and S.m ** (length + 1) <= number:
        length += 1
    W = S if length == 1 else _all_words(S, length)
    return Known(W, power_up(known.value, length), known.failure_probability)


def _few(evidence: Evidence) -> Known:
    """Some words of S with their deviation; S with 1, which is of no use, where that is out of reach."""
    S = evidence.sample
    if S.group.order <= FEW:
        return Known(GroupSample.full(S.group), 0.0, 0.0)
    return _measured(_random_words(S, FEW), patient=False) or Known(S, 1.0, 0.0)


def _measured(W: GroupSample, *, patient: bool) -> Known | None:
    try:
        with warnings.catch_warnings():
            if not patient:
                warnings.simplefilter("error", LongRunWarning)
            found = deviation(W)
    except (LongRunWarning, UnsupportedError, GroupTooLargeError):
        return None
    failure = found.failure_probability
    return None if failure is None else Known(W, found.value, failure)


def _random_words(S: GroupSample, number: int) -> GroupSample:
    """The distinct among so many random words of S and the identity, which ends all periods."""
    letters = GroupSample(S.group, np.concatenate([S.group.identity(), S.elements]))
    return GroupSample(S.group, letters.words(LETTERS, number).counts()[0])


def _all_words(S: GroupSample, length: int) -> GroupSample:
    """All m^length words, with multiplicity."""
    rows = S.elements
    for _ in range(length - 1):
        rows = S.group.compose(np.repeat(rows, S.m, axis=0), np.tile(S.elements, (len(rows), 1)))
    return GroupSample(S.group, rows)
