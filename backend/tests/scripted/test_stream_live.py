"""Streams of running runs; the test acts as the worker."""

from __future__ import annotations

from collections.abc import Callable

from rlviz.domain.events import EventKind
from tests.support.event_streams import Event, is_kind, is_status, streaming
from tests.support.live_streams import runs, seqs_of, service
from tests.support.run_folders import LiveRun
from tests.support.service_process import Service

__all__ = ["runs", "service"]


def test_one_connection_streams_two_runs_with_one_cursor_and_the_status_of_a_third(
    service: Service, runs: dict[str, LiveRun]
) -> None:
    first, second = runs["first"], runs["second"]
    path = f"/stream?runs={first.run_id},{second.run_id}"
    with streaming(service, path) as stream:
        assert {event.data["run"]["id"] for event in stream.until(two("status"))} == {"first", "second"}
        first.row()
        second.row()
        events = stream.until(two("metrics"))
        assert {event.data["run_id"] for event in events if event.kind == "metrics"} == {"first", "second"}
        third = service.create(name="A third run")
        stream.until(lambda event: event.kind == "status" and event.data["run"]["id"] == third["id"])
        service.api("DELETE", f"/runs/{third['id']}")
        end = stream.until(is_kind("end"))[-1]
        assert end.data == {"run_id": third["id"], "status": "deleted"}
        cursor = stream.last_id
    assert cursor is not None
    first.row()
    second.row()
    second.row()
    with streaming(service, path, last_event_id=cursor) as stream:
        events = stream.until(two("metrics"))
    found = {event.data["run_id"]: event.seqs for event in events if event.kind == "metrics"}
    assert found == {"first": [2], "second": [2, 3]}


def two(kind: str) -> Callable[[Event], bool]:
    """Return a function that accepts the second event of ``kind``."""
    seen: list[Event] = []

    def found(event: Event) -> bool:
        seen.extend([event] if event.kind == kind else [])
        return len(seen) == 2

    return found


def test_a_torn_last_line_is_delivered_only_when_it_is_complete(service: Service, runs: dict[str, LiveRun]) -> None:
    run = runs["torn"]
    with streaming(service, f"/runs/{run.run_id}/stream") as stream:
        run.row()
        stream.until(is_kind("metrics"))
        line = b'{"seq":2,"time":1763689392.0,"step":1,"values":{"episode/reward":2.0}}\n'
        with run.folder.metrics_path.open("ab", buffering=0) as file:
            file.write(line[:30])
            run.event(EventKind.WARNING, message="The torn line has been looked at.")
            events = stream.until(lambda event: event.kind == "status" and event.data["run"]["warnings"] == 1)
            assert seqs_of(events) == []
            file.write(line[30:])
        assert stream.until(is_kind("metrics"))[-1].data["rows"][0]["values"] == {"episode/reward": 2.0}


def test_a_broken_line_in_the_middle_is_skipped_and_reported(service: Service, runs: dict[str, LiveRun]) -> None:
    run = runs["broken"]
    with streaming(service, f"/runs/{run.run_id}/stream") as stream:
        run.row()
        broken_at = run.folder.metrics_path.stat().st_size
        with run.folder.metrics_path.open("ab", buffering=0) as file:
            file.write(b'{"seq":2,"time":17636\n')
        run.row()
        run.finish()
        events = stream.until(is_kind("end"))
    assert [row["values"] for event in events if event.kind == "metrics" for row in event.data["rows"]] == [
        {"episode/reward": 1.0}
    ] * 2
    last = [event.data["run"] for event in events if event.kind == "status"][-1]
    assert last["warnings"] == 1
    assert f"metrics.jsonl: the line at byte {broken_at} " in last["last_warning"]


def test_a_run_whose_worker_dies_ends_as_interrupted_with_a_cause(service: Service, runs: dict[str, LiveRun]) -> None:
    run = runs["killed"]
    with streaming(service, f"/runs/{run.run_id}/stream") as stream:
        run.row()
        stream.until(is_kind("metrics"))
        run.row()
        run.close()
        events = stream.until(is_kind("end"))
    assert seqs_of(events) == [2]
    assert events[-1].data == {"run_id": run.run_id, "status": "interrupted"}
    assert next(event for event in events if is_status("interrupted")(event)).data["run"]["cause"]
