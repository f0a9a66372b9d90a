"""The caption of a video frame: episode, step, and return so far."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from rlviz.recording.pictures import Pixels

STRIP_HEIGHT = 28
"""Height in pixels; even, so that a picture of even height stays even."""

MIN_WIDTH = 400
"""Width in pixels below which the three fields do not fit."""

BACKGROUND = 24
_FOREGROUND = 235
_FONT_SIZE = 16
_MARGIN = 10


class Text(Protocol):
    """The three fields of a frame's caption."""

    def fields(self) -> tuple[str, str, str]: ...


class Caption(NamedTuple):
    """The caption of a frame. ``step`` is 0 for the frame after the reset."""

    episode: int
    episodes: int
    step: int
    episode_return: float

    def fields(self) -> tuple[str, str, str]:
        return (
            f"Episode {self.episode}/{self.episodes}",
            f"Step {self.step}",
            f"Return {_number(self.episode_return)}",
        )


class MomentCaption(NamedTuple):
    """The caption of a frame in a clip, with the policy of ``policy_step``."""

    policy_step: int
    step: int
    episode_return: float

    def fields(self) -> tuple[str, str, str]:
        return f"After {self.policy_step:,}", f"Step {self.step}", f"Return {_number(self.episode_return)}"


class PlayedCaption(NamedTuple):
    """The caption of a frame of an episode that is being played by hand."""

    step: int
    episode_return: float

    def fields(self) -> tuple[str, str, str]:
        return "Played by hand", f"Step {self.step}", f"Return {_number(self.episode_return)}"


def _number(value: float) -> str:
    return f"{value:.2f}" if abs(value) < 1e6 else f"{value:.4g}"


class CaptionStrip:
    """Draws captions into ``strip``, a (STRIP_HEIGHT, W, 3) view of the canvas with W ≥ MIN_WIDTH.

    A field is drawn again only when its text has changed, from glyphs that Pillow rendered once: some ten microseconds
    a frame.
    """

    def __init__(self, strip: Pixels) -> None:
        strip[:] = BACKGROUND
        width = strip.shape[1] - 2 * _MARGIN
        edges = [_MARGIN + width * part // 100 for part in (0, 37, 62, 100)]
        self._fields = [strip[:, left:right] for left, right in pairwise(edges)]
        self._texts = [""] * len(self._fields)

    def draw(self, caption: Text) -> None:
        for index, text in enumerate(caption.fields()):
            if text != self._texts[index]:
                _write(self._fields[index], text)
                self._texts[index] = text


def _write(field: Pixels, text: str) -> None:
    """Replace the text in ``field``, cut off where it does not fit."""
    line = np.concatenate([_glyph(character) for character in text], axis=1)
    width = min(line.shape[1], field.shape[1])
    field[:, :width] = line[:, :width, np.newaxis]
    field[:, width:] = BACKGROUND


@cache
def _font() -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(_FONT_SIZE)


@cache
def _glyph(character: str) -> Pixels:
    """``character`` as grey levels, (STRIP_HEIGHT, advance). Digits have equal widths, so that numbers do not move."""
    font = _font()
    image = Image.new("L", (round(font.getlength(character)), STRIP_HEIGHT), BACKGROUND)
    ImageDraw.Draw(image).text((0, (STRIP_HEIGHT - _FONT_SIZE) // 2 - 2), character, _FOREGROUND, font)
    return np.asarray(image)
