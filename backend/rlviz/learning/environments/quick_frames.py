"""Draws frames of pygame environments faster. Only workers may import it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
import pygame
from numpy.typing import NDArray
from pygame import surfarray

from rlviz.learning.environments.wrappers import Wrapper

_MASKS = (0xFF0000, 0xFF00, 0xFF)
"""Bit masks of red, green and blue in pygame's usual surfaces, whose pixels are bytes of blue, green, red and padding.
"""


class QuickFrames(Wrapper):
    """Renders the same frames in a third of the time.

    Gymnasium's environments copy a drawn frame by ``np.array(surfarray.pixels3d(surface))``, which copies byte by byte
    and takes longer than drawing. While this wrapper renders, OpenCV copies instead. The environment must only read the
    result of ``pixels3d``, as Gymnasium's do, because it does not refer to the surface.
    """

    def render(self) -> Any:
        usual = surfarray.pixels3d

        def quick(surface: pygame.Surface) -> Any:
            return _Pixels(surface) if _is_usual(surface) else usual(surface)

        surfarray.pixels3d = quick
        try:
            return self.env.render()
        finally:
            surfarray.pixels3d = usual


@dataclass(frozen=True)
class _Pixels:
    """A surface that ``np.array`` converts to an array (width, height, 3), stored in memory row by row."""

    surface: pygame.Surface

    def __array__(self, dtype: object = None, copy: bool | None = None) -> NDArray[np.uint8]:
        width, height = self.surface.get_size()
        buffer: Any = self.surface.get_buffer()
        rows = np.frombuffer(buffer, np.uint8).reshape(height, self.surface.get_pitch())
        pixels = rows[:, : 4 * width].reshape(height, width, 4)
        picture = np.asarray(cv2.cvtColor(pixels, cv2.COLOR_BGRA2RGB), np.uint8)
        return picture.transpose(1, 0, 2)


def _is_usual(surface: pygame.Surface) -> bool:
    return surface.get_bytesize() == 4 and surface.get_masks()[:3] == _MASKS
