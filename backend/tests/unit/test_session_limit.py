"""A new session waits for a viewer that is just leaving, and is refused if none leaves."""

from __future__ import annotations

import asyncio
from itertools import chain, repeat
from typing import Any, cast

import pytest

from rlviz.domain.errors import TooManySessions
from rlviz.server.sessions.service import SessionService
from rlviz.settings import Settings


class Viewed:
    """A session whose viewer leaves after it was looked at ``looks`` times; it then gives up its place."""

    is_idle = False

    def __init__(self, places: dict[str, Any], looks: int) -> None:
        self._places = places
        self._answers = chain(repeat(False, looks), repeat(True))

    @property
    def is_abandoned(self) -> bool:
        return next(self._answers)

    def end(self, _cause: str) -> None:
        self._places.clear()


def make_service(limit: int, patience: float, looks: int) -> SessionService:
    unused = cast(Any, None)
    service = SessionService(Settings(max_sessions=limit), *[unused] * 6, patience=patience)
    places = cast(dict[str, Any], service._live)
    places["first"] = Viewed(places, looks)
    return service


def test_a_new_session_waits_for_a_viewer_that_is_leaving() -> None:
    service = make_service(limit=1, patience=60.0, looks=3)
    asyncio.run(service.wait_for_room())
    assert service.list() == []


def test_a_new_session_is_refused_if_nobody_leaves() -> None:
    service = make_service(limit=1, patience=0.0, looks=1_000_000)
    with pytest.raises(TooManySessions, match="1 of at most 1 sessions are active"):
        asyncio.run(service.wait_for_room())
    assert len(service.list()) == 1


def test_without_sessions_allowed_nothing_is_waited_for() -> None:
    service = make_service(limit=0, patience=1e9, looks=1_000_000)
    with pytest.raises(TooManySessions):
        asyncio.run(service.wait_for_room())
