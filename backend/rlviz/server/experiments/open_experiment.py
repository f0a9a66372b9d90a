"""One experiment in memory: its specification, trials and proposer, read from its folder and appended to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import RLock

from rlviz.domain.errors import LOOK_ONLY
from rlviz.domain.evaluation import PolicyChoice
from rlviz.domain.experiments import (
    ExperimentControl,
    ExperimentSpec,
    FailMode,
    RunSpec,
    TrialLine,
    TrialState,
    Variant,
    VariantChanges,
)
from rlviz.domain.versions import EXPERIMENT
from rlviz.learning.search.proposer import FixedVariants, Proposal, Proposer, SearchProposer, number_of
from rlviz.learning.search.study import JOURNAL, Study
from rlviz.rundir.experiment_folder import ExperimentFolder
from rlviz.rundir.files import damage_error
from rlviz.rundir.journal import JournalWriter
from rlviz.server.experiments.scoring import TrialScore

SEARCHED = "base"
"""Key of a search's base among the run specifications of variants."""

ENDED = "Its experiment ended before it had a score."


@dataclass
class Trial:
    """One variant with one seed.

    Attributes:
        last: The newest journal line about it; None before it starts.
        failures: Number of attempts that failed.
        lost: Number of attempts that were interrupted from outside, which are not failures.
    """

    number: int
    variant: str
    label: str
    seed: int
    last: TrialLine | None = None
    failures: int = 0
    lost: int = 0
    run_ids: list[str] = field(default_factory=list)
    """Ids of the runs of all attempts, lost ones included."""

    @property
    def is_final(self) -> bool:
        return self.last is not None and self.last.state.is_final

    @property
    def is_begun(self) -> bool:
        return self.last is not None and self.last.state is TrialState.BEGUN

    @property
    def run_id(self) -> str | None:
        """The id of its newest attempt's run."""
        return None if self.last is None else self.last.run_id

    @property
    def score(self) -> float | None:
        return None if self.last is None else self.last.score

    @property
    def policy(self) -> PolicyChoice | None:
        """The policy that was scored."""
        return None if self.last is None else self.last.policy

    def apply_line(self, line: TrialLine) -> None:
        self.last = line
        if line.state is TrialState.BEGUN:
            self.run_ids.append(line.run_id)
        self.failures += line.state is TrialState.RETRIED
        self.lost += line.state is TrialState.LOST


