"""Observations that are pictures: splits stacked or coloured ones, and turns gradients into saliency maps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

COLOURS = 3

SMOOTHING = 1 / 40
"""Standard deviation of the Gaussian that smooths a saliency map, as a share of the side: two pixels of 84."""

REACH = 4.0
"""Cut-off of the Gaussian, in standard deviations."""


def is_picture(shape: Sequence[int], dtype: Any) -> bool:
    """Whether an array is a picture: bytes in rows and columns, with or without channels."""
    return np.dtype(dtype) == np.uint8 and len(shape) >= 2


@dataclass(frozen=True)
class PictureLayout:
    """How an observation is composed: ``count`` pictures, oldest first, with ``colours`` (1 or 3) each.

    The smallest of three dimensions is the channels, as in Stable-Baselines3. Leading channels are stacked grey
    frames; trailing channels are colours if there are three per picture.
    """

    count: int
    height: int
    width: int
    colours: int
    channels_first: bool

    @classmethod
    def from_shape(cls, shape: Sequence[int]) -> PictureLayout | None:
        """Return the layout for an observation shape; None unless it has two or three dimensions."""
        if len(shape) == 2:
            return cls(1, shape[0], shape[1], 1, True)
        if len(shape) != 3:
            return None
        if min(shape) == shape[0]:
            return cls(shape[0], shape[1], shape[2], 1, True)
        height, width, channels = shape
        colours = COLOURS if channels % COLOURS == 0 else 1
        return cls(channels // colours, height, width, colours, False)

    def split(self, observation: NDArray[Any]) -> NDArray[Any]:
        """Return (count, height, width, colours), in the type of ``observation``; a view if possible."""
        if self.channels_first:
            return observation.reshape(self.count, self.height, self.width, self.colours)
        return np.moveaxis(observation.reshape(self.height, self.width, self.count, self.colours), 2, 0)


def side_by_side(pictures: NDArray[Any]) -> NDArray[Any]:
    """Join (count, height, width, colours) into one picture, (height, count × width, colours)."""
    return np.concatenate(list(pictures), axis=1)


def salience(gradients: NDArray[Any]) -> NDArray[np.float64]:
    """Return the salience of each pixel, 0 to 1, shape (count, height, width), from gradients (count, height, width,
    colours).

    The largest magnitude over the colours, smoothed, relative to the maximum; all 0 if no pixel matters.
    """
    found = np.abs(np.asarray(gradients, np.float64)).max(axis=3)
    smooth = _smoothed(_smoothed(found, 1), 2)
    most = smooth.max()
    return smooth / most if np.isfinite(most) and most > 0 else np.zeros_like(smooth)


def _smoothed(pictures: NDArray[Any], axis: int) -> NDArray[Any]:
    """Smooth along ``axis`` with a Gaussian; at an edge, the existing pixels share the full weight.

    Adds shifted pictures instead of using a matrix product, because BLAS threads would take longer to synchronise
    than this takes in total.
    """
    moved = np.moveaxis(pictures, axis, 0)
    side = len(moved)
    deviation = max(side * SMOOTHING, 0.5)
    reach = min(side - 1, math.ceil(REACH * deviation))
    total, weights = np.zeros_like(moved), np.zeros(side)
    for offset in range(-reach, reach + 1):
        weight = math.exp(-0.5 * (offset / deviation) ** 2)
        to = slice(max(-offset, 0), side - max(offset, 0))
        total[to] += weight * moved[max(offset, 0) : side - max(-offset, 0)]
        weights[to] += weight
    return np.moveaxis(total / weights.reshape(-1, *(1,) * (moved.ndim - 1)), 0, axis)
