"""Requests of a command to a service whose connection breaks."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from rlviz.cli.connection import STARTING_SECONDS, Connection
from rlviz.cli.exits import Failure
from rlviz.domain.errors import RunsFolderInUse
from rlviz.launchers.base import Launcher
from rlviz.settings import Settings


class Breaking:
    """A service that closes the connection without a response, a given number of times."""

    def __init__(self, times: int) -> None:
        self.left, self.asked = times, 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked += 1
        if self.left:
            self.left -= 1
            raise httpx.RemoteProtocolError("Server disconnected without sending a response.", request=request)
        return httpx.Response(200, json={"was": request.method})


def connection(service: Breaking, folder: Path) -> Connection:
    found = Connection(Settings(runs_dir=folder))
    found._http = httpx.Client(base_url="http://there", transport=httpx.MockTransport(service))
    return found


def test_a_request_that_changes_nothing_is_retried_once(tmp_path: Path) -> None:
    assert connection(Breaking(1), tmp_path).get("/health") == {"was": "GET"}
    with pytest.raises(Failure, match="broke"):
        connection(Breaking(2), tmp_path).get("/health")


def test_a_request_that_may_have_been_processed_is_not_retried(tmp_path: Path) -> None:
    service = Breaking(1)
    with pytest.raises(Failure, match="whether the request was carried out"):
        connection(service, tmp_path).post("/runs", {})
    assert service.asked == 1


class TakingTurns(Connection):
    """A runs folder that one process after another locks, each for ``seconds``."""

    def __init__(self, folder: Path, pids: list[int], seconds: float) -> None:
        super().__init__(Settings(runs_dir=folder), monotonic=lambda: self.now, sleep=self.wait)
        self.now, self.pids, self.seconds = 0.0, pids, seconds

    def wait(self, _seconds: float) -> None:
        self.now += self.seconds / 4

    def _serve(self, launcher: Launcher | None) -> None:
        turn = int(self.now // self.seconds)
        if turn < len(self.pids):
            raise RunsFolderInUse(f"Process {self.pids[turn]} uses it.", self.pids[turn])


def test_a_command_waits_for_all_commands_queued_before_it(tmp_path: Path) -> None:
    command = TakingTurns(tmp_path, [11, 12, 13, 14, 15, 16, 17, 18], STARTING_SECONDS * 0.9)
    command.open()
    assert command.now >= 8 * command.seconds


def test_a_process_that_fails_to_start_is_named(tmp_path: Path) -> None:
    command = TakingTurns(tmp_path, [11, 12, 12], STARTING_SECONDS)
    with pytest.raises(Failure, match=r"Process 12 uses it\. Its service has not started"):
        command.open()
