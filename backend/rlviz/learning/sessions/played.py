"""Stores episodes played by a person as a run of the actor ``human``, in a run folder."""

from __future__ import annotations

import math
import shutil
import sys
import time
from collections.abc import Callable
from concurrent.futures import wait
from contextlib import ExitStack, suppress
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.errors import RunFolderError, VideoNotWritten
from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus, Origin, StepsWanted, VideoFacts
from rlviz.domain.events import Ending, ErrorData, FinishedData, StartedData
from rlviz.domain.ids import new_evaluation_id, utc
from rlviz.domain.limits import LIMITS
from rlviz.domain.metrics import EPISODE_INDEX, EPISODE_LENGTH, EPISODE_REWARD
from rlviz.domain.recording import Actor, RecordingFacts, StepRecord
from rlviz.learning.environments.reward_components import EpisodeSums
from rlviz.learning.playing.recording import (
    MAX_ROWS,
    EpisodeRows,
    generator_state,
    reading_columns,
    records_about,
    results_of,
    rows_of,
    write_collected,
)
from rlviz.learning.playing.rollout import MAX_EPISODE_STEPS, Env, Episode, Step, layout_of
from rlviz.learning.playing.summary import summarize
from rlviz.learning.playing.video import join_videos
from rlviz.learning.records.about import RecordedEpisode
from rlviz.learning.records.writer import Row
from rlviz.learning.sessions.camera import Camera, EpisodeFilm
from rlviz.learning.sessions.packets import Recording
from rlviz.learning.training.journals import RunJournals
from rlviz.rundir.files import atomic_write
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.lock import training_lock
from rlviz.rundir.process_identity import ProcessIdentity
from rlviz.rundir.retention import retain_steps, retain_videos


@dataclass(frozen=True)
class PlayedEpisode:
    """A finished episode. ``film`` has a frame for each row."""

    steps: EpisodeRows
    film: EpisodeFilm | None = None


class PlayedFolder:
    """The run folder of episodes played by hand, with its lock and journals.

    An evaluation holds the episodes of a *chapter*. Its video joins those of all its episodes, or it has none.
    """

    def __init__(self, recording: Recording, env: Env, clock: Callable[[], float]) -> None:
        """Open the folder. Raises RlvizError or OSError."""
        folder = RunFolder.at(recording.run_folder)
        self.run_id = folder.run_id
        self.episodes = 0
        self._folder, self._steps, self._keep_videos = folder, recording.steps, recording.keep_videos
        self._clock = clock
        self._about = records_about(
            folder.read_config(), env, deterministic=False, frames_every=1, max_steps=MAX_EPISODE_STEPS
        )
        self._step = 0
        self._chapter: list[PlayedEpisode] = []
        self._video: VideoFacts | None = None
        self._record = self._new_record()
        with ExitStack() as block:
            block.enter_context(training_lock(folder))
            self.journals = RunJournals(folder)
            block.callback(self.journals.close)
            self.journals.event(0, StartedData(attempt=1, worker=str(ProcessIdentity.current())))
            self._block = block.pop_all()

    def add(self, played: PlayedEpisode) -> None:
        """Store an episode whose film is finished: records and video first, because the journal refers to them."""
        wanted = self._wanted()
        if wanted != self._steps and self._chapter:
            self._begin_chapter()
        self._steps = wanted
        self._file_video(played)
        self._chapter.append(played)
        try:
            self._write_records()
        except OSError as error:
            self.warn(f"The steps of an episode could not be kept: {error}.")
        self.episodes += 1
        self._step += played.steps.length
        self.journals.metrics(
            self._step,
            {
                EPISODE_REWARD: played.steps.rows[-1].episode_return,
                EPISODE_LENGTH: played.steps.length,
                EPISODE_INDEX: self.episodes,
                **_component_metrics(played.steps),
            },
        )
        self.journals.flush()

    def warn(self, message: str) -> None:
        self.journals.warn(self._step, message)

    def close(self, failure: str | None) -> None:
        ending: Ending = FinishedData(attempt=1)
        if failure is not None:
            ending = ErrorData(attempt=1, type="SessionEnded", message=failure)
        with self._block:
            try:
                self.journals.event(self._step, ending)
            except OSError as error:  # the service reports that the worker ended
                print(f"How the run ended could not be written: {error}", file=sys.stderr)

    def _file_video(self, played: PlayedEpisode) -> None:
        """Append the episode's video to that of its chapter, or start a new chapter if it does not fit."""
        facts = self._facts_of_film(played)
        rows = sum(len(one.steps.rows) for one in [*self._chapter, played])
        is_full = rows > MAX_ROWS or len(self._chapter) >= LIMITS.evaluation_episodes.maximum
        if self._chapter and (is_full or (facts is None) != (self._video is None)):
            self._begin_chapter()
        if played.film is None or facts is None:
            return
        try:
            self._video = self._append_video(played.film.path, facts)
        except (VideoNotWritten, OSError) as error:
            self.warn(f"The video of an episode could not be kept: {error}")
            if self._chapter:
                self._begin_chapter()
        finally:
            played.film.path.unlink(missing_ok=True)

    def _facts_of_film(self, played: PlayedEpisode) -> VideoFacts | None:
        if played.film is None:
            return None
        try:
            return played.film.finished.result(timeout=0)
        except (VideoNotWritten, TimeoutError) as error:
            played.film.discard()
            self.warn(f"An episode has no video: {str(error) or 'it was not complete when the session ended.'}")
            return None

    def _append_video(self, part: Path, facts: VideoFacts) -> VideoFacts:
        path = self._folder.evaluations.video_path(self._record.id)
        path.parent.mkdir(exist_ok=True)
        frames, whole = facts.frames, part
        if self._video is not None:
            frames += self._video.frames
            whole = part.with_name("chapter.mp4")
            join_videos([path, part], whole)
        with whole.open("rb") as source, atomic_write(path, self._folder.path) as target:
            shutil.copyfileobj(source, target)
        name, size = path.relative_to(self._folder.path).as_posix(), path.stat().st_size
        change = {"file": name, "frames": frames, "duration": frames / facts.fps, "size_bytes": size}
        return facts.model_copy(update=change)

    def _begin_chapter(self) -> None:
        self._chapter, self._video, self._record = [], None, self._new_record()

    def _new_record(self) -> EvaluationRecord:
        now = utc(self._clock())
        return EvaluationRecord(
            id=new_evaluation_id(now),
            run_id=self.run_id,
            status=EvaluationStatus.COMPLETED,
            created_at=now,
            started_at=now,
            origin=Origin.PLAYED,
            deterministic=False,
            video=False,
            steps=self._steps,
        )

    def _wanted(self) -> StepsWanted | None:
        """Return what to record from now on; the user may have chosen another detail."""
        choice = None
        with suppress(RunFolderError):
            choice = self._folder.read_recording()
        return self._steps if choice is None else choice.profile.wanted(choice.effective)

    def _write_records(self) -> None:
        chapter, wanted = [played.steps for played in self._chapter], self._steps
        facts = recording = None
        if wanted is not None:
            recording = RecordingFacts(detail=wanted.detail)
            facts = write_collected(self._folder, self._record.id, self._about, wanted, chapter)
        count = len(chapter)
        self._record = self._record.model_copy(
            update={
                "steps": wanted,
                "seed": chapter[0].begun.seed,
                "episodes": count,
                "episodes_done": count,
                "video": self._video is not None,
                "ended_at": utc(self._clock()),
                "summary": summarize(results_of(chapter), self._video, facts, recording=recording),
            }
        )
        self._folder.evaluations.write(self._record)
        if wanted is not None:
            retain_steps(self._folder, wanted.max_bytes)
        retain_videos(self._folder, self._keep_videos)


