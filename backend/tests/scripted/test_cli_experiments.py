"""The experiment commands, with and without a service."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.support.cli import call, started
from tests.support.service_process import Service, serving
from tests.support.training import QUICK
from tests.support.waiting import PATIENCE, eventually

BASE = {"algo": "ppo", "preset": None, "total_timesteps": 256, "hyperparameters": QUICK["ppo"]}


SPECIFICATION = {
    "name": "Slow or fast",
    "base": BASE,
    "variants": [{"name": "slow", "changes": {"hyperparameters": {"learning_rate": 1e-5}}}, {"name": "fast"}],
    "seeds": 2,
    "score": {"episodes": 2, "policy": "latest"},
}


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with an experiment and a search that were run by commands."""
    folder = tmp_path_factory.mktemp("cli")
    file = folder / "slow-or-fast.yaml"
    file.write_text(yaml.safe_dump(SPECIFICATION))
    with serving(folder, max_concurrent_runs="2", launcher="scripted") as service:
        followed = call(service.runs_dir, "experiment", "run", str(file), "--follow")
        assert followed.status == 0, followed.err
        assert sum(": scored" in line for line in followed.out.splitlines()) == 4, followed.out
        searched = call(
            *(service.runs_dir, "sweep", "--preset", "none", "--steps", "256", "--trials", "2", "--json", "--wait"),
            *("--vary", "learning_rate=1e-5..1e-2:log", "--only", "learning_rate", "--name", "A search"),
            *(part for name, value in QUICK["ppo"].items() for part in ("--set", f"{name}={json.dumps(value)}")),
        )
        assert searched.status == 0, searched.err
        assert searched.json["counts"] == {"scored": 2}
        yield service


def test_experiments_are_listed_and_found_by_name_id_prefix_or_as_the_newest(warm: Service) -> None:
    listed = call(warm.runs_dir, "experiment", "list")
    assert [line.split()[1:3] for line in listed.out.splitlines()[1:]] == [["completed", "2/2"], ["completed", "4/4"]]
    found = call(warm.runs_dir, "experiment", "list", "--json").json["experiments"]
    for text, place in (("last", 0), ("Slow or fast", 1), (found[1]["id"], 1)):
        assert call(warm.runs_dir, "experiment", "show", text, "--json").json["id"] == found[place]["id"]
    assert call(warm.runs_dir, "experiment", "show", "exp-").status == 2
    missing = call(warm.runs_dir, "experiment", "show", "nothing")
    assert (missing.status, "experiment list" in missing.err) == (3, True)


def test_a_comparison_is_shown_with_its_verdict_and_a_search_with_its_best_trial(warm: Service) -> None:
    compared = call(warm.runs_dir, "experiment", "show", "Slow or fast").out
    assert {"slow", "fast"} <= {line.split()[0] for line in compared.splitlines() if line}
    results = warm.get(
        f"/experiments/{call(warm.runs_dir, 'experiment', 'list', '--json').json['experiments'][1]['id']}/results"
    )
    assert results["verdict"]["headline"] in compared
    ranked = sorted(results["variants"], key=lambda one: one["rank"] or len(results["variants"]) + 1)
    listed = [line.split()[0] for line in compared.splitlines() if line.split()[:1] in (["slow"], ["fast"])]
    assert listed == [one["label"] for one in ranked], "the best first"
    searched = call(warm.runs_dir, "experiment", "show", "A search").out
    assert "LEARNING_RATE" in searched
    assert sum("  best  " in line for line in searched.splitlines()) == 1


def test_the_file_extension_selects_the_export_format(warm: Service, tmp_path: Path) -> None:
    for name, begins in (
        ("a.csv", b"variant,"),
        ("a.html", b"<!doctype html>"),
        ("a.tex", b"\\begin"),
        ("a.parquet", b"PAR1"),
    ):
        written = call(warm.runs_dir, "experiment", "export", "Slow or fast", "-o", str(tmp_path / name))
        assert written.status == 0, written.err
        assert (tmp_path / name).read_bytes()[:15].lower().startswith(begins.lower()), name
    assert call(warm.runs_dir, "experiment", "export", "last", "-o", str(tmp_path / "a.doc")).status == 2
    assert call(warm.runs_dir, "experiment", "export", "last").out.startswith("variant,")
    assert call(warm.runs_dir, "experiment", "export", "last", "--json").status == 2
    table = tmp_path / "again.csv"
    told = call(warm.runs_dir, "experiment", "export", "last", "-o", str(table), "--json").json
    assert told == {"path": str(table), "bytes": table.stat().st_size}


def test_an_export_uses_the_requested_threshold(warm: Service) -> None:
    export = ("experiment", "export", "Slow or fast", "--format", "markdown")
    assert "to a return of 475.0" in call(warm.runs_dir, *export).out
    asked = call(warm.runs_dir, *export, "--threshold", "12.5").out
    assert "to a return of 12.5" in asked
    assert call(warm.runs_dir, *export, "--threshold", "nan").status == 2


