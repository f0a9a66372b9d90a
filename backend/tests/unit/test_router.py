"""Routes are imported late, and made with their first request."""

from __future__ import annotations

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from rlviz.domain.lazy_model import LazyModel
from rlviz.server.router import LazyRoute, Router


class Wish(LazyModel):
    text: str


def _app() -> tuple[TestClient, dict[str, LazyRoute]]:
    router = Router(tag="wishes")

    @router.post("/wishes")
    def wish(body: Wish) -> Wish:
        return body

    @router.get("/wishes/{number}")
    def wished(number: int) -> Wish:
        return Wish(text=str(number))

    app = FastAPI()
    app.router.routes += router.routes
    return TestClient(app), {one.endpoint.__name__: one for one in router.routes if isinstance(one, LazyRoute)}


def _made(route: APIRoute) -> bool:
    return "dependant" in vars(route)


def test_a_route_is_made_when_it_is_asked_for_and_no_other_with_it() -> None:
    client, routes = _app()
    assert client.get("/nothing").status_code == 404
    assert not any(map(_made, routes.values()))

    assert client.get("/wishes/7").json() == {"text": "7"}
    assert client.get("/wishes/seven").status_code == 422
    assert [name for name, route in routes.items() if _made(route)] == ["wished"]

    assert client.post("/wishes", json={"text": "rain"}).json() == {"text": "rain"}
    assert client.post("/wishes", json={}).status_code == 422
    assert client.put("/wishes").status_code == 405
