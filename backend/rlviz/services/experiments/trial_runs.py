"""TrialRuns: the runs of trials, created and steered by the use cases that people's runs are."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from rlviz.catalog.models import RunRow
from rlviz.domain.config import ExperimentPlace, RunConfig
from rlviz.domain.errors import Conflict, NotFound
from rlviz.domain.experiments import RunSpec
from rlviz.domain.limits import LIMITS
from rlviz.domain.sinks import SinkKind
from rlviz.services.experiments.open_experiment import OpenExperiment, Trial
from rlviz.services.sinks.live_deliveries import LiveDeliveries
from rlviz.services.use_cases.configuration import NewRun
from rlviz.services.use_cases.resuming import ResumeService
from rlviz.services.use_cases.runs import RunService


@dataclass(frozen=True)
class TrialRuns:
    _runs: RunService
    _resuming: ResumeService
    _deliveries: LiveDeliveries

    def configure(self, experiment: OpenExperiment, trial: Trial) -> RunConfig:
        """The configuration of a new run for ``trial``. Raises InvalidRequest."""
        wanted = experiment.trained(trial.variant)
        if experiment.stored.resolved:  # its values are those of its preset already, whatever has become of that since
            config = self.resolve(
                wanted.model_copy(update={"preset": None}), trial.seed, experiment.spec.memory_per_worker
            )
            config = config.model_copy(update={"preset": wanted.preset})
        else:
            config = self.resolve(wanted, trial.seed, experiment.spec.memory_per_worker)
        place = ExperimentPlace(id=experiment.id, variant=trial.variant, trial=trial.number)
        first = experiment.groups.get(trial.variant)
        # A variant's name says what it is; “Trial 3” says so only with the name of its search.
        name = trial.label if experiment.spec.sweep is None else f"{trial.label}, {experiment.stored.name}"
        return config.model_copy(
            update={"experiment": place, "group_id": first, "name": name[: LIMITS.run_name.maximum]}
        )

    def resolve(self, run_spec: RunSpec, seed: int, memory: int | None = None) -> RunConfig:
        """What would be trained. Raises InvalidRequest."""
        given = {name: getattr(run_spec, name) for name in RunSpec.model_fields}
        return self._runs.resolve(NewRun(**given, seed=seed), memory_per_worker=memory)

    def add(self, config: RunConfig, sinks: Sequence[SinkKind] = ()) -> RunRow:
        """Create the run with its sinks and queue it. Raises NotEnoughDisk or OSError."""
        row = self._runs.add(config, sinks)
        if sinks:
            self._deliveries.renew(row.id)
        return row

    def start(self, run_id: str) -> None:
        self._runs.start(run_id)

    def stop(self, run_id: str, reason: str) -> None:
        """One that has ended, or is gone, is left alone."""
        with suppress(Conflict, NotFound):
            self._runs.stop(run_id, reason)

    def pause(self, run_id: str, reason: str) -> None:
        self._resuming.pause(run_id, reason)

    def resume(self, run_id: str) -> None:
        self._resuming.resume(run_id)
