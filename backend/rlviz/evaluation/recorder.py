"""VideoRecorder: writes frames into an MP4 file that is either complete or absent."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Self

from rlviz.domain.errors import VideoNotWritten
from rlviz.domain.evaluation import VideoFacts
from rlviz.evaluation.canvas import Canvas
from rlviz.evaluation.caption import Text
from rlviz.evaluation.encoder import Encoder
from rlviz.recording.pictures import check_picture, fit_picture
from rlviz.rundir.atomic import temporary_name


class VideoRecorder:
    """Films into ``path`` at ``fps`` frames a second. Frames are encoded as they come and never kept.

    Leaving the block puts the complete, synced file at ``path``; leaving it by an exception, of
    whatever kind, leaves nothing. Raises VideoNotWritten if there was no frame, if one cannot be
    used, or if ffmpeg gives up.
    """

    def __init__(self, path: Path, *, fps: float, fits: bool = False) -> None:
        """``fits``: pictures of another size than the first are scaled to it, and not refused."""
        self.path, self.fps, self._fits = path, fps, fits
        self._size: tuple[int, int] | None = None
        self.frames = 0
        self._temporary = temporary_name(path)
        self._canvas: Canvas | None = None
        self._encoder: Encoder | None = None

    def __enter__(self) -> Self:
        return self

    def add(self, picture: object, caption: Text | None) -> None:
        """Append one frame: an (H, W, 3) array of bytes, the size of those before unless it ``fits``.

        All have captions, or none.
        """
        pixels = check_picture(picture)
        self._size = self._size or (pixels.shape[0], pixels.shape[1])
        if self._fits:
            pixels = fit_picture(pixels, *self._size)
        if self._canvas is None or self._encoder is None:
            self._canvas = Canvas(pixels.shape, captioned=caption is not None)
            self._encoder = Encoder(self._temporary, width=self._canvas.width, height=self._canvas.height, fps=self.fps)
        self._encoder.write(self._canvas.draw(pixels, caption))
        self.frames += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._publish()
        except BaseException:
            self._discard()
            raise
        if error is not None:
            self._discard()

    def facts(self, file: str) -> VideoFacts:
        """The video that was written, after the block; ``file`` is its path to note."""
        if self._canvas is None:
            raise VideoNotWritten("There is no video: no frame was recorded.")
        return VideoFacts(
            file=file,
            width=self._canvas.width,
            height=self._canvas.height,
            fps=self.fps,
            frames=self.frames,
            duration=self.frames / self.fps,
            size_bytes=self.path.stat().st_size,
        )

    def _publish(self) -> None:
        if self._encoder is None:
            raise VideoNotWritten("There is no video: no frame was recorded.")
        self._encoder.finish()
        with self._temporary.open("rb") as file:
            os.fsync(file.fileno())
        self._temporary.replace(self.path)

    def _discard(self) -> None:
        if self._encoder is not None:
            self._encoder.abort()
        self._temporary.unlink(missing_ok=True)
