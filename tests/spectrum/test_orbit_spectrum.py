"""What `orbit_spectrum` takes, counts and refuses; what `choose` chooses; what is drawn."""

from __future__ import annotations

import json
import math
import sys
import tracemalloc
from typing import Any

import numpy as np
import pytest

import sparseaug as sa
from sparseaug.errors import ArgumentError
from sparseaug.spectrum.spectrum import prior

G = sa.symmetric(6)
ACT = sa.permute_axis(G)
X = np.random.default_rng(0).normal(size=(10, 6))


def model(x: Any) -> Any:
    return np.tanh(x[:, :1] + x[:, 1:2] * x[:, 2:3])


def test_draws_are_counted_by_the_oracle_and_listing_draws_nothing() -> None:
    oracle = sa.Oracle(G, seed=3)
    seen = []
    spectrum = sa.orbit_spectrum(
        lambda x: (seen.append(len(x)), model(x))[1], ACT, X, oracle=oracle, calls=101
    )
    assert oracle.calls == spectrum.calls == 100  # couples
    assert sum(seen) == 100 * len(X) + 2 * len(X)  # each once, and the same x twice before
    assert not spectrum.exact
    whole = sa.orbit_spectrum(model, ACT, X, oracle=oracle, calls=720)
    assert whole.exact
    assert whole.calls == 0
    assert oracle.calls == 100


