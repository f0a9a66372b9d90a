"""How things end: the service by Ctrl-C, a run that hangs, a run whose folder is taken away."""

from __future__ import annotations

import http.client
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.faults.support import STOP_SOON, Figures, children, steps_of, train, whole_files, worker_of
from tests.support.http import Event, Service, Stream, is_kind, is_status, serving, streaming, wait_for

pytestmark = pytest.mark.faults


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP], ids=lambda number: number.name)
def test_ctrl_c_saves_the_policies_ends_the_streams_and_leaves_no_process(
    tmp_path: Path, figures: Figures, number: signal.Signals
) -> None:
    with serving(tmp_path, on_exit="stop", max_concurrent_runs="1") as service:
        trains, waits = train(service), service.create(start=True)["id"]
        wait_for(lambda: steps_of(service, trains) > 500, "some steps")
        before = children(service)
        with streaming(service, f"/stream?runs={trains}") as stream:
            stream.until(is_kind("metrics"))
            begin = time.monotonic()
            assert service.stop(number) == 0
            figures.add("Ctrl-C: app and workers gone, policy saved", time.monotonic() - begin, "s", at_most=10)
            assert any(is_status("stopped", trains)(event) for event in rest(stream)), "its end was told"
        assert not [process for process in before if process.is_running()]
        assert "Traceback" not in service.log
    assert service.folder(trains).model_path.exists()
    whole_files(service.folder(trains))
    with serving(tmp_path, max_concurrent_runs="1") as again:
        stopped = again.get(f"/runs/{trains}")
        assert (stopped["status"], stopped["cause"]) == ("stopped", "The app was ended.")
        assert again.wait_for_status(waits, "running")["queue_position"] is None
        again.api("POST", f"/runs/{waits}/stop")
        again.wait_for_status(waits, "stopped")


def rest(stream: Stream) -> Iterator[Event]:
    """What comes until the service breaks the stream off."""
    with suppress(http.client.IncompleteRead):
        yield from stream


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("impatient"), max_concurrent_runs="2", **STOP_SOON) as service:
        yield service


def test_a_run_that_hangs_is_asked_then_terminated_then_killed_and_says_so(impatient: Service) -> None:
    hung, other = train(impatient), train(impatient)
    worker = worker_of(impatient, hung)
    worker.suspend()
    impatient.api("POST", f"/runs/{hung}/stop")
    run = impatient.wait_for_status(hung, "interrupted")
    assert run["cause"].startswith("The worker did not stop within 0.5 s of being asked, nor within 0.5 s of being")
    assert not worker.is_running()
    assert "terminating it" in impatient.log
    assert "killing it" in impatient.log
    steps = steps_of(impatient, other)
    wait_for(lambda: steps_of(impatient, other) > steps, "the other run to go on")
    impatient.api("POST", f"/runs/{other}/stop")
    impatient.wait_for_status(other, "stopped")


@pytest.mark.parametrize("what", ["deleted", "renamed"])
def test_a_run_whose_folder_is_taken_away_while_it_trains_ends_and_names_that(impatient: Service, what: str) -> None:
    taken, other = train(impatient), train(impatient)
    worker = worker_of(impatient, taken)
    folder = impatient.folder(taken)
    aside = folder.path.with_name("taken-aside")
    folder.path.rename(aside)
    if what == "deleted":
        shutil.rmtree(aside, ignore_errors=True)
    run = impatient.wait_for_status(taken, "interrupted")
    assert "deleted, moved or renamed" in run["cause"]
    wait_for(lambda: not worker.is_running(), "the worker's end")
    for path in ("", "/metrics", "/config", "/events", "/evaluations", "/hints", "/artifacts/metrics.jsonl"):
        assert impatient.api("GET", f"/runs/{taken}{path}").status_code < 500, path
    for method, path in (("POST", "/evaluations"), ("POST", "/stop"), ("POST", "/start"), ("DELETE", "")):
        answer = impatient.api(method, f"/runs/{taken}{path}", json={} if path == "/evaluations" else None)
        assert answer.status_code < 500, (method, path, answer.text)
    assert impatient.get(f"/runs/{other}")["status"] == "running"
    impatient.api("POST", f"/runs/{other}/stop")
    impatient.wait_for_status(other, "stopped")
    shutil.rmtree(aside, ignore_errors=True)
