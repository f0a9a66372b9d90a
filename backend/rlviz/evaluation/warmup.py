"""Paying in advance for what a first video and first step records cost."""

from __future__ import annotations

from contextlib import suppress

import imageio_ffmpeg
import numpy as np
from PIL import Image

from rlviz.evaluation.canvas import Canvas
from rlviz.evaluation.caption import Caption
from rlviz.provenance import package_versions


def warm_up() -> None:
    """Import what is imported when it is first needed, and do once what is remembered."""
    import numpy.ma  # noqa: F401  (by PyArrow, when it first converts an array)
    import pyarrow.parquet  # noqa: F401

    Image.init()  # a module for each format
    Canvas((2, 2, 3)).draw(np.zeros((2, 2, 3), np.uint8), Caption(1, 1, 0, 0.0))  # its font
    package_versions()
    with suppress(RuntimeError):  # told when it is needed
        imageio_ffmpeg.get_ffmpeg_exe()  # tries it out
