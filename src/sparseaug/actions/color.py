"""Random brightness, contrast and saturation of images, batched: factors as torchvision defines them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

from numpy.typing import NDArray

from sparseaug._checks import check_flag, check_not_negative
from sparseaug.actions.arrays import Array, Shape
from sparseaug.actions.linear import require_floats
from sparseaug.actions.random import RandomAction
from sparseaug.errors import ArgumentError
from sparseaug.groups import Rows
from sparseaug.groups.distributions.ranges import Ranges

_GREY = (0.299, 0.587, 0.114)  # ITU-R BT.601, of red, green and blue


@final
@dataclass(frozen=True)
class RandomColor(RandomAction):
    """A row is the factors of (brightness, contrast, saturation)."""

    ranges: Ranges
    clip: bool = True
    axes = (-3, -2, -1)

    @property
    def distribution(self) -> Ranges:
        return self.ranges

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        if len(shape) < 4 or shape[-3] not in (1, 3):
            raise ArgumentError(f"x has shape {shape}; give images (n, ..., 3 or 1, h, w).")
        return (elements,)

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        require_floats(x)
        rows = prepared[0]
        light, contrast, colour = (
            rows[:, j].reshape((rows.shape[0], *(1,) * (x.ndim - 1))) for j in range(3)
        )
        x = self._clipped(x * light)
        mean = _grey(x).mean((-2, -1))[..., None, None]
        x = self._clipped(contrast * x + (1 - contrast) * mean)
        return self._clipped(colour * x + (1 - colour) * _grey(x))

    def _clipped(self, x: Array) -> Array:
        return x.clip(0.0, 1.0) if self.clip else x


def random_color(
    brightness: float = 0.0,
    contrast: float = 0.0,
    saturation: float = 0.0,
    *,
    clip: bool = True,
) -> RandomColor:
    """Random brightness, contrast and saturation, in this order, of images (n, ..., channels, h, w).

    A row is the three factors, each uniform in 1-r..1+r and at least 0.

    Args:
        brightness: r of the factor that multiplies the image
        contrast: r of the factor of what differs from the mean grey
        saturation: r of the factor of what differs from grey, pixel by pixel
        clip: whether values are clipped to 0..1 after each; False for images that were standardised

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act = sa.random_color(brightness=0.2, saturation=0.5)
        >>> act(np.array([[0.8, 1.0, 1.0]]), np.ones((2, 3, 4, 4)))[0, 0, 0, 0]
        array([0.8, 0.8, 0.8, 0.8])
        >>> both = sa.product_action(act, sa.random_affine(degrees=10))  # first the affine map
        >>> both.distribution.width, both.distribution.dimensions
        (8, 8)
    """
    given = {"brightness": brightness, "contrast": contrast, "saturation": saturation}
    parameters = []
    for name, r in given.items():
        half = check_not_negative(name, r)
        parameters.append((name, max(0.0, 1.0 - half), 1.0 + half))
    return RandomColor(Ranges("color", tuple(parameters)), check_flag("clip", clip))


def _grey(x: Array) -> Array:
    """(..., 1, h, w): the grey of three channels, or the one there is."""
    if x.shape[-3] == 1:
        return x
    red, green, blue = (x[..., c : c + 1, :, :] for c in range(3))
    return _GREY[0] * red + _GREY[1] * green + _GREY[2] * blue
