"""Delivery workers for W&B, forked from one process that has imported its client to save time.

python -m tests.support.delivering     fork a delivery worker for each request on standard input, which is a socket
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from rlviz.launchers.process import Template, fork_workers
from tests.support.waiting import eventually

ROOT = Path(__file__).parents[2]

PATIENCE = 600.0
"""Seconds; one that hangs ends itself before."""


class Deliveries:
    """Starts delivery workers, each a separate process."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [sys.executable, "-m", "tests.support.delivering"]
            given = os.environ | {"WANDB_ERROR_REPORTING": "false"}  # read as W&B is imported
            process = subprocess.Popen(command, stdin=theirs.fileno(), stderr=subprocess.DEVNULL, cwd=ROOT, env=given)
        self._template = Template(ours, process)

    def deliver(self, *arguments: str, environment: Mapping[str, str]) -> int:
        """Run ``rlviz.delivery_worker`` with these arguments in that environment, and return its exit status."""
        eventually(self._template.is_ready, "the process that delivers")
        fork = self._template.fork([json.dumps(dict(environment)), *arguments])
        assert fork is not None
        eventually(lambda: self._template.is_up() and fork.exit_status is not None, "the end of the delivery", PATIENCE)
        assert fork.exit_status is not None
        return fork.exit_status

    def close(self) -> None:
        self._template.close()


def _serve() -> int:
    import wandb  # noqa: F401

    from rlviz import delivery_worker
    from rlviz.exchange.sinks import wandb as sink

    sink.LATE_SECONDS = 1.0  # what a server of this machine has, it counts at once
    asked = fork_workers(socket.socket(fileno=os.dup(0)))
    if asked is None:
        return 0
    os.environ.clear()
    os.environ.update(json.loads(asked[0]))
    with Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    return delivery_worker.main(asked[1:])


if __name__ == "__main__":
    sys.exit(_serve())
