"""The launcher's side of the worker template."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any

import pytest

from rlviz.launchers.process import FORKS, MAX_BYTES, REFUSED, Fork, Template

pytestmark = pytest.mark.skipif(not FORKS, reason="only Linux has a template")

Tell = Callable[[dict[str, Any]], object]


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    """The launcher's and the template's ends of a connection."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        yield ours, theirs


@pytest.fixture
def tell(ends: tuple[socket.socket, socket.socket]) -> Tell:
    return lambda message: ends[1].send(json.dumps(message).encode())


@pytest.fixture
def template(ends: tuple[socket.socket, socket.socket], tell: Tell) -> Template:
    tell({"ready": True})
    return Template(ends[0])


def forked(template: Template, theirs: socket.socket, tell: Tell, pid: int) -> Fork | None:
    def answer() -> None:
        theirs.recv(MAX_BYTES)
        tell({"forked": pid, "identity": f"process:{pid}"})

    answering = Thread(target=answer)
    answering.start()
    fork = template.fork([])
    answering.join()
    return fork


def test_a_fork_that_reuses_the_process_id_of_an_earlier_one_has_not_ended(
    template: Template, ends: tuple[socket.socket, socket.socket], tell: Tell
) -> None:
    """The system reuses the ids of ended processes once all have been used."""
    first = forked(template, ends[1], tell, 7)
    tell({"ended": [7, -9]})
    second = forked(template, ends[1], tell, 7)
    assert (first, second) == (Fork(7, "process:7", exit_status=-9), Fork(7, "process:7"))
    tell({"ended": [7, 0]})
    assert template.is_up()
    assert (first, second) == (Fork(7, "process:7", exit_status=-9), Fork(7, "process:7", exit_status=0))


def test_a_fork_refused_by_the_system_gives_no_process(
    template: Template, ends: tuple[socket.socket, socket.socket], tell: Tell
) -> None:
    assert forked(template, ends[1], tell, REFUSED) is None
    assert template.is_ready()
