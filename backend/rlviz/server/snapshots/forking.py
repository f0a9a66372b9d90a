"""Fork a run: create a new run that continues from a snapshot of another, with changed settings.

``possible_changes`` and ``possible_options`` say which settings a fork can change. ``place_of`` and ``place_at`` find
where it starts: at a snapshot, or at any step, to which the worker trains the parent again. A fork inherits the active
hyperparameters of its parent, including those that you or a rule changed during training.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from pydantic import JsonValue

from rlviz.domain.config import ExplorationPlan, LastEpisode, Parent, RunActor, RunConfig
from rlviz.domain.errors import FieldError, InvalidRequest, NothingToResume, UnknownName, pointer_to
from rlviz.domain.ids import new_run_id, utc
from rlviz.domain.limits import LIMITS
from rlviz.domain.rules import Rule, ScaleKnob, SetKnob
from rlviz.domain.sink_record import SinkPlan
from rlviz.domain.sinks import SinkKind
from rlviz.domain.status import RunStatus
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.base import Algorithm, Hyperparameters
from rlviz.learning.algorithms.knobs import apply_override, find_knobs
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.custom import find_environment
from rlviz.provenance import git_revision, package_versions
from rlviz.rundir.changes import KnobChanges, knob_changes, knob_changes_at
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.creation import new_folder
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.sinks import write_plan
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
from rlviz.server.runs.configuration import check_imitation, check_memory, check_start_cell
from rlviz.server.snapshots.models import Effect, ForkChange, ForkChanges, ForkPlace
from rlviz.server.use_case import RunUseCases, check_controlled

_NETWORK = "The snapshot's weights belong to a different network. Create a new run."
_BUFFER = "The replay buffer of the snapshot was made for the old value. Create a new run."
_STATE = "The snapshot's state depends on the old value. Create a new run."
_STORED_ONCE = {
    "n_envs": "The replay buffer stores each observation once (optimize_memory_usage), so its rows belong to their "
    "environments and cannot be divided among a different number. Create a new run.",
    "n_steps": "The replay buffer stores each observation once (optimize_memory_usage), and n-step returns also need "
    "the next observations. Create a new run.",
}

_REFUSED: dict[str, str] = {
    **dict.fromkeys(("net_arch", "activation", "n_quantiles", "use_sde"), _NETWORK),
    "optimize_memory_usage": _BUFFER,
    **dict.fromkeys(("normalize_observations", "normalize_rewards"), _STATE),
    **dict.fromkeys(("log_std_init", "initial_value"), "It applies only at the start of training. Create a new run."),
}

_BEGINS_ANEW: dict[str, str] = {
    "use_rms_prop": "The new optimizer starts without moments.",
    **dict.fromkeys(("action_noise", "action_noise_std"), "The noise process restarts."),
}


def possible_changes(config: RunConfig) -> list[ForkChange]:
    """Return the effect of changing each hyperparameter; an empty list if nothing learns."""
    if config.algo not in ALGORITHMS.names():
        return []
    return [change_of(name, config) for name in ALGORITHMS.get(config.algo).hyperparameters.model_fields]


def change_of(name: str, config: RunConfig) -> ForkChange:
    """Return the effect of changing one hyperparameter."""
    if name in _REFUSED:
        return _change(name, Effect.REFUSED, why=_REFUSED[name])
    if name in _STORED_ONCE and config.hyperparameters.get("optimize_memory_usage") is True:
        return _change(name, Effect.REFUSED, why=_STORED_ONCE[name])
    return _change(name, Effect.ANEW if name == "n_envs" else Effect.FITS, note=_side_effect(name, config))


def _change(name: str, effect: Effect, *, why: str | None = None, note: str | None = None) -> ForkChange:
    return ForkChange(name=name, effect=effect, why=why, note=note)


def _side_effect(name: str, config: RunConfig) -> str | None:
    fields = ALGORITHMS.get(config.algo).hyperparameters.model_fields
    if name == "ent_coef" and name in fields and fields[name].default is None:  # SAC's, which may be tuned
        if config.hyperparameters.get(name) is None:
            return "The tuned value is left behind."
        return "Automatic tuning starts from the value at the start of the fork."
    if name == "n_envs" and "buffer_size" in fields and config.hyperparameters.get("n_steps", 1) != 1:
        return "Transitions in the replay buffer then count with one-step returns."
    return _BEGINS_ANEW.get(name)


def check_rules_keep_their_knobs(
    rules: Iterable[Rule], algorithm: Algorithm, hyperparameters: Mapping[str, JsonValue]
) -> None:
    """Raise InvalidRequest if a rule sets a value that a fork with these ``hyperparameters`` tunes automatically."""
    has = find_knobs(algorithm, hyperparameters)
    for number, rule in enumerate(rules, start=1):
        for action in rule.do:
            if isinstance(action, SetKnob | ScaleKnob) and action.knob not in has:
                raise InvalidRequest.field(
                    pointer_to("hyperparameters", action.knob),
                    f"Rule {number} says: {action.words}. The fork would tune that value automatically. Remove "
                    "the rule from the run first, or give a number.",
                )


def possible_options(environment: Environment) -> list[ForkChange]:
    """Return the effect of changing each option of the parent's ``environment``.

    An option is refused if every other value changes the observation or action space.
    """
    return [_option(environment, name) for name in type(environment.options).model_fields]


def _option(environment: Environment, name: str) -> ForkChange:
    why = None
    for other in _others(environment, name):
        if (why := other_spaces(environment, other)) is None:
            return _change(name, Effect.ANEW)
    return _change(name, Effect.REFUSED, why=why or "It has only one value.")


def _others(environment: Environment, name: str) -> Iterator[Environment]:
    """Yield the environment with other values of the option: each choice if there are few; for a number, the smallest
    and largest value, and the neighbours of the current one."""
    now = environment.chosen[name]
    values: list[JsonValue] = list(environment.choices(name))
    if not values and isinstance(now, int | float):
        schema = type(environment.options).model_json_schema()["properties"][name]
        values = [schema.get("minimum"), schema.get("maximum"), now - 1, now + 1, now / 2]
    for value in values:
        if value is not None and value != now:
            try:
                yield environment.resolve({**environment.chosen, name: value})
            except InvalidRequest:  # out of bounds
                continue


def with_options(environment: Environment, changes: Mapping[str, JsonValue]) -> Environment:
    """Return the environment with changed options. Raises UnknownName, or InvalidRequest if its spaces change."""
    changed = environment.resolve({**environment.chosen, **changes})
    if (why := other_spaces(environment, changed)) is not None:
        raise InvalidRequest.field("/env_options", why)
    return changed


def other_spaces(before: Environment, after: Environment) -> str | None:
    """Return why a policy for one environment does not fit the other, as sentences; None if it fits."""
    for what, one, other in (
        ("observations", before.observation_space, after.observation_space),
        ("actions", before.action_space, after.action_space),
    ):
        if one != other:
            return (
                f"The environment would have different {what}, which the snapshot's network does not fit. "
                "Create a new run."
            )
    return None


@dataclass(frozen=True)
class ForkStart:
    """Where a fork starts.

    The fork starts at ``step``: the first start of a rollout at or after the requested step, or the parent's last one.
    If ``snapshot`` is of an earlier step, the fork's worker first trains the parent again from there. None: from the
    parent's beginning, which is the ``inherited`` snapshot if the parent is a fork itself.
    """

    snapshot: Snapshot | None
    step: int
    inherited: Snapshot | None = None

    @property
    def begins_from(self) -> str:
        """The name of the snapshot that the fork starts from."""
        return BEGINNING if self.snapshot is None else self.snapshot.name

    @property
    def needs_parent(self) -> bool:
        """Whether the worker must build the parent first, because no snapshot of its own is of that step."""
        return self.snapshot is None or self.snapshot.manifest.step < self.step

    @property
    def trained_again_from(self) -> int | None:
        """The step from which the worker trains the parent again; None if it need not."""
        begin = self.snapshot or self.inherited
        step = 0 if begin is None else begin.manifest.step
        return step if step < self.step or begin is None else None


def place_of(folder: RunFolder, name: str) -> ForkStart:
    """Return the place at snapshot ``name``.

    Raises ArtifactNotFound, SnapshotRefused, NothingToResume or RunFolderError.
    """
    found = find_snapshot(folder, name)
    if found.is_beginning:
        return ForkStart(None, found.manifest.step, inherited=found)
    if not found.is_whole:
        raise NothingToResume(f"Snapshot {name!r} cannot be used. {found.problem}")
    return ForkStart(found, found.manifest.step)


def place_at(folder: RunFolder, config: RunConfig, wanted: int, reached: int) -> ForkStart:
    """Return the place at step ``wanted`` of a run that has reached step ``reached``.

    Raises NothingToResume or RunFolderError.
    """
    found = usable_snapshots(folder)
    own, inherited = [one for one in found if not one.is_inherited], [one for one in found if one.is_inherited]
    before = [one for one in own if one.manifest.step <= wanted]
    beginning = inherited[-1] if inherited else None
    if not before and (problem := _no_beginning(config, beginning, wanted, reached)) is not None:
        steps = ", ".join(f"{one.manifest.step:,}" for one in found)
        instead = f" Fork at the step of an existing snapshot: {steps}." if steps else ""
        raise NothingToResume(f"There is no snapshot at or before step {wanted:,}. {problem}{instead}")
    begin = next(reversed(before), beginning)
    from_step = 0 if begin is None else begin.manifest.step
    step = _boundary(from_step, min(wanted, reached), max(from_step, reached), config)
    exactly = [one for one in own if one.manifest.step == step]
    return ForkStart(next(reversed(exactly or before), None), step, inherited=beginning)


def _no_beginning(config: RunConfig, beginning: Snapshot | None, wanted: int, reached: int) -> str | None:
    """Return why a run cannot be trained again from its beginning to step ``wanted``, as a sentence."""
    if config.actor is not RunActor.POLICY:
        return "Nothing learns in this run."
    if config.parent is None:
        return "The run has not begun to train." if reached == 0 else None
    if beginning is None:
        return "The run is a fork itself, and the snapshot that it starts from is deleted or not reached yet."
    if wanted < config.parent.step:
        return f"The run is a fork itself and starts at step {config.parent.step:,}."
    return None


def _boundary(begin: int, wanted: int, reached: int, config: RunConfig) -> int:
    """Return the first start of a rollout at or after step ``wanted``, but not after ``reached``.

    Rollouts are counted from step ``begin``.
    """
    every = ALGORITHMS.get(config.algo).validate(config.hyperparameters, config.total_timesteps).boundary_steps
    rollouts = -(-(wanted - begin) // every)
    return begin + max(0, min(rollouts, (reached - begin) // every)) * every


def knobs_in_force(folder: RunFolder, config: RunConfig, place: ForkStart) -> dict[str, JsonValue]:
    """Return the hyperparameters that had been changed by ``place``, with their values. Raises RunFolderError."""
    attempt = None
    if place.snapshot is not None and not place.needs_parent:
        attempt = place.snapshot.manifest.attempt
    return _in_force(config, knob_changes_at(folder, place.step, attempt))


def knobs_in_force_now(folder: RunFolder, config: RunConfig) -> dict[str, JsonValue]:
    """Return the hyperparameters that have been changed so far, with their values. Raises RunFolderError."""
    return _in_force(config, knob_changes(folder))


def taken_over(
    algorithm: Algorithm, in_force: Mapping[str, JsonValue], changed: Collection[str]
) -> dict[str, JsonValue]:
    """Return the active settings (``in_force``) that a fork inherits, without those it changes.

    A knob of the fork follows the fork's configuration; the worker knows the current values of all others.
    """
    own = [knob.hyperparameters for knob in algorithm.knobs if knob.hyperparameters & set(changed)]
    return {name: value for name, value in in_force.items() if any(name in names for names in own)}


def _in_force(config: RunConfig, changes: KnobChanges) -> dict[str, JsonValue]:
    if config.algo not in ALGORITHMS.names():
        return {}
    algorithm, found = ALGORITHMS.get(config.algo), dict[str, JsonValue]()
    known = find_knobs(algorithm, config.hyperparameters)
    for name, changed in changes.newest().items():
        if name in known:
            found |= apply_override(known[name], algorithm, config.hyperparameters, changed.override)
    return found


@dataclass(frozen=True)
class ForkRequest:
    """A request to fork a run at a ``snapshot`` or a ``step``. None keeps the parent's value, also of the seed."""

    snapshot: str | None = None
    step: int | None = None
    hyperparameters: Mapping[str, JsonValue] = field(default_factory=dict)
    env_options: Mapping[str, JsonValue] = field(default_factory=dict)
    seed: int | None = None
    total_timesteps: int | None = None
    name: str | None = None
    start_cell: int | None = None
    archive: float | None = None
    start: bool = False


