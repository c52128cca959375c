"""The short form of the examples: what they claim, what they count, what they write."""

from __future__ import annotations

import importlib
import json
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.spatial.transform import Rotation

import sparseaug as sa
from tests.extras import REASON

torch = pytest.importorskip("torch", reason=REASON.format("torch"))
pytest.importorskip("sklearn", reason=REASON.format("sklearn"))

from studies.examples import digits  # noqa: E402

LEARNERS = ("SVM", "random forest", "CNN")
TINY = digits.Settings(train=20, test=20, sizes=(16,), lattices=(16,), steps=16, trees=30)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the command writes, on few images."""
    path = tmp_path_factory.mktemp("digits")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(digits, "QUICK", TINY)
        result = CliRunner().invoke(digits.main, ["--quick", "--out", str(path)])
    assert result.exit_code == 0, result.output
    return path


@pytest.fixture(scope="module")
def rows(folder: Path) -> dict[tuple[str, str], dict[str, float]]:
    found = json.loads((folder / "results.json").read_text())["rows"]
    return {(row["learner"], row["way"]): row["values"] for row in found}


@pytest.fixture(scope="module")
def trained() -> dict[tuple[str, str], dict[str, float]]:
    """On as many images as --quick takes: no augmentation, 16 draws once, and streaming."""
    settings = digits.QUICK
    data, every = digits.load(settings, 0), digits.all_samples(settings, 0)
    samples = {way: every[way] for way in ("none", "one-shot 16", "own 16")}
    forest = digits.RandomForestClassifier(settings.trees, random_state=0)
    found = [
        *digits.fixed_learner("SVM", digits.SVC(C=10), samples, data, 0),
        *digits.fixed_learner("random forest", forest, samples, data, 0),
        *digits.network(samples, data, settings, 0),
    ]
    return {(row.learner, row.way): row.values for row in found}


@pytest.mark.parametrize("learner", LEARNERS)
def test_one_shot_beats_no_augmentation_by_a_wide_margin(trained: Any, learner: str) -> None:
    # on the ten seeds of the full study the margin was 15 to 41 points, of any learner
    none, shot = trained[learner, "none"], trained[learner, "one-shot 16"]
    assert shot["accuracy"] > none["accuracy"] + 0.15
    assert shot["invariance_error"] < none["invariance_error"] - 0.05


@pytest.mark.parametrize("learner", ["random forest", "CNN"])
def test_averaging_probabilities_over_S_leaves_fewer_labels_to_change(
    trained: Any, learner: str
) -> None:
    alone, averaged = trained[learner, "one-shot 16"], trained[learner, "one-shot 16 + average"]
    assert averaged["invariance_error"] < alone["invariance_error"] - 0.05
    assert averaged["accuracy"] > alone["accuracy"]


@pytest.mark.parametrize("learner", ["SVM", "random forest"])
def test_copies_of_each_image_s_own_are_worth_more_than_a_shared_S(trained, learner: str) -> None:
    # on the ten seeds of the full study by 28 and 18 points
    own, shared = trained[learner, "own 16"], trained[learner, "one-shot 16"]
    assert own["accuracy"] > shared["accuracy"] + 0.08
    assert own["calls"] >= 16 * digits.QUICK.train


def test_oracle_calls_are_exact(rows: Any) -> None:
    expected = {"none": 0, "one-shot 16": 16, "one-shot 16 + average": 16, "full": 64}
    expected |= {"full + average": 64, "one-shot 16, identity": 15}
    expected |= {"lattice 16": 0, "lattice 16 + average": 0, "lattice 16 + average over all": 64}
    for learner in LEARNERS:
        assert {way: rows[learner, way]["calls"] for way in expected} == expected
    streaming = {way: row["calls"] for (_, way), row in rows.items() if "streaming" in way}
    assert streaming == {
        "streaming, per image": TINY.train * TINY.steps,  # all images a step
        "streaming, per image + average": TINY.train * TINY.steps + 64,
        "streaming, per step": TINY.steps,
        "streaming 16, spread": 16,
        "streaming 16, then none": 16,
    }


def test_deviations_are_the_largest_nontrivial_Fourier_coefficients_of_S(rows: Any) -> None:
    counts = np.zeros((8, 8))
    np.add.at(counts, tuple(sa.Oracle(sa.abelian(8, 8), seed=0).draw(16).elements.T), 1 / 16)
    largest = np.sort(abs(np.fft.fft2(counts)).ravel())[-2]  # the last is the trivial one, 1
    for learner in LEARNERS:
        assert rows[learner, "one-shot 16"]["deviation"] == pytest.approx(largest, rel=1e-9)
        assert rows[learner, "none"]["deviation"] == pytest.approx(1)
        assert rows[learner, "full"]["deviation"] == pytest.approx(0, abs=1e-9)


def test_a_seed_gives_the_same_figures_again_and_another_seed_others(rows: Any) -> None:
    def figures(seed: int, most: int | None = None) -> dict[tuple[str, str], list[float]]:
        found = islice(digits.one_seed(TINY, seed), most)
        return {(row.learner, row.way): measured(row.values) for row in found}

    def measured(values: Any) -> list[float]:
        return [values[key] for key in ("accuracy", "invariance_error", "calls")]

    first = {way: measured(values) for way, values in rows.items()}
    torch.rand(1)  # what others draw from the global generator changes nothing
    assert figures(0) == first
    assert len(first) == TINY.rows
    assert not figures(4, most=5).items() <= first.items()


@pytest.mark.parametrize(
    ("budget", "draws", "used"),
    [
        (3, 3, [0, 0, 0, 1, 1, 1, 2, 2, 2]),
        (2, 9, [0, 1, None, None, None, None, None, None, None]),
        (9, 9, [0, 1, 2, 3, 4, 5, 6, 7, 8]),
    ],
    ids=["spread", "then none", "per step"],
)
def test_a_batch_shares_the_shift_that_is_due(
    budget: int, draws: int, used: list[int | None]
) -> None:
    corner = torch.zeros(2, 1, 8, 8)
    corner[..., 0, 0] = 1
    batches = iter([(corner, torch.zeros(2))] * 9)
    oracle = sa.Oracle(digits.GROUP, seed=5, budget=budget)
    places = [
        x.nonzero()[:, 2:].tolist()
        for x, _ in digits.one_shift_a_batch(batches, oracle, draws=draws, steps=9)
    ]
    elements = sa.Oracle(digits.GROUP, seed=5).draw(9).elements.tolist()
    assert places == [[[0, 0] if j is None else elements[j]] * 2 for j in used]
    assert oracle.calls == budget


@pytest.fixture(scope="module")
def turning() -> Any:
    pytest.importorskip("ase", reason=REASON.format("ase"))
    return importlib.import_module("studies.examples.rotations")


def test_product_grids_are_exact_to_their_degree(turning: Any) -> None:
    space = sa.rotations(3)
    for degree, angles in ((3, 7), (5, 11), (4, 5)):
        grid = turning.product_grid(degree, angles)
        rows = space.canonical(Rotation.from_matrix(grid.matrices).as_quat(scalar_first=True))
        means = [np.tensordot(grid.weights, i.matrices(rows), 1) for i in space.irreps_to(degree)]
        assert max(np.linalg.norm(mean, 2) for mean in means[1:]) < 1e-12


def test_a_design_of_60_rotations_leaves_less_than_60_draws(turning: Any) -> None:
    settings = turning.Settings(train=40, test=4, orientations=4, steps=40, degrees=(5,))
    rows = {(row.learner, row.way): row.values for row in turning.one_seed(settings, 0)}
    for learner in ("unturned", "turned"):
        assert rows[learner, "design 60"]["spread"] < 0.1 * rows[learner, "drawn 60"]["spread"]
        assert rows[learner, "drawn 60"]["spread"] < rows[learner, "none"]["spread"]
