"""PlayedRun: what is played by hand, kept as a run of the actor ``human``."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from threading import Lock

from rlviz.domain.evaluation import EpisodeResult, EvaluationRecord, EvaluationStatus, StepsFacts, StepsWanted
from rlviz.domain.events import Ending, ErrorData, FinishedData, StartedData
from rlviz.domain.ids import new_evaluation_id
from rlviz.domain.limits import LIMITS
from rlviz.domain.records import EPISODE_INDEX, EPISODE_LENGTH, EPISODE_REWARD
from rlviz.domain.step_record import Actor, StepRecord
from rlviz.domain.times import utc
from rlviz.evaluation.step_recorder import generator_state, reading_columns, records_about, row_of
from rlviz.evaluation.summary import summarize
from rlviz.launchers.process_identity import ProcessIdentity
from rlviz.records.about import RecordedEpisode
from rlviz.records.writer import Row, StepWriter
from rlviz.rollout.episode import MAX_EPISODE_STEPS, Env, Episode, Step
from rlviz.rollout.numbers import layout_of
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.lock import training_lock
from rlviz.rundir.retention import retain_steps
from rlviz.sessions.packets import Recording
from rlviz.training.journals import RunJournals

MAX_ROWS = 20_000
"""Records that are kept in one file. It is written anew after every episode, so it must not become large."""


@dataclass(frozen=True)
class PlayedEpisode:
    """One that was played to its end, a row for each step, the reset included."""

    begun: RecordedEpisode
    rows: Sequence[Row]
    squashed: bool

    @property
    def length(self) -> int:
        return self.rows[-1].index


class PlayedRun:
    """A sink of the player. An episode is kept if it was played to its end and a person acted in it, whoever else did.
    One that is left unfinished is left out: its return could not be compared with those of whole ones. If somebody goes
    back from the end of an episode and ends it otherwise, that is another episode.

    With the first such episode ``ask`` is called for a run; from ``open`` on each is in the run folder as soon as it is
    over: its row in the journal, and its steps in the records of an evaluation, of which there is one for up to
    MAX_ROWS records. Whatever ends the process, what was kept before is whole. ``tell`` learns how many are kept.
    ``close`` may be called in any thread.
    """

    def __init__(
        self,
        env: Env,
        ask: Callable[[], None],
        tell: Callable[[str, int], None],
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._env, self._ask, self._tell, self._clock = env, ask, tell, clock
        self._layouts = layout_of(env.observation_space), layout_of(env.action_space)
        self._begun = RecordedEpisode(seed=0)
        self._rows: list[Row] = []
        self._squashed = False
        self._waiting: list[PlayedEpisode] = []
        self._has_asked = False
        self._folder: _Folder | None = None
        self._is_closed = False
        self._lock = Lock()

    def __call__(self, episode: Episode, step: Step, record: StepRecord) -> None:
        if step.number == 0:
            self._begun = RecordedEpisode(seed=episode.seed, generator=generator_state(episode.env))
        del self._rows[step.number :]  # somebody has gone back
        self._rows.append(self._row(step, record))
        if step.is_last and any(row.actor is Actor.PERSON for row in self._rows):
            self._take(PlayedEpisode(self._begun, tuple(self._rows), self._squashed))

    def open(self, recording: Recording) -> None:
        """Keep them there. Raises RlvizError or OSError."""
        with self._lock:
            if self._is_closed or self._folder is not None:
                return
            self._folder = _Folder(RunFolder.at(recording.run_folder), recording.steps, self._env, self._clock)
        self._write()

    def tick(self) -> None:
        """Often: what was journaled reaches the disk."""
        if self._folder is not None:
            self._folder.journals.flush_if_due()
            self._folder.journals.sync_if_due()

    def close(self, failure: str | None = None) -> None:
        """End the run, if there is one; ``failure`` says what ended the session, if it was no wish."""
        with self._lock:
            if self._folder is not None and not self._is_closed:
                self._folder.close(failure)
            self._is_closed = True

    def _row(self, step: Step, record: StepRecord) -> Row:
        digest = bytes.fromhex(record.frame_hash) if record.frame_hash is not None else None
        row = row_of(
            step,
            *self._layouts,
            actor=record.actor or Actor.PERSON,
            elapsed_ms=record.elapsed_ms,
            frame_hash=digest,
        )
        if step.reading is not None:
            row.reading = reading_columns(step.reading)
            self._squashed = step.reading.squashed
        return row

    def _take(self, episode: PlayedEpisode) -> None:
        self._waiting.append(episode)
        if not self._has_asked:
            self._has_asked = True
            self._ask()
        self._write()

    def _write(self) -> None:
        with self._lock:
            if self._folder is None or self._is_closed:
                return
            while self._waiting:
                self._folder.add(self._waiting.pop(0))
            run_id, episodes = self._folder.run_id, self._folder.episodes
        self._tell(run_id, episodes)


class _Folder:
    """The run folder, with its lock and its journals."""

    def __init__(self, folder: RunFolder, steps: StepsWanted | None, env: Env, clock: Callable[[], float]) -> None:
        self.run_id = folder.run_id
        self.episodes = 0
        self._folder, self._steps, self._env, self._clock = folder, steps, env, clock
        self._config = folder.read_config()
        self._step = 0
        self._chapter: list[PlayedEpisode] = []
        self._record = self._new_record()
        with ExitStack() as block:
            block.enter_context(training_lock(folder))
            self.journals = RunJournals(folder)
            block.callback(self.journals.close)
            self.journals.event(0, StartedData(attempt=1, worker=str(ProcessIdentity.current())))
            self._block = block.pop_all()

    def add(self, played: PlayedEpisode) -> None:
        """Its records first: who reads of it in the journal finds them."""
        rows = sum(len(episode.rows) for episode in self._chapter)
        if self._chapter and (
            rows + len(played.rows) > MAX_ROWS or len(self._chapter) >= LIMITS.evaluation_episodes.maximum
        ):
            self._chapter, self._record = [], self._new_record()
        self._chapter.append(played)
        try:
            self._write_records()
        except OSError as error:
            self.journals.warn(self._step, f"The steps of an episode could not be kept: {error}.")
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

    def close(self, failure: str | None) -> None:
        ending: Ending = FinishedData(attempt=1)
        if failure is not None:
            ending = ErrorData(attempt=1, type="SessionEnded", message=failure)
        with self._block:
            try:
                self.journals.event(self._step, ending)
            except OSError as error:  # the service says that it went away
                print(f"How the run ended could not be written: {error}", file=sys.stderr)

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
                "ended_at": utc(self._clock()),
                "summary": summarize([_result(n, played) for n, played in enumerate(chapter, 1)], None, facts),
            }
        )
        self._folder.write_evaluation(self._record)
        if self._steps is not None:
            retain_steps(self._folder, self._steps.max_bytes)

    def _write_steps(self, wanted: StepsWanted) -> StepsFacts:
        about = records_about(
            self._config,
            self._env,
            deterministic=False,
            frames_every=wanted.frames_every,
            max_steps=MAX_EPISODE_STEPS,
            evaluation_id=self._record.id,
        )
        path = self._folder.steps_path(self._record.id)
        path.parent.mkdir(exist_ok=True)
        with StepWriter(path, self._folder.path, about, max_bytes=wanted.max_bytes) as writer:
            for place, played in enumerate(self._chapter):
                writer.begin(played.begun)
                writer.squashed = played.squashed
                for row in played.rows:
                    is_hashed = row is played.rows[-1] or row.index % wanted.frames_every == 0
                    writer.add(replace(row, episode=place, frame_hash=row.frame_hash if is_hashed else None))
        return writer.facts()


def _result(number: int, played: PlayedEpisode) -> EpisodeResult:
    last = played.rows[-1]
    return EpisodeResult(
        index=number,
        episode_return=last.episode_return,
        episode_length=last.index,
        terminated=last.terminated,
        truncated=last.truncated,
        seed=played.begun.seed,
        first_frame=0,
    )
