"""PictureStrips: what the agent saw, step by step, in strips of pictures below each other.

A strip is a PNG of some pictures, the oldest on top: what stands still from one picture to the next lies at the same
distance in its rows, so that a strip takes little more room than its changes. Strips lie in a zip archive, stored,
named by their number. Picture *n* belongs to frame *n* of the video, and to record *n* of the file of step records.
"""

from __future__ import annotations

import zipfile
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from rlviz.analysis.pictures import PictureLayout, is_picture
from rlviz.domain.evaluation import PicturesFacts
from rlviz.recording.pictures import as_png
from rlviz.rollout.episode import Env
from rlviz.rundir.atomic import atomic_write
from rlviz.rundir.folder import strip_name

PICTURES_A_STRIP = 64
STRIP_BYTES = 4_000_000
"""Uncompressed, at most: of large pictures a strip holds fewer."""

TALLEST = 16_384
"""Rows of a strip, at most: not every browser decodes a taller picture."""


def picture_layout(env: Env) -> PictureLayout | None:
    """How the observations of ``env`` are made of pictures; None if they are not."""
    space = env.observation_space
    shape = space.shape or ()
    return PictureLayout.of(shape) if isinstance(space, spaces.Box) and is_picture(shape, space.dtype) else None


class PictureStrips:
    """Keeps the newest picture of each observation at ``path``, whole or not at all. No more than two strips wait in
    memory, one of which is compressed in a thread of its own; once ``max_bytes`` are written, what comes is left out,
    and the facts say so."""

    def __init__(self, path: Path, folder: Path, layout: PictureLayout, *, max_bytes: int) -> None:
        """``folder`` is the run folder that ``path`` lies in."""
        self._path, self._folder, self._layout, self._max_bytes = path, folder, layout, max_bytes
        size = layout.height * layout.width * layout.colours
        self._a_strip = max(1, min(PICTURES_A_STRIP, STRIP_BYTES // size, TALLEST // layout.height))
        self._waiting: list[NDArray[np.uint8]] = []
        self._compressing: Future[bytes] | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="picture-strips")
        self._block: AbstractContextManager[Any]
        self._archive: zipfile.ZipFile
        self._strips = self._pictures = self._bytes = 0
        self._cut = False

    def __enter__(self) -> Self:
        self._block = atomic_write(self._path, self._folder)
        self._archive = zipfile.ZipFile(self._block.__enter__(), "w", zipfile.ZIP_STORED)
        return self

    def add(self, observation: NDArray[np.uint8]) -> None:
        """Append its newest picture. Raises OSError, a full disk for instance."""
        if self._bytes >= self._max_bytes:
            self._cut = True
            return
        self._waiting.append(np.array(self._layout.split(observation)[-1]))
        if len(self._waiting) == self._a_strip:
            self._flush()

    def leave_out_the_rest(self) -> None:
        """Keep no more of what comes."""
        self._max_bytes = 0

    def facts(self, file: str) -> PicturesFacts:
        """What was written, once the block has been left; ``file`` is what to call it."""
        return PicturesFacts(
            file=file,
            width=self._layout.width,
            height=self._layout.height,
            pictures=self._pictures,
            pictures_a_strip=self._a_strip,
            seen_together=self._layout.count,
            size_bytes=self._path.stat().st_size,
            cut=self._cut,
        )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is None:
                self._flush()
                self._write()
            self._thread.shutdown()
            self._archive.close()
        except BaseException as failure:
            self._block.__exit__(type(failure), failure, failure.__traceback__)
            raise
        self._block.__exit__(kind, error, trace)

    def _flush(self) -> None:
        if not self._waiting:
            return
        strip = np.concatenate(self._waiting)
        self._pictures += len(self._waiting)
        self._waiting.clear()
        self._write()
        self._compressing = self._thread.submit(as_png, strip[..., 0] if self._layout.colours == 1 else strip, level=6)
        if self._bytes + strip.nbytes >= self._max_bytes:  # it may be the last one
            self._write()

    def _write(self) -> None:
        """Append the strip that is being compressed to the archive."""
        if self._compressing is None:
            return
        content = self._compressing.result()
        self._compressing = None
        self._archive.writestr(strip_name(self._strips), content)
        self._strips += 1
        self._bytes += len(content)
