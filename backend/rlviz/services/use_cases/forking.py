"""Forking: a new run that begins from a snapshot of another, with changed settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

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
from rlviz.services.use_cases.fork_place import ForkPlace, place_at, place_of
from rlviz.services.use_cases.last_episodes import last_episodes


class Effect(StrEnum):
    FITS = "fits"  # training goes on with the new value
    ANEW = "anew"  # training goes on, with environments that begin a new episode
    REFUSED = "refused"


_NETWORK = "The weights of the snapshot are those of another network. Create a new run."
_BUFFER = "The replay buffer of the snapshot was made for the old value. Create a new run."
_STATE = "What the snapshot holds was made with the old value. Create a new run."

_REFUSED: dict[str, str] = {
    **dict.fromkeys(("net_arch", "activation", "n_quantiles", "use_sde", "log_std_init"), _NETWORK),
    "optimize_memory_usage": _BUFFER,
    **dict.fromkeys(("normalize_observations", "normalize_rewards"), _STATE),
    **dict.fromkeys(("action_noise", "action_noise_std", "initial_value"), _STATE),
    **dict.fromkeys(("use_rms_prop", "rms_prop_eps"), "The moments of the optimizer are those of another one."),
}


@dataclass(frozen=True)
class Change:
    """What becomes of hyperparameter ``name`` at a fork; ``why`` not, if it is refused."""

    name: str
    effect: Effect
    why: str | None = None


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


def possible_changes(config: RunConfig) -> list[Change]:
    """Of every hyperparameter, and why not; none where nothing learns."""
    if config.algo not in ALGORITHMS.names():
        return []
    algorithm = ALGORITHMS.get(config.algo)
    return [_change(name, config) for name in algorithm.hyperparameters.model_fields]


def _change(name: str, config: RunConfig) -> Change:
    fields = ALGORITHMS.get(config.algo).hyperparameters.model_fields
    if name in _REFUSED:
        return Change(name, Effect.REFUSED, _REFUSED[name])
    if name == "n_envs" and "buffer_size" in fields:
        return Change(name, Effect.REFUSED, _BUFFER)
    if name == "ent_coef" and isinstance(config.hyperparameters.get(name), str):
        return Change(name, Effect.REFUSED, "It is learned, with an optimizer of its own. Create a new run.")
    return Change(name, Effect.ANEW if name == "n_envs" else Effect.FITS)


class ForkService(RunUseCases):
    def __init__(self, *arguments: object, environments: EnvironmentService, **keywords: object) -> None:
        super().__init__(*arguments, **keywords)  # type: ignore[arg-type]
        self._environments = environments

    def changes(self, run_id: str) -> list[Change]:
        """What can be changed at a fork of the run. Raises RunNotFound and RunFolderError."""
        with self._database.read() as session:
            check_controlled(get_run(session, run_id))
        return possible_changes(self._folder(run_id).read_config())

    def place(self, run_id: str, step: int) -> ForkPlace:
        """Where a fork of the run at ``step`` begins. Raises RunNotFound, NothingToResume and RunFolderError."""
        with self._database.read() as session:
            row = get_run(session, run_id)
            check_controlled(row)
            reached = row.step
        folder = self._folder(run_id)
        return place_at(folder, folder.read_config(), step, reached)

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
        environment = _with_options(before, wish.env_options)
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
        changes = [_change(name, parent) for name in changed if name in algorithm.hyperparameters.model_fields]
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


def _with_options(environment: Environment, changes: Mapping[str, JsonValue]) -> Environment:
    """Raises UnknownName, or InvalidRequest for options with which other things are observed or done."""
    changed = environment.resolve({**environment.chosen, **changes})
    for what, before, after in (
        ("observations", environment.observation_space, changed.observation_space),
        ("actions", environment.action_space, changed.action_space),
    ):
        if before != after:
            raise InvalidRequest.field(
                "/env_options",
                f"With these options the environment has other {what}: {_NETWORK[:1].lower()}{_NETWORK[1:]}",
            )
    return changed
