"""Findings of ``rlviz doctor``, and the advice that it gives."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rlviz.cli import checks
from rlviz.cli.checks import Finding
from rlviz.rundir.process_identity import ProcessIdentity
from rlviz.rundir.usage import measure_usage, write_usage
from rlviz.server.proxy import ServiceAddress
from rlviz.settings import Settings


def settings(runs_dir: Path, **given: Any) -> Settings:
    return Settings(_env_file=None, runs_dir=runs_dir, **given)  # type: ignore[call-arg]


def held(finding: Finding, about: str, state: str, says: str, to_do: str) -> None:
    """Check that passing checks have no advice and failing ones have some."""
    assert (finding.about, finding.state) == (about, state), finding
    assert says in finding.says
    assert to_do in finding.to_do
    assert bool(finding.to_do) == (state != "ok")


def test_a_healthy_machine_has_no_findings(tmp_path: Path) -> None:
    (tmp_path / "index.html").touch()
    free = settings(tmp_path, min_free_disk=1_000, frontend_dir=tmp_path, port=0)
    look: dict[str, Callable[[Settings], Finding]] = {
        "runs folder": checks.check_folder,
        "disk": checks.check_disk,
        "service": checks.check_service,
        "lock": checks.check_lock,
        "browsers": checks.check_reach,
        "port": checks.check_port,
        "pages": checks.check_pages,
        "time": checks.check_time,
    }
    for about, check in look.items():
        held(check(free), about, "ok", "", "")
    held(checks.check_packages(), "packages", "ok", "torch ", "")


def test_a_full_disk_is_reported_with_how_to_free_space(tmp_path: Path) -> None:
    held(checks.check_disk(settings(tmp_path, min_free_disk=10**18)), "disk", "bad", "must stay free", "rlviz prune")
    (tmp_path / "file").write_bytes(b"x" * 9_000_000)
    write_usage(tmp_path, measure_usage(tmp_path))
    for most, state in ((8_000_000, "bad"), (10_000_000, "look"), (100_000_000, "ok")):
        found = checks.check_disk(settings(tmp_path, min_free_disk=1_000, max_bytes=most))
        held(found, "disk", state, "", "" if state == "ok" else "prune --dry-run")


def test_an_invalid_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    found = checks.check_folder(settings(tmp_path / "file"))
    held(found, "runs folder", "bad", "cannot be written", "RLVIZ_RUNS_DIR")


@pytest.mark.parametrize(
    ("host", "says"),
    [
        ("127.0.0.1", "Only browsers on this machine can open http://127.0.0.1:8951."),
        ("0.0.0.0", "8951 with the token"),
    ],
)
def test_browsers_are_sent_to_the_running_service_and_not_to_the_configured_address(
    tmp_path: Path, host: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "localhost")
    ServiceAddress("http://127.0.0.1:8951", str(ProcessIdentity.current()), host=host).write(tmp_path)
    found = checks.check_reach(settings(tmp_path, port=8000))
    held(found, "browsers", "ok", says, "")
    assert ("other machines" in found.says) == (host == "0.0.0.0")


def test_browsers_are_sent_below_the_root_path(tmp_path: Path) -> None:
    found = checks.check_reach(settings(tmp_path, port=8000, root_path="/rl"))
    held(found, "browsers", "ok", "http://127.0.0.1:8000/rl/.", "")


def test_a_port_in_use_is_reported(tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        held(checks.check_port(settings(tmp_path, port=port)), "port", "look", f"Port {port}", "RLVIZ_PORT")


def test_missing_pages_and_packages_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held(checks.check_pages(settings(tmp_path, frontend_dir=tmp_path)), "pages", "look", "not built", "make run")
    monkeypatch.setattr(checks, "_PACKAGES", ("torch", "no-such-package"))
    held(checks.check_packages(), "packages", "bad", "Not installed: no-such-package.", "pip install")


def test_a_wrong_clock_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = checks.time.time()
    for clock, state, says in ((0.0, "bad", "1970"), (now + 60, "look", "differ"), (now, "ok", "also on the disk")):
        monkeypatch.setattr(checks.time, "time", lambda clock=clock: clock)
        held(checks.check_time(settings(tmp_path)), "time", state, says, "")
