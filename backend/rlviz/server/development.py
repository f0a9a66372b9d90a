"""Provide the app for ``uvicorn --factory --reload``, which imports it by name."""

from __future__ import annotations

from starlette.applications import Starlette

from rlviz.server.app import create_app
from rlviz.server.application import Application
from rlviz.settings import read_settings


def app() -> Starlette:
    return create_app(Application(read_settings()))
