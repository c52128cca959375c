"""A results.json like that of the experiment: curves that fall to a level set by the method."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studies.report.looks import figure_style
from studies.sealed import save_json
from tests.extras import REASON

FIGURES = ["figure.pdf", "figure.png", "certificates.pdf", "certificates.png"]

LEVELS = {  # oracle calls, final risk, final gradient norm
    "none": (0, 0.154, 0.47),
    "full": (720, 0.047, 0.015),
    "streaming": (500, 0.048, 0.13),
    "one-shot-4": (4, 0.079, 0.24),
    "one-shot-16": (16, 0.055, 0.1),
    "one-shot-64": (64, 0.047, 0.03),
}
A_PRIORI = {"one-shot-4": 1.0, "one-shot-16": 1.0, "one-shot-64": 0.654}
SHARP = {"one-shot-4": 1.0, "one-shot-16": 0.99, "one-shot-64": 0.544}


def _synthetic(*, seeds: int = 4, certificates: bool = True) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    step = np.arange(0, 501, 25)
    config = {"seeds": seeds, "group_size": 6, "init_std": 0.5, "num_steps": 500, "step_size": 0.05}
    results: dict[str, Any] = {
        "config": {**config, "streaming_batch": 1, "sample_sizes": [4, 16, 64]}
    }
    for name, (calls, risk, norm) in LEVELS.items():
        noise = 0.3 if name == "streaming" else 0.0
        results[name] = {
            "oracle_calls": calls,
            "step": step.tolist(),
            "train_risk": _curves(rng, step, seeds, 0.9 * risk, noise / 10),
            "test_risk": _curves(rng, step, seeds, risk, noise / 10),
            "gradient_norm": _curves(rng, step, seeds, norm, noise),
            "identity_test_risk": _curves(rng, step, seeds, risk, noise / 10),
            "clipped": [0] * seeds,
        }
    if certificates:
        results["certificates"] = {name: _certificate(results, name, rng) for name in A_PRIORI}
    return results


def _certificate(results: dict[str, Any], name: str, rng: np.random.Generator) -> dict[str, Any]:
    truth = np.array(results[name]["gradient_norm"])
    seeds = len(truth)
    return {
        "deviation": (A_PRIORI[name] * rng.uniform(0.4, 0.5, seeds)).tolist(),
        "a-priori-bound": [A_PRIORI[name]] * seeds,
        "sharp-bound": [SHARP[name]] * seeds,
        "box-B": [30_000.0] * seeds,
        "box-L": np.linspace(1_700, 1_900, seeds).tolist(),
        "box-error": np.linspace(100, 500, seeds).tolist(),
        "spectral": (truth + 15).tolist(),
        "kernel": (1.2 * truth + 0.2).tolist(),
        "words": (1.5 * truth).tolist(),
        "a-priori": (truth + 40).tolist(),
    }


def _curves(
    rng: np.random.Generator, step: np.ndarray, seeds: int, level: float, jitter: float
) -> list[list[float]]:
    rows = level + np.exp(-step / 40) * rng.lognormal(0.5, 0.2, (seeds, 1))
    rows *= rng.lognormal(0, 0.1, (seeds, 1)) * rng.lognormal(0, jitter, rows.shape)
    return rows.tolist()


@pytest.fixture
def synthetic() -> Callable[..., dict[str, Any]]:
    return _synthetic


@pytest.fixture
def save(tmp_path: Path) -> Callable[..., Path]:
    def write(results: Any, timing: Any = None) -> Path:
        save_json(tmp_path / "results.json", results)
        if timing is not None:
            save_json(tmp_path / "timing.json", timing)
        return tmp_path

    return write


@pytest.fixture
def drawing():
    """The real figures, in the house style: for the tests of figures, and no others."""
    pytest.importorskip("matplotlib", reason=REASON.format("matplotlib"))
    with figure_style():
        yield


@pytest.fixture(autouse=True)
def _no_drawing(request, monkeypatch):
    """Elsewhere figures that take no time to draw: what is in them is tested with `drawing`."""
    if "drawing" not in request.fixturenames:
        monkeypatch.setattr(
            "studies.report.write._figures",
            lambda results, *_: {
                name: f"{name} of {results.num_seeds}".encode() for name in FIGURES
            },
        )
