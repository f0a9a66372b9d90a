"""KeptFrames: the frames of an evaluation that are kept as pictures, in a zip archive beside its records.

Each entry is a JPEG, stored, and named by its episode, its step and why it was kept: ``0-120-spike.jpg``.
"""

from __future__ import annotations

import zipfile
from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Self

from rlviz.domain.recording import Detail, FrameReason
from rlviz.recording.frame_choice import FrameChoice
from rlviz.recording.pictures import Pixels, as_jpeg
from rlviz.rollout.episode import Step
from rlviz.rundir.atomic import atomic_write
from rlviz.rundir.evaluation_files import frame_name

BEFORE_AN_ERROR = 8
"""Frames that are held in memory, to be kept if the environment fails."""

MAX_WAITING_BYTES = 64 << 20
"""Frames that wait to be encoded, at most: more are dropped, so that nobody waits for the encoder."""

_ROOM = {FrameReason.INTERVAL: 0.5, FrameReason.SPIKE: 0.8, FrameReason.END: 0.8, FrameReason.ERROR: 1.0}
"""Share of the bytes up to which frames of each reason are written: for those that matter more there is always room."""


@dataclass(eq=False, slots=True)
class _Kept:
    episode: int
    index: int
    reason: FrameReason
    pixels: Pixels


class KeptFrames:
    """Encodes and writes in a thread of its own. No file is left if no frame was kept. Leaving the block by an
    exception keeps the last frames before it as well."""

    def __init__(self, path: Path, folder: Path, *, every: int, max_bytes: int) -> None:
        """``folder`` is the run folder that ``path`` lies in."""
        self._path, self._folder, self._max_bytes = path, folder, max_bytes
        self._choice = FrameChoice(every)
        self._last: deque[_Kept] = deque(maxlen=BEFORE_AN_ERROR)
        self._reason: tuple[Step, FrameReason | None] | None = None
        self._queue: SimpleQueue[_Kept | None] = SimpleQueue()
        self._bytes = 0
        self._failure: BaseException | None = None
        self._thread = Thread(target=self._run, name="kept-frames", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def wants(self, step: Step, detail: Detail) -> bool:
        """Whether the frame of ``step`` shall be drawn to be kept. To be asked of each step once, in order."""
        self._reason = step, self._choice.reason(step, detail)
        return self._reason[1] is not None

    def look(self, step: Step, pixels: Pixels) -> None:
        """A frame was drawn, wanted or not. ``pixels`` must not change any more."""
        known, reason = self._reason or (None, None)
        kept = _Kept(step.episode, step.number, reason or FrameReason.ERROR, pixels)
        self._last.append(kept)
        if known is step and reason is not None and self._queue.qsize() * pixels.nbytes < MAX_WAITING_BYTES:
            self._queue.put(kept)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception):
            for kept in self._last:
                self._queue.put(replace(kept, reason=FrameReason.ERROR))
        self._queue.put(None)
        self._thread.join()
        if self._failure is not None and error is None:
            raise self._failure

    def _run(self) -> None:
        first = self._queue.get()
        if first is None:
            return
        try:
            with atomic_write(self._path, self._folder) as file, zipfile.ZipFile(file, "w") as archive:
                self._write(archive, first)
        except Exception as failure:
            self._failure = failure
            while self._queue.get() is not None:  # whoever plays goes on
                pass

    def _write(self, archive: zipfile.ZipFile, first: _Kept) -> None:
        kept: _Kept | None = first
        written: set[tuple[int, int]] = set()
        while kept is not None:
            place = kept.episode, kept.index
            if place not in written and self._bytes < _ROOM[kept.reason] * self._max_bytes:
                content = as_jpeg(kept.pixels)
                archive.writestr(frame_name(*place, kept.reason), content)
                written.add(place)
                self._bytes += len(content)
            kept = self._queue.get()
