"""Bad values for every parameter of every public callable: answered by name, or taken.

`values` has the one list of bad values, `examples` a good call of each public callable, `judge` what is
owed. A new public name needs one line in `examples`: without it the suite fails.
"""

from __future__ import annotations

from importlib import import_module

import pytest

from sparseaug._checks import check_integer
from sparseaug.errors import ArgumentError, MissingPackageError
from tests.bad_input import judge as judging
from tests.bad_input.examples import core
from tests.bad_input.judge import Example, judge, packages, parameters, public, without_example
from tests.bad_input.values import VALUES
from tests.extras import LAYERS, installed

OF_LOADERS = """
    batch_size shuffle sampler num_workers collate_fn pin_memory drop_last timeout worker_init_fn
    multiprocessing_context generator prefetch_factor persistent_workers pin_memory_device in_order"""
EXCUSED = {
    "what a family, an action or a risk tells the library of itself; the callers check": """
        actions.Action.place actions.Action.moved_axes actions.PreparedAction.__call__
        actions.PreparedAction.each actions.PreparedAction.prepared
        certificate.BoundedLoss.__call__
        groups.Distribution.require_rows groups.Group.require_order groups.Group.permutations
        groups.Product.split groups.Hyperoctahedral.split
        nn.ModuleRisk.at_step nn.OrbitBatch.set_extra_state
        risk.AugmentedProblem.at_step risk.MinibatchRisk.at_step risk.CustomRisk.losses
        risk.KernelModel.losses
        spectrum.OneSidedSpectrum.features spectrum.OneSidedSpectrum.left
        spectrum.OneSidedSpectrum.of_parts""",
    "a result, or built by a function that users call from what it has checked": """
        actions.PreparedAction groups.format_order nn.OrbitStatistics risk.DirectRisk risk.MomentRisk
        risk.StreamingRisk risk.CustomRisk risk.MinibatchRisk sampling.Origin sklearn.Average
        views.Store""",
    "a mapping: KeyError, as every mapping": """
        certificate.Certificates.__getitem__ descent.Trace.__getitem__""",
    "what the message is to call the argument": """
        groups.as_group(name) groups.Distribution.check(name)""",
    "of the inner estimator": "sklearn.OneShotEstimator.fit(fit_params)",
    "torch's own argument, passed on": " ".join(
        f"nn.ResumableLoader({name})" for name in OF_LOADERS.split()
    ),
}
EXCUSED_NAMES = {name for names in EXCUSED.values() for name in names.split()}

FILES = ("core", "groups", "theory", "nn", "sklearn", "sources", "views")
PUBLIC = public(packages())
EXAMPLES: list[Example] = [
    example
    for name in FILES
    if installed(LAYERS.get(name, "numpy"))
    for example in import_module(f"tests.bad_input.examples.{name}").EXAMPLES
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    core.S.save(core.PATH)
    core.TABLE.save(core.TABLE_PATH)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.key)
def test_good_values_are_taken_and_bad_ones_answered_by_name(example):
    try:
        example()
    except MissingPackageError as error:  # as a picture needs matplotlib
        pytest.skip(str(error))
    function = PUBLIC.get(example.key)
    known = parameters(function) if function else {}
    wrong = [text for name in example.good for text in judge(example, name, known.get(name))]
    assert not wrong, "\n".join(wrong)


def test_every_public_callable_and_parameter_has_an_example():
    assert without_example(PUBLIC, EXAMPLES, EXCUSED_NAMES) == []


def test_what_is_excused_is_public():
    names = {f"{k}({name})" for k, f in PUBLIC.items() for name in parameters(f)} | set(PUBLIC)
    packages = {name.split(".")[0] for name in names}
    assert {name for name in EXCUSED_NAMES if name.split(".")[0] in packages} <= names


def test_there_are_at_least_6000_cases(record_property):
    count = sum(len(example.good) for example in EXAMPLES) * len(VALUES)
    record_property("bad input cases", count)
    assert count >= 6000


def careful(m: int) -> float:
    """What a good entry point does."""
    return 1 / check_integer("m", m, at_least=1)


def nameless(m: int) -> float:
    try:
        return careful(m)
    except ArgumentError:
        raise ArgumentError("that is not allowed.") from None


def endless(m: int) -> float:
    while m == -1 and type(m) is int:
        pass
    return careful(m)


@pytest.mark.parametrize(
    ("function", "what", "fault"),
    [
        (lambda m: 1 / (m + 1), "text", "raises TypeError"),
        (lambda m: 1.0 if m != m else careful(m), "NaN", "is accepted"),
        (nameless, "text", "is not named"),
        (endless, "-1", "raises Hang"),
    ],
)
def test_the_judge_finds_what_is_wrong_and_passes_what_is_careful(
    function, what, fault, monkeypatch
):
    monkeypatch.setattr(judging, "CPU_SECONDS", 0.2)
    wrong = judge(Example(function, {"m": 3}, "made up"), "m")
    assert any(text.startswith(f"m = {what}: {fault}") for text in wrong), wrong
    assert judge(Example(careful, {"m": 3}, "made up"), "m") == []
    assert without_example({"made.f": careful}, [], ()) == ["made.f(m)"]
