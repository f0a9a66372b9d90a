"""Use cases on experiments: create, estimate, list, show, stop, resume and delete.

``SpecificationCheck`` validates a specification and estimates its cost. ``methods_of`` finds the variants that train
the same method on different environments. ``ExperimentService.source`` collects what results are computed from.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import NoReturn

from cachetools import LRUCache

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import (
    Conflict,
    ExperimentConflict,
    ExperimentNotFound,
    FieldError,
    InvalidRequest,
    NewerVersion,
    NotFound,
    RunFolderError,
    RunNotFound,
    UnknownName,
    pointer_to,
)
from rlviz.domain.experiments import (
    MOST_CELLS,
    MOST_UNCONFIRMED,
    ExperimentControl,
    ExperimentSpec,
    ForkPoint,
    PrunerName,
    RunSpec,
    TrialState,
    Variant,
    VariantChanges,
    is_experiment_id,
    new_experiment_id,
)
from rlviz.domain.ids import utc
from rlviz.domain.limits import LIMITS
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.search_spaces import check_space
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.custom import find_environment, unknown_environment
from rlviz.rundir.experiment_folder import ExperimentFolder, StoredExperiment
from rlviz.rundir.folder import RunFolder
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.runs import find_pace, find_runs
from rlviz.server.events import EventBus, ExperimentChanged, RunVersions
from rlviz.server.experiments.lengths import common_end, ends_of, length_note, rollout_of, searched_rollouts
from rlviz.server.experiments.models import Experiment, ExperimentEstimate, ExperimentList, ExperimentSummary
from rlviz.server.experiments.open_experiment import SEARCHED, OpenExperiment
from rlviz.server.experiments.results.service import Cell, ExperimentSource
from rlviz.server.experiments.scheduler import MADE_ELSEWHERE, ExperimentScheduler, TrialRuns
from rlviz.server.experiments.summaries import OVER, state_of, status_of, summary_of
from rlviz.server.metrics.comparison import environment_title, scale_of
from rlviz.server.runs.configuration import MEMORY_PER_WORKER
from rlviz.server.runs.environments import EnvironmentService
from rlviz.server.supervisor.disk_guard import DiskGuard
from rlviz.settings import Settings
from rlviz.stats.number_text import join_words

Pace = Callable[[str, str], float | None]
"""Returns the environment steps per second of one core for an algorithm and an environment; None if unknown."""

LEAST_SECONDS = 1.0

_MERGED = ("hyperparameters", "env_options")

_BROUGHT_BY = {
    "algo": ("env_id",),
    "preset": ("algo", "env_id"),
    "total_timesteps": ("preset",),
    "exploration": ("preset",),
}
"""For a field with an error: other fields that may cause it, the likeliest first."""


class SpecificationCheck:
    """Validates the specification of an experiment and estimates its cost."""

    def __init__(self, runs: TrialRuns, pace: Pace) -> None:
        self._runs, self._pace = runs, pace

    def resolved(self, spec: ExperimentSpec) -> dict[str, RunSpec]:
        """Return the run specification of each variant by id, or of a search's base, with every value of the preset.

        Trials of a grid or a search with different rollout sizes get the same length (``lengths``).

        Raises InvalidRequest, with pointers into the specification: if something cannot be trained, if not even one
        trial fits the limits, or if there are so many trials that you must confirm them; the message gives their cost.
        """
        found = self._resolved(spec)
        self._check_size(spec, list(found.values()))
        return found

    def estimate(self, spec: ExperimentSpec) -> ExperimentEstimate:
        """Return what the experiment would train, without the need to confirm. Raises InvalidRequest like
        ``resolved``."""
        found = self._resolved(spec)
        run_specs = list(found.values())
        least, most = _steps(spec, run_specs)
        return ExperimentEstimate(
            trials=spec.cells,
            total_timesteps=most,
            least_timesteps=least,
            length_note=length_note(spec, found),
            core_seconds=self._core_seconds(spec, run_specs),
        )

    def _resolved(self, spec: ExperimentSpec) -> dict[str, RunSpec]:
        self._check_limits(spec)
        if spec.cells > MOST_CELLS:
            some = spec.model_copy(update={"grid": {name: values[:1] for name, values in spec.grid.items()}})
            cost = self._cost(spec, list(self._run_specs(some).values()))  # variants of a grid have equal lengths
            raise InvalidRequest.field(
                "", f"{spec.cells:,} trials are too many: the limit is {MOST_CELLS:,}. These would take {cost}."
            )
        return self._run_specs(spec)

    def _run_specs(self, spec: ExperimentSpec) -> dict[str, RunSpec]:
        if spec.sweep is not None:
            return {SEARCHED: self._searched(spec)}
        found = {f"v{place}": self._resolve(spec, place, one) for place, one in enumerate(spec.fixed_variants())}
        if spec.grid:
            first, total = spec.first_step, found["v0"].total_timesteps
            common = common_end(None if total is None else total - first, map(rollout_of, found.values()))
            if common is not None:
                spec = _with_length(spec, first + common)
                found = {
                    f"v{place}": self._resolve(spec, place, one) for place, one in enumerate(spec.fixed_variants())
                }
        found = _evaluated_alike(found)
        return found if spec.fork is None else self._add_inherited(spec, spec.fork, found)

    def _add_inherited(
        self, spec: ExperimentSpec, point: ForkPoint, run_specs: Mapping[str, RunSpec]
    ) -> dict[str, RunSpec]:
        """Return the run specifications with the exploration and reward weights that a fork inherits from its parent.

        Raises InvalidRequest if a variant cannot fork the run at ``point``.
        """
        found = {}
        for place, variant in enumerate(spec.fixed_variants()):
            run_spec = run_specs[f"v{place}"]
            try:
                config = self._runs.plan_fork(point, run_spec, 0).config
            except (Conflict, InvalidRequest, NotFound, RunFolderError) as error:
                if isinstance(error, InvalidRequest) and any(one.pointer.startswith("/fork") for one in error.fields):
                    raise
                raise InvalidRequest.field("/fork", f"{variant.name}: {error}") from error
            inherited = {"exploration": config.exploration, "reward": config.reward}
            found[f"v{place}"] = run_spec.model_copy(update=inherited)
        return found

    def _check_limits(self, spec: ExperimentSpec) -> None:
        for name in ("seconds", "core_seconds"):
            limit = getattr(spec.limits, name)
            if limit is not None and limit < LEAST_SECONDS:
                raise InvalidRequest.field(f"/limits/{name}", "Nothing could start. Give at least one second.")

    def _check_size(self, spec: ExperimentSpec, run_specs: Sequence[RunSpec]) -> None:
        if spec.cells > MOST_UNCONFIRMED and not spec.confirm:
            cost = f"This would train {spec.cells:,} runs, {self._cost(spec, run_specs)}."
            # A client that asks the user shows the cost; a client without a user reads what to add to the request.
            raise InvalidRequest(f"{cost} Send `confirm: true` to start it.", [FieldError("/confirm", cost)])
        shortest = min(ends_of(spec, one)[0] for one in run_specs) - spec.first_step
        if spec.limits.steps is not None and spec.limits.steps < shortest:
            raise InvalidRequest.field(
                "/limits/steps",
                f"Not even one trial fits this limit: the shortest takes {shortest:,} steps. Raise it, or train for "
                "fewer steps.",
            )

    def _cost(self, spec: ExperimentSpec, run_specs: Sequence[RunSpec]) -> str:
        """Return the cost as text: total steps estimated from ``run_specs``, and core-hours if every pace is known."""
        least, most = _steps(spec, run_specs)
        steps = f"{most:,.0f}" if least == most else f"{least:,.0f} to {most:,.0f}"
        seconds = self._core_seconds(spec, run_specs)
        if seconds is None:
            return f"{steps} environment steps in total"
        hours = f"{seconds / 3600:,.{0 if seconds > 36_000 else 1}f}"
        return f"{steps} environment steps in total, about {hours} core-hours at the pace of earlier runs"

    def _core_seconds(self, spec: ExperimentSpec, run_specs: Sequence[RunSpec]) -> float | None:
        """Return the processor seconds of all trials at the pace of earlier runs; None if one was never trained."""
        each = spec.cells / len(run_specs)
        paces = {kind: self._pace(*kind) for kind in {(one.algo, one.env_id) for one in run_specs}}
        seconds = 0.0
        for one in run_specs:
            pace = paces[one.algo, one.env_id]
            if pace is None:
                return None
            seconds += each * (ends_of(spec, one)[1] - spec.first_step) / pace
        return seconds

    def _base(self, spec: ExperimentSpec) -> RunSpec:
        try:
            return _complete_spec(self._runs.resolve(spec.base, 0, spec.memory_per_worker))
        except InvalidRequest as error:
            _refuse(error, lambda field: _in_base(spec, field))

    def _searched(self, spec: ExperimentSpec) -> RunSpec:
        assert spec.sweep is not None
        base = self._base(spec)
        check_space(ALGORITHMS.get(base.algo), spec.sweep.space)
        if spec.sweep.pruner is not PrunerName.NONE and (
            base.evaluation is None or base.evaluation.every_steps is None
        ):
            raise InvalidRequest.field(
                "/sweep/pruner",
                "The pruner compares evaluations during training, but the runs make none. Give "
                "`base.evaluation`, for instance every tenth of the steps, or no pruner.",
            )
        common = common_end(base.total_timesteps, searched_rollouts(base, spec.sweep.space))
        return base if common is None else self._base(_with_length(spec, common))

    def _resolve(self, spec: ExperimentSpec, place: int, variant: Variant) -> RunSpec:
        try:
            wanted = variant.run_spec(spec.base)
            if spec.fork is not None:
                wanted = self._runs.with_exploration_of_parent(spec.fork, wanted)
            return _complete_spec(self._runs.resolve(wanted, 0, spec.memory_per_worker))
        except InvalidRequest as error:
            if spec.grid:
                unknown = isinstance(error, UnknownName)
                _refuse(error, lambda field: _in_grid(spec, variant, field, is_name=unknown), variant.name)
            is_in_none = any(one.pointer == MEMORY_PER_WORKER for one in error.fields)
            of = variant.name if is_in_none else None
            _refuse(error, lambda field: _in_variant(spec, place, variant, field), of)


def _steps(spec: ExperimentSpec, run_specs: Sequence[RunSpec]) -> tuple[int, int]:
    """Return the minimum and maximum total steps of all trials, estimated from the sample ``run_specs``."""
    ends = [
        (least - spec.first_step, most - spec.first_step) for least, most in (ends_of(spec, one) for one in run_specs)
    ]
    trials = spec.cells / len(ends)
    return round(trials * sum(least for least, _ in ends)), round(trials * sum(most for _, most in ends))


def _evaluated_alike(run_specs: Mapping[str, RunSpec]) -> dict[str, RunSpec]:
    """Return the specifications with sampled actions in all evaluations of an environment in which some sample them.

    Only some of its presets may do so; evaluations with different actions cannot be compared.
    """

    def samples(one: RunSpec) -> bool:
        return one.evaluation is not None and not one.evaluation.is_greedy

    sampled = {one.env_id for one in run_specs.values() if samples(one)}
    found = dict(run_specs)
    for name, one in run_specs.items():
        if one.evaluation is not None and one.env_id in sampled:
            found[name] = one.model_copy(
                update={"evaluation": one.evaluation.model_copy(update={"deterministic": False})}
            )
    return found


def _with_actions(spec: ExperimentSpec, run_specs: Iterable[RunSpec]) -> ExperimentSpec:
    """Return the specification with sampled actions for scores, if it does not choose and evaluations sample them."""
    sampled = any(one.evaluation is not None and not one.evaluation.is_greedy for one in run_specs)
    if spec.score.deterministic is not None or not sampled:
        return spec
    return spec.model_copy(update={"score": spec.score.model_copy(update={"deterministic": False})})


def _with_length(spec: ExperimentSpec, steps: int) -> ExperimentSpec:
    """Return the specification with runs of ``steps`` environment steps."""
    return spec.model_copy(update={"base": spec.base.model_copy(update={"total_timesteps": steps})})


def _complete_spec(config: RunConfig) -> RunSpec:
    return RunSpec(**{name: getattr(config, name) for name in RunSpec.model_fields})


def _refuse(error: InvalidRequest, place: Callable[[FieldError], str], of: str | None = None) -> NoReturn:
    """Raise ``error`` again with pointers into the specification.

    ``place`` maps a field of a run to its place in the specification. ``of``: the variant, if no pointer names it.
    """
    prefix = f"{of}: " if of is not None else ""
    detail = str(error)
    for one in error.fields:  # pointers into a request for a run, which the client did not send
        detail = detail.replace(f"{one.pointer}: ", f"{one.pointer.removeprefix('/').replace('/', '.')}: ")
    fields = [
        FieldError(one.pointer if one.pointer == MEMORY_PER_WORKER else place(one), f"{prefix}{one.detail}")
        for one in error.fields or [FieldError("", str(error))]
    ]
    raise InvalidRequest(f"{prefix}{detail}", fields) from error


def _in_base(spec: ExperimentSpec, field: FieldError) -> str:
    return _given_by(spec.base, field, "/base") or "/base"


def _in_grid(spec: ExperimentSpec, variant: Variant, field: FieldError, *, is_name: bool) -> str:
    """Return the pointer to a field of the grid. ``is_name``: the name is wrong, not a value."""
    first, _, rest = field.pointer.removeprefix("/").partition("/")
    name, _, within = rest.partition("/")
    if first == "hyperparameters" and name in spec.grid:
        if is_name:
            return pointer_to("grid", name)
        value = variant.changes.hyperparameters[name]
        place = next(at for at, one in enumerate(spec.grid[name]) if one is value or one == value)
        return pointer_to("grid", name, place) + (f"/{within}" if within else "")
    return _given_by(spec.base, field, "/base") or "/grid"


def _in_variant(spec: ExperimentSpec, place: int, variant: Variant, field: FieldError) -> str:
    if field.pointer == "/total_timesteps" and variant.changes.total_timesteps is None and spec.base.total_timesteps:
        return f"/base{field.pointer}"  # not a value of the variant's preset
    changes = pointer_to("variants", place, "changes")
    found = _given_by(variant.changes, field, changes) or _given_by(spec.base, field, "/base")
    return found or (changes if "changes" in variant.model_fields_set else pointer_to("variants", place))


def _given_by(given: RunSpec | VariantChanges, field: FieldError, at: str) -> str | None:
    """Return the pointer to the field, or to one that may cause its error, if ``given`` contains it. ``given`` is at
    pointer ``at``."""
    first, _, rest = field.pointer.removeprefix("/").partition("/")
    if first in _MERGED:
        return f"{at}{field.pointer}" if rest.partition("/")[0] in getattr(given, first) else None
    for name in (first, *_BROUGHT_BY.get(first, ())):
        if name in given.model_fields_set and getattr(given, name) is not None:
            return f"{at}{field.pointer}" if name == first else f"{at}/{name}"
    return None


_BESIDE = {"on", "in", "at", "for", "with", "and", "–", "-", "·", "|", "/"}
"""Words that join the name of an environment to the rest of a label."""


def methods_of(labels: Mapping[str, str], run_specs: Mapping[str, RunSpec]) -> dict[str, str]:
    """Return the name of each variant's method.

    Variants belong to one method if they differ only in the environment, its options and the length of training. If
    several variants train the same in one environment, the first belongs to the first of the other environments, the
    second to the second, and so on.

    The name is the common part of the variants' names: “PPO” of “PPO on CartPole” and “PPO on Acrobot”. Without a
    common part, or if another method has the same, it lists all names: “first and second”.
    """
    keys = {variant: _without(run_specs[variant], "env_id", "env_options", "total_timesteps") for variant in labels}
    places = [(keys[variant], _only(run_specs[variant], "env_id", "env_options")) for variant in labels]
    if len(set(places)) < len(places):  # some differ only in length, which is then what is compared
        keys = {variant: _without(run_specs[variant], "env_id", "env_options") for variant in labels}
    seen: Counter[tuple[str, str]] = Counter()
    for variant, (_, place) in zip(labels, places, strict=True):
        alike = (keys[variant], place)
        keys[variant] += f" {seen[alike]}"
        seen[alike] += 1
    found: dict[str, str] = {}
    for _, group in groupby(sorted(labels, key=keys.__getitem__), keys.__getitem__):
        ours = sorted(group, key=list(labels).index)
        found |= dict.fromkeys(ours, _in_common([labels[variant] for variant in ours]))
    return _make_distinct(found, keys, labels)


def name_of(spec: ExperimentSpec) -> str:
    """Return a name for an experiment without one. Its specification must be resolved."""
    if spec.sweep is not None:
        return f"Search for {ALGORITHMS.get(spec.base.algo).name} on {spec.base.env_id}"
    if spec.grid:
        named = f"{', '.join(spec.grid)} of {ALGORITHMS.get(spec.base.algo).name} on {spec.base.env_id}"
        return named[: LIMITS.run_name.maximum]
    run_specs = {f"v{place}": variant.run_spec(spec.base) for place, variant in enumerate(spec.variants)}
    labels = {f"v{place}": variant.name.strip() for place, variant in enumerate(spec.variants)}
    places = list(dict.fromkeys(one.env_id for one in run_specs.values()))
    called = methods_of(labels, run_specs) if len(places) > 1 else labels
    names = dict.fromkeys(called[variant] for variant in labels)
    return f"{' or '.join(names)} on {join_words(places)}"[: LIMITS.run_name.maximum]


def _without(run_spec: RunSpec, *names: str) -> str:
    return json.dumps(run_spec.model_dump(mode="json", exclude=set(names)), sort_keys=True)


def _only(run_spec: RunSpec, *names: str) -> str:
    return json.dumps(run_spec.model_dump(mode="json", include=set(names)), sort_keys=True)


def _in_common(names: Sequence[str]) -> str:
    """Return the words of the first name that all names contain; all names if there are none."""
    others = [{word.strip(",:;()").lower() for word in name.split()} for name in names[1:]]
    words = [
        word.strip(",:;()")
        for word in names[0].split()
        if all(word.strip(",:;()").lower() in other for other in others)
    ]
    if len(names) > 1:
        while words and words[-1].lower() in _BESIDE:
            words.pop()
        while words and words[0].lower() in _BESIDE:
            words.pop(0)
    return " ".join(words) if words and len(names) > 1 else _all_of(names)


def _all_of(names: Sequence[str]) -> str:
    """Return a name for several variants that differs from each of theirs."""
    whole, most = join_words(list(names)), LIMITS.variant_name.maximum
    if len(whole) <= most:
        return whole
    others = f" and {len(names) - 1} more"
    return names[0][: most - len(others)] + others


def _make_distinct(names: Mapping[str, str], keys: Mapping[str, str], labels: Mapping[str, str]) -> dict[str, str]:
    """Name methods that would have equal names by the names of all their variants."""
    methods = {keys[variant]: name for variant, name in names.items()}
    twice = {name for name in methods.values() if list(methods.values()).count(name) > 1}
    whole = {key: _all_of([labels[variant] for variant in labels if keys[variant] == key]) for key in methods}
    return {variant: whole[keys[variant]] if name in twice else name for variant, name in names.items()}


def environment_of_variant(
    spec: RunSpec, run_ids: Iterable[str | None], runs_dir: Path, environments: EnvironmentService
) -> Environment:
    """Return the environment as the variant's runs had it.

    Results belong to the runs, even if an own environment was edited, broken or removed from the settings since.

    Args:
        spec: The variant's run specification.
        run_ids: Its runs; None for a trial without one.
        runs_dir: The folder of all runs.
        environments: The current environments, for a variant without a run.
    """
    if spec.env_id in ENVIRONMENTS.names():
        return ENVIRONMENTS.get(spec.env_id).resolve(spec.env_options)
    for run_id in filter(None, run_ids):
        with suppress(RunFolderError, RunNotFound, OSError, UnknownName):
            return find_environment(RunFolder(runs_dir, run_id).read_config())
    try:
        return environments.get(spec.env_id).resolve(spec.env_options)
    except UnknownName:
        return unknown_environment(spec.env_id)


CACHED_SUMMARIES = 1_000
CACHED_STATES = 16


class ExperimentService:
    def __init__(
        self,
        settings: Settings,
        database: Database,
        events: EventBus,
        versions: RunVersions,
        environments: EnvironmentService,
        scheduler: ExperimentScheduler,
        runs: TrialRuns,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings, self._database, self._events = settings, database, events
        self._environments, self._scheduler, self._runs = environments, scheduler, runs
        self._versions, self._clock = versions, clock
        self._check = SpecificationCheck(runs, self._pace)
        self._disk = DiskGuard(settings)
        self._over: LRUCache[str, tuple[int, ExperimentSummary]] = LRUCache(CACHED_SUMMARIES)
        self._over_states: LRUCache[str, tuple[int, Experiment]] = LRUCache(CACHED_STATES)
        self._lock = Lock()

    def create(self, spec: ExperimentSpec) -> Experiment:
        """Create an experiment and start it. Raises InvalidRequest, NotEnoughDisk or OSError."""
        self._disk.check()
        resolved = self._check.resolved(spec)
        spec = _with_actions(spec, resolved.values())
        now = utc(self._clock())
        folder = ExperimentFolder(self._settings.runs_dir, new_experiment_id(now))
        stored = StoredExperiment(
            id=folder.id,
            name=(spec.name or name_of(spec)).strip(),
            created_at=now,
            specification=spec,
            resolved=resolved,
        )
        folder.create(stored)
        experiment = self._scheduler.open(folder)
        self._events.publish(ExperimentChanged(folder.id))
        self._scheduler.wake()
        return self._state(experiment)

    def estimate(self, spec: ExperimentSpec) -> ExperimentEstimate:
        """Return what ``create`` would train. Raises InvalidRequest if ``create`` would."""
        return self._check.estimate(spec)

    def list(self, *, q: str | None, limit: int, cursor: str | None) -> ExperimentList:
        """Return a page of experiments, newest first.

        ``q``: text that the name or id contains. ``cursor``: ``next_cursor`` of the previous page. Raises
        InvalidRequest for a malformed cursor.
        """
        if cursor is not None and not is_experiment_id(cursor):
            raise InvalidRequest.field("/cursor", "This is not a cursor. Use next_cursor of the previous page.")
        wanted = (q or "").lower()
        every = [one for one in self._scheduler.experiments() if wanted in f"{one.id} {one.stored.name}".lower()]
        left = [one for one in every if cursor is None or one.id < cursor]
        page = left[:limit]
        return ExperimentList(
            experiments=[self._summary(one) for one in page],
            next_cursor=page[-1].id if len(left) > limit else None,
            total=len(every),
            damaged=dict(self._scheduler.damaged()),
        )

    def get(self, experiment_id: str) -> Experiment:
        """Return an experiment with its trials. Raises ExperimentNotFound or RunFolderError."""
        return self._state(self._experiment(experiment_id))

    def run_ids(self, experiment_id: str) -> Sequence[str]:
        """Return the existing run of each trial's newest attempt. Raises ExperimentNotFound or RunFolderError."""
        experiment = self._experiment(experiment_id)
        with experiment.lock:
            wanted = [trial.run_id for trial in experiment.trials.values() if trial.run_id]
        with self._database.read() as session:
            there = {row.id for row in find_runs(session, wanted)}
        return [run_id for run_id in wanted if run_id in there]

    def stop(self, experiment_id: str) -> Experiment:
        """Stop an experiment: start no more trials and pause its runs.

        Raises ExperimentNotFound, NewerVersion, or ExperimentConflict if it is over.
        """
        experiment = self._experiment(experiment_id)
        with experiment.lock:
            self._check_can_continue(experiment)
            experiment.write_control(ExperimentControl(desired="stop"))
        return self._publish_change(experiment)

    def resume(self, experiment_id: str) -> Experiment:
        """Resume a stopped experiment.

        Raises ExperimentNotFound, NewerVersion, or ExperimentConflict if it is over.
        """
        experiment = self._experiment(experiment_id)
        with experiment.lock:
            self._check_can_continue(experiment)
            if experiment.control.desired == "stop":
                experiment.resumes_paused = True
                experiment.write_control(ExperimentControl())
        return self._publish_change(experiment)

    def delete(self, experiment_id: str) -> None:
        """Delete an experiment's folder and stop its runs, which stay as ordinary runs.

        A damaged experiment only loses its folder. Raises ExperimentNotFound or OSError.
        """
        folder = self._folder(experiment_id)
        try:
            experiment = self._scheduler.open(folder)
        except RunFolderError:
            self._scheduler.forget_experiment(experiment_id)
            folder.remove()
        else:
            with experiment.lock:
                may_run = self._scheduler.may_run(experiment)  # an untrusted experiment could name any run
                self._scheduler.forget_experiment(experiment_id)
                folder.remove()
                for trial in experiment.trials.values() if may_run else ():
                    if trial.is_begun and trial.run_id is not None:
                        self._runs.stop(trial.run_id, "Its experiment was deleted.")
        self._events.publish(ExperimentChanged(experiment_id))

    def source(self, experiment_id: str) -> ExperimentSource:
        """Return what results are computed from. Raises ExperimentNotFound or RunFolderError."""
        experiment = self._experiment(experiment_id)
        with experiment.lock:
            ended = experiment.is_over
            cells = [
                Cell(
                    variant=trial.variant,
                    seed=trial.seed,
                    run_id=trial.run_id or None,
                    earlier_run_ids=tuple(one for one in trial.run_ids if one != trial.run_id),
                    score=trial.score,
                    policy=trial.policy,
                    ended=trial.is_final or ended,
                    skipped=ended and not trial.is_final,
                    pruned=trial.last is not None and trial.last.state is TrialState.PRUNED,
                )
                for trial in experiment.trials.values()
            ]
            run_specs, labels = dict(experiment.run_specs), experiment.labels
        runs = {name: [cell.run_id for cell in cells if cell.variant == name] for name in run_specs}
        folder = self._settings.runs_dir
        found = {
            name: environment_of_variant(one, runs[name], folder, self._environments) for name, one in run_specs.items()
        }
        environments = {name: environment_title(one.id, one.chosen) for name, one in found.items()}
        return ExperimentSource(
            id=experiment.id,
            title=experiment.stored.name,
            folder=experiment.folder.path,
            specification=experiment.folder.specification_text,
            variants=labels,
            environments=environments,
            cells=cells,
            thresholds={
                environments[name]: one.reward_threshold
                for name, one in found.items()
                if one.reward_threshold is not None
            },
            methods=methods_of(labels, run_specs) if len(set(environments.values())) > 1 else {},
            scales={environments[name]: scale for name, one in found.items() if (scale := scale_of(one)) is not None},
            sweep=experiment.spec.sweep,
            tests_hint=experiment.spec.tests is not None,
            sampled_scores=not experiment.spec.score.is_greedy,
            first_step=experiment.spec.first_step,
        )

    def _experiment(self, experiment_id: str) -> OpenExperiment:
        return self._scheduler.open(self._folder(experiment_id))

    def _folder(self, experiment_id: str) -> ExperimentFolder:
        folder = ExperimentFolder(self._settings.runs_dir, experiment_id)
        if not folder.path.is_dir() or folder.path.is_symlink():
            raise ExperimentNotFound(experiment_id)
        return folder

    def _publish_change(self, experiment: OpenExperiment) -> Experiment:
        self._events.publish(ExperimentChanged(experiment.id))
        self._scheduler.wake()
        return self._state(experiment)

    def _check_can_continue(self, experiment: OpenExperiment) -> None:
        if experiment.stored.is_newer:
            raise NewerVersion(f"Experiment {experiment.id!r} can only be viewed here. {experiment.problem}")
        if not self._scheduler.adopt(experiment):
            raise ExperimentConflict(f"Experiment {experiment.id!r} can only be viewed here. {MADE_ELSEWHERE}")
        status = status_of(experiment)
        if status in OVER:
            raise ExperimentConflict(f"Experiment {experiment.id!r} is {status.value!r}: nothing is left to train.")

    def _pace(self, algo: str, env_id: str) -> float | None:
        with self._database.read() as session:
            return find_pace(session, algo, env_id)

    def _state(self, experiment: OpenExperiment) -> Experiment:
        """Return the state. That of an ended experiment is cached until a run is deleted or restored."""
        version = self._version(experiment)
        with self._lock:
            known = self._over_states.get(experiment.id)
        if known is not None and known[0] == version:
            return known[1]
        with experiment.lock:
            rows = self._rows(experiment)
            state = state_of(experiment, rows, now=self._clock(), parallel=self._parallel(experiment))
        if state.status in OVER and all(row.state.has_ended for row in rows.values()):
            with self._lock:
                self._over_states[experiment.id] = version, state
        return state

    def _summary(self, experiment: OpenExperiment) -> ExperimentSummary:
        """Return the summary. That of an ended experiment is cached until a run is deleted or restored."""
        version = self._version(experiment)
        with self._lock:
            known = self._over.get(experiment.id)
        if known is not None and known[0] == version:
            return known[1]
        with experiment.lock:
            rows = self._rows(experiment)
            summary = summary_of(experiment, rows, now=self._clock(), parallel=self._parallel(experiment))
        if summary.status in OVER and all(row.state.has_ended for row in rows.values()):
            with self._lock:
                self._over[experiment.id] = version, summary
        return summary

    def _version(self, experiment: OpenExperiment) -> int:
        """Return a number that grows with every change of the experiment's runs, also after it has ended."""
        with experiment.lock:
            return sum(map(self._versions.version, experiment.run_ids))

    def _rows(self, experiment: OpenExperiment) -> dict[str, RunRow]:
        with self._database.read() as session:
            return {row.id: row for row in find_runs(session, experiment.run_ids)}

    def _parallel(self, experiment: OpenExperiment) -> int:
        most = self._settings.max_concurrent_runs
        return min(experiment.spec.parallel or most, most)
