"""Forking: a new run that begins from a snapshot of another, with changed settings.

What can be changed at a fork, and why the rest cannot.

ForkPlace: the step at which a fork begins, and the snapshot from which its parent is brought there.

The hyperparameters that a run trains with at a moment, where people and rules have changed them while it
trained.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import JsonValue

from rlviz.domain.config import LastEpisode, Parent, RunActor, RunConfig
from rlviz.domain.errors import FieldError, InvalidRequest, NothingToResume, UnknownName, pointer_to
from rlviz.domain.ids import new_run_id, utc
from rlviz.domain.rules import Rule, ScaleKnob, SetKnob
from rlviz.domain.status import RunStatus
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.base import Algorithm, Hyperparameters
from rlviz.learning.algorithms.knobs import in_force, knobs_of
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.custom import environment_of
from rlviz.provenance import git_revision, package_versions
from rlviz.rundir.changes import KnobChanges, knob_changes, knob_changes_at
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.creation import new_folder
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import (
    BEGINNING,
    Snapshot,
    check_seal,
    find_snapshot,
    inherit_snapshot,
    inherit_stretch,
    usable_snapshots,
)
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.folder import row_of_config
from rlviz.server.catalog.runs import get_run
from rlviz.server.evaluations.episodes import last_episodes
from rlviz.server.events import RunChanged
from rlviz.server.runs.configuration import check_memory
from rlviz.server.use_case import RunUseCases, check_controlled


class Effect(StrEnum):
    FITS = "fits"  # training goes on with the new value
    ANEW = "anew"  # training goes on, with environments that begin a new episode
    REFUSED = "refused"


_NETWORK = "The weights of the snapshot are those of another network. Create a new run."
_BUFFER = "The replay buffer of the snapshot was made for the old value. Create a new run."
_STATE = "What the snapshot holds was made with the old value. Create a new run."
_STORED_ONCE = {
    "n_envs": "Each observation of the replay buffer is stored once (optimize_memory_usage): its rows follow one "
    "another in each environment, and cannot be divided among others. Create a new run.",
    "n_steps": "Each observation of the replay buffer is stored once (optimize_memory_usage), and n-step returns need "
    "next observations as well. Create a new run.",
}

_REFUSED: dict[str, str] = {
    **dict.fromkeys(("net_arch", "activation", "n_quantiles", "use_sde"), _NETWORK),
    "optimize_memory_usage": _BUFFER,
    **dict.fromkeys(("normalize_observations", "normalize_rewards"), _STATE),
    **dict.fromkeys(("log_std_init", "initial_value"), "Training only begins with it. Create a new run."),
}

_BEGINS_ANEW: dict[str, str] = {
    "use_rms_prop": "The new optimizer begins without moments.",
    **dict.fromkeys(("action_noise", "action_noise_std"), "The noise begins anew."),
}


@dataclass(frozen=True)
class Change:
    """What becomes of hyperparameter or option ``name`` at a fork; ``why`` not, if it is refused. ``note``: what a
    change brings with it besides, in a sentence."""

    name: str
    effect: Effect
    why: str | None = None
    note: str | None = None


def possible_changes(config: RunConfig) -> list[Change]:
    """Of every hyperparameter; none where nothing learns."""
    if config.algo not in ALGORITHMS.names():
        return []
    return [change_of(name, config) for name in ALGORITHMS.get(config.algo).hyperparameters.model_fields]


def change_of(name: str, config: RunConfig) -> Change:
    """Of one hyperparameter."""
    if name in _REFUSED:
        return Change(name, Effect.REFUSED, _REFUSED[name])
    if name in _STORED_ONCE and config.hyperparameters.get("optimize_memory_usage") is True:
        return Change(name, Effect.REFUSED, _STORED_ONCE[name])
    return Change(name, Effect.ANEW if name == "n_envs" else Effect.FITS, note=_note(name, config))


def _note(name: str, config: RunConfig) -> str | None:
    fields = ALGORITHMS.get(config.algo).hyperparameters.model_fields
    if name == "ent_coef" and name in fields and fields[name].default is None:  # SAC's, which may be tuned
        if config.hyperparameters.get(name) is None:
            return "What it has come to by itself is left behind."
        return "Tuned, it begins with what it is where the fork begins."
    if name == "n_envs" and "buffer_size" in fields and config.hyperparameters.get("n_steps", 1) != 1:
        return "Returns over the transitions that the replay buffer holds are of one step then."
    return _BEGINS_ANEW.get(name)


def check_rules_keep_their_knobs(
    rules: Iterable[Rule], algorithm: Algorithm, hyperparameters: Mapping[str, JsonValue]
) -> None:
    """Raises InvalidRequest where a rule adjusts what a fork with these ``hyperparameters`` would tune by itself."""
    has = knobs_of(algorithm, hyperparameters)
    for number, rule in enumerate(rules, start=1):
        for action in rule.do:
            if isinstance(action, SetKnob | ScaleKnob) and action.knob not in has:
                raise InvalidRequest.field(
                    pointer_to("hyperparameters", action.knob),
                    f"Rule {number} is to {action.words}, and the fork would tune it by itself. Take that rule from "
                    "the run first, or give a number.",
                )


def possible_options(environment: Environment) -> list[Change]:
    """Of every option of the parent's ``environment``. One is refused if whatever else it could be would have the
    environment show or take other things."""
    return [_option(environment, name) for name in type(environment.options).model_fields]


def _option(environment: Environment, name: str) -> Change:
    why = None
    for other in _others(environment, name):
        if (why := other_spaces(environment, other)) is None:
            return Change(name, Effect.ANEW)
    return Change(name, Effect.REFUSED, why or "It has no other value.")


def _others(environment: Environment, name: str) -> Iterator[Environment]:
    """The environment with other values of the option: all, if it has few; the least and the greatest, and those
    beside its own, of a number."""
    now = environment.chosen[name]
    values: list[JsonValue] = list(environment.choices(name))
    if not values and isinstance(now, int | float):
        schema = type(environment.options).model_json_schema()["properties"][name]
        values = [schema.get("minimum"), schema.get("maximum"), now - 1, now + 1, now / 2]
    for value in values:
        if value is not None and value != now:
            try:
                yield environment.resolve({**environment.chosen, name: value})
            except InvalidRequest:  # beyond its bounds
                continue


def with_options(environment: Environment, changes: Mapping[str, JsonValue]) -> Environment:
    """Raises UnknownName, or InvalidRequest for options with which other things are observed or done."""
    changed = environment.resolve({**environment.chosen, **changes})
    if (why := other_spaces(environment, changed)) is not None:
        raise InvalidRequest.field("/env_options", why)
    return changed


def other_spaces(before: Environment, after: Environment) -> str | None:
    """Why a policy for one environment is none for the other, in sentences; None if it is."""
    for what, one, other in (
        ("observations", before.observation_space, after.observation_space),
        ("actions", before.action_space, after.action_space),
    ):
        if one != other:
            return (
                f"The environment would have other {what}, and the weights of the snapshot are those of a network for "
                "the present ones. Create a new run."
            )
    return None


@dataclass(frozen=True)
class ForkPlace:
    """Where a fork begins: at ``step``, to which its worker trains the parent again from ``snapshot``, if that is of an
    earlier step; None: from the parent's beginning, which is the snapshot ``inherited`` where that is a fork itself. It
    is the first start of a rollout at or beyond the step asked for that the parent has come to, or the last."""

    snapshot: Snapshot | None
    step: int
    inherited: Snapshot | None = None

    @property
    def begins_from(self) -> str:
        """The snapshot's name."""
        return BEGINNING if self.snapshot is None else self.snapshot.name

    @property
    def needs_parent(self) -> bool:
        """Whether its worker has to build the parent first: no snapshot of the parent's own is of that step."""
        return self.snapshot is None or self.snapshot.manifest.step < self.step

    @property
    def trained_again_from(self) -> int | None:
        """The step from which the parent has to be trained again; None: it has not."""
        begin = self.snapshot or self.inherited
        step = 0 if begin is None else begin.manifest.step
        return step if step < self.step or begin is None else None


