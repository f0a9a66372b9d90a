"""The endpoints of experiment results: exports, reports, searches, saved presets."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from dataclasses import dataclass
from typing import Any

import httpx
import orjson
import pytest
from fastapi import FastAPI

from rlviz.domain.errors import ExperimentNotFound
from rlviz.domain.experiments import FloatRange, Sweep
from rlviz.learning.search.study import Study
from rlviz.server.app import create_api
from rlviz.server.application import Application
from rlviz.server.experiments.results.service import ExperimentResultsService, ExperimentSource, ResultsService
from tests.support.cases import cases

BASE = "/experiments/good-against-bad"


@pytest.fixture(scope="module")
def http(app: Application, source: ExperimentSource) -> Client:
    """The API with ``source`` as its only experiment beside a search."""
    sweep = Sweep(space={"gamma": FloatRange(low=0.9, high=0.99)}, trials=3)
    known = {
        source.id: source,
        "search": dataclasses.replace(source, id="search", sweep=sweep),
    }

    def find(experiment_id: str) -> ExperimentSource:
        if experiment_id not in known:
            raise ExperimentNotFound(experiment_id)
        return known[experiment_id]

    results = ResultsService(app.settings, app.database, app.metrics, clock=time.time)
    app.experiment_results = ExperimentResultsService(app.settings, results, app.own_presets, find, clock=time.time)
    return Client(create_api(app))


def test_results_are_served_for_a_score_and_a_threshold(http: Client) -> None:
    found = http.get(f"{BASE}/results?score=training&threshold=21.5")
    assert found.status == 200
    assert found.json["threshold"] == 21.5
    assert found.json["score"] == "training"
    assert found.json["verdict"]["finding"] == "better"
    assert found.json["variants"][0]["made"]["iqm"]["resamples"] == 10_000


@cases(
    ("path", "status", "pointer"),
    [
        ("/experiments/nothing/results", 404, None),
        ("/experiments/nothing/report", 404, None),
        ("/experiments/..%2f..%2fetc/export", 404, None),
        (f"{BASE}/results?score=luck", 422, "/score"),
        (f"{BASE}/results?threshold=nan", 422, "/threshold"),
        (f"{BASE}/results?threshold=high", 422, "/threshold"),
        (f"{BASE}/export?format=xls", 422, "/format"),
        (f"{BASE}/search", 404, None),
    ],
)
def test_an_impossible_results_request_returns_a_problem(
    http: Client, path: str, status: int, pointer: str | None
) -> None:
    found = http.get(path)
    assert found.status == status
    assert found.headers["content-type"] == "application/problem+json"
    assert [field["pointer"] for field in found.json.get("errors", [])] == ([pointer] if pointer else [])


def test_an_infinite_threshold_is_answered(http: Client) -> None:
    assert http.get(f"{BASE}/results?threshold=1e308").json["thresholds"]["variants"][0]["reached"] == 0


def test_exports_are_downloads_that_browsers_do_not_open_as_pages(http: Client) -> None:
    for form, suffix in (
        ("csv", "csv"),
        ("parquet", "parquet"),
        ("markdown", "md"),
        ("latex", "tex"),
        ("json", "json"),
    ):
        found = http.get(f"{BASE}/export?format={form}")
        assert found.status == 200
        assert found.headers["content-disposition"] == f'attachment; filename="good-against-bad.{suffix}"'
        assert "sandbox" in found.headers["content-security-policy"]


def test_the_report_is_a_page_without_scripts(http: Client) -> None:
    found = http.get(f"{BASE}/report?threshold=21.5")
    assert found.headers["content-type"] == "text/html; charset=utf-8"
    assert "default-src 'none'" in found.headers["content-security-policy"]
    assert "good is better than =bad" in found.body.decode()


def test_a_search_that_has_not_started_has_an_empty_history(http: Client) -> None:
    found = http.get("/experiments/search/search").json
    assert (found["trials"], found["best"], found["wanted"]) == ([], None, 3)


def test_a_search_shows_its_proposed_trials(http: Client, source: ExperimentSource) -> None:
    study = Study(source.folder, "search", Sweep(space={"gamma": FloatRange(low=0.9, high=0.99)}, trials=3))
    for objective in (1.0, 3.0, 2.0):
        asked = study.ask()
        assert asked is not None
        study.complete(asked.number, objective)
    found = http.get("/experiments/search/search").json
    assert [trial["best_so_far"] for trial in found["trials"]] == [1.0, 3.0, 3.0]
    assert found["best"]["number"] == 1


def test_saving_a_preset_lists_it_where_it_applies(http: Client) -> None:
    made = http.post(f"{BASE}/keep-as-preset", {"variant": "good", "title": "Kept"})
    assert (made.status, made.json["id"]) == (201, "own-kept")
    assert [one["id"] for one in http.get("/presets").json] == ["own-kept"]
    (cartpole,) = [one for one in http.get("/environments").json if one["id"] == made.json["environment"]]
    (own,) = [one for one in cartpole["presets"]["ppo"] if one["is_own"]]
    assert (own["id"], own["experiment_id"], own["measured"]["seeds"]) == ("own-kept", "good-against-bad", 5)
    curve = http.get(f"/presets/curves/{own['curve']}").json
    assert (curve["shows"], curve["middle"][-1]) == ("iqm", 22.0)
    assert http.get("/presets/curves/own-kept").status == 404
    again = http.post(f"{BASE}/keep-as-preset", {"variant": "good", "title": "Kept"})
    assert (again.status, again.json["errors"][0]["pointer"]) == (422, "/title")
    assert http.delete("/presets/own-kept").status == 204
    assert http.delete("/presets/own-kept").status == 404


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"variant": "goood", "title": "x"}, "/variant"),
        ({"variant": "good", "title": ""}, "/title"),
        ({"variant": "good", "title": "…"}, "/title"),
        ({"variant": "good", "title": "FAST"}, "/title"),
        ({"variant": "good", "title": "x" * 61}, "/title"),
        ({"title": "x"}, "/variant"),
        ({"variant": "good", "title": "x", "rank": 1}, "/rank"),
    ],
)
def test_an_invalid_preset_is_not_saved(http: Client, body: dict[str, object], pointer: str) -> None:
    found = http.post(f"{BASE}/keep-as-preset", body)
    assert (found.status, [field["pointer"] for field in found.json["errors"]]) == (422, [pointer])


@dataclass(frozen=True)
class Answer:
    status: int
    headers: httpx.Headers
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)


class Client:
    """Sends requests to an ASGI app without a server."""

    def __init__(self, api: FastAPI) -> None:
        self._api = api

    def get(self, path: str) -> Answer:
        return self._ask("GET", path)

    def delete(self, path: str) -> Answer:
        return self._ask("DELETE", path)

    def post(self, path: str, body: object) -> Answer:
        return self._ask("POST", path, body)

    def _ask(self, method: str, path: str, body: object = None) -> Answer:
        async def ask() -> Answer:
            transport = httpx.ASGITransport(app=self._api)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                found = await client.request(method, path, json=body)
            return Answer(found.status_code, found.headers, found.content)

        return asyncio.run(ask())
