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
from rlviz.provenance import git_revision, package_versions
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.creation import new_folder
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.inherit import inherit, inherit_stretch
from rlviz.services.projection.folder_projection import row_of_config
from rlviz.services.use_cases.base import RunUseCases, check_controlled
from rlviz.services.use_cases.configuration import check_memory
from rlviz.services.use_cases.environments import EnvironmentService
from rlviz.services.use_cases.fork_changes import (
    Change,
    Effect,
    change_of,
    possible_changes,
    possible_options,
    with_options,
)
from rlviz.services.use_cases.fork_place import ForkPlace, place_at, place_of
from rlviz.services.use_cases.last_episodes import last_episodes


@dataclass(frozen=True)
class ForkWish:
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
    """What becomes at a fork of each of the run's ``hyperparameters`` and of the ``options`` of its environment."""

    hyperparameters: list[Change]
    options: list[Change]


class ForkService(RunUseCases):
    def __init__(self, *arguments: object, environments: EnvironmentService, **keywords: object) -> None:
        super().__init__(*arguments, **keywords)  # type: ignore[arg-type]
        self._environments = environments

    def changes(self, run_id: str) -> ForkChanges:
        """What can be changed at a fork of the run. Raises RunNotFound, RunFolderError and NewerVersion."""
        with self._database.read() as session:
            check_controlled(get_run(session, run_id))
        config = self._folder(run_id).config_to_go_on()
        options: list[Change] = []
        with suppress(UnknownName):  # a custom environment that is gone: forking says so
            options = possible_options(self._environments.get(config.env_id).resolve(config.env_options))
        return ForkChanges(possible_changes(config), options)

    def place(self, run_id: str, step: int) -> ForkPlace:
        """Where a fork of the run at ``step`` begins. Raises RunNotFound, NothingToResume and RunFolderError."""
        with self._database.read() as session:
            row = get_run(session, run_id)
            check_controlled(row)
            reached = row.step
        folder = self._folder(run_id)
        return place_at(folder, folder.config_to_go_on(), step, reached)

    def accepts(self, config: RunConfig, name: str, value: JsonValue) -> bool:
        """Whether a fork of a run so configured can have hyperparameter ``name`` changed to ``value`` alone."""
        if config.algo not in ALGORITHMS.names():
            return False
        wish = ForkWish(hyperparameters={name: value})
        try:
            environment = self._environments.get(config.env_id).resolve(config.env_options)
            self._changed(config, wish, config.total_timesteps, environment)
        except (InvalidRequest, UnknownName):
            return False
        return True

    def fork(self, run_id: str, wish: ForkWish) -> RunRow:
        """A new run that goes on from a snapshot of ``run_id``, whatever that does meanwhile.

        Raises RunNotFound, ArtifactNotFound, NothingToResume, SnapshotRefused, InvalidRequest naming each change that
        does not fit, NotEnoughDisk, or RunFolderError.
        """
        self._disk.check()
        with self._database.read() as session:
            row = get_run(session, run_id)
            check_controlled(row)
            reached = row.step
        parent = self._folder(run_id)
        parent.check()
        theirs, now = parent.config_to_go_on(), self._clock()
        if (wish.snapshot is None) == (wish.step is None):
            raise InvalidRequest.field("/snapshot", "Name a snapshot, or give a step: one of the two.")
        if wish.step is not None:
            place = place_at(parent, theirs, wish.step, reached)
        else:
            place = place_of(parent, wish.snapshot or "")
        snapshot = place.snapshot
        config = self._config(theirs, place, wish, now, last_episodes(parent, theirs, snapshot, place.step))
        row = row_of_config(config)
        control = Control(resume_from=place.begins_from)
        if wish.start:
            row.status, row.queued_at = RunStatus.QUEUED.value, now
            control = Control(desired=Desired.RUN, requested_at=now, queued_at=now, resume_from=place.begins_from)

        def fill(child: RunFolder) -> None:
            if snapshot is not None:
                inherit(snapshot, parent, child)
            if place.trained_again_from is not None:
                inherit_stretch(snapshot, parent, child, place.step)

        with (
            new_folder(self._settings.runs_dir, config, control, fill=fill) as appear,
            self._database.write() as session,
        ):
            session.add(row)
            session.flush()
            appear()
        self._broadcast.run_changed(row)
        if wish.start:
            self._supervisor.wake()
        return row

    def _config(
        self, parent: RunConfig, place: ForkPlace, wish: ForkWish, now: float, before_fork: list[LastEpisode]
    ) -> RunConfig:
        total = wish.total_timesteps or max(parent.total_timesteps, place.step + 1)
        if total <= place.step:
            raise InvalidRequest.field(
                "/total_timesteps", f"The fork begins at step {place.step:,} already. Give more timesteps."
            )
        before = self._environments.get(parent.env_id).resolve(parent.env_options)
        environment = with_options(before, wish.env_options)
        options = sorted(name for name, value in environment.chosen.items() if before.chosen.get(name) != value)
        hyperparameters, changes = self._changed(parent, wish, total, environment)
        changed = [change.name for change in changes]
        seed = parent.seed if wish.seed is None else wish.seed
        instant = utc(now)
        anew = seed != parent.seed or bool(options) or any(change.effect is Effect.ANEW for change in changes)
        return parent.model_copy(
            update={
                "run_id": new_run_id(parent.algo, parent.env_id, instant),
                "name": wish.name.strip() if wish.name else f"{parent.name[:100]}, forked",
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
                    environments_anew=anew,
                    last_episodes=[] if options else before_fork,
                ),
            }
        )

    def _changed(
        self, parent: RunConfig, wish: ForkWish, total: int, environment: Environment
    ) -> tuple[Hyperparameters, list[Change]]:
        """All hyperparameters of the fork, and what changes, by name. Raises InvalidRequest."""
        algorithm = ALGORITHMS.get(parent.algo)
        changed = sorted(
            name for name, value in wish.hyperparameters.items() if parent.hyperparameters.get(name) != value
        )
        changes = [change_of(name, parent) for name in changed if name in algorithm.hyperparameters.model_fields]
        refused = [change for change in changes if change.effect is Effect.REFUSED]
        if refused:
            fields = [FieldError(pointer_to("hyperparameters", one.name), one.why or "") for one in refused]
            told = "; ".join(f"{one.name}: {one.why}" for one in refused)
            raise InvalidRequest(f"This cannot be changed at a fork. {told}", fields)
        hyperparameters = algorithm.validate(
            {**parent.hyperparameters, **wish.hyperparameters},
            total,
            (environment.observation_space, environment.action_space),
        )
        if "ent_coef" in changed and isinstance(wish.hyperparameters["ent_coef"], str):
            raise InvalidRequest.field("/hyperparameters/ent_coef", "A number cannot become one that is learned.")
        check_memory(algorithm, hyperparameters, environment, self._settings.memory_a_run)
        return hyperparameters, changes
