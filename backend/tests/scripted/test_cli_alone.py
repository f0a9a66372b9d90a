"""Commands that serve the runs folder themselves because no service runs."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rlviz.rundir.lock import RunsLock
from rlviz.server.proxy import NAME, ServiceAddress, read_address
from tests.support.cli import shell, started
from tests.support.forked_process import ForkedProcess
from tests.support.run_folders import make_run
from tests.support.service_process import environment
from tests.support.template import SOCKET, template_address
from tests.support.waiting import PATIENCE, eventually

IMPATIENT = """
from rlviz.cli import connection, main

connection.STARTING_SECONDS = 0.5
raise SystemExit(main.main(["runs"]))
"""


def statuses(folder: Path) -> dict[str, str]:
    """Return the status of every run, as another command prints it."""
    listed = shell(folder, "runs", "--json")
    assert listed.returncode == 0, listed.stderr
    return {run["id"]: run["status"] for run in json.loads(listed.stdout)["runs"]}


def served_by(folder: Path, process: ForkedProcess) -> ServiceAddress:
    def look() -> ServiceAddress | None:
        address = read_address(folder / "runs")
        return address if address is not None and address.pid == process.pid else None

    return eventually(look, "The command's own service")


def test_a_signal_without_a_terminal_does_what_the_settings_say(tmp_path: Path) -> None:
    process = started(tmp_path, "run", "--steps", "200000", "--follow", launcher="scripted")
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("running"):
                break
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 130
        assert process.stderr is not None
        said = process.stderr.read()
    finally:
        process.kill()
        process.communicate()
    assert re.search(r"is paused at step \d+\. To resume it: `rlviz resume ppo-cartpole-\S+`", said), said
    assert set(statuses(tmp_path).values()) == {"paused"}


def test_a_killed_command_leaves_a_stale_address_that_the_next_one_replaces(tmp_path: Path) -> None:
    process = started(tmp_path, "watch", "last", "--no-open")
    process.communicate(timeout=PATIENCE)
    make_run(tmp_path / "runs", "a-run", rows=3, status="completed")
    process = started(tmp_path, "watch", "a-run", "--no-open")
    try:
        served_by(tmp_path, process)
    finally:
        process.kill()
        process.communicate()
    assert (tmp_path / "runs" / NAME).exists()
    told = shell(tmp_path, "doctor")
    assert (told.returncode, "ended without removing its address" in told.stdout) == (0, True), told.stdout
    assert statuses(tmp_path) == {"a-run": "completed"}
    assert not (tmp_path / "runs" / NAME).exists()


def test_a_runs_folder_held_by_an_unresponsive_process_exits_with_5(tmp_path: Path) -> None:
    lock = RunsLock(tmp_path / "runs")
    lock.acquire()
    try:
        command = ForkedProcess(tmp_path, environment(), script=IMPATIENT)
        _, told = command.communicate(PATIENCE)
    finally:
        lock.release()
    assert command.returncode == 5
    assert f"process {os.getpid()}" in told
    assert len(told.splitlines()) == 1


ON_TERMINAL = """
import os, sys
from rlviz.__main__ import main

os.setsid()
for number in range(3):  # the first that leads a session and opens a terminal is controlled by it
    os.dup2(os.open({path!r}, os.O_RDWR), number)
sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode, 1) for number, mode in enumerate("rww"))
sys.argv = ["rlviz", *{arguments!r}]
sys.exit(main({arguments!r}))
"""


@contextmanager
def terminal(folder: Path, *arguments: str, columns: int = 40) -> Iterator[tuple[ForkedProcess, int]]:
    """Run a command on a terminal; yield its process and the other end."""
    ours, theirs = pty.openpty()
    size = {"COLUMNS": str(columns), "LINES": "24", "TERM": "xterm", SOCKET: template_address()}
    script = ON_TERMINAL.format(path=os.ttyname(theirs), arguments=list(arguments))
    nothing = Path(os.devnull)
    process = ForkedProcess(
        folder, environment(launcher="scripted") | size, log=nothing, script=script, shared_workers=True
    )
    try:
        yield process, ours
    finally:
        process.kill()
        process.wait()
        os.close(theirs)
        os.close(ours)


def read_until(end: int, text: str) -> str:
    """Return what the terminal shows until ``text`` appears."""
    shown = ""
    deadline = time.monotonic() + PATIENCE
    while text not in shown:
        assert time.monotonic() < deadline, shown[-2_000:]
        if select.select([end], [], [], 0.2)[0]:
            shown += os.read(end, 65_536).decode(errors="replace")
    return shown


def test_a_run_is_followed_paused_evaluated_and_stopped_with_keys_on_40_columns(tmp_path: Path) -> None:
    with terminal(tmp_path, "run", "--steps", "1000000", "--follow") as (process, end):
        read_until(end, "running")
        os.write(end, b"p")
        read_until(end, "paused")
        os.write(end, b"e")
        read_until(end, "Evaluated at step")
        os.write(end, b"p")
        read_until(end, "running")
        process.send_signal(signal.SIGINT)
        read_until(end, "Ctrl-C: p pause it")
        os.write(end, b" ")
        os.write(end, b"s")
        shown = read_until(end, "stopped (step ")
        assert process.wait(PATIENCE) == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert all(len(line) <= 40 for line in re.split(r"[\r\n]+", plain) if " stopped (step " not in line), plain
    assert set(statuses(tmp_path).values()) == {"stopped"}


def test_the_doctor_names_the_process_that_uses_the_runs_folder_and_starts_no_service(tmp_path: Path) -> None:
    lock = RunsLock(tmp_path / "runs")
    lock.acquire()
    try:
        findings = {one["about"]: one for one in json.loads(shell(tmp_path, "doctor", "--json").stdout)}
    finally:
        lock.release()
    assert findings["lock"]["state"] == "look"
    assert f"Process {os.getpid()} holds it" in findings["lock"]["says"]


def test_the_doctor_reports_from_where_browsers_reach_the_service(tmp_path: Path) -> None:
    def reach(**settings: str) -> str:
        findings = {one["about"]: one for one in json.loads(shell(tmp_path, "doctor", "--json", **settings).stdout)}
        return str(findings["browsers"]["says"])

    assert reach().startswith("Only browsers on this machine can open http://127.0.0.1:8000.")
    assert "other machines" in reach(host="0.0.0.0", token="open-sesame-123") or "cannot be resolved" in reach(
        host="0.0.0.0", token="open-sesame-123"
    )
