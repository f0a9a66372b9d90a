"""A service in the test's process for analytics queries."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from rlviz.server.app import create_api
from rlviz.server.application import Application
from tests.support.run_folders import make_run
from tests.support.service import catalogued

ALGORITHMS = ("ppo", "dqn")


RATES = (1e-4, 3e-4, 1e-3)


@pytest.fixture(scope="module")
def application(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    """A service with twelve runs: each algorithm with three learning rates and two seeds."""
    runs_dir = tmp_path_factory.mktemp("runs")
    for algo in ALGORITHMS:
        for place, rate in enumerate(RATES):
            for seed in (1, 2):
                run_id, settings = f"{algo}-{place}-{seed}", {"learning_rate": rate, "gamma": 0.99}
                make_run(runs_dir, run_id, rows=20, status="completed", algo=algo, seed=seed, hyperparameters=settings)
    with catalogued(runs_dir) as application:
        with application.database.write() as session:
            for algo, bonus in zip(ALGORITHMS, (100.0, 0.0), strict=True):
                for place in range(len(RATES)):
                    for seed in (1, 2):
                        row = application.runs.get(f"{algo}-{place}-{seed}")
                        row.best_moving_average = bonus + 10 * place + seed
                        session.merge(row)
        yield application


class Client:
    """The API without a socket."""

    def __init__(self, application: Application) -> None:
        self._api = create_api(application)

    def get(self, path: str, params: dict[str, Any] | None = None) -> httpx.Response:
        return self._ask("GET", path, params=params)

    def post(self, path: str, json: object) -> httpx.Response:
        return self._ask("POST", path, json=json)

    def _ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(app=self._api)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                return await client.request(method, path, **options)

        return asyncio.run(ask())


@pytest.fixture
def client(application: Application) -> Client:
    return Client(application)


def answer(client: Client, sql: str, **more: Any) -> dict[str, Any]:
    found = client.post("/analytics/query", json={"sql": sql, **more})
    assert found.status_code == 200, found.text
    said: dict[str, Any] = found.json()
    return said


def refused(client: Client, sql: str) -> dict[str, Any]:
    found = client.post("/analytics/query", json={"sql": sql})
    assert found.status_code == 422, found.text
    assert found.headers["content-type"] == "application/problem+json"
    problem: dict[str, Any] = found.json()
    assert problem["errors"][0]["pointer"] == "/sql"
    return problem
