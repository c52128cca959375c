"""The full-group gradient from fresh transformations, with a dimension-free confidence interval.

For h uniform and independent of theta, the mean v(h) of the gradients over a translate S h of any
fixed S has the mean grad R_n^G(theta): for S = {identity}, h moves all data. Its norm is at most G. So
N fresh draws bound the gradient, whatever the group, the kernel or S; the inequality is in
`anytime`.
"""

from __future__ import annotations

# Why translates. v(h) - E v = (D_S v)(h) with D_S = Pi_S - Pi_G, so that for every v
#
#   E ||v(h) - E v||^2 = ||D_S v||^2 <= deviation(S)^2 Var_G(v).
#
# Where G acts unitarily on the kernel's function space (evidence.kernel_condition is empty), also
# ||v(h) - E v|| <= deviation(S) B(theta) for every h, as in the spectral certificate: `reach`. One
# call gives m gradients, at most as many as the group has elements in all.
import math
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from sparseaug._checks import check_integer, check_real
from sparseaug._floats import SMALLEST, gamma, lifted, norm, up
from sparseaug.actions import Action
from sparseaug.certificate.anytime import MOST_CALLS, Limits, require_fresh, run_audit, share_of
from sparseaug.certificate.certificates import Certificate, finite_bound, make_certificate
from sparseaug.certificate.evidence import Evidence, check_theta
from sparseaug.certificate.exact import rounding
from sparseaug.errors import GroupTooLargeError, UnsupportedError
from sparseaug.groups import Rows
from sparseaug.groups.distributions.base import group_of
from sparseaug.kernels import gradient_norms
from sparseaug.kernels.arrays import Floats
from sparseaug.norms import deviation
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.oracle import require_oracle
from sparseaug.sampling.sample import as_sample

WORK = 1 << 31
"""Kernel values up to which S itself is translated unless `translates_of` says otherwise: about 20
s."""

_PRODUCTS = 1 << 25  # of S and fresh elements, likewise: some seconds
_ROWS = 1 << 16  # of translates in memory at once
_TABLE = 1 << 25  # numbers up to which the gradients of all elements are kept: 256 MiB


def audited(
    evidence: Evidence,
    theta: Floats,
    *,
    oracle: Oracle,
    calls: int = 1000,
    delta: float = 0.05,
    translates_of: Any = None,
    until: float | None = None,
) -> Certificate:
    """||mean of v(h)|| + radius over `calls` fresh elements h, with probability 1 - delta.

    The oracle must be independent of theta: not the seed and draws behind S or a streaming run. Where
    that shows in S it is refused.

    Args:
        evidence: the problem
        theta: the iterate
        oracle: where the fresh elements come from
        calls: how many, and with `until` at most how many
        delta: how often it may fail, all audits of this iterate together
        translates_of: the sample whose translates S h are averaged over; by default the sample of
            the evidence, as long as that is at most `WORK` kernel values, else {identity}
        until: stop as soon as the bound is at most this, or is known to stay above it
    """
    theta = check_theta(evidence, theta)

    def prepare(S: GroupSample, calls: int) -> MeansToAudit:
        largest = finite_bound("audited", largest_gradient(evidence, theta))
        off = _rounding(evidence, theta) + gamma(2 * S.m + 8) * largest
        means = _translate_means(evidence, theta, S, calls)
        return theta, means, Limits(largest, _reach(evidence, theta, S), off), ""

    usual = partial(_translated, evidence)
    return audit_means(evidence, usual, prepare, oracle, calls, delta, translates_of, until)


MeansToAudit = tuple[Floats, Callable[[GroupSample], Iterable[Floats]], Limits, str]
"""theta; the means over translates by fresh elements; their limits; what these rest on."""


def audit_means(
    of: Any,
    usual: Callable[[int], GroupSample],
    prepare: Callable[[GroupSample, int], MeansToAudit],
    oracle: Oracle,
    calls: int,
    delta: float,
    translates_of: Any,
    until: float | None,
) -> Certificate:
    """The audit of a kernel model or a network: all is checked before the first element is drawn.

    Args:
        of: the risk, with its `action`, `calls`, `draws` and `audits`
        usual: from the number of calls the sample to translate unless `translates_of` is one
        prepare: from that sample and the number of calls what is audited
        oracle: and the rest: as for `audited`
    """
    group = of.action.distribution
    if translates_of is not None:
        group = group_of(group)
    delta = check_real("delta", delta, above=0, below=1)
    until = None if until is None else check_real("until", until, above=0)
    calls = check_integer("calls", calls, at_least=2, below=MOST_CALLS)
    S = usual(calls) if translates_of is None else translates_of
    S = as_sample(S, group, "translates_of")
    require_oracle(oracle, group)
    require_fresh(oracle, (*of.draws, *S.origin.draws))
    theta, means, limits, condition = prepare(S, calls)
    share, number = share_of(of.audits, theta.tobytes(), oracle, S, limits.largest, delta)
    before = oracle.calls
    options: dict[str, Any] = {"calls": calls, "delta": share, "until": until}
    _, upper = run_audit(means, len(theta), oracle, limits, **options)
    made = of.calls + oracle.calls - before
    every = f"the draws of all {number} audits of this iterate together, which share it"
    over = "the audit's draws" if number == 1 else every
    return make_certificate("audited", upper, made, delta, over, condition)


