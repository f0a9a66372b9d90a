"""Commands against a running service on a real socket."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from rlviz.server.proxy import NAME, ServiceAddress, read_address
from tests.support.cases import cases
from tests.support.cli import Ended, call, shell, started
from tests.support.run_folders import make_run
from tests.support.service_process import Service, serving
from tests.support.waiting import eventually


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with a run that a command trained, and one of another algorithm that was copied into its folder."""
    folder = tmp_path_factory.mktemp("cli")
    make_run(folder / "runs", "dqn-made-up", rows=30, status="completed")
    with serving(folder, launcher="scripted") as service:
        trained = call(service.runs_dir, "run", "--steps", "1024", "--seed", "3", "--name", "Trained", "--wait")
        assert trained.status == 0, trained.err
        assert trained.out.startswith("ppo-cartpole-"), trained.out
        yield service


@pytest.fixture(scope="module")
def run_id(warm: Service) -> str:
    """The id of the trained run."""
    return str(call(warm.runs_dir, "status", "Trained", "--json").json["id"])


def test_a_service_writes_its_address_for_this_user_only_and_removes_it_at_exit(tmp_path: Path) -> None:
    with serving(tmp_path, token="open-sesame-123", launcher="scripted") as service:
        address = eventually(lambda: read_address(service.runs_dir), "The address")
        assert (address.pid, address.url) == (service.process.pid, f"http://127.0.0.1:{service.port}")
        assert address.is_alive
        path = service.runs_dir / NAME
        assert path.stat().st_mode & 0o077 == 0
        assert "open-sesame" not in path.read_text()
        told = call(service.runs_dir, "status", "--json")
        assert (told.status, told.json["url"], told.json["own"]) == (0, address.url, False)
        service.stop()
    assert not path.exists()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b'{"url": 3, "process": "x"}', b'{"url": "http://127.0.0.1:1"}', bytes(range(256))]
)
def test_an_invalid_address_file_is_ignored(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)
    assert read_address(tmp_path) is None


def test_the_address_of_an_exited_process_is_stale(tmp_path: Path) -> None:
    ServiceAddress("http://127.0.0.1:1", "process:1:1.5:another-boot").write(tmp_path)
    address = read_address(tmp_path)
    assert address is not None
    assert not address.is_alive


def test_a_setting_is_saved_and_removed(warm: Service) -> None:
    told = call(warm.runs_dir, "config", "set", "RLVIZ_KEEP_FILM", "12")
    assert told.out == "RLVIZ_KEEP_FILM is 12 (saved). It applies to new runs.\n", told.err
    assert call(warm.runs_dir, "config", "show", "--json").json["keep_film"] == {"value": 12, "source": "settings page"}
    assert call(warm.runs_dir, "config", "set", "keep_film", "many").status == 2
    assert call(warm.runs_dir, "config", "unset", "keep_film").out.startswith("RLVIZ_KEEP_FILM is 40 (default).")


def test_runs_are_listed_with_their_key_figures(warm: Service, run_id: str) -> None:
    listed = call(warm.runs_dir, "runs")
    assert listed.status == 0
    [row] = [line for line in listed.out.splitlines() if line.startswith(run_id)]
    assert "completed" in row
    assert "1024/1024" in row
    assert "\x1b" not in listed.out, "colours are for terminals"
    assert (
        call(warm.runs_dir, "runs", "--status", "running").out
        == "No run matches. `rlviz runs` without options lists all.\n"
    )
    found = call(warm.runs_dir, "runs", "--search", "Trained", "--json").json
    assert [run["id"] for run in found["runs"]] == [run_id]


@pytest.mark.parametrize("text", ["last", "Trained", "ppo-cart"])
def test_a_run_is_found_by_name_id_prefix_or_as_the_newest(warm: Service, run_id: str, text: str) -> None:
    assert call(warm.runs_dir, "status", text, "--json").json["id"] == run_id


