"""Bad values for every parameter: a typed error that names the parameter, or an answer.

One line per callable: the callable and arguments that are good. Each parameter in turn gets each bad
value. What comes back is either an answer, where the value happens to be allowed, or one of the
library's own errors whose message names the parameter; never another exception, a warning or a hang.
Two arguments that do not fit each other may be named by either, and what a user's function raises is
passed on.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import sparseaug as sa
from sparseaug.certificate import (
    Certificate,
    Certificates,
    Evidence,
    a_priori,
    audited,
    certify,
    exact,
    kernel,
    spectral,
)
from sparseaug.descent import Run, Trace
from sparseaug.errors import LawError, SparseAugError
from sparseaug.planning import (
    MethodPlan,
    Plan,
    Problem,
    SampledWords,
    dimension_sum,
    dimension_sum_is_exact,
    plan,
    sampled_words,
)
from sparseaug.risk import DirectRisk, MomentRisk, StreamingRisk, direct_risk
from sparseaug.sampling import Origin, keyed_rng
from sparseaug.testing import check_action, check_group, check_oracle, check_uniform


class Odd:
    """An object that is nothing in particular, and prints badly."""

    def __repr__(self) -> str:
        raise RuntimeError("no text")


def read_only() -> np.ndarray:
    array = np.linspace(-1, 1, 6)
    array.flags.writeable = False
    return array


BAD: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "NaN": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "-1": lambda: -1,
    "0": lambda: 0,
    "a billion": lambda: 10**9,
    "2^64": lambda: 1 << 64,
    "10^400": lambda: 10**400,
    "10^5000": lambda: 10**5000,
    "a half": lambda: 0.5,
    "-0.5": lambda: -0.5,
    "largest": lambda: 1e308,
    "smallest": lambda: 5e-324,
    "True": lambda: True,
    "empty text": lambda: "",
    "text": lambda: "text",
    "text of a number": lambda: "3",
    "NUL": lambda: "a\0b",
    "surrogate": lambda: "\udc80",
    "bytes": lambda: b"x",
    "complex": lambda: 1j,
    "empty list": lambda: [],
    "list": lambda: [1],
    "ragged": lambda: [[1], [2, 3]],
    "list of None": lambda: [None, None],
    "empty tuple": lambda: (),
    "pair": lambda: (1, 2),
    "pair of arrays": lambda: (np.ones((2, 2)), np.ones(3)),
    "dict": lambda: {"a": 1},
    "empty dict": dict,
    "set": lambda: {1},
    "object": Odd,
    "class": lambda: int,
    "function": lambda: len,
    "lambda": lambda: lambda *args, **options: None,
    "generator": lambda: (i for i in range(3)),
    "range": lambda: range(3),
    "empty array": lambda: np.array([]),
    "array without axes": lambda: np.array(3),
    "array of NaN": lambda: np.full((5, 4), np.nan),
    "array of inf": lambda: np.full(12, np.inf),
    "complex array": lambda: np.ones((5, 4), complex),
    "array of bool": lambda: np.ones((5, 4), bool),
    "array of text": lambda: np.array(["a", "b"]),
    "array of objects": lambda: np.array([None, Odd()], object),
    "unsigned": lambda: np.ones((5, 4), np.uint64),
    "three axes": lambda: np.zeros((2, 3, 4)),
    "read-only": read_only,
    "strided": lambda: np.linspace(-1, 1, 24)[::2],
    "NumPy's NaN": lambda: np.float32("nan"),
    "NumPy's -5": lambda: np.int64(-5),
    "NumPy's True": lambda: np.bool_(True),
    "date": lambda: np.datetime64("2020-01-01"),
    "tensor of NaN": lambda: torch.full((12,), torch.nan),
    "complex tensor": lambda: torch.ones(12, dtype=torch.complex64),
    "group": lambda: sa.cyclic(5),
    "sample": lambda: sa.GroupSample(sa.cyclic(5), [[1]]),
    "action": lambda: sa.permute_axis(sa.cyclic(5)),
}

FINE = ("group", "sample", "action")  # which do not fit the other arguments
FUNCTIONS = ("source", "step_size", "project", "evaluate", "progress", "make", "sample")

RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (5, 4))
Y = X.sum(axis=1)
G = sa.symmetric(4)
ACT = sa.permute_axis(G)
MODEL = sa.KernelModel(sa.GaussianKernel(1.0), RNG.uniform(-1, 1, (6, 4)))
S = sa.Oracle(G, seed=0).draw(8)
THETA = RNG.normal(0, 0.5, 12)
DATA = (X, Y)
RISK = sa.augmented_risk(MODEL, DATA, ACT, S)
FULL = sa.augmented_risk(MODEL, DATA, ACT, "full")
DIRECT = direct_risk(MODEL, DATA, ACT, S)
EVIDENCE = Evidence(MODEL, DATA, ACT, S)
RUN = sa.descend(RISK, THETA, step_size=0.1, num_steps=3)
FOUND = sa.deviation(S)
ASKED = {"eps": 0.1, "delta": 0.05, "C": 1.0, "B": 2.0, "L": 4.0, "gap": 1.0}
PLAN = plan(G, **ASKED)
ROW, PROBLEM = PLAN.rows[2], PLAN.problem
PATH = "S.safetensors"


def fields(data: Any) -> dict[str, Any]:
    return {each.name: getattr(data, each.name) for each in dataclasses.fields(data)}


def oracle(**options: Any) -> sa.Oracle:
    return sa.Oracle(G, seed=5, **options)


def draw(m: Any) -> Any:
    return oracle().draw(m)


def advance_to(calls: Any) -> Any:
    return oracle().advance_to(calls)


def resume(step: Any) -> Any:
    return sa.streaming_risk(MODEL, DATA, ACT, oracle()).resume(step)


def an_oracle(seed: int, budget: int | None) -> sa.Oracle:
    return sa.Oracle(G, seed, budget)


CALLS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "Oracle": (sa.Oracle, {"group": G, "seed": 0, "budget": 9, "source": None}),
    "Oracle.draw": (draw, {"m": 3}),
    "design": (sa.design, {"group": G, "m": 5, "degree": 1, "name": "search"}),
    "design by m": (sa.design, {"group": G, "m": 5}),
    "design by degree": (sa.design, {"group": G, "degree": 1}),
    "design of a large group": (sa.design, {"group": sa.symmetric(20), "m": 5, "degree": 1}),
    "design of a lattice": (sa.design, {"group": sa.abelian(4, 4), "m": 4, "name": "lattice"}),
    "designs": (sa.designs, {"group": G}),
    "thin": (sa.thin, {"S": S, "m": 5, "degree": 1}),
    "GroupSample.translate": (S.translate, {"oracle": sa.Oracle(G, seed=7), "side": "left"}),
    "Oracle.advance_to": (advance_to, {"calls": 3}),
    "GroupSample": (sa.GroupSample, fields(S)),
    "GroupSample.concat": (S.concat, {"other": S}),
    "GroupSample.words": (S.words, {"length": 2, "size": 3, "seed": 0}),
    "GroupSample.save": (S.save, {"path": PATH, "overwrite": True}),
    "GroupSample.load": (sa.GroupSample.load, {"path": PATH}),
    "Origin": (Origin, fields(S.origin)),
    "Origin.from_dict": (Origin.from_dict, {"data": fields(S.origin)}),
    "augment": (sa.augment, {"action": ACT, "S": S, "x": X, "y": Y, "y_action": None}),
    "keyed_rng": (keyed_rng, {"seed": 0, "purpose": "test", "step": 0, "index": 0}),
    "KernelModel": (sa.KernelModel, fields(MODEL)),
    "KernelModel.features": (MODEL.features, {"x": X}),
    "KernelModel.coefficients": (MODEL.coefficients, {"theta": THETA}),
    "KernelModel.predict": (MODEL.predict, {"theta": THETA, "x": X}),
    "KernelModel.split": (MODEL.split, {"theta": THETA}),
    "KernelModel.chain": (MODEL.chain, {"theta": THETA, "by_coefficients": np.ones(6)}),
    "MomentRisk": (MomentRisk, fields(RISK)),
    "MomentRisk.value": (RISK.value, {"theta": THETA}),
    "MomentRisk.gradient": (RISK.gradient, {"theta": THETA}),
    "DirectRisk": (DirectRisk, fields(DIRECT)),
    "DirectRisk.value": (DIRECT.value, {"theta": THETA}),
    "DirectRisk.gradient": (DIRECT.gradient, {"theta": THETA}),
    "StreamingRisk": (
        StreamingRisk,
        {"model": MODEL, "data": DATA, "action": ACT, "oracle": oracle(), "batch": 1, "first": 0},
    ),
    "StreamingRisk.resume": (resume, {"step": 2}),
    "augmented_risk": (sa.augmented_risk, {"model": MODEL, "data": DATA, "action": ACT, "S": S}),
    "direct_risk": (direct_risk, {"model": MODEL, "data": DATA, "action": ACT, "S": S}),
    "streaming_risk": (
        sa.streaming_risk,
        {"model": MODEL, "data": DATA, "action": ACT, "oracle": oracle(), "batch": 2},
    ),
    "descend": (
        sa.descend,
        {
            "risk": RISK,
            "theta0": THETA,
            "step_size": 0.1,
            "num_steps": 3,
            "method": "one-shot",
            "project": sa.box(3.0),
            "evaluate": None,
            "eval_every": 2,
            "eps": 0.1,
            "checkpoint": None,
            "checkpoint_every": 2,
            "progress": None,
        },
    ),
    "box": (sa.box, {"width": 1.0}),
    "Run": (Run, fields(RUN)),
    "Trace": (Trace, {"columns": RUN.trace.columns}),
    "certify": (
        certify,
        {
            "run": RUN,
            "evidence": EVIDENCE,
            "delta": 0.05,
            "box": 9.0,
            "oracle": oracle(),
            "audit_calls": 10,
            "largest": None,
            "kinds": ("spectral", "audited"),
        },
    ),
    "Evidence.of": (Evidence.of, {"risk": RISK, "deviation": FOUND}),
    "Evidence": (Evidence, {**fields(EVIDENCE), "deviation": FOUND, "sparse": RISK, "full": FULL}),
    "a_priori": (a_priori, {"evidence": EVIDENCE, "theta": THETA, "delta": 0.05, "box": 9.0}),
    "spectral": (spectral, {"evidence": EVIDENCE, "theta": THETA}),
    "kernel": (kernel, {"evidence": EVIDENCE, "theta": THETA}),
    "exact": (exact, {"evidence": EVIDENCE, "theta": THETA}),
    "audited": (
        audited,
        {
            "evidence": EVIDENCE,
            "theta": THETA,
            "oracle": oracle(),
            "audit_calls": 10,
            "delta": 0.05,
        },
    ),
    "Certificate": (Certificate, fields(exact(EVIDENCE, THETA))),
    "Certificates": (Certificates, {"by_kind": {"exact": exact(EVIDENCE, THETA)}, "omitted": {}}),
    "plan": (plan, {"group": G, **ASKED, "sigma": 1.0, "b": 1, "n": 10}),
    "Plan": (Plan, fields(PLAN)),
    "Plan.row": (PLAN.row, {"method": "full"}),
    "Plan.at": (PLAN.at, {"eps": 0.2}),
    "Problem": (Problem, fields(PROBLEM)),
    "MethodPlan": (MethodPlan, fields(ROW)),
    "SampledWords": (SampledWords, {"m": 3, "deviation": 0.5, "length": 2, "size": 9}),
    "sampled_words": (
        sampled_words,
        {"eps": 0.1, "delta": 0.05, "dimension_sum": 75, "C": 1.0, "B": 2.0},
    ),
    "dimension_sum": (dimension_sum, {"group": G}),
    "dimension_sum_is_exact": (dimension_sum_is_exact, {"group": G}),
    "check_group": (check_group, {"group": sa.cyclic(3), "seed": 0, "batch": 8}),
    "check_action": (check_action, {"action": ACT, "x": X, "seed": 0}),
    "check_oracle": (check_oracle, {"make": an_oracle}),
    "check_uniform": (
        check_uniform,
        {"group": sa.cyclic(3), "sample": sa.cyclic(3).sample, "seed": 0, "false_alarm": 1e-9},
    ),
    "Deviation": (sa.Deviation, fields(FOUND)),
}

CASES = [(call, name) for call, (_, good) in CALLS.items() for name in good]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    S.save(PATH)


@pytest.mark.parametrize("call", list(CALLS))
def test_the_good_arguments_are_good(call):
    function, good = CALLS[call]
    function(**good)


@pytest.mark.parametrize(("call", "name"), CASES, ids=[f"{c}-{n}" for c, n in CASES])
def test_a_bad_value_is_answered_by_name(call, name):
    function, good = CALLS[call]
    wrong = []
    for what, make in BAD.items():
        if name in FUNCTIONS and callable(make()):
            continue
        try:
            function(**{**good, name: make()})
        except LawError:
            pass  # a check that fails has answered
        except SparseAugError as error:
            named = re.search(rf"\b{re.escape(name)}\b", str(error))
            if (not named and what not in FINE) or len(str(error)) > 700:
                wrong.append(f"{what}: {type(error).__name__}: {error}")
        except Exception as error:
            wrong.append(f"{what}: {type(error).__name__}: {error}")
    assert not wrong, "\n".join(wrong)
