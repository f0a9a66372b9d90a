"""FastAPI dependencies: how routers get the services."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from rlviz.api.lanes import Lanes
from rlviz.services.application import Application


async def _application(request: Request) -> Application:
    application: Application = request.app.state.application
    return application


async def _lanes(request: Request) -> Lanes:
    lanes: Lanes = request.app.state.lanes
    return lanes


App = Annotated[Application, Depends(_application)]

ApiLanes = Annotated[Lanes, Depends(_lanes)]
