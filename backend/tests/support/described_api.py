"""The OpenAPI document of the app."""

from __future__ import annotations

from functools import cache
from typing import Any

from rlviz.server.app import create_api


@cache
def described_api() -> dict[str, Any]:
    """Return the OpenAPI document, which must not be modified. It is cached because creating it takes seconds."""
    return create_api().openapi()