def largest_gradient(evidence: Evidence, theta: Floats) -> float:
    """G: no v_g, for any transformation, has a larger norm.

    |h_i(x)| = |f(x) - y_i| sqrt(sum_r (a_r^2 + b_r^2) phi_r(x)^2) with 0 <= phi <= 1, so that f lies
    between the sums of negative and of positive c_r. It is at most ||h_i|| in the function space too.
    """
    a, b = evidence.model.split(theta)
    c = a * b
    highest, lowest = c[c > 0].sum(), c[c < 0].sum()
    residuals = np.maximum(highest - evidence.y, evidence.y - lowest) + len(c) * SMALLEST
    plain = float(residuals.mean()) * norm(theta)
    return lifted(min(plain, _norm(evidence, theta)), len(theta) + len(evidence.y) + 20)


def _norm(evidence: Evidence, theta: Floats) -> float:
    """B(theta)."""
    a, b = evidence.model.split(theta)
    return gradient_norms(evidence.model.kernel, evidence.model.centers, a, b, evidence.y).B


def _reach(evidence: Evidence, theta: Floats, S: GroupSample) -> float:
    """No mean over a translate of S is farther from the mean over the group; infinite if unknown."""
    try:
        if S.m == 1 or evidence.kernel_condition:
            return math.inf
        own = isinstance(evidence.S, GroupSample) and evidence.S.sha256 == S.sha256
        found = evidence.known_deviation if own else deviation(S)
    except (UnsupportedError, GroupTooLargeError):
        return math.inf
    return up(found.value * _norm(evidence, theta)) if found.rigorous else math.inf


def _translated(evidence: Evidence, calls: int) -> GroupSample:
    """The sample of the evidence where there is one and its translates are not too much work."""
    if not evidence.action.distribution.is_group:
        return untranslated(evidence.action)
    group, S = evidence.action.group, evidence.S
    if isinstance(S, GroupSample):
        values = min(calls * S.m, group.order) * len(evidence.y) * len(evidence.model.centers)
        if values <= WORK and calls * S.m <= _PRODUCTS:
            return S
    return untranslated(evidence.action)


def untranslated(action: Action) -> GroupSample:
    """One element, where each fresh draw is taken alone: the identity of a group."""
    return GroupSample(action.distribution, action.distribution.example())


def drawn_rows(S: GroupSample, h: Rows) -> Rows:
    """The rows of S h for each fresh h, one after the other; of a distribution the h themselves."""
    if not S.distribution.is_group:
        return h
    return S.group.compose(np.tile(S.elements, (len(h), 1)), np.repeat(h, S.m, axis=0))


def _translate_means(
    evidence: Evidence, theta: Floats, S: GroupSample, calls: int
) -> Callable[[GroupSample], Iterator[Floats]]:
    """The mean gradients over translates S h by the elements h of a sample, (k, 2 R) at a time.

    Where the group has fewer elements than the translates, each gradient is computed once.
    """
    of, size = evidence.action.distribution, len(theta)
    few = of.is_group and S.group.order <= min(calls * S.m, _TABLE // size)
    table = np.full((S.group.order if few else 0, size), math.nan)

    def gradients(rows: Rows) -> Floats:
        if not few:
            return _gradients(evidence, theta, rows)
        places = S.group.rank(rows)
        missing = np.unique(places[np.isnan(table[places, 0])])
        if len(missing):
            table[missing] = _gradients(evidence, theta, S.group.unrank(missing))
        return np.asarray(table[places])

    def means(fresh: GroupSample) -> Iterator[Floats]:
        step = max(1, _ROWS // S.m)
        for start in range(0, fresh.m, step):
            h = fresh.elements[start : start + step]
            yield gradients(drawn_rows(S, h)).reshape(len(h), -1, size).mean(axis=1)

    return means


def _gradients(evidence: Evidence, theta: Floats, rows: Rows) -> Floats:
    """v_g for every element, (N, 2 R), in blocks."""
    return np.concatenate([each for _, each in evidence._element_gradients(theta, rows)])


def _rounding(evidence: Evidence, theta: Floats) -> float:
    """How far each v_g may be off.

    Kernel values are off by gamma(d + 14), f by that and R + 2 roundings times sum |c|; a term of the
    mean over data is a residual, at most sum |c| + |y_i|, times a kernel value, and there are n.
    """
    a, b = evidence.model.split(theta)
    size = float(abs(a * b).sum() + abs(evidence.y).mean())
    roundings = 2 * (evidence.x[0].size + 14) + len(a) + len(evidence.y) + 20
    return lifted(rounding(theta, gamma(roundings), size), roundings)
