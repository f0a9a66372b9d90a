"""Viewers of a session that read slowly, read nothing or send continuously."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread
from typing import Any

import psutil
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from rlviz.domain.sessions import StepMessage
from tests.support.faults import workers_of
from tests.support.service_process import Service, serving
from tests.support.sessions import Viewer, looking, new_session
from tests.support.waiting import PATIENCE, eventually

pytestmark = pytest.mark.faults

MEGABYTE = 1_000_000

GIVES_UP_AFTER = """
import logging
from functools import partial

import uvicorn

uvicorn.Config = partial(uvicorn.Config, ws_ping_interval=None)

from rlviz.server.sessions import routes
from rlviz.server.serve import serve
from rlviz.server.application import Application
from rlviz.settings import read_settings

logging.basicConfig(level=logging.INFO)
routes.SEND_SECONDS = {seconds}
raise SystemExit(serve(Application(read_settings())))
"""
"""A service that disconnects a viewer that reads nothing after exactly this many seconds. A viewer that does not read
answers no ping."""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with enough patience for a busy machine: here a viewer reads late, but stays connected."""
    with serving(tmp_path_factory.mktemp("viewers"), script=GIVES_UP_AFTER.format(seconds=PATIENCE)) as service:
        yield service


@contextmanager
def looking_away(service: Service, **wishes: Any) -> Iterator[Viewer]:
    """Yield a viewer that does not read. Its machine buffers only a few kilobytes and two messages."""
    session = new_session(service, **wishes)
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    narrow.connect(("127.0.0.1", service.port))
    address = f"ws://127.0.0.1:{service.port}{session['socket']}"
    with connect(
        address, sock=narrow, max_size=None, max_queue=2, open_timeout=PATIENCE, close_timeout=1, ping_interval=None
    ) as connection:
        yield Viewer(connection)


def settled(*processes: psutil.Process) -> bool:
    """Return whether all are idle: half a second with almost no processor time and no waiting thread."""
    spent = [_seconds(process) for process in processes]
    for _ in range(10):
        time.sleep(0.05)
        if any(_is_runnable(process) for process in processes):
            return False
    return all(_seconds(process) - before < 0.025 for process, before in zip(processes, spent, strict=True))


def _seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def _is_runnable(process: psutil.Process) -> bool:
    return any(_state(stat) == "R" for stat in Path(f"/proc/{process.pid}/task").glob("*/stat"))


def _state(stat: Path) -> str | None:
    """Return the state of a thread, or None if it has ended."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return stat.read_text().rpartition(")")[2].split()[0]
    return None


def memory(service: Service) -> int:
    return psutil.Process(service.process.pid).memory_info().rss


def test_a_slow_viewer_gets_every_step_and_only_the_newest_frames(service: Service) -> None:
    steps = 1_000
    with looking_away(service, mode="step", env_id="Pendulum-v1") as viewer:
        viewer.step()
        before = memory(service)
        viewer.send(type="step", n=steps)
        [worker] = eventually(lambda: len(found := workers_of(service, "--session")) == 1 and found, "its worker alone")
        server = psutil.Process(service.process.pid)
        eventually(lambda: settled(server, worker), "all that is wanted to be played, unread")
        assert memory(service) - before < 40 * MEGABYTE
        first = len(viewer.messages)
        viewer.step(lambda record: len(_records(viewer, first)) == steps)
        records = [message.record for message in _records(viewer, first)]
        places = [(record.episode, record.index) for record in records]
        assert places == sorted(set(places)), "in order, each once"
        assert sum(record.index == 0 for record in records) == records[-1].episode
        assert all(later.index in (0, earlier.index + 1) for earlier, later in pairwise(records))
        framed = [message.frame_follows for message in _records(viewer, first)]
        assert framed[-1], "the newest state is shown"
        assert not all(framed), "what nobody read was not kept"


def _records(viewer: Viewer, first: int) -> list[StepMessage]:
    return [message for message in viewer.messages[first:] if isinstance(message, StepMessage)]


def test_a_viewer_that_reads_nothing_is_disconnected_and_delays_no_other(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("impatient")
    soon = GIVES_UP_AFTER.format(seconds=2.0)
    with serving(folder, script=soon) as service, looking(service, env_id="CartPole-v1") as other:
        other.step()
        before = memory(service)
        with looking_away(service, env_id="LunarLander-v3") as deaf:
            deaf.step()
            deaf.send(type="rate", fps=60)

            def gone() -> bool:
                other.step()  # it goes on all the while
                assert service.api("GET", "/health").status_code == 200
                return len(service.get("/sessions")) == 1

            eventually(gone, "the end of a session that nobody reads")
            assert memory(service) - before < 60 * MEGABYTE
        eventually(lambda: len(workers_of(service, "--session")) == 1, "the end of its worker")
        assert other.step()


def test_a_viewer_that_sends_without_pause_is_answered_and_stays_connected(service: Service) -> None:
    with looking(service, env_id="CartPole-v1") as other, looking(service, env_id="CartPole-v1") as loud:
        other.step()
        loud.step()
        before, quiet = memory(service), Event()
        talking = Thread(target=_talk, args=(loud, quiet))
        talking.start()
        try:
            for _ in range(3):
                reached, heard = other.step(), loud.step()
                assert other.step(lambda record, reached=reached: _place(record) > _place(reached))
                assert loud.step(lambda record, heard=heard: _place(record) > _place(heard)), "no step is put off"
                assert service.api("GET", "/health").status_code == 200
        finally:
            quiet.set()
            talking.join()
        assert memory(service) - before < 60 * MEGABYTE
        assert other.step()


def _place(record: Any) -> tuple[int, int]:
    return record.episode, record.index


def _talk(viewer: Viewer, quiet: Event) -> None:
    """Send messages, half of them valid."""
    sensible, other = json.dumps({"type": "rate", "fps": 15}), json.dumps({"type": "sing"})
    with suppress(ConnectionClosed):
        while not quiet.is_set():
            viewer.socket.send(sensible)
            viewer.socket.send(other)


def test_a_viewer_that_sends_without_reading_costs_no_memory(service: Service) -> None:
    with looking(service, env_id="CartPole-v1") as other:
        other.step()
        before = memory(service)
        with looking_away(service, env_id="CartPole-v1") as deaf:
            deaf.step()
            quiet = Event()
            talking = Thread(target=_talk, args=(deaf, quiet))
            talking.start()
            reached = other.step()
            eventually(
                lambda: other.step().index > reached.index + 45 or other.step().episode > reached.episode + 1, "time"
            )
            assert memory(service) - before < 60 * MEGABYTE
            assert service.api("GET", "/health").status_code == 200
            quiet.set()
            deaf.socket.close_socket()
            talking.join(PATIENCE)
    eventually(lambda: not workers_of(service, "--session") and service.get("/sessions") == [], "the end of everybody")
