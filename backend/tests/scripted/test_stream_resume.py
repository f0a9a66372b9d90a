"""Start, resume and end of streams."""

from __future__ import annotations

from typing import Any

import orjson

from tests.support.event_streams import is_kind, streaming
from tests.support.service_process import Service

ENDED = "ended-run"


def lines(service: Service, run_id: str = ENDED) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in service.folder(run_id).metrics_path.read_bytes().splitlines()]


def offsets(service: Service) -> list[int]:
    """Return the offset of each line, and that of the end."""
    ends = [0]
    for line in service.folder(ENDED).metrics_path.read_bytes().splitlines(keepends=True):
        ends.append(ends[-1] + len(line))
    return ends


def rows_after(service: Service, path: str, **headers: str) -> list[int]:
    """Return the sequence numbers of all rows that a stream of the ended run sends."""
    with streaming(service, path, **headers) as stream:
        events = stream.until(is_kind("end"))
    return [seq for event in events if event.kind == "metrics" for seq in event.seqs]


def test_a_stream_is_never_cached_or_transformed(service: Service) -> None:
    with streaming(service, f"/runs/{ENDED}/stream") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        assert stream.headers["cache-control"] == "no-store, no-transform"
        assert stream.headers["x-accel-buffering"] == "no"


def test_a_stream_of_an_ended_run_sends_all_rows_and_its_end_and_closes(service: Service) -> None:
    with streaming(service, f"/runs/{ENDED}/stream") as stream:
        events = list(stream)
    assert [event.kind for event in events] == ["status", "metrics", "end"]
    assert events[0].data["run"] == {key: service.get(f"/runs/{ENDED}")[key] for key in events[0].data["run"]}
    assert events[1].data == {"run_id": ENDED, "rows": lines(service)}
    assert events[2].data == {"run_id": ENDED, "status": "completed"}
    assert [event.id is not None for event in events] == [False, True, False]


def test_a_cursor_resumes_at_the_row_after_the_last_received_one(service: Service) -> None:
    for seq in (0, 1, 50, 99, 100):
        cursor = f"{ENDED}:{offsets(service)[seq]}"
        expected = list(range(seq + 1, 101))
        assert rows_after(service, f"/runs/{ENDED}/stream", last_event_id=cursor) == expected
        assert rows_after(service, f"/runs/{ENDED}/stream?last_event_id={cursor}") == expected
        assert rows_after(service, f"/stream?runs={ENDED}", last_event_id=cursor) == expected


def test_the_header_overrides_the_query_and_a_cursor_overrides_a_time(service: Service) -> None:
    ends = offsets(service)
    path = f"/runs/{ENDED}/stream?last_event_id={ENDED}:{ends[10]}&since=0"
    assert rows_after(service, path, last_event_id=f"{ENDED}:{ends[90]}") == list(range(91, 101))
    assert rows_after(service, path) == list(range(11, 101))


def test_a_time_selects_the_first_later_row(service: Service) -> None:
    rows = lines(service)
    since = rows[49]["time"]
    expected = [row["seq"] for row in rows if row["time"] > since]
    assert rows_after(service, f"/runs/{ENDED}/stream?since={since}") == expected
    assert rows_after(service, f"/runs/{ENDED}/stream?since={rows[-1]['time']}") == []
    assert rows_after(service, f"/runs/{ENDED}/stream?since=0") == list(range(1, 101))


def test_a_stream_from_the_cursor_of_the_metrics_sends_exactly_the_rest(service: Service) -> None:
    run = service.create()
    folder = service.folder(run["id"])
    whole = service.folder(ENDED).metrics_path.read_bytes().splitlines(keepends=True)
    folder.metrics_path.write_bytes(b"".join(whole[:60]) + whole[60][:20])
    tail = service.get(f"/runs/{run['id']}/metrics/rows?tail=5")
    curves = service.get(f"/runs/{run['id']}/metrics/curves")
    assert [row["seq"] for row in tail["rows"]] == [56, 57, 58, 59, 60]
    assert curves["series"]["episode/reward"]["count"] == 60
    assert tail["cursor"] == curves["cursor"]
    with folder.metrics_path.open("ab") as file:
        file.write(whole[60][20:] + b"".join(whole[61:]))
    with streaming(service, f"/runs/{run['id']}/stream", last_event_id=tail["cursor"]) as stream:
        assert stream.until(is_kind("metrics"))[-1].seqs == list(range(61, 101))
    assert service.get(f"/runs/{run['id']}/metrics/curves")["series"]["episode/reward"]["count"] == 100


def test_a_stream_of_a_run_deleted_meanwhile_ends_with_deleted(service: Service) -> None:
    run = service.create()
    with streaming(service, f"/runs/{run['id']}/stream") as stream:
        stream.until(is_kind("status"))
        assert service.api("DELETE", f"/runs/{run['id']}").status_code == 204
        events = list(stream)
    assert [(event.kind, event.data) for event in events] == [("end", {"run_id": run["id"], "status": "deleted"})]


def test_a_head_request_opens_no_stream(service: Service) -> None:
    assert service.api("HEAD", f"/runs/{ENDED}/stream").status_code == 405