def test_the_journal_of_a_run_is_printed_line_by_line(warm: Service, run_id: str) -> None:
    told = call(warm.runs_dir, "logs", run_id)
    assert "Training began." in told.out.splitlines()[0]
    assert "Training finished after 1,024 steps." in told.out
    assert call(warm.runs_dir, "logs", run_id, "--follow").out == told.out, (
        "It has ended, so there is nothing to follow"
    )
    as_json = [json.loads(line) for line in call(warm.runs_dir, "logs", run_id, "-f", "--json").out.splitlines()]
    assert as_json == call(warm.runs_dir, "logs", run_id, "--json").json["events"]
    assert call(warm.runs_dir, "logs", run_id, "--worker").status == 0


def test_metrics_are_shown_as_a_list_or_as_curves(warm: Service, run_id: str) -> None:
    every = call(warm.runs_dir, "metrics", run_id)
    assert {"rollout/ep_rew_mean", "train/loss"} <= {line.split()[0] for line in every.out.splitlines()}
    curve = call(warm.runs_dir, "metrics", run_id, "rollout/ep_rew_mean", "--json").json["series"]
    assert list(curve) == ["rollout/ep_rew_mean"]
    rows = call(warm.runs_dir, "metrics", run_id, "rollout/ep_rew_mean").out.splitlines()
    assert len(rows) == 1 + len(curve["rollout/ep_rew_mean"]["x"])


def test_a_comparison_shows_figures_and_differing_settings(warm: Service, run_id: str) -> None:
    told = call(warm.runs_dir, "compare", run_id, "dqn-made-up")
    assert told.status == 0
    assert "Final return" in told.out
    assert any(line.startswith("seed ") for line in told.out.splitlines())
    assert call(warm.runs_dir, "compare", run_id, "dqn-made-up", "--json").json["figures"]


def test_a_comparison_aggregates_the_seeds_of_a_group_by_default(tmp_path: Path) -> None:
    with serving(tmp_path, launcher="scripted") as service:
        body = {"algo": "ppo", "name": "twice", "seeds": [4, 7], "total_timesteps": 1_000}
        runs = [run["id"] for run in service.api("POST", "/runs/groups", json=body).json()["runs"]]
        other = service.create(name="alone")["id"]
        together = call(service.runs_dir, "compare", *runs, other)
        assert together.status == 0, together.err
        assert together.out.splitlines()[0].split() == ["FIGURE", "twice", "alone"], "one column for both seeds"
        assert "4, 7" in next(line for line in together.out.splitlines() if line.startswith("seed "))
        apart = call(service.runs_dir, "compare", *runs, other, "--apart").out
        assert ("seed" in apart.splitlines()[0], "WHY" in apart.splitlines()[0]) == (True, True)


@pytest.fixture(scope="module")
def evaluation(warm: Service, run_id: str) -> dict[str, Any]:
    ended = call(warm.runs_dir, "evaluate", run_id, "--episodes", "2", "--seed", "5", "--no-video", "--json")
    assert ended.status == 0, ended.err
    return dict(ended.json)


def test_an_evaluation_is_listed_among_the_events(warm: Service, run_id: str, evaluation: dict[str, Any]) -> None:
    events = call(warm.runs_dir, "logs", run_id, "--json").json["events"]
    (found,) = (event for event in events if event["kind"] == "evaluation")
    assert (found["seq"], found["level"], found["step"]) == (None, "info", evaluation["checkpoint_step"])
    assert found["details"]["evaluation_id"] == evaluation["id"]
    mean = evaluation["summary"]["episode_return"]["mean"]
    assert f"was evaluated over 2 episodes: mean return {mean:.1f}" in found["message"]
    assert found["message"] in call(warm.runs_dir, "logs", run_id).out
    assert [event["time"] for event in events] == sorted(event["time"] for event in events)


def test_the_command_waits_for_an_evaluation_and_prints_its_result(
    warm: Service, run_id: str, evaluation: dict[str, Any]
) -> None:
    assert evaluation["status"] == "completed"
    assert [episode["seed"] for episode in evaluation["summary"]["episodes"]] == [5, 6]
    assert evaluation["id"] in call(warm.runs_dir, "evaluations", run_id).out


