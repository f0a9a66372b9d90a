"""When a session loads a policy."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.learning.sessions.stage import POLL_SECONDS, FixedPolicy, NewestPolicy
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.foreign import Lease


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    found = RunFolder(tmp_path, "ppo-cartpole-20260101-000000-aaaaaa")
    found.path.mkdir()
    return found


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []

    def load_policy(_folder: RunFolder, _algo: str, name: str) -> object:
        found.append(name)
        return object()

    monkeypatch.setattr("rlviz.learning.sessions.stage.load_policy", load_policy)
    return found


def test_a_policy_is_loaded_once(folder: RunFolder, said: list[str]) -> None:
    policy = FixedPolicy(folder, "ppo", "model.zip", before_load=lambda: said.append("before"))
    assert policy.find_newer() is not None
    assert policy.find_newer() is None
    assert said == ["before", "model.zip"]


def test_the_newest_policy_is_reloaded_when_it_changes(folder: RunFolder, said: list[str]) -> None:
    now = [0.0]
    newest = NewestPolicy(
        folder, "ppo", Lease(folder), before_load=lambda: said.append("before"), monotonic=lambda: now[0]
    )

    def looked() -> list[str]:
        said.clear()
        now[0] += POLL_SECONDS
        newest.find_newer()
        return said

    assert looked() == []
    folder.model_path.write_bytes(b"the first")
    assert looked() == ["before", "model.zip"]
    assert looked() == []
    folder.model_path.unlink()
    folder.model_path.write_bytes(b"another one")
    assert looked() == ["before", "model.zip"]
