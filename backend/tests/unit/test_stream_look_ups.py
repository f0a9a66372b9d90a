"""Lookups that all streams share, cached until a change."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import NoReturn

import pytest

from rlviz.server.stream.run_stream import EvaluationEvent, StatusEvent, StreamRequest
from tests.support.streams import World


def test_a_failed_lookup_is_not_cached(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def locked() -> NoReturn:
        raise sqlite3.OperationalError("database is locked")

    async def check() -> None:
        world.run("a")
        with monkeypatch.context() as patch:
            patch.setattr(world.database, "read", locked)
            with pytest.raises(sqlite3.OperationalError):
                await world.service.open(StreamRequest(["a"]))
        await world.service.open(StreamRequest(["a"]))

    asyncio.run(check())


def test_runs_are_looked_up_once_for_all_streams_until_they_change(world: World) -> None:
    async def check() -> None:
        world.run("a")
        async with world.stream("a") as one, world.stream("a") as other:
            assert await one() is await other()
            world.change("a", name="Renamed")
            assert await one() is (changed := await other())
            assert isinstance(changed, StatusEvent)
            assert changed.run.name == "Renamed"

    asyncio.run(check())


def test_evaluations_are_looked_up_once_for_all_streams_until_they_change(world: World) -> None:
    async def told() -> EvaluationEvent:
        async with world.stream("a") as following:
            assert isinstance(await following(), StatusEvent)
            event = await following()
        assert isinstance(event, EvaluationEvent)
        return event

    async def check() -> None:
        world.run("a")
        world.evaluation("a", return_mean=1.0)
        assert (await told()).evaluation is (await told()).evaluation
        world.evaluation("a", return_mean=2.0)
        assert (await told()).evaluation.return_mean == 2.0

    asyncio.run(check())


def test_streams_share_the_lookup_for_one_change_and_repeat_it_for_the_next(world: World) -> None:
    async def check() -> None:
        world.run("a")
        async with world.stream("a") as one, world.stream("a", whole_list=True) as other:
            for stream in (one, other):
                await stream()
            told = []
            for step in (1, 2):
                world.change("a", step=step)
                told.append([await one(), await other()])
        for step, (first, second) in enumerate(told, 1):
            assert isinstance(first, StatusEvent)
            assert first.run.step == step
            assert first is second

    asyncio.run(check())
