"""All kinds of certificates at one iterate."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from sparseaug._checks import check_integer
from sparseaug.certificate import custom
from sparseaug.certificate.anytime import MOST_CALLS
from sparseaug.certificate.certificates import BoundOverflowError, Certificate, Certificates
from sparseaug.certificate.evidence import Evidence
from sparseaug.certificate.exact import exact, require_sound
from sparseaug.certificate.kinds import TABLE, check_kinds
from sparseaug.descent import Run
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError, shorten
from sparseaug.kernels.arrays import check_vector
from sparseaug.risk import CustomRisk, MinibatchRisk
from sparseaug.risk.problem import KernelProblem
from sparseaug.sampling import GroupSample, Oracle

CUSTOM = {"exact": custom.exact, "audited": custom.audited}
"""The kinds that a user's loss allows."""


def certify(
    run: Run | Any,
    evidence: Evidence | KernelProblem | Any = None,
    *,
    kinds: Sequence[str] | None = None,
    delta: float = 0.05,
    oracle: Oracle | None = None,
    audit_calls: int = 1000,
    translates_of: GroupSample | Literal["full"] | None = None,
    until: float | None = None,
) -> Certificates:
    """Bounds of the full-group gradient norm at the best iterate of a run, or at any theta.

    The truth is filled in where "exact" is among the kinds or the full risk is known. Then every
    certain bound is compared with it. What one kind alone takes is an argument of its function:
    `certificate.a_priori(box=)`, `certificate.words(words=)`, `nn.audit(largest=)`.

    Args:
        run: a run of `descend`, which knows its risk; or a theta
        evidence: for a theta, or in place of the run's own: a risk, or an `Evidence`, which is a
            risk with what is known of it, to share between many iterates. A risk that knows no
            function space, such as that of a network, makes the kinds that it can make by methods of
            these names
        kinds: which of `sparseaug.certificate.KINDS`; without it all that the problem allows
        delta: probability of failure of "a-priori" and of "audited", each; all audits of one iterate
            share it
        oracle: source of fresh elements for "audited", independent of theta
        audit_calls: how many of them; with `until` the most
        translates_of: the sample S whose translates S h the audit averages over, one for each fresh h:
            as many gradients as S has elements for one call. By default the S of the risk, within a
            limit on the work; a sample of the identity alone for single elements
        until: the audit stops as soon as its bound is at most this, or known to stay above it

    Returns:
        The certificates by kind; `.best` is the smallest certain one, `.omitted` gives the reason
        why a kind is missing.

    Raises:
        ArgumentError: no risk is known, or an argument is wrong
        UnsupportedError: one of the `kinds` that were asked for is not available
        SoundnessError: a bound that is called certain is below the truth, which is a bug

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> x = np.random.default_rng(0).uniform(-1, 1, (8, 4))
        >>> model = sa.KernelModel(sa.GaussianKernel(1.0), x[:4])
        >>> act = sa.permute_axis(sa.symmetric(4))
        >>> risk = sa.augmented_risk(model, (x, x.sum(1)), act, sa.Oracle(act.group).draw(8))
        >>> run = sa.descend(risk, np.ones(8), step_size=0.05, num_steps=100)
        >>> found = sa.certify(run)
        >>> found.best.kind, found["spectral"].holds
        ('exact', 'certain')
        >>> round(found["spectral"].bound, 2), round(found["spectral"].truth, 4)
        (2.13, 0.1613)
        >>> found.omitted["audited"]
        'an audit draws fresh elements; give oracle=.'
    """
    wanted = check_kinds(kinds)
    options = {
        "delta": delta,
        "oracle": oracle,
        "calls": check_integer("audit_calls", audit_calls, at_least=2, below=MOST_CALLS),
        "translates_of": translates_of,
        "until": until,
    }
    of = _evidence(run, evidence)
    theta = run.best if isinstance(run, Run) else run
    spent = run.calls - of.calls if isinstance(run, Run) else 0
    if isinstance(of, Evidence | CustomRisk):
        size = of.model.size if isinstance(of, Evidence) else None
        theta = check_vector("run, a theta,", theta, size)
    found, omitted = {}, {}
    with np.errstate(over="ignore", invalid="ignore"):  # a bound that overflows is refused
        for kind in wanted:
            try:
                found[kind] = _make(kind, of, theta, options)
            except (UnsupportedError, GroupTooLargeError, BoundOverflowError) as error:
                if kinds is not None:
                    raise
                omitted[kind] = str(error)
        known = found.get("exact")
        if known is None and isinstance(of, Evidence) and of.full is not None:
            with suppress(BoundOverflowError):
                known = exact(of, theta)
    if known is not None and isinstance(of, Evidence):
        require_sound(found.values(), known, of)
    truth = known and known.truth
    return Certificates(
        {kind: replace(one, truth=truth, calls=one.calls + spent) for kind, one in found.items()},
        omitted,
    )


def _evidence(run: Any, given: Any) -> Any:
    """What was given, or else the risk of the run, as evidence or as a risk that can be audited."""
    if given is None and isinstance(run, Run):
        given = run.risk
    if isinstance(given, MinibatchRisk):  # what was followed by batches is certified whole
        given = given.risk
    if isinstance(given, Evidence | CustomRisk) or callable(getattr(given, "audited", None)):
        return given
    if isinstance(given, KernelProblem):
        return Evidence.of(given)
    given = f"evidence={shorten(given)} is neither an Evidence nor a risk that can be audited"
    raise ArgumentError(f"{given}; give the risk, of a network a ModuleRisk with S=None.")


def _make(kind: str, of: Any, theta: Any, options: dict[str, Any]) -> Certificate:
    if "oracle" in TABLE[kind].options and options["oracle"] is None:
        raise UnsupportedError("an audit draws fresh elements; give oracle=.")
    taken = {name: options[name] for name in TABLE[kind].options}
    if isinstance(of, Evidence):
        return TABLE[kind].make(of, theta, **taken)
    if isinstance(of, CustomRisk):
        if kind not in CUSTOM:
            raise UnsupportedError("the function space of a user's loss is not known.")
        return CUSTOM[kind](of, theta, **taken)
    if not callable(own := getattr(of, kind, None)):
        raise UnsupportedError("the function space of a module's gradients is not known.")
    made: Certificate = own(theta, **taken)
    return made
