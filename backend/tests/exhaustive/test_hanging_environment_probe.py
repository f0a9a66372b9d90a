"""A probe keeps its findings when the environment hangs later."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.domain.environment import ProbedEnvironment
from rlviz.server.runs.environments import Prober

pytestmark = pytest.mark.filterwarnings("ignore")


def test_a_probe_keeps_its_findings_when_the_environment_hangs_later(tmp_path: Path) -> None:
    """It is usable, but its tenth step exceeds the time limit for random steps."""
    (tmp_path / "world.py").write_text(
        "import time\nfrom tests.support.own_environments import Plain\n"
        "class Slow(Plain):\n    def step(self, action):\n        time.sleep(600 * (self.t == 9))\n"
        "        return super().step(action)\n"
    )
    found = Prober(hang_seconds=1).probe(f"{tmp_path}/world.py:Slow")
    assert isinstance(found, ProbedEnvironment)
    assert "It crashed within its first random steps" in " ".join(found.environment.warnings)