def test_actions_are_listed_filtered_and_paged(warm: Service, run_id: str, evaluation: dict[str, Any]) -> None:
    steps = sum(episode["episode_length"] for episode in evaluation["summary"]["episodes"])
    told = call(warm.runs_dir, "actions", run_id, "last", "--columns", "episode,index,action", "--limit", "3")
    lines = told.out.splitlines()
    assert [line.split() for line in lines[:2]] == [["episode", "index", "action"], ["0", "0"]]
    assert len(lines) == 5
    ones = call(warm.runs_dir, "actions", run_id, evaluation["id"], "--where", "action:1", "--limit", "2000", "--json")
    assert set(ones.json["columns"]["action"]) == {1}
    assert 0 < ones.json["total"] < steps
    none = call(warm.runs_dir, "actions", run_id, "last", "--where", "reward < 0")
    assert (none.status, none.out) == (0, "No step matches.\n")


def test_the_steps_of_evaluations_are_streamed_as_they_arrive(
    warm: Service, run_id: str, evaluation: dict[str, Any]
) -> None:
    steps = sum(episode["episode_length"] + 1 for episode in evaluation["summary"]["episodes"])
    told = call(warm.runs_dir, "actions", run_id, "--follow", "--json")
    rows = [json.loads(line) for line in told.out.splitlines()]
    assert (len(rows), {row["evaluation"] for row in rows}) == (steps, {evaluation["id"]})
    assert f"{evaluation['id']}: policy of step 1024, return " in told.err
    following = started(warm.runs_dir.parent, "actions", run_id, "-f", "--episode", "0", "--columns", "index,action")
    with following.stdout as printed, following.stderr:
        assert printed.readline() == "index 0\n"
        assert printed.readline() in ("index 1  action 0\n", "index 1  action 1\n")
    following.wait()
    assert call(warm.runs_dir, "actions", run_id, evaluation["id"], "--follow").status == 2


def test_every_row_of_the_journal_is_exported(warm: Service, run_id: str, tmp_path: Path) -> None:
    journal = [json.loads(line) for line in warm.folder(run_id).metrics_path.read_text().splitlines()]
    for name in ("m.csv", "m.json", "m.parquet"):
        assert call(warm.runs_dir, "export", run_id, "-o", str(tmp_path / name)).status == 0
    told = call(warm.runs_dir, "export", run_id, "-o", str(tmp_path / "m.csv"), "--json").json
    assert told == {"path": str(tmp_path / "m.csv"), "rows": len(journal), "bytes": (tmp_path / "m.csv").stat().st_size}
    assert call(warm.runs_dir, "export", run_id, "--json").status == 2, "two answers on one standard output"
    table = pq.read_table(tmp_path / "m.parquet")
    assert table.column("seq").to_pylist() == [row["seq"] for row in journal]
    returns = [row["values"].get("episode/reward") for row in journal]
    assert table.column("episode/reward").to_pylist() == returns
    assert [row.get("episode/reward") for row in json.loads((tmp_path / "m.json").read_text())] == returns
    assert len((tmp_path / "m.csv").read_text().splitlines()) == 1 + len(journal)
    config = call(warm.runs_dir, "export", run_id, "--what", "config", "--format", "json").json
    assert config == warm.get(f"/runs/{run_id}/config")


