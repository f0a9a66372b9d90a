"""A service killed at random moments loses nothing that was written."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.support.event_streams import streaming
from tests.support.faults import Figures, times, whole_files
from tests.support.run_folders import LiveRun
from tests.support.service_process import Service, serving

pytestmark = pytest.mark.faults


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveRun]:
    """A run that is not involved in the kills."""
    run = LiveRun(tmp_path_factory.mktemp("kills") / "runs", "other")
    yield run
    run.close()


@pytest.fixture(scope="module")
def service(other: LiveRun) -> Iterator[Service]:
    with serving(other.folder.path.parents[1], max_concurrent_runs="2") as service:
        yield service
        assert "Traceback" not in service.log


class Scribe:
    """Writes a row of a run every few milliseconds, whether the service lives or not."""

    def __init__(self, run: LiveRun) -> None:
        self._run, self._done = run, Event()
        self.last = 0
        self._thread = Thread(target=self._work)
        self._thread.start()

    def stop(self) -> int:
        """Stop writing, and return the sequence number of the last row."""
        self._done.set()
        self._thread.join()
        return self.last

    def _work(self) -> None:
        while not self._done.wait(0.005):
            self.last = self._run.row()


def test_a_service_killed_at_random_moments_loses_no_row_no_run_and_no_queue_position(
    tmp_path: Path, figures: Figures
) -> None:
    """A client that returns with its cursor gets each row once, training runs are followed, and queued runs keep
    waiting.
    """
    run = LiveRun(tmp_path / "runs", "alive")
    scribe, seen, cursor, waits = Scribe(run), list[int](), "", ""
    try:
        for number in range(times(3, 100)):
            with serving(tmp_path, max_concurrent_runs="1") as service:
                begin = time.monotonic()
                assert service.get("/runs/alive")["status"] == "running"
                figures.add("service restarted: correct status", time.monotonic() - begin, "s", at_most=5)
                waits = waits or str(service.create(start=True)["id"])
                assert service.get(f"/runs/{waits}")["status"] == "queued"
                headers = {"last_event_id": cursor} if cursor else {}
                with streaming(service, "/runs/alive/stream", **headers) as stream:
                    enough = len(seen) + random.Random(number).randrange(1, 200)
                    for event in stream:
                        seen += event.seqs if event.kind == "metrics" else []
                        if len(seen) >= enough:
                            break
                    cursor = stream.last_id or cursor
                service.process.send_signal(signal.SIGKILL)
                service.process.wait()
        last = scribe.stop()
        with (
            serving(tmp_path, max_concurrent_runs="1") as service,
            streaming(service, "/runs/alive/stream", last_event_id=cursor) as stream,
        ):
            for event in stream:
                seen += event.seqs if event.kind == "metrics" else []
                if seen[-1] == last:
                    break
        assert seen == list(range(1, last + 1))
        whole_files(run.folder)
    finally:
        scribe.stop()
        run.close()
