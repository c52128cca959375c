"""Pipelines of albumentations, kornia and torchvision as actions: their randomness frozen by a seed.

Each sees one sample at a time, so that a row is one map for all samples. albumentations has generators
of its own and is seeded by its own method, on a copy; kornia and torchvision draw from torch's global
generator, which `random_transform` seeds and puts back. Name and version of the library and what the
pipeline prints make the name of the seeds: seeds of another pipeline or version are refused.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import InitVar, dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any, final

import numpy as np

from sparseaug._checks import check_callable
from sparseaug.actions.arrays import describe, is_tensor, map_leaves
from sparseaug.actions.random import RandomTransform, random_transform
from sparseaug.errors import ArgumentError, shorten


@final
@dataclass(frozen=True)
class Pipeline:
    """A pipeline that moves one sample; what it prints is compared, not what it remembers.

    Attributes:
        text: what it prints
    """

    text: str
    live: InitVar[Callable[[Any, np.random.Generator], Any]]

    def __post_init__(self, live: Any) -> None:
        object.__setattr__(self, "_live", live)

    def __call__(self, x: Any, rng: np.random.Generator) -> Any:
        return self._live(x, rng)  # type: ignore[attr-defined]


def albumentations(pipeline: Any) -> RandomTransform:
    """A pipeline of albumentations as an action on NumPy arrays, samples as (height, width, channels).

    A dict of image, mask, bboxes and so on goes to the pipeline by these names, and what comes back
    under the same names is kept; every sample must give arrays of the same shapes.

    Args:
        pipeline: an `albumentations.Compose`; a copy of it is taken

    Examples:
        >>> import albumentations as A, numpy as np, sparseaug as sa
        >>> pipeline = A.Compose([A.RandomResizedCrop((64, 64)), A.HorizontalFlip()])
        >>> act = sa.sources.albumentations(pipeline)
        >>> S = sa.Oracle(act.distribution, seed=0).draw(8)
        >>> act(S, np.zeros((5, 80, 80, 3), np.uint8)).shape
        (8, 5, 64, 64, 3)
    """
    if not hasattr(pipeline, "set_random_seed"):
        raise ArgumentError(f"pipeline={shorten(pipeline)} cannot be seeded; give a newer Compose.")
    return _action("albumentations", pipeline, partial(_by_albumentations, deepcopy(pipeline)))


def kornia(pipeline: Any) -> RandomTransform:
    """An augmentation of kornia as an action on tensors, samples as (channels, height, width).

    Args:
        pipeline: a module of kornia.augmentation, such as `AugmentationSequential`; a dict of tensors
            goes to one with data_keys=None
    """
    return _action("kornia", pipeline, partial(_by_kornia, pipeline))


def torchvision(pipeline: Any) -> RandomTransform:
    """A transform of torchvision.transforms.v2 as an action on tensors (channels, height, width).

    Of a dict "image", "video" and "mask" are moved together, each as what its name says.

    Args:
        pipeline: a transform, or a `Compose` of them
    """
    return _action("torchvision", pipeline, partial(_by_torchvision, pipeline))


def _action(library: str, pipeline: Any, live: Any) -> RandomTransform:
    check_callable("pipeline", pipeline, f"a pipeline of {library}")
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", repr(pipeline))
    try:
        number = version(library)
    except PackageNotFoundError:
        number = "of an unknown version"
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    name = f"{type(pipeline).__name__} {digest}, {library} {number}"
    return random_transform(Pipeline(text, live), name=name)


def _by_albumentations(pipeline: Any, x: Any, rng: np.random.Generator) -> Any:
    pipeline.set_random_seed(int(rng.integers(1 << 31)))
    if not isinstance(x, Mapping):
        return pipeline(image=x)["image"]
    moved = pipeline(**x)
    return {name: np.asarray(moved[name]) for name in x}


def _by_kornia(pipeline: Any, x: Any, rng: np.random.Generator) -> Any:
    moved = pipeline(map_leaves(lambda part: part[None], x))
    return map_leaves(lambda part: part[0], moved)


def _by_torchvision(pipeline: Any, x: Any, rng: np.random.Generator) -> Any:
    if is_tensor(x):
        return pipeline(x)
    names = ("image", "video", "mask")  # of several plain tensors it would move the first alone
    if not isinstance(x, Mapping) or not set(x) <= set(names):
        allowed = f"a tensor, or a dict of {', '.join(names)}"
        raise ArgumentError(
            f"torchvision does not know what to move in {describe(x)}; give {allowed}."
        )
    from torchvision import tv_tensors

    typed = {name: getattr(tv_tensors, name.capitalize())(part) for name, part in x.items()}
    return {name: part.as_subclass(type(x[name])) for name, part in pipeline(typed).items()}
