"""Results of an experiment, computed from the runs in a runs folder."""

from __future__ import annotations

import csv
import dataclasses
import io
import time
from contextlib import closing
from pathlib import Path

import orjson
import pyarrow.parquet as pq
import pytest
from sqlmodel import delete

from rlviz.domain.config import ExplorationPlan
from rlviz.domain.errors import InvalidRequest, UnknownName
from rlviz.domain.export_formats import ResultsFormat
from rlviz.rundir.journal import JournalWriter
from rlviz.server.application import Application
from rlviz.server.catalog.models import EvaluationRow
from rlviz.server.catalog.runs import get_run
from rlviz.server.experiments.results.exports import COLUMNS, export
from rlviz.server.experiments.results.service import (
    MOST_KEPT,
    Cell,
    ExperimentSource,
    ResultsRequest,
    ResultsService,
    preset_of,
    run_of,
)
from rlviz.server.runs.configuration import NewRun
from rlviz.stats.experiments import ScoreKind, Setting, experiment_results
from tests.support.evaluations import write_evaluation
from tests.support.finished_experiment import SEEDS, finished_experiment
from tests.support.service import folder_of


def results_service(app: Application) -> ResultsService:
    return ResultsService(app.settings, app.database, app.metrics, clock=time.time)


def test_results_are_computed_from_scores_and_journals(app: Application, source: ExperimentSource) -> None:
    found = results_service(app).results(source, ResultsRequest(threshold=21.5))
    assert found.verdict.headline == "good is better than =bad with probability 1.00 [1.00, 1.00]."
    assert [one.iqm for one in found.variants] == [22.0, 7.0]
    assert found.thresholds is not None
    assert [(one.reached, one.n) for one in found.thresholds.variants] == [(3, 5), (0, 5)]
    assert found.thresholds.variants[0].median == 1_000.0  # the hundredth episode
    assert found.cost.core_seconds == 2 * SEEDS * 300.0
    curve = found.curves.variants[0]
    assert (found.curves.source, curve.seeds, curve.count[0], curve.iqm[-1]) == ("training", 5, 5, 22.0)


@pytest.mark.parametrize("threshold", [21.5, 6.0, -1e9])
def test_results_for_another_threshold_equal_those_computed_for_it(
    app: Application, source: ExperimentSource, threshold: float
) -> None:
    """Only the parts that depend on it are computed again."""
    trials, found = results_service(app).trials_and_results(source, ResultsRequest(threshold=threshold))
    setting = Setting(source.variants, source.environments, ScoreKind.TRIAL, threshold)
    assert found == experiment_results(trials, setting)
    assert found.thresholds is not None


def test_a_seed_whose_score_reaches_the_threshold_has_solved_it(app: Application, source: ExperimentSource) -> None:
    """This holds although exploration kept the mean training return lower, because a score is an evaluation too."""
    before = results_service(app).results(source, ResultsRequest(threshold=28.0))
    with app.database.write() as session:
        for cell in source.cells:
            assert cell.run_id is not None
            record = write_evaluation(folder_of(app, cell.run_id), [30.0] * 20, checkpoint_step=1_500)
            session.add(EvaluationRow.from_record(record))
    try:
        found = results_service(app).results(source, ResultsRequest(threshold=28.0))
        assert before.thresholds is not None
        assert found.thresholds is not None
        assert [one.reached for one in before.thresholds.variants] == [0, 0]
        assert [(one.reached, one.median) for one in found.thresholds.variants] == [(5, 1_500.0)] * 2
    finally:
        with app.database.write() as session:
            session.exec(delete(EvaluationRow))