class OpenExperiment:
    """An experiment in memory. Hold ``lock`` to use it from several threads.

    ``problem``: what blocks it at the moment, such as a full disk, as a sentence.
    """

    def __init__(self, folder: ExperimentFolder, clock: Callable[[], float]) -> None:
        """Read the experiment's folder.

        Raises ExperimentNotFound, RunFolderError for a file that cannot be read, or OSError.
        """
        self.folder, self.stored, self.control = folder, folder.read(), folder.read_control()
        self.lock = RLock()
        self.problem: str | None = None
        if self.stored.is_newer:
            self.problem = f"{EXPERIMENT.newer(self.stored.schema_version)} {LOOK_ONLY}"
        self.resumes_paused = False
        """Whether to resume its paused runs, since the stopped experiment was resumed."""
        self.trials: dict[int, Trial] = {}
        self.run_specs: dict[str, RunSpec] = {}
        """By variant."""
        self.known_runs: set[str] = set()
        """Ids of all its runs; can be read without the lock."""
        self.groups: dict[str, str] = {}
        """By variant, the run whose group the runs of other seeds join."""
        self._clock = clock
        self._journal: JournalWriter | None = None
        self._unwritten: list[TrialLine] = []
        """Lines in the journal's buffer that a full disk did not take."""
        self._seeds = {seed: place for place, seed in enumerate(self.spec.seed_list)}
        self.proposer = self._plan()
        for line in folder.read_trials():
            if line.trial in self.trials:
                self._apply_line(line)
        self._report_all()  # an earlier service may have been killed before it reported
        if self.is_over and not self.stored.is_newer:
            self._report_end(self.control)

    @property
    def id(self) -> str:
        return self.folder.id

    @property
    def spec(self) -> ExperimentSpec:
        return self.stored.specification

    @property
    def is_over(self) -> bool:
        """Whether it is complete or has failed."""
        return self.control.desired == "end"

    @property
    def labels(self) -> dict[str, str]:
        """Labels by variant, in planning order."""
        return {trial.variant: trial.label for trial in self.trials.values()}

    @property
    def run_ids(self) -> list[str]:
        """Return the ids of the runs of all attempts of all trials."""
        return [run_id for trial in self.trials.values() for run_id in trial.run_ids]

    def run_spec_of(self, variant: str) -> RunSpec:
        """Return the specification of a variant's runs, with the preset's values from when the experiment was
        created."""
        resolved = self.stored.resolved
        if variant in resolved:
            return resolved[variant]
        if SEARCHED in resolved:
            base, values = resolved[SEARCHED], self.run_specs[variant].hyperparameters
            return base.model_copy(update={"hyperparameters": {**base.hyperparameters, **values}})
        return self.run_specs[variant]

    def add(self, proposal: Proposal, variant: Variant | None = None) -> None:
        """Plan the trials of a variant."""
        place = len(self.run_specs) if variant is not None else number_of(proposal.variant)
        self.run_specs[proposal.variant] = (variant or _searched(proposal)).run_spec(self.spec.base)
        for number, seed in enumerate(proposal.seeds, place * len(proposal.seeds)):
            self.trials[number] = Trial(number, proposal.variant, proposal.label, seed)

    def record(
        self,
        trial: Trial,
        state: TrialState,
        run_id: str,
        *,
        score: TrialScore | None = None,
        cause: str | None = None,
    ) -> None:
        """Append a line about ``trial`` to the journal, and write it before returning.

        Raises OSError for a full disk. The line then stays buffered, and recording it again does not duplicate it.
        """
        line = TrialLine(
            trial=trial.number,
            variant=trial.variant,
            label=trial.label,
            seed=trial.seed,
            run_id=run_id,
            attempt=1 + trial.failures + trial.lost,
            state=state,
            score=None if score is None else score.mean,
            policy=None if score is None else score.policy,
            cause=cause,
        )
        if self._journal is None:
            self._journal = JournalWriter(self.folder.trials_path, clock=self._clock, flush_seconds=0.0)
        if line not in self._unwritten:
            self._journal.append(line.model_dump(mode="json", exclude={"seq", "time"}))
            self._unwritten.append(line)
        self._journal.flush()
        written, self._unwritten = self._unwritten, []
        for one in written:
            self._apply_line(one)

    def fast_failure(self) -> str | None:
        """Return which trial failed and why, if one failure ends this experiment; otherwise None.

        A trial without a run does not count: a search proposed values that do not work together, and proposes others.
        """
        if self.spec.fail_mode is not FailMode.FAST_FAIL:
            return None
        for trial in self.trials.values():
            if trial.last is not None and trial.last.state is TrialState.FAILED and trial.run_id:
                return f"{trial.label}, seed {trial.seed}: {trial.last.cause}"
        return None

    def report_if_finished(self, variant: str) -> None:
        """Report a variant's scores to its proposer when all of its seeds have ended."""
        trials = self.trials_of_variant(variant)
        if all(trial.is_final for trial in trials):
            self.proposer.finished(variant, [trial.score for trial in trials])

    def write_control(self, control: ExperimentControl) -> None:
        """Write the desired state into the experiment's control file. Raises OSError."""
        self.folder.write_control(control)
        self.control = control

    def end(self, control: ExperimentControl) -> None:
        """End the experiment; trials without a score are skipped. Raises OSError.

        The end itself is written last, so that a service that is killed in between finishes the work after a restart.
        """
        self._report_all()
        self._report_end(control)
        self.write_control(control)

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def trials_of_variant(self, variant: str) -> list[Trial]:
        return [trial for trial in self.trials.values() if trial.variant == variant]

    def waiting(self) -> Sequence[Trial]:
        """Return the trials that have not started: the first seeds of all variants come before any second seed."""
        found = [trial for trial in self.trials.values() if not trial.is_final and not trial.is_begun]
        return sorted(found, key=lambda trial: (self._seeds.get(trial.seed, 0), trial.number))

    def _report_all(self) -> None:
        for variant in self.run_specs:
            self.report_if_finished(variant)

    def _report_end(self, control: ExperimentControl) -> None:
        self.proposer.ended(" ".join(filter(None, (ENDED, control.cause or control.skipped))))

    def _plan(self) -> Proposer:
        seeds = self.spec.seed_list
        if self.spec.sweep is not None:
            try:
                study = Study(self.folder.path, self.id, self.spec.sweep)
            except ValueError as error:
                raise damage_error(self.folder.path / JOURNAL, self.folder.path, f"{error}") from error
            search = SearchProposer(study, seeds)
            for proposal in search.proposed():
                self.add(proposal)
            return search
        fixed = self.spec.fixed_variants()
        for place, variant in enumerate(fixed):
            self.add(Proposal(f"v{place}", variant.name, {}, seeds), variant)
        return FixedVariants()

    def _apply_line(self, line: TrialLine) -> None:
        self.trials[line.trial].apply_line(line)
        if line.state is TrialState.BEGUN:
            self.known_runs.add(line.run_id)
            self.groups.setdefault(line.variant, line.run_id)


def _searched(proposal: Proposal) -> Variant:
    changes = VariantChanges(hyperparameters=dict(proposal.values))
    return Variant(name=proposal.label, changes=changes)
