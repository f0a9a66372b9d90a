"""The curve of the return in the corner of a frame, up to the policy that plays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from rlviz.analysis.arrays import Floats
from rlviz.analysis.downsample import downsample
from rlviz.analysis.moving import moving_average
from rlviz.analysis.return_curve import WINDOW
from rlviz.domain.records import EPISODE_REWARD
from rlviz.recording.pictures import Pixels
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.metric_rows import counted_rows

_POINTS = 200
_SHARE = 0.34  # share of the picture's width
_SMALLEST = 96  # pixels; a smaller curve cannot be read
_MIN_PICTURE = 320  # pixels; smaller pictures are enlarged by a whole number
_BACKGROUND, _ALL, _DONE, _NOW = (20, 22, 28), (92, 98, 112), (94, 178, 255), (255, 196, 84)
_OPACITY = 0.85


@dataclass(frozen=True)
class Progress:
    """Environment steps, and the mean return of the last episodes at each; both of shape (n,)."""

    steps: Floats
    returns: Floats


def progress_of(folder: RunFolder) -> Progress:
    """The curve of the mean return over the whole training, in a few points; empty if no episode has ended.

    Raises RunFolderError.
    """
    steps, returns = list[float](), list[float]()
    for row in counted_rows(folder):
        value = row["values"].get(EPISODE_REWARD)
        if isinstance(value, int | float):
            steps.append(float(row["step"]))
            returns.append(float(value))
    if not steps:
        return Progress(np.empty(0), np.empty(0))
    means = moving_average(np.array(returns), min(WINDOW, len(returns)))
    known = np.isfinite(means)
    return Progress(*downsample(np.array(steps)[known], means[known], _POINTS))


class GrowthPicture:
    """Draws ``progress``, with the part up to ``step`` marked, into the upper right corner of pictures of one size."""

    def __init__(self, progress: Progress, step: int) -> None:
        self._progress, self._step = progress, step
        self._inset: Pixels | None = None

    def draw(self, picture: Pixels) -> Pixels:
        """A new picture; a small one is enlarged by a whole number."""
        times = -(-_MIN_PICTURE // picture.shape[1])
        drawn: Pixels = np.repeat(np.repeat(picture, times, axis=0), times, axis=1) if times > 1 else picture.copy()
        if self._inset is None:
            self._inset = self._paint(max(_SMALLEST, round(drawn.shape[1] * _SHARE)))
        height, width = self._inset.shape[:2]
        margin = max(4, width // 24)
        corner = drawn[margin : margin + height, -margin - width : -margin]
        inset = self._inset[: corner.shape[0]]
        corner[:] = (corner * (1 - _OPACITY) + inset * _OPACITY).astype(np.uint8)
        return drawn

    def _paint(self, width: int) -> Pixels:
        """The curve alone; drawn at twice the size and scaled down for smooth lines."""
        size = (2 * width, round(1.1 * width))
        image = Image.new("RGB", size, _BACKGROUND)
        draw = ImageDraw.Draw(image)
        points = self._points(*size)
        if len(points) > 1:
            draw.line(points, _ALL, 3)
            done = [point for point, step in zip(points, self._progress.steps, strict=True) if step <= self._step]
            if len(done) > 1:
                draw.line(done, _DONE, 5)
            x, y = done[-1] if done else points[0]
            draw.ellipse((x - 7, y - 7, x + 7, y + 7), _NOW)
        return np.asarray(image.resize((width, size[1] // 2), Image.Resampling.LANCZOS))

    def _points(self, width: int, height: int) -> list[tuple[float, float]]:
        steps, returns, pad = self._progress.steps, self._progress.returns, 14
        if len(steps) == 0:
            return []
        reach, low = max(float(steps[-1]), 1.0), float(returns.min())
        span = max(float(returns.max()) - low, 1e-9)
        x = pad + (width - 2 * pad) * steps / reach
        y = height - pad - (height - 2 * pad) * (returns - low) / span
        return list(zip(x.tolist(), y.tolist(), strict=True))
