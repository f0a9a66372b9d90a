"""A fork between two snapshots that is paused, stopped or out of disk space while it replays its parent."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from rlviz.domain.events import EventKind
from rlviz.rundir.folder import RunFolder
from tests.exhaustive.faults.test_forking import COMPARED, REDONE, trainer_of
from tests.exhaustive.faults.test_pausing import resume
from tests.support.faults import fill, filled, steps_of, take_snapshot, times, train, whole_files
from tests.support.service_process import Service, serving
from tests.support.training import QUICK, curves, events, messages, rows
from tests.support.waiting import eventually

pytestmark = pytest.mark.faults

LONG = 300.0
"""Seconds in which a worker has trained some thousand steps, however busy the machine."""


def paused_parent(service: Service, redone: int = REDONE, **hyperparameters: int) -> tuple[RunFolder, int]:
    """A paused run, and a step well beyond the snapshot "mine" and before the next one."""
    run_id = train(service, hyperparameters={**QUICK["ppo"], **hyperparameters})
    folder = service.folder(run_id)
    step = take_snapshot(service, run_id, "mine").step + redone
    eventually(lambda: steps_of(service, run_id) > step + 500, f"step {step}", LONG)
    service.api("POST", f"/runs/{run_id}/pause", json={})
    service.wait_for_status(run_id, "paused")
    return folder, step


@pytest.fixture(scope="module")
def forked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, RunFolder, int]]:
    with serving(tmp_path_factory.mktemp("forked")) as service:
        yield service, *paused_parent(service)
        assert "Traceback" not in service.log


def begun(service: Service, parent: RunFolder, step: int) -> RunFolder:
    """A fork whose worker has started to replay its parent."""
    answer = service.api("POST", f"/runs/{parent.run_id}/fork", json={"step": step, "start": True})
    assert answer.status_code == 201, answer.text
    child = service.folder(str(answer.json()["id"]))
    eventually(lambda: trainer_of(service, child.run_id), "a worker", LONG)
    return child


def goes_on_as_its_parent(service: Service, child: RunFolder, parent: RunFolder) -> None:
    goes_on_as(service, child, curves(parent))


def goes_on_as(service: Service, child: RunFolder, theirs: list[tuple[int, dict[str, float | None]]]) -> None:
    config = child.read_config()
    assert config.parent is not None
    expected = [row for row in theirs if row[0] > config.parent.step][:COMPARED]
    assert expected
    eventually(lambda: len(curves(child)) > len(expected), "its rows", LONG)
    service.api("POST", f"/runs/{child.run_id}/pause", json={})
    service.wait_for_status(child.run_id, "paused")
    assert curves(child)[: len(expected)] == expected
    assert messages(child) == []
    assert not child.parent.exists()
    whole_files(child)


@pytest.mark.parametrize(("wish", "status"), [("pause", "paused"), ("stop", "stopped")])
def test_a_fork_held_while_it_replays_its_parent_starts_at_its_step_when_it_is_resumed(
    forked: tuple[Service, RunFolder, int], wish: str, status: str
) -> None:
    service, parent, step = forked
    for number in range(times(1, 100)):
        child = begun(service, parent, step)
        time.sleep(random.Random(number).uniform(0, REDONE / 20_000))
        assert service.get(f"/runs/{child.run_id}")["status"] == "starting"
        assert service.api("POST", f"/runs/{child.run_id}/{wish}", json={}).status_code == 202
        service.wait_for_status(child.run_id, status)
        assert rows(child) == []
        assert events(child, EventKind.STARTED) == []
        resume(service, child.run_id)
        goes_on_as_its_parent(service, child, parent)


def test_a_stop_after_a_pause_wins_while_a_fork_replays_its_parent(
    forked: tuple[Service, RunFolder, int],
) -> None:
    service, parent, step = forked
    child = begun(service, parent, step)
    for wish in ("pause", "stop"):
        service.api("POST", f"/runs/{child.run_id}/{wish}", json={})
    service.wait_for_status(child.run_id, "stopped", "paused")
    resume(service, child.run_id)
    goes_on_as_its_parent(service, child, parent)


def test_a_fork_whose_parent_is_deleted_while_it_replays_continues_unchanged(tmp_path: Path) -> None:
    with serving(tmp_path) as service:
        parent, step = paused_parent(service)
        theirs = curves(parent)
        child = begun(service, parent, step)
        assert service.api("DELETE", f"/runs/{parent.run_id}").status_code == 204
        assert service.api("DELETE", "/trash").status_code < 300
        assert not parent.path.exists()
        goes_on_as(service, child, theirs)
        assert service.get(f"/runs/{child.run_id}")["parent"]["run_id"] == parent.run_id
        refused = service.api("POST", f"/runs/{parent.run_id}/fork", json={"step": step})
        assert refused.status_code == 404
        again = service.api("POST", f"/runs/{child.run_id}/fork", json={"step": step + 200, "start": True})
        assert again.status_code == 201, again.text
        goes_on_as(service, service.folder(str(again.json()["id"])), theirs)
        assert "Traceback" not in service.log


def test_a_fork_that_finds_a_full_disk_at_its_step_reports_it_and_starts_there_later(small_disk: Path) -> None:
    with serving(small_disk, min_free_disk="0") as service:
        parent, step = paused_parent(service, redone=700, n_epochs=60)  # slow enough for the disk to fill meanwhile
        child = begun(service, parent, step)
        with filled(small_disk):
            eventually(lambda: trainer_of(service, child.run_id) is None, "the worker to give up", LONG)
            assert rows(child) == []
        run = service.wait_for_status(child.run_id, "failed", "interrupted")
        assert re.search("disk is full|No space left", run["cause"]), run["cause"]
        resume(service, child.run_id)
        goes_on_as_its_parent(service, child, parent)


def refused(folder: RunFolder) -> list[int]:
    """Return the step of each snapshot that did not fit on the disk."""
    warnings = events(folder, EventKind.WARNING)
    return [one.step for one in warnings if "snapshot" in str(one.data) and "could not be saved" in str(one.data)]


def test_a_pause_that_waits_for_disk_space_can_be_stopped(small_disk: Path) -> None:
    with serving(small_disk, min_free_disk="0") as service:
        run_id = train(service, hyperparameters={**QUICK["ppo"], "net_arch": [128, 128]})
        filler = fill(small_disk, leave=60_000)
        service.api("POST", f"/runs/{run_id}/pause", json={})
        eventually(lambda: refused(service.folder(run_id)), "a word about it", LONG)
        assert service.api("POST", f"/runs/{run_id}/stop").status_code == 202
        eventually(lambda: trainer_of(service, run_id) is None, "the worker to end", LONG)
        filler.unlink()
        if service.wait_for_status(run_id, "stopped", "paused")["status"] == "paused":  # its policy had no room either
            assert any("disk is full" in str(one.data) for one in events(service.folder(run_id), EventKind.WARNING))


def test_a_pause_whose_snapshot_does_not_fit_waits_in_place_for_disk_space(small_disk: Path) -> None:
    with serving(small_disk, min_free_disk="0") as service:
        run_id = train(service, hyperparameters={**QUICK["ppo"], "net_arch": [128, 128]})
        folder = service.folder(run_id)
        filler = fill(small_disk, leave=60_000)  # room for the wish, and for no snapshot
        assert service.api("POST", f"/runs/{run_id}/pause", json={}).status_code == 202
        first, second = eventually(lambda: len(refused(folder)) > 1 and refused(folder), "a second try", LONG)[:2]
        assert first == second, "training waits"
        assert service.get(f"/runs/{run_id}")["status"] == "pausing"
        filler.unlink()
        service.wait_for_status(run_id, "paused")
        assert resume(service, run_id)["resumed"]["diverged_at"] is None
        service.api("POST", f"/runs/{run_id}/pause", json={})
        service.wait_for_status(run_id, "paused")
        episodes = [row["values"]["episode/index"] for row in rows(folder) if "episode/index" in row["values"]]
        assert episodes == list(range(1, len(episodes) + 1))
        whole_files(folder)
