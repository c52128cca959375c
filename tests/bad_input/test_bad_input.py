"""Bad values for every parameter of every public callable: answered by name, or taken.

`values` has the one list of bad values, `examples` a good call of each public callable, `judge` what is
owed. A new public name needs one line in `examples`: without it the suite fails.
"""

from __future__ import annotations

import types
import warnings
from importlib import import_module
from importlib.util import find_spec

import pytest

from sparseaug._checks import check_integer
from sparseaug.errors import ArgumentError
from tests.bad_input import judge as judging
from tests.bad_input.examples import core
from tests.bad_input.judge import Example, judge, packages, parameters, public, without_example
from tests.bad_input.values import VALUES

HOOK = "what a family, an action or a risk tells the library of itself; the callers check"
RESULT = "a result, which the library builds from what it has checked"
TORCH = "torch's own argument, passed on"
EXCUSED = {
    **dict.fromkeys(
        (
            *("actions.Action.place", "actions.Action.moved_axes", "groups.Group.require_rows"),
            "groups.Group.require_order",
            "plans.plan(numbers)",  # each by its own name
            "views.Store",  # made by compute and open
            *("groups.Group.permutations", "groups.Irrep"),
            *(
                "actions.PreparedAction",
                "actions.PreparedAction.__call__",
                "actions.PreparedAction.each",
            ),
            *("actions.PreparedAction.pick", "actions.PreparedAction.prepared", "groups.Faithful"),
            *("risk.MomentRisk.at_step", "risk.DirectRisk.at_step", "risk.StreamingRisk.at_step"),
            *("nn.ModuleRisk.at_step", "nn.StreamingModuleRisk.at_step"),
            "nn.OrbitBatch.set_extra_state",
        ),
        HOOK,
    ),
    **dict.fromkeys(
        (
            *(
                "certificate.Certificate",
                "certificate.Certificates",
                "choices.Answers",
                "kernels.Discrepancy",
                "kernels.GradientNorms",
                "kernels.Invariance",
                "kernels.Moments",
                "groups.DimensionSum",
                "descent.Run",
                "descent.Trace",
                "risk.DirectRisk",
                "risk.MomentRisk",
                "risk.StreamingRisk",
            ),
            *("nn.FitStep", "nn.InvarianceBound", "nn.OrbitStatistics"),
            *("spectrum.InvarianceReport", "norms.Deviation", "sources.Symmetry"),
            *("spectrum.InvarianceTest", "plans.Pilot", "norms.Drawn", "plans.SampledWords"),
            *(
                "qmc.OrdersReport",
                "qmc.SignsReport",
                "designs.Choice",
                "spectrum.Prediction",
                "spectrum.Spectrum",
                "norms.Profile",
            ),
            *(
                "designs.Inspection",
                "designs.Instead",
                "designs.Design",
                "designs.Records",
                "plans.Plan",
                "plans.PlanRow",
            ),
            *("sources.CrystalSymmetry", "sources.GraphSymmetry", "sources.MoleculeSymmetry"),
            *("theory.Crossovers", "theory.MethodCost", "theory.SGDPlan", "theory.WordsPlan"),
        ),
        RESULT,
    ),
    **dict.fromkeys(
        (
            f"nn.ResumableLoader({name})"
            for name in (
                *("batch_size", "shuffle", "sampler", "num_workers", "collate_fn", "pin_memory"),
                *("drop_last", "timeout", "worker_init_fn", "multiprocessing_context"),
                *("generator", "prefetch_factor", "persistent_workers", "pin_memory_device"),
                "in_order",
            )
        ),
        TORCH,
    ),
    "certificate.Certificates.__getitem__": "a mapping: KeyError, as every mapping",
    "descent.Trace.__getitem__": "a mapping: KeyError, as every mapping",
    **dict.fromkeys(
        (
            *("groups.Abelian", "groups.Dihedral", "groups.GridSymmetries"),
            *("groups.Hyperoctahedral", "groups.PermutationGroup", "groups.Product"),
            *("groups.Rotations", "groups.Symmetric", "groups.TableGroup", "groups.format_order"),
        ),
        "what the functions that users call build from what they have checked",
    ),
    "groups.as_group(name)": "what the message is to call the group",
    "groups.Group.check(name)": "what the message is to call the rows",
    "actions.require_law(name)": "what the message is to call the data",
    "sklearn.OneShotEstimator.fit(fit_params)": "those of the inner estimator",
    "spectrum.assert_invariant(options)": "those of invariance_error",
}


