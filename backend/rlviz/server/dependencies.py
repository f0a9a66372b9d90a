"""FastAPI dependencies: how a router receives the services that it needs."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Annotated, Any, TypeVar

from fastapi import Depends
from starlette.requests import HTTPConnection

from rlviz.server.lanes import Lanes

Service = TypeVar("Service")


def provided(kind: type[Service]) -> Callable[[HTTPConnection], Coroutine[Any, Any, Service]]:
    """Return a dependency that provides the service of class ``kind``, which ``rlviz.server.wiring`` has created."""

    async def find(connection: HTTPConnection) -> Service:
        service: Service = connection.app.state.application.service(kind)
        return service

    return find


async def _lanes(connection: HTTPConnection) -> Lanes:
    lanes: Lanes = connection.app.state.lanes
    return lanes


ApiLanes = Annotated[Lanes, Depends(_lanes)]
