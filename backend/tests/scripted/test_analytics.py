"""Analytics queries of the service, which run in a separate process."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlmodel import select

from rlviz.server.analytics import analyst as analyst_module
from rlviz.server.application import Application
from rlviz.server.catalog.models import RunRow
from tests.support.analytics_client import ALGORITHMS, Client, answer, application, client, refused
from tests.support.run_folders import make_run
from tests.support.service import catalogued

__all__ = ["application", "client"]


def test_a_select_returns_rows(client: Client) -> None:
    said = answer(client, "SELECT algo, count(*) AS runs FROM runs GROUP BY algo ORDER BY algo")
    assert (said["columns"], said["rows"]) == (["algo", "runs"], [["dqn", 6], ["ppo", 6]])
    assert not said["truncated"]


def test_a_mistake_is_reported_with_its_position(client: Client) -> None:
    assert refused(client, "SELECT nam FROM runs")["errors"][0]["position"] == 7


def test_a_huge_result_is_cut_by_rows_and_by_bytes(client: Client) -> None:
    rows = answer(client, "SELECT * FROM range(1000000000)", limit=10)
    assert (len(rows["rows"]), rows["truncated"]) == (10, True)
    wide = answer(client, "SELECT repeat('x', 9000) FROM range(10000)", limit=10_000)
    assert wide["truncated"]
    assert 0 < len(wide["rows"]) < 1_000


def test_a_process_that_dies_or_does_not_respond_is_replaced(
    application: Application, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer(client, "SELECT 1")
    process = application._analyst._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert answer(client, "SELECT 2")["rows"] == [[2]]
    monkeypatch.setattr(analyst_module, "ANSWER_SECONDS", 0.2)
    assert "stopped" in refused(client, "SELECT count(*) FROM range(100000000000)")["detail"]
    monkeypatch.undo()
    assert answer(client, "SELECT 3")["rows"] == [[3]]


def test_the_schema_lists_grouping_columns_and_measures(client: Client) -> None:
    schema = client.get("/analytics/schema").json()
    assert [table["name"] for table in schema["tables"]] == ["runs", "evaluations", "metrics"]
    assert {"algo", "hp_learning_rate", "tags"} <= set(schema["settings"])
    assert "best_moving_average" in schema["measures"]
    assert "algo" not in schema["measures"]


def test_the_list_is_sorted_by_any_column_or_metric(client: Client) -> None:
    def listed(sort: str, **query: Any) -> list[str]:
        return [run["id"] for run in client.get("/runs", params={"sort": sort, "limit": 100, **query}).json()["runs"]]

    values = dict(answer(client, "SELECT id, hp_learning_rate FROM runs")["rows"])
    rates = [values[one] for one in listed("hp_learning_rate")]
    assert [rate for rate in rates if rate is not None] == sorted(rate for rate in rates if rate is not None)
    assert None not in rates[: len(rates) - rates.count(None)], "missing values come last"
    newest = dict(
        answer(
            client,
            "SELECT run_id, arg_max(value, step) FROM metrics WHERE name = 'episode/reward' GROUP BY run_id",
        )["rows"]
    )
    returns = [newest[one] for one in listed("-metric:episode/reward") if one in newest]
    assert returns == sorted(returns, reverse=True)
    assert listed("-metric:episode/reward", offset=2) == listed("-metric:episode/reward")[2:]
    assert client.get("/runs", params={"sort": "hp_learning_rat"}).json()["errors"][0]["pointer"] == "/sort"


def test_groups_have_figures_of_only_their_runs(client: Client) -> None:
    found = client.get("/analytics/groups", params={"by": ["algo"]}).json()
    best, worst = found["groups"]
    assert (best["key"], best["count"], best["median"]) == (["ppo"], 6, 111.5)
    assert best["low"] <= best["iqm"] <= best["high"]
    assert (worst["key"], worst["box"]["low"], worst["box"]["high"]) == (["dqn"], 1.0, 22.0)


def test_two_settings_make_a_pivot_with_the_filters_of_the_list(client: Client) -> None:
    wanted = {"by": ["algo", "hp_learning_rate"], "algo": "ppo"}
    found = client.get("/analytics/groups", params=wanted).json()
    assert found["runs"] == 6
    assert [group["key"] for group in found["groups"]] == [["ppo", "0.001"], ["ppo", "0.0003"], ["ppo", "0.0001"]]
    assert client.get("/analytics/groups", params={"q": "no such run"}).json()["groups"] == []


def test_only_selected_runs_are_queried(client: Client) -> None:
    found = client.get("/analytics/groups", params={"run": "ppo-0-1,dqn-0-1,ppo-0-2"}).json()
    assert [(group["key"], group["runs"]) for group in found["groups"]] == [(["ppo"], 2), (["dqn"], 1)]


def test_a_scatter_reports_the_correlation_of_a_setting_with_the_score(client: Client) -> None:
    found = client.get("/analytics/scatter", params={"x": "hp_learning_rate", "algo": "ppo"}).json()
    assert len(found["points"]) == found["count"] == 6
    assert found["correlation"] == pytest.approx(0.956, abs=0.01)


def test_curves_of_groups_have_bands(client: Client, application: Application) -> None:
    found = client.get("/analytics/curves", params={"by": ["algo"]}).json()
    assert found["drawn"] == found["runs"] == 12
    assert {curve["variant"] for curve in found["curves"]["variants"]} == set(ALGORITHMS)
    assert all(curve["seeds"] == 6 for curve in found["curves"]["variants"])
    runs_dir: Path = application.settings.runs_dir
    assert (runs_dir / "analytics" / "digests.jsonl").exists()


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Runs of each algorithm in three environments, one of them without a threshold."""
    runs_dir = tmp_path_factory.mktemp("mixed")
    ends = {"CartPole-v1": 475.0, "Acrobot-v1": -100.0, "Pendulum-v1": -150.0}
    for algo in ALGORITHMS:
        for env_id in ends:
            for seed in (1, 2):
                run_id = f"{algo}-{env_id.lower()}-{seed}"
                make_run(runs_dir, run_id, rows=20 * seed, status="completed", algo=algo, env_id=env_id, seed=seed)
    with catalogued(runs_dir) as application:
        with application.database.write() as session:
            for row in session.exec(select(RunRow)):
                row.best_moving_average, row.fps = ends[row.env_id], 100.0
                session.add(row)
        yield Client(application)


