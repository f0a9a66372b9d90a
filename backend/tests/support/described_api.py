"""The OpenAPI document of the app."""

from __future__ import annotations

from functools import cache
from typing import Any

from rlviz.server.app import create_api


@cache
def described_api() -> dict[str, Any]:
    """The OpenAPI document, to be read only: describing every operation takes seconds, and is done once a process."""
    return create_api().openapi()
