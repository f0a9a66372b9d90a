"""Keepalives, slow clients, and streams when the service exits."""

from __future__ import annotations

import http.client
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.support.event_streams import Stream, is_kind, streaming
from tests.support.run_folders import make_run
from tests.support.service_process import IMPATIENT, Service, serving
from tests.support.waiting import PATIENCE, eventually

LINES = 300_000
MEGABYTE = 2**20


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service that drops a client after a second, with a run of 30 MB."""
    folder = tmp_path_factory.mktemp("impatient")
    run = make_run(folder / "runs", "long-run")
    padding = "x" * 60
    with run.metrics_path.open("w") as file:
        for seq in range(1, LINES + 1):
            file.write(f'{{"seq":{seq},"time":{seq},"step":{seq},"values":{{"{padding}":{seq}}}}}\n')
    with serving(folder, script=IMPATIENT) as service:
        yield service
        assert "Traceback" not in service.log, service.log


def test_a_quiet_stream_sends_keepalive_comments_that_are_no_events(impatient: Service) -> None:
    run = impatient.create()
    with streaming(impatient, f"/runs/{run['id']}/stream") as stream:
        events = stream.until(is_kind("status"))
        while len(stream.comments) < 3:
            events += stream.read(1_000)
    assert len(events) == 1
    assert all(comment.startswith("ping") for comment in stream.comments)


def test_a_client_that_stops_reading_is_dropped_and_reconnects_with_its_cursor(impatient: Service) -> None:
    memory = psutil.Process(impatient.process.pid).memory_info().rss
    connection = http.client.HTTPConnection("127.0.0.1", impatient.port, timeout=PATIENCE)
    connection.sock = socket.socket()
    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
    connection.sock.settimeout(PATIENCE)
    connection.sock.connect(("127.0.0.1", impatient.port))
    connection.request("GET", "/api/runs/long-run/stream")
    stream = Stream(connection, connection.getresponse())
    eventually(lambda: "was disconnected" in impatient.log, "Dropping the client")
    grown = psutil.Process(impatient.process.pid).memory_info().rss - memory
    assert grown < 25 * MEGABYTE, "The stream of 30 MB was buffered"

    received: list[int] = []
    try:
        for event in stream:
            received += event.seqs if event.kind == "metrics" else []
    except (http.client.IncompleteRead, ConnectionError):
        pass
    finally:
        connection.close()
    assert stream.bytes_read < 20 * MEGABYTE
    assert received
    assert len(received) < LINES
    assert stream.last_id is not None
    with streaming(impatient, "/runs/long-run/stream", last_event_id=stream.last_id) as second:
        first = second.until(is_kind("metrics"))[-1].seqs[0]
    assert received == list(range(1, first))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_service_that_is_asked_to_exit_closes_its_streams_and_exits_cleanly(
    tmp_path: Path, number: signal.Signals
) -> None:
    make_run(tmp_path / "runs", "open-run")
    with (
        serving(tmp_path) as service,
        streaming(service, "/runs/open-run/stream") as one,
        streaming(service, "/stream?runs=open-run") as all_,
    ):
        for stream in (one, all_):
            stream.until(is_kind("status"))
        assert service.stop(number) == 0
        for stream in (one, all_):
            with pytest.raises((http.client.IncompleteRead, AssertionError)):
                stream.until(is_kind("end"))
        assert "Traceback" not in service.log, service.log
        assert "ERROR" not in service.log, service.log
