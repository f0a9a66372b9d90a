"""Run the ``rlviz`` command, in a separate process or within the test's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from typer.testing import CliRunner

from rlviz.cli import output
from rlviz.cli.main import app
from rlviz.launchers import process
from tests.support.forked_process import ForkedProcess
from tests.support.service_process import environment
from tests.support.template import SOCKET, SharedWorkers, template_address
from tests.support.waiting import PATIENCE


@dataclass(frozen=True)
class Ended:
    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def call(runs_dir: Path, *arguments: str, typed: str | None = None) -> Ended:
    """Run a command in this process on the service of ``runs_dir``, without other settings. ``typed`` answers its
    prompts, as on a terminal.
    """
    with (
        patch.dict(os.environ, environment(runs_dir=str(runs_dir)), clear=True),
        patch.object(process, "ForkedWorkers", SharedWorkers),  # for a service of its own
        patch.object(output, "is_terminal", lambda stream=None: typed is not None and stream is sys.stdin),
    ):
        result = CliRunner().invoke(app, list(arguments), prog_name="rlviz", input=typed)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ended(result.exit_code, result.stdout, result.stderr)


def shell(folder: Path, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a separate process in ``folder``, with only the given settings."""
    command = started(folder, *arguments, **settings)
    try:
        out, err = command.communicate(PATIENCE)
    finally:
        command.kill()
    return subprocess.CompletedProcess(arguments, command.wait(), out, err)


def started(folder: Path, *arguments: str, **settings: str) -> ForkedProcess:
    """Start the command like ``shell``, without waiting for it."""
    given = environment(**settings) | {SOCKET: template_address()}
    return ForkedProcess(folder, given, arguments, shared_workers=True)
