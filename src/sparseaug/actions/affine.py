"""Random affine maps of images, batched: rotation, shear, scale and shift by bilinear interpolation.

An output pixel p takes the value of the image at A^-1 (p - c - t) + c, with c the centre, t the shift
and A = rotation shear scale; beyond the border the image is 0. Each is a mean of four entries, whose
places and weights are prepared once: so the result is differentiable, and the same in NumPy, torch and
JAX up to rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from sparseaug._checks import check_real
from sparseaug.actions.arrays import Array, Shape, gather
from sparseaug.actions.linear import require_floats
from sparseaug.actions.random import RandomAction
from sparseaug.errors import ArgumentError, shorten
from sparseaug.groups import Rows
from sparseaug.groups.distributions.ranges import Ranges

_NAMES = ("degrees", "shift_x", "shift_y", "scale", "shear")


@final
@dataclass(frozen=True)
class RandomAffine(RandomAction):
    """A row is (degrees, shift_x, shift_y, scale, shear)."""

    ranges: Ranges
    axes = (-2, -1)
    parts = 2

    @property
    def distribution(self) -> Ranges:
        return self.ranges

    def prepare(self, elements: Rows, shape: Shape) -> tuple[NDArray[Any], ...]:
        """Places (k, 4, H W) and weights (k, 4, H W) of the four entries."""
        if len(shape) < 3:
            raise ArgumentError(f"x has shape {shape}; give images (n, ..., height, width).")
        height, width = shape[-2:]
        turn, skew = np.deg2rad(elements[:, 0]), np.tan(np.deg2rad(elements[:, 4]))
        cos, sin = np.cos(turn) * elements[:, 3], np.sin(turn) * elements[:, 3]
        # rows count downwards: the first row of A is (cos, sin) for a counter-clockwise turn
        forward = np.array([[cos, cos * skew + sin], [-sin, cos - sin * skew]]).transpose(2, 0, 1)
        back = np.linalg.inv(forward)
        y, x = np.mgrid[:height, :width].reshape(2, -1)
        centre = np.array([(width - 1) / 2, (height - 1) / 2])
        shift = elements[:, 1:3] * (width, height)
        points = np.stack([x, y]) - (centre + shift)[:, :, None]
        source = back @ points + centre[:, None]
        low = np.floor(source)
        part = source - low
        places, weights = [], []
        for right in (0, 1):
            for down in (0, 1):
                column, row = low[:, 0] + right, low[:, 1] + down
                weight = abs(1 - right - part[:, 0]) * abs(1 - down - part[:, 1])
                inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
                places.append(np.where(inside, row * width + column, 0).astype(np.int64))
                weights.append(np.where(inside, weight, 0.0))
        return np.stack(places, axis=1), np.stack(weights, axis=1)

    def apply(self, prepared: Sequence[Array], x: Array) -> Array:
        require_floats(x)
        places, weights = prepared
        k, shape = places.shape[0], (*(1,) * (x.ndim - 3), *x.shape[-2:])
        moved = 0.0
        for corner in range(4):
            weight = weights[:, corner].reshape((k, *shape))
            moved = moved + gather(x, places[:, corner], self.axes) * weight
        return moved


def random_affine(
    degrees: Any = 0.0,
    translate: Any = 0.0,
    scale: Any = 1.0,
    shear: Any = 0.0,
) -> RandomAffine:
    """Random affine maps of images (n, ..., height, width), as an action on floating-point arrays.

    A row is (degrees, shift_x, shift_y, scale, shear), each uniform in its range:
    `act.distribution.quantile(u)` turns Sobol points into rows. A number r stands for -r..r, of the
    scale for 1-r..1+r only as a pair. Counter-clockwise; the image is 0 beyond its border.

    Args:
        degrees: of rotation: a number, or a pair (least, largest)
        translate: shift in parts of the width and the height: a number or a pair
        scale: a pair, such as (0.8, 1.2)
        shear: in degrees: a number or a pair

    Examples:
        >>> import numpy as np, sparseaug as sa
        >>> act = sa.random_affine(degrees=30, translate=0.1, scale=(0.8, 1.2))
        >>> S = sa.Oracle(act.distribution, seed=0).draw(16)
        >>> act(S, np.ones((5, 3, 8, 8))).shape
        (16, 5, 3, 8, 8)
        >>> quarter = np.array([[90.0, 0.0, 0.0, 1.0, 0.0]])
        >>> sa.random_affine(degrees=90)(quarter, np.eye(2)[None]).round(6)[0, 0].tolist()
        [[0.0, 1.0], [1.0, 0.0]]
    """
    turn, shift, skew = ends("degrees", degrees), ends("translate", translate), ends("shear", shear)
    sizes = ends("scale", (scale, scale) if np.isscalar(scale) else scale)
    if sizes[0] <= 0 or max(map(abs, skew)) >= 90:
        raise ArgumentError(f"scale={scale} must be above 0, and shear={shear} within 90 degrees.")
    given = zip(_NAMES, (turn, shift, shift, sizes, skew), strict=True)
    return RandomAffine(Ranges("affine", tuple((name, *pair) for name, pair in given)))


def ends(name: str, given: Any) -> tuple[float, float]:
    """(-r, r) for a number r, or the pair; an `ArgumentError` for anything else."""
    if isinstance(given, tuple | list) and len(given) == 2:
        low, high = (check_real(name, part) for part in given)
    else:
        high = abs(check_real(name, given))
        low = -high
    if low > high:
        raise ArgumentError(f"{name}={shorten(given)} must be (least, largest).")
    return low, high