def place_of(folder: RunFolder, name: str) -> ForkPlace:
    """At snapshot ``name``. Raises ArtifactNotFound, SnapshotRefused, NothingToResume and RunFolderError."""
    found = find_snapshot(folder, name)
    if found.is_beginning:
        return ForkPlace(None, found.manifest.step, inherited=found)
    if not found.is_whole:
        raise NothingToResume(f"Snapshot {name!r} cannot be used. {found.problem}")
    return ForkPlace(found, found.manifest.step)


def place_at(folder: RunFolder, config: RunConfig, wanted: int, reached: int) -> ForkPlace:
    """At step ``wanted`` of a run that has come to step ``reached``. Raises NothingToResume and RunFolderError."""
    found = usable_snapshots(folder)
    own, inherited = [one for one in found if not one.is_inherited], [one for one in found if one.is_inherited]
    before = [one for one in own if one.manifest.step <= wanted]
    beginning = inherited[-1] if inherited else None
    if not before and (problem := _no_beginning(config, beginning, wanted, reached)) is not None:
        steps = ", ".join(f"{one.manifest.step:,}" for one in found)
        instead = f" Fork at the step of one that is there: {steps}." if steps else ""
        raise NothingToResume(f"There is no snapshot of step {wanted:,} or before. {problem}{instead}")
    begin = next(reversed(before), beginning)
    from_step = 0 if begin is None else begin.manifest.step
    step = _boundary(from_step, min(wanted, reached), max(from_step, reached), config)
    exactly = [one for one in own if one.manifest.step == step]
    return ForkPlace(next(reversed(exactly or before), None), step, inherited=beginning)


