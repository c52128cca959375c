"""Good arguments for stores of views."""

from __future__ import annotations

import tempfile

import numpy as np

import sparseaug as sa
from tests.bad_input.judge import Example, Fresh

FOLDER = tempfile.TemporaryDirectory()  # gone with the process
X = np.arange(12.0).reshape(4, 3)
ACTION = sa.permute_axis(sa.cyclic(3))
S = sa.Oracle(ACTION.group, 1).draw(6)
STORE = sa.views.compute(X, ACTION, S, out=f"{FOLDER.name}/store")
NEW = Fresh(lambda: tempfile.mkdtemp(dir=FOLDER.name))
LABELS = ("tensor of NaN", "frame of text")  # four numbers, and four words

EXAMPLES = [
    Example(
        sa.views.compute,
        {
            "source": X,
            "action": ACTION,
            "S": S,
            "function": abs,
            "out": NEW,
            "name": "size",
            "dtype": "float32",
            "column": None,
            "batch": 2,
            "workers": 1,
            "progress": None,
        },
    ),
    Example(sa.views.open, {"path": f"{FOLDER.name}/store"}),
    Example(STORE.array, {"name": None, "samples": [0], "elements": [1]}),
    Example(STORE.mean, {"name": None, "samples": [0]}),
    Example(
        STORE.dataset,
        {"y": [0, 1, 2, 3], "items": "views", "name": None, "samples": [0]},
        takes={"y": LABELS},
    ),
    Example(STORE.xy, {"y": [0, 1, 2, 3], "name": None, "samples": [0]}, takes={"y": LABELS}),
    Example(STORE.spectrum, {"name": None, "samples": [0], "by": None}),
    Example(STORE.verify, {"progress": None}),
    Example(STORE.split, {"fractions": [0.5, 0.5], "rng": 0}),
    Example(
        STORE.extend,
        {"S": sa.GroupSample.full(ACTION.group), "source": X, "action": ACTION, "function": None},
    ),
]
