"""Algorithm 1 with its corollary, in one call: from eps and delta to S, a run and certificates.

The constants of the kernel model hold on a box of parameters, so that is where the run must stay: it
is projected onto the box, and the promise is kept only where the projection changed nothing. m is the
least that some bound asks for, chosen before S is drawn; from |G| on, S is the group. Of any other
loss a pilot estimates what has to be known, and nothing is promised.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, final

import numpy as np

from sparseaug._checks import check_integer, check_real
from sparseaug._floats import UNIT, lifted, text_up
from sparseaug._tables import Shown, Table
from sparseaug.actions import Action
from sparseaug.certificate.before import BOTH_SPACES
from sparseaug.certificate.certificates import Certificates
from sparseaug.certificate.certify import certify
from sparseaug.descent import Box, Run, descend
from sparseaug.errors import ArgumentError, GroupTooLargeError, UnsupportedError
from sparseaug.groups import Group
from sparseaug.groups.orders import ENUMERATION_LIMIT
from sparseaug.kernels import (
    GaussianKernel,
    GradientNorms,
    box_bound,
    initial_gap,
    orbit_variances,
    smoothness_bound,
)
from sparseaug.kernels.arrays import Floats, check_vector
from sparseaug.plans import pilot
from sparseaug.plans.dimension import whole_dimension_sum
from sparseaug.plans.table import format_count
from sparseaug.risk import CustomRisk, KernelModel, augmented_risk
from sparseaug.risk.problem import KernelProblem, check_problem
from sparseaug.sampling import GroupSample, Oracle, keyed_rng
from sparseaug.theory import dimension_free_sample_size, num_steps, sample_size, sharp_sample_size

MOST_STEPS = 1_000_000
"""Of one run: some tens of seconds for a model of fifty centres."""


@final
@dataclass(frozen=True, eq=False)
class OneShot(Shown):
    """What was promised before S was drawn, and what was reached.

    Attributes:
        run: of `descend`
        certificates: of its best iterate
        eps: the gradient norm of the full objective that was asked for
        delta: how often the draw of S may break the promise; 0 where S is the group, None where a
            pilot estimated the constants
        bound: by which bound m was chosen
        constants: B, L and gap on the box, by name; of a loss sigma, L and gap at the start
    """

    run: Run
    certificates: Certificates
    eps: float
    delta: float | None
    bound: str
    constants: dict[str, float]

    @property
    def kept(self) -> bool:
        """Whether the run stayed in the box, as the promise presumes."""
        return self.run.clipped == 0

    @property
    def sample(self) -> GroupSample:
        """S."""
        S = self.run.risk.S
        return GroupSample.full(self.run.risk.action.group) if isinstance(S, str) else S

    def to_dict(self) -> dict[str, Any]:
        """What was promised and reached, as JSON data."""
        promised = {"eps": self.eps, "delta": self.delta, "bound": self.bound, "kept": self.kept}
        made = {"m": self.sample.m, "calls": self.run.calls, "steps": self.run.num_steps}
        return {**promised, **made, **self.constants, **self.certificates.to_dict()}

    def _table(self) -> Table:
        chance = "certain" if not self.delta else f"with probability 1 - {self.delta!r}"
        if self.delta is None:
            chance = "in root mean square, as a pilot estimates: no promise"
        reached = "not certified: give largest=, a bound on single gradients, for an audit"
        if self.certificates:
            best = self.certificates.best
            reached = f"at most {text_up(best.bound)} ({best.kind}, {best.holds})"
        rows = [
            ("promised", f"full gradient at most {text_up(self.eps)}, {chance}"),
            ("by", f"m = {self.sample.m:,}: {self.bound}; {self.run.num_steps:,} steps of 1/L"),
            ("oracle calls", f"{self.run.calls:,}"),
            ("reached", reached),
        ]
        left = f"{self.run.clipped} entries left the box: the promise is void; give a larger box."
        return Table(("", ""), rows, notes=[] if self.kept else [left])


_PAIRS = 1 << 13
"""Copies of the data under S up to which all kinds of certificates are made: seconds."""

_LISTED = 10_000
"""Elements of a group whose orbits are measured for m."""


class _Size(NamedTuple):
    m: int
    bound: str


def one_shot(
    model: KernelModel | KernelProblem | CustomRisk,
    data: Any = None,
    action: Any = None,
    *,
    eps: float,
    delta: float = 0.05,
    seed: int = 0,
    theta0: Any = None,
    box: float | None = None,
) -> OneShot:
    """Plan, draw S, descend with steps 1/L, certify: Algorithm 1 and cor:app-main-complexity.

    Args:
        model: the kernel model, whose constants are known; or a risk, whose data and action are taken,
            and an S of its own is drawn: that of a kernel model, or of a loss that is not negative
            (`custom_risk`), for which a pilot at theta0 estimates the constants
        data: (x, y): samples (n, ...) like the centres, and one target for each; none with a risk
        action: how the group moves a sample; none with a risk
        eps: norm of the full-group gradient to reach
        delta: how often the draw of S may fail to
        seed: of the draw, and of the start
        theta0: the start; of a kernel model by default normal, of standard deviation 1/2
        box: every parameter stays within [-box, box], or the promise is void; by default 1 more
            than twice the largest of the start. B and L grow with its third and second power. Of a
            kernel model only

    Returns:
        The run, its certificates, and the promise.

    Raises:
        ArgumentError: eps would take more than a million steps, or one of the others is wrong.

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> x = np.random.default_rng(0).uniform(-1, 1, (20, 6))
        >>> model = sa.KernelModel(sa.GaussianKernel(1.25), x[:5])
        >>> found = sa.one_shot(model, (x, x.sum(1)), sa.permute_axis(sa.symmetric(6)), eps=0.5)
        >>> found.sample.m, found.kept, found.certificates.best.bound < 0.5
        (720, True, True)
        >>> again = sa.one_shot(found.run.risk, eps=0.5)
        >>> bool((again.run.best == found.run.best).all())
        True
    """
    eps = check_real("eps", eps, above=0)
    delta = check_real("delta", delta, above=0, below=1)
    seed = check_integer("seed", seed, below=1 << 64)
    if isinstance(model, KernelProblem | CustomRisk):
        if data is not None or action is not None:
            raise ArgumentError("data and action are those of the risk; leave them out.")
        if isinstance(model, CustomRisk):
            if box is not None:
                raise ArgumentError(f"box={box!r} goes with a kernel model; leave it out.")
            return _by_pilot(model, eps, delta, seed, check_vector("theta0", theta0))
        data, action, model = model.data, model.action, model.model
    x, y = check_problem(model, data, action, None)
    if theta0 is None:
        theta0 = keyed_rng(seed, "start of one_shot").normal(scale=0.5, size=model.size)
    theta0 = check_vector("theta0", theta0, model.size)
    box = check_real("box", 1 + 2 * float(abs(theta0).max()) if box is None else box, above=0)
    if abs(theta0).max() > box:
        raise ArgumentError(f"theta0 has an entry outside box={box:g}; give a larger box.")
    norms = box_bound(model.kernel, model.centers, y, box=box)
    gap = initial_gap(model.kernel, model.centers, y, *model.split(theta0))
    L = smoothness_bound(model.kernel, model.centers, y, box=box)
    steps = _steps(eps, L, gap)
    size = _size(action.group, norms, _lengths(model.kernel, action, x), eps, delta)
    S = _sample(action.group, size.m, seed)
    risk, inside = augmented_risk(model, (x, y), action, S), Box(box)
    run = descend(risk, theta0, step_size=1 / L, num_steps=steps, project=inside, eval_every=steps)
    made, constants = _certified(run, delta), {"B": norms.B, "L": L, "gap": gap, "box": box}
    if S == "full":
        return OneShot(run, made, eps, 0.0, "all of the group", constants)
    return OneShot(run, made, eps, delta, size.bound, constants)


def _sample(group: Group, m: int, seed: int, *, most: float = math.inf) -> Any:
    """m draws, or all of a group that has no more, nor more than `most`."""
    whole = group.is_finite and group.order <= min(m, most)
    return "full" if whole else Oracle(group, seed=seed).draw(m)


def _certified(run: Run, delta: float) -> Certificates:
    """All kinds; of a large S those whose work does not grow with the square of it."""
    S = run.risk.S
    if not isinstance(S, str) and len(run.risk.y) * S.m > _PAIRS:
        for kinds in (["a-priori", "exact"], ["a-priori"]):
            with suppress(UnsupportedError, GroupTooLargeError):
                return certify(run, delta=delta, kinds=kinds)
    return certify(run, delta=delta)


def _by_pilot(given: CustomRisk, eps: float, delta: float, seed: int, theta0: Floats) -> OneShot:
    """The same with estimates in place of constants: twice the curvature at the start, its spread."""
    group, parts = given.action.group, (given.function, given.data, given.action)
    seeds = keyed_rng(seed, "oracles of one_shot").integers(1 << 62, size=2)
    looked, audit = (Oracle(group, int(each)) for each in seeds)
    found = pilot(CustomRisk(*parts, None), theta0, looked)
    L = 2 * max(found.L, float(np.finfo(float).tiny))
    steps = _steps(eps, L, max(0.0, found.value))
    m = found.plan(eps, delta=delta).row("draws").m or 1
    risk = CustomRisk(*parts, _sample(group, m, seed, most=ENUMERATION_LIMIT), given.largest)
    run = descend(risk, theta0, step_size=1 / L, num_steps=steps, eval_every=steps)
    made = certify(run, delta=delta, oracle=None if given.largest is None else audit)
    constants = {"sigma": found.sigma, "L": L, "gap": found.value, "pilot calls": found.calls}
    return OneShot(run, made, eps, None, "a pilot at the start", constants)


def _steps(eps: float, L: float, gap: float) -> int:
    steps = num_steps(eps, L=L, gap=gap)
    if steps > MOST_STEPS:
        given = f"eps={eps!r} takes {format_count(steps)} steps of 1/L"
        raise ArgumentError(f"{given}; raise eps, or lower theta0 and box.")
    return steps


def _lengths(kernel: GaussianKernel, action: Action, x: Any) -> Floats:
    """v_i in both spaces together: at most 2, and less where the group is soon enumerated."""
    group = action.group
    answer = kernel.is_invariant(action, x.shape[1:])
    if not answer or answer.condition or not group.is_finite or group.order > _LISTED:
        return np.full(len(x), 2.0)
    narrow = GaussianKernel(kernel.sigma / math.sqrt(2))
    return orbit_variances(kernel, action, x) + orbit_variances(narrow, action, x) + 16 * UNIT


def _size(group: Group, norms: GradientNorms, v: Floats, eps: float, delta: float) -> _Size:
    """The least m by what is known before the draw."""
    n, free = len(norms.per_sample), partial(dimension_free_sample_size, eps, delta, C=BOTH_SPACES)
    sizes = [
        _Size(free(B=norms.B_2, v=lifted(float(v.mean()), n)), "one kernel"),
        _Size(free(B=norms.B, n=n, v=float(v.max())), "one kernel, mean norm"),
    ]
    if group.is_finite:
        paper = sample_size(eps, delta, order=group.order, C=1.0, B=norms.B)
        sizes.append(_Size(paper, "the paper's"))
        with suppress(UnsupportedError, GroupTooLargeError):
            D = whole_dimension_sum(group).value
            sharp = sharp_sample_size(eps, delta, dimension_sum=D, C=1.0, B=norms.B)
            sizes.append(_Size(sharp, "sharp"))
    return min(sizes)
