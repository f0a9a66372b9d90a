"""Routers: dependency injection and parameter checks."""

from __future__ import annotations

from typing import Annotated

import pytest
from fastapi import Depends, FastAPI
from starlette.testclient import TestClient

from rlviz.domain.lazy_model import LazyModel
from rlviz.server.dependencies import provided
from rlviz.server.router import Router


class Wish(LazyModel):
    text: str


class Wishes:
    def __init__(self) -> None:
        self.made: list[str] = []


class Services:
    def __init__(self, *services: object) -> None:
        self._services = services

    def service(self, kind: type) -> object:
        return next(one for one in self._services if type(one) is kind)


@pytest.fixture
def wishes() -> Wishes:
    return Wishes()


@pytest.fixture
def client(wishes: Wishes) -> TestClient:
    router = Router(tag="wishes")

    @router.post("/wishes")
    def wish(body: Wish, wishes: Annotated[Wishes, Depends(provided(Wishes))]) -> Wish:
        wishes.made.append(body.text)
        return body

    @router.get("/wishes/{number}")
    def wished(number: int, wishes: Annotated[Wishes, Depends(provided(Wishes))]) -> Wish:
        return Wish(text=wishes.made[number])

    app = FastAPI()
    app.state.application = Services("another", wishes)
    app.router.routes += router.routes
    return TestClient(app)


def test_an_endpoint_receives_the_service_of_its_class(client: TestClient, wishes: Wishes) -> None:
    assert client.post("/wishes", json={"text": "rain"}).json() == {"text": "rain"}
    assert wishes.made == ["rain"]
    assert client.get("/wishes/0").json() == {"text": "rain"}


def test_an_unexpected_parameter_is_refused(client: TestClient, wishes: Wishes) -> None:
    assert client.post("/wishes", json={}).status_code == 422
    assert client.get("/wishes/seven").status_code == 422
    assert client.put("/wishes").status_code == 405
    assert client.get("/nothing").status_code == 404
    assert wishes.made == []
