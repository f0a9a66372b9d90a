"""The W&B client, logged in to a local server that works, answers 500, hangs or loses data."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.evaluation import EvaluationStatus, EvaluationSummary, VideoFacts
from rlviz.domain.sink_record import SinkRecord
from rlviz.domain.sinks import SinkKind
from rlviz.rundir.folder import Labels, RunFolder
from rlviz.rundir.sinks import is_delivered, read_sink
from tests.support.cli import call
from tests.support.delivering import Deliveries
from tests.support.evaluations import ask_in_folder
from tests.support.run_folders import append_rows, journal, make_run
from tests.support.service_process import serving
from tests.support.tracking_server import Mood, served
from tests.support.training import QUICK, rows
from tests.support.waiting import eventually
from tests.support.wandb_server import ENTITY, FakeWandb

RUN_ID = "ppo-cartpole-20261121-044130-3630"
ROWS = 1_200  # more than a sink is given at once
CURVE = [(10 * index, float(index)) for index in range(1, ROWS + 1)]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeWandb]:
    with served(FakeWandb()) as server:
        monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
        monkeypatch.setenv("WANDB_BASE_URL", server.url)
        monkeypatch.setenv("WANDB_API_KEY", "0" * 40)
        monkeypatch.setenv("WANDB_DIR", str(tmp_path / "wandb"))
        for name in ("WANDB_MODE", "WANDB_PROJECT", "WANDB_ENTITY"):
            monkeypatch.delenv(name, raising=False)
        yield server


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    folder = make_run(tmp_path / "runs", RUN_ID, rows=ROWS, status="completed")
    folder.write_labels(Labels(name="first", tags=["baseline"], notes="Why it was made."))
    return folder


Deliver = Callable[..., tuple[int, SinkRecord]]


@pytest.fixture(scope="module")
def deliveries() -> Iterator[Deliveries]:
    with closing(Deliveries()) as deliveries:
        yield deliveries


@pytest.fixture
def deliver(deliveries: Deliveries) -> Deliver:
    """Delivers in a separate process, because W&B keeps settings and connections beyond a run. As in the service, it
    does not use the helper process of an earlier test.
    """

    def deliver(folder: RunFolder, patience: float = 180.0) -> tuple[int, SinkRecord]:
        given = {name: value for name, value in os.environ.items() if name != "WANDB_SERVICE"}
        asked = (str(folder.path), "wandb", "--patience", str(patience))
        status = deliveries.deliver(*asked, environment=given)
        record = read_sink(folder, SinkKind.WANDB)
        assert record is not None
        return status, record

    return deliver


def curve(server: FakeWandb) -> list[tuple[int, float]]:
    return [(row["global_step"], row["episode/reward"]) for row in server.runs[RUN_ID].rows()]


def test_a_logged_in_user_gets_the_run_once_however_often_it_is_delivered(
    folder: RunFolder, server: FakeWandb, deliver: Deliver
) -> None:
    for _ in range(2):
        status, record = deliver(folder)
        assert (status, record.problem, record.rows, record.offline) == (0, None, ROWS, False), record
        assert is_delivered(folder, record)
        assert curve(server) == CURVE
    run = server.runs[RUN_ID]
    assert record.place == f"{server.url}/{ENTITY}/rlviz/runs/{RUN_ID}"
    assert (run.display_name, run.group, run.tags, run.notes) == ("first", RUN_ID, ["baseline"], "Why it was made.")
    assert (run.config["hyperparameters/gamma"], run.config["seed"]) == (0.99, 1)
    assert (run.summary["rlviz/status"], run.state) == ("completed", "finished")
    with journal(folder.metrics_path) as metrics:
        append_rows(metrics, 5)
    assert deliver(folder)[0] == 0
    assert curve(server) == [*CURVE, *CURVE[:5]]
    assert [row["_step"] for row in run.rows()] == list(range(1, ROWS + 6))


def test_an_offline_folder_is_sent_after_a_login(
    folder: RunFolder, server: FakeWandb, deliver: Deliver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WANDB_MODE", "offline")
    assert deliver(folder)[1].offline
    assert server.asked == [], "nothing was sent"
    monkeypatch.delenv("WANDB_MODE")
    told = call(folder.path.parent, "sync")
    assert (told.status, f"{ROWS:,} rows in Weights & Biases, {server.url}" in told.out) == (0, True), told
    assert curve(server) == CURVE


@pytest.mark.parametrize("mood", [Mood.ERROR, Mood.HANGS, Mood.PAGE, Mood.FORGETS, Mood.FORGETS_SOME])
def test_a_server_that_refuses_data_has_everything_after_it_recovers(
    folder: RunFolder, server: FakeWandb, deliver: Deliver, mood: Mood, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.mood = mood
    if mood not in (Mood.FORGETS, Mood.FORGETS_SOME):
        monkeypatch.setenv("WANDB_INIT_TIMEOUT", "3")
    status, record = deliver(folder)
    assert (status, record.offset, record.rows, record.problem is not None) == (1, 0, 0, True), record
    monkeypatch.delenv("WANDB_INIT_TIMEOUT", raising=False)
    server.mood = Mood.WELL
    status, record = deliver(folder)
    assert (status, record.problem, record.rows) == (0, None, ROWS), record
    assert curve(server) == CURVE


@pytest.mark.parametrize(
    "lost", [slice(None), slice(700, None), slice(100, 101)], ids=["all", "those that came last", "one of them"]
)
def test_a_server_that_lost_rows_and_kept_their_summary_is_sent_them_again(
    folder: RunFolder, server: FakeWandb, deliver: Deliver, lost: slice
) -> None:
    """The W&B client trusts the summary, and would continue after the missing rows."""
    assert deliver(folder)[0] == 0
    run = server.runs[RUN_ID]
    del run.history[lost]
    run.summary["_step"] = ROWS
    status, record = deliver(folder)
    assert (status, record.problem) == (0, None)
    assert curve(server) == CURVE


def test_an_unreadable_line_does_not_cause_the_run_to_be_sent_again(
    folder: RunFolder, server: FakeWandb, deliver: Deliver
) -> None:
    """W&B stores row numbers, and fewer rows than these imply."""
    lines = folder.metrics_path.read_bytes().splitlines(keepends=True)
    lines[500:502] = [b"nonsense\n", b'{"seq": 502}\n']
    folder.metrics_path.write_bytes(b"".join(lines))
    assert deliver(folder)[0] == 0
    run = server.runs[RUN_ID]
    assert len(run.history) == ROWS - 2
    with journal(folder.metrics_path) as metrics:
        append_rows(metrics, 5)
    status, record = deliver(folder)
    assert (status, record.problem, is_delivered(folder, record)) == (0, None, True)
    assert curve(server) == [*CURVE[:500], *CURVE[502:], *CURVE[:5]]
    assert server.runs[RUN_ID] is run, "it was not begun in its place"
    del run.history[700]
    assert deliver(folder)[0] == 0
    assert curve(server) == [*CURVE[:500], *CURVE[502:], *CURVE[:5]], "a row that W&B has lost is still missed"


def test_a_run_without_a_network_waits_and_is_delivered_later(
    folder: RunFolder, server: FakeWandb, deliver: Deliver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Logged-in users have no offline folder."""
    monkeypatch.setenv("WANDB_BASE_URL", "http://127.0.0.1:9")  # no server listens there
    monkeypatch.setenv("WANDB_INIT_TIMEOUT", "3")
    status, record = deliver(folder)
    assert (status, record.rows, record.offline, record.problem is not None) == (1, 0, False, True), record
    assert server.asked == []
    monkeypatch.setenv("WANDB_BASE_URL", server.url)
    monkeypatch.delenv("WANDB_INIT_TIMEOUT")
    assert deliver(folder)[0] == 0
    assert curve(server) == CURVE


