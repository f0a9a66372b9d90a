"""Commands run no code of an untrusted folder: neither its settings nor its modules nor its runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rlviz.rundir.control import Control, Desired
from rlviz.trust_store import TrustStore
from tests.support.run_folders import make_run
from tests.unit.test_bundle_admission import CUSTOM

EVIL = """
from pathlib import Path
Path({marker!r}).open("a").write(__name__ + "\\n")
"""
ENVIRONMENT = """
import gymnasium
import numpy
from gymnasium import spaces

class Env(gymnasium.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 10}
    observation_space = spaces.Box(-1, 1, (2,), numpy.float32)
    action_space = spaces.Discrete(2)

    def __init__(self, render_mode=None):
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return numpy.zeros(2, numpy.float32), {}

    def step(self, action):
        return numpy.zeros(2, numpy.float32), 1.0, False, True, {}

    def render(self):
        return numpy.zeros((8, 8, 3), numpy.uint8)
"""
SHADOWS = ("numpy", "torch", "gymnasium", "stable_baselines3", "filelock", "sqlite3", "pyarrow", "wandb", "mlflow")


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    return tmp_path / "what-ran"


@pytest.fixture
def downloaded(tmp_path: Path, marker: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, and a user who has trusted no folder."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder = tmp_path / "downloaded"
    folder.mkdir()
    evil = EVIL.format(marker=str(marker))
    (folder / "evil.py").write_text(evil + ENVIRONMENT)
    for name in SHADOWS:
        (folder / f"{name}.py").write_text(evil)
    (folder / "rlviz.toml").write_text("environments = 'evil.py:Env'\n")
    (folder / ".env").write_text("RLVIZ_ENVIRONMENTS=evil:Env\n")
    (folder / "monitor.csv").write_text('#{"t_start": 1700000000.0, "env_id": "CartPole-v1"}\nr,l,t\n10.0,10,1.5\n')
    custom = {**CUSTOM, "entry_point": f"{folder / 'evil.py'}:Env"}
    run = make_run(folder / "runs", "theirs", env_id="Env", custom_environment=custom)
    run.write_control(Control(desired=Desired.RUN, queued_at=1.0))
    return folder


def rlviz(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command as a user starts it, without modules imported before, unlike in forks."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("RLVIZ_", "PYTHON"))}
    command = [sys.executable, "-m", "rlviz", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_no_code_of_a_folder_runs_before_it_is_trusted(downloaded: Path, marker: Path) -> None:
    imported = rlviz(downloaded, "import", ".")
    assert imported.returncode == 0, imported.stderr
    assert "environments (.env)" in imported.stderr
    assert "rlviz trust ." in imported.stderr
    listed = rlviz(downloaded, "environments")
    assert "Env " not in listed.stdout
    assert not marker.exists(), marker.read_text()
    TrustStore().add_folder(downloaded)
    listed = rlviz(downloaded, "environments", "Env")
    assert listed.returncode == 0, listed.stderr
    assert set(marker.read_text().split()) == {"evil"}, "of the modules beside it none takes an installed one's place"
