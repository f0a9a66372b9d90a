"""Offer other actions at a step of a recorded episode, and request the futures that they lead to.

The clip worker plays them, since the service never loads a policy or an environment. Futures are stored and deleted
like clips. They are no evaluations, and the records of the episode stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rlviz.domain.clips import ClipRecord, ClipRequest, ClipStatus, FuturePlan, KeptPolicy, is_future_id
from rlviz.domain.config import RunActor
from rlviz.domain.errors import ArtifactNotFound, InvalidRequest, NoOtherFuture, StepsNotFound
from rlviz.domain.evaluation import CAPTION_HEIGHT, Origin
from rlviz.domain.other_actions import check_action, name_action, offer_actions
from rlviz.learning.records.about import RecordsAbout
from rlviz.learning.records.query import StepQuery
from rlviz.rundir.clips import Clips
from rlviz.rundir.folder import RunFolder, evaluated_policy, kept_policies
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.runs import get_run
from rlviz.server.evaluations.models import Future, OfferedAction, OtherActions
from rlviz.server.evaluations.service import EvaluationService
from rlviz.server.evaluations.steps import StepRecordService
from rlviz.server.events import EventBus
from rlviz.server.proxy import link
from rlviz.server.supervisor.supervisor import Supervisor
from rlviz.server.use_case import RunUseCases
from rlviz.settings import Settings


@dataclass(frozen=True)
class RecordedStep:
    """A step of a recorded episode of an evaluation, or of a clip; episodes and steps count from 0."""

    run_id: str
    index: int
    evaluation_id: str | None = None
    clip_id: str | None = None
    episode: int = 0


@dataclass(frozen=True)
class _Player:
    """Who played an episode: ``policy`` of training step ``step``; None for random actions."""

    policy: KeptPolicy | None
    step: int | None


class FutureService(RunUseCases):
    """All methods raise RunNotFound, EvaluationNotFound or ArtifactNotFound, StepsNotFound without step records,
    InvalidRequest for a step that has no next action, and RunFolderError."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        supervisor: Supervisor,
        events: EventBus,
        *,
        evaluations: EvaluationService,
        records: StepRecordService,
    ) -> None:
        super().__init__(settings, database, supervisor, events)
        self._evaluations, self._records = evaluations, records

    def offer(self, at: RecordedStep) -> OtherActions:
        """Return the action that was taken after a step, and the ones to offer instead. Raises NoOtherFuture."""
        about, taken = self._taken(at)
        layout, labels = about.action.layout, about.action.labels
        return OtherActions(
            run_id=at.run_id,
            evaluation_id=at.evaluation_id,
            clip_id=at.clip_id,
            episode=at.episode,
            step=at.index,
            taken=OfferedAction(name=name_action(layout, labels, taken), action=taken),
            others=[OfferedAction(name=one.name, action=one.action) for one in offer_actions(layout, labels, taken)],
            space=about.action,
        )

    def request(self, at: RecordedStep, action: Sequence[float]) -> Future:
        """Return the future after ``action``; request it if it was not played.

        Raises NoOtherFuture if it cannot be played, NotTrusted, EnvironmentMissing or NotEnoughDisk.
        """
        with self._database.read() as session:
            run = get_run(session, at.run_id)
        folder = self._folder(at.run_id)
        folder.check()
        self._trust.admit(folder)
        about, taken = self._taken(at)
        plan = FuturePlan(
            evaluation_id=at.evaluation_id,
            clip_id=at.clip_id,
            episode=at.episode,
            index=at.index,
            action=check_action(about.action.layout, taken, action),
        )
        clips, future_id = Clips(folder), plan.future_id
        if clips.requests.has(future_id):
            self._supervisor.request_clips(at.run_id)
            return self.find(at.run_id, future_id)
        record = clips.find(future_id)
        # The clip may be newer than its future, because training reached its step again.
        is_fresh = plan.clip_id is None or clips.is_newer_than(future_id, clips.steps_path(plan.clip_id))
        if record is not None and is_fresh and record.cause is None and clips.has_video(future_id):
            clips.touch(future_id)
            return _view(folder, clips, record, ClipStatus.READY)
        player = self._player(run, folder, at)
        self._disk.check()
        clips.requests.add(
            ClipRequest(
                id=future_id,
                kind="future",
                seed=about.episodes[at.episode].seed,
                greedy=about.deterministic,
                steps=[] if player.step is None else [player.step],
                policies=[] if player.policy is None else [player.policy.file],
                keep_bytes=int(self._settings.keep_clips),
                future=plan,
            )
        )
        self._supervisor.request_clips(at.run_id)
        wanted = ClipRecord(
            id=future_id, kind="future", seed=about.episodes[at.episode].seed, greedy=about.deterministic, future=plan
        )
        return _view(folder, clips, wanted, ClipStatus.WAITING)

    def find(self, run_id: str, future_id: str) -> Future:
        """Return a requested future and its status. Raises ArtifactNotFound if it was not requested."""
        with self._database.read() as session:
            get_run(session, run_id)
        folder = self._folder(run_id)
        clips = Clips(folder)
        missing = ArtifactNotFound(f"The future {future_id[:80]!r} of run {run_id!r} was not requested.")
        if not is_future_id(future_id):
            raise missing
        request = clips.requests.find(future_id)
        if request is not None and request.future is not None:
            self._supervisor.request_clips(run_id)  # a restarted service has no workers
            wanted = ClipRecord(
                id=future_id, kind="future", seed=request.seed, greedy=request.greedy, future=request.future
            )
            return _view(folder, clips, wanted, ClipStatus.WAITING)
        record = clips.find(future_id)
        if record is None or record.future is None:
            raise missing
        if record.cause is not None:
            return _view(folder, clips, record, ClipStatus.FAILED)
        has_video = clips.has_video(future_id)
        return _view(folder, clips, record, ClipStatus.READY if has_video else ClipStatus.RETIRED)

    def _taken(self, at: RecordedStep) -> tuple[RecordsAbout, list[float]]:
        """Return the metadata of the records, and the action that was taken after the step."""
        query = StepQuery(
            episode=at.episode, columns=["index", "action"], start=at.index, stop=at.index + 2
        )  # the action of a step is in the record of the next one
        if at.evaluation_id is not None:
            about, _, found = self._records.find(at.run_id, at.evaluation_id, query)
        else:
            about, _, found = self._records.find_in_clip(at.run_id, str(at.clip_id), query)
        if found.total == 0:
            raise InvalidRequest.field(
                "/episode", f"There is no episode {at.episode}; {len(about.episodes)} were recorded, counted from 0."
            )
        if at.index >= found.total - 1 or found.columns["index"] != [at.index, at.index + 1]:
            last = found.total - 1
            why = "the records were cut there" if about.cut else "the episode ended there"
            raise InvalidRequest.field(
                "/step", f"No action follows step {at.index:,}: the last record is step {last:,}, {why}."
            )
        action = found.columns["action"][1]
        if action is None:
            raise StepsNotFound(f"The action after step {at.index:,} was not recorded.")
        return about, [float(one) for one in (action if isinstance(action, list) else [action])]

    def _player(self, run: RunRow, folder: RunFolder, at: RecordedStep) -> _Player:
        """Return the policy that played the episode. Raises NoOtherFuture if none can continue."""
        if run.actor is RunActor.FOREIGN:
            raise NoOtherFuture("Another program played this episode. Its policy and environment are not here.")
        if at.clip_id is not None:
            step = int(at.clip_id.split("_")[1])
            found = next((one for one in kept_policies(folder, run.policy_step) if one.step == step), None)
            return _kept(found, step)
        assert at.evaluation_id is not None
        evaluation = self._evaluations.get(at.run_id, at.evaluation_id)
        if evaluation.parsed().origin is Origin.PLAYED or run.actor is RunActor.HUMAN:
            raise NoOtherFuture(
                "A person played this episode, so no policy can continue after another action. Play it yourself: on "
                "the page Play, you can go back one step and try another action."
            )
        if run.actor is RunActor.RANDOM:
            return _Player(None, None)
        return self._evaluated(folder, run, at.evaluation_id, evaluation.parsed().checkpoint_step)

    @staticmethod
    def _evaluated(folder: RunFolder, run: RunRow, evaluation_id: str, step: int | None) -> _Player:
        return _kept(evaluated_policy(folder, evaluation_id, step, run.policy_step), step)


def _kept(policy: KeptPolicy | None, step: int | None) -> _Player:
    if policy is None:
        which = "that played this episode" if step is None else f"of step {step:,}, which played this episode,"
        raise NoOtherFuture(f"The policy {which} was deleted, so it cannot continue. Evaluate a policy that is kept.")
    return _Player(policy, policy.step)


def _view(folder: RunFolder, clips: Clips, record: ClipRecord, status: ClipStatus) -> Future:
    plan = record.future
    assert plan is not None
    video: Path = clips.video_path(record.id)
    is_ready = status is ClipStatus.READY
    return Future(
        id=record.id,
        run_id=folder.run_id,
        status=status,
        cause=record.cause,
        evaluation_id=plan.evaluation_id,
        clip_id=plan.clip_id,
        episode=plan.episode,
        step=plan.index,
        action=plan.action,
        greedy=record.greedy,
        outcome=record.outcome if is_ready else None,
        video=record.video if is_ready else None,
        caption_height=CAPTION_HEIGHT,
        video_url=link(f"/api/runs/{folder.run_id}/artifacts/film/clips/{video.name}") if is_ready else None,
    )
