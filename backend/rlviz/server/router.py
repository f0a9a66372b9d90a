"""Router: the routes of one module of ``routers/``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from threading import Lock, RLock
from typing import Any
from warnings import catch_warnings, simplefilter

from fastapi import APIRouter
from fastapi.routing import APIRoute
from pydantic.warnings import UnsupportedFieldAttributeWarning
from starlette._utils import get_route_path
from starlette.routing import BaseRoute, Match, compile_path
from starlette.types import Receive, Scope, Send

from rlviz.importing import without_collection
from rlviz.server.lanes import Lane, lane_of

_MAKING = RLock()


class LazyRoute(APIRoute):
    """A route that is made when it is first asked for more than whether it matches.

    To make one, FastAPI builds a validator for everything that the endpoint takes and answers. For all of them that was
    a tenth of the time in which the service starts.
    """

    def __init__(self, path: str, endpoint: Callable[..., Any], *, methods: list[str], **options: Any) -> None:
        self.lane: Lane | None = None
        self._make = partial(super().__init__, path, endpoint, methods=methods, **options)
        self.path, self.endpoint, self.methods = path, endpoint, set(methods)
        self.path_regex, self.path_format, self.param_convertors = compile_path(path)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Most routes do not match, which FastAPI takes several times as long to find out."""
        if scope["type"] != "http" or self.path_regex.match(get_route_path(scope)) is None:
            return Match.NONE, {}
        return super().matches(scope)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.lane is None:
            await super().handle(scope, receive, send)
        else:
            await scope["app"].state.lanes.handle(self.lane, super().handle, scope, receive, send)

    def __getattr__(self, name: str) -> Any:
        """Called for what is not there yet."""
        with _MAKING:
            make = self.__dict__.pop("_make", None)
            if make is not None:
                make()
                self._build_body()
        if name not in self.__dict__:
            raise AttributeError(name)
        return self.__dict__[name]

    def _build_body(self) -> None:
        """Build the validator of the body, which otherwise waits for the first request if it is a ``LazyModel``.

        Pydantic then warns of how FastAPI describes it, and FastAPI silences that only while it makes the route.
        """
        if self.body_field is not None:
            with catch_warnings():
                simplefilter("ignore", UnsupportedFieldAttributeWarning)
                self.body_field.validate(None)


class LaterRoutes(BaseRoute):
    """The routes of modules of ``rlviz.server.routers`` that are imported by ``load``, or with the first request that may
    be for one of them. It stands in the list of ``router`` and adds them to its end."""

    def __init__(self, router: APIRouter, modules: Sequence[str]) -> None:
        self._router, self._modules = router, modules
        self._loading, self._is_loaded = Lock(), False

    def load(self) -> None:
        with self._loading:
            if not self._is_loaded:
                with without_collection():
                    modules = [import_module(f"rlviz.server.routers.{name}") for name in self._modules]
                self._router.routes += [route for module in modules for route in module.router.routes]
                self._is_loaded = True

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """None itself: the router goes on to those that it adds."""
        self.load()
        return Match.NONE, {}


class Router(APIRouter):
    """A router whose routes are called in the OpenAPI document as their functions are.

    The app takes its ``routes`` as they are. ``include_router`` would make each of them a second time, while the first
    requests wait: 0.3 s in all.
    """

    def __init__(self, *, tag: str, prefix: str = "", lane: Lane | None = None) -> None:
        """``lane``: in which its endpoints wait, unless ``in_lane`` gives them another; None: they are quick, or
        asynchronous."""
        super().__init__(prefix=prefix, tags=[tag], route_class=LazyRoute, generate_unique_id_function=_name)
        self._lane = lane

    def add_api_route(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().add_api_route(path, endpoint, **options)
        route = self.routes[-1]
        assert isinstance(route, LazyRoute)
        route.lane = lane_of(endpoint, self._lane)


def _name(route: APIRoute) -> str:
    return route.name
