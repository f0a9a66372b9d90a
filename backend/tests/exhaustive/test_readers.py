"""Other programs read our files: pandas and Polars read tables, optuna-dashboard reads searches.

``test_sinks.py`` tests TensorBoard, Weights & Biases, MLflow and Trackio, ``test_api_verify.py`` tests Minari, and
``test_ingest.py`` tests PostgreSQL.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rlviz
from rlviz.domain.experiments import FloatRange, IntRange, Sweep
from rlviz.domain.export_formats import TableFormat
from rlviz.learning.search.study import JOURNAL, Study
from rlviz.rundir.folder import RunFolder
from tests.support.cli import call
from tests.support.readers import needs
from tests.support.run_folders import append_rows, journal, make_run
from tests.support.service_process import Service, serving

DOCUMENT = Path(__file__).parents[3] / "docs" / "export.md"
RUNS = ("run-a", "run-b")
EPISODES, LATE = 200, 150
"""Rows that every run has, and how many of them a metric that is logged late has not."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with two runs: one metric starts after most rows, one is an integer at first, and one needs all its
    digits.
    """
    folder = tmp_path_factory.mktemp("readers")
    for seed, run_id in enumerate(RUNS, 1):
        gamma = 1 if seed == 1 else 0.99
        run = make_run(folder / "runs", run_id, status="completed", seed=seed, hyperparameters={"gamma": gamma})
        with journal(run.metrics_path) as metrics:
            append_rows(metrics, LATE)
            for index in range(LATE + 1, EPISODES + 1):
                values = {"episode/reward": index / 3, "episode/length": index / 7, "train/loss": 1 / index}
                metrics.append({"step": 10 * index, "values": values})
    with serving(folder) as service:
        yield service


def pandas_reads(path: Path) -> list[dict[str, Any]]:
    import pandas as pd

    read: dict[str, Callable[[], Any]] = {
        ".csv": lambda: pd.read_csv(path),
        ".json": lambda: pd.read_json(path, precise_float=True),
        ".parquet": lambda: pd.read_parquet(path),
    }
    frame = read[path.suffix]()
    assert all(kind.kind in "if" for kind in frame.dtypes), "numbers, each of them"
    return [{name: cell for name, cell in row.items() if cell == cell} for row in frame.to_dict("records")]


def polars_reads(path: Path) -> list[dict[str, Any]]:
    import polars as pl

    read: dict[str, Callable[[], Any]] = {
        ".csv": lambda: pl.read_csv(path, infer_schema_length=None),
        ".json": lambda: pl.read_json(path, infer_schema_length=None),
        ".parquet": lambda: pl.read_parquet(path),
    }
    frame = read[path.suffix]()
    assert all(kind.is_numeric() for kind in frame.dtypes), "numbers, each of them"
    return [{name: cell for name, cell in row.items() if cell is not None} for row in frame.to_dicts()]


def logged(folder: RunFolder) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in folder.metrics_path.read_text().splitlines()]
    return [{**line["values"], **{name: line[name] for name in ("seq", "time", "step")}} for line in lines]


@pytest.mark.parametrize("form", TableFormat)
@pytest.mark.parametrize(
    "read",
    [pytest.param(pandas_reads, marks=needs("pandas")), pytest.param(polars_reads, marks=needs("polars"))],
)
def test_a_table_contains_every_value_that_was_logged_as_a_number(
    service: Service, tmp_path: Path, form: TableFormat, read: Callable[[Path], list[dict[str, Any]]]
) -> None:
    path = tmp_path / f"metrics.{form}"
    assert call(service.runs_dir, "export", "run-a", "--output", str(path)).status == 0
    assert read(path) == logged(service.folder("run-a"))


@needs("polars")
def test_the_first_rows_show_the_type_of_each_column(service: Service, tmp_path: Path) -> None:
    """``episode/length`` is an integer in each of the first rows."""
    import polars as pl

    path = tmp_path / "metrics.csv"
    assert call(service.runs_dir, "export", "run-a", "--output", str(path)).status == 0
    assert pl.read_csv(path, columns=["episode/length"])["episode/length"][-1] == EPISODES / 7


@needs("pandas")
def test_several_runs_are_joined_as_documented(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pandas as pd

    assert call(service.runs_dir, "export", *RUNS, "--output", str(tmp_path / "several")).status == 0
    monkeypatch.chdir(tmp_path / "several")
    [snippet] = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    names: dict[str, Any] = {"pd": pd}
    exec(compile(snippet, str(DOCUMENT), "exec"), names)
    assert list(names["runs"].index) == list(RUNS)
    assert names["joined"].groupby("run").hp_gamma.first().to_dict() == {"run-a": 1.0, "run-b": 0.99}
    assert len(names["joined"]) == 2 * EPISODES


@pytest.mark.parametrize("package", [pytest.param(name, marks=needs(name)) for name in ("pandas", "polars")])
def test_the_list_of_runs_is_a_data_frame(service: Service, package: str) -> None:
    frame = pytest.importorskip(package).DataFrame(rlviz.runs(service.runs_dir))
    assert set(frame["id"]) == set(RUNS)
    assert sorted(frame["hyperparameters.gamma"]) == [0.99, 1.0]


@needs("optuna_dashboard")
def test_optuna_dashboard_loads_a_search_with_every_trial_and_score(tmp_path: Path) -> None:
    """Uses the loader of its command and the requests of its page."""
    from optuna_dashboard import wsgi
    from optuna_dashboard._storage_url import get_storage

    space: Any = {"rate": FloatRange(low=1e-5, high=1e-1, log=True), "n": IntRange(low=1, high=8)}
    study = Study(tmp_path, "search-a", Sweep(space=space, trials=4, seed=1))
    scores = {}
    while (asked := study.ask()) is not None:
        scores[asked.number] = float(asked.values["n"])
        study.complete(asked.number, scores[asked.number])
    app = wsgi(get_storage(str(tmp_path / JOURNAL)))

    def ask(path: str) -> Any:
        told: list[str] = []
        environ = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "SERVER_NAME": "localhost", "SERVER_PORT": "80"}
        environ |= {"wsgi.url_scheme": "http", "QUERY_STRING": ""}
        body = b"".join(app(environ, lambda status, *_: told.append(status)))
        assert told == ["200 OK"], body
        return json.loads(body)

    [listed] = ask("/api/studies")["study_summaries"]
    assert (listed["study_name"], listed["directions"]) == ("search-a", ["maximize"])
    shown = ask(f"/api/studies/{listed['study_id']}")
    assert {one["number"]: (one["state"], one["values"]) for one in shown["trials"]} == {
        number: ("Complete", [score]) for number, score in scores.items()
    }
    assert {one["name"] for one in shown["union_search_space"]} == {"rate", "n"}
