"""Use cases on value slices: the clip worker computes them, since the service never loads a policy."""

from __future__ import annotations

import math
from dataclasses import dataclass

from rlviz.catalog.evaluations import completed_evaluations
from rlviz.catalog.runs import get_run
from rlviz.domain.clips import ClipRequest
from rlviz.domain.errors import InvalidRequest, NotSliceable, UnknownName
from rlviz.domain.spaces import Space
from rlviz.domain.value_slice import MOST_COMPONENTS, SlicePlan, ValueSlice
from rlviz.environments.custom import environment_of
from rlviz.rundir.clips import Clips
from rlviz.rundir.files import is_file
from rlviz.rundir.folder import RunFolder
from rlviz.services.use_cases.base import RunUseCases
from rlviz.services.use_cases.film import choose_policy

NEWEST = 1 << 62
"""A step beyond that of any policy."""


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
    """Slices are kept and deleted as clips are."""

    def ask(self, run_id: str, *, x: str, y: str, step: int | None, at: str | None) -> WantedSlice:
        """Request the slice if it is not there. ``x``, ``y``: indices of components, or their names.

        Raises RunNotFound, InvalidRequest, NothingToEvaluate or NotEnoughDisk.
        """
        with self._database.read() as session:
            run = get_run(session, run_id)
            evaluations = [row.id for row in completed_evaluations(session, [run_id])]
        folder = self._folder(run_id)
        folder.check()
        space = environment_of(folder.read_config()).observation_space
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

    def look(self, wanted: WantedSlice) -> ValueSlice | None:
        """The slice; None while it is not ready. Raises NotSliceable with the cause if it cannot be computed."""
        clips = Clips(self._folder(wanted.run_id))
        if clips.requests.has(wanted.id):
            return None
        record = clips.find(wanted.id)
        if record is not None and record.cause is not None:
            raise NotSliceable(f"{record.cause} Ask again to try again.")
        return clips.find_slice(wanted.id)


def _check_sliceable(space: Space) -> None:
    if space.kind != "Box":
        raise InvalidRequest.field(
            "/x", f"A value slice needs observations of numbers; these are {space.kind}. Look at the Q-table."
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
                f"/{field}", f"There is no component {place}; they are counted from 0 to {space.size - 1}."
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
        raise InvalidRequest.field("/at", "Give numbers with commas between them, as in 0,0.1,0,0.") from error
    if len(numbers) != space.size or not all(map(math.isfinite, numbers)):
        raise InvalidRequest.field(
            "/at", f"Give one finite number for each of the {space.size} components; {len(numbers)} were given."
        )
    return numbers


def _newest_recorded(folder: RunFolder, evaluations: list[str]) -> str | None:
    for evaluation_id in sorted(evaluations, reverse=True):
        if is_file(folder.evaluations.steps_path(evaluation_id), folder.path):
            return evaluation_id
    return None