def collected() -> list[Example]:
    examples = []
    for name in ("core", "groups", "questions", "theory", *MODULES):
        if name in MODULES and any(find_spec(package) is None for package in MODULES[name]):
            continue  # tests/test_optional.py is about those
        examples += import_module(f"tests.bad_input.examples.{name}").EXAMPLES
    return examples


MODULES = {
    "nn": ("torch",),
    "sklearn": ("sklearn",),
    "sources": ("networkx", "spglib"),
    "views": ("zarr",),
}
PUBLIC = public(packages())
EXAMPLES = collected()
CASES = [(e, name) for e in EXAMPLES for name in e.good]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    core.S.save(core.PATH)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.key)
def test_good_values_are_taken_and_bad_ones_answered_by_name(example):
    example()
    function = PUBLIC.get(example.key)
    known = parameters(function) if function else {}
    wrong = [text for name in example.good for text in judge(example, name, known.get(name))]
    assert not wrong, "\n".join(wrong)


def test_every_public_callable_and_parameter_has_an_example():
    assert without_example(PUBLIC, EXAMPLES, EXCUSED) == []


def test_what_is_excused_is_public():
    names = {f"{k}({name})" for k, f in PUBLIC.items() for name in parameters(f)} | set(PUBLIC)
    packages = {name.split(".")[0] for name in names}
    assert {name for name in EXCUSED if name.split(".")[0] in packages} <= names


def test_there_are_at_least_6000_cases(record_property):
    count = len(CASES) * len(VALUES)
    record_property("bad input cases", count)
    assert count >= 6000


def careful(m: int) -> float:
    """What a good entry point does."""
    return 1 / check_integer("m", m, at_least=1)


def raw(m: int) -> float:
    return 1 / (m + 1)


def silent(m: float) -> float:
    return 1.0 if m != m else 1 / check_integer("m", m, at_least=1)


def nameless(m: int) -> float:
    try:
        return careful(m)
    except ArgumentError:
        raise ArgumentError("that is not allowed.") from None


def warning(m: int) -> float:
    if m == 0 and type(m) is int:
        warnings.warn("none", UserWarning, stacklevel=2)
    return careful(m)


def not_a_number(m: float) -> float:
    return float("nan") if m == 0.5 and type(m) is float else careful(m)


def endless(m: int) -> float:
    while m == -1 and type(m) is int:
        pass
    return careful(m)


def talkative(m: int) -> float:
    try:
        return careful(m)
    except ArgumentError as error:
        raise ArgumentError(f"{error} {'m ' * 999}") from None


@pytest.mark.parametrize(
    ("function", "what", "fault"),
    [
        (raw, "text", "raises TypeError"),
        (silent, "NaN", "is accepted"),
        (nameless, "text", "is not named"),
        (warning, "0", "raises UserWarning"),
        (not_a_number, "a half", "gives NaN"),
        (endless, "-1", "raises Hang"),
        (talkative, "text", "has a long message"),
    ],
)
def test_the_judge_finds(function, what, fault, monkeypatch):
    monkeypatch.setattr(judging, "CPU_SECONDS", 0.2)
    wrong = judge(Example(function, {"m": 3}, of="made up"), "m")
    assert any(text.startswith(f"m = {what}: {fault}") for text in wrong), wrong


def test_the_judge_passes_what_is_careful():
    assert judge(Example(careful, {"m": 3}, of="made up"), "m") == []


def test_a_public_name_without_an_example_is_found():
    class Thing:
        def grow(self, by: int) -> None: ...

        def _grow(self, by: int) -> None: ...

    def make(size: int, depth: int) -> None: ...

    module = types.ModuleType("sparseaug.made")
    module.Thing, module.make, module.__all__ = Thing, make, ["Thing", "make"]
    for made, name in ((Thing, "Thing"), (make, "make"), (Thing.grow, "Thing.grow")):
        made.__module__, made.__qualname__ = "sparseaug.made", name
    found = public([module])
    missing = ["made.Thing.grow(by)", "made.make(size)", "made.make(depth)"]
    assert without_example(found, [], {}) == missing
    assert without_example(found, [Example(make, {"size": 1})], {"made.Thing.grow": "why"}) == [
        "made.make(depth)"
    ]
