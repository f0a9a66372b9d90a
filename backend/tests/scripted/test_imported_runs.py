"""Runs that come from other tools' logs and from other services, through the command and the browser's requests."""

from __future__ import annotations

from pathlib import Path

import httpx

from tests.support.cli import call
from tests.support.raw_requests import assert_problem
from tests.support.run_folders import make_run
from tests.support.service_process import IMPATIENT, serving
from tests.support.training import curves

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


def test_the_browser_takes_runs_away_as_files_and_brings_them_in_again(tmp_path: Path) -> None:
    make_run(tmp_path / "a" / "runs", RUN_ID, rows=50, status="completed").model_path.write_bytes(b"a policy")
    make_run(tmp_path / "b" / "runs", "other-run", status="completed")
    with serving(tmp_path / "a", launcher="scripted") as here, serving(tmp_path / "b") as there:
        bundle = here.api("GET", f"/runs/{RUN_ID}/bundle")
        logs = here.api("GET", f"/runs/{RUN_ID}/tensorboard")
        assert f'filename="{RUN_ID}.zip"' in bundle.headers["content-disposition"]
        assert_problem(here.api("GET", "/runs/no-run/bundle"), 404)

        def send(content: bytes, **query: str) -> httpx.Response:
            return there.api("POST", "/runs/import", content=content, params=query)

        taken = send(bundle.content, file="C:\\Users\\me\\run.zip")
        assert taken.status_code == 201, taken.text
        [run] = taken.json()["runs"]
        assert (run["id"], run["status"], run["step"]) == (RUN_ID, "completed", here.get(f"/runs/{RUN_ID}")["step"])
        assert not there.folder(RUN_ID).model_path.exists(), "policies are not taken"
        assert_problem(send(bundle.content, file="run.zip"), 409)

        [run] = send(logs.content, file="logs.zip", name="from TensorBoard").json()["runs"]
        assert (run["name"], run["env_id"], run["tags"]) == ("from TensorBoard", "CartPole-v1", ["imported"])
        assert curves(there.folder(run["id"])) == curves(here.folder(RUN_ID))

        again = send(logs.content, file="logs.zip").json()
        assert (again["runs"], [one["run"]["id"] for one in again["known"]]) == ([], [run["id"]])
        [copy] = send(logs.content, file="logs.zip", again="true").json()["runs"]
        there.api("DELETE", f"/runs/{copy['id']}").raise_for_status()

        csv = b"step,loss\n" + b"".join(b"%d,0.5\n" % step for step in range(200_000))
        [run] = send(csv, file="../progress.csv", algo="sac", env_id="Own-v0").json()["runs"]
        assert (run["algo"], run["env_id"], run["step"]) == ("sac", "Own-v0", 199_999), "more than 1 MiB"

        for content, file in ((b"", "progress.csv"), (b"nonsense", "x.zip"), (b"nonsense", "\u202e..")):
            assert_problem(send(content, file=file), 422)
        assert there.get("/runs")["total"] == 4
        assert list((there.runs_dir / ".new").iterdir()) == []
        assert list((here.runs_dir / ".new").iterdir()) == []


def test_a_file_beyond_the_bound_is_refused_as_it_comes_and_leaves_nothing(tmp_path: Path) -> None:
    bound = "from rlviz.domain.limits import LIMITS; LIMITS.import_bytes.__dict__['maximum'] = 100_000"
    with serving(tmp_path, script=f"{bound}\n{IMPATIENT}", launcher="scripted") as service:
        assert_problem(service.api("POST", "/runs/import", params={"file": "x.csv"}, content=bytes(200_000)), 413)
        assert service.get("/runs")["total"] == 0
        assert list((service.runs_dir / ".new").iterdir()) == []