def test_chunks_and_tensors_change_nothing() -> None:
    torch = pytest.importorskip("torch")
    whole = sa.orbit_spectrum(model, ACT, X)
    assert sa.orbit_spectrum(model, ACT, X, chunk_size=3).variances == pytest.approx(
        whole.variances
    )
    net = torch.nn.Sequential(
        torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Dropout(0.5)
    ).double()
    found = sa.orbit_spectrum(net, ACT, torch.from_numpy(X))
    assert net.training  # in eval mode only meanwhile
    weight, bias = net[0].weight.detach().numpy(), net[0].bias.detach().numpy()
    same = sa.orbit_spectrum(lambda x: np.tanh(x @ weight.T + bias), ACT, X)
    assert found.variances == pytest.approx(same.variances, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize("calls", [None, 64])
def test_large_outputs_are_held_a_part_at_a_time_and_give_the_same(monkeypatch, calls) -> None:
    """720 elements times 600 outputs are 3.5 MB, twice; a megabyte is held, or a tenth of one."""
    weights = np.random.default_rng(4).normal(size=(6, 600))
    moved = []

    def wide(x: np.ndarray) -> np.ndarray:
        moved.append(len(x))
        return np.tanh(x @ weights)

    found = sa.orbit_spectrum(wide, ACT, X[:2], calls=calls)
    elements = 720 if calls is None else calls
    assert sum(moved) == 2 * 2 + 2 * elements  # once each, beside the check that f is a function
    held = (1 << 20) if calls is None else 100_000
    modules = "sparseaug.spectrum."
    monkeypatch.setattr(sys.modules[modules + "orbit_spectrum"], "_HELD", held)
    for name in (modules + "measure", "sparseaug.groups.degrees.shapes"):
        monkeypatch.setattr(sys.modules[name], "_ENTRIES", 1 << 16)
    steps: list[tuple[int, int]] = []
    sa.orbit_spectrum(model, ACT, X[:1], calls=calls)  # what is computed once is not counted
    moved.clear()
    tracemalloc.start()
    again = sa.orbit_spectrum(
        wide, ACT, X[:2], calls=calls, chunk_size=32, progress=lambda *at: steps.append(at)
    )
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    turns = math.ceil(600 * elements * 8 / held)
    assert turns > 2
    assert sum(moved) == 2 * 2 + turns * 2 * elements
    assert steps[-1] == (turns * 2 * elements,) * 2
    assert steps == sorted(steps)
    assert again.variances == pytest.approx(found.variances, rel=1e-12, abs=1e-12)
    assert again.errors == pytest.approx(found.errors, rel=1e-3, abs=1e-12)
    assert peak < 6_000_000  # 40 MB with all outputs at once


def test_an_invariant_function_has_no_spectrum() -> None:
    spectrum = sa.orbit_spectrum(lambda x: x.sum(axis=1).astype(np.float32), ACT, X)
    assert spectrum.variance == 0.0
    assert set(spectrum.shares.values()) == {0.0}
    assert sa.choose(spectrum, error=1e-6).sample.m == 1


def test_a_spectrum_comes_back_from_json() -> None:
    for spectrum in (sa.orbit_spectrum(model, ACT, X), sa.orbit_spectrum(model, ACT, X, calls=64)):
        copy = sa.spectrum.Spectrum.from_dict(json.loads(json.dumps(spectrum.to_dict())))
        assert copy.shares == spectrum.shares
        assert copy.errors == spectrum.errors
        S = sa.Oracle(G, seed=1).draw(9)
        assert copy.predict(S) == spectrum.predict(S)


ACTIONS = [
    (ACT, (6,)),
    (sa.flip_signs(sa.sign_flips(6)), (6,)),
    (sa.roll(sa.abelian(8, 8)), (8, 8)),
    (sa.signed_permute(sa.hyperoctahedral(3)), (3,)),
]


@pytest.mark.parametrize(("action", "shape"), ACTIONS)
def test_choice_reaches_the_error_and_never_leaves_more_than_draws(action: Any, shape: Any) -> None:
    x = np.random.default_rng(0).normal(size=(6, *shape))
    weights = np.random.default_rng(1).normal(size=(math.prod(shape), 8)) / math.sqrt(
        math.prod(shape)
    )

    def f(x: Any) -> Any:
        return np.tanh(x.reshape(len(x), -1) @ weights)

    spectrum = sa.orbit_spectrum(f, action, x)
    for part in (0.9, 0.5, 0.25, 0.1, 0.03):
        error = part * spectrum.variance**0.5
        choice = sa.choose(spectrum, error=error)
        m = choice.sample.m
        assert choice.prediction.rms <= error
        assert m <= choice.draws == math.ceil(spectrum.predict(1).upper / error**2 - 1e-9)
        assert choice.prediction.value <= spectrum.predict(m).value * (1 + 1e-12)
        assert choice.prediction.m == m
        if choice.name not in ("draws", "identity"):
            assert spectrum.predict(choice.sample) == choice.prediction
            assert choice.sample.calls == 0


@pytest.mark.parametrize("name", ["C6xC6", "S4", "Z2^5"])
def test_no_smaller_size_that_design_finds_reaches_the_error(name: str) -> None:
    group = sa.group(name)
    spectrum = prior(group)
    for error in (0.1, 0.2, 0.3, 0.5):
        allowed = error**2 * spectrum.variance
        chosen = sa.choose(spectrum, error=allowed**0.5).sample.m
        for m in range(1, chosen):
            S = sa.design(group, m=m, spectrum=spectrum)
            assert spectrum.predict(S).upper > allowed


def test_choice_of_a_function_of_two_coordinates_is_the_two_transitive_design() -> None:
    act = sa.permute_axis(sa.symmetric(7))
    x = np.random.default_rng(0).normal(size=(4, 7))
    spectrum = sa.orbit_spectrum(lambda x: x[:, 0] * x[:, 1] ** 2, act, x)
    choice = sa.choose(spectrum, error=1e-6 * spectrum.variance**0.5)
    assert (choice.name, choice.sample.m) == ("AGL(1,7)", 42)
    with pytest.raises(ArgumentError, match="max_m=10"):
        sa.choose(spectrum, error=1e-6 * spectrum.variance**0.5, max_m=10)


def test_an_average_over_what_was_chosen_is_as_good_as_it_says() -> None:
    torch = pytest.importorskip("torch")
    from sparseaug import nn as sann

    x = torch.from_numpy(X)
    f = lambda x: torch.tanh(x[:, :1] + x[:, 1:2] * x[:, 2:3])  # noqa: E731
    choice = sa.choose(sa.orbit_spectrum(f, ACT, x), error=0.1)
    everything = sann.OrbitAverage(f, ACT, "full")(x)
    oracle = sa.Oracle(G, seed=9)
    averages = [
        sann.OrbitAverage(f, ACT, choice.sample.translate(oracle, side="both"))(x)
        for _ in range(200)
    ]
    left = torch.stack([((one - everything) ** 2).mean() for one in averages]).mean().item()
    # of 200 translates: an estimate of the same size
    assert left == pytest.approx(choice.prediction.value, rel=0.35)
    assert left**0.5 < 0.1


def test_a_design_is_chosen_by_the_upper_end_of_its_bar() -> None:
    turn = sa.rotate(sa.rotations(2))
    x = np.random.default_rng(0).normal(size=(5, 2))
    drawn = sa.orbit_spectrum(
        lambda x: x[:, 0] ** 2, turn, x, oracle=sa.Oracle(turn.group, seed=0), calls=64
    )
    found = sa.choose(drawn, error=0.1)
    assert found.name == "draws" or (
        found.prediction.value + found.prediction.error <= found.error**2
    )
    with pytest.raises(sa.errors.ArgumentError, match="raise error or max_m"):
        sa.choose(drawn, error=1e-9)  # 64 draws cannot say that


HELD_OUT = {
    "tanh": lambda x: np.tanh(x[:, 0] + x[:, 1] * x[:, 2]),
    "cubic": lambda x: x[:, :2] ** 3,
    "relu": lambda x: np.maximum(x @ np.random.default_rng(3).normal(size=(6, 8)), 0.0),
}


@pytest.mark.parametrize("name", HELD_OUT)
@pytest.mark.parametrize("calls", [None, 128])
def test_what_is_chosen_leaves_no_more_on_other_inputs(name: str, calls: int | None) -> None:
    """At 95 % on two sides: 5 or more of 24 above the upper end have probability below 3e-4."""
    f, failed = HELD_OUT[name], 0
    rng = np.random.default_rng(5)
    others = sa.orbit_spectrum(f, ACT, rng.normal(size=(1500, 6)))
    for _ in range(24):
        spectrum = sa.orbit_spectrum(f, ACT, rng.normal(size=(48, 6)), calls=calls)
        S = sa.design(G, m=12) if calls else sa.Oracle(G, seed=1).draw(12)
        failed += others.predict(S).value > spectrum.predict(S).upper
    assert failed < 5