LAST_VIDEO_SECONDS = 3.0
"""How long the end of a session waits for the videos of its last episodes. A slower video is dropped."""


class PlayedRun:
    """Stores a session's episodes in a run. It receives the steps of the player.

    An episode is stored if it was played to its end and a person acted in it. Unfinished episodes are left out, because
    their returns cannot be compared; so are episodes with a reward that is not finite, and ``on_problem`` gets the
    reason. If the viewer goes back from an episode's end and ends it with other actions, that is another episode.

    The first such episode calls ``ask`` for a run. After ``open``, each episode is stored when its video is complete or
    the session is over: a row in the journal, and steps and video in an evaluation, one for up to MAX_ROWS records.
    What was stored stays intact, however the process ends. ``on_kept`` is called with the run's id and the number of
    stored episodes. ``close`` may be called in any thread.
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
        """The actions of the episode that was stored last, and who took them."""
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
        del rows[step.number :]  # the viewer went back
        rows.append(self._row(step, record))
        if step.is_last and any(row.actor is Actor.PERSON for row in rows):
            if (unusable := next(filter(_has_no_reward, rows), None)) is not None:
                self._leave_out(unusable)
            elif (line := _line_of(rows)) != self._last_line:
                self._last_line = line
                taken = EpisodeRows(self._steps.begun, list(map(copy, rows)), self._steps.squashed)
                self._take(PlayedEpisode(taken, self._camera.take_film()))

    def open(self, recording: Recording) -> None:
        """Store episodes in the run folder of ``recording`` from now on. Raises RlvizError or OSError."""
        with self._lock:
            if self._is_closed or self._folder is not None:
                return
            self._folder = PlayedFolder(recording, self._env, self._clock)
        self._write()

    def store_finished(self) -> None:
        """Store episodes whose video is complete, and flush the journals. Call this often."""
        self._write()
        if self._folder is not None:
            self._folder.journals.flush_if_due()
            self._folder.journals.sync_if_due()

    def close(self, failure: str | None = None) -> None:
        """End the run, if there is one. ``failure`` says what ended the session, if that was an error."""
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


def _component_metrics(episode: EpisodeRows) -> dict[str, float]:
    """Return the metrics of the components of the episode's reward."""
    sums = EpisodeSums()
    for row in episode.rows[1:]:
        sums.add(0, row.components)
    return sums.finish(0, episode.rows[-1].episode_return, episode.length)
