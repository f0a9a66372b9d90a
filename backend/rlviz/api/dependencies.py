"""FastAPI dependencies: how routers get the services."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from rlviz.services.application import Application


def _application(request: Request) -> Application:
    application: Application = request.app.state.application
    return application


App = Annotated[Application, Depends(_application)]