def test_evaluations_made_by_only_one_variant_do_not_make_it_faster(app: Application, tmp_path: Path) -> None:
    source = dataclasses.replace(finished_experiment(app, tmp_path), id="unlike")
    evaluated = [cell.run_id for cell in source.cells if cell.variant == "good"]
    for run_id in evaluated:
        assert run_id is not None
        folder = folder_of(app, run_id)
        with (
            closing(JournalWriter(folder.metrics_path)) as metrics,
            closing(JournalWriter(folder.events_path)) as events,
        ):
            for step in (500, 1_000, 1_500):
                metrics.append({"step": step, "values": {"eval/mean_reward": 30.0}})
            best = {"path": "best_model.zip", "mean_return": 30.0, "std_return": 1.0, "episodes": 10}
            events.append({"event": "best", "step": 500, "data": best})
        with app.database.write() as session:
            row = get_run(session, run_id)
            row.last_event += 1
            session.add(row)
    found = results_service(app).results(source, ResultsRequest(threshold=21.5))
    assert found.thresholds is not None
    assert found.thresholds.variants[0].median == 1_000.0, "by its hundredth episode, as before"
    assert "Evaluations during training do not count" in found.thresholds.variants[0].made.definition
    alone = dataclasses.replace(source, id="alone", cells=[one for one in source.cells if one.run_id in evaluated])
    found = results_service(app).results(alone, ResultsRequest(threshold=21.5))
    assert found.thresholds is not None
    assert found.thresholds.variants[0].median == 500.0


def test_each_environment_uses_its_own_threshold(app: Application, source: ExperimentSource) -> None:
    environments = {"good": "CartPole-v1", "=bad": "Acrobot-v1"}
    apart = dataclasses.replace(
        source, id="apart", environments=environments, thresholds={"CartPole-v1": 21.5, "Acrobot-v1": 5.5}
    )
    found = results_service(app).results(apart, ResultsRequest())
    assert found.thresholds is not None
    assert [(one.threshold, one.reached) for one in found.thresholds.variants] == [(21.5, 3), (5.5, 4)]
    common = results_service(app).results(apart, ResultsRequest(threshold=21.5))
    assert common.thresholds is not None
    assert [one.reached for one in common.thresholds.variants] == [3, 0]


def test_the_mean_training_return_can_be_the_score(app: Application, source: ExperimentSource) -> None:
    found = results_service(app).results(source, ResultsRequest(ScoreKind.TRAINING))
    assert [one.iqm for one in found.variants] == [22.0, 7.0]
    assert "exploration included" in found.score_definition
    none = results_service(app).results(source, ResultsRequest(ScoreKind.BEST))
    assert (none.scored, none.failed) == (0, 0)
    assert none.verdict.cautions[0] == (
        "5 of 5 trials of good have no score of this kind and are left out: no policy was kept as the best, or no "
        "episode has ended."
    )


def forget_results(source: ExperimentSource) -> None:
    """Delete the results, so that they are recomputed from digests."""
    for path in kept_results(source):
        path.unlink()


def kept_results(source: ExperimentSource) -> list[Path]:
    return list((source.folder / "results").glob("made-*.json"))


def test_later_requests_read_the_stored_results(app: Application, source: ExperimentSource) -> None:
    forget_results(source)
    request = ResultsRequest(threshold=21.5)
    before = results_service(app).results(source, request)
    for kept in kept_results(source):  # those of the environment's threshold as well, which others are made from
        kept.write_bytes(kept.read_bytes().replace(b"good is better", b"GOOD is better"))
    assert results_service(app).results(source, request).verdict.headline.startswith("GOOD is better")
    another = dataclasses.replace(source, cells=[dataclasses.replace(source.cells[0], score=99.0), *source.cells[1:]])
    assert results_service(app).results(another, request).variants[0].mean == pytest.approx(37.8)
    for kept in kept_results(source):
        kept.write_bytes(kept.read_bytes()[:-9])
    assert results_service(app).results(source, request) == before


def test_results_are_stored_after_every_trial_has_ended(app: Application, source: ExperimentSource) -> None:
    forget_results(source)
    trains = dataclasses.replace(source, cells=[dataclasses.replace(source.cells[0], ended=False), *source.cells[1:]])
    assert not results_service(app).results(trains, ResultsRequest()).complete
    assert kept_results(source) == []
    for threshold in range(12):
        results_service(app).results(source, ResultsRequest(threshold=float(threshold)))
    assert len(kept_results(source)) == MOST_KEPT


