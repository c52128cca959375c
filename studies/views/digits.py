"""Handwritten digits under the 64 periodic shifts of their 8 x 8 grid; five crops.

Crops of 8 x 8 pixels from the image continued periodically to 10 x 10 are shifts: corners and centre are
the shifts by (+-1, +-1) and none. Ten crops add mirror images, which change a digit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparseaug.actions import roll
from sparseaug.groups import abelian
from sparseaug.sampling import keyed_rng
from studies.rates.part import Task
from studies.views.case import ACCURACY, UNMOVED, Case, Prepared
from studies.views.models import classifier, sklearn
from studies.views.orbit import Listed, moved_at_random
from studies.views.schemes import fixed, like

CROPS = "ttach 0.0.3, aliases.five_crop_transform; torchvision FiveCrop"
_SHIFT = roll(abelian(8, 8))


def numbers(quick: bool) -> dict[str, Any]:
    """Images, and random shifts of each that are trained on."""
    if quick:
        return {"train": 100, "test": 40, "copies": 2}
    return {"train": 1000, "test": 400, "copies": 4}


def prepare(task: Task) -> Prepared:
    """A network or forest that has seen every training image at a few random shifts, or at none."""
    images, labels = sklearn("datasets").load_digits(return_X_y=True)
    images = images.reshape(-1, 8, 8) / 16
    rng = keyed_rng(task["seed"], "views: digits")
    chosen = rng.permutation(len(images))[: task["train"] + task["test"]]
    train, test = chosen[: task["train"]], chosen[task["train"] :]
    x, y = [images[train]], labels[train]
    if not task["model"].endswith(UNMOVED):
        x = [moved_at_random(_SHIFT, images[train], rng) for _ in range(task["copies"])]
        y = np.tile(y, task["copies"])
    model = classifier(task["model"], np.concatenate(x), y, task["seed"])
    return Prepared(Listed.of(model, _SHIFT, images[test]), labels[test], [five_crops(1)])


def five_crops(d: int) -> Any:
    """The centre and the four corners of an image that is d pixels larger on every side."""
    corners = [(0, 0), *((a, b) for a in (-d, d) for b in (-d, d))]
    moves = [lambda x, by=by: np.roll(x, by, axis=(-2, -1)) for by in corners]
    rows = like(_SHIFT, moves, np.arange(64.0).reshape(1, 8, 8))
    return fixed("five crops", "field", rows, CROPS)


CASE = Case(
    "digits",
    "Digits, 64 shifts",
    ("network", "forest", f"network, {UNMOVED}"),
    ACCURACY,
    numbers,
    prepare,
)
