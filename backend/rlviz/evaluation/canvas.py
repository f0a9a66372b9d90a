"""Canvas: one video frame, the environment's picture above its caption."""

from __future__ import annotations

import numpy as np
from PIL import Image

from rlviz.domain.errors import VideoNotWritten
from rlviz.evaluation.caption import BACKGROUND, MIN_WIDTH, STRIP_HEIGHT, CaptionStrip, Text
from rlviz.recording.pictures import Pixels

MAX_HEIGHT = 720
"""Minimum size of a video frame in pixels, caption included."""


class Canvas:
    """Reused for every frame of a video. ``pixels`` has shape (height, width, 3), both even.

    Pictures of ``shape`` (H, W, 3) that are too high are scaled down with their aspect ratio; odd sizes get a border,
    and so do those that are narrower than their caption, if they are ``captioned``.
    """

    def __init__(self, shape: tuple[int, ...], *, captioned: bool = True) -> None:
        self._shape = shape
        height, width = shape[:2]
        strip, least = (STRIP_HEIGHT, MIN_WIDTH) if captioned else (0, 0)
        room = MAX_HEIGHT - strip
        self._scaled = height > room
        if self._scaled:
            width, height = max(1, round(width * room / height)), room
        full = _even(max(width, least))
        left = (full - width) // 2
        self.pixels: Pixels = np.full((_even(height) + strip, full, 3), BACKGROUND, np.uint8)
        self._picture = self.pixels[:height, left : left + width]
        self._strip = CaptionStrip(self.pixels[-strip:]) if captioned else None

    @property
    def width(self) -> int:
        return int(self.pixels.shape[1])

    @property
    def height(self) -> int:
        return int(self.pixels.shape[0])

    def draw(self, picture: Pixels, caption: Text | None) -> Pixels:
        """Replace what is on the canvas. Raises VideoNotWritten if ``picture`` has changed its size."""
        if picture.shape != self._shape:
            raise VideoNotWritten(
                f"The environment's picture changed from {self._shape} to {picture.shape} within the video; "
                "it must keep its size."
            )
        self._picture[:] = self._shrink(picture) if self._scaled else picture
        if self._strip is not None and caption is not None:
            self._strip.draw(caption)
        return self.pixels

    def _shrink(self, picture: Pixels) -> Pixels:
        height, width = self._picture.shape[:2]
        image = Image.fromarray(picture).resize((width, height), Image.Resampling.BILINEAR, reducing_gap=2.0)
        return np.asarray(image)


def _even(length: int) -> int:
    return length + length % 2
