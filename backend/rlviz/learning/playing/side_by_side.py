"""Writes one video of two evaluations side by side, each below a label. Runs in a separate process:

python -m rlviz.learning.playing.side_by_side      reads a SideBySide as JSON from standard input
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import numpy as np
from moviepy import ImageClip, VideoClip, VideoFileClip, clips_array
from PIL import Image, ImageDraw, ImageFont

from rlviz.domain.lazy_model import LazyModel
from rlviz.learning.playing.recording import Pixels
from rlviz.learning.playing.video import CODEC, PIXEL_FORMAT
from rlviz.machine import lower_priority

MAX_SECONDS = 30.0
"""Seconds that are shown of the videos: about three full episodes of CartPole."""

MAX_HEIGHT = 480
"""Height in pixels of each picture, without its label."""

NICENESS = 5
_LINE, _MARGIN, _FONT_SIZE = 24, 10, 16
_BACKGROUND, _TITLE, _SUBTITLE = (24, 24, 24), (235, 235, 235), (170, 170, 170)


class Part(LazyModel):
    """The video of an evaluation, and the two lines above it."""

    path: Path
    title: str
    subtitle: str


class SideBySide(LazyModel):
    """The videos to join, and the file to write."""

    parts: tuple[Part, Part]
    target: Path


def write_side_by_side(wanted: SideBySide) -> None:
    """Write the video. A part that ends first holds its last frame. Raises OSError."""
    clips = [VideoFileClip(str(part.path), audio=False) for part in wanted.parts]
    try:
        seconds = min(MAX_SECONDS, max(clip.duration for clip in clips))
        height = _even(min(MAX_HEIGHT, max(clip.h for clip in clips)))
        fitted = [_held(clip, seconds).resized((_even(clip.w * height / clip.h), height)) for clip in clips]
        labels = [
            ImageClip(label(part.title, part.subtitle, clip.w), duration=seconds)
            for part, clip in zip(wanted.parts, fitted, strict=True)
        ]
        clips_array([labels, fitted], bg_color=_BACKGROUND).write_videofile(
            str(wanted.target),
            fps=max(clip.fps for clip in clips),
            codec=CODEC,
            preset="veryfast",
            pixel_format=PIXEL_FORMAT,
            audio=False,
            threads=1,
            ffmpeg_params=["-movflags", "+faststart"],
            logger=None,
        )
    finally:
        for clip in clips:
            clip.close()


def label(title: str, subtitle: str, width: int) -> Pixels:
    """Draw both lines, shape (H, width, 3). Text that does not fit ends with an ellipsis."""
    image = Image.new("RGB", (width, 2 * _LINE), _BACKGROUND)
    draw = ImageDraw.Draw(image)
    for line, (text, colour) in enumerate(((title, _TITLE), (subtitle, _SUBTITLE))):
        draw.text((_MARGIN, line * _LINE + 2), _shortened(text, width - 2 * _MARGIN), colour, _font())
    return np.asarray(image)


def _held(clip: VideoClip, seconds: float) -> VideoClip:
    last = max(0.0, clip.duration - 1 / clip.fps)
    return clip.time_transform(lambda second: np.minimum(second, last)).with_duration(seconds)


def _shortened(text: str, width: int) -> str:
    if _font().getlength(text) <= width:
        return text
    while text and _font().getlength(f"{text}...") > width:
        text = text[:-1]
    return f"{text.rstrip()}..."


@cache
def _font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(_FONT_SIZE)


def _even(length: float) -> int:
    """Round to an even number, which libx264 needs for the pixel format that browsers play."""
    return max(2, round(length / 2) * 2)


if __name__ == "__main__":
    lower_priority(NICENESS)
    write_side_by_side(SideBySide.model_validate_json(sys.stdin.buffer.read()))