def test_returns_of_several_environments_are_never_averaged_unnormalised(mixed: Client) -> None:
    found = mixed.get("/analytics/groups", params={"by": ["algo"]}).json()
    assert [(group["runs"], group["count"], group["iqm"]) for group in found["groups"]] == [(6, 4, 1.0)] * 2
    scale = found["scale"]
    assert scale["is_normalised"]
    assert [one["environment"] for one in scale["normalised"]] == ["Acrobot-v1", "CartPole-v1"]
    assert scale["environments"][0] == {"title": "Acrobot-v1", "env_id": "Acrobot-v1", "runs": 4}
    assert any("Pendulum-v1 are left out" in note for note in scale["notes"])


def test_returns_of_one_environment_and_other_measures_are_not_normalised(mixed: Client) -> None:
    one = mixed.get("/analytics/groups", params={"by": ["algo"], "env_id": "Pendulum-v1"}).json()
    assert [group["iqm"] for group in one["groups"]] == [-150.0, -150.0]
    assert not one["scale"]["is_normalised"]
    rates = mixed.get("/analytics/groups", params={"by": ["algo"], "measure": "fps"}).json()
    assert [(group["count"], group["iqm"]) for group in rates["groups"]] == [(6, 100.0)] * 2
    assert rates["scale"] == {"environments": [], "normalised": [], "is_normalised": False, "notes": []}


def test_groups_by_environment_keep_their_returns_and_are_marked_as_unranked(mixed: Client) -> None:
    found = mixed.get("/analytics/groups", params={"by": ["algo", "env_id"]}).json()
    assert {group["key"][1]: group["iqm"] for group in found["groups"]} == {
        "CartPole-v1": 475.0,
        "Acrobot-v1": -100.0,
        "Pendulum-v1": -150.0,
    }
    assert "not on one scale" in found["scale"]["notes"][0]


def test_curves_and_points_of_several_environments_share_one_scale(mixed: Client) -> None:
    curves = mixed.get("/analytics/curves", params={"by": ["algo"]}).json()
    assert curves["scale"]["is_normalised"]
    (one, _) = curves["curves"]["variants"]
    assert one["seeds"] == 4
    assert max(value for value in one["iqm"] if value is not None) < 2, "returns of 1 to 20, normalised"
    assert one["note"].startswith("2 of 6 runs have no curve. The curve stops at step 200, the last that all 4 runs")
    points = mixed.get("/analytics/scatter", params={"x": "seed", "by": ["algo"]}).json()
    assert {point["y"] for point in points["points"]} == {1.0}
    apart = mixed.get("/analytics/scatter", params={"x": "seed", "by": ["env_id"]}).json()
    assert apart["correlation"] is None
    assert apart["scale"]["notes"]


@pytest.mark.parametrize(
    ("path", "params", "pointer"),
    [
        ("groups", {"by": ["algoo"]}, "/by/0"),
        ("groups", {"by": ["id"]}, "/by/0"),
        ("groups", {"by": ['algo"; DROP TABLE runs; --']}, "/by/0"),
        ("groups", {"by": ["algo", "algo"]}, "/by"),
        ("groups", {"by": ["algo", "seed", "env_id"]}, "/by"),
        ("groups", {"measure": "algo"}, "/measure"),
        ("scatter", {"x": "env_id"}, "/x"),
        ("groups", {"q": "\0"}, "/q"),
        ("groups", {"status": "asleep"}, "/status/0"),
    ],
)
def test_an_impossible_query_is_refused_with_a_pointer(
    client: Client, path: str, params: dict[str, Any], pointer: str
) -> None:
    found = client.get(f"/analytics/{path}", params=params)
    assert found.status_code == 422, found.text
    assert found.json()["errors"][0]["pointer"] == pointer
