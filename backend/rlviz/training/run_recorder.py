"""RunRecorder: records some of the episodes that a run plays itself while it goes on."""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

from rlviz.algorithms.policy import Policy
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import RunFolderError
from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus, Origin, StepsWanted
from rlviz.domain.events import RecordedData, RecordingChangedData
from rlviz.domain.ids import new_evaluation_id
from rlviz.domain.recording import ONLY_THE_LAST, Detail, Lowered
from rlviz.domain.run_actor import RunActor
from rlviz.domain.step_record import Actor
from rlviz.domain.storage_profile import DEFAULT, DEFAULT_PROFILES, RecordingChoice
from rlviz.domain.times import utc
from rlviz.environments.custom import family_of
from rlviz.recording.collected_episodes import CollectedEpisodes, EpisodeRows, results_of, write_collected
from rlviz.recording.level import LONG_ENOUGH_SECONDS, RecordingLevel
from rlviz.recording.step_recorder import StepRecorder, records_about
from rlviz.recording.summary import summarize
from rlviz.records.about import RecordsAbout
from rlviz.rollout.episode import MAX_EPISODE_STEPS, Env
from rlviz.rundir.files import is_file
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.retention import retain_steps
from rlviz.training.journals import RunJournals

MOST_WAITING = 3
"""Chapters that wait to be written: what comes while the disk is so slow is left out."""

JUDGED_AFTER_SECONDS = 10.0
"""Of training, before the cost of recording is judged: one episode may come early."""

LAST_SECONDS = 20.0
"""How long the end of a run waits for what is being written."""


class RunRecorder:
    """``record`` gives what records an episode, ``keep`` has it written in a thread of its own. ``tick`` is for the
    watcher's thread, everything else for the training thread. ``close`` after use."""

    def __init__(
        self,
        folder: RunFolder,
        journals: RunJournals,
        config: RunConfig,
        *,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._folder, self._journals, self._config, self._clock = folder, journals, config, clock
        self._learns = config.actor is RunActor.POLICY
        self._step = 0
        self._version: tuple[int, int] | None = None
        self._choice = self._read() or RecordingChoice(profile=DEFAULT_PROFILES.get(family_of(config), DEFAULT))
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

    def tick(self) -> None:
        """See whether somebody has chosen another detail."""
        choice = self._read()
        if choice is not None:
            self._choice, self._chosen = choice, choice.effective

    def record(self, step: int, env: Env, policy: Policy | None, collected: CollectedEpisodes) -> StepRecorder | None:
        """What records into ``collected`` what is played in ``env``; None if nothing shall be. ``step``: of training.

        A policy is recorded once, and what an attempt plays again was recorded when it was played first.
        """
        self._step = step
        self._take_up_choice()
        is_known = self._journals.is_repeating or (self._learns and step == self._kept_step)
        if self.level.detail is Detail.OFF or is_known:
            return None
        if self._about is None:
            self._about = records_about(
                self._config, env, deterministic=self._learns, frames_every=1, max_steps=MAX_EPISODE_STEPS
            )
        actor = Actor.POLICY if self._learns else Actor.RANDOM
        return StepRecorder(collected, self._about, policy, level=self.level, actor=actor)

    def keep(self, step: int, episodes: Sequence[EpisodeRows]) -> None:
        """Have ``episodes`` written, as the policy of ``step`` played them; returns at once. No frame of them was
        drawn, so that none is hashed or kept."""
        self._step = step
        wanted, about = self._choice.profile.wanted(self.level.detail), self._about
        self._writing = [one for one in self._writing if not one.done()]
        if wanted is None or about is None or not episodes or len(self._writing) >= MOST_WAITING:
            return
        self._kept_step = step
        undrawn = {"frames_every": ONLY_THE_LAST, "pictures": False, "keep_frames_bytes": 0}
        wanted = wanted.model_copy(update=undrawn)
        self._writing.append(self._writer.submit(self._write, step, wanted, about, episodes))

    def close(self) -> None:
        """Wait for what is being written. May be called twice."""
        wait(self._writing, LAST_SECONDS)
        self._writer.shutdown(wait=False, cancel_futures=True)

    def _take_up_choice(self) -> None:
        chosen, self._chosen = self._chosen, None
        if chosen is not None:
            self.level.choose(chosen)
            self._journals.event(self._step, RecordingChangedData(detail=chosen))
        self.level.check()

    def _tell_lowered(self, lowered: Lowered) -> None:
        self._journals.event(self._step, RecordingChangedData(detail=lowered.after, lowered=lowered))

    def _read(self) -> RecordingChoice | None:
        """What ``recording.json`` says, if it has changed since it was read."""
        path: Path = self._folder.recording_path
        with suppress(OSError, RunFolderError):
            status = path.stat()
            version = status.st_mtime_ns, status.st_ino
            if version != self._version:
                self._version = version
                return self._folder.read_recording()
        return None

    def _write(self, step: int, wanted: StepsWanted, about: RecordsAbout, episodes: Sequence[EpisodeRows]) -> None:
        import pyarrow.parquet  # noqa: F401  (once, and no part of the cost)

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
            deterministic=self._learns,
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
        except Exception:
            traceback.print_exc(file=sys.stderr)
            return
        self._journals.event(step, RecordedData(evaluation=record.id, episodes=len(episodes), cost=recording.cost))
