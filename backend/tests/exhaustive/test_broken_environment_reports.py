"""An unusable custom environment is reported by the doctor and the page, and not by every command."""

from __future__ import annotations

from pathlib import Path

from tests.support.cli import shell

BROKEN = """
import gymnasium
class Broken(gymnasium.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 30}
    def __init__(self, render_mode=None): raise RuntimeError("no licence for this simulator")
"""


def test_only_the_doctor_reports_a_broken_environment(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(BROKEN)
    settings = {"runs_dir": str(tmp_path / "runs"), "environments": "own.py:Broken"}
    listed = shell(tmp_path, "runs", **settings)
    assert (listed.returncode, listed.stderr) == (0, "")
    doctor = shell(tmp_path, "doctor", **settings)
    assert doctor.returncode == 1
    assert "Broken cannot be used" in doctor.stdout
    assert "no licence for this simulator" in doctor.stdout
    verbose = shell(tmp_path, "-v", "environments", **settings)
    assert "cannot be used" in verbose.stderr
