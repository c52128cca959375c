"""Good arguments from the oracle to the certificate, and of what is asked before training."""

from __future__ import annotations

import dataclasses
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import sparseaug as sa
from sparseaug import certificate, descent, kernels, norms, plans, qmc, risk, sampling, testing
from sparseaug.spectrum.spectrum import prior
from tests.bad_input.judge import Fresh, Table
from tests.bad_input.values import TrapError

oracle = partial(sa.Oracle, "S4", seed=5)
RNG = np.random.default_rng(0)
X = RNG.uniform(-1, 1, (5, 4))
Y = X.sum(axis=1)
G = sa.symmetric(4)
ACT = sa.permute_axis(G)
K = sa.GaussianKernel(1.0)
MODEL = sa.KernelModel(K, RNG.uniform(-1, 1, (6, 4)))
MIXTURE = sa.SpectralMixtureKernel([[1.0]], [[np.eye(4)]], [[np.ones(4)]])
S = sa.Oracle(G, seed=0).draw(8)
TABLE = sa.SampleTable.draws(sa.Oracle(G, seed=0), n=8, m=2)
THETA = RNG.normal(0, 0.5, 12)
DATA = (X, Y)
RISK = sa.augmented_risk(MODEL, DATA, ACT, S)
FULL = sa.augmented_risk(MODEL, DATA, ACT, "full")
DIRECT = risk.DirectRisk(MODEL, DATA, ACT, S)
CUSTOM = sa.custom_risk(MODEL.losses, DATA, ACT, S, largest=100.0)
EVIDENCE = certificate.Evidence(MODEL, DATA, ACT, S)
RUN = sa.descend(RISK, THETA, step_size=0.1, num_steps=3)
ASKED = {"eps": 0.1, "delta": 0.05, "C": 1.0, "B": 2.0, "L": 4.0, "gap": 1.0}
MOMENTS = kernels.full_moments(K, ACT, X, Y, X)
SPECTRUM = sa.orbit_spectrum(lambda x: x[:, :1], ACT, X)
MOVE = sa.random_transform(lambda x, rng: x * rng.random(), name="scale")
PLACES = sa.orbit_spectrum(lambda x: x[:, :1], ACT, X, by="places")
POOL = sa.orbit_spectrum(lambda x: x[:, :1], MOVE, X, calls=32)
PATH = "S.safetensors"  # in the folder of the test
TABLE_PATH = "table.safetensors"

# data are moved whatever they hold; a risk or a kernel refuses NaN
MOVED = (
    "array of NaN",
    "complex array",
    "complex tensor",
    "array of text",
    "tensor without memory",
)
ANY = ("everything",)


def fields(data: Any) -> dict[str, Any]:
    return {each.name: getattr(data, each.name) for each in dataclasses.fields(data) if each.init}


def streaming() -> risk.StreamingRisk:
    return risk.streaming_risk(MODEL, DATA, ACT, oracle())


class Impatient:
    """A risk that a billion steps are too many for."""

    calls, method = 0, "one-shot"

    def at_step(self, step: int) -> Any:
        if step > 1000:
            raise TrapError
        return RISK


good = Table(
    {
        **{"group": G, "action": ACT, "S": S, "x": X, "y": Y, "y_action": None},
        **{"oracle": Fresh(oracle), "seed": 0, "budget": 9, "source": None, "calls": 32},
        **{"output_action": None, "purpose": "test", "step": 2, "index": 0, "path": PATH},
        **{"overwrite": True, "length": 2, "size": 3, "m": 5, "degree": 1, "side": "left"},
        **{"progress": None, "axes": None, "shape": None, "by": None, "target": 0.9},
        **{
            "max_calls": 40,
            "growth": 0.5,
            "delta": 0.05,
            "function": MODEL.losses,
            "largest": 100.0,
        },
        **{"failure_probability": 1e-9, "kernel": K, "z": X, "z2": X, "centers": X, "sigma": 1.0},
        **{"block": 2, "coefficients": Y, "a": Y, "b": Y, "box": 1.0},
        **{"moments": MOMENTS, "model": MODEL, "data": DATA, "theta": THETA, "batch": 2},
        **{"risk": RISK, "theta0": THETA, "step_size": 0.1, "num_steps": 3, "method": "one-shot"},
        **{"project": descent.Box(3.0), "eval_every": 2, "checkpoint": None},
        **{"evidence": EVIDENCE, "run": RUN, "audit_calls": 10, "kinds": ("spectral", "audited")},
        **{"translates_of": S, "until": 1.0, "words": 3, "chunk_size": 8, "spectrum": SPECTRUM},
        **{"error": 1.0, "max_m": 8, "eps": 0.1, "dimension_sum": 75, "C": 1.0, "B": 2.0},
        **{"pairs": 2, "false_alarm": 1e-9, "move": "each", "draws": 5, "statistic": "energy"},
        **{"n": 5, "d": 5, "balance": "first", "rng": 0, "even": True, "width": 1.0, "every": 2},
        **{"identity": True, "distinct": False},
    }
)
# points that do not fit each other are named by either
between = Table(good.known | {"shape": (4,)})


