"""PlayedFolder: the run folder that a person's episodes are kept in."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from rlviz.domain.errors import RunFolderError, VideoNotWritten
from rlviz.domain.evaluation import (
    EvaluationRecord,
    EvaluationStatus,
    Origin,
    StepsWanted,
    VideoFacts,
)
from rlviz.domain.events import Ending, ErrorData, FinishedData, StartedData
from rlviz.domain.ids import new_evaluation_id
from rlviz.domain.limits import LIMITS
from rlviz.domain.recording import RecordingFacts
from rlviz.domain.records import EPISODE_INDEX, EPISODE_LENGTH, EPISODE_REWARD
from rlviz.domain.times import utc
from rlviz.evaluation.joined_video import join_videos
from rlviz.launchers.process_identity import ProcessIdentity
from rlviz.recording.collected_episodes import MAX_ROWS, EpisodeRows, results_of, write_collected
from rlviz.recording.step_recorder import records_about
from rlviz.recording.summary import summarize
from rlviz.rollout.episode import MAX_EPISODE_STEPS, Env
from rlviz.rundir.atomic import atomic_write
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.lock import training_lock
from rlviz.rundir.retention import retain_steps, retain_videos
from rlviz.sessions.episode_film import EpisodeFilm
from rlviz.sessions.packets import Recording
from rlviz.training.journals import RunJournals


@dataclass(frozen=True)
class PlayedEpisode:
    """One that was played to its end; ``film`` has a frame for each row."""

    steps: EpisodeRows
    film: EpisodeFilm | None = None


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
        """Its records and its video first: who reads of it in the journal finds them. Its film is finished."""
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
        """What to record from now on: a person may have chosen another detail meanwhile."""
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
