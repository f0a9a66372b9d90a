"""PlayedRun: what is played by hand, kept as a run of the actor ``human``."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import wait
from copy import copy
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.step_record import Actor, StepRecord
from rlviz.recording.collected_episodes import EpisodeRows
from rlviz.recording.rows import reading_columns, rows_of
from rlviz.recording.step_recorder import generator_state
from rlviz.records.about import RecordedEpisode
from rlviz.records.writer import Row
from rlviz.rollout.episode import Env, Episode, Step
from rlviz.rollout.numbers import layout_of
from rlviz.sessions.camera import Camera
from rlviz.sessions.packets import Recording
from rlviz.sessions.played_folder import PlayedEpisode, PlayedFolder

LAST_VIDEO_SECONDS = 3.0
"""How long the end of a session waits for the videos of its last episodes; one that takes longer has none."""


class PlayedRun:
    """A sink of the player. An episode is kept if it was played to its end and a person acted in it, whoever else did.
    One that is left unfinished is left out: its return could not be compared with those of whole ones. If somebody goes
    back from the end of an episode and ends it otherwise, that is another episode; with the same actions it is the same
    one.

    With the first such episode ``ask`` is called for a run; from ``open`` on each is in the run folder as soon as it is
    over and its video complete, or the session over: its row in the journal, and steps and video in an evaluation, of
    which there is one for up to MAX_ROWS records. Whatever ends the process, what was kept before is whole. ``on_kept``
    is called with the run's id and how many are kept.
    An episode with a reward that is no finite number has no return, and is left out: ``on_problem`` is told why.
    ``close`` may be called in any thread.
    """

    def __init__(
        self,
        env: Env,
        camera: Camera,
        ask: Callable[[], None],
        on_kept: Callable[[str, int], None],
        on_problem: Callable[[str], None],
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._env, self._camera, self._ask, self._clock = env, camera, ask, clock
        self._on_kept, self._on_problem = on_kept, on_problem
        self._layouts = layout_of(env.observation_space), layout_of(env.action_space)
        self._steps = EpisodeRows(RecordedEpisode(seed=0))
        self._last_line: list[tuple[Actor | None, bytes]] = []
        """The actions of the episode that was kept last, and who took them."""
        self._waiting: list[PlayedEpisode] = []
        self._has_asked = False
        self._folder: PlayedFolder | None = None
        self._is_closed = False
        self._lock = Lock()

    def __call__(self, episode: Episode, step: Step, record: StepRecord, frame: NDArray[np.uint8]) -> None:
        rows = self._steps.rows
        self._camera.show(step, frame, person_acts=bool(rows) and rows[-1].actor is Actor.PERSON)
        if step.number == 0:
            begun = RecordedEpisode(seed=episode.seed, generator=generator_state(episode.env))
            self._steps = EpisodeRows(begun)
            rows, self._last_line = self._steps.rows, []
        del rows[step.number :]  # somebody has gone back
        rows.append(self._row(step, record))
        if step.is_last and any(row.actor is Actor.PERSON for row in rows):
            if (unusable := next(filter(_has_no_reward, rows), None)) is not None:
                self._leave_out(unusable)
            elif (line := _line_of(rows)) != self._last_line:
                self._last_line = line
                taken = EpisodeRows(self._steps.begun, list(map(copy, rows)), self._steps.squashed)
                self._take(PlayedEpisode(taken, self._camera.take()))

    def open(self, recording: Recording) -> None:
        """Keep episodes in the run folder of ``recording`` from now on. Raises RlvizError or OSError."""
        with self._lock:
            if self._is_closed or self._folder is not None:
                return
            self._folder = PlayedFolder(recording, self._env, self._clock)
        self._write()

    def tick(self) -> None:
        """Call this often: it keeps episodes whose video has become complete, and writes the journals to disk."""
        self._write()
        if self._folder is not None:
            self._folder.journals.flush_if_due()
            self._folder.journals.sync_if_due()

    def close(self, failure: str | None = None) -> None:
        """End the run, if there is one; ``failure`` says what ended the session, if nobody asked for it."""
        wait([episode.film.finished for episode in list(self._waiting) if episode.film], LAST_VIDEO_SECONDS)
        self._write(without_videos=True)
        with self._lock:
            if self._folder is not None and not self._is_closed:
                self._folder.close(failure)
            self._is_closed = True

    def _row(self, step: Step, record: StepRecord) -> Row:
        digest = bytes.fromhex(record.frame_hash) if record.frame_hash is not None else None
        [row] = rows_of(
            [step],
            *self._layouts,
            actor=record.actor or Actor.PERSON,
            elapsed_ms=[record.elapsed_ms],
            frame_hashes=[digest],
        )
        if step.reading is not None:
            row.reading = reading_columns(step.reading)
            self._steps.squashed = step.reading.squashed
        return row

    def _leave_out(self, row: Row) -> None:
        self._camera.discard()
        why = (
            f"The environment gave a reward of {row.reward} in step {row.index}; rewards must be finite numbers. This "
            "episode is not kept."
        )
        self._on_problem(why)
        with self._lock:
            if self._folder is not None and not self._is_closed:
                self._folder.warn(why)

    def _take(self, episode: PlayedEpisode) -> None:
        self._waiting.append(episode)
        if not self._has_asked:
            self._has_asked = True
            self._ask()
        self._write()

    def _write(self, *, without_videos: bool = False) -> None:
        def is_ready(episode: PlayedEpisode) -> bool:
            return without_videos or episode.film is None or episode.film.finished.done()

        with self._lock:
            if self._folder is None or self._is_closed or not self._waiting or not is_ready(self._waiting[0]):
                return
            while self._waiting and is_ready(self._waiting[0]):
                self._folder.add(self._waiting.pop(0))
            run_id, episodes = self._folder.run_id, self._folder.episodes
        self._on_kept(run_id, episodes)


def _line_of(rows: list[Row]) -> list[tuple[Actor | None, bytes]]:
    return [(row.actor, b"" if row.action is None else row.action.tobytes()) for row in rows]


def _has_no_reward(row: Row) -> bool:
    return row.reward is not None and not math.isfinite(row.reward)
