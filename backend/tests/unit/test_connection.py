"""Requests of a command to a service that breaks off."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from rlviz.cli.connection import Connection
from rlviz.cli.exits import Failure
from rlviz.settings import Settings


class Breaking:
    """A service that closes the connection without a word, so many times."""

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


def test_what_changes_nothing_is_asked_once_more(tmp_path: Path) -> None:
    assert connection(Breaking(1), tmp_path).get("/health") == {"was": "GET"}
    with pytest.raises(Failure, match="broke off"):
        connection(Breaking(2), tmp_path).get("/health")


def test_what_may_have_been_done_is_not_asked_again(tmp_path: Path) -> None:
    service = Breaking(1)
    with pytest.raises(Failure, match="whether it was done"):
        connection(service, tmp_path).post("/runs", {})
    assert service.asked == 1
