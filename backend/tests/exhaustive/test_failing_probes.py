"""Probes of modules that fail, hang, print or exit."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.domain.environment import ProbedEnvironment, StateKept
from rlviz.server.runs.environments import ProbeFailure, Prober
from tests.real.test_custom_environment import LIGHTS, source

__all__ = ["source"]


def test_a_probe_tells_a_crashed_process_from_one_that_answers(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import os, sys\nprint('gone', file=sys.stderr, flush=True)\nos._exit(3)")
    assert Prober().probe(f"{tmp_path}/broken.py:Broken") == ProbeFailure("Its process ended with status 3: gone")


@pytest.mark.parametrize("goes_wrong", ["PyDLL(None).sleep(3_600)", "os._exit(3)"])
def test_an_environment_that_fails_while_its_state_is_tested_stays_usable(tmp_path: Path, goes_wrong: str) -> None:
    later = f"""
import os, time
from ctypes import PyDLL

class Later(Lights):
    steps = 0

    def step(self, action):
        self.steps += 1
        if self.steps == 5:
            {goes_wrong}
        return super().step(action)
"""
    (tmp_path / "later.py").write_text(LIGHTS + later)
    found = Prober(hang_seconds=1).probe(f"{tmp_path}/later.py:Later")
    assert isinstance(found, ProbedEnvironment)
    assert found.environment.state_kept_by is StateKept.NOTHING
    assert "hung or crashed" in (found.environment.state_problem or "")


def test_output_printed_by_a_module_does_not_disturb_its_probe(source: Path, tmp_path: Path) -> None:
    (tmp_path / "loud.py").write_text("print('hello')\n" + LIGHTS)
    found = Prober().probe(f"{tmp_path}/loud.py:Lights")
    assert isinstance(found, ProbedEnvironment)