@dataclass(frozen=True)
class PlannedFork:
    """A fork that is checked but not created. ``config``: its configuration, which may still get another name."""

    config: RunConfig
    parent: RunFolder
    place: ForkStart


class ForkService(RunUseCases):
    def changes(self, run_id: str, snapshot: str | None = None, step: int | None = None) -> ForkChanges:
        """Return what a fork of the run can change, at a snapshot or a step if one is given.

        Raises RunNotFound, ArtifactNotFound, NothingToResume, SnapshotRefused, RunFolderError, NewerVersion, and
        InvalidRequest if both are given.
        """
        if snapshot is not None and step is not None:
            raise InvalidRequest.field("/snapshot", "Give a snapshot or a step, not both.")
        folder, config, reached = self._parent(run_id)
        place = None
        if snapshot is not None or step is not None:
            place = _place(folder, config, snapshot, step, reached)
        options: list[ForkChange] = []
        with suppress(UnknownName):  # of an earlier version
            options = possible_options(find_environment(config))
        in_force = {} if place is None else knobs_in_force(folder, config, place)
        return ForkChanges(
            run_id=run_id,
            at=None
            if place is None
            else ForkPlace(snapshot=place.begins_from, step=place.step, trained_again_from=place.trained_again_from),
            in_force=in_force,
            changes=possible_changes(config),
            env_options=options,
        )

    def accepts(self, config: RunConfig, name: str, value: JsonValue) -> bool:
        """Return whether a fork of a run with ``config`` can change only hyperparameter ``name`` to ``value``."""
        if config.algo not in ALGORITHMS.names():
            return False
        request = ForkRequest(hyperparameters={name: value})
        try:
            environment = find_environment(config)
            self._changed(config, {}, request, config.total_timesteps, environment, config.exploration)
        except (InvalidRequest, UnknownName):
            return False
        return True

    def fork(self, run_id: str, request: ForkRequest) -> RunRow:
        """Create a run that continues from a snapshot of ``run_id``, whatever the parent does meanwhile.

        Raises NotEnoughDisk, and the errors of ``plan``.
        """
        self._disk.check()
        return self.create(self.plan(run_id, request), start=request.start)

    def plan(self, run_id: str, request: ForkRequest) -> PlannedFork:
        """Check a fork of ``run_id`` and return its configuration, without creating a run.

        Raises RunNotFound, NotControlled, NotTrusted, ArtifactNotFound, NothingToResume, SnapshotRefused,
        InvalidRequest naming each change that does not fit, or RunFolderError.
        """
        if (request.snapshot is None) == (request.step is None):
            raise InvalidRequest.field("/snapshot", "Give either a snapshot or a step.")
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
        return PlannedFork(config, parent, place)

    def create(self, planned: PlannedFork, *, start: bool, sinks: Sequence[SinkKind] = ()) -> RunRow:
        """Create a planned fork, and queue it if ``start`` is true. ``sinks``: where it is delivered to.

        Raises NotEnoughDisk, SnapshotRefused or OSError.
        """
        self._disk.check()
        config, parent, place, now = planned.config, planned.parent, planned.place, self._clock()
        row = row_of_config(config)
        control = Control(resume_from=place.begins_from)
        if start:
            row.status, row.queued_at = RunStatus.QUEUED.value, now
            control = Control(desired=Desired.RUN, requested_at=now, queued_at=now, resume_from=place.begins_from)

        def fill(child: RunFolder) -> None:
            begin = place.snapshot or place.inherited
            if begin is not None:
                inherit_snapshot(begin, parent, child)
            if place.needs_parent:
                inherit_stretch(begin, parent, child, place.step)
            if sinks:
                write_plan(child, SinkPlan(kinds=tuple(sorted(set(sinks)))))

        with (
            new_folder(self._settings.runs_dir, config, control, fill=fill) as appear,
            self._database.write() as session,
        ):
            session.add(row)
            session.flush()
            appear()
        self._events.publish(RunChanged(row))
        if start:
            self._supervisor.wake()
        return row

    def _parent(self, run_id: str) -> tuple[RunFolder, RunConfig, int]:
        """Return the parent's folder, its configuration, and the step that it has reached.

        Raises RunNotFound, NotControlled, RunFolderError or NewerVersion.
        """
        with self._database.read() as session:
            row = get_run(session, run_id)
            check_controlled(row)
            reached = row.step
        folder = self._folder(run_id)
        return folder, folder.config_to_go_on(), reached

    def _config(
        self,
        parent: RunConfig,
        place: ForkStart,
        in_force: Mapping[str, JsonValue],
        request: ForkRequest,
        now: float,
        before_fork: list[LastEpisode],
    ) -> RunConfig:
        total = request.total_timesteps or max(parent.total_timesteps, place.step + 1)
        if total <= place.step:
            raise InvalidRequest.field(
                "/total_timesteps", f"The fork starts at step {place.step:,}. Give more timesteps."
            )
        before = find_environment(parent)
        environment = with_options(before, request.env_options)
        options = sorted(name for name, value in environment.chosen.items() if before.chosen.get(name) != value)
        exploration = _exploration(parent, request, environment)
        hyperparameters, changes = self._changed(parent, in_force, request, total, environment, exploration)
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
                "preset": parent.preset if not changed + options and exploration == parent.exploration else None,
                "env_options": environment.chosen,
                "seed": seed,
                "exploration": exploration,
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
        exploration: ExplorationPlan | None,
    ) -> tuple[Hyperparameters, list[ForkChange]]:
        """Return all hyperparameters of the fork, and the changes to those ``in_force`` by name.

        Raises InvalidRequest.
        """
        algorithm = ALGORITHMS.get(parent.algo)
        before = {**algorithm.completed(parent.hyperparameters), **in_force}
        changed = sorted(name for name, value in request.hyperparameters.items() if before.get(name) != value)
        changes = [change_of(name, parent) for name in changed if name in algorithm.hyperparameters.model_fields]
        refused = [change for change in changes if change.effect is Effect.REFUSED]
        if refused:
            fields = [FieldError(pointer_to("hyperparameters", one.name), one.why or "") for one in refused]
            reasons = "; ".join(f"{one.name}: {one.why}" for one in refused)
            raise InvalidRequest(f"A fork cannot change this. {reasons}", fields)
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
        check_imitation(exploration, hyperparameters)
        check_memory(algorithm, hyperparameters, environment, self._settings.memory_a_run, exploration)
        return hyperparameters, changes


def _exploration(parent: RunConfig, request: ForkRequest, environment: Environment) -> ExplorationPlan | None:
    """Return how the fork explores: as its parent, or with episodes that begin in one cell. Raises InvalidRequest."""
    plan, cell = parent.exploration, request.start_cell
    if cell is None:
        if request.archive is None:
            return plan
        cell = None if plan is None else plan.start_cell
        if cell is None:
            raise InvalidRequest.field("/archive", "Give start_cell too: a fork explores as its parent otherwise.")
    if plan is None or not plan.counts_visits:
        raise InvalidRequest.field(
            "/start_cell", "The run does not count visits, so it knows no cells. Create a new run with its map on."
        )
    archive = request.archive or plan.archive or LIMITS.archive.default
    check_start_cell(cell, archive, environment, "/start_cell")
    return plan.model_copy(update={"archive": archive, "start_cell": cell})


def _place(folder: RunFolder, config: RunConfig, snapshot: str | None, step: int | None, reached: int) -> ForkStart:
    if step is not None:
        return place_at(folder, config, step, reached)
    return place_of(folder, snapshot or "")
