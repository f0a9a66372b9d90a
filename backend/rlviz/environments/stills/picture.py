"""Makes a still out of a frame."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from PIL import Image

from rlviz.environments.stills import WIDTH

QUALITY = 80


def save(picture: Image.Image, target: Path | BinaryIO) -> None:
    """``picture`` as WebP, WIDTH pixels wide. Low-resolution pixels stay sharp."""
    height = round(picture.height * WIDTH / picture.width)
    enlarged = picture.width < WIDTH
    sampling = Image.Resampling.NEAREST if enlarged else Image.Resampling.LANCZOS
    picture.resize((WIDTH, height), sampling).save(target, "WEBP", quality=QUALITY, method=6)
