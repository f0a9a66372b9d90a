"""Imports of logs and bundles, and trust in imported runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.origin import ORIGIN
from rlviz.domain.sinks import SinkKind
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.sinks import add_sink
from tests.support.bundles import POLICY, bundle_of
from tests.support.cli import Ended, call
from tests.support.raw_requests import assert_problem
from tests.support.run_folders import make_run
from tests.support.service_process import IMPATIENT, serving

RUN_ID = "ppo-cartpole-20261121-044130-3630"


def test_a_folder_of_logs_becomes_runs_that_are_listed_compared_and_exported(tmp_path: Path) -> None:
    for name, text in (("a", "step,rollout/ep_rew_mean\n1,2.5\n2,3.5\n"), ("b", "step,rollout/ep_rew_mean\n1,9\n")):
        (tmp_path / "logs" / name).mkdir(parents=True)
        (tmp_path / "logs" / name / "progress.csv").write_text(text)
    with serving(tmp_path, launcher="scripted") as service:
        brought = call(service.runs_dir, "import", str(tmp_path / "logs"), "--env", "CartPole-v1", "--json")
        assert (brought.status, brought.json["refused"]) == (0, [])
        ids = [run["id"] for run in brought.json["runs"]]
        assert {run["id"] for run in service.get("/runs", params={"tag": "imported"})["runs"]} == set(ids)
        assert {run["status"] for run in brought.json["runs"]} == {"completed"}
        compared = service.get(f"/compare?runs={','.join(ids)}")
        assert [run["ep_rew_mean"] for run in brought.json["runs"]] == [3.5, 9.0]
        assert compared
        exported = call(service.runs_dir, "export", ids[0], "--format", "csv")
        assert [line.split(",")[2:] for line in exported.out.splitlines()[1:]] == [["1", "2.5"], ["2", "3.5"]]

        (tmp_path / "logs" / "b" / "progress.csv").write_text("")
        known = call(service.runs_dir, "import", str(tmp_path / "logs" / "a"))
        assert (known.status, f"is {ids[0]}. `--again` imports it" in known.err) == (4, True), known
        partly = call(service.runs_dir, "import", str(tmp_path / "logs"), "--again")
        assert partly.status == 1
        assert "from a progress file" in partly.out
        assert "Not imported: logs/b: progress.csv is empty" in partly.err
        assert call(service.runs_dir, "import", str(tmp_path / "none")).status == 3
        assert call(service.runs_dir, "import", str(tmp_path / "logs" / "b")).status == 2
        assert service.get("/runs")["total"] == 3


def test_an_oversized_upload_is_refused_while_it_arrives_and_leaves_nothing(tmp_path: Path) -> None:
    bound = "from rlviz.domain.limits import LIMITS; LIMITS.import_bytes.__dict__['maximum'] = 100_000"
    with serving(tmp_path, script=f"{bound}\n{IMPATIENT}", launcher="scripted") as service:
        assert_problem(service.api("POST", "/runs/import", params={"file": "x.csv"}, content=bytes(200_000)), 413)
        assert service.get("/runs")["total"] == 0
        assert list((service.runs_dir / ".new").iterdir()) == []


def test_an_imported_run_is_trusted_only_with_the_content_the_user_was_shown(tmp_path: Path) -> None:
    make_run(tmp_path / "a", RUN_ID, status="completed").model_path.write_bytes(POLICY)
    bundle = bundle_of(RunFolder(tmp_path / "a", RUN_ID), tmp_path / "run.zip")
    with serving(tmp_path) as service:
        assert_problem(service.api("GET", "/runs/no-run/trust"), 404)
        service.api("POST", "/runs/import", content=bundle.read_bytes(), params={"file": "run.zip"})
        place = f"/runs/{RUN_ID}/trust"
        seen = service.get(place)
        assert (seen["standing"], seen["policies"], seen["snapshots"], seen["entry_points"]) == ("untrusted", 1, 0, [])
        assert (seen["came_from"]["run_id"], seen["came_from"]["left_out"]) == (RUN_ID, [])
        evaluation = {"episodes": 1}
        refused = service.api("POST", f"/runs/{RUN_ID}/evaluations", json=evaluation)
        assert_problem(refused, 409)
        assert f"rlviz trust {RUN_ID}" in refused.json()["detail"]

        assert_problem(service.api("POST", place, json={"content_hash": "0" * 64}), 409)
        assert_problem(service.api("POST", place, json={}), 422)
        assert_problem(service.api("POST", place, json={"content_hash": "yes"}), 422)
        assert service.get(f"/runs/{RUN_ID}")["standing"] == "untrusted"

        trusted = service.api("POST", place, json={"content_hash": seen["content_hash"]}).json()
        assert trusted["standing"] == "trusted"
        assert service.api("POST", place, json={"content_hash": seen["content_hash"]}).json() == trusted
        assert service.get(f"/runs/{RUN_ID}")["standing"] == "trusted"

        assert service.api("DELETE", place).json()["standing"] == "untrusted"
        assert_problem(service.api("POST", f"/runs/{RUN_ID}/evaluations", json=evaluation), 409)


def test_the_command_shows_grants_lists_and_revokes_trust(tmp_path: Path) -> None:
    make_run(tmp_path / "a", RUN_ID, status="completed").model_path.write_bytes(POLICY)
    bundle = bundle_of(RunFolder(tmp_path / "a", RUN_ID), tmp_path / "run.zip")
    runs_dir = tmp_path / "runs"

    def trust(*arguments: str) -> Ended:
        return call(runs_dir, "trust", *arguments)

    def listed() -> set[str]:
        return {one["id"] for one in trust("--list", "--json").json["runs"]}

    assert f"rlviz trust {RUN_ID}" in call(runs_dir, "import", str(bundle)).err
    assert trust(RUN_ID, "--show").out.startswith(f"{RUN_ID} is not trusted. Blocked: 1 policy file, 0 snapshots (")
    assert call(runs_dir, "evaluate", RUN_ID).status == 4
    assert RUN_ID in trust("--all").err, "imported runs are trusted one by one"
    assert trust(RUN_ID, "--show", "--json").json["standing"] == "untrusted"
    assert RUN_ID not in listed()
    assert trust(RUN_ID).out.startswith(f"{RUN_ID} is trusted. Allowed: ")
    assert RUN_ID in listed()
    assert trust(RUN_ID, "--revoke", "--json").json["standing"] == "untrusted"
    assert RUN_ID not in listed()
    assert trust().status == 2
    assert trust(RUN_ID, "--all").status == 2
    assert trust("no-run").status == 3
    assert "no folder" in trust("./no-folder").err


def test_the_command_trusts_a_folder_whose_settings_name_code(tmp_path: Path) -> None:
    (tmp_path / "rlviz.toml").write_text('environments = ["own_envs"]\nhost = "0.0.0.0"\n')

    def trust(*arguments: str) -> dict[str, Any]:
        found: dict[str, Any] = call(tmp_path / "runs", "trust", f"{tmp_path}/", "--json", *arguments).json
        return found

    names = ["environments", "host"]
    assert trust("--show") == {"folder": str(tmp_path), "trusted": False, "settings": names}
    assert trust()["trusted"]
    assert str(tmp_path) in [one["path"] for one in call(tmp_path, "trust", "--list", "--json").json["folders"]]
    assert not trust("--revoke")["trusted"]


def test_an_import_can_be_trusted_immediately_and_a_local_run_needs_no_trust(tmp_path: Path) -> None:
    make_run(tmp_path / "a", RUN_ID, status="completed").model_path.write_bytes(POLICY)
    bundle = bundle_of(RunFolder(tmp_path / "a", RUN_ID), tmp_path / "run.zip")
    assert call(tmp_path / "runs", "import", str(bundle), "--trust").status == 0
    assert call(tmp_path / "runs", "trust", RUN_ID, "--show", "--json").json["standing"] == "trusted"
    assert "needs no trust" in call(tmp_path / "a", "trust", RUN_ID).out


def test_sync_delivers_an_imported_run_only_if_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr("rlviz.cli.delivering.deliver_all", lambda wanted, **_: asked.extend(wanted))
    folder = make_run(tmp_path, RUN_ID, status="completed")
    add_sink(folder, SinkKind.TENSORBOARD)
    (folder.path / ORIGIN).write_text("{}")  # it was imported, and the plan was put there by hand
    told = call(tmp_path, "sync")
    assert (told.status, asked) == (0, [])
    assert f"{RUN_ID} came from elsewhere" in told.err
    assert call(tmp_path, "sync", RUN_ID).status == 0
    assert [(one.run_id, kind) for one, kind in asked] == [(RUN_ID, SinkKind.TENSORBOARD)]
