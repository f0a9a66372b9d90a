"""Camera: decides which episodes of a session are filmed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rlviz.evaluation.caption import PlayedCaption
from rlviz.rollout.episode import Step
from rlviz.sessions.episode_film import EpisodeFilm


class Camera:
    """Films episodes from their beginning, into files in ``folder``: each one if ``always``, else those that begin
    while a person has the controls.

    What was filmed cannot be taken back: an episode in which somebody goes a step back has no video, unless they go
    back to its beginning.
    """

    def __init__(self, folder: Path, *, fps: float, always: bool) -> None:
        self._folder, self._fps, self._always = folder, fps, always
        self._film: EpisodeFilm | None = None
        self._films = 0
        self._next = 0

    def show(self, step: Step, frame: NDArray[np.uint8], *, person_acts: bool) -> None:
        """``person_acts``: whether a person took the last action before this episode; needed at its beginning."""
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

    def take(self) -> EpisodeFilm | None:
        """The film of the episode, which is over; None if it was not filmed."""
        film, self._film = self._film, None
        if film is not None:
            film.finish()
        return film

    def discard(self) -> None:
        """The episode is not kept."""
        if self._film is not None:
            self._film.discard()
        self._film = None
