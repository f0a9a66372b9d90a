"""Observations that are pictures, taken apart: several grey ones on top of each other, or colours."""

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
"""Of a picture's side: the standard deviation of the Gaussian that smooths a saliency map; two pixels of 84."""

REACH = 4.0
"""Standard deviations: what is further away counts for nothing."""


def is_picture(shape: Sequence[int], dtype: Any) -> bool:
    """Whether an array is one: bytes in rows and columns, with or without channels."""
    return np.dtype(dtype) == np.uint8 and len(shape) >= 2


@dataclass(frozen=True)
class PictureLayout:
    """What an observation of a shape is made of: ``count`` pictures, the oldest first, of ``colours`` (1 or 3) each.

    The smallest of three dimensions counts the channels, as in Stable-Baselines3. Those that come first are grey
    pictures, as every stack of frames has them; those that come last are colours if there are three for each.
    """

    count: int
    height: int
    width: int
    colours: int
    channels_first: bool

    @classmethod
    def of(cls, shape: Sequence[int]) -> PictureLayout | None:
        """None for what is no picture: it has two dimensions or three."""
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
        """(count, height, width, colours): a view if that can be, in the type of ``observation``."""
        if self.channels_first:
            return observation.reshape(self.count, self.height, self.width, self.colours)
        return np.moveaxis(observation.reshape(self.height, self.width, self.count, self.colours), 2, 0)


def side_by_side(pictures: NDArray[Any]) -> NDArray[Any]:
    """(count, height, width, colours) as one picture, (height, count × width, colours)."""
    return np.concatenate(list(pictures), axis=1)


def salience(gradients: NDArray[Any]) -> NDArray[np.float64]:
    """Of each pixel of (count, height, width, colours) gradients, from 0 to 1: (count, height, width).

    The largest magnitude of its colours, smoothed, as a share of the largest there is. All 0 where nothing counts.
    """
    found = np.abs(np.asarray(gradients, np.float64)).max(axis=3)
    smooth = _smoothed(_smoothed(found, 1), 2)
    most = smooth.max()
    return smooth / most if np.isfinite(most) and most > 0 else np.zeros_like(smooth)


def _smoothed(pictures: NDArray[Any], axis: int) -> NDArray[Any]:
    """A Gaussian along ``axis``; at an edge the pixels that are there count for all.

    Sums of shifted pictures: a matrix product would start the threads of BLAS, which on a busy machine wait for each
    other for longer than all of this takes.
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
