"""Study: the search of one experiment, asked for values and told how they did.

Samplers: how Optuna proposes values.

Pruners: when Optuna gives a trial up.
"""

from __future__ import annotations

import warnings
from collections.abc import Container, Mapping
from copy import copy
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import JsonValue

from rlviz.domain.experiments import (
    Choice,
    FloatRange,
    IntRange,
    Parameter,
    PrunerName,
    SamplerName,
    Sweep,
    choice_label,
    condition_holds,
    grid_values,
    iterate_combinations,
    value_identity,
)
from rlviz.domain.registry import load

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution
    from optuna.pruners import BasePruner
    from optuna.samplers import BaseSampler
    from optuna.study import Study as OptunaStudy
    from optuna.trial import FrozenTrial


UNBORN = "unborn"
"""Marks a trial whose values were not all written when the process died: nobody has heard of it."""


def make_sampler(sweep: Sweep, begun: int) -> BaseSampler:
    """``begun``: trials that were proposed before. With 0 it draws exactly as Optuna's own sampler of the same seed."""
    seed = sweep.seed if begun == 0 else int(np.random.SeedSequence([sweep.seed, begun]).generate_state(1)[0])
    sampler: BaseSampler
    match sweep.sampler:
        case SamplerName.TPE:
            sampler = load("optuna.samplers:TPESampler")(seed=seed)
        case SamplerName.CMA_ES:
            sampler = _quietly("optuna.samplers:CmaEsSampler", seed=seed, warn_independent_sampling=False)
        case SamplerName.GAUSSIAN_PROCESS:
            sampler = _quietly("optuna.samplers:GPSampler", seed=seed, warn_independent_sampling=False)
        case SamplerName.RANDOM:
            sampler = load("optuna.samplers:RandomSampler")(seed=seed)
        case SamplerName.GRID:
            sampler = load("rlviz.learning.search.backend:Grid")(_grid(sweep), sweep.seed, UNBORN)
    return sampler


def _grid(sweep: Sweep) -> dict[str, list[Any]]:
    return {name: [choice_label(value) for value in grid_values(parameter)] for name, parameter in sweep.space.items()}


