"""A stream that is cut and resumed many times."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable

from tests.support.event_streams import Event, is_kind, streaming
from tests.support.live_streams import runs, seqs_of, service
from tests.support.run_folders import LiveRun
from tests.support.service_process import Service

__all__ = ["runs", "service"]


def in_background(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


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
    """Return how a client reconnects: by header, like EventSource, or by query, like a new one."""
    if cursor is None:
        return "", {}
    if chance.random() < 0.5:
        return f"?last_event_id={cursor}", {}
    # A browser keeps the address it was made with: an old cursor in the query beside the new one in the header.
    return "?last_event_id=cut:0&since=0", {"last_event_id": cursor}


def test_a_stream_at_200_rows_a_second_sends_every_row_in_at_most_four_events_a_second(
    service: Service, runs: dict[str, LiveRun]
) -> None:
    run, count = runs["fast"], 1_000

    def work() -> None:
        for _ in range(count):
            run.row()
            time.sleep(0.005)
        run.finish()

    began = time.monotonic()
    with streaming(service, f"/runs/{run.run_id}/stream") as stream:
        worker = in_background(work)
        events = stream.until(is_kind("end"))
        worker.join()
    batches = [event for event in events if event.kind == "metrics"]
    assert seqs_of(events) == list(range(1, count + 1))
    assert len(batches) > 4
    assert len(batches) <= 4 * (batches[-1].at - began) + 1, "however late some of them came through"
