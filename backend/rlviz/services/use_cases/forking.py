"""Forking: a new run that begins from a snapshot of another, with changed settings."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from pydantic import JsonValue

from rlviz.algorithms import ALGORITHMS
from rlviz.algorithms.base import Hyperparameters
from rlviz.catalog.models import RunRow
from rlviz.catalog.runs import get_run
from rlviz.domain.config import LastEpisode, Parent, RunConfig
from rlviz.domain.errors import FieldError, InvalidRequest, UnknownName, pointer_to
from rlviz.domain.ids import new_run_id
from rlviz.domain.status import RunStatus
from rlviz.domain.times import utc
from rlviz.environments.base import Environment
from rlviz.environments.custom import environment_of
from rlviz.provenance import git_revision, package_versions
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.creation import new_folder
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.inherit import inherit, inherit_stretch
from rlviz.rundir.snapshots import check_seal
from rlviz.services.projection.folder_projection import row_of_config
from rlviz.services.use_cases.base import RunUseCases, check_controlled
from rlviz.services.use_cases.configuration import check_memory
from rlviz.services.use_cases.fork_changes import (
    Change,
    Effect,
    change_of,
    check_rules_keep_their_knobs,
    possible_changes,
    possible_options,
    with_options,
)
from rlviz.services.use_cases.fork_place import ForkPlace, place_at, place_of
from rlviz.services.use_cases.knobs_in_force import knobs_in_force, taken_over
from rlviz.services.use_cases.last_episodes import last_episodes


@dataclass(frozen=True)
class ForkRequest:
    """``snapshot`` or ``step``: see ForkPlace. None leaves it to the parent; of the seed, that means the same."""

    snapshot: str | None = None
    step: int | None = None
    hyperparameters: Mapping[str, JsonValue] = field(default_factory=dict)
    env_options: Mapping[str, JsonValue] = field(default_factory=dict)
    seed: int | None = None
    total_timesteps: int | None = None
    name: str | None = None
    start: bool = False


@dataclass(frozen=True)
class ForkChanges:
    """What becomes at a fork of each of the run's ``hyperparameters`` and of the ``options`` of its environment.
    ``place``: where it begins; None if that was not asked. ``in_force``: hyperparameters that had been changed while
    the run trained, as they were there."""

    place: ForkPlace | None
    in_force: Mapping[str, JsonValue]
    hyperparameters: list[Change]
    options: list[Change]


class ForkService(RunUseCases):
    def changes(self, run_id: str, snapshot: str | None = None, step: int | None = None) -> ForkChanges:
        """What can be changed at a fork of the run, at a snapshot or a step if one is given.

        Raises RunNotFound, ArtifactNotFound, NothingToResume, SnapshotRefused, RunFolderError, NewerVersion, and
        InvalidRequest if both are given.
        """
        if snapshot is not None and step is not None:
            raise InvalidRequest.field("/snapshot", "Name a snapshot, or give a step, not both.")
        folder, config, reached = self._parent(run_id)
        place = None
        if snapshot is not None or step is not None:
            place = _place(folder, config, snapshot, step, reached)
        options: list[Change] = []
        with suppress(UnknownName):  # of an earlier version
            options = possible_options(environment_of(config))
        in_force = {} if place is None else knobs_in_force(folder, config, place)
        return ForkChanges(place, in_force, possible_changes(config), options)

    def accepts(self, config: RunConfig, name: str, value: JsonValue) -> bool:
        """Whether a fork of a run so configured can have hyperparameter ``name`` changed to ``value`` alone."""
        if config.algo not in ALGORITHMS.names():
            return False
        request = ForkRequest(hyperparameters={name: value})
        try:
            environment = environment_of(config)
            self._changed(config, {}, request, config.total_timesteps, environment)
        except (InvalidRequest, UnknownName):
            return False
        return True

    def fork(self, run_id: str, request: ForkRequest) -> RunRow:
        """A new run that goes on from a snapshot of ``run_id``, whatever that does meanwhile.

        Raises RunNotFound, ArtifactNotFound, NothingToResume, SnapshotRefused, InvalidRequest naming each change that
        does not fit, NotEnoughDisk, or RunFolderError.
        """
        self._disk.check()
        if (request.snapshot is None) == (request.step is None):
            raise InvalidRequest.field("/snapshot", "Name a snapshot, or give a step: one of the two.")
        parent, theirs, reached = self._parent(run_id)
        parent.check()
        self._trust.admit(parent)
        now = self._clock()
        place = _place(parent, theirs, request.snapshot, request.step, reached)
        if (begin := place.snapshot or place.inherited) is not None:
            check_seal(parent, begin.name)
        snapshot, in_force = place.snapshot, knobs_in_force(parent, theirs, place)
        theirs = theirs.model_copy(update={"snapshots": parent.snapshot_plan(theirs), "rules": parent.rules(theirs)})
        config = self._config(
            theirs, place, in_force, request, now, last_episodes(parent, theirs, snapshot, place.step)
        )
        row = row_of_config(config)
        control = Control(resume_from=place.begins_from)
        if request.start:
            row.status, row.queued_at = RunStatus.QUEUED.value, now
            control = Control(desired=Desired.RUN, requested_at=now, queued_at=now, resume_from=place.begins_from)

        def fill(child: RunFolder) -> None:
            begin = snapshot or place.inherited
            if begin is not None:
                inherit(begin, parent, child)
            if place.needs_parent:
                inherit_stretch(begin, parent, child, place.step)

        with (
            new_folder(self._settings.runs_dir, config, control, fill=fill) as appear,
            self._database.write() as session,
        ):
            session.add(row)
            session.flush()
            appear()
        self._broadcast.run_changed(row)
        if request.start:
            self._supervisor.wake()
        return row

    def _parent(self, run_id: str) -> tuple[RunFolder, RunConfig, int]:
        """The folder and the configuration of a run to be forked, and the step that it has come to. Raises RunNotFound,
        NotControlled, RunFolderError and NewerVersion."""
        with self._database.read() as session:
            row = get_run(session, run_id)
            check_controlled(row)
            reached = row.step
        folder = self._folder(run_id)
        return folder, folder.config_to_go_on(), reached

    def _config(
        self,
        parent: RunConfig,
        place: ForkPlace,
        in_force: Mapping[str, JsonValue],
        request: ForkRequest,
        now: float,
        before_fork: list[LastEpisode],
    ) -> RunConfig:
        total = request.total_timesteps or max(parent.total_timesteps, place.step + 1)
        if total <= place.step:
            raise InvalidRequest.field(
                "/total_timesteps", f"The fork begins at step {place.step:,} already. Give more timesteps."
            )
        before = environment_of(parent)
        environment = with_options(before, request.env_options)
        options = sorted(name for name, value in environment.chosen.items() if before.chosen.get(name) != value)
        hyperparameters, changes = self._changed(parent, in_force, request, total, environment)
        changed = [change.name for change in changes]
        seed = parent.seed if request.seed is None else request.seed
        instant = utc(now)
        anew = seed != parent.seed or bool(options) or any(change.effect is Effect.ANEW for change in changes)
        return parent.model_copy(
            update={
                "run_id": new_run_id(parent.algo, parent.env_id, instant),
                "name": request.name.strip() if request.name else f"{parent.name[:100]}, forked",
                "created_at": instant,
                "group_id": None,
                "experiment": None,
                "preset": parent.preset if not changed + options else None,
                "env_options": environment.chosen,
                "seed": seed,
                "total_timesteps": total,
                "hyperparameters": hyperparameters.model_dump(),
                "versions": package_versions(),
                "git_revision": git_revision(),
                "parent": Parent(
                    run_id=parent.run_id,
                    snapshot=place.begins_from,
                    step=place.step,
                    changed=changed + options,
                    in_force=dict(in_force),
                    environments_anew=anew,
                    last_episodes=[] if options else before_fork,
                ),
            }
        )

    def _changed(
        self,
        parent: RunConfig,
        in_force: Mapping[str, JsonValue],
        request: ForkRequest,
        total: int,
        environment: Environment,
    ) -> tuple[Hyperparameters, list[Change]]:
        """All hyperparameters of the fork, and what changes about those ``in_force``, by name. Raises
        InvalidRequest."""
        algorithm = ALGORITHMS.get(parent.algo)
        before = {**algorithm.completed(parent.hyperparameters), **in_force}
        changed = sorted(name for name, value in request.hyperparameters.items() if before.get(name) != value)
        changes = [change_of(name, parent) for name in changed if name in algorithm.hyperparameters.model_fields]
        refused = [change for change in changes if change.effect is Effect.REFUSED]
        if refused:
            fields = [FieldError(pointer_to("hyperparameters", one.name), one.why or "") for one in refused]
            reasons = "; ".join(f"{one.name}: {one.why}" for one in refused)
            raise InvalidRequest(f"This cannot be changed at a fork. {reasons}", fields)
        hyperparameters = algorithm.validate(
            {
                **parent.hyperparameters,
                **taken_over(algorithm, in_force, changed),
                **{name: request.hyperparameters[name] for name in changed},
            },
            total,
            (environment.observation_space, environment.action_space),
        )
        check_rules_keep_their_knobs(parent.rules, algorithm, hyperparameters.model_dump())
        check_memory(algorithm, hyperparameters, environment, self._settings.memory_a_run)
        return hyperparameters, changes


def _place(folder: RunFolder, config: RunConfig, snapshot: str | None, step: int | None, reached: int) -> ForkPlace:
    if step is not None:
        return place_at(folder, config, step, reached)
    return place_of(folder, snapshot or "")