def test_a_trial_is_saved_as_a_preset(warm: Service) -> None:
    kept = call(warm.runs_dir, "experiment", "keep", "A search", "Trial 1", "Found here")
    assert kept.status == 0, kept.err
    assert "--preset" in kept.out
    assert call(warm.runs_dir, "experiment", "keep", "A search", "trial-9", "Nothing").status == 2
    assert "own-found-here" in call(warm.runs_dir, "preset", "list").out


def test_a_user_preset_is_deleted_by_title_after_a_confirmation(warm: Service) -> None:
    call(warm.runs_dir, "experiment", "keep", "A search", "Trial 1", "Not for long")
    asked = call(warm.runs_dir, "preset", "delete", "not for long")
    assert asked.status == 2
    assert "--yes" in asked.err
    gone = call(warm.runs_dir, "preset", "delete", "not for long", "--yes", "--json")
    assert gone.json == {"deleted": "own-not-for-long"}
    assert "own-not-for-long" not in call(warm.runs_dir, "preset", "list").out
    again = call(warm.runs_dir, "preset", "delete", "own-not-for-long")
    assert (again.status, "`rlviz preset list`" in again.err) == (3, True)


def test_an_ended_experiment_cannot_be_stopped(warm: Service) -> None:
    assert call(warm.runs_dir, "experiment", "stop", "last").status == 4


def test_mistakes_in_a_file_are_shown_with_line_and_column_and_start_nothing(warm: Service, tmp_path: Path) -> None:
    before = len(call(warm.runs_dir, "experiment", "list", "--json").json["experiments"])
    path = tmp_path / "wrong.toml"
    path.write_text('seeds = [1, 1]\nsedes = 3\n[base]\nalgo = "ppo"\n[grid]\ngamma = []\n')
    refused = call(warm.runs_dir, "experiment", "run", str(path))
    assert refused.status == 2
    for line in ("1:1: seeds: ", "2:1: sedes: ", "6:1: grid.gamma: "):
        assert f"{path}:{line}" in refused.err
    path.write_text('fail_mode = "continue"\nretries = 2\n[[variants]]\nname = "a"\n')
    assert f"{path}:2:1: retries: " in call(warm.runs_dir, "experiment", "run", str(path)).err
    path.write_text('[[variants]]\nname = "a"\n[variants.changes.hyperparameters]\ngama = 0.9\n')
    assert f"{path}:4:1: " in call(warm.runs_dir, "experiment", "run", str(path)).err
    assert len(call(warm.runs_dir, "experiment", "list", "--json").json["experiments"]) == before


def test_a_thousand_combinations_need_confirmation_and_show_their_cost(warm: Service, tmp_path: Path) -> None:
    path = tmp_path / "many.yaml"
    values = [round(0.9 + 0.001 * n, 3) for n in range(50)]
    path.write_text(yaml.safe_dump({"base": BASE, "grid": {"gamma": values, "gae_lambda": values}, "seeds": 1}))
    asked = call(warm.runs_dir, "experiment", "run", str(path))
    assert asked.status == 2
    assert "2,500 runs" in asked.err
    assert "--yes" in asked.err


def test_a_search_can_be_printed_as_a_runnable_file(warm: Service) -> None:
    printed = yaml.safe_load(call(warm.runs_dir, "sweep", "--algo", "dqn", "--only", "gamma", "--print").out)
    assert list(printed["sweep"]["space"]) == ["gamma"]
    assert call(warm.runs_dir, "sweep", "--only", "gama", "--print").status == 2
    assert call(warm.runs_dir, "sweep", "--sampler", "best").status == 2


def test_a_command_without_a_service_completes_and_deletes_an_experiment(tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text(yaml.safe_dump(SPECIFICATION | {"variants": [{"name": "only"}], "seeds": 1}))
    ran = call(tmp_path / "runs", "experiment", "run", str(path))
    assert ran.status == 0, ran.err
    assert "completed: 1 of 1 trial" in ran.out
    refused = call(tmp_path / "runs", "experiment", "delete", "last")
    assert (refused.status, "--yes" in refused.err) == (2, True), "where nobody can be asked, nothing is deleted"
    assert call(tmp_path / "runs", "experiment", "delete", "last", "--yes").status == 0
    assert call(tmp_path / "runs", "experiment", "list").out.startswith("No experiment yet")


def test_ctrl_c_without_a_service_stops_an_experiment_that_can_be_resumed(tmp_path: Path) -> None:
    path, runs = tmp_path / "long.yaml", tmp_path / "runs"
    base = {**BASE, "total_timesteps": 500_000}
    path.write_text(yaml.safe_dump(SPECIFICATION | {"base": base, "variants": [{"name": "only"}], "seeds": 1}))
    process = started(tmp_path, "experiment", "run", str(path), "--follow", runs_dir=str(runs))
    assert process.stdout is not None
    assert any("training" in line for line in process.stdout), "it ended before a trial trained"
    eventually(lambda: any(file.stat().st_size for file in runs.glob("ppo-*/metrics.jsonl")), "the first rows")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert "rlviz experiment resume exp-" in err
    found = call(runs, "experiment", "show", "last", "--json").json
    assert (found["status"], [cell["status"] for cell in found["cells"]]) == ("stopped", ["paused"])
