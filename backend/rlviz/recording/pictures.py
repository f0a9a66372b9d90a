"""Pictures as files: what an environment draws, checked, and as JPEG or PNG."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from rlviz.domain.errors import VideoNotWritten

Pixels = NDArray[np.uint8]

JPEG: dict[str, Any] = {"format": "JPEG", "quality": 85, "subsampling": 0}
"""A frame of 600 × 400 takes under a millisecond and 10 kB; WebP would be half as large and take five times as long.
Colours keep their resolution: most environments are drawn in thin lines of them."""


def check_picture(picture: object) -> Pixels:
    """``picture`` if it is (H, W, 3) with a byte a channel; raises VideoNotWritten for anything else."""
    if not isinstance(picture, np.ndarray):
        raise VideoNotWritten(
            f"The environment's render() gave {type(picture).__name__} where an RGB picture was expected; "
            'it must support render_mode "rgb_array".'
        )
    if picture.ndim != 3 or picture.shape[2] != 3 or picture.dtype != np.uint8 or picture.size == 0:
        raise VideoNotWritten(
            f"The environment's picture has shape {picture.shape} and type {picture.dtype}; "
            "(height, width, 3) of uint8 was expected."
        )
    return picture


def fit_picture(picture: Pixels, height: int, width: int) -> Pixels:
    """``picture``, (H, W, 3), in a picture of that size: itself if it has it, else scaled and with a black border."""
    if picture.shape[:2] == (height, width):
        return picture
    scale = min(height / picture.shape[0], width / picture.shape[1])
    scaled = max(1, round(picture.shape[0] * scale)), max(1, round(picture.shape[1] * scale))
    top, left = (height - scaled[0]) // 2, (width - scaled[1]) // 2
    fitted = np.zeros((height, width, 3), np.uint8)
    image = Image.fromarray(picture).resize((scaled[1], scaled[0]), Image.Resampling.BILINEAR)
    fitted[top : top + scaled[0], left : left + scaled[1]] = np.asarray(image)
    return fitted


def as_jpeg(frame: Pixels) -> bytes:
    """``frame``: (height, width, 3)."""
    file = BytesIO()
    Image.fromarray(frame).save(file, **JPEG)
    return file.getvalue()


def as_png(pixels: Pixels, *, level: int = 1) -> bytes:
    """``pixels``: (height, width), or with three colours. ``level``: how hard it is compressed, from 1 to 9."""
    file = BytesIO()
    Image.fromarray(pixels).save(file, "PNG", compress_level=level)
    return file.getvalue()
