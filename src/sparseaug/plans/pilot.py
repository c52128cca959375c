"""A pilot: how the gradient of a risk varies over the group, and what an accuracy takes by that.

v(g) is the gradient of the risk of the data moved by g, a vector. Its mean over S is the gradient of
R_n^S, over the group that of R_n^G; so what averaging v over S leaves is the discrepancy of the paper,
||grad R_n^S - grad R_n^G||, and the spectrum of v predicts it for every S. No RKHS, no C, no B.

The plan: m draws leave sigma^2 / m of the squared gradient in expectation, and a translate k S h of a
design what the spectrum predicts. Half of eps is for that, and the steps are those of the paper for the
other half, with the measured L and gap.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_integer, check_real, require_work
from sparseaug._tables import Shown, Table
from sparseaug.actions.arrays import as_numpy
from sparseaug.designs.sizes import distinct_draws, draws_for, smallest_within
from sparseaug.errors import ArgumentError, shorten, shorten_text
from sparseaug.plans.curvature import largest_curvature
from sparseaug.plans.table import PROMISE, Plan, PlanRow, format_count, format_real, notes_of
from sparseaug.sampling import GroupSample, Oracle
from sparseaug.sampling.oracle import require_oracle
from sparseaug.spectrum.measure import measure, usual_calls
from sparseaug.spectrum.models import MOST_CALLS
from sparseaug.spectrum.spectrum import Prediction, Spectrum
from sparseaug.theory import full_gd_steps, num_steps, sample_size, sgd_plan


@final
@dataclass(frozen=True, eq=False, repr=False)
class Pilot(Shown):
    """The gradient of a risk over the group at one theta, an estimate; made by `pilot`.

    Attributes:
        spectrum: of the gradient: its variance over the group by degree
        value: the risk at theta, averaged over the elements that were looked at
        gradient_norm: of the full-group gradient at theta
        L: largest curvature at theta, of the risk averaged over the elements that were looked at, that a
            few steps of Lanczos see: rarely below 0.8 times the largest there is
        samples: of the data
        parameters: length of theta
    """

    spectrum: Spectrum
    value: float
    gradient_norm: float
    L: float
    samples: int
    parameters: int

    @property
    def sigma(self) -> float:
        """Standard deviation of the gradient over the group: what one draw misses, in mean square."""
        return math.sqrt(self.spectrum.variance)

    @property
    def calls(self) -> int:
        """Elements freshly drawn for it."""
        return self.spectrum.calls

    def predict(self, S: GroupSample | int | Literal["full"]) -> Prediction:
        """The expected ||grad R^S - grad R^G||^2 at this theta; `.rms` is its root.

        In expectation over uniform k and h, for k S h; over the draws, where S is a number.

        Args:
            S: a sample of the group, drawn or designed; "full"; or a number m of independent draws
        """
        return self.spectrum.predict(S)

    def plan(self, eps: float, *, delta: float = 0.05) -> Plan:
        """What a full-group gradient norm of eps takes by these estimates, next to the paper's bound.

        As in the paper, half of eps is for the discrepancy of S and half for the descent on it.

        Args:
            eps: wanted norm of the full-group gradient
            delta: how often the paper's bound may fail
        """
        eps = check_real("eps", eps, above=_SMALLEST)
        delta = check_real("delta", delta, above=0, below=1)
        group, half, gap = self.spectrum.group, eps / 2, max(0.0, self.value)
        L, sigma = max(self.L, 1e-300), self.sigma
        steps, stream = num_steps(eps, L=L, gap=gap), sgd_plan(eps, L=L, gap=gap, sigma=sigma, b=1)
        draws = draws_for(self.spectrum.variance, half)

        def row(method: str, m: int | None, calls: int | None, **more: Any) -> PlanRow:
            work = None if m is None else m * self.samples
            usual: dict[str, Any] = {"guarantee": "estimate", "steps": steps, "copies": work}
            return PlanRow(method, m, calls, **usual | more)

        less = distinct_draws(draws, group)
        note = f"{format_count(less)} are enough if none is drawn twice" if less < draws else ""
        root = math.sqrt(draws) if draws < 1 << 62 else float(math.isqrt(draws))
        rows = [row("draws", draws, draws, discrepancy=sigma / root, note=note)]
        found = smallest_within(self.spectrum, half, draws)
        if found is None or found.kind == "full":  # which has a row of its own
            note = "none with fewer elements than draws is known to be good enough"
            rows.append(row("design", None, None, note=note))
        else:
            m, left = found.sample.m, found.prediction.rms_upper
            note = f"{found.name}: design(group, m={m}, spectrum=pilot.spectrum)"
            rows.append(row("design", m, 2, discrepancy=left, note=note))
        order = group.order if group.is_finite else None
        if order is not None:
            every = full_gd_steps(eps, L=L, gap=gap)
            rows.append(row("full", order, 0, discrepancy=0.0, steps=every))
        note = "one fresh element per step"
        stepping = {"discrepancy": sigma, "steps": stream.num_steps}
        rows.append(row("streaming", 1, stream.calls, **stepping, note=note))
        if order is not None:
            paper = sample_size(eps, delta, order=order, C=1.0, B=max(sigma, 1e-300))
            note = f"with probability 1 - {format_real(delta)} if C B were sigma; it is never less"
            rows.append(row("paper's bound", paper, paper, guarantee=PROMISE, note=note))
        best = min((one for one in rows if one.work is not None), key=lambda one: one.work or 0)
        return Plan(
            facts={"group": group.name, "eps": eps, "delta": delta, "kind": "estimate"},
            rows=tuple(rows),
            best=best,
            verdict=f"least work: {best.method}, m = {format_count(best.m or 0)}",
            title=f"{shorten_text(group.name, 30)}, eps = {format_real(eps)}: from a pilot",
            notes=(*notes_of(rows), _ESTIMATES),
            columns=("method", "m", "steps", "calls", "work", "discrepancy"),
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON data; `Spectrum.from_dict` understands its spectrum."""
        return {
            "kind": "estimate",
            "spectrum": self.spectrum.to_dict(),
            "sigma": self.sigma,
            **{name: value for name, value in vars(self).items() if name != "spectrum"},
        }

    def _table(self) -> Table:
        table = self.spectrum._table()
        what = f"gradient of {self.parameters} parameters over {self.samples} samples, an estimate"
        note = (
            f"sigma {self.sigma:.4g}; at theta: risk {self.value:.4g}, norm of the full gradient "
            f"{self.gradient_norm:.4g}, curvature {self.L:.4g}"
        )
        title = f"{what}\n{table.title.replace(', 1 input', '')}"
        return replace(table, title=title, notes=[*table.notes, note])

    def __repr__(self) -> str:
        return f"Pilot({self.spectrum.group.name}, sigma={self.sigma:.4g}, calls={self.calls})"


