"""ExperimentResultsService: what can be asked of the results of an experiment, by its id."""

from __future__ import annotations

from collections.abc import Callable

from rlviz import __version__
from rlviz.analysis.experiments import ExperimentResults
from rlviz.analysis.experiments.report import ReportHead, report
from rlviz.domain.errors import SearchNotFound
from rlviz.domain.presets import OwnPreset
from rlviz.domain.times import utc
from rlviz.rundir.folder import RunFolder
from rlviz.search.results import SearchResults, search_results
from rlviz.search.study import SearchRecord, SearchTrial
from rlviz.services.experiment_results.exports import ExportFormat, export
from rlviz.services.experiment_results.service import ResultsRequest, ResultsService
from rlviz.services.experiment_results.source import ExperimentSource
from rlviz.services.experiment_results.variant_preset import preset_of, run_of
from rlviz.services.use_cases.own_presets import OwnPresets
from rlviz.settings import Settings

FindExperiment = Callable[[str], ExperimentSource]
"""The experiment of an id; raises ExperimentNotFound."""


class ExperimentResultsService:
    def __init__(
        self,
        settings: Settings,
        results: ResultsService,
        own_presets: OwnPresets,
        find: FindExperiment,
        *,
        clock: Callable[[], float],
    ) -> None:
        self._runs_dir, self._results, self._own_presets = settings.runs_dir, results, own_presets
        self._find, self._clock = find, clock

    def results(self, experiment_id: str, request: ResultsRequest) -> ExperimentResults:
        """Raises ExperimentNotFound."""
        return self._results.results(self._find(experiment_id), request)

    def prepare(self, experiment_id: str) -> None:
        """Do what takes long of what will be asked for. Raises ExperimentNotFound or RunFolderError."""
        self._results.prepare(self._find(experiment_id))

    def export(self, experiment_id: str, request: ResultsRequest, form: ExportFormat) -> bytes:
        """Raises ExperimentNotFound."""
        return export(form, *self._results.trials_and_results(self._find(experiment_id), request))

    def report(self, experiment_id: str, request: ResultsRequest) -> str:
        """One HTML document. Raises ExperimentNotFound."""
        source = self._find(experiment_id)
        head = ReportHead(
            title=source.title,
            experiment_id=source.id,
            made_at=f"{utc(self._clock()):%Y-%m-%d %H:%M} UTC",
            version=__version__,
            specification=source.specification(),
        )
        return report(head, self._results.results(source, request))

    def search(self, experiment_id: str) -> SearchResults:
        """Raises ExperimentNotFound, or SearchNotFound for one that searches nothing."""
        source = self._find(experiment_id)
        if source.sweep is None:
            raise SearchNotFound(f"Experiment {source.id!r} compares fixed variants; it searches nothing.")
        try:
            record = SearchRecord(source.folder, source.id)
        except KeyError:  # nothing was proposed yet
            nothing: list[SearchTrial] = []
            return search_results(source.sweep, nothing, {})
        return search_results(source.sweep, record.trials, record.importances())

    def keep(self, experiment_id: str, variant: str, title: str) -> OwnPreset:
        """Keep a variant as a preset of the user's own, with the figures of those of its runs that exist.

        Raises ExperimentNotFound, RunFolderError, InvalidRequest or UnknownName.
        """
        source = self._results.without_deleted(self._find(experiment_id))
        config = RunFolder(self._runs_dir, run_of(source, variant)).read_config()
        results = self._results.results(source, ResultsRequest())
        kept = preset_of(source, variant, title, config, results, self._clock())
        self._own_presets.keep(kept)
        return kept
