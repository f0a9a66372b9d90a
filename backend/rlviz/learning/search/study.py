"""The hyperparameter search of one experiment: samplers propose values, pruners end trials early."""

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
"""Marks a trial whose values were not all written when the process died. No other code has seen it."""


def make_sampler(sweep: Sweep, proposed: int) -> BaseSampler:
    """Make the sampler after ``proposed`` trials. With 0 it draws exactly as Optuna's own with the same seed."""
    seed = sweep.seed if proposed == 0 else int(np.random.SeedSequence([sweep.seed, proposed]).generate_state(1)[0])
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
    """Make a sampler without the warning that some samplers are experimental."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", load("optuna.exceptions:ExperimentalWarning"))
        return load(reference)(**options)


STARTUP_TRIALS = 5
"""Trials that are trained to their end before the median pruner starts."""

WARMUP_EVALUATIONS = 2
"""Evaluations of a trial before it is judged, because the first ones say little."""

REDUCTION = 3
"""The best third of the trials on a rung continues to the next."""


def make_pruner(name: PrunerName) -> BasePruner:
    """Make the pruner. Its steps count evaluations, from 1."""
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
"""A search ends after this many combinations, for each trial wanted, that cannot be trained."""


MOST_REDRAWS = 10
"""How often the sampler is asked again if it repeats a combination."""

MOST_LISTED = 100_000
"""Number of combinations that are searched for one that was not proposed yet."""


class TrialState(StrEnum):
    """*running*: proposed, without result yet. *complete*: has an objective. *pruned*: ended early because it fell
    behind. *failed*: has no objective; its cause says why."""

    RUNNING = "running"
    COMPLETE = "complete"
    PRUNED = "pruned"
    FAILED = "failed"


@dataclass(frozen=True)
class SearchTrial:
    """A trial. ``values`` are by hyperparameter name; ``objective`` is None unless the trial is complete."""

    number: int
    values: Mapping[str, JsonValue]
    state: TrialState
    objective: float | None = None
    cause: str | None = None


class SearchRecord:
    """The results of a search in ``folder`` so far, read-only.

    Raises KeyError if there is no such study, and ValueError for a journal that cannot be read.
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
        """Return all proposed trials by number. A number is missing if a process was killed while proposing."""
        return [_as_trial(frozen) for frozen in self._frozen() if VALUES in frozen.user_attrs]

    def trial(self, number: int) -> SearchTrial:
        """Return a trial. Raises KeyError if it was never proposed."""
        frozen = self._frozen()
        if not 0 <= number < len(frozen):
            raise KeyError(number)
        return _as_trial(frozen[number])

    def importances(self) -> dict[str, float]:
        """Return the share of each hyperparameter in the variation of the objective, largest first, summing to 1.

        Empty with fewer than four complete trials, or if all have the same objective. By PED-ANOVA (Watanabe et al.
        2023, https://arxiv.org/abs/2304.10255).
        """
        complete = [frozen for frozen in self._frozen() if frozen.state.name == "COMPLETE"]
        if len(complete) < 4 or len({frozen.value for frozen in complete}) < 2:
            return {}
        evaluator = load("optuna.importance:PedAnovaImportanceEvaluator")()
        return dict(load("optuna.importance:get_param_importances")(self._study, evaluator=evaluator))

    def _frozen(self) -> list[FrozenTrial]:
        return self._study.get_trials(deepcopy=False)


