"""Films episodes of a session, and decides which."""

from __future__ import annotations

import traceback
from concurrent.futures import Future
from pathlib import Path
from queue import SimpleQueue
from threading import Thread

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.errors import RlvizError, VideoNotWritten, summarize_error
from rlviz.domain.evaluation import VideoFacts
from rlviz.learning.playing.rollout import Step
from rlviz.learning.playing.video import PlayedCaption, VideoRecorder

MAX_WAITING_BYTES = 64 << 20
"""Largest size of frames waiting for the encoder: about ninety of 600 × 400 pixels, three seconds of play."""


class EpisodeFilm:
    """Encodes frames into ``path`` in a separate thread, so that ``add`` never waits.

    The video has one frame for each step, or does not exist: if more than MAX_WAITING_BYTES wait for the encoder, it is
    given up. ``finished`` has the facts of the complete video, or raises VideoNotWritten. Call ``finish`` or
    ``discard`` after the last frame.
    """

    def __init__(self, path: Path, *, fps: float) -> None:
        self.path = path
        self.finished: Future[VideoFacts] = Future()
        self._fps = fps
        self._frames: SimpleQueue[tuple[NDArray[np.uint8], PlayedCaption] | None] = SimpleQueue()
        self._given_up: str | None = None
        self._thread = Thread(target=self._run, name="film", daemon=True)
        self._thread.start()

    def add(self, frame: NDArray[np.uint8], caption: PlayedCaption) -> None:
        """Add a copy of ``frame`` (height, width, 3)."""
        if self._given_up is None and self._frames.qsize() * frame.nbytes >= MAX_WAITING_BYTES:
            self._give_up("The encoder could not keep up with the episode.")
        if self._given_up is None:
            self._frames.put((frame.copy(), caption))

    def finish(self) -> None:
        """Finish the video after the last frame. Returns at once."""
        self._frames.put(None)

    def discard(self) -> None:
        """Discard the video. Returns at once."""
        self._give_up("The episode was not kept.")

    def _give_up(self, why: str) -> None:
        self._given_up = why
        self._frames.put(None)

    def _run(self) -> None:
        try:
            self.finished.set_result(self._film())
        except (RlvizError, OSError) as error:
            self.finished.set_exception(VideoNotWritten(str(error)))
        except Exception as error:
            traceback.print_exc()
            self.finished.set_exception(VideoNotWritten(summarize_error(error)))

    def _film(self) -> VideoFacts:
        with VideoRecorder(self.path, fps=self._fps, fits=True) as video:
            while (item := self._frames.get()) is not None and self._given_up is None:
                video.add(*item)
            if self._given_up is not None:
                raise VideoNotWritten(self._given_up)
        return video.facts(self.path.name)


class Camera:
    """Films episodes from their start into files in ``folder``: all if ``always``, else those started by a person.

    A filmed step cannot be removed: an episode in which the viewer goes back has no video, unless they go back to its
    start.
    """

    def __init__(self, folder: Path, *, fps: float, always: bool) -> None:
        self._folder, self._fps, self._always = folder, fps, always
        self._film: EpisodeFilm | None = None
        self._films = 0
        self._next = 0

    def show(self, step: Step, frame: NDArray[np.uint8], *, person_acts: bool) -> None:
        """Film a step. ``person_acts``: whether a person took the last action before this episode."""
        if step.number == 0:
            self.discard()
            if self._always or person_acts:
                self._films += 1
                self._film = EpisodeFilm(self._folder / f"episode_{self._films}.mp4", fps=self._fps)
        elif step.number != self._next:
            self.discard()
        self._next = step.number + 1
        if self._film is not None:
            self._film.add(frame, PlayedCaption(step.number, step.episode_return))

    def take_film(self) -> EpisodeFilm | None:
        """Return the film of the finished episode, or None if it was not filmed."""
        film, self._film = self._film, None
        if film is not None:
            film.finish()
        return film

    def discard(self) -> None:
        """Discard the film of the episode."""
        if self._film is not None:
            self._film.discard()
        self._film = None