_SMALLEST = 1e-150  # whose square is a float
_ESTIMATES = (
    "estimates at one theta, in root mean square over draws and translates; confirm what is reached by "
    "an audit"
)


LISTED = 1024
"""Order up to which a group is enumerated where no number of calls is given."""

CALLS = 64
"""Elements drawn from a larger group where no number is given."""

_BLOCK = 1 << 22  # entries of gradients that are transformed at a time


def pilot(risk: Any, theta: Any, oracle: Oracle, *, calls: int | None = None) -> Pilot:
    """How the gradient of a risk varies over the group, from gradients at some of its elements.

    It is an estimate at one theta: for planning before a run; `certify` or `audit` prove what was
    reached at its end.

    Args:
        risk: a kernel risk (`augmented_risk`, `streaming_risk`) or a `ModuleRisk`, over any S: the pilot
            takes its data, model and action
        theta: the parameters: the start of a run, or better some steps into it
        oracle: draws the elements; not the one behind S
        calls: elements whose gradients are computed, five times: once for the spectrum and four times
            for the curvature. A group with no more elements is enumerated: no call is made and the
            spectrum is exact. By default groups of up to 1,024 elements are enumerated, and of others
            64 elements drawn, or two for each degree

    Returns:
        A `Pilot`: `.spectrum`, `.sigma`, `.predict(S)`, `.plan(eps)`.

    Raises:
        ArgumentError: a gradient is not finite, or calls are too few to separate the degrees.
        UnsupportedError: the group has no degrees.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> x = np.random.default_rng(0).uniform(-1, 1, (8, 4))
        >>> model = sa.KernelModel(sa.GaussianKernel(1.0), x)
        >>> act = sa.permute_axis(sa.symmetric(4))
        >>> risk = sa.augmented_risk(model, (x, x.sum(1)), act, None)
        >>> found = sa.pilot(risk, np.ones(16), sa.Oracle(act.group, seed=7))
        >>> S = sa.design(act.group, degree=2)
        >>> found.calls, round(found.predict(S).rms, 4), round(found.predict(12).rms, 4)
        (0, 0.0002, 0.1995)
    """
    gradients = getattr(risk, "_element_gradients", None)
    if not callable(gradients):
        raise ArgumentError(f"risk={shorten(risk)} has no gradients; give an augmented_risk.")
    group = risk.action.group
    require_oracle(oracle, group)
    theta = risk._checked_theta(theta)
    if calls is None:
        few = group.log_order <= math.log(LISTED) + 1e-9
        count = group.order if few else usual_calls(group, None, CALLS)
    else:
        count = check_integer("calls", calls, at_least=1, below=MOST_CALLS)
    size = len(theta)
    what = f"calls={count} gradients of {size} parameters"
    require_work("pilot numbers", count * size, what, remedy="lower calls")
    measurement = measure(group, oracle=oracle, calls=count)
    parts = zip(*gradients(theta, measurement.rows), strict=True)
    values, vectors = (np.concatenate(blocks) for blocks in parts)
    if not (np.isfinite(vectors).all() and np.isfinite(values).all()):
        raise ArgumentError("theta has a gradient that is not finite for some transformation.")
    spectrum = measurement.spectrum(_columns(vectors))
    eps = float(np.finfo(vectors.dtype).eps)

    def gradient(move: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of the mean over all elements: that of one may be flat where the others are steep."""
        moved = theta + (theta.new_tensor(move) if hasattr(theta, "new_tensor") else move)
        parts = gradients(moved, measurement.rows)
        return np.asarray(sum(v.sum(axis=0, dtype=np.float64) for _, v in parts) / len(vectors))

    base = vectors.mean(axis=0, dtype=np.float64)
    mean = float(np.linalg.norm(base) ** 2)
    short = 0.0 if measurement.exact else spectrum.variance / len(vectors)
    return Pilot(
        spectrum=spectrum,
        value=float(values.mean(dtype=np.float64)),
        gradient_norm=math.sqrt(max(0.0, mean - short)),
        L=largest_curvature(gradient, base, size=float(np.linalg.norm(as_numpy(theta))), eps=eps),
        samples=len(risk.data[1]),
        parameters=size,
    )


def _columns(vectors: NDArray[Any]) -> Iterator[NDArray[Any]]:
    step = max(1, _BLOCK // len(vectors))
    return (vectors[:, i : i + step] for i in range(0, vectors.shape[1], step))
