"""Read what an agent saw in an evaluation or a clip, and request saliency maps and value slices.

The clip worker computes maps and slices, since the service never loads a policy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from rlviz.domain.clips import (
    MOST_COMPONENTS,
    ClipRequest,
    KeptPolicy,
    SaliencyPlan,
    SlicePlan,
    SliceRange,
    StepSaliency,
    ValueSlice,
)
from rlviz.domain.errors import (
    ArtifactNotFound,
    EvaluationNotFound,
    InvalidRequest,
    NoSaliency,
    NotSliceable,
    PicturesNotFound,
    StepsNotFound,
    UnknownName,
)
from rlviz.domain.spaces import Space
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.environments.custom import find_environment
from rlviz.rundir.archives import open_archive, read_member
from rlviz.rundir.clips import Clips
from rlviz.rundir.files import is_file
from rlviz.rundir.folder import RunFolder, evaluated_policy, kept_policies, strip_name
from rlviz.server.catalog.evaluations import completed_evaluations
from rlviz.server.catalog.models import EvaluationRow, RunRow
from rlviz.server.catalog.runs import get_run
from rlviz.server.evaluations.film import choose_policy
from rlviz.server.evaluations.models import RunValueSlice, SliceAxis
from rlviz.server.use_case import RunUseCases


@dataclass(frozen=True)
class WantedSaliency:
    """A requested saliency map. ``step``: training step of the policy."""

    run_id: str
    step: int
    plan: SaliencyPlan


class SeenService(RunUseCases):
    """Reads pictures and requests saliency maps. Maps are stored and deleted like clips."""

    def strip(self, run_id: str, evaluation_id: str, number: int) -> bytes:
        """Return a PNG of what the agent saw.

        Raises RunNotFound, EvaluationNotFound, PicturesNotFound or RunFolderError.
        """
        _, folder, evaluation = self._evaluation(run_id, evaluation_id)
        return _read_strip(
            folder,
            folder.evaluations.pictures_path(evaluation.id),
            number,
            f"Evaluation {evaluation_id!r}",
            "the agent sees no pictures, they were not recorded, or newer ones replaced them. Evaluate again.",
        )

    def clip_strip(self, run_id: str, clip_id: str, number: int) -> bytes:
        """Return a PNG of what the agent saw in a clip.

        Raises RunNotFound, ArtifactNotFound, PicturesNotFound or RunFolderError.
        """
        with self._database.read() as session:
            get_run(session, run_id)
        folder = self._folder(run_id)
        return _read_strip(
            folder,
            Clips(folder).pictures_path(clip_id),
            number,
            f"Clip {clip_id!r}",
            "the agent sees no pictures, or newer clips replaced them. POST to the clips to make it again.",
        )

    def request_map(self, run_id: str, evaluation_id: str, *, episode: int, index: int) -> WantedSaliency:
        """Request the map of a step if it does not exist.

        Raises RunNotFound, EvaluationNotFound, StepsNotFound, InvalidRequest, NoSaliency or NotEnoughDisk.
        """
        run, folder, evaluation = self._evaluation(run_id, evaluation_id)
        _check_seen(folder)
        _check_step(evaluation, episode, index)
        if not is_file(folder.evaluations.steps_path(evaluation_id), folder.path):
            raise StepsNotFound(f"Evaluation {evaluation_id!r} has no step records, which a replay needs.")
        plan = SaliencyPlan(evaluation_id=evaluation_id, episode=episode, index=index)
        return self._want(folder, _policy_of(run, folder, evaluation), plan)

    def request_clip_map(self, run_id: str, clip_id: str, *, index: int) -> WantedSaliency:
        """Request the map of a step of a clip if it does not exist.

        Raises RunNotFound, ArtifactNotFound, StepsNotFound, InvalidRequest, NoSaliency or NotEnoughDisk.
        """
        with self._database.read() as session:
            run = get_run(session, run_id)
        folder = self._folder(run_id)
        _check_seen(folder)
        clips = Clips(folder)
        record = clips.find(clip_id)
        if record is None or record.kind != "clip":
            raise ArtifactNotFound(f"Clip {clip_id[:80]!r} of run {run_id!r} was not made. POST to its clips.")
        if not record.episodes or not clips.has_steps(clip_id):
            raise StepsNotFound(f"Clip {clip_id!r} has no step records. POST to the clips to make it again.")
        _check_length(record.episodes[0].episode_length, index)
        policy = _kept(run, folder, record.episodes[0].step)
        return self._want(folder, policy, SaliencyPlan(clip_id=clip_id, index=index))

    def _want(self, folder: RunFolder, policy: KeptPolicy, plan: SaliencyPlan) -> WantedSaliency:
        clips, wanted_id = Clips(folder), plan.saliency_id
        wanted = WantedSaliency(folder.run_id, policy.step, plan)
        record = clips.find(wanted_id)
        # The clip may be newer than the map, because training reached its step again.
        is_fresh = plan.clip_id is None or clips.is_newer_than(wanted_id, clips.steps_path(plan.clip_id))
        if is_fresh and record is not None and record.cause is None and clips.find_saliency(wanted_id) is not None:
            clips.touch(wanted_id)
            return wanted
        if not clips.requests.has(wanted_id):
            self._disk.check()
            self._trust.admit(folder)
            clips.requests.add(
                ClipRequest(
                    id=wanted_id,
                    kind="saliency",
                    seed=0,
                    greedy=True,
                    steps=[policy.step],
                    policies=[policy.file],
                    keep_bytes=int(self._settings.keep_clips),
                    saliency=plan,
                )
            )
        self._supervisor.request_clips(folder.run_id)
        return wanted

    def find(self, wanted: WantedSaliency) -> StepSaliency | None:
        """Return the map; None while it is not ready. Raises NoSaliency with the cause if it cannot be computed."""
        clips, wanted_id = Clips(self._folder(wanted.run_id)), wanted.plan.saliency_id
        if clips.requests.has(wanted_id):
            return None
        record = clips.find(wanted_id)
        if record is not None and record.cause is not None:
            raise NoSaliency(f"{record.cause} Request it again to retry.")
        return clips.find_saliency(wanted_id)

    def _evaluation(self, run_id: str, evaluation_id: str) -> tuple[RunRow, RunFolder, EvaluationRow]:
        with self._database.read() as session:
            run = get_run(session, run_id)
            row = session.get(EvaluationRow, (run_id, evaluation_id))
        if row is None:
            raise EvaluationNotFound(f"Run {run_id[:80]!r} has no evaluation {evaluation_id[:80]!r}.")
        return run, self._folder(run_id), row


def _read_strip(folder: RunFolder, path: Path, number: int, whose: str, why_none: str) -> bytes:
    """Return strip ``number`` of the archive ``path``. Raises PicturesNotFound or RunFolderError."""
    try:
        with open_archive(path, folder.path, "It is no whole archive of pictures.") as archive:
            return read_member(archive, strip_name(number))
    except FileNotFoundError as error:
        raise PicturesNotFound(f"{whose} has no pictures: {why_none}") from error
    except KeyError as error:
        raise PicturesNotFound(f"{whose} has no strip {number} of pictures.") from error


def _check_seen(folder: RunFolder) -> None:
    """Raise NoSaliency unless the agent sees pictures. Also raises ArtifactNotFound or RunFolderError."""
    folder.check()
    config = folder.read_config()
    if not find_environment(config).observation_space.is_picture or ALGORITHMS.get(config.algo).scorer is None:
        raise NoSaliency("Saliency shows which pixels matter, but this agent sees no pictures.")


def _check_step(evaluation: EvaluationRow, episode: int, index: int) -> None:
    """Raise InvalidRequest for a step that was not played."""
    summary = evaluation.parsed().summary
    lengths = [] if summary is None else [played.episode_length for played in summary.episodes]
    if episode >= len(lengths):
        raise InvalidRequest.field(
            "/episode", f"There is no episode {episode}; {len(lengths)} were played, counted from 0."
        )
    _check_length(lengths[episode], index)


def _check_length(length: int, index: int) -> None:
    """Raise InvalidRequest if the episode has no step ``index``."""
    if index > length:
        raise InvalidRequest.field("/step", f"There is no step {index}; the episode ended with step {length}.")


def _kept(run: RunRow, folder: RunFolder, step: int) -> KeptPolicy:
    """Return the saved policy of ``step``. Raises NoSaliency if it was deleted."""
    kept = kept_policies(folder, run.policy_step)
    found = next((policy for policy in kept if policy.step == step), None)
    if found is None:
        raise NoSaliency(f"The policy of step {step:,}, which played, was deleted.")
    return found


def _policy_of(run: RunRow, folder: RunFolder, evaluation: EvaluationRow) -> KeptPolicy:
    """Return the policy that played. Raises NoSaliency if it was deleted."""
    step = evaluation.parsed().checkpoint_step
    found = evaluated_policy(folder, evaluation.id, step, run.policy_step)
    if found is None:
        which = "that played" if step is None else f"of step {step:,}, which played,"
        raise NoSaliency(f"The policy {which} was deleted. Evaluate another one.")
    return found


NEWEST = 1 << 62
"""A step after that of any policy."""


@dataclass(frozen=True)
class WantedSlice:
    """The requested slice: of the policy at ``step``, in ``space``."""

    run_id: str
    step: int
    plan: SlicePlan
    space: Space

    @property
    def id(self) -> str:
        return self.plan.slice_id(self.step)


class ValueSliceService(RunUseCases):
    """Requests value slices. Slices are stored and deleted like clips."""

    def request_slice(self, run_id: str, *, x: str, y: str, step: int | None, at: str | None) -> WantedSlice:
        """Request a slice if it does not exist.

        Args:
            run_id: The run.
            x: Index or name of a component of the observation.
            y: Another component.
            step: The newest saved policy at or before this step; None: the newest.
            at: Values of all components, comma-separated; None: the middle of their bounds.

        Raises RunNotFound, InvalidRequest, NothingToEvaluate or NotEnoughDisk.
        """
        with self._database.read() as session:
            run = get_run(session, run_id)
            evaluations = [row.id for row in completed_evaluations(session, [run_id])]
        folder = self._folder(run_id)
        folder.check()
        space = find_environment(folder.read_config()).observation_space
        _check_sliceable(space)
        places = _place(space, "x", x), _place(space, "y", y)
        if places[0] == places[1]:
            raise InvalidRequest.field("/y", "x and y name the same component. Choose two different ones.")
        plan = SlicePlan(
            x=places[0], y=places[1], at=_numbers(space, at), evaluation_id=_newest_recorded(folder, evaluations)
        )
        policy = choose_policy(run, folder, NEWEST if step is None else step)
        wanted = WantedSlice(run_id, policy.step, plan, space)
        clips = Clips(folder)
        record = clips.find(wanted.id)
        if record is not None and record.cause is None and clips.is_newer_than(wanted.id, folder.path / policy.file):
            clips.touch(wanted.id)
            return wanted
        if not clips.requests.has(wanted.id):
            self._disk.check()
            self._trust.admit(folder)
            clips.requests.add(
                ClipRequest(
                    id=wanted.id,
                    kind="slice",
                    seed=0,
                    greedy=True,
                    steps=[policy.step],
                    policies=[policy.file],
                    keep_bytes=int(self._settings.keep_clips),
                    plan=plan,
                )
            )
        self._supervisor.request_clips(run_id)
        return wanted

    def find(self, wanted: WantedSlice) -> ValueSlice | None:
        """Return the slice; None while it is not ready. Raises NotSliceable with the cause if it cannot be computed."""
        clips = Clips(self._folder(wanted.run_id))
        if clips.requests.has(wanted.id):
            return None
        record = clips.find(wanted.id)
        if record is not None and record.cause is not None:
            raise NotSliceable(f"{record.cause} Request it again to retry.")
        return clips.find_slice(wanted.id)


def _check_sliceable(space: Space) -> None:
    if space.kind != "Box":
        raise InvalidRequest.field(
            "/x", f"A value slice needs observations of numbers; these are {space.kind}. See the Q-table instead."
        )
    if space.is_picture or space.size > MOST_COMPONENTS:
        raise InvalidRequest.field(
            "/x",
            "A value slice needs a few numbers; these observations are pictures. Look at what the agent saw, with the "
            "pixels that matter, in the live window or under an evaluation.",
        )
    if space.size < 2:
        raise InvalidRequest.field("/x", "A value slice needs two components; these observations have one.")


def _place(space: Space, field: str, text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 9:
        place = int(text)
        if place >= space.size:
            raise InvalidRequest.field(
                f"/{field}", f"There is no component {place}; the indices are 0 to {space.size - 1}."
            )
        return place
    if text not in space.labels:
        raise UnknownName(
            "component of the observation", text, space.labels or map(str, range(space.size)), f"/{field}"
        )
    return space.labels.index(text)


def _numbers(space: Space, text: str | None) -> list[float] | None:
    if text is None:
        return None
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError as error:
        raise InvalidRequest.field("/at", "Give comma-separated numbers, such as 0,0.1,0,0.") from error
    if len(numbers) != space.size or not all(map(math.isfinite, numbers)):
        raise InvalidRequest.field(
            "/at", f"Give one finite number for each of the {space.size} components; got {len(numbers)}."
        )
    return numbers


def _newest_recorded(folder: RunFolder, evaluations: list[str]) -> str | None:
    for evaluation_id in sorted(evaluations, reverse=True):
        if is_file(folder.evaluations.steps_path(evaluation_id), folder.path):
            return evaluation_id
    return None


def view_value_slice(wanted: WantedSlice, found: ValueSlice) -> RunValueSlice:
    """Return the API model of a value slice."""
    return RunValueSlice(
        **found.model_dump(exclude={"x", "y"}),
        run_id=wanted.run_id,
        step=wanted.step,
        x=_slice_axis(wanted.space, wanted.plan.x, found.x),
        y=_slice_axis(wanted.space, wanted.plan.y, found.y),
    )


def _slice_axis(space: Space, place: int, reach: SliceRange) -> SliceAxis:
    name = space.labels[place] if space.labels else str(place)
    return SliceAxis(place=place, name=name, unit=space.units[place] if space.units else "", **reach.model_dump())