def of_sampling() -> Any:
    yield good.on(oracle, "draw", m=3)
    yield good.on(oracle, "fresh", m=3)
    yield good.on(oracle, "advance_to", calls=3)
    yield good(sa.GroupSample, **fields(S))
    yield good(sa.GroupSample.generated, generators=[[1, 0, 2, 3]])
    yield good(sa.GroupSample.from_dict, data=S.to_dict())
    yield good(sa.SampleTable, **fields(TABLE))
    yield good(sa.SampleTable.from_dict, data=TABLE.to_dict())
    yield good(TABLE.save, path="T.safetensors")
    yield good(sa.SampleTable.load, path=TABLE_PATH)
    yield good(sampling.Origin.from_dict, data=fields(S.origin))
    yield good(sa.augment, takes={"x": MOVED, "y": MOVED})


def of_designs() -> Any:
    chosen = {"spectrum": prior(G), "objective": "prediction"}
    yield good(sa.design, "group m degree", name="search")
    yield good(sa.design, "group m identity", **chosen)
    yield good(sa.design, "group degree")
    yield good(sa.design, "m degree", group=sa.symmetric(20))
    yield good(sa.design, "name", group=sa.abelian(4, 4), m=4, name="lattice")
    yield good(sa.inspect, "rows", rows=[[1, 0, 2, 3]], group="S4")
    yield good(sa.inspect, "rows", rows=[[1, 0], [0, 1]], group=sa.sign_flips(2))
    two = {"rows": [[1, 0, 2, 3], [0, 1, 2, 3]], "group": "S4"}
    yield good(sa.inspect, **two, weights=[0.5, 1.5])


def of_norms() -> Any:
    yield good(sa.deviation, action=None, degree=None, delta=0.05, failure_probability=1e-9)
    yield good(sa.deviation, "S degree")
    yield good(sa.deviation, "S action", shape=(4,), also="x")
    yield good(sa.profile, by="degree")
    yield good(sa.profile, "S", weights=[1.0] * (S.m - 1) + [2.0])
    yield good(sa.draw_until, degree=None)


def of_kernels() -> Any:
    mixture = {"weights": [[1.0]], "bandwidths": [[np.eye(4)]], "frequencies": [[np.ones(4)]]}
    for example in (
        *map(between, (sa.GaussianKernel, K, K.is_invariant, K.group_mean)),
        *map(between, (MIXTURE, MIXTURE.is_invariant, MIXTURE.group_mean)),
        *map(between, (MOMENTS.risk, MOMENTS.gradient, kernels.gradient_norms, kernels.box_bound)),
        *map(between, (kernels.full_moments, kernels.sample_moments, kernels.initial_gap)),
        *map(between, (kernels.smoothness_bound, kernels.smoothness_of_moments)),
        between(kernels.kernel_discrepancy, weights=Y),
        between(sa.SpectralMixtureKernel, **mixture),
        between(kernels.invariance_on, rows=S.elements, points=X, also="elements shape"),
    ):
        yield dataclasses.replace(example, also=(*example.good, *example.also))


def of_risks() -> Any:
    yield good.on(streaming, "resume")


def of_losses() -> Any:
    small = risk.minibatch(CUSTOM, 2)
    yield good(risk.minibatch, risk=CUSTOM)
    yield from map(good, (CUSTOM.value, CUSTOM.gradient, small.value, small.gradient))
    asked = {"eps": 40.0, "box": 2.0, "theta0": np.full(12, 0.3)}
    yield good(sa.one_shot, "model data action delta seed", **asked, also="x")
    yield good.on(oracle, "products", calls=6, repeats=2)
    yield good(certificate.a_priori, "evidence theta", by="paper")


def of_descent() -> Any:
    yield good(sa.descend, risk=Impatient(), also="path")
    yield good(descent.Box(1.0), takes={"theta": ANY})
    yield good(descent.Checkpoint, also="checkpoint")


def of_certificates() -> Any:
    yield good(sa.certify, takes={"run": ("strided",)})  # a theta of 12 numbers
    known = {**fields(EVIDENCE), "deviation": sa.deviation(S), "full": FULL}
    yield good(certificate.Evidence, **known)
    yield good(certificate.Evidence.of, deviation=known["deviation"])
    yield good(certificate.a_priori, box=9.0)
    yield good(certificate.audited, calls=10)


LABELS = (X[:, 0] > 0).astype(int)


