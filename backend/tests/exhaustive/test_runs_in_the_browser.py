"""Export and import of runs through the browser's requests."""

from __future__ import annotations

from pathlib import Path

import httpx

from tests.support.bundles import POLICY
from tests.support.raw_requests import assert_problem
from tests.support.run_folders import make_run
from tests.support.service_process import serving
from tests.support.training import curves

RUN_ID = "ppo-cartpole-20261121-044130-3630"


def test_the_browser_exports_runs_as_files_and_imports_them_again(tmp_path: Path) -> None:
    make_run(tmp_path / "a" / "runs", RUN_ID, rows=50, status="completed").model_path.write_bytes(POLICY)
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
        assert there.folder(RUN_ID).model_path.read_bytes() == POLICY
        assert there.get(f"/runs/{RUN_ID}")["standing"] == "untrusted", "nothing loads it"
        assert_problem(send(bundle.content, file="run.zip"), 409)

        [run] = send(logs.content, file="logs.zip", name="from TensorBoard").json()["runs"]
        assert (run["name"], run["env_id"], run["tags"]) == ("from TensorBoard", "CartPole-v1", ["imported"])
        assert curves(there.folder(run["id"])) == curves(here.folder(RUN_ID))

        again = send(logs.content, file="logs.zip").json()
        assert (again["runs"], [one["run"]["id"] for one in again["known"]]) == ([], [run["id"]])
        [copy] = send(logs.content, file="logs.zip", again="true").json()["runs"]
        there.api("DELETE", f"/runs/{copy['id']}").raise_for_status()

        csv = b"step,loss\n" + b"".join(b"%d,0.5000000000000000\n" % step for step in range(50_000))
        [run] = send(csv, file="../progress.csv", algo="sac", env_id="Own-v0").json()["runs"]
        assert (run["algo"], run["env_id"], run["step"]) == ("sac", "Own-v0", 49_999), "more than 1 MiB"

        for content, file in ((b"", "progress.csv"), (b"nonsense", "x.zip"), (b"nonsense", "\u202e..")):
            assert_problem(send(content, file=file), 422)
        assert there.get("/runs")["total"] == 4
        assert list((there.runs_dir / ".new").iterdir()) == []
        assert list((here.runs_dir / ".new").iterdir()) == []
