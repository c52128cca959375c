"""Heads on a frozen network: m stored views of chosen S, drawn S, own draws per sample, fresh ones.

The network of the digits is frozen but for its last layer; a head learns from 100 other digits moved at
random, and is judged on digits moved at random. A pass is one copy through the network: m for each
sample that is stored, whatever the epochs, and one for each sample and epoch of a stream.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import sparseaug as sa
from studies.pipelines.pairs import Pair, digits_network
from studies.pipelines.tables import table

EPOCHS = 64
SIZES = (4, 16)


def heads(seeds: int = 3, samples: int = 100) -> list[dict[str, Any]]:
    """One row for each kind of views, m and number of epochs: passes, seconds, accuracy."""
    network, x, y = digits_network()
    affine = sa.random_affine(degrees=35, translate=0.15, scale=(0.75, 1.25), shear=15)
    act = sa.product_action(sa.random_color(brightness=0.4, contrast=0.4), affine)
    pair = Pair("heads", network[0], act, x[800 : 800 + samples], samples)
    of, labels = act.distribution, y.numpy()
    test = table(pair, sa.Oracle(of, seed=999).draw(16).elements, x[1000:1400])
    train, truth = labels[800 : 800 + samples], np.tile(labels[1000:1400], 16)
    spectrum = sa.orbit_spectrum(pair.f, act, x[900:964], calls=256)
    found: dict[tuple[str, int, int], list[tuple[int, float, float]]] = {}
    for seed in range(seeds):
        for kind, m, epochs in _cases():
            start = time.monotonic()
            views = _views(kind, m, pair, spectrum, seed)
            seconds = time.monotonic() - start
            mean, scale = views.mean(axis=(0, 1)), views.std(axis=(0, 1)) + 1e-3
            head = _fit((views - mean) / scale, train, epochs, seed)
            moved = (test.reshape(-1, test.shape[-1]) - mean) / scale
            guess = (moved @ head[:-1] + head[-1]).argmax(axis=1)
            entry = len(views) * samples, seconds, float((guess == truth).mean())
            found.setdefault((kind, m, epochs), []).append(entry)
    return [
        {
            **dict(zip(("views", "m", "epochs"), key, strict=True)),
            "passes": one[0][0],
            "seconds": float(np.mean([part[1] for part in one])),
            "accuracy": float(np.mean([part[2] for part in one])),
            "spread": float(np.std([part[2] for part in one], ddof=1)),
        }
        for key, one in found.items()
    ]


def _cases() -> list[tuple[str, int, int]]:
    stored = [(kind, m, EPOCHS) for m in SIZES for kind in ("chosen", "drawn", "own")]
    return [*stored, *(("streaming", m, m) for m in (*SIZES, EPOCHS))]


def _views(kind: str, m: int, pair: Pair, spectrum: Any, seed: int) -> Any:
    """Features (m, samples, p): of a stream, one view of every sample for each epoch."""
    of, n = pair.action.distribution, len(pair.x)
    if (
        kind == "chosen"
    ):  # another pool for each seed would be another S; views are in another order
        S = sa.design(of, m=m, spectrum=spectrum)
        return table(pair, np.random.default_rng(seed).permutation(S.elements), pair.x)
    oracle = sa.Oracle(of, seed=100 * seed + m)
    if kind == "drawn":
        return table(pair, oracle.draw(m).elements, pair.x)
    own = oracle.draw(m * n).elements.reshape(n, m, -1)
    parts = [table(pair, own[i], pair.x[i : i + 1]) for i in range(n)]
    return np.concatenate(parts, axis=1)


def _fit(views: Any, labels: Any, epochs: int, seed: int, rate: float = 0.02) -> Any:
    """Softmax regression by stochastic gradients: epoch e takes view e mod m of every sample."""
    rng, (m, n, p) = np.random.default_rng(seed), views.shape
    head = np.zeros((p + 1, 10))
    for epoch in range(epochs):
        x = np.c_[views[epoch % m], np.ones(n)]
        for part in np.array_split(rng.permutation(n), n // 10):
            logits = x[part] @ head
            share = np.exp(logits - logits.max(axis=1, keepdims=True))
            share /= share.sum(axis=1, keepdims=True)
            share[np.arange(len(part)), labels[part]] -= 1
            head -= rate * x[part].T @ share / len(part)
    return head
