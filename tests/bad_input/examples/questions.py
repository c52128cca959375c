"""Good arguments of what is asked before training: is the symmetry there, what does this list miss."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import sparseaug as sa
from tests.bad_input.examples.core import ACT, MOVED, X
from tests.bad_input.judge import Example


def of_symmetry_tests() -> Iterator[Example]:
    good = {"x": X, "action": ACT, "S": "full", "move": "each", "draws": 5, "seed": 0}
    takes = {"x": tuple(each for each in MOVED if each != "array of NaN"), "y": ("array of text",)}
    yield Example(
        sa.test_invariance, {**good, "statistic": "energy", "y": X[:, 0]}, takes=takes, also=("y",)
    )
    bits = np.array([[0, 1, 1, 0]] * 5)
    within = {**good, "x": bits, "move": "targets", "y": np.arange(5)}
    yield Example(sa.test_invariance, within, takes=takes, also=("y",))
    yield Example(
        sa.broken_symmetries,
        {"x": X, "action": ACT, "subgroups": {"swap": [[1, 0, 2, 3]]}, "level": 0.05},
        takes=takes,
    )


def of_inspection() -> Iterator[Example]:
    yield Example(sa.inspect, {"rows": [[1, 0, 2, 3]], "group": "S4"})
    yield Example(sa.inspect, {"rows": [[1, 0], [0, 1]], "group": sa.sign_flips(2)})


EXAMPLES = [*of_symmetry_tests(), *of_inspection()]
