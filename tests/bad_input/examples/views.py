"""Good arguments for stores of views."""

from __future__ import annotations

import tempfile

import numpy as np

import sparseaug as sa
from sparseaug import views
from tests.bad_input.judge import Fresh, Table

FOLDER = tempfile.TemporaryDirectory()  # gone with the process
X = np.arange(12.0).reshape(4, 3)
ACTION = sa.permute_axis(sa.cyclic(3))
S = sa.Oracle(ACTION.group, 1).draw(3)
STORE = views.compute(X, ACTION, S, out=f"{FOLDER.name}/store")
NEW = Fresh(lambda: tempfile.mkdtemp(dir=FOLDER.name))
LABELS = ("tensor of NaN", "frame of text")  # four numbers, and four words

store = Table(
    {
        **{"source": X, "action": ACTION, "S": S, "function": abs, "out": NEW, "name": None},
        **{"dtype": "float32", "compress": False, "column": None, "batch": 2, "workers": 1},
        **{"progress": None, "path": f"{FOLDER.name}/store", "samples": [0], "elements": [1]},
        **{"y": [0, 1, 2, 3], "items": "views", "by": None, "fractions": [0.5, 0.5], "rng": 0},
    },
    takes={"y": LABELS},
)

EXAMPLES = [
    store(views.compute, name="size"),
    store(views.open),
    *map(store, (STORE.array, STORE.mean, STORE.dataset, STORE.xy, STORE.spectrum)),
    *map(store, (STORE.verify, STORE.split)),
    store(STORE.at),
    store(sa.views.export, store=STORE, format="npz"),
    store(STORE.extend, S=sa.GroupSample.full(ACTION.group)),
]
