"""FastAPI dependencies: how routers get the services."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from rlviz.server.application import Application
from rlviz.server.lanes import Lanes


async def _application(request: Request) -> Application:
    application: Application = request.app.state.application
    return application


async def _lanes(request: Request) -> Lanes:
    lanes: Lanes = request.app.state.lanes
    return lanes


App = Annotated[Application, Depends(_application)]

ApiLanes = Annotated[Lanes, Depends(_lanes)]
