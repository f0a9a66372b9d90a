"""A custom environment that hangs is abandoned after its time limit."""

from __future__ import annotations

from pathlib import Path

from rlviz.server.runs.environments import ProbeFailure, Prober


def test_an_environment_that_hangs_is_given_up(tmp_path: Path) -> None:
    """Its child process, which keeps its output open, is ended too."""
    (tmp_path / "slow.py").write_text("import subprocess, time\nsubprocess.Popen(['sleep', '600'])\ntime.sleep(600)")
    found = Prober(time_limit=4).probe(f"{tmp_path}/slow.py:Slow")
    assert isinstance(found, ProbeFailure)
    assert "not ready within 4 seconds" in found.message
