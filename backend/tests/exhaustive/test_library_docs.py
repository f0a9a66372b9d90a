"""The snippets of docs/library.md, with fewer steps."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from rlviz.rundir.folder import run_folders
from rlviz.server.catalog.projection.folder import row_of_folder
from tests.support.forked_process import FORKED_FIRST, ForkedProcess
from tests.support.service_process import environment
from tests.support.template import SOCKET, template_address
from tests.support.waiting import PATIENCE

ROOT = Path(__file__).parents[3]
DOCUMENTS = (ROOT / "docs" / "library.md", ROOT / "README.md")
SNIPPETS = dict.fromkeys(
    snippet for path in DOCUMENTS for snippet in re.findall(r"```python\n(.*?)```", path.read_text(), re.DOTALL)
)
FEWER_STEPS = {"total_timesteps=4_096": "total_timesteps=512", ".learn(1_024,": ".learn(256,"}
"""Of what trains a policy, without which its import takes long enough."""


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_each_snippet_leaves_a_completed_run_with_episodes(snippet: str, tmp_path: Path) -> None:
    for steps, fewer in FEWER_STEPS.items():
        snippet = snippet.replace(steps, fewer)
    given = environment(runs_dir=str(tmp_path)) | {SOCKET: template_address(), FORKED_FIRST: "1"}
    program = ForkedProcess(tmp_path, given, script=snippet, shared_workers=True)
    _, err = program.communicate(PATIENCE)
    assert program.returncode == 0, err
    [folder] = run_folders(tmp_path)
    row = row_of_folder(folder)
    actor = "policy" if "rlviz.train(" in snippet else "foreign"
    assert (row.status, row.actor.value, row.env_id) == ("completed", actor, "CartPole-v1")
    assert row.episodes > 0
    assert row.ep_rew_mean is not None


def test_importing_the_library_imports_no_slow_module() -> None:
    heavy = "{'torch', 'stable_baselines3', 'gymnasium', 'numpy', 'pydantic'}"
    subprocess.run([sys.executable, "-c", f"import sys, rlviz; assert not {heavy} & set(sys.modules)"], check=True)
