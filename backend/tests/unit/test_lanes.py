"""Lanes: slow requests wait only for requests of their own kind."""

from __future__ import annotations

import asyncio
import inspect
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from threading import Event, Lock
from typing import Any

import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send

from rlviz.domain.errors import AnalyticsBusy, RunNotFound
from rlviz.server.app import create_api
from rlviz.server.lanes import Lane, Lanes
from rlviz.server.router import LaneRoute

BURST = 12
THREADS = 40
"""Of the pool that endpoints share: AnyIO's default."""

QUICK = {
    *(
        "health",
        "list_algorithms",
        "list_settings",
        "patch_settings",
        "get_still",
        "list_metric_definitions",
        "get_limits",
    ),
    *("get_run", "patch_run", "stop_run", "get_config", "pause_run", "take_snapshot", "stop_experiment"),
    *("list_sinks", "get_sinks", "put_sink", "delete_sink", "deliver_to_sink", "list_tags", "list_trash"),
    *("list_own_presets", "get_measured_curve", "get_measuring_specification", "delete_own_preset"),
    *("explorer", "script", "style"),
}
"""Endpoints that read the catalogue, or a small file, and so may share the threads without waiting for a turn."""


class Work:
    """An app whose requests end when the test says so; it records the requests it received."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.may_respond = asyncio.Event()
        self.may_end = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.begun.append(scope["number"])
        await self.may_respond.wait()
        if scope["fails"]:
            raise KeyError(scope["number"])
        await send({"type": "http.response.start", "status": 200})
        await self.may_end.wait()


class Visitor:
    """A request and its client."""

    def __init__(self, lanes: Lanes, lane: Lane, work: Work, number: int, *, fails: bool = False) -> None:
        self._lanes, self._lane, self._work = lanes, lane, work
        self._scope = {"type": "http", "number": number, "fails": fails}
        self._sent: asyncio.Queue[Message] = asyncio.Queue()
        self._sent.put_nowait({"type": "http.request", "body": b"asked"})
        self.task = asyncio.create_task(self._visit())

    def leave(self) -> None:
        self._sent.put_nowait({"type": "http.disconnect"})

    async def _visit(self) -> None:
        async def send(_message: Message) -> None: ...

        with suppress(KeyError):
            await self._lanes.handle(self._lane, self._work, self._scope, self._sent.get, send)


async def settled() -> None:
    for _ in range(30):
        await asyncio.sleep(0)


def in_loop(check: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        await asyncio.wait_for(check(), 60)
        for task in asyncio.all_tasks() - {asyncio.current_task()}:  # type: ignore[arg-type]
            task.cancel()

    asyncio.run(run())


def test_all_lanes_together_leave_threads_for_quick_requests() -> None:
    assert sum(lane.at_once for lane in Lane if lane is not Lane.STREAMS) <= THREADS - 12


def test_every_endpoint_that_uses_a_thread_waits_in_a_lane_or_is_known_to_be_quick() -> None:
    api = create_api()
    api.openapi()
    routes = [route for route in api.routes if isinstance(route, LaneRoute)]
    without = {route.endpoint.__name__ for route in routes if route.lane is None}
    blocking = {route.endpoint.__name__ for route in routes if not inspect.iscoroutinefunction(route.endpoint)}
    assert len(blocking) > 80
    assert blocking & without - QUICK == set(), "give these a lane: `Router(lane=…)` or `in_lane`"


@pytest.mark.parametrize("lane", Lane)
def test_a_burst_is_limited_to_a_few_simultaneous_requests_and_delays_no_other_lane(lane: Lane) -> None:
    async def check() -> None:
        lanes, work, others = Lanes(), Work(), Work()
        burst = [Visitor(lanes, lane, work, number) for number in range(BURST)]
        for other in set(Lane) - {lane}:
            Visitor(lanes, other, others, other.at_once)
        await settled()
        assert work.begun == list(range(lane.at_once))
        assert lanes.waiting[lane] == BURST - lane.at_once
        assert len(others.begun) == len(Lane) - 1
        work.may_respond.set()
        work.may_end.set()
        await asyncio.gather(*(visitor.task for visitor in burst))
        assert work.begun == list(range(BURST)), "in the order in which they came"
        assert lanes.waiting[lane] == 0

    in_loop(check)


@pytest.mark.parametrize("fails", [False, True])
def test_the_next_request_starts_when_a_response_starts_or_fails(fails: bool) -> None:
    async def check() -> None:
        lanes, work = Lanes(), Work()
        for number in range(BURST):
            Visitor(lanes, Lane.EXPORTS, work, number, fails=fails)
        work.may_respond.set()
        await settled()
        assert len(work.begun) == BURST

    in_loop(check)


def test_a_request_of_a_disconnected_client_is_never_handled() -> None:
    async def check() -> None:
        lanes, work = Lanes(), Work()
        visitors = [Visitor(lanes, Lane.CHECKS, work, number) for number in range(6)]
        await settled()
        for visitor in visitors[2:5]:
            visitor.leave()
        await settled()
        assert lanes.waiting[Lane.CHECKS] == 1
        work.may_respond.set()
        await settled()
        assert work.begun == [0, 1, 5]

    in_loop(check)


def test_a_request_that_waited_still_has_its_body() -> None:
    async def check() -> None:
        lanes, work, bodies = Lanes(), Work(), []

        async def reading(_scope: Scope, receive: Receive, _send: Send) -> None:
            bodies.append((await receive())["body"])

        for number in range(Lane.CHECKS.at_once):
            Visitor(lanes, Lane.CHECKS, work, number)
        waiting = Visitor(lanes, Lane.CHECKS, reading, 9)  # type: ignore[arg-type]
        await settled()
        assert bodies == []
        work.may_respond.set()
        await waiting.task
        assert bodies == [b"asked"]

    in_loop(check)


def test_a_query_that_waits_too_long_is_refused_as_busy() -> None:
    async def check() -> None:
        lanes, work = Lanes(query_seconds=0.0), Work()
        visitors = [Visitor(lanes, Lane.QUERIES, work, number) for number in range(3)]
        with pytest.raises(AnalyticsBusy):
            await visitors[2].task
        assert lanes.waiting[Lane.QUERIES] == 0

    in_loop(check)


@pytest.mark.parametrize("seed", range(20))
def test_no_slot_is_lost_when_clients_disconnect_and_tasks_are_cancelled(seed: int) -> None:
    async def check() -> None:
        chance = random.Random(seed)
        lanes, work = Lanes(query_seconds=0.001), Work()
        work.may_respond.set()
        visitors: list[Visitor] = []
        for number in range(200):
            fate = chance.random()
            visitor = Visitor(lanes, Lane.QUERIES, work, number, fails=fate < 0.2)
            visitors.append(visitor)
            for _ in range(chance.randrange(4)):
                await asyncio.sleep(0)
            someone = chance.choice(visitors)
            if fate > 0.7:
                someone.task.cancel()
            elif fate > 0.4:
                someone.leave()
        work.may_end.set()
        await asyncio.gather(*(visitor.task for visitor in visitors), return_exceptions=True)
        again = Work()
        for number in range(Lane.QUERIES.at_once + 1):
            Visitor(lanes, Lane.QUERIES, again, number)
        await settled()
        assert again.begun == list(range(Lane.QUERIES.at_once))

    in_loop(check)


class Stuck:
    """Stands in for the application and its services: each service call returns when the test lets it."""

    def __init__(self) -> None:
        self.may_end, self.begun, self._lock = Event(), 0, Lock()

    def service(self, _kind: type) -> Stuck:
        return self

    def __getattr__(self, _name: str) -> Stuck:
        return self

    def __call__(self, *_given: Any, **_options: Any) -> Any:
        with self._lock:
            self.begun += 1
        self.may_end.wait(60)
        raise RunNotFound("a-run")


@pytest.mark.parametrize(
    ("lane", "method", "path"),
    [
        (Lane.QUERIES, "POST", "/analytics/query"),
        (Lane.EXPORTS, "GET", "/runs/a-run/bundle"),
        (Lane.COMPARISONS, "GET", "/compare?runs=a-run,b-run"),
        (Lane.CURVES, "GET", "/runs/a-run/metrics/curves"),
        (Lane.READS, "GET", "/runs/a-run/anatomy"),
        (Lane.CHECKS, "POST", "/runs/a-run/snapshots/x/verify"),
        (Lane.CHANGES, "DELETE", "/runs/a-run"),
    ],
    ids=lambda value: value.title if isinstance(value, Lane) else None,
)
def test_more_slow_requests_than_threads_delay_no_quick_one(lane: Lane, method: str, path: str) -> None:
    async def check() -> None:
        stuck = Stuck()
        api = create_api(stuck)  # type: ignore[arg-type]
        transport = httpx.ASGITransport(api)
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            body = {"sql": "SELECT 1"} if method == "POST" and "query" in path else None
            slow = [asyncio.create_task(client.request(method, path, json=body)) for _ in range(THREADS + 5)]
            while api.state.lanes.waiting[lane] < THREADS + 5 - lane.at_once or stuck.begun < lane.at_once:
                await asyncio.sleep(0.01)
            quick = await client.get("/limits")
            assert quick.status_code == 200
            assert stuck.begun == lane.at_once
            stuck.may_end.set()
            answers = await asyncio.gather(*slow)
            assert {answer.status_code for answer in answers} == {404}

    in_loop(check)
