"""Patches of two photographs, by which of them they are of, under the eight symmetries of the square.

Which photograph a patch was cut from does not change when it is turned or mirrored: the labels are truly
invariant. Training patches are from the left of both photographs and test patches from the right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sparseaug.actions import rotate_grid
from sparseaug.errors import need
from sparseaug.groups import Rows, dihedral
from sparseaug.kernels.arrays import Floats
from sparseaug.sampling import keyed_rng
from studies.rates.part import Task
from studies.views.case import ACCURACY, UNMOVED, Case, Prepared
from studies.views.models import classifier, sklearn
from studies.views.orbit import Listed, moved_at_random
from studies.views.schemes import Scheme, fixed, like

_TURN = rotate_grid(dihedral(4))
_SIDE = 12  # pixels of a patch


def numbers(quick: bool) -> dict[str, Any]:
    """Patches of each photograph."""
    return {"train": 100, "test": 30} if quick else {"train": 2000, "test": 400}


def prepare(task: Task) -> Prepared:
    """A network or forest that has seen every training patch in one position, random or as it was."""
    need("PIL", "the photographs of the study", install="pillow")
    photographs = sklearn("datasets").load_sample_images().images
    rng = keyed_rng(task["seed"], "views: photographs")
    train, test = [], []
    for photograph in photographs:
        grey = photograph.mean(axis=2) / 255
        middle = grey.shape[1] // 2
        train.append(_patches(grey[:, :middle], task["train"], rng))
        test.append(_patches(grey[:, middle:], task["test"], rng))
    labels = np.arange(len(photographs))
    x = np.concatenate(train)
    if not task["model"].endswith(UNMOVED):
        x = moved_at_random(_TURN, x, rng)
    model = classifier(task["model"], x, np.repeat(labels, task["train"]), task["seed"])
    orbit = Listed.of(model, _TURN, np.concatenate(test))
    return Prepared(orbit, np.repeat(labels, task["test"]), field_rules())


def _patches(image: Floats, count: int, rng: np.random.Generator) -> Floats:
    windows = np.lib.stride_tricks.sliding_window_view(image, (_SIDE, _SIDE))
    places = [rng.integers(size, size=count) for size in windows.shape[:2]]
    return np.array(windows[places[0], places[1]])


Move = Callable[[Any], Any]


def _flip(*axes: int) -> Move:
    return lambda x: np.flip(x, axes)


def _turn(k: int) -> Move:
    return lambda x: np.rot90(x, k, axes=(-2, -1))


def _then(first: Move, second: Move) -> Move:
    return lambda x: second(first(x))


def field_rules() -> list[Scheme]:
    """Mirroring as nnU-Net and ttach do it, one mirror image, and quarter turns."""
    none, left, up, both = _flip(), _flip(-1), _flip(-2), _flip(-2, -1)
    quarters = [_turn(k) for k in range(4)]

    turned = [_then(first, turn) for first in (none, left) for turn in quarters]

    def rows(*moves: Move) -> Rows:
        return like(_TURN, moves, np.arange(16.0).reshape(1, 4, 4))

    return [
        fixed("mirror image", "field", rows(none, left), "ttach 0.0.3, aliases.hflip_transform"),
        fixed(
            "all flips",
            "field",
            rows(none, up, left, both),
            "nnU-Net 2.8.1, inference/predict_from_raw_data.py; ttach 0.0.3, aliases.flip_transform",
        ),
        fixed("quarter turns", "field", rows(*quarters), "ttach 0.0.3, transforms.Rotate90"),
        fixed(
            "d4_transform",
            "field",
            rows(*turned),
            "ttach 0.0.3, aliases.d4_transform",
        ),
    ]


CASE = Case(
    "photographs",
    "Photographs, 8 turns and mirrors",
    ("network", "forest", f"network, {UNMOVED}"),
    ACCURACY,
    numbers,
    prepare,
    sizes=tuple(range(1, 9)),
    few=(1, 2, 4),
)