def _no_beginning(config: RunConfig, beginning: Snapshot | None, wanted: int, reached: int) -> str | None:
    """Why a run cannot be trained again from its beginning to step ``wanted``, in a sentence."""
    if config.actor is not RunActor.POLICY:
        return "Nothing learns in this run."
    if config.parent is None:
        return "The run has not begun to train." if reached == 0 else None
    if beginning is None:
        return "The run is a fork itself, and its beginning is gone, or has not been reached yet."
    if wanted < config.parent.step:
        return f"The run is a fork itself, and begins at step {config.parent.step:,}."
    return None


def _boundary(begin: int, wanted: int, reached: int, config: RunConfig) -> int:
    """The first start of a rollout at or beyond step ``wanted``, counted from the one at ``begin``; of those beyond
    ``reached`` none."""
    every = ALGORITHMS.get(config.algo).validate(config.hyperparameters, config.total_timesteps).boundary_steps
    rollouts = -(-(wanted - begin) // every)
    return begin + max(0, min(rollouts, (reached - begin) // every)) * every


def knobs_in_force(folder: RunFolder, config: RunConfig, place: ForkPlace) -> dict[str, JsonValue]:
    """Those that had been changed by ``place``. Raises RunFolderError."""
    attempt = None
    if place.snapshot is not None and not place.needs_parent:
        attempt = place.snapshot.manifest.attempt
    return _in_force(config, knob_changes_at(folder, place.step, attempt))


def knobs_in_force_now(folder: RunFolder, config: RunConfig) -> dict[str, JsonValue]:
    """Those that have been changed. Raises RunFolderError."""
    return _in_force(config, knob_changes(folder))


def taken_over(
    algorithm: Algorithm, in_force: Mapping[str, JsonValue], changed: Collection[str]
) -> dict[str, JsonValue]:
    """Of what is ``in_force``, the part that a fork has to be configured with where it has ``changed`` hyperparameters:
    a knob follows its configuration there, and what has become of the others its worker knows."""
    own = [knob.hyperparameters for knob in algorithm.knobs if knob.hyperparameters & set(changed)]
    return {name: value for name, value in in_force.items() if any(name in names for names in own)}


def _in_force(config: RunConfig, changes: KnobChanges) -> dict[str, JsonValue]:
    if config.algo not in ALGORITHMS.names():
        return {}
    algorithm, found = ALGORITHMS.get(config.algo), dict[str, JsonValue]()
    known = knobs_of(algorithm, config.hyperparameters)
    for name, changed in changes.newest().items():
        if name in known:
            found |= in_force(known[name], algorithm, config.hyperparameters, changed.override)
    return found


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
                inherit_snapshot(begin, parent, child)
            if place.needs_parent:
                inherit_stretch(begin, parent, child, place.step)

        with (
            new_folder(self._settings.runs_dir, config, control, fill=fill) as appear,
            self._database.write() as session,
        ):
            session.add(row)
            session.flush()
            appear()
        self._events.publish(RunChanged(row))
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
