"""Scripted workers: they handle ``control.json``, write what workers write, and fail on cue."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from rlviz.domain.errors import InvalidRequest, UnknownName
from rlviz.domain.events import EventKind
from rlviz.launchers import LAUNCHERS
from rlviz.launchers.base import Exit, Train
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.rundir.journal import read_journal
from rlviz.testing.recording import names, recording
from rlviz.testing.scripted import Fault, Script, ScriptedLauncher, script_from_environment
from tests.support.scripted import Api, cued, scripted_api
from tests.support.training import events, kinds, make_run, messages
from tests.support.waiting import eventually

WAITS = 3_000
"""The step at which scripts hold training, so that a test can act on a run that trains."""

SHOWN = 2_500
"""A step that such a run has shown by then: there is not a row at every step."""


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Api]:
    """A service whose runs wait at step WAITS for a request."""
    with scripted_api(tmp_path, cued((WAITS, Fault.WAIT))) as api:
        yield api


def test_every_algorithm_and_random_play_has_a_recording() -> None:
    assert set(names()) == {*ALGORITHMS.names(), "random"}


def test_a_run_goes_from_start_to_finish(tmp_path: Path) -> None:
    with scripted_api(tmp_path) as api:
        run_id = api.start(total_timesteps=20_000)
        run = api.becomes(run_id, "completed")
        assert run["step"] >= 20_000
        assert run["episodes"] > 50
        assert api.folder(run_id).model_path.is_file()
        curves = api.get(f"/runs/{run_id}/metrics/curves", params={"names": "episode/reward"})
        assert curves["series"]


def test_a_stop_ends_the_run_with_a_policy(api: Api) -> None:
    run_id = api.start()
    api.reaches(run_id, SHOWN)
    api.send("POST", f"/runs/{run_id}/stop")
    run = api.becomes(run_id, "stopped")
    assert run["step"] < 2 * WAITS
    assert api.folder(run_id).model_path.is_file()


def test_a_paused_run_resumes_from_its_snapshot(api: Api) -> None:
    run_id = api.start(total_timesteps=8_000)
    api.reaches(run_id, SHOWN)
    api.send("POST", f"/runs/{run_id}/pause")
    paused = api.becomes(run_id, "paused")
    api.send("POST", f"/runs/{run_id}/resume", {})
    done = api.becomes(run_id, "completed")
    assert (done["attempt"], done["resumed"]["step"]) == (2, paused["step"])
    rows = [row["step"] for row in _rows(api, run_id)]
    assert rows == sorted(rows), "no row was written twice"


def test_a_snapshot_is_taken_under_the_requested_name(api: Api) -> None:
    run_id = api.start()
    api.reaches(run_id, SHOWN)
    api.send("POST", f"/runs/{run_id}/snapshots", {"name": "before-the-change", "message": "Just in case"})
    api.send("POST", f"/runs/{run_id}/pause")
    api.becomes(run_id, "paused")
    found = {one["name"]: one for one in api.get(f"/runs/{run_id}/snapshots")["snapshots"]}
    assert found["before-the-change"]["message"] == "Just in case"


def test_an_evaluation_has_its_episodes_a_video_and_step_records(api: Api) -> None:
    run_id = api.start(total_timesteps=2_000)
    api.becomes(run_id, "completed")
    asked = api.send("POST", f"/runs/{run_id}/evaluations", {"episodes": 3, "seed": 7})
    done = api.once(f"/runs/{run_id}/evaluations/latest", lambda one: one["status"] == "completed")
    assert [episode["seed"] for episode in done["summary"]["episodes"]] == [7, 8, 9]
    steps = api.get(f"/runs/{run_id}/evaluations/{asked['id']}/steps", params={"to": 5})
    assert len(steps["columns"]["index"]) == 5 < steps["total"]
    video = api.ask("GET", done["video_url"].removeprefix("/api"))
    assert video.headers["content-type"] == "video/mp4"
    assert video.content[4:8] == b"ftyp"


def test_a_hyperparameter_is_set_within_its_bounds_and_the_journal_records_it(api: Api) -> None:
    run_id = api.start()
    api.reaches(run_id, SHOWN)
    change = {"kind": "set_knob", "knob": "learning_rate", "value": 0.0125}
    api.send("PATCH", f"/runs/{run_id}/knobs", {"changes": [change]})
    api.send("POST", f"/runs/{run_id}/pause")
    api.becomes(run_id, "paused")
    [changed] = events(api.folder(run_id), EventKind.HYPERPARAMETER_CHANGED)
    assert changed.data.model_dump(include={"name", "after"}) == {"name": "learning_rate", "after": 0.0125}


def test_a_rollback_starts_a_new_attempt_at_the_snapshot(api: Api) -> None:
    run_id = api.start(snapshots={"every_steps": 1_024})
    api.reaches(run_id, SHOWN)
    api.once(f"/runs/{run_id}/snapshots", lambda found: "2048" in [one["name"] for one in found["snapshots"]])
    api.send("POST", f"/runs/{run_id}/rollback", {"snapshot": "2048"})
    eventually(lambda: events(api.folder(run_id), EventKind.ROLLBACK), "the rollback")
    [back] = events(api.folder(run_id), EventKind.ROLLBACK)
    assert back.step == 2_048
    api.once(f"/runs/{run_id}", lambda run: run["attempt"] == 2)


def test_a_fork_between_snapshots_starts_at_its_step(tmp_path: Path) -> None:
    with scripted_api(tmp_path) as api:
        run_id = api.start(total_timesteps=12_000)
        api.becomes(run_id, "completed")
        assert min(one["step"] for one in api.get(f"/runs/{run_id}/snapshots")["snapshots"]) > 6_000
        fork = api.send("POST", f"/runs/{run_id}/fork", {"step": 4_000, "start": True})
        found = api.becomes(fork["id"], "completed")
        begin = found["parent"]["step"]
        assert 0 < begin < 6_000
        rows = [line.record for line in read_journal(api.folder(fork["id"]).metrics_path)]
        assert rows[0]["step"] > begin
        assert not api.folder(fork["id"]).parent.exists()


def test_a_rule_acts_on_the_recorded_rows(tmp_path: Path) -> None:
    stop_soon = {"when": {"kind": "steps", "steps": 2_000}, "do": [{"kind": "stop"}]}
    with scripted_api(tmp_path) as api:
        run_id = api.start(rules=[stop_soon])
        run = api.becomes(run_id, "completed", "stopped")
        assert 2_000 <= run["step"] < 8_000
        assert events(api.folder(run_id), EventKind.RULE_FIRED)


@pytest.mark.parametrize(
    ("fault", "status", "said"),
    [
        (Fault.CRASH, "interrupted", "killed by signal 9"),
        (Fault.EXIT, "interrupted", "exit status 3"),
        (Fault.ERROR, "failed", "The script says so."),
        (Fault.TEAR, "interrupted", "killed by signal 9"),
    ],
)
def test_a_worker_that_dies_on_cue_is_distinguished_from_one_that_fails(
    tmp_path: Path, fault: Fault, status: str, said: str
) -> None:
    with scripted_api(tmp_path, cued((WAITS, fault))) as api:
        run_id = api.start()
        run = api.becomes(run_id, "failed", "interrupted", "completed")
        assert (run["status"], said in run["cause"]) == (status, True), run["cause"]
        assert all("seq" in row for row in _rows(api, run_id))


def test_invalid_json_lines_affect_only_themselves(tmp_path: Path) -> None:
    with scripted_api(tmp_path, cued((WAITS, Fault.NONSENSE))) as api:
        run_id = api.start(total_timesteps=8_000)
        assert api.becomes(run_id, "completed")["step"] >= 8_000


def test_a_value_that_is_not_a_number_raises_a_warning(tmp_path: Path) -> None:
    with scripted_api(tmp_path, cued((WAITS, Fault.NAN))) as api:
        run_id = api.start(total_timesteps=8_000)
        api.becomes(run_id, "completed")
        assert any("train/loss is nan" in message for message in messages(api.folder(run_id)))


def test_a_worker_that_hangs_ignores_requests_until_it_is_killed(tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=10_000)
    launcher = ScriptedLauncher(script=cued((WAITS, Fault.HANG)))
    worker = launcher.launch(folder, Train())
    eventually(lambda: len(_told(folder.metrics_path)) > 20, "the hang")
    worker.terminate()
    assert worker.poll() is None
    worker.kill()
    assert eventually(worker.poll) == Exit(-9)
    assert kinds(folder) == ["started"]


def test_a_recording_is_replayed_at_the_speed_of_the_script(tmp_path: Path) -> None:
    """With a fake clock: rows are written when they are due, and not before."""
    now = [0.0]
    folder = make_run(tmp_path, total_timesteps=24_576)
    rows = recording("ppo").rows
    launcher = ScriptedLauncher(script=Script(speed=10), monotonic=lambda: now[0])
    worker = launcher.launch(folder, Train())
    eventually(lambda: _told(folder.metrics_path), "the first row, which is due at once")
    half = rows[len(rows) // 2]
    now[0] = (half.at - rows[0].at) / 10
    eventually(lambda: _last_step(folder.metrics_path) >= half.step, "half of the rows")
    assert _last_step(folder.metrics_path) <= rows[len(rows) // 2 + 20].step
    now[0] = 1e6
    assert eventually(worker.poll) == Exit(0)


def test_a_run_longer_than_its_recording_continues_in_real_time(tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=1_000_000)
    worker = ScriptedLauncher(script=Script(speed=1e6)).launch(folder, Train())
    eventually(lambda: _last_step(folder.metrics_path) > 2 * recording("ppo").end, "two laps")
    worker.terminate()
    assert eventually(worker.poll) == Exit(0)
    episodes = [
        row["values"]["episode/index"] for row in _told(folder.metrics_path) if "episode/index" in row["values"]
    ]
    assert episodes == list(range(1, len(episodes) + 1))


def test_scripts_can_be_assigned_to_runs_by_name(tmp_path: Path) -> None:
    script = Script(runs={"crash*": cued((WAITS, Fault.CRASH))})
    with scripted_api(tmp_path, script) as api:
        good, bad = api.start(name="good", total_timesteps=6_000), api.start(name="crash me", total_timesteps=6_000)
        assert api.becomes(good, "completed")
        assert api.becomes(bad, "interrupted")


def test_the_script_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RLVIZ_SCRIPT", '{"speed": 20}')
    assert script_from_environment() == Script(speed=20)
    assert isinstance(LAUNCHERS.get("scripted")(warm=False, niceness=0), ScriptedLauncher)
    path = tmp_path / "script.json"
    path.write_text('{"speed": -1}')
    monkeypatch.setenv("RLVIZ_SCRIPT", str(path))
    with pytest.raises(InvalidRequest, match="RLVIZ_SCRIPT is not a valid script"):
        script_from_environment()


def test_an_unknown_recording_or_fault_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="ppo"):
        recording("pppo")
    with pytest.raises(ValidationError, match="crash"):
        Script.model_validate({"cues": [{"do": "crsh"}]})


def _rows(api: Api, run_id: str) -> list[dict[str, object]]:
    return _told(api.folder(run_id).metrics_path)


def _told(path: Path) -> list[dict[str, Any]]:
    """Return the complete lines of a journal."""
    if not path.exists():
        return []
    return [line.record for line in read_journal(path) if line.record is not None]


def _last_step(path: Path) -> int:
    rows = _told(path)
    return rows[-1]["step"] if rows else 0
