"""One small picture of an episode that says what happens in it."""

from __future__ import annotations

from io import BytesIO

from PIL import Image

from rlviz.evaluation.caption import Pixels

WIDTH = 160
"""Pixels."""

_KEPT = 16
_PLACE = 0.65
"""Of the way through the episode: by then it is under way, and what goes wrong mostly goes wrong later."""


class Thumbnail:
    """Shown every frame of an episode whose length nobody knows, it keeps some that are evenly spaced.

    When there are too many, every second one is dropped and from then on half as many are taken.
    """

    def __init__(self) -> None:
        self._frames: list[Image.Image] = []
        self._shown, self._stride = 0, 1

    def show(self, picture: Pixels) -> None:
        if self._shown % self._stride == 0:
            image = Image.fromarray(picture)
            height = max(1, round(image.height * WIDTH / image.width))
            self._frames.append(image.resize((WIDTH, height), Image.Resampling.BILINEAR, reducing_gap=2.0))
            if len(self._frames) > _KEPT:
                del self._frames[1::2]
                self._stride *= 2
        self._shown += 1

    def webp(self) -> bytes:
        file = BytesIO()
        self._frames[int((len(self._frames) - 1) * _PLACE)].save(file, "WEBP", quality=60, method=2)
        return file.getvalue()
