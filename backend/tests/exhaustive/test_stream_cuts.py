"""A stream that is cut and resumed many times."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from tests.support.event_streams import Event, is_kind, streaming
from tests.support.run_folders import LiveRun
from tests.support.service_process import Service, serving

RUNS = ("fast", "cut", "first", "second", "torn", "broken", "killed")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, LiveRun]]:
    """One run under way for each test, by name."""
    root = tmp_path_factory.mktemp("live") / "runs"
    live = {name: LiveRun(root, name) for name in RUNS}
    yield live
    for run in live.values():
        run.close()


@pytest.fixture(scope="module")
def service(runs: dict[str, LiveRun]) -> Iterator[Service]:
    """A service that finds those runs with their workers alive."""
    with serving(runs["fast"].folder.path.parents[1], launcher="scripted") as service:
        yield service
        assert "Traceback" not in service.log, service.log


def in_background(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def seqs_of(events: list[Event]) -> list[int]:
    return [seq for event in events if event.kind == "metrics" for seq in event.seqs]


def test_a_stream_cut_and_resumed_50_times_delivers_every_line_exactly_once(
    service: Service, runs: dict[str, LiveRun]
) -> None:
    run, chance = runs["cut"], random.Random(50)
    received: list[Event] = []
    enough = threading.Event()

    def work() -> None:
        written = 0
        while not enough.is_set():
            # Not far ahead of the stream: an event longer than what is read before a cut would never be received.
            if written - len(seqs_of(received)) < 100:
                for _ in range(chance.randrange(1, 30)):
                    written = run.row(padding=chance.random())
            time.sleep(0.02)
        run.finish()

    cursor, cuts, cut_in_an_event = None, 0, 0
    worker = in_background(work)
    try:
        # How much is written between two cuts depends on the machine: beyond 50 it goes on until it has seen enough.
        while cuts < 50 or cut_in_an_event <= 10 or len(seqs_of(received)) <= 500:
            query, header = resume(cursor, chance)
            with streaming(service, f"/runs/{run.run_id}/stream{query}", **header) as stream:
                left = chance.randrange(1, 30_000)
                while left > 0:
                    before = stream.bytes_read
                    received.extend(stream.read(min(left, chance.randrange(1, 4_000))))
                    left -= stream.bytes_read - before
                cursor = stream.last_id or cursor
                cut_in_an_event += stream.is_inside_an_event
            cuts += 1
    finally:
        enough.set()
        worker.join()
    query, header = resume(cursor, chance)
    with streaming(service, f"/runs/{run.run_id}/stream{query}", **header) as stream:
        received.extend(stream.until(is_kind("end")))
    written = len(run.folder.metrics_path.read_bytes().splitlines())
    assert seqs_of(received) == list(range(1, written + 1))


def resume(cursor: str | None, chance: random.Random) -> tuple[str, dict[str, str]]:
    """How a client comes back: by header, as EventSource does, or by query, as a new one must."""
    if cursor is None:
        return "", {}
    if chance.random() < 0.5:
        return f"?last_event_id={cursor}", {}
    # A browser keeps the address it was made with: an old cursor in the query beside the new one in the header.
    return "?last_event_id=cut:0&since=0", {"last_event_id": cursor}
