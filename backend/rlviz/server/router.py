"""Router: an APIRouter whose routes wait in lanes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute
from pydantic.warnings import UnsupportedFieldAttributeWarning
from starlette.types import Receive, Scope, Send

from rlviz.server.lanes import Lane, lane_of


class LaneRoute(APIRoute):
    """A route whose requests wait for a turn in ``lane``; None: they do not wait."""

    lane: Lane | None = None

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, endpoint, **options)
        if self.body_field is not None:  # build a LazyModel now, since FastAPI ignores this warning only here
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UnsupportedFieldAttributeWarning)
                self.body_field.validate(None)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.lane is None:
            await super().handle(scope, receive, send)
        else:
            await scope["app"].state.lanes.handle(self.lane, super().handle, scope, receive, send)


class Router(APIRouter):
    """A router that names routes in the OpenAPI document after their functions.

    The app uses its ``routes`` directly, since ``include_router`` would create each of them a second time.
    """

    def __init__(self, *, tag: str, prefix: str = "", lane: Lane | None = None) -> None:
        """Create a router. ``lane``: where its endpoints wait, unless ``in_lane`` names another; None: they do not
        wait, because they are quick or asynchronous."""
        super().__init__(prefix=prefix, tags=[tag], route_class=LaneRoute, generate_unique_id_function=_name)
        self._lane = lane

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().add_api_route(path, endpoint, **options)
        route = self.routes[-1]
        assert isinstance(route, LaneRoute)
        route.lane = lane_of(endpoint, self._lane)


def _name(route: APIRoute) -> str:
    return route.name
