"""PlayedFolder: the run folder that a person's episodes are kept in."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from rlviz.domain.errors import VideoNotWritten
from rlviz.domain.evaluation import (
    EpisodeResult,
    EvaluationRecord,
    EvaluationStatus,
    StepsFacts,
    StepsWanted,
    VideoFacts,
)
from rlviz.domain.events import Ending, ErrorData, FinishedData, StartedData
from rlviz.domain.ids import new_evaluation_id
from rlviz.domain.limits import LIMITS
from rlviz.domain.records import EPISODE_INDEX, EPISODE_LENGTH, EPISODE_REWARD
from rlviz.domain.times import utc
from rlviz.evaluation.joined_video import join_videos
from rlviz.evaluation.summary import summarize
from rlviz.launchers.process_identity import ProcessIdentity
from rlviz.recording.step_recorder import records_about
from rlviz.records.about import RecordedEpisode
from rlviz.records.writer import Row, StepWriter
from rlviz.rollout.episode import MAX_EPISODE_STEPS, Env
from rlviz.rundir.atomic import atomic_write
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.lock import training_lock
from rlviz.rundir.retention import retain_steps, retain_videos
from rlviz.sessions.episode_film import EpisodeFilm
from rlviz.sessions.packets import Recording
from rlviz.training.journals import RunJournals

MAX_ROWS = 20_000
"""Records that are kept in one file. It is written anew after every episode, so it must not become large."""


@dataclass(frozen=True)
class PlayedEpisode:
    """One that was played to its end, a row for each step, the reset included; ``film`` has as many frames."""

    begun: RecordedEpisode
    rows: Sequence[Row]
    squashed: bool
    film: EpisodeFilm | None = None

    @property
    def length(self) -> int:
        return self.rows[-1].index


class PlayedFolder:
    """The run folder, with its lock and its journals.

    An evaluation holds the episodes of a *chapter*. Either all of a chapter were filmed, and its video is theirs one
    after the other, or none was.
    """

    def __init__(self, recording: Recording, env: Env, clock: Callable[[], float]) -> None:
        """Raises RlvizError or OSError."""
        folder = RunFolder.at(recording.run_folder)
        self.run_id = folder.run_id
        self.episodes = 0
        self._folder, self._steps, self._keep_videos = folder, recording.steps, recording.keep_videos
        self._env, self._clock = env, clock
        self._config = folder.read_config()
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
        """Its records and its video first: who reads of it in the journal finds them. Its film is finished."""
        self._file_video(played)
        self._chapter.append(played)
        try:
            self._write_records()
        except OSError as error:
            self.warn(f"The steps of an episode could not be kept: {error}.")
        self.episodes += 1
        self._step += played.length
        self.journals.metrics(
            self._step,
            {
                EPISODE_REWARD: played.rows[-1].episode_return,
                EPISODE_LENGTH: played.length,
                EPISODE_INDEX: self.episodes,
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
            except OSError as error:  # the service says that it went away
                print(f"How the run ended could not be written: {error}", file=sys.stderr)

    def _file_video(self, played: PlayedEpisode) -> None:
        """Put the video of the episode behind that of its chapter; begin another chapter if it does not fit there."""
        facts = self._facts_of_film(played)
        rows = sum(len(episode.rows) for episode in self._chapter) + len(played.rows)
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
            self.warn(f"An episode has no video: {error}")
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
            deterministic=False,
            video=False,
            steps=self._steps,
        )

    def _write_records(self) -> None:
        chapter = self._chapter
        facts = self._write_steps(self._steps) if self._steps is not None else None
        count = len(chapter)
        self._record = self._record.model_copy(
            update={
                "seed": chapter[0].begun.seed,
                "episodes": count,
                "episodes_done": count,
                "video": self._video is not None,
                "ended_at": utc(self._clock()),
                "summary": summarize(_results(chapter), self._video, facts),
            }
        )
        self._folder.evaluations.write(self._record)
        if self._steps is not None:
            retain_steps(self._folder, self._steps.max_bytes)
        retain_videos(self._folder, self._keep_videos)

    def _write_steps(self, wanted: StepsWanted) -> StepsFacts:
        about = records_about(
            self._config,
            self._env,
            deterministic=False,
            frames_every=wanted.frames_every,
            max_steps=MAX_EPISODE_STEPS,
            evaluation_id=self._record.id,
        )
        path = self._folder.evaluations.steps_path(self._record.id)
        path.parent.mkdir(exist_ok=True)
        with StepWriter(path, self._folder.path, about, max_bytes=wanted.max_bytes) as writer:
            for place, played in enumerate(self._chapter):
                writer.begin(played.begun)
                writer.squashed = played.squashed
                for row in played.rows:
                    is_hashed = row is played.rows[-1] or row.index % wanted.frames_every == 0
                    writer.add(replace(row, episode=place, frame_hash=row.frame_hash if is_hashed else None))
        return writer.facts()


def _results(chapter: Sequence[PlayedEpisode]) -> list[EpisodeResult]:
    results, first_frame = [], 0
    for number, played in enumerate(chapter, 1):
        last = played.rows[-1]
        results.append(
            EpisodeResult(
                index=number,
                episode_return=last.episode_return,
                episode_length=last.index,
                terminated=last.terminated,
                truncated=last.truncated,
                seed=played.begun.seed,
                first_frame=first_frame,
            )
        )
        first_frame += len(played.rows)
    return results