class Study(SearchRecord):
    """Optuna's study in ``folder``, created if it does not exist.

    Every change is in the journal before a method returns, so the next process that opens the folder continues:
    running trials are still running, and none is proposed again. Only one process, and one thread, may use it.
    """

    def __init__(self, folder: Path, name: str, sweep: Sweep) -> None:
        """Open the study. Raises OSError, and ValueError for a journal that cannot be read."""
        load("optuna.logging:set_verbosity")(load("optuna.logging:WARNING"))
        journal = load("rlviz.learning.search.backend:OwnedJournal")(folder / JOURNAL)
        self._storage = _read(journal)
        self._sweep = sweep
        self._pruner = make_pruner(sweep.pruner)
        self._study = load("optuna:create_study")(
            study_name=name, storage=self._storage, direction="maximize", load_if_exists=True, pruner=self._pruner
        )
        self._drop_unborn()
        # Draw from another stream of random numbers after a restart, so that earlier draws are not repeated.
        self._study.sampler = make_sampler(sweep, proposed=len(self._frozen()))

    @property
    def is_over(self) -> bool:
        """Whether all wanted trials were proposed, not counting misfits, or all combinations were."""
        born = [one for one in self._frozen() if UNBORN not in one.user_attrs]
        misfits = sum(bool(one.user_attrs.get(MISFIT)) for one in born)
        wanted = self._sweep.wanted
        if len(born) - misfits >= wanted or misfits >= MOST_MISFITS * wanted:
            return True
        # A space that has more combinations than trials were proposed has another one left.
        found = islice(iterate_combinations(self._sweep.space), len(born) + 1)
        return len(list(found)) <= len(born)

    def ask(self) -> SearchTrial | None:
        """Propose values that no earlier trial had, or return None once ``is_over``."""
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
        """Return values for trial ``number`` that are not among ``earlier``.

        The sampler is asked again; if it repeats itself, a new combination is drawn at random. The journal stores the
        values too, so that the sampler learns from what was trained.
        """
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
        """Ask the sampler once more for values for trial ``number``."""
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
        """Draw a combination that is not among ``earlier`` from the first ``MOST_LISTED``.

        Reproducible with the sampler's seed.
        """
        found = [
            one
            for one in islice(iterate_combinations(self._sweep.space), MOST_LISTED)
            if value_identity(one) not in earlier
        ]
        return found[int(np.random.default_rng([self._sweep.seed, number]).integers(len(found)))]

    def report(self, number: int, step: int, value: float) -> bool:
        """Report the score of a running trial's policy at ``step``. Returns whether to prune the trial.

        Reporting the same value again changes nothing; another value replaces it, and the trial is judged at that step.
        """
        trial_id = self._id_of(number)
        if self._storage.get_trial(trial_id).intermediate_values.get(step) == value:
            return False
        self._storage.set_trial_intermediate_value(trial_id, step, value)
        judged = copy(self._storage.get_trial(trial_id))
        judged.intermediate_values = {at: value for at, value in judged.intermediate_values.items() if at <= step}
        return bool(self._pruner.prune(self._study, judged))

    def complete(self, number: int, objective: float) -> None:
        """Store the trial's objective. A second call does nothing."""
        self._study.tell(number, objective, skip_if_finished=True)

    def give_up(self, number: int) -> None:
        """Mark the trial as pruned. Optuna uses its last reported score as its value."""
        self._study.tell(number, state=load("optuna.trial:TrialState").PRUNED, skip_if_finished=True)

    def fail(self, number: int, cause: str, *, misfit: bool = False) -> None:
        """Mark the trial as failed. A ``misfit``, whose values cannot work together, is replaced by another trial."""
        trial_id = self._id_of(number)
        if not self._storage.get_trial(trial_id).state.is_finished():
            self._storage.set_trial_user_attr(trial_id, CAUSE, cause)
            self._storage.set_trial_user_attr(trial_id, MISFIT, misfit)
        self._study.tell(number, state=load("optuna.trial:TrialState").FAIL, skip_if_finished=True)

    def end(self, cause: str) -> None:
        """Fail all running trials with this cause. A second call does nothing."""
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
        """Return the trial's id in Optuna's storage. Raises KeyError if it was never proposed."""
        study_id = self._storage.get_study_id_from_name(self._study.study_name)
        return int(self._storage.get_trial_id_from_study_id_trial_number(study_id, number))


def _read(journal: Any) -> Any:
    """Load Optuna's storage from its journal. Raises ValueError if it cannot be read, or OSError."""
    try:
        return load("optuna.storages:JournalStorage")(journal)
    except OSError:
        raise
    except Exception as error:  # Optuna does not validate lines: damaged ones raise KeyError, AssertionError or others
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
    """Return the distribution that ``_suggest`` draws from, as Optuna represents it."""
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
    """Convert a value drawn by Optuna to a value of ``parameter``."""
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
