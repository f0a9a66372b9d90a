"""Secrets are absent from the environment variables of probes and workers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rlviz.launchers.process import spawn
from rlviz.server.runs.environments import Prober
from tests.support import lights
from tests.support.waiting import eventually

TOKEN = "open-sesame-123"
WEBHOOK = "http://127.0.0.1:9/hook-of-mine"

SPY = """

from pathlib import Path as _Path
import os as _os

_found = repr(dict(_os.environ)) + _Path("/proc/self/environ").read_text(errors="replace")
_Path(__file__).with_name("seen.txt").write_text(_found)
"""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there is no /proc")


@pytest.fixture(autouse=True)
def of_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLVIZ_TOKEN", TOKEN)
    monkeypatch.setenv("RLVIZ_WEBHOOK_URL", WEBHOOK)
    monkeypatch.setenv("RLVIZ_RUNS_DIR", "somewhere")


def check(variables: str) -> None:
    assert "RLVIZ_RUNS_DIR" in variables
    assert TOKEN not in variables
    assert WEBHOOK not in variables


def test_a_probed_module_sees_no_secret(tmp_path: Path) -> None:
    (tmp_path / "spy.py").write_text(Path(lights.__file__).read_text() + SPY)
    Prober().probe(f"{tmp_path / 'spy.py'}:Lights")
    check((tmp_path / "seen.txt").read_text())


@pytest.mark.parametrize("waits", ["--prewarm", "--template"])
def test_a_worker_and_the_worker_template_start_without_secrets(waits: str) -> None:
    worker = spawn([waits], stdin=subprocess.PIPE, output=subprocess.DEVNULL)
    with worker:
        # Empty until the kernel has put the new program in place.
        check(eventually(Path(f"/proc/{worker.pid}/environ").read_text, "the variables of the worker"))
        worker.kill()
