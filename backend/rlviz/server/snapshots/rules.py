"""Read and change the rules and knobs of a run, and try rules on its past rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import NotTraining
from rlviz.domain.events import HyperparameterChangedData
from rlviz.domain.metrics import MetricRecord
from rlviz.domain.rules import MAX_WAITING, KnobRequest, Rule, RulesDocument, ScaleKnob, SetKnob
from rlviz.domain.status import RunStatus
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.knobs import Knob, Range, allowed_range, check_changes, find_knobs, is_scheduled
from rlviz.learning.training.rules import Firing, dry_run
from rlviz.rundir.changes import knob_changes
from rlviz.rundir.control import next_number
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.metric_rows import counted_rows
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.runs import get_run
from rlviz.server.runs.configuration import check_rules
from rlviz.server.use_case import RunUseCases, check_controlled


@dataclass(frozen=True)
class KnobState:
    """A knob of a run.

    Attributes:
        follows_schedule: Whether its value still follows a schedule.
        changed: The last change; None if there was none.
        waiting: Requested changes that are not applied yet.
    """

    knob: Knob
    range: Range
    configured: float
    is_scheduled: bool
    follows_schedule: bool
    changed: HyperparameterChangedData | None
    waiting: tuple[SetKnob | ScaleKnob, ...]


class RuleService(RunUseCases):
    def rules(self, run_id: str) -> tuple[Rule, ...]:
        """Return the active rules. Raises RunNotFound, ArtifactNotFound if the folder is gone, or RunFolderError."""
        folder, config = self._read(run_id)
        return folder.rules(config)

    def change(self, run_id: str, rules: Sequence[Rule]) -> tuple[Rule, ...]:
        """Replace the run's rules, from its next row on.

        Raises the errors of ``rules``, NewerVersion, and InvalidRequest or UnknownName for rules that do not fit.
        """
        with self._database.write() as session:
            check_controlled(get_run(session, run_id))
            folder, config = self._read_resumable(run_id)
            _check(rules, config)
            control = folder.read_control()
            number = control.rules_number + 1
            folder.write_rules(RulesDocument(number=number, rules=tuple(rules)))
            folder.change_control(rules_number=number)
        return tuple(rules)

    def dry_run(self, run_id: str, rules: Sequence[Rule]) -> list[Firing]:
        """Return where ``rules`` would have fired over the run's rows. Raises the errors of ``change``."""
        folder, config = self._read_controlled(run_id)
        _check(rules, config)
        return dry_run(rules, _rows(folder))

    def knobs(self, run_id: str) -> list[KnobState]:
        """Return the knobs of the run. Raises the errors of ``rules``, and NewerVersion."""
        folder, config = self._read_controlled(run_id)
        algorithm = ALGORITHMS.get(config.algo)
        values = algorithm.validate(config.hyperparameters, config.total_timesteps).model_dump()  # fills in defaults
        changes = knob_changes(folder)
        newest = changes.newest()
        replaced = {one.data.name for one in changes.held if one.data.replaced_schedule}
        requests = folder.read_control().knob_requests
        return [
            KnobState(
                knob,
                allowed_range(knob, algorithm),
                float(values[knob.hyperparameter]),
                scheduled := is_scheduled(knob, values),
                scheduled and name not in replaced,
                newest.get(name),
                tuple(one.change for one in requests if one.number > changes.answered and one.change.knob == name),
            )
            for name, knob in find_knobs(algorithm, values).items()
        ]

    def request_knob_changes(self, run_id: str, changes: Sequence[SetKnob | ScaleKnob]) -> RunRow:
        """Ask a training run to change hyperparameters at the start of its next rollout.

        Raises NotTraining if it does not train, NewerVersion, UnknownName or InvalidRequest.
        """
        with self._database.write() as session:
            row = get_run(session, run_id)
            check_controlled(row)
            if row.state not in (RunStatus.STARTING, RunStatus.RUNNING):
                raise NotTraining(f"Run {run_id!r} is {row.status!r}. Hyperparameters can be set only while it trains.")
            folder, config = self._read_resumable(run_id)
            algorithm = ALGORITHMS.get(config.algo)
            placed = [(f"/changes/{index}", change) for index, change in enumerate(changes)]
            check_changes(algorithm, config.hyperparameters, placed)
            requests = folder.read_control().knob_requests
            first = next_number(requests, self._clock())
            asked = (KnobRequest(number=number, change=change) for number, change in enumerate(changes, start=first))
            folder.change_control(knob_requests=(*requests, *asked)[-MAX_WAITING:])
        return row

    def _read_controlled(self, run_id: str) -> tuple[RunFolder, RunConfig]:
        """Read a run that the app controls. Raises NotControlled and the errors of ``_read_resumable``."""
        with self._database.read() as session:
            check_controlled(get_run(session, run_id))
        return self._read_resumable(run_id)

    def _read_resumable(self, run_id: str) -> tuple[RunFolder, RunConfig]:
        """Read a run that this version can train. Raises NewerVersion and the errors of ``_read``."""
        folder, _ = self._read(run_id)
        return folder, folder.config_to_go_on()

    def _read(self, run_id: str) -> tuple[RunFolder, RunConfig]:
        with self._database.read() as session:
            get_run(session, run_id)
        folder = self._folder(run_id)
        folder.check()
        return folder, folder.read_config()


def _check(rules: Sequence[Rule], config: RunConfig) -> None:
    check_rules(rules, ALGORITHMS.get(config.algo), config.hyperparameters, config.evaluation)


def _rows(folder: RunFolder) -> Iterator[MetricRecord]:
    for row in counted_rows(folder):
        yield MetricRecord.model_construct(seq=row["seq"], time=row["time"], step=row["step"], values=row["values"])
