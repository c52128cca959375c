"""A small store, and what it must hold; without torch, so that processes start soon."""

from __future__ import annotations

import hashlib
import os
import time

import numpy as np

import sparseaug as sa

N = 23  # not a multiple of the batch
D4 = sa.dihedral(4)
ACTION = sa.rotate_grid(D4)
S = sa.GroupSample(D4, D4.all_elements()[[6, 0, 3, 5, 3]])  # not in order, and one twice
X = np.random.default_rng(0).normal(size=(N, 4, 4))


def features(x):
    """Not invariant, and the same whichever samples share a batch."""
    time.sleep(float(os.environ.get("SLOW", "0")))
    return np.stack([x[:, 0].sum(axis=-1), x[:, :, 0].max(axis=-1)], axis=1)


def several(x):
    return {"corner": x[:, 0, 0], "row": x[:, 1], "sign": x[:, 0] > 0}


def compute(out, source=X, S=S, function=features, **options):
    options = {"name": "features 1", "batch": 4, **options}
    return sa.views.compute(source, ACTION, S, function, out=out, **options)


def files(folder):
    """Every file and the SHA-256 of its bytes."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def values_of(folder):
    """The chunks of values alone."""
    return {name: digest for name, digest in files(folder).items() if name.startswith("values/c")}


def direct(S=S, function=features):
    """(n, m, ...) without the store."""
    return np.stack([function(moved) for moved in ACTION(S, X)], axis=1)
