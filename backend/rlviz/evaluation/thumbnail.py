"""The frame of an episode that is kept as its thumbnail."""

from __future__ import annotations

from io import BytesIO

from PIL import Image

from rlviz.recording.pictures import Pixels

WIDTH = 160
"""Width in pixels."""

_KEPT = 16
_OVERSIZE = 4
"""Frames wait at this multiple of the width at most. Only the one that is kept is scaled down smoothly, which takes
longer than copying it."""
PLACE = 0.65
"""Position of the frame as a share of the episode: it is under way by then, and most failures come later."""


class Thumbnail:
    """Picks a frame of an episode of unknown length. It keeps evenly spaced frames; when there are too many, every
    second one is dropped, and from then on half as many are taken."""

    def __init__(self) -> None:
        self._frames: list[Pixels] = []
        self._shown, self._stride = 0, 1

    def show(self, picture: Pixels) -> None:
        if self._shown % self._stride == 0:
            every = max(1, picture.shape[1] // (_OVERSIZE * WIDTH))
            self._frames.append(picture[::every, ::every].copy())
            if len(self._frames) > _KEPT:
                del self._frames[1::2]
                self._stride *= 2
        self._shown += 1

    def webp(self) -> bytes:
        image = Image.fromarray(self._frames[int((len(self._frames) - 1) * PLACE)])
        height = max(1, round(image.height * WIDTH / image.width))
        file = BytesIO()
        image.resize((WIDTH, height), Image.Resampling.BILINEAR).save(file, "WEBP", quality=60, method=2)
        return file.getvalue()
