"""Create and list evaluations of a run."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlmodel import Session

from rlviz.domain.config import RunActor, RunConfig
from rlviz.domain.errors import EvaluationInProgress, EvaluationNotFound, InvalidRequest, NothingToEvaluate
from rlviz.domain.evaluation import EvaluationRecord, Origin, PolicyChoice
from rlviz.domain.ids import new_evaluation_id, utc
from rlviz.domain.status import RunStatus
from rlviz.rundir.files import is_file, may_be_file
from rlviz.rundir.folder import RunFolder, evaluated_policy, request_checkpoint
from rlviz.server.catalog.evaluations import (
    best_requested_evaluation,
    latest_evaluation,
    list_evaluations,
    newest_evaluation,
    open_evaluations,
)
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.catalog.runs import get_run
from rlviz.server.evaluations.film import choose_policy
from rlviz.server.evaluations.recording import steps_wanted
from rlviz.server.events import EvaluationChanged
from rlviz.server.runs.models import BestEvaluation, KeptFiles
from rlviz.server.use_case import RunUseCases, check_controlled
from rlviz.stats.solved import LEAST_EPISODES, missing_evidence


class EvaluationService(RunUseCases):
    def create(
        self,
        run_id: str,
        *,
        episodes: int,
        seed: int,
        deterministic: bool | None,
        policy: PolicyChoice = PolicyChoice.LATEST,
        checkpoint_step: int | None = None,
        video: bool = True,
        steps: bool | None = None,
    ) -> EvaluationRow:
        """Queue an evaluation. A run of random actions plays random actions.

        Args:
            run_id: The run.
            episodes: Number of episodes.
            seed: Seed of the first episode; each further episode adds 1.
            deterministic: Take the most likely action instead of sampling; None: as the run evaluates during training.
            policy: The newest policy, which a training run saves first, or the best one.
            checkpoint_step: Instead, the newest saved policy at or before this step.
            video: Whether to record a video.
            steps: Whether to record steps; None: as in the storage profile of the environment's family.

        Raises RunNotFound, NothingToEvaluate, EvaluationInProgress, InvalidRequest or NotEnoughDisk.
        """
        if checkpoint_step is not None and policy is not PolicyChoice.LATEST:
            raise InvalidRequest.field("/checkpoint_step", "Give a step or choose the best policy, not both.")
        now = utc(self._clock())
        with self._database.write() as session:
            run = get_run(session, run_id)
            check_controlled(run)
            if open_evaluations(session, run_id):
                raise EvaluationInProgress(f"Run {run_id!r} is being evaluated. Wait for it to end, then try again.")
            folder = self._folder(run_id)
            folder.check()
            plan = folder.config_to_go_on().evaluation
            self._trust.admit(folder)
            kept = choose_policy(run, folder, checkpoint_step) if checkpoint_step is not None else None
            latest = policy is PolicyChoice.LATEST and kept is None
            if latest and not _can_act(run, folder):
                raise NothingToEvaluate(_why_nothing(run))
            if policy is PolicyChoice.BEST and not is_file(folder.best_model_path):
                raise NothingToEvaluate(_why_no_best(run, folder.read_config()))
            self._disk.check()
            newest = newest_evaluation(session, run_id)
            now = later_than(newest.parsed().created_at if newest else None, now)
            record = EvaluationRecord(
                id=new_evaluation_id(now),
                run_id=run_id,
                created_at=now,
                episodes=episodes,
                seed=seed,
                deterministic=plan.is_greedy if deterministic is None else deterministic,
                policy=policy,
                checkpoint=kept.file if kept else None,
                checkpoint_step=kept.step if kept else None,
                video=video,
                steps=steps_wanted(self._settings, folder, steps),
            )
            if kept is not None:
                folder.evaluations.pin_policy(record.id, folder.path / kept.file)
            folder.evaluations.write(record)
            row = EvaluationRow.from_record(record)
            session.add(row)
            # Within the transaction, so that a concurrent stop request is not overwritten.
            request = None
            if latest and run.actor is RunActor.POLICY and run.state.has_worker:
                request = request_checkpoint(folder, stopping=run.state is RunStatus.STOPPING, now=now)
        self._events.publish(EvaluationChanged(row))
        self._supervisor.add_evaluation(row, request)
        return row

    def list(self, run_id: str, *, by_run: bool = False) -> list[EvaluationRow]:
        """Return the evaluations of a run, newest first. Raises RunNotFound.

        ``by_run``: those that the run recorded during training, instead of requested and played ones.
        """
        with self._database.read() as session:
            get_run(session, run_id)
            return list_evaluations(session, run_id, by_run=by_run)

    def latest(self, run_id: str) -> EvaluationRow:
        """Return the newest evaluation. Raises RunNotFound, or EvaluationNotFound if there is none yet."""
        row = self.find_latest(run_id)
        if row is None:
            raise EvaluationNotFound(f"Run {run_id!r} has not been evaluated yet. POST to its evaluations to do so.")
        return row

    def find_latest(self, run_id: str) -> EvaluationRow | None:
        """Return the newest evaluation; None if there is none. Raises RunNotFound."""
        with self._database.read() as session:
            get_run(session, run_id)
            return latest_evaluation(session, run_id)

    def find_best(self, row: RunRow, *, deterministic: bool) -> BestEvaluation | None:
        """Return the best result of a run whose evaluations during training are ``deterministic``; None without any."""
        with self._database.read() as session:
            return best_evaluation(session, row, deterministic=deterministic)

    def get(self, run_id: str, evaluation_id: str) -> EvaluationRow:
        """Return an evaluation. Raises RunNotFound or EvaluationNotFound."""
        with self._database.read() as session:
            get_run(session, run_id)
            row = session.get(EvaluationRow, (run_id, evaluation_id))
        if row is None:
            raise EvaluationNotFound(f"Run {run_id[:80]!r} has no evaluation {evaluation_id[:80]!r}.")
        return row

    def kept(self, row: EvaluationRow) -> KeptFiles:
        """Return which of its files still exist."""
        folder = self._folder(row.run_id)
        record, policy = row.parsed(), None
        if record.summary is not None and record.summary.pictures is not None:
            policy = evaluated_policy(folder, row.id, record.checkpoint_step, self._policy_step(row.run_id))
        return KeptFiles(
            video=may_be_file(folder.evaluations.video_path(row.id), folder.path),
            steps=may_be_file(folder.evaluations.steps_path(row.id), folder.path),
            pictures=may_be_file(folder.evaluations.pictures_path(row.id), folder.path),
            frames=may_be_file(folder.evaluations.frames_path(row.id), folder.path),
            policy_bytes=policy.size_bytes if policy is not None else None,
        )

    def short_of_solved(self, row: EvaluationRow) -> str | None:
        """Return why a mean return above the threshold does not prove that the run is solved, and what would.

        Returns None if the mean is below the threshold, or the run is solved.
        """
        record = row.parsed()
        if record.summary is None or record.summary.episode_return is None or not _plays_a_policy(record):
            return None
        mean, episodes = record.summary.episode_return.mean, len(record.summary.episodes)
        if episodes >= LEAST_EPISODES:
            return None
        with self._database.read() as session:
            run = get_run(session, row.run_id)
        return missing_evidence(run.reward_threshold, mean, episodes) if run.solved is None else None

    def _policy_step(self, run_id: str) -> int | None:
        with self._database.read() as session:
            return get_run(session, run_id).policy_step


def best_evaluation(session: Session, row: RunRow, *, deterministic: bool) -> BestEvaluation | None:
    """Return the best result of a run: of the policy that was kept as its best, or of an evaluation by users.

    ``deterministic``: whether the run's evaluations during training take the most likely actions. Only requested
    evaluations that do the same are compared with them.
    """
    found = []
    requested = best_requested_evaluation(session, row.id, deterministic=deterministic)
    record = None if requested is None else requested.parsed()
    if record is not None and record.summary is not None and (spread := record.summary.episode_return) is not None:
        best = BestEvaluation(
            mean=spread.mean, std=spread.std, step=record.checkpoint_step, deterministic=deterministic
        )
        found.append(best)
    if (kept := row.best_policy) is not None:
        mean, std = kept["mean_return"], kept["std_return"]
        found.append(BestEvaluation(mean=mean, std=std, step=kept["step"], deterministic=deterministic))
    return max(found, key=lambda one: one.mean, default=None)


def later_than(newest: datetime | None, now: datetime) -> datetime:
    """Return ``now``, or just after ``newest`` if the clock was set back, so that the new id sorts last."""
    return now if newest is None else max(now, newest + timedelta(milliseconds=1))


def _plays_a_policy(record: EvaluationRecord) -> bool:
    return record.origin is Origin.ASKED and record.checkpoint_step is not None


def _can_act(run: RunRow, folder: RunFolder) -> bool:
    """Return whether something can play now, or will after the trainer has saved it."""
    match run.actor:
        case RunActor.RANDOM:
            return True
        case RunActor.HUMAN | RunActor.FOREIGN:
            return False
    return run.state.has_worker or folder.newest_policy() is not None


def _why_nothing(run: RunRow) -> str:
    if run.actor is RunActor.HUMAN:
        return f"Nothing learns in run {run.id!r}, so it has no policy to evaluate."
    if run.state.is_final:
        return f"Run {run.id!r} ended before its first checkpoint. Create a new run."
    return f"Run {run.id!r} is {run.status!r} and has no policy yet. Start it, or wait until it trains."


def _why_no_best(run: RunRow, config: RunConfig) -> str:
    if run.actor is not RunActor.POLICY:
        return f"Nothing learns in run {run.id!r}, so it has no best policy. Leave out `policy`."
    steps = config.evaluation.every_steps
    if steps is None:
        return (
            f"Run {run.id!r} has no best policy, because it was created without evaluation during training. "
            "Evaluate the latest policy instead."
        )
    if run.state.is_final:
        return f"Run {run.id!r} ended before its first evaluation. Evaluate the latest policy instead."
    return (
        f"Run {run.id!r} has no best policy yet: its first evaluation comes after {steps:,} steps. "
        "Wait for it, or evaluate the latest policy."
    )
