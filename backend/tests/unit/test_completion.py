"""Shell completion without a service."""

from __future__ import annotations

import os
from pathlib import Path
from unittest.mock import patch

import pytest

from rlviz.cli.main import main
from rlviz.rundir.trash import Trash
from tests.support.run_folders import make_run
from tests.support.service_process import environment


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs, one of them with evaluations, snapshots and tags; an experiment, a preset and a deleted run."""
    runs_dir = tmp_path_factory.mktemp("completion") / "runs"
    for run_id in ("dqn-a", "ppo-a", "ppo-b"):
        make_run(runs_dir, run_id, rows=2, status="completed")
    Trash(runs_dir).put(make_run(runs_dir, "ppo-gone", rows=1, status="completed"), 1e9)
    for path in ("eval/eval_20261121-120000-000.json", "snapshots/before-the-fall.zip", "snapshots/step_128.zip"):
        (runs_dir / "dqn-a" / path).parent.mkdir(exist_ok=True)
        (runs_dir / "dqn-a" / path).write_bytes(b"")
    (runs_dir / "dqn-a" / "labels.json").write_text('{"name": "", "tags": ["baseline"], "notes": ""}')
    for path in ("experiments/ppo-or-dqn/experiment.json", "presets/pendulum-found.json"):
        (runs_dir / path).parent.mkdir(parents=True)
        (runs_dir / path).write_text("{}")
    return runs_dir.parent


def offered(folder: Path, shell: str, typed: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Return what ``shell`` offers for Tab after ``typed``."""
    words = {
        "bash": {"COMP_WORDS": f"rlviz {typed}", "COMP_CWORD": str(len(typed.split(" ")))},
        "zsh": {"_TYPER_COMPLETE_ARGS": f"rlviz {typed}"},
        "fish": {"_TYPER_COMPLETE_ARGS": f"rlviz {typed}", "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }
    given = environment(runs_dir=str(folder / "runs")) | words[shell] | {"_RLVIZ_COMPLETE": f"complete_{shell}"}
    with patch.dict(os.environ, given, clear=True):
        main([])
    answered = capsys.readouterr().out.splitlines()
    if shell == "zsh":
        return [line.split('"')[1].replace("\\:", ":") for line in answered if '"' in line]
    return [line.split("\t")[0] for line in answered if line]


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("status ppo", ["ppo-a", "ppo-b"]),
        ("status l", ["last"]),
        ("status [", []),
        ("compare ppo-a dqn", ["dqn-a"]),
        ("restore ppo", ["ppo-gone"]),
        ("run --env Cart", ["CartPole-v1"]),
        ("run --algo p", ["ppo"]),
        ("run --preset pen", ["pendulum-found"]),
        ("run --preset hi", ["high-score"]),
        ("algorithms dq", ["dqn"]),
        ("metrics ppo-a episode/re", ["episode/reward"]),
        ("metrics nobody episode/re", []),
        ("actions dqn-a eval", ["eval_20261121-120000-000"]),
        ("snapshot restore dqn-a b", ["before-the-fall"]),
        ("fork dqn --snapshot s", ["step_128"]),
        ("edit dqn-a --untag b", ["baseline"]),
        ("experiment show ppo", ["ppo-or-dqn"]),
        ("sinks add dqn-a ml", ["mlflow"]),
        ("rul", ["rules"]),
        ("rules t", ["try"]),
    ],
)
def test_completion_offers_matching_names(
    folder: Path, typed: str, names: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert offered(folder, "bash", typed, capsys) == names


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_completions_in_its_own_format(
    folder: Path, shell: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert offered(folder, shell, "status dqn", capsys) == ["dqn-a"]
