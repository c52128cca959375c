"""All kinds of certificates at one iterate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np

from sparseaug.actions import Action
from sparseaug.certificate.audit import audited
from sparseaug.certificate.evidence import Evidence
from sparseaug.certificate.exact import exact, require_sound
from sparseaug.certificate.result import Certificate, Certificates
from sparseaug.certificate.sparse import a_priori, kernel, spectral
from sparseaug.descent import Run
from sparseaug.errors import (
    ArgumentError,
    GroupTooLargeError,
    UnsupportedError,
    check_integer,
    check_real,
    shorten,
)
from sparseaug.kernels.arrays import check_vector
from sparseaug.risk import KernelModel
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.spectral import Deviation

KINDS = ("a-priori", "spectral", "kernel", "exact", "audited")

Maker: TypeAlias = Callable[[], Certificate]


@runtime_checkable
class Auditable(Protocol):
    """A risk that knows no function space, such as that of a neural network, but can be audited."""

    @property
    def calls(self) -> int:
        """Oracle calls made so far."""

    def audited(
        self, theta: Any, *, oracle: Oracle, audit_calls: int, delta: float, largest: float | None
    ) -> Certificate:
        """The audited certificate at theta."""


def certify(
    run: Run | Any,
    evidence: Evidence | Auditable | None = None,
    *,
    model: KernelModel | None = None,
    data: tuple[Any, Any] | None = None,
    action: Action | None = None,
    S: GroupSample | Literal["full", "streaming"] | None = None,
    deviation: Deviation | None = None,
    delta: float = 0.05,
    box: float | None = None,
    oracle: Oracle | None = None,
    audit_calls: int = 1000,
    largest: float | None = None,
    kinds: Sequence[str] | None = None,
) -> Certificates:
    """Bounds of the full-group gradient norm at the best iterate of a run, or at any theta.

    Args:
        evidence: what is known of the problem, to share between many iterates, or a risk that can
            be audited, such as `sparseaug.nn.ModuleRisk`; or else
        model: the problem, as `Evidence` takes it
        data: see `model`.
        action: see `model`.
        S: see `model`.
        deviation: see `model`.
        delta: chance of failing of "a-priori" and of "audited", each
        box: bound of all entries of theta, for the B of "a-priori"; without it B is that of theta
        oracle: source of `audit_calls` fresh elements for "audited", independent of theta
        largest: for a risk: a limit on the gradient norm of any single transformation
        kinds: which ones; without it all that the problem allows, and `.omitted` says why not more

    The truth is filled in where "exact" is among the kinds or the evidence has the full risk. Then
    every certain bound is compared with it, and a `SoundnessError` tells of one that is below.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> x = np.random.default_rng(0).uniform(-1, 1, (8, 4))
        >>> model = sa.KernelModel(sa.GaussianKernel(1.0), x[:4])
        >>> act = sa.permute_axis(sa.symmetric(4))
        >>> S = sa.Oracle(act.group).draw(8)
        >>> risk = sa.augmented_risk(model, (x, x.sum(1)), act, S)
        >>> run = sa.descend(risk, np.ones(8), step_size=0.05, num_steps=100)
        >>> found = certify(run, model=model, data=(x, x.sum(1)), action=act, S=S)
        >>> list(found), found.best.kind, found["spectral"].holds
        (['a-priori', 'spectral', 'kernel', 'exact'], 'exact', 'certain')
        >>> all(one.bound >= one.truth for one in found.values())
        True
    """
    wanted = _check_kinds(kinds)
    delta = check_real("delta", delta, above=0, below=1)
    audit_calls = check_integer("audit_calls", audit_calls, at_least=2)
    box = None if box is None else check_real("box", box, above=0)
    if oracle is not None and not isinstance(oracle, Oracle):
        raise ArgumentError(f"oracle={shorten(oracle)} is not an Oracle.")
    audit = {"oracle": oracle, "audit_calls": audit_calls, "delta": delta}
    if isinstance(evidence, Auditable):
        if any(part is not None for part in (model, data, action, S, deviation, box)):
            raise ArgumentError("evidence is a risk, which holds the problem; give it alone.")
        theta = run.best if isinstance(run, Run) else run
        makers = _of_risk(evidence, theta, largest=largest, **audit)
        found, omitted = _make(makers, wanted, strict=kinds is not None)
        return Certificates(_charged(found, run, evidence.calls), omitted)
    if largest is not None:
        raise ArgumentError("largest is known for a kernel model; give it with a risk only.")
    if evidence is None:
        if model is None or data is None or action is None:
            raise ArgumentError("model, data and action are missing; give them, or evidence=.")
        evidence = Evidence(model, data, action, S, deviation)
    elif not isinstance(evidence, Evidence):
        raise ArgumentError(
            f"evidence={shorten(evidence)} is neither an Evidence nor a risk that can be audited."
        )
    elif any(part is not None for part in (model, data, action, S, deviation)):
        raise ArgumentError("evidence holds model, data, action, S and deviation; give it alone.")
    theta = run.best if isinstance(run, Run) else run
    theta = check_vector("run, a theta,", theta, evidence.model.size)
    makers = {
        "a-priori": lambda: a_priori(evidence, theta, delta=delta, box=box),
        "spectral": lambda: spectral(evidence, theta),
        "kernel": lambda: kernel(evidence, theta),
        "exact": lambda: exact(evidence, theta),
        "audited": _with_oracle(audited, evidence, theta, **audit),
    }
    found, omitted = _make(makers, wanted, strict=kinds is not None)
    truth = None
    if "exact" in found or evidence.full is not None:
        known = exact(evidence, theta)
        require_sound(found.values(), known, evidence)
        truth = known.truth
    return Certificates(_charged(found, run, evidence.calls, truth), omitted)


def _of_risk(risk: Auditable, theta: Any, **audit: Any) -> dict[str, Maker]:
    """A risk that is a black box can be audited; the other kinds say why not."""

    def unknown() -> Certificate:
        raise UnsupportedError("the function space of a module's gradients is not known.")

    return {
        **dict.fromkeys(KINDS, unknown),
        "audited": _with_oracle(type(risk).audited, risk, theta, **audit),
    }


def _with_oracle(maker: Callable[..., Certificate], of: Any, theta: Any, **audit: Any) -> Maker:
    def make() -> Certificate:
        if audit["oracle"] is None:
            raise UnsupportedError("an audit draws fresh elements; give oracle=.")
        return maker(of, theta, **audit)

    return make


def _make(
    makers: dict[str, Maker], wanted: Sequence[str], *, strict: bool
) -> tuple[dict[str, Certificate], dict[str, str]]:
    """The certificates that can be made, and why not the others; if strict, all of them or none."""
    found, omitted = {}, {}
    for kind in wanted:
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # a bound that overflows is refused
                found[kind] = makers[kind]()
        except (UnsupportedError, GroupTooLargeError) as error:
            if strict:
                raise
            omitted[kind] = str(error)
    return found, omitted


def _charged(
    found: dict[str, Certificate], run: Any, calls: int, truth: float | None = None
) -> dict[str, Certificate]:
    """With the truth, and with what a run has cost beyond `calls`."""
    spent = run.calls - calls if isinstance(run, Run) else 0
    return {kind: replace(one, truth=truth, calls=one.calls + spent) for kind, one in found.items()}


def _check_kinds(kinds: Any) -> tuple[str, ...]:
    if kinds is None:
        return KINDS
    if isinstance(kinds, str) or not isinstance(kinds, Sequence) or not len(kinds):
        raise ArgumentError(f"kinds={shorten(kinds)} is not a list; give some of {KINDS}.")
    for kind in kinds:
        if not isinstance(kind, str) or kind not in KINDS:
            raise ArgumentError(f"kinds holds {shorten(kind)}; give some of {KINDS}.")
    return tuple(dict.fromkeys(kinds))