def test_a_server_that_stops_responding_during_delivery_is_sent_the_rows_later(
    folder: RunFolder, server: FakeWandb, deliver: Deliver, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = server.respond

    def fall_silent(path: str, query: dict[str, str], body: bytes) -> Any:
        if b"wandb-history" in body:
            server.mood = Mood.HANGS
        return original(path, query, body)

    monkeypatch.setattr(server, "respond", fall_silent)
    status, record = deliver(folder, patience=6.0)
    assert (status, record.rows, "did not answer" in (record.problem or "")) == (1, 0, True), record
    monkeypatch.undo()
    monkeypatch.setenv("WANDB_BASE_URL", server.url)
    server.mood = Mood.WELL
    assert deliver(folder)[0] == 0
    assert curve(server) == CURVE


def test_the_newest_video_is_an_artifact_and_is_retried_after_a_refusal(
    folder: RunFolder, server: FakeWandb, deliver: Deliver
) -> None:
    record = ask_in_folder(folder)
    size = {"width": 2, "height": 2, "fps": 30.0, "frames": 1, "duration": 0.1, "size_bytes": 3_000}
    video = VideoFacts(file=f"eval/{record.id}.mp4", **size)
    summary = EvaluationSummary(
        episodes=[], episode_return=None, episode_length=None, terminated=0, truncated=0, video=video
    )
    done = {"status": EvaluationStatus.COMPLETED, "summary": summary}
    folder.evaluations.write(record.model_copy(update=done))
    folder.evaluations.video_path(record.id).write_bytes(b"mp4" * 1_000)

    taken = server.operations.pop("CreateArtifact")
    status, told = deliver(folder)
    assert (status, told.rows, told.problem is not None, is_delivered(folder, told)) == (1, ROWS, True, False), told
    server.operations["CreateArtifact"] = taken
    assert deliver(folder)[0] == 0
    assert server.artifacts == {f"video-{RUN_ID}": {f"{record.id}.mp4": b"mp4" * 1_000}}


@pytest.mark.timeout(900)  # delivery workers have the lowest priority
def test_a_run_trains_to_its_end_while_wandb_is_down_and_is_delivered_later(
    tmp_path: Path, server: FakeWandb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WANDB_INIT_TIMEOUT", "60")  # wandb's own processes take long to start on a busy machine
    server.mood = Mood.HANGS
    wanted = {"algo": "ppo", "preset": None, "total_timesteps": 512, "hyperparameters": QUICK["ppo"], "start": True}
    with serving(tmp_path, max_concurrent_runs="1") as service:
        run_id = service.api("POST", "/runs", json={**wanted, "sinks": ["wandb"]}).json()["id"]
        assert service.wait_for_status(run_id, "completed")["warnings"] == 0

        def state() -> str:
            (sink,) = service.get(f"/runs/{run_id}/sinks")["sinks"]
            return str(sink["state"])

        eventually(lambda: state() == "failing", "the failure", 300.0)
        server.mood = Mood.WELL
        service.api("POST", f"/runs/{run_id}/sinks/wandb/deliver").raise_for_status()
        eventually(lambda: state() == "delivered", "all of it", 300.0)
        logged = [row["step"] for row in rows(RunFolder(tmp_path / "runs", run_id))]
    assert [row["global_step"] for row in server.runs[run_id].rows()] == logged
    assert server.runs[run_id].state == "finished"
