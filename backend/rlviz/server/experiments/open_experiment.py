"""OpenExperiment: one experiment in memory, as its folder has it, with what is appended to it."""

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
"""By which the base of a search is known among what variants train."""

ENDED = "Its experiment ended before it had a score."


@dataclass
class Trial:
    """One variant with one seed. ``last``: the newest line about it, None while it waits. ``failures``: attempts that
    failed, ``lost``: those that were cut off from outside, which count as none."""

    number: int
    variant: str
    label: str
    seed: int
    last: TrialLine | None = None
    failures: int = 0
    lost: int = 0
    run_ids: list[str] = field(default_factory=list)
    """Of all attempts, also those that were lost."""

    @property
    def is_final(self) -> bool:
        return self.last is not None and self.last.state.is_final

    @property
    def is_begun(self) -> bool:
        return self.last is not None and self.last.state is TrialState.BEGUN

    @property
    def run_id(self) -> str | None:
        """Of its newest attempt."""
        return None if self.last is None else self.last.run_id

    @property
    def score(self) -> float | None:
        return None if self.last is None else self.last.score

    @property
    def policy(self) -> PolicyChoice | None:
        """Which policy its score is of."""
        return None if self.last is None else self.last.policy

    def take(self, line: TrialLine) -> None:
        self.last = line
        if line.state is TrialState.BEGUN:
            self.run_ids.append(line.run_id)
        self.failures += line.state is TrialState.RETRIED
        self.lost += line.state is TrialState.LOST


class OpenExperiment:
    """``problem``: what holds it up for now, such as a full disk, in a sentence. For several threads: hold ``lock``."""

    def __init__(self, folder: ExperimentFolder, clock: Callable[[], float]) -> None:
        """Raises ExperimentNotFound, RunFolderError for a file that cannot be read, or OSError."""
        self.folder, self.stored, self.control = folder, folder.read(), folder.read_control()
        self.lock = RLock()
        self.problem: str | None = None
        if self.stored.is_newer:
            self.problem = f"{EXPERIMENT.newer(self.stored.schema_version)} {LOOK_ONLY}"
        self.resumes_paused = False
        """Whether runs of it that are paused shall go on: it was stopped, and is resumed."""
        self.trials: dict[int, Trial] = {}
        self.run_specs: dict[str, RunSpec] = {}
        """By variant."""
        self.known_runs: set[str] = set()
        """Ids of all its runs, for whoever does not hold the lock."""
        self.groups: dict[str, str] = {}
        """By variant, the run that those of its other seeds are grouped with."""
        self._clock = clock
        self._journal: JournalWriter | None = None
        self._unwritten: list[TrialLine] = []
        """Lines that wait for a full disk, in the journal's buffer."""
        self._seeds = {seed: place for place, seed in enumerate(self.spec.seed_list)}
        self.proposer = self._plan()
        for line in folder.read_trials():
            if line.trial in self.trials:
                self._take(line)
        self._report_all()  # a service that was killed may not have said so
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
        """Whether it is completed or has failed."""
        return self.control.desired == "end"

    @property
    def labels(self) -> dict[str, str]:
        """By variant, in the order in which they were planned."""
        return {trial.variant: trial.label for trial in self.trials.values()}

    @property
    def run_ids(self) -> list[str]:
        """Of all attempts of all trials."""
        return [run_id for trial in self.trials.values() for run_id in trial.run_ids]

    def trained(self, variant: str) -> RunSpec:
        """What its runs are created with: the values that its preset had when the experiment was created."""
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

    def note(
        self,
        trial: Trial,
        state: TrialState,
        run_id: str,
        *,
        score: TrialScore | None = None,
        cause: str | None = None,
    ) -> None:
        """Append a line about ``trial``; it is in the file before this returns.

        Raises OSError, for a full disk: the line waits, and is not written again when it is noted again.
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
            self._take(one)

    def fast_failure(self) -> str | None:
        """Which trial failed and why, where one that fails ends the experiment.

        One that has no run does not count: a search proposed values that cannot work together, and proposes others.
        """
        if self.spec.fail_mode is not FailMode.FAST_FAIL:
            return None
        for trial in self.trials.values():
            if trial.last is not None and trial.last.state is TrialState.FAILED and trial.run_id:
                return f"{trial.label}, seed {trial.seed}: {trial.last.cause}"
        return None

    def report_if_finished(self, variant: str) -> None:
        """Report its scores to whoever proposed the variant, once all of its seeds have ended."""
        trials = self.of_variant(variant)
        if all(trial.is_final for trial in trials):
            self.proposer.finished(variant, [trial.score for trial in trials])

    def direct(self, control: ExperimentControl) -> None:
        """Say what it shall do from now on. Raises OSError."""
        self.folder.write_control(control)
        self.control = control

    def end(self, control: ExperimentControl) -> None:
        """It is over: what is left of its trials will have no score. Raises OSError.

        That it has ended is written last, so that a service that is killed in between does the rest when it is back.
        """
        self._report_all()
        self._report_end(control)
        self.direct(control)

    def close(self) -> None:
        if self._journal is not None:
            self._journal.close()
            self._journal = None

    def of_variant(self, variant: str) -> list[Trial]:
        return [trial for trial in self.trials.values() if trial.variant == variant]

    def waiting(self) -> Sequence[Trial]:
        """Trials to be begun; all variants have their first seed before one has its second."""
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

    def _take(self, line: TrialLine) -> None:
        self.trials[line.trial].take(line)
        if line.state is TrialState.BEGUN:
            self.known_runs.add(line.run_id)
            self.groups.setdefault(line.variant, line.run_id)


def _searched(proposal: Proposal) -> Variant:
    changes = VariantChanges(hyperparameters=dict(proposal.values))
    return Variant(name=proposal.label, changes=changes)