def _quietly(reference: str, **options: object) -> Any:
    """Some samplers are marked as experimental, which warns whoever makes one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", load("optuna.exceptions:ExperimentalWarning"))
        return load(reference)(**options)


STARTUP_TRIALS = 5
"""Trials that are trained to their end before the median says anything."""

WARMUP_EVALUATIONS = 2
"""Evaluations of a trial before it is judged: the first ones say little."""

REDUCTION = 3
"""The best third of the trials on a rung goes on to the next."""


def make_pruner(name: PrunerName) -> BasePruner:
    """Steps that are reported to it count evaluations, from 1."""
    pruner: BasePruner
    match name:
        case PrunerName.NONE:
            pruner = load("optuna.pruners:NopPruner")()
        case PrunerName.MEDIAN:
            pruner = load("optuna.pruners:MedianPruner")(
                n_startup_trials=STARTUP_TRIALS, n_warmup_steps=WARMUP_EVALUATIONS
            )
        case PrunerName.SUCCESSIVE_HALVING:
            pruner = load("optuna.pruners:SuccessiveHalvingPruner")(
                min_resource=WARMUP_EVALUATIONS, reduction_factor=REDUCTION
            )
        case PrunerName.HYPERBAND:
            pruner = load("optuna.pruners:HyperbandPruner")(
                min_resource=WARMUP_EVALUATIONS, max_resource="auto", reduction_factor=REDUCTION
            )
    return pruner


JOURNAL = "optuna.journal"
VALUES = "values"
CAUSE = "cause"
MISFIT = "misfit"

MOST_MISFITS = 5
"""A search ends when so many combinations were proposed, for each trial wanted, that cannot be trained with."""


MOST_REDRAWS = 10
"""How often the sampler is asked again where it proposes what was proposed before."""

MOST_LISTED = 100_000
"""Combinations of a space that are looked through for one that was not proposed yet."""


class TrialState(StrEnum):
    """*running*: proposed, and its scores are not known. *complete*: has an objective. *pruned*: fell behind and was
    given up. *failed*: has none; its cause says why."""

    RUNNING = "running"
    COMPLETE = "complete"
    PRUNED = "pruned"
    FAILED = "failed"


@dataclass(frozen=True)
class SearchTrial:
    """``values``: by the name of each hyperparameter that was searched. ``objective`` is that of a complete one."""

    number: int
    values: Mapping[str, JsonValue]
    state: TrialState
    objective: float | None = None
    cause: str | None = None


class SearchRecord:
    """What a search in ``folder`` has come to so far, for whoever only looks.

    Raises KeyError where there is no such study, and ValueError for a journal that cannot be read.
    """

    def __init__(self, folder: Path, name: str) -> None:
        load("optuna.logging:set_verbosity")(load("optuna.logging:WARNING"))
        if not (folder / JOURNAL).is_file():
            raise KeyError(name)
        backend = load("optuna.storages.journal:JournalFileBackend")(str(folder / JOURNAL))
        storage = _read(backend)
        self._study: OptunaStudy = load("optuna:load_study")(study_name=name, storage=storage)

    @property
    def trials(self) -> list[SearchTrial]:
        """All that were proposed, by number. Where a process was killed while it proposed, a number is missing."""
        return [_as_trial(frozen) for frozen in self._frozen() if VALUES in frozen.user_attrs]

    def trial(self, number: int) -> SearchTrial:
        """Raises KeyError for one that was never proposed."""
        frozen = self._frozen()
        if not 0 <= number < len(frozen):
            raise KeyError(number)
        return _as_trial(frozen[number])

    def importances(self) -> dict[str, float]:
        """Share of each hyperparameter in how the objective varies, from the greatest, summing to 1.

        Empty with fewer than four complete trials, or if all did the same. By PED-ANOVA (Watanabe et al. 2023,
        https://arxiv.org/abs/2304.10255).
        """
        complete = [frozen for frozen in self._frozen() if frozen.state.name == "COMPLETE"]
        if len(complete) < 4 or len({frozen.value for frozen in complete}) < 2:
            return {}
        evaluator = load("optuna.importance:PedAnovaImportanceEvaluator")()
        return dict(load("optuna.importance:get_param_importances")(self._study, evaluator=evaluator))

    def _frozen(self) -> list[FrozenTrial]:
        return self._study.get_trials(deepcopy=False)


class Study(SearchRecord):
    """Optuna's study in ``folder``, made when it is not there yet.

    Every answer is in the journal before a method returns, so whoever opens the folder next goes on from there: trials
    that ran are running still, and none is proposed again. One process at a time may ask. Not for several threads.
    """

    def __init__(self, folder: Path, name: str, sweep: Sweep) -> None:
        """Raises OSError, and ValueError for a journal that cannot be read."""
        load("optuna.logging:set_verbosity")(load("optuna.logging:WARNING"))
        journal = load("rlviz.learning.search.backend:OwnedJournal")(folder / JOURNAL)
        self._storage = _read(journal)
        self._sweep = sweep
        self._pruner = make_pruner(sweep.pruner)
        self._study = load("optuna:create_study")(
            study_name=name, storage=self._storage, direction="maximize", load_if_exists=True, pruner=self._pruner
        )
        self._drop_unborn()
        # What was drawn before is not drawn again: who goes on begins another stream of random numbers.
        self._study.sampler = make_sampler(sweep, begun=len(self._frozen()))

    @property
    def is_over(self) -> bool:
        """Whether as many trials as wanted were proposed, not counting misfits, or every combination was."""
        born = [one for one in self._frozen() if UNBORN not in one.user_attrs]
        misfits = sum(bool(one.user_attrs.get(MISFIT)) for one in born)
        wanted = self._sweep.wanted
        if len(born) - misfits >= wanted or misfits >= MOST_MISFITS * wanted:
            return True
        # A space that has more combinations than trials were proposed has another one left.
        found = islice(iterate_combinations(self._sweep.space), len(born) + 1)
        return len(list(found)) <= len(born)

    def ask(self) -> SearchTrial | None:
        """Values to be tried, unlike those of every earlier trial; None once ``is_over``."""
        if self.is_over:
            return None
        earlier = {value_identity(dict(trial.values)) for trial in self.trials}
        asked = self._study.ask()
        values: dict[str, JsonValue] = {}
        for name, parameter in self._sweep.space.items():
            if condition_holds(parameter, values):
                values[name] = _suggest(asked, name, parameter)
        if value_identity(values) in earlier:
            values = self._another(asked.number, earlier)
        asked.set_user_attr(VALUES, values)
        return SearchTrial(asked.number, values, TrialState.RUNNING)

    def _another(self, number: int, earlier: Container[str]) -> dict[str, JsonValue]:
        """Values for trial ``number`` that are not among ``earlier``: the sampler is asked again, and where it insists,
        a new combination is drawn at random. The trial has them in the journal too, so that the sampler learns from
        what was trained."""
        for _ in range(MOST_REDRAWS):
            values = self._draw(number)
            if value_identity(values) not in earlier:
                break
        else:
            values = self._new_combination(number, earlier)
        trial_id = self._id_of(number)
        for name, value in values.items():
            parameter = self._sweep.space[name]
            distribution = _distribution(parameter)
            stored = choice_label(value) if isinstance(parameter, Choice) else value
            self._storage.set_trial_param(trial_id, name, distribution.to_internal_repr(stored), distribution)
        return values

    def _draw(self, number: int) -> dict[str, JsonValue]:
        """What the sampler proposes for trial ``number`` when it is asked once more."""
        sampler, trial = self._study.sampler, self._frozen()[number]
        joint = sampler.sample_relative(self._study, trial, sampler.infer_relative_search_space(self._study, trial))
        values: dict[str, JsonValue] = {}
        for name, parameter in self._sweep.space.items():
            if not condition_holds(parameter, values):
                continue
            if name in joint:
                drawn = joint[name]
            else:
                drawn = sampler.sample_independent(self._study, trial, name, _distribution(parameter))
            values[name] = _as_value(parameter, drawn)
        return values

    def _new_combination(self, number: int, earlier: Container[str]) -> dict[str, JsonValue]:
        """A combination that is not among ``earlier``, drawn at random from the first ``MOST_LISTED`` of the space. The
        same seed of the sampler draws the same."""
        found = [
            one
            for one in islice(iterate_combinations(self._sweep.space), MOST_LISTED)
            if value_identity(one) not in earlier
        ]
        return found[int(np.random.default_rng([self._sweep.seed, number]).integers(len(found)))]

    def report(self, number: int, step: int, value: float) -> bool:
        """Tell how well the policy of a running trial does at ``step``; return whether to give the trial up.

        Told again, the same value changes nothing; another takes its place, and the trial is judged as it was at that
        step.
        """
        trial_id = self._id_of(number)
        if self._storage.get_trial(trial_id).intermediate_values.get(step) == value:
            return False
        self._storage.set_trial_intermediate_value(trial_id, step, value)
        judged = copy(self._storage.get_trial(trial_id))
        judged.intermediate_values = {at: value for at, value in judged.intermediate_values.items() if at <= step}
        return bool(self._pruner.prune(self._study, judged))

    def complete(self, number: int, objective: float) -> None:
        """The trial's objective; a second time nothing happens."""
        self._study.tell(number, objective, skip_if_finished=True)

    def give_up(self, number: int) -> None:
        """The trial was pruned. Optuna keeps what was reported of it last as its value."""
        self._study.tell(number, state=load("optuna.trial:TrialState").PRUNED, skip_if_finished=True)

    def fail(self, number: int, cause: str, *, misfit: bool = False) -> None:
        """The trial has no objective. A ``misfit``, whose values cannot work together, makes room for another trial."""
        trial_id = self._id_of(number)
        if not self._storage.get_trial(trial_id).state.is_finished():
            self._storage.set_trial_user_attr(trial_id, CAUSE, cause)
            self._storage.set_trial_user_attr(trial_id, MISFIT, misfit)
        self._study.tell(number, state=load("optuna.trial:TrialState").FAIL, skip_if_finished=True)

    def end(self, cause: str) -> None:
        """No trial that still runs will have an objective, for this cause; a second time nothing happens."""
        self._drop_unborn()
        for trial in self.trials:
            if trial.state is TrialState.RUNNING:
                self.fail(trial.number, cause)

    def _drop_unborn(self) -> None:
        for frozen in self._frozen():
            if VALUES not in frozen.user_attrs and not frozen.state.is_finished():
                self._storage.set_trial_user_attr(self._id_of(frozen.number), UNBORN, True)
                self._study.tell(frozen.number, state=load("optuna.trial:TrialState").FAIL)

    def _id_of(self, number: int) -> int:
        """Optuna's storage has its own numbers. Raises KeyError for a trial that was never proposed."""
        study_id = self._storage.get_study_id_from_name(self._study.study_name)
        return int(self._storage.get_trial_id_from_study_id_trial_number(study_id, number))


def _read(journal: Any) -> Any:
    """Optuna's storage with all that its journal holds. Raises ValueError where it cannot be read, or OSError."""
    try:
        return load("optuna.storages:JournalStorage")(journal)
    except OSError:
        raise
    except Exception as error:  # Optuna checks no line: a damaged one raises KeyError, AssertionError or others
        raise ValueError(f"Optuna cannot read it ({type(error).__name__}: {error}).") from error


def _suggest(asked: Any, name: str, parameter: Parameter) -> JsonValue:
    match parameter:
        case FloatRange():
            low, high = parameter.low, parameter.high
            return _as_value(parameter, asked.suggest_float(name, low, high, log=parameter.log, step=parameter.step))
        case IntRange(low=low, high=high):
            return _as_value(parameter, asked.suggest_int(name, low, high, log=parameter.log, step=parameter.step))
        case Choice():
            return _as_value(parameter, asked.suggest_categorical(name, _labels(parameter)))


def _distribution(parameter: Parameter) -> BaseDistribution:
    """What ``_suggest`` draws from, as Optuna names it."""
    made: BaseDistribution
    match parameter:
        case FloatRange(low=low, high=high):
            kind = load("optuna.distributions:FloatDistribution")
            made = kind(low, high, log=parameter.log, step=parameter.step)
        case IntRange(low=low, high=high):
            kind = load("optuna.distributions:IntDistribution")
            made = kind(low, high, log=parameter.log, step=parameter.step)
        case Choice():
            made = load("optuna.distributions:CategoricalDistribution")(_labels(parameter))
    return made


def _as_value(parameter: Parameter, drawn: Any) -> JsonValue:
    """What Optuna has drawn as a value of ``parameter``."""
    if isinstance(parameter, Choice):
        return parameter.choices[_labels(parameter).index(drawn)]
    found: int | float = drawn
    return found


def _labels(parameter: Choice) -> list[str | float | bool | None]:
    return [choice_label(choice) for choice in parameter.choices]


def _as_trial(frozen: FrozenTrial) -> SearchTrial:
    state = {
        "COMPLETE": TrialState.COMPLETE,
        "PRUNED": TrialState.PRUNED,
        "FAIL": TrialState.FAILED,
    }.get(frozen.state.name, TrialState.RUNNING)
    return SearchTrial(
        number=frozen.number,
        values=frozen.user_attrs.get(VALUES, {}),
        state=state,
        objective=frozen.value if state is TrialState.COMPLETE else None,
        cause=frozen.user_attrs.get(CAUSE),
    )
