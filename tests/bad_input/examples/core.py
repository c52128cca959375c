"""Good arguments from the oracle to the certificate."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import sparseaug as sa
from sparseaug import certificate, kernels, norms, plans, risk, sampling, spectrum, testing
from sparseaug.spectrum.spectrum import prior
from tests.bad_input.judge import Example, Fresh, key
from tests.bad_input.values import TrapError

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (5, 4))
Y = X.sum(axis=1)

G = sa.symmetric(4)
ACT = sa.permute_axis(G)
K = sa.GaussianKernel(1.0)
MODEL = sa.KernelModel(K, RNG.uniform(-1, 1, (6, 4)))
MIXTURE = sa.SpectralMixtureKernel([[1.0]], [[np.eye(4)]], [[np.ones(4)]])
S = sa.Oracle(G, seed=0).draw(8)
THETA = RNG.normal(0, 0.5, 12)
DATA = (X, Y)
RISK = sa.augmented_risk(MODEL, DATA, ACT, S)
FULL = sa.augmented_risk(MODEL, DATA, ACT, "full")
DIRECT = risk.DirectRisk(MODEL, DATA, ACT, S)
EVIDENCE = sa.certificate.Evidence(MODEL, DATA, ACT, S)
RUN = sa.descend(RISK, THETA, step_size=0.1, num_steps=3)
FOUND = sa.deviation(S)
ASKED = {"eps": 0.1, "delta": 0.05, "C": 1.0, "B": 2.0, "L": 4.0, "gap": 1.0}
PLAN = sa.plan(G, **ASKED)
MOMENTS = kernels.full_moments(K, ACT, X, Y, X)
PATH = "S.safetensors"  # in the folder of the test


def fields(data: Any) -> dict[str, Any]:
    return {each.name: getattr(data, each.name) for each in dataclasses.fields(data) if each.init}


def oracle() -> sa.Oracle:
    return sa.Oracle(G, seed=5)


def streaming() -> risk.StreamingRisk:
    return sa.risk.streaming_risk(MODEL, DATA, ACT, oracle())


# data are moved whatever they hold; a risk or a kernel refuses NaN
MOVED = (
    *("array of NaN", "complex array", "complex tensor", "array of text"),
    "tensor without memory",
)
ANY = ("everything",)


def of(function: Any, call: Callable[..., Any], **good: Any) -> Example:
    return Example(call, good, of=key(function))


def of_sampling() -> Iterator[Example]:
    yield Example(sa.Oracle, {"group": G, "seed": 0, "budget": 9, "source": None})
    yield of(
        sa.Oracle.draw,
        lambda m, **flags: oracle().draw(m, **flags),
        **{"m": 3, "identity": True, "distinct": False},
    )
    yield of(sa.Oracle.fresh, lambda m: oracle().fresh(m), m=3)
    yield Example(sa.GroupSample.full, {"group": G})
    yield Example(sa.GroupSample.generated, {"group": G, "generators": [[1, 0, 2, 3]]})
    yield Example(sa.GroupSample.from_dict, {"data": S.to_dict()})
    yield of(sa.Oracle.advance_to, lambda calls: oracle().advance_to(calls), calls=3)
    yield Example(sa.GroupSample, fields(S))
    yield Example(S.words, {"length": 2, "size": 3, "seed": 0})
    yield Example(S.save, {"path": PATH, "overwrite": True})
    yield Example(sa.GroupSample.load, {"path": PATH})
    yield Example(sampling.Origin, fields(S.origin), takes={"parents": ("list of text",)})
    yield Example(sampling.Origin.from_dict, {"data": fields(S.origin)})
    yield Example(
        sa.augment,
        {"action": ACT, "S": S, "x": X, "y": Y, "y_action": None},
        takes={"x": MOVED, "y": MOVED},
    )
    yield Example(sampling.keyed_rng, {"seed": 0, "purpose": "test", "step": 0, "index": 0})


def of_designs() -> Iterator[Example]:
    yield Example(sa.design, {"group": G, "m": 5, "degree": 1, "name": "search"})
    chosen = {"spectrum": prior(G), "objective": "prediction", "identity": True}
    yield Example(sa.design, {"group": G, "m": 5, **chosen})
    yield Example(sa.design, {"group": G, "degree": 1})
    yield Example(sa.design, {"group": sa.symmetric(20), "m": 5, "degree": 1})
    yield Example(sa.design, {"group": sa.abelian(4, 4), "m": 4, "name": "lattice"})
    yield Example(sa.records, {"group": G})
    yield Example(sa.thin, {"S": S, "m": 5, "degree": 1})
    yield Example(S.translate, {"oracle": Fresh(lambda: sa.Oracle(G, seed=7)), "side": "left"})


def of_norms() -> Iterator[Example]:
    every = {
        **{"S": S, "degree": None, "action": None, "shape": None},
        **{"progress": None, "options": sa.norms.NormOptions()},
    }
    yield Example(sa.deviation, every)
    yield Example(sa.deviation, {"S": S, "degree": 1})
    yield Example(sa.deviation, {"S": S, "action": ACT, "shape": (4,)}, also=("x",))
    yield Example(sa.profile, {"S": S, "degree": 2, "by": "degree", "progress": None})
    yield Example(sa.profile, {"S": S, "weights": [1.0] * (S.m - 1) + [2.0]})
    yield Example(sa.profile(S).plot, {"axes": None})
    yield Example(norms.best_method, {"group": G})
    yield Example(
        sa.draw_until,
        {
            **{"oracle": Fresh(oracle), "target": 0.9, "max_calls": 40, "growth": 0.5},
            **{"degree": None, "progress": None},
        },
    )
    rare = {"delta": 0.05, "device": None, "failure_probability": 1e-9, "n_jobs": 1}
    yield Example(
        lambda **options: sa.deviation(S, options=sa.norms.NormOptions(**options)),
        rare,
        of="norms.NormOptions",
    )


def among(call: Any, good: dict[str, Any], more: tuple[str, ...] = (), of: str = "") -> Example:
    """Points that do not fit each other may be named by either."""
    return Example(call, good, of=of, also=(*good, *more))


def of_kernels() -> Iterator[Example]:
    both = {"x": X, "z": X}
    yield among(sa.GaussianKernel, {"sigma": 1.0})
    yield among(K, both, of=key(sa.GaussianKernel.__call__))
    yield among(K.is_invariant, {"action": ACT, "shape": (4,)})
    yield among(K.group_mean, {"action": ACT, **both})
    yield among(K.product, {"z": X, "z2": X})
    yield among(
        sa.SpectralMixtureKernel,
        {"weights": [[1.0]], "bandwidths": [[np.eye(4)]], "frequencies": [[np.ones(4)]]},
    )
    yield among(MIXTURE, both, of=key(sa.SpectralMixtureKernel.__call__))
    yield among(MIXTURE.is_invariant, {"action": ACT, "shape": (4,)})
    yield among(MIXTURE.group_mean, {"action": ACT, **both})
    data = {"kernel": K, "action": ACT, "x": X, "y": Y, "centers": X}
    yield among(kernels.full_moments, data)
    yield among(kernels.sample_moments, {**data, "S": S, "block": 2})
    yield among(MOMENTS.risk, {"coefficients": Y})
    yield among(MOMENTS.gradient, {"coefficients": Y})
    of_centers = {"kernel": K, "centers": X, "y": Y}
    yield among(kernels.gradient_norms, {**of_centers, "a": Y, "b": Y})
    yield among(kernels.box_bound, {**of_centers, "box": 1.0})
    yield among(kernels.smoothness_bound, {**of_centers, "box": 1.0})
    yield among(kernels.smoothness_of_moments, {"moments": MOMENTS, "box": 1.0})
    yield among(kernels.initial_gap, {**of_centers, "a": Y, "b": Y})
    of_action = {"kernel": K, "action": ACT}
    yield among(kernels.kernel_discrepancy, {**of_action, "S": S, "x": X, "weights": Y})
    yield among(
        kernels.invariance_on, {**of_action, "rows": S.elements, "points": X}, ("elements", "shape")
    )


def of_risks() -> Iterator[Example]:
    problem = {"model": MODEL, "data": DATA, "action": ACT}
    yield Example(sa.KernelModel, fields(MODEL))
    yield Example(MODEL.features, {"x": X})
    yield Example(MODEL.coefficients, {"theta": THETA})
    yield Example(MODEL.predict, {"theta": THETA, "x": X})
    yield Example(MODEL.split, {"theta": THETA})
    for made in (RISK, DIRECT):
        yield Example(made.value, {"theta": THETA})
        yield Example(made.gradient, {"theta": THETA})
    yield of(risk.StreamingRisk.resume, lambda step: streaming().resume(step), step=2)
    yield Example(sa.augmented_risk, {**problem, "S": S})
    yield Example(sa.risk.streaming_risk, {**problem, "oracle": Fresh(oracle), "batch": 2})


class Impatient:
    """A risk that a billion steps are too many for."""

    calls, method = 0, "one-shot"

    def at_step(self, step: int) -> Any:
        if step > 1000:
            raise TrapError
        return RISK


def of_descent() -> Iterator[Example]:
    yield Example(
        sa.descend,
        {
            **{"risk": Impatient(), "theta0": THETA, "step_size": 0.1, "num_steps": 3},
            **{"method": "one-shot", "project": sa.descent.Box(3.0), "eval_every": 2},
            "checkpoint": None,
        },
        also=("path",),
    )
    yield Example(sa.descent.Box, {"width": 1.0})
    yield Example(
        sa.descent.Box(1.0), {"theta": THETA}, of=key(sa.descent.Box.__call__), takes={"theta": ANY}
    )
    yield Example(sa.descent.Checkpoint, {"path": PATH, "every": 2}, also=("checkpoint",))


def of_certificates() -> Iterator[Example]:
    yield Example(
        sa.certify,
        {
            **{"run": RUN, "evidence": EVIDENCE, "delta": 0.05, "oracle": Fresh(oracle)},
            **{"audit_calls": 10, "kinds": ("spectral", "audited")},
            **{"translates_of": S, "until": 1.0},
        },
        takes={"run": ("strided",)},  # a theta of 12 numbers
    )
    at = {"evidence": EVIDENCE, "theta": THETA}
    yield Example(
        sa.certificate.Evidence,
        {**fields(EVIDENCE), "deviation": FOUND, "full": FULL},
    )
    yield Example(sa.certificate.Evidence.of, {"risk": RISK, "deviation": FOUND})
    yield Example(certificate.a_priori, {**at, "delta": 0.05, "box": 9.0})
    yield Example(certificate.spectral, at)
    yield Example(certificate.words, {**at, "words": 3})
    yield Example(certificate.kernel, at)
    yield Example(certificate.exact, at)
    yield Example(
        certificate.audited,
        {
            **{**at, "oracle": Fresh(oracle), "calls": 10, "delta": 0.05},
            **{"translates_of": S, "until": 1.0},
        },
    )


def of_spectra() -> Iterator[Example]:
    found = sa.orbit_spectrum(lambda x: x[:, :1], ACT, X)
    asked = {"f": lambda x: x[:, :1], "action": ACT, "x": X, "oracle": None, "calls": 32}
    more = {"by": None, "chunk_size": 8, "progress": None, "output_action": None}
    yield Example(spectrum.orbit_spectrum, {**asked, **more}, takes={"x": MOVED})
    counts = {"S": ("a billion",)}
    yield Example(found.predict, {"S": S}, of=key(spectrum.Spectrum.predict), takes=counts)
    yield of(spectrum.Spectrum.plot, found.plot, axes=None)
    yield of(spectrum.Spectrum.from_dict, spectrum.Spectrum.from_dict, data=found.to_dict())
    given = {"spectrum": found, "error": 1.0, "max_m": 8, "oracle": oracle()}
    yield Example(sa.choose, {**given, "progress": None})


def of_planning() -> Iterator[Example]:
    left_out = dict.fromkeys(("sigma", "b", "n", "max_batch", "draw", "seed"), ("None",))
    yield Example(sa.plan, {"group": G, **ASKED, "sigma": 1.0, "b": 1, "n": 10}, takes=left_out)
    more = {"sigma": 1.0, "degree": 2, "max_batch": 100}
    yield Example(sa.plan, {"group": G, **ASKED, **more}, takes=left_out)
    yield Example(
        sa.plan,
        {"group": G, "deviation": 0.5, "degree": 2, "delta": 0.05, "draw": True, "seed": 0},
        also=("eps",),  # None for a deviation: the goal is missing
        takes=left_out,
    )
    yield Example(plans.degree_dimension_sum, {"group": G, "degree": 2})
    yield Example(PLAN.row, {"method": "full"})
    yield Example(
        plans.sampled_words,
        {"eps": 0.1, "delta": 0.05, "dimension_sum": 75, "C": 1.0, "B": 2.0},
    )


def of_checks() -> Iterator[Example]:
    small = sa.cyclic(3)
    yield Example(testing.check_group, {"group": small, "seed": 0, "batch": 8})
    yield Example(testing.check_action, {"action": ACT, "x": X, "seed": 0}, takes={"x": MOVED})
    yield Example(testing.check_oracle, {"make": lambda seed, budget: sa.Oracle(G, seed, budget)})
    yield Example(
        testing.check_uniform,
        {"group": small, "sample": small.sample, "seed": 0, "false_alarm": 1e-9},
    )


EXAMPLES = [
    *of_sampling(),
    *of_designs(),
    *of_norms(),
    *of_kernels(),
    *of_risks(),
    *of_descent(),
    *of_certificates(),
    *of_spectra(),
    *of_planning(),
    *of_checks(),
]