def test_a_torn_or_damaged_journal_is_exported_without_its_unreadable_lines(warm: Service, tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    journal = make_run(warm.runs_dir, "torn-run", rows=4, status="completed").metrics_path
    assert warm.api("POST", "/runs/torn-run/take-up").is_success
    whole = journal.read_bytes()
    journal.write_bytes(whole + b'null\n{"seq": 9, "step": 3}\n' + whole[:30])
    for _ in range(2):
        ended = call(warm.runs_dir, "export", "torn-run", "--format", "tensorboard", "-o", str(tmp_path / "logs"))
        assert ended.status == 0, ended.err
    found = EventAccumulator(str(tmp_path / "logs"))
    found.Reload()
    assert [one.value for one in found.Scalars("episode/reward")] == [1.0, 2.0, 3.0, 4.0]
    exported = call(warm.runs_dir, "export", "torn-run", "--format", "json").json
    assert [row["episode/reward"] for row in exported] == [1.0, 2.0, 3.0, 4.0]
    journal.write_bytes(whole)
    assert call(warm.runs_dir, "delete", "torn-run").status == 0
    assert warm.api("DELETE", "/trash/torn-run").is_success


@cases(
    ("arguments", "status", "says"),
    [
        (["status", "nobody"], 3, "There is no run 'nobody'"),
        (["actions", "Trained", "eval_20200101-000000-000"], 3, "`rlviz evaluations "),
        (["snapshot", "restore", "Trained", "nothing"], 3, "nothing"),
        (["restore", "nobody"], 3, "`rlviz trash list` lists"),
        (["pause", "Trained"], 4, "completed"),
        (["snapshot", "create", "Trained"], 4, "completed"),
        (["run", "--algo", "pppo"], 2, "Did you mean 'ppo'?"),
        (["run", "--set", "learning_rat=1"], 2, "Did you mean 'learning_rate'?"),
        (["run", "--set", "gamma"], 2, "NAME=VALUE"),
        (["run", "--steps", "many"], 2, "--steps"),
        (["run", "--steps", "1"], 2, "rlviz: --steps: Input should be greater than or equal to 100\n"),
        (["run", "--set", "gamma=x"], 2, "--set gamma: Input should be a valid number"),
        (["run", "--snapshot-every-steps", "1"], 2, "--snapshot-every-steps: Input should be"),
        (["metrics", "Trained", "rollout/ep_rew"], 3, "Did you mean rollout/ep_rew_mean? `rlviz metrics "),
        (["environments", "CartPol"], 3, "Did you mean CartPole-v1?"),
        (["compare", "Trained"], 2, "Name at least two runs"),
        (["storage", "add", "remove"], 2, "remove needs --what."),
        (["storage", "add", "keep-newest"], 2, "keep-newest needs --kind and --keep."),
        (["storage", "quota", "video", "5e9"], 2, "Did you mean videos?"),
        (["play", "--env", "CartPole", "--no-open"], 3, "Did you mean CartPole-v1?"),
        (["experiment", "run", "nothing.yaml"], 3, "no file nothing.yaml"),
        (["config", "check", "nothing.yaml"], 3, "no file nothing.yaml"),
        (["config", "migrate", "nothing.json"], 3, "no file nothing.json"),
        (["runs", "--status", "flying"], 2, "--status: Input should be 'created'"),
        (["runs", "--sort", "beauty"], 2, "beauty"),
        (["status", "x" * 5_000], 3, "There is no run"),
        (["status", "../../etc/passwd"], 3, "There is no run"),
        (["status", ""], 2, "matches 2 runs"),
        (["export", "Trained", "-o", "curves.xlsx"], 2, "--format"),
        (["export", "Trained", "-o", "/nowhere/m.csv"], 2, "/nowhere/m.csv"),
        (["export", "Trained", "--format", "tensorboard", "-o", "/dev/null"], 2, "need a folder"),
        (["--config", "nowhere.toml", "runs"], 2, "nowhere.toml"),
        (["prune", "--json"], 0, ""),
    ],
)
def test_an_impossible_request_exits_with_its_status_and_a_sentence(
    warm: Service, run_id: str, arguments: list[str], status: int, says: str
) -> None:
    ended = call(warm.runs_dir, *arguments)
    assert (ended.status, says in ended.err) == (status, True), ended.err
    assert "Traceback" not in ended.err


def test_an_authentication_error_of_the_service_is_reported_as_such(tmp_path: Path) -> None:
    with serving(tmp_path, token="open-sesame-123", launcher="scripted") as service:
        address = eventually(lambda: read_address(service.runs_dir), "The address")
        ServiceAddress(address.url, address.process, "wrong").write(service.runs_dir)
        ended = shell(tmp_path, "runs", runs_dir=str(service.runs_dir))
        assert ended.returncode == 5, ended.stderr
        assert f"{address.url} denies access" in ended.stderr


def test_a_deleted_run_can_be_restored_and_the_trash_is_emptied_only_on_request(warm: Service) -> None:
    created = call(warm.runs_dir, "run", "--steps", "200", "--algo", "random", "--name", "Chance", "--wait", "--json")
    run = created.json["id"]
    assert call(warm.runs_dir, "delete", run).status == 0
    assert call(warm.runs_dir, "status", run).status == 3
    refused = call(warm.runs_dir, "prune")
    assert (refused.status, "--yes" in refused.err) == (2, True)
    declined = call(warm.runs_dir, "prune", typed="n\n")
    assert (declined.status, "Nothing was done." in declined.err) == (1, True)
    broken_off = call(warm.runs_dir, "prune", typed="")
    assert (broken_off.status, "Interrupted." in broken_off.err) == (130, True), "as Ctrl-C at the question does"
    assert call(warm.runs_dir, "prune", "--dry-run").status == 0
    assert call(warm.runs_dir, "restore", run).out.startswith(f"{run} completed")
    assert call(warm.runs_dir, "delete", run).status == 0
    assert call(warm.runs_dir, "prune", "--yes").status == 0
    assert call(warm.runs_dir, "restore", run).status == 3


def test_the_address_of_a_page_is_printed(warm: Service, run_id: str, evaluation: dict[str, Any]) -> None:
    base = f"http://127.0.0.1:{warm.port}"
    assert call(warm.runs_dir, "watch", run_id, "--no-open").out == f"{base}/runs/view?id={run_id}&view=live\n"
    first, second = evaluation["summary"]["episodes"][:2]
    page = f"{base}/runs/view?id={run_id}&view=evaluation&evaluation={evaluation['id']}"
    assert call(warm.runs_dir, "replay", run_id, "--no-open").out == f"{page}\n"
    begun = call(
        warm.runs_dir, "replay", run_id, evaluation["id"], "--episode", "1", "--step", "3", "--no-open", "--json"
    )
    assert begun.json == {"url": f"{page}&frame={second['first_frame'] + 3}"}
    assert second["first_frame"] == first["episode_length"] + 1
    assert call(warm.runs_dir, "replay", run_id, "--episode", "99", "--no-open").status == 3
    assert call(warm.runs_dir, "replay", run_id, "--step", "9999", "--no-open").status == 3
    assert call(warm.runs_dir, "play", "--env", "CartPole-v1", "--no-open").out == f"{base}/play?env=CartPole-v1\n"


def test_a_command_succeeds_when_its_standard_error_is_closed(warm: Service) -> None:
    command = started(warm.runs_dir.parent, "run", "--algo", "random", "--no-start")
    command.stderr.close()
    with command.stdout as printed:
        run = printed.read().strip()
    assert command.wait() == 0
    assert warm.get(f"/runs/{run}")["status"] == "created"
    assert call(warm.runs_dir, "delete", run).status == 0


def test_the_doctor_writes_the_whole_state_into_one_archive_without_secrets(
    warm: Service, run_id: str, tmp_path: Path
) -> None:
    path = tmp_path / "state.zip"
    told = call(warm.runs_dir, "doctor", "--output", str(path), "--run", run_id, "--json").json
    with zipfile.ZipFile(path) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    assert (told["path"], told["files"]) == (str(path), len(found))
    assert {"doctor.json", "settings.json", "versions.json", "health.json", "runs.json", "storage.json"} <= found.keys()
    assert json.loads(found[f"{run_id}/run.json"])["config"]["seed"] == 3
    assert {f"{run_id}/{name}" for name in ("events.json", "evaluations.json", "snapshots.json")} <= found.keys()
    assert json.loads(found["settings.json"])["token"]["value"] in ("", None, "********")
    call(warm.runs_dir, "doctor", "--output", str(path), "--run", "dqn-made-up")
    with zipfile.ZipFile(path) as archive:
        assert b"worker.log" in archive.read("dqn-made-up/worker.log.missing.txt")
    assert call(warm.runs_dir, "doctor", "--run", run_id).status == 2


def test_the_doctor_finds_the_service(warm: Service) -> None:
    told: Ended = call(warm.runs_dir, "doctor", "--json")
    found = {finding["about"]: finding for finding in told.json}
    looked_at = {
        "runs folder",
        "disk",
        "memory",
        "service",
        "lock",
        "versions",
        "catalogue",
        "browsers",
        "pages",
        "packages",
        "time",
    }
    assert found.keys() == looked_at
    assert f"Process {warm.process.pid} answers" in found["service"]["says"]
    assert told.status == 0
