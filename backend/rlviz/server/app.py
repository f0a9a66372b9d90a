"""Create the web app: the API at /api and the front end at /."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Mount

from rlviz import __version__
from rlviz.domain.run_actions import action_table
from rlviz.domain.sessions import CLIENT_MESSAGE, SERVER_MESSAGE
from rlviz.server import pages
from rlviz.server.analytics import routes as analytics
from rlviz.server.application import Application
from rlviz.server.evaluations import routes as evaluations
from rlviz.server.exchange import routes as exchange
from rlviz.server.experiments import routes as experiments
from rlviz.server.files import SecurityHeaders
from rlviz.server.games import routes as games
from rlviz.server.lanes import Lanes
from rlviz.server.metrics import routes as metrics
from rlviz.server.pages import check_root_path, page_routes
from rlviz.server.problems import PROBLEM, Problem, answer_with_problems
from rlviz.server.proxy import ProxyHeaders, link
from rlviz.server.request_filter import AnswerCompression, RequestCounter, RequestCounts, RequestFilter
from rlviz.server.runs import routes as runs
from rlviz.server.service import routes as service
from rlviz.server.service.prometheus import prometheus_route
from rlviz.server.sessions import routes as sessions
from rlviz.server.snapshots import routes as snapshots
from rlviz.server.storage import routes as storage
from rlviz.server.stream import routes as stream
from rlviz.server.stream.models import STREAM_EVENTS
from rlviz.server.trust import routes as trust

_REF = "#/components/schemas/{model}"
_ROUTERS = (
    service.router,
    pages.router,
    runs.router,
    exchange.router,
    trust.router,
    exchange.sinks_router,
    evaluations.recording_router,
    snapshots.rules_router,
    snapshots.router,
    runs.family_router,
    runs.tags_router,
    runs.presets_router,
    evaluations.router,
    evaluations.steps_router,
    evaluations.seen_router,
    evaluations.futures_router,
    metrics.router,
    metrics.anatomy_router,
    metrics.map_router,
    evaluations.film_router,
    evaluations.value_slices_router,
    metrics.events_router,
    metrics.hints_router,
    stream.router,
    sessions.router,
    games.router,
    sessions.cells_router,
    evaluations.artifacts_router,
    metrics.compare_router,
    experiments.router,
    experiments.experiment_results_router,
    evaluations.episodes_router,
    analytics.router,
    runs.trash_router,
    storage.router,
)
"""Routers in the order of the OpenAPI document."""


def create_app(application: Application) -> Starlette:
    """Return the ASGI app, which opens and closes ``application``.

    Raises InvalidRequest if the root path in the settings starts like an address of the app.
    """
    api = create_api(application)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        application.open()
        try:
            yield
        finally:
            application.close()

    settings = application.settings
    check_root_path(settings.root_path, settings.frontend_dir)
    counts = RequestCounts()
    middleware = [
        Middleware(ProxyHeaders, settings=settings),
        Middleware(SecurityHeaders),
        Middleware(RequestCounter, counts=counts),
        Middleware(RequestFilter, settings=settings),
    ]
    if settings.cors_origins:
        cors = Middleware(
            CORSMiddleware, allow_origins=list(settings.cors_origins), allow_methods=["*"], allow_headers=["*"]
        )
        middleware.insert(-1, cors)
    routes = [Mount("/api", api), prometheus_route(application, counts), *page_routes(settings.frontend_dir)]
    app = Starlette(routes=routes, middleware=middleware, lifespan=lifespan)
    answer_with_problems(app)
    return app


def create_api(application: Application | None = None) -> FastAPI:
    """Return the API without the front end. Without ``application`` it can only produce its OpenAPI document."""
    api = FastAPI(
        title="RL Gym Visualizer",
        version=__version__,
        servers=[{"url": "/api"}],
        root_path_in_servers=False,
        redirect_slashes=False,
        docs_url=None,  # FastAPI's own page loads its scripts from other hosts
        redoc_url=None,
    )
    api.state.application = application
    api.state.lanes = Lanes()
    api.add_middleware(AnswerCompression)
    answer_with_problems(api)
    for router in _ROUTERS:
        api.router.routes += router.routes

    def openapi() -> dict[str, Any]:
        if api.openapi_schema is None:
            api.openapi_schema = _described(api)
        return {**api.openapi_schema, "servers": [{"url": link("/api")}]}

    api.openapi = openapi  # type: ignore[method-assign]
    return api


def _described(api: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI document with the schemas of problems, stream events and session messages, and without
    FastAPI's own schemas of errors. ``x-run-actions`` is the table of what can be done with a run."""
    document = get_openapi(title=api.title, version=api.version, routes=api.routes, servers=api.servers)
    schemas = document["components"]["schemas"]
    extra = [(model, "serialization") for model in (Problem, *STREAM_EVENTS.values())]
    _, definitions = models_json_schema(extra, ref_template=_REF)  # type: ignore[arg-type]
    messages = {
        "ServerMessage": SERVER_MESSAGE.json_schema(mode="serialization", ref_template=_REF),
        "ClientMessage": CLIENT_MESSAGE.json_schema(mode="validation", ref_template=_REF),
    }
    for described in (definitions, *messages.values()):
        schemas.update({name: schema for name, schema in described.pop("$defs").items() if name not in schemas})
    schemas.update(messages)
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    document["x-run-actions"] = action_table()
    for path in document["paths"].values():
        for operation in path.values():
            invalid = operation["responses"].pop("422", None)
            if invalid and _can_be_invalid(operation):
                operation["responses"]["422"] = {**invalid, "content": PROBLEM}
    return document


def _can_be_invalid(operation: dict[str, Any]) -> bool:
    """Return whether an operation can answer 422.

    FastAPI documents 422 for every endpoint with parameters, but any text is a valid path parameter, or a 404.
    """
    return "requestBody" in operation or any(
        item["in"] != "path" or item["schema"].get("type") != "string" for item in operation.get("parameters", ())
    )