def test_later_requests_read_digests_instead_of_journals(app: Application, source: ExperimentSource) -> None:
    request = ResultsRequest(threshold=21.5)
    before = results_service(app).results(source, request)
    forget_results(source)
    journals = {cell.run_id: folder_of(app, cell.run_id or "").metrics_path for cell in source.cells}
    kept = {run_id: path.read_bytes() for run_id, path in journals.items()}
    for path in journals.values():
        path.write_bytes(b"")
    try:
        assert results_service(app).results(source, request) == before
    finally:
        for run_id, path in journals.items():
            path.write_bytes(kept[run_id])


def test_a_torn_or_foreign_digest_line_is_recomputed(app: Application, source: ExperimentSource) -> None:
    request = ResultsRequest(threshold=21.5)
    before = results_service(app).results(source, request)
    digests = source.folder / "results" / "digests.jsonl"
    lines = digests.read_bytes()
    digests.write_bytes(b'{"run_id": 1}\nnull\n' + lines[: len(lines) * 2 // 3])
    forget_results(source)
    assert results_service(app).results(source, request) == before
    assert results_service(app).results(source, request) == before


def test_digests_computed_by_another_method_are_recomputed(
    app: Application, source: ExperimentSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = results_service(app).results(source, ResultsRequest())
    path = source.folder / "results" / "digests.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"value":[', b'"value":[7,').replace(b'"step":[', b'"step":[7,'))
    monkeypatch.setattr("rlviz.server.experiments.results.digests.DIGEST_DEFINITION", 99)
    monkeypatch.setattr("rlviz.server.experiments.results.service.DIGEST_DEFINITION", 99)
    assert results_service(app).results(source, ResultsRequest()) == before


def test_results_are_cached_until_a_trial_changes(app: Application, source: ExperimentSource) -> None:
    results = results_service(app)
    first = results.results(source, ResultsRequest())
    assert results.results(source, ResultsRequest()) is first
    cells = [*source.cells[1:], Cell("good", 0, source.cells[0].run_id, 99.0, ended=True)]
    changed = ExperimentSource(**{**vars(source), "cells": cells})
    assert results.results(changed, ResultsRequest()).variants[0].mean != first.variants[0].mean


def test_a_deleted_run_keeps_its_score(app: Application, source: ExperimentSource) -> None:
    cells = [Cell("good", 0, "no-such-run", 7.0, ended=True), Cell("good", 1, None, None, ended=False)]
    found = results_service(app).results(ExperimentSource(**{**vars(source), "cells": cells}), ResultsRequest())
    assert (found.variants[0].n, found.variants[0].iqm, found.complete) == (1, 7.0, False)


def test_a_deleted_run_is_not_reported_with_zero_steps(app: Application, source: ExperimentSource) -> None:
    cells = [
        dataclasses.replace(cell, run_id="no-such-run") if cell.variant == "good" else cell for cell in source.cells
    ]
    found = results_service(app).results(ExperimentSource(**{**vars(source), "cells": cells}), ResultsRequest())
    assert found.variants[0].n == SEEDS
    assert found.verdict.cautions == ["All runs of good were deleted since: only its scores are left."]


def test_a_saved_preset_is_measured_by_the_runs_that_exist(app: Application, source: ExperimentSource) -> None:
    gone = dataclasses.replace(source.cells[0], run_id="no-such-run")
    some = dataclasses.replace(source, cells=[gone, *source.cells[1:]])
    service = results_service(app)
    (caution,) = service.results(some, ResultsRequest()).verdict.cautions
    assert caution == "1 of 5 runs of good was deleted since: its curve, cost and steps are of the rest."
    there = service.without_deleted(some)
    assert run_of(there, "good") == source.cells[1].run_id
    config = folder_of(app, run_of(there, "good")).read_config()
    results = service.results(there, ResultsRequest(threshold=21.5))
    figures = preset_of(there, "good", "Good one", config, results, now=1_000.0).measured
    assert figures is not None
    assert (figures.seeds, figures.solved, figures.held, figures.seconds) == (4, 3, 3, 300.0)


def test_exports_contain_the_same_values_in_every_format(app: Application, source: ExperimentSource) -> None:
    trials, results = results_service(app).trials_and_results(source, ResultsRequest(threshold=21.5))
    rows = list(csv.DictReader(io.StringIO(export(ResultsFormat.CSV, trials, results).decode())))
    assert list(rows[0]) == list(COLUMNS)
    assert (len(rows), rows[0]["score"], rows[0]["reached"], rows[4]["reached"]) == (10, "20.0", "", "1000.0")
    assert rows[-1]["variant"] == "'=bad"  # no formula in a spreadsheet
    table = pq.read_table(io.BytesIO(export(ResultsFormat.PARQUET, trials, results))).to_pylist()
    assert [row["score"] for row in table] == [float(row["score"]) for row in rows]
    assert table[-1]["variant"] == "=bad"
    document = orjson.loads(export(ResultsFormat.JSON, trials, results))
    assert document["trials"] == table
    assert document["results"]["verdict"]["headline"] == results.verdict.headline
    assert export(ResultsFormat.MARKDOWN, trials, results).decode().count("\n| ") == 3
    assert b"\\toprule" in export(ResultsFormat.LATEX, trials, results)


def test_results_are_shown_from_a_folder_that_is_not_writable(app: Application, source: ExperimentSource) -> None:
    nowhere = ExperimentSource(**{**vars(source), "id": "nowhere", "folder": Path("/proc/nowhere")})
    assert results_service(app).results(nowhere, ResultsRequest()).scored == 2 * SEEDS


def test_a_variant_is_saved_as_a_preset_with_its_measurements(app: Application, source: ExperimentSource) -> None:
    results = results_service(app).results(source, ResultsRequest(threshold=21.5))
    config = folder_of(app, run_of(source, "good")).read_config()
    kept = preset_of(source, "good", "Good one", config, results, now=1_000.0)
    assert (kept.id, kept.environment, kept.hyperparameters) == ("own-good-one", config.env_id, config.hyperparameters)
    figures = kept.measured
    assert figures is not None
    assert (figures.seeds, figures.solved, figures.held, figures.return_iqm) == (5, 3, 3, 22.0)
    assert (figures.steps_to_threshold, figures.seconds) == (1_000, 300.0)
    app.own_presets.keep(kept)
    run = app.runs.create(NewRun("ppo", preset="own-good-one"))
    assert (run.preset, run.total_timesteps) == ("own-good-one", 1_500)
    app.own_presets.delete("own-good-one")


def test_a_saved_preset_explores_as_its_variant(app: Application, source: ExperimentSource) -> None:
    results = results_service(app).results(source, ResultsRequest(threshold=21.5))
    config = folder_of(app, run_of(source, "good")).read_config()
    explores = config.model_copy(update={"exploration": ExplorationPlan(novelty=0.5)})
    kept = preset_of(source, "good", "Curious", explores, results, now=1_000.0)
    assert kept.exploration == ExplorationPlan(novelty=0.5)
    begins = config.model_copy(update={"exploration": ExplorationPlan(archive=0.5, start_cell=3)})
    with pytest.raises(InvalidRequest, match="begins episodes in one cell"):
        preset_of(source, "good", "From there", begins, results, now=1_000.0)


def test_a_variant_without_a_score_cannot_be_saved(source: ExperimentSource) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'good'"):
        run_of(source, "goood")
    nothing = ExperimentSource(**{**vars(source), "cells": [Cell("good", 0, "some-run", None, ended=False)]})
    with pytest.raises(InvalidRequest, match="has no run with a score"):
        run_of(nothing, "good")