def of_accuracy() -> Any:
    # a billion elements are those of a small group, and any number is a level to ask for
    given = {"predict": lambda x: x[:, 1] > 0, "oracle": None}
    known = {
        "data": (X, LABELS),
        "loss": "0-1",
        "average_over": None,
        "over": "data",
        "until": None,
    }
    yield good(sa.audit_risk, **given, **known, takes={"calls": ("a billion",)}, also="model x y")
    population = {**given, **known, "over": "population", "calls": 60}
    yield good(sa.audit_risk, **population, takes={"calls": ("a billion",)}, also="model x y")
    taken = {"x": MOVED, "calls": ("a billion",)}
    yield good(certificate.audit_consistency, **given, share=0.9, also="model", takes=taken)
    yield good(certificate.BoundedLoss, function=np.hypot, bound=1.0)
    yield good(certificate.write_pairs, path="pairs.csv", n=5, calls=3)
    files = {"pairs": Fresh(answered), "answers": "answers.csv"}
    yield good(
        certificate.read_answers, **files, also="read columns"
    )  # files are named as they are


def answered() -> str:
    """Files of pairs and of answers, in the folder of the test."""
    certificate.write_pairs("pairs.csv", G, n=5, calls=3, overwrite=True)
    Path("answers.csv").write_text("pair,correct\n0,1\n1,1\n2,0\n")
    return "pairs.csv"


def of_spectra() -> Any:
    first = {"f": lambda x: np.asarray(x)[:, :1], "oracle": None}
    yield good(sa.orbit_spectrum, **first, takes={"x": MOVED})
    model = {"model": lambda x: x, "S_or_group": S, "calls": 10, "takes": {"x": MOVED}}
    yield good(sa.invariance_error, **model)
    yield good(SPECTRUM.predict, takes={"S": ("a billion",)})
    yield good(PLACES.predict, takes={"S": ("a billion",)})
    yield good(type(SPECTRUM).from_dict, data=SPECTRUM.to_dict())
    yield good(POOL.predict, S=3, takes={"S": ("a billion",)})
    yield good(sa.choose, spectrum=POOL, max_m=None, oracle=None)
    yield good(sa.choose, spectrum=PLACES, max_m=None, oracle=None)
    yield good(sa.design, "m", group=MOVE.distribution, spectrum=POOL, name="nested")
    yield good(sa.orbit_spectrum, **first, action=MOVE, takes={"x": MOVED})
    moved = {"x": tuple(each for each in MOVED if each != "array of NaN")}
    yield good(sa.test_invariance, S="full", takes=moved)


def of_planning() -> Any:
    left_out = dict.fromkeys(("sigma", "b", "n", "max_batch"), ("None",))
    both = {"of": "plans.plan", "takes": left_out, "group": G}
    yield good(sa.plan, "sigma", **both, **ASKED, b=1, n=10)
    yield good(sa.plan, "sigma", **both, **ASKED, degree=2, max_batch=100)
    # without eps too a deviation of None leaves no goal
    wanted = {"deviation": 0.5, "degree": 2}
    yield good(sa.plan, "delta", **both, **wanted, also="eps")
    yield good(sa.plan(G, **ASKED).row, method="full")
    pilot = sa.pilot(RISK, THETA, oracle())
    yield good(sa.pilot)
    yield good(pilot.predict, takes={"S": ("a billion",)})
    yield good(pilot.plan)


def of_orders() -> Any:
    sequence = qmc.Permutations(5)
    yield good(sa.orders, "n m balance rng", for_=None)
    yield good(sa.orders, "n m for_", for_="first", balance=None)
    yield good(sa.orders_report, rows=[[0, 1, 2], [2, 0, 1]])
    yield from map(good, (sequence.random, sequence.fast_forward, qmc.Signs(5).random))


def of_checks() -> Any:
    small = sa.cyclic(3)
    yield good(testing.check_group, group=small)
    yield good(testing.check_action, takes={"x": MOVED})
    yield good(testing.check_oracle, make=lambda seed, budget: sa.Oracle(G, seed, budget))
    yield good(testing.check_uniform, group=small, sample=small.sample)


PLAIN = (  # with the values of the table
    *(sa.Oracle, sa.GroupSample.full, sa.SampleTable.draws, sa.SampleTable.translates, sa.records),
    *(sa.thin, sa.choose, sa.profile(S).plot, norms.best_method, sa.KernelModel, sa.custom_risk),
    *(kernels.orbit_variances, descent.Box, certificate.words, SPECTRUM.plot),
    *(plans.degree_dimension_sum, S.words, S.save, sa.GroupSample.load, S.translate),
    *(sampling.keyed_rng, MODEL.features, MODEL.coefficients, MODEL.predict, MODEL.split),
    *(RISK.value, RISK.gradient, DIRECT.value, DIRECT.gradient, sa.augmented_risk),
    *(risk.streaming_risk, sa.signs, qmc.Permutations, qmc.Signs, qmc.Rotations),
)
PARTS = (
    *(of_sampling, of_designs, of_norms, of_kernels, of_risks, of_losses, of_descent),
    *(of_certificates, of_accuracy, of_spectra, of_planning, of_orders, of_checks),
)
EXAMPLES = [*map(good, PLAIN), *(example for part in PARTS for example in part())]
