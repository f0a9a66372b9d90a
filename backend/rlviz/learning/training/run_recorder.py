"""Records some of the episodes that a run plays while it trains."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from types import TracebackType
from typing import Self

from rlviz.domain.config import RunActor, RunConfig
from rlviz.domain.errors import RunFolderError
from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus, Origin, StepsWanted
from rlviz.domain.events import RecordedData, RecordingChangedData
from rlviz.domain.ids import new_evaluation_id, utc
from rlviz.domain.recording import ONLY_THE_LAST, Actor, Detail, Lowered
from rlviz.domain.storage_profile import DEFAULT, DEFAULT_PROFILES, RecordingChoice
from rlviz.learning.algorithms.policy import Policy
from rlviz.learning.environments.custom import find_family
from rlviz.learning.playing.recording import (
    LONG_ENOUGH_SECONDS,
    CollectedEpisodes,
    EpisodeRows,
    RecordingLevel,
    StepRecorder,
    records_about,
    results_of,
    write_collected,
)
from rlviz.learning.playing.rollout import MAX_EPISODE_STEPS, Env, Step
from rlviz.learning.playing.summary import summarize
from rlviz.learning.records.about import RecordsAbout
from rlviz.learning.training.guard import Block, Guard
from rlviz.learning.training.journals import RunJournals
from rlviz.rundir.files import is_file
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.retention import retain_steps

MOST_WAITING = 3
"""Batches of episodes that may wait to be written. While the disk is slower than that, later ones are left out."""

JUDGED_AFTER_SECONDS = 10.0
"""Training time before the cost of recording is judged, because one episode may come early."""

LAST_SECONDS = 20.0
"""How long the end of a run waits for the last recordings to be written."""


class RunRecorder:
    """Records episodes and writes them in a separate thread.

    ``record`` returns a recorder for an episode, ``keep`` writes the recorded ones. ``read_choice`` is for the
    watcher's thread, the other methods for the training thread. Call ``close`` after use.

    Everything runs within ``guard``: if recording fails, the run continues without it.
    """

    def __init__(
        self,
        folder: RunFolder,
        journals: RunJournals,
        config: RunConfig,
        guard: Guard | None = None,
        *,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._folder, self._journals, self._config, self._clock = folder, journals, config, clock
        self._guard = guard or Guard(journals.warn_now)
        self.has_failed = False
        """Whether recording has failed; nothing more is recorded then."""
        self._learns = config.actor is RunActor.POLICY
        self._deterministic = self._learns and config.evaluation.is_greedy
        self._step = 0
        self._version: tuple[int, int] | None = None
        self._choice = RecordingChoice(profile=DEFAULT_PROFILES.get(find_family(config), DEFAULT))
        with self.guarded():
            self._choice = self._read() or self._choice
        profile = self._choice.profile
        self.level = RecordingLevel(
            self._choice.effective,
            most_cost=profile.most_cost_in_training if self._learns else profile.most_cost,
            lowest=Detail.OFF,
            long_enough=JUDGED_AFTER_SECONDS if self._learns else LONG_ENOUGH_SECONDS,
            on_lowered=self._tell_lowered,
            monotonic=monotonic,
        )
        self._chosen: Detail | None = None
        self._kept_step: int | None = None
        self._about: RecordsAbout | None = None
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="recorded")
        self._writing: list[Future[None]] = []

    def read_choice(self) -> None:
        """Read the user's choice of recording detail, if it has changed."""
        with self.guarded():
            choice = self._read()
            if choice is not None:
                self._choice, self._chosen = choice, choice.effective

    def record(self, step: int, env: Env, policy: Policy | None, collected: CollectedEpisodes) -> Steps | None:
        """Return a recorder for an episode, or None if it is not to be recorded.

        A policy is recorded once, and episodes that an attempt repeats were recorded before.

        Args:
            step: Environment steps of training.
            env: The environment that the episode is played in.
            policy: The policy that plays, or None for random actions.
            collected: Where the recorded steps are stored.
        """
        steps = None
        if not self.has_failed:
            with self.guarded():
                steps = self._steps(step, env, policy, collected)
        return Steps(self, steps) if steps is not None else None

    def keep(self, step: int, collected: CollectedEpisodes) -> None:
        """Write the episodes in ``collected``, which the policy of ``step`` played. Returns at once.

        Their frames were not drawn, so no pictures are stored.
        """
        if not self.has_failed:
            with self.guarded():
                self._keep(step, collected.take_finished())

    def close(self) -> None:
        """Wait for pending recordings to be written. May be called twice."""
        with self.guarded():
            wait(self._writing, LAST_SECONDS)
            self._writer.shutdown(wait=False, cancel_futures=True)

    def guarded(self) -> Block:
        """Return the guard block in which recording code runs."""
        return self._guard("Recording", on_failure=self._give_up)

    def _give_up(self) -> None:
        self.has_failed = True

    def _steps(self, step: int, env: Env, policy: Policy | None, collected: CollectedEpisodes) -> StepRecorder | None:
        self._step = step
        self._apply_choice()
        is_known = self._journals.is_repeating or (self._learns and step == self._kept_step)
        if self.level.detail is Detail.OFF or is_known:
            return None
        if self._about is None:
            self._about = records_about(
                self._config, env, deterministic=self._deterministic, frames_every=1, max_steps=MAX_EPISODE_STEPS
            )
        actor = Actor.POLICY if self._learns else Actor.RANDOM
        return StepRecorder(collected, self._about, policy, level=self.level, actor=actor)

    def _keep(self, step: int, episodes: Sequence[EpisodeRows]) -> None:
        self._step = step
        wanted, about = self._choice.profile.wanted(self.level.detail), self._about
        self._writing = [one for one in self._writing if not one.done()]
        if wanted is None or about is None or not episodes or len(self._writing) >= MOST_WAITING:
            return
        self._kept_step = step
        undrawn = {"frames_every": ONLY_THE_LAST, "pictures": False, "keep_frames_bytes": 0}
        wanted = wanted.model_copy(update=undrawn)
        self._writing.append(self._writer.submit(self._write, step, wanted, about, episodes))

    def _apply_choice(self) -> None:
        chosen, self._chosen = self._chosen, None
        if chosen is not None:
            self.level.choose(chosen)
            self._journals.event(self._step, RecordingChangedData(detail=chosen))
        self.level.check()

    def _tell_lowered(self, lowered: Lowered) -> None:
        self._journals.event(self._step, RecordingChangedData(detail=lowered.after, lowered=lowered))

    def _read(self) -> RecordingChoice | None:
        """Read ``recording.json`` if it has changed since the last call."""
        path: Path = self._folder.recording_path
        with suppress(OSError, RunFolderError):
            status = path.stat()
            version = status.st_mtime_ns, status.st_ino
            if version != self._version:
                self._version = version
                return self._folder.read_recording()
        return None

    def _write(self, step: int, wanted: StepsWanted, about: RecordsAbout, episodes: Sequence[EpisodeRows]) -> None:
        import pyarrow.parquet  # noqa: F401  (imported before measuring, so that it is not part of the cost)

        begin = time.thread_time()
        now = utc(self._clock())
        while is_file(self._folder.evaluations.record_path(new_evaluation_id(now)), self._folder.path):
            now += timedelta(milliseconds=1)
        record = EvaluationRecord(
            id=new_evaluation_id(now),
            run_id=self._folder.run_id,
            origin=Origin.RUN,
            status=EvaluationStatus.COMPLETED,
            created_at=now,
            started_at=now,
            ended_at=now,
            episodes=len(episodes),
            episodes_done=len(episodes),
            seed=episodes[0].begun.seed,
            deterministic=self._deterministic,
            video=False,
            steps=wanted,
            checkpoint_step=step if self._learns else None,
        )
        try:
            facts = write_collected(self._folder, record.id, about, wanted, episodes)
            self.level.spend(time.thread_time() - begin)
            recording = self.level.facts()
            summary = summarize(results_of(episodes), None, facts, recording=recording)
            self._folder.evaluations.write(record.model_copy(update={"summary": summary}))
            retain_steps(self._folder, wanted.max_bytes)
        except (OSError, RunFolderError) as error:
            self._journals.warn_now(f"The steps of an episode could not be kept: {error}.")
            return
        except Exception as error:
            self._give_up()
            self._guard.report("Recording", error)
            return
        self._journals.event(step, RecordedData(evaluation=record.id, episodes=len(episodes), cost=recording.cost))


class Steps:
    """A StepRecorder whose failure does not end the episode: recording stops instead."""

    def __init__(self, recorder: RunRecorder, steps: StepRecorder) -> None:
        self._recorder, self._steps = recorder, steps

    def __enter__(self) -> Self:
        with self._recorder.guarded():
            self._steps.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._recorder.guarded():
            self._steps.__exit__(kind, error, trace)

    def add(self, step: Step, env: Env, seed: int) -> None:
        if not self._recorder.has_failed:
            with self._recorder.guarded():
                self._steps.add(step, env, seed)

    def flush(self) -> None:
        if not self._recorder.has_failed:
            with self._recorder.guarded():
                self._steps.flush()
