"""A session worker whose connection to the service is lost."""

from __future__ import annotations

import socket
from pathlib import Path
from threading import Event

import pytest

from rlviz.domain.sessions import EndedMessage
from rlviz.learning.sessions.worker import Link, ServiceGone


def test_a_sender_to_a_stopped_service_can_wait_until_its_end_is_noticed(tmp_path: Path) -> None:
    noticed = Event()
    with socket.socket(socket.AF_UNIX) as service:
        service.bind(str(tmp_path / "socket"))
        service.listen()
        link = Link.connect(str(tmp_path / "socket"), "secret", noticed.set)
        accepted, _ = service.accept()
        accepted.close()

    def send_on() -> None:
        while True:
            link.send(EndedMessage(cause="It is over."))

    with pytest.raises(ServiceGone):
        send_on()
    link.await_end()
    assert noticed.is_set()
    link._connection.close()  # else that is done by the end of the process
