"""When snapshots are taken, what is kept of them, and that training does not wait for the disk."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import torch
from stable_baselines3 import PPO

from rlviz.domain.config import RunConfig
from rlviz.domain.environment import CustomEnvironment, StateKept
from rlviz.domain.errors import ArtifactNotFound, InvalidRequest
from rlviz.domain.events import EventKind
from rlviz.domain.snapshot import Built, Origin, SnapshotManifest, Trigger, check_name
from rlviz.domain.snapshot_plan import SnapshotPlan
from rlviz.domain.spaces import Space
from rlviz.rundir.control import SnapshotRequest
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.inherit import inherit
from rlviz.rundir.lineage import newest_of_run
from rlviz.rundir.snapshot_key import snapshot_key
from rlviz.rundir.snapshot_retention import delete_snapshot, drop_segments, retain_snapshots
from rlviz.rundir.snapshots import (
    bytes_of,
    snapshots_of,
    write_snapshot,
)
from rlviz.training.journals import RunJournals
from rlviz.training.recomputed import Recomputed
from rlviz.training.snapshot import schedule
from rlviz.training.snapshot.archive import read_archive
from rlviz.training.snapshot.capture import Captured
from rlviz.training.snapshot.schedule import FIRST_SHARE, SHORTEST_SECONDS, Snapshots, Subject
from rlviz.training.snapshot.writer import Writer
from rlviz.training.watched_training import train_run
from tests.support.stubborn import Counting
from tests.support.training import checkpoints, events, kinds, make_run, messages, rows, snapshots

EASY = CustomEnvironment(
    entry_point=f"{Counting.__module__}:{Counting.__name__}",
    summary="",
    observation_space=Space("Box", shape=(2,)),
    action_space=Space("Discrete", n=2),
    reward_threshold=-1_000.0,
    max_episode_steps=30,
    render_fps=10,
    state_kept_by=StateKept.REPLAY,
).model_dump()
"""Whatever is done there reaches the threshold."""

BUILT = Built(algo="ppo", env_id="CartPole-v1", config_digest="d", environments=(("a.B",),))
ORIGIN = Origin(versions={}, capability="c", threads=1)


def written(folder: RunFolder, step: int, *, size: int = 10, **said: Any) -> SnapshotManifest:
    manifest = SnapshotManifest(
        **{
            "run_id": folder.run_id,
            "name": str(step),
            "step": step,
            "attempt": 1,
            "trigger": Trigger.PERIODIC,
            "time": float(step),
            "point": "rollout",
            "last_row": 0,
            "built": BUILT,
            "origin": ORIGIN,
            "capture_ms": 1.0,
            **said,
        }
    )
    write_snapshot(folder, manifest, {"state.pkl.zst": b"s" * size})
    return manifest


def names(folder: RunFolder) -> list[str]:
    return [snapshot.name for snapshot in snapshots_of(folder)]


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Taken:
    """Snapshots of a training that is only pretended, at the step that ``at`` says."""

    def __init__(self, folder: RunFolder, answered: int = 0, **plan: Any) -> None:
        self.folder, self.clock, self.journals = folder, Clock(), RunJournals(folder)
        self.captured: list[int] = []
        self.subject = Subject(folder.run_id, 1, BUILT, ORIGIN)
        self.snapshots = Snapshots(
            folder,
            SnapshotPlan(**plan),
            self.journals,
            self._capture,
            self.subject,
            answered=answered,
            monotonic=self.clock,
        )
        self._step = 0
        self.requests: list[SnapshotRequest] = []

    def ask(self, name: str | None = None, message: str = "") -> None:
        """A person does, and both the watcher and the trainer hear of it."""
        self.requests.append(SnapshotRequest(number=len(self.requests) + 1, name=name, message=message))
        self.snapshots.asked.hear(self.requests)
        self.snapshots.asked.hear(self.requests)

    def _capture(self, point: Any) -> Captured:
        self.captured.append(self._step)
        return Captured(self._step, point, 0, b"state", {}, ())

    def at(self, step: int, seconds: float) -> None:
        """Begin a rollout at that step and time."""
        self._step, self.clock.now = step, seconds
        self.snapshots.tick()
        if self.snapshots.is_due(step, is_evaluated=False):
            self.snapshots.catch_up(step)
        self.snapshots.flush()


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path)


@pytest.fixture
def quick_switches() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_one_is_written_every_so_many_steps(folder: RunFolder) -> None:
    taken = Taken(folder, every_steps=1_000, every_seconds=None, keep=10)
    for step in range(0, 3_100, 128):
        taken.at(step, 0.0)
    assert names(folder) == ["1024", "2048", "3072"]


def test_one_is_written_every_so_many_seconds(folder: RunFolder) -> None:
    taken = Taken(folder, every_seconds=60.0)
    for second in range(0, 200, 25):
        taken.at(second * 10, float(second))
    assert names(folder) == ["750", "1500"]


def test_between_those_training_is_captured_into_memory_for_a_stop(folder: RunFolder) -> None:
    taken = Taken(folder, every_seconds=60.0)
    taken.at(2, SHORTEST_SECONDS * FIRST_SHARE / 2)
    assert taken.captured == []
    taken.at(5, SHORTEST_SECONDS / 2)
    taken.at(8, SHORTEST_SECONDS)
    assert taken.captured == [5], "the first soon, for a run that ends within a moment"
    taken.at(10, 1.5 * SHORTEST_SECONDS + 0.1)
    taken.at(11, 1.5 * SHORTEST_SECONDS + 0.2)
    assert taken.captured == [5, 10]
    assert names(folder) == []
    assert taken.snapshots.write_newest(Trigger.STOPPED) == 10
    taken.snapshots.flush()
    assert [(one.name, one.manifest.trigger) for one in snapshots_of(folder)] == [("10", Trigger.STOPPED)]


def test_a_plan_of_none_takes_those_that_are_asked_for_alone(folder: RunFolder) -> None:
    taken = Taken(folder, every_seconds=None)
    taken.at(100, 100.0)
    assert taken.captured == []
    taken.ask("before-lunch", "It walks.")
    taken.at(200, 100.0)
    [found] = snapshots_of(folder)
    assert (found.name, found.manifest.step, found.manifest.message) == ("before-lunch", 200, "It walks.")
    assert found.manifest.is_named


def test_one_that_cannot_be_written_is_warned_of_and_the_next_is_tried(folder: RunFolder) -> None:
    taken = Taken(folder, every_steps=100, every_seconds=None)
    folder.snapshots.write_bytes(b"in the way")
    taken.at(100, 0.0)
    assert "The snapshot of step 100 could not be saved" in messages(folder)[0]
    folder.snapshots.unlink()
    taken.at(200, 0.0)
    assert names(folder) == ["200"]


def test_one_that_is_asked_for_takes_the_place_of_one_that_is_due(folder: RunFolder) -> None:
    taken = Taken(folder, every_steps=100, every_seconds=None)
    taken.snapshots.note_solved()
    taken.at(128, 0.0)
    taken.ask("mine")
    taken.at(256, 0.0)
    assert [event.data.name for event in events(folder, EventKind.SNAPSHOT)] == ["128", "mine", "256"]
    assert snapshots_of(folder)[0].manifest.trigger is Trigger.SOLVED


def test_one_that_a_person_asks_for_is_taken_once_and_its_event_names_the_request(
    folder: RunFolder,
) -> None:
    taken = Taken(folder, every_seconds=None, answered=1)
    taken.ask("of-an-earlier-attempt")
    taken.ask("mine")
    for step in (100, 200):
        taken.at(step, 0.0)
    assert names(folder) == ["mine"]
    assert [event.data.request for event in events(folder, EventKind.SNAPSHOT)] == [2]
    assert taken.snapshots.asked.answered == 2


def test_one_that_a_person_asks_for_waits_until_training_no_longer_repeats_itself(folder: RunFolder) -> None:
    taken = Taken(folder, every_steps=100, every_seconds=None)
    recorded = [{"seq": 1, "step": 200, "values": {"episode/reward": 1.0}}]
    taken.journals.expect(
        Recomputed("0", 0, recorded, last=1, attempt=2, leave_behind=lambda _step: pytest.fail("it diverged"))
    )
    taken.ask("mine")
    assert not taken.snapshots.is_due(50, is_evaluated=False)
    taken.at(128, 0.0)
    assert names(folder) == ["128"]
    taken.journals.metrics(200, {"episode/reward": 1.0})
    taken.at(256, 0.0)
    assert names(folder) == ["128", "256", "mine"]


def test_one_that_waits_at_the_end_is_of_the_end(folder: RunFolder) -> None:
    taken = Taken(folder, every_seconds=None)
    taken.ask("mine")
    taken.snapshots.take_last(Trigger.FINISHED)
    taken.snapshots.flush()
    [found] = snapshots_of(folder)
    assert (found.name, found.manifest.point) == ("mine", "end")
    taken.snapshots.asked.tell_waiting(0)
    assert messages(folder) == []


def test_one_that_waits_when_training_is_stopped_is_told_of(folder: RunFolder) -> None:
    taken = Taken(folder, every_seconds=None)
    for name in ("mine", None, None):
        taken.ask(name)
    taken.snapshots.asked.tell_waiting(100)
    assert [message.split(" that was asked for was not taken: ")[0] for message in messages(folder)] == [
        "The snapshot mine",
        "A snapshot",
    ]
    assert taken.snapshots.asked.answered == 0, "so that the next attempt takes them"


def test_one_whose_name_there_is_already_does_not_replace_it(folder: RunFolder) -> None:
    """Its worker was killed after it was written, or another one was given that name meanwhile."""
    written(folder, 100, name="mine", is_named=True, message="It walks.")
    taken = Taken(folder, every_seconds=None)
    taken.ask("mine", "It runs.")
    taken.at(200, 0.0)
    [found] = snapshots_of(folder)
    assert (found.manifest.step, found.manifest.message) == (100, "It walks.")
    [event] = events(folder, EventKind.SNAPSHOT)
    assert (event.step, event.data.name, event.data.request) == (100, "mine", 1)


def test_rows_that_a_snapshot_counts_are_on_disk_before_it_is(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever goes on from it does not compute them again: a worker that is killed in between would lose them."""
    taken, found = Taken(folder, every_steps=100, every_seconds=None), list[int]()
    write_archive = schedule.write_archive

    def look(*given: Any) -> Any:
        found.append(len(rows(folder)))
        return write_archive(*given)

    monkeypatch.setattr(schedule, "write_archive", look)
    for step in (50, 100):
        taken.journals.metrics(step, {"episode/reward": 1.0})
    taken.at(128, 0.0)
    assert found == [2]


def test_that_of_a_best_policy_is_of_the_rollout_in_which_it_was_evaluated(folder: RunFolder) -> None:
    taken = Taken(folder, every_steps=None, every_seconds=3_600.0)
    assert not taken.snapshots.is_due(128, is_evaluated=False)
    assert taken.snapshots.is_due(128, is_evaluated=True)
    taken.snapshots.catch_up(0)
    taken.snapshots.note_best(0)
    taken.snapshots.flush()
    [found] = snapshots_of(folder)
    assert (found.manifest.step, found.manifest.trigger) == (0, Trigger.BEST)
    taken.snapshots.note_best(256)
    taken.at(384, 0.0)
    assert snapshots_of(folder)[-1].manifest.step == 384, "where that was not captured, the next that can be"


def test_another_plan_holds_from_the_next_rollout_on(folder: RunFolder) -> None:
    taken = Taken(folder, every_steps=None, every_seconds=None)
    assert not taken.snapshots.is_due(128, is_evaluated=True)
    taken.snapshots.renew(SnapshotPlan(every_steps=200, every_seconds=None, keep=1))
    taken.at(128, 0.0)
    assert names(folder) == []
    for step in (256, 384, 512):
        taken.at(step, 0.0)
    assert names(folder) == ["512"]
    assert [event.data.name for event in events(folder, EventKind.SNAPSHOT)] == ["256", "512"]


@pytest.mark.usefixtures("quick_switches")
def test_a_plan_that_comes_while_a_rollout_begins_holds_from_the_next_one_on(folder: RunFolder) -> None:
    off = SnapshotPlan(every_steps=None, every_seconds=None)
    taken = Taken(folder, **off.model_dump())
    for number in range(300):
        plan = SnapshotPlan(every_steps=100, every_seconds=None, keep=1 + number % 2)
        asks = Thread(target=taken.snapshots.renew, args=(plan,))
        asks.start()
        while asks.is_alive():
            taken.snapshots.catch_up(0)
        assert taken.snapshots.is_due(100, is_evaluated=False), number
        taken.snapshots.renew(off)
        taken.snapshots.catch_up(0)


def test_what_waits_behind_a_job_that_fails_is_written_all_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    writer, done = Writer(), list[str]()
    writer.submit(partial(int, "no number"))
    writer.submit(partial(done.append, "the next"))
    writer.flush()
    writer.close()
    assert done == ["the next"]
    assert "ValueError" in capsys.readouterr().err


def test_a_snapshot_that_has_just_made_room_for_newer_ones_is_forked_by_nobody(
    folder: RunFolder, tmp_path: Path
) -> None:
    written(folder, 100)
    [gone], child = snapshots_of(folder), make_run(tmp_path / "child")
    gone.path.unlink()
    with pytest.raises(ArtifactNotFound, match="made room for newer ones"):
        inherit(gone, folder, child)


def test_the_event_says_what_was_written(folder: RunFolder) -> None:
    taken = Taken(folder, every_steps=100, every_seconds=None)
    taken.at(128, 0.0)
    [event] = events(folder, EventKind.SNAPSHOT)
    assert (event.step, event.data.name, event.data.trigger) == (128, "128", Trigger.PERIODIC)
    assert event.data.bytes == folder.snapshot_path("128").stat().st_size


def test_the_newest_few_are_kept_and_those_with_a_name_and_the_newest_of_each_event(folder: RunFolder) -> None:
    written(folder, 1, name="mine", is_named=True)
    of_events = {
        **dict.fromkeys((3, 4), (Trigger.BEST, "")),
        5: (Trigger.SOLVED, ""),
        **dict.fromkeys((6, 8), (Trigger.RULE, "When A: take a snapshot.")),
        7: (Trigger.RULE, "When B: take a snapshot."),
    }
    for step in range(2, 13):
        trigger, message = of_events.get(step, (Trigger.PERIODIC, ""))
        written(folder, step, trigger=trigger, message=message)
    retain_snapshots(folder, 2, 10**9)
    assert names(folder) == ["mine", "4", "5", "7", "8", "11", "12"]


def test_fewer_are_kept_where_they_would_take_too_much_but_never_none(folder: RunFolder) -> None:
    for step in range(1, 6):
        written(folder, step, size=500_000)
    written(folder, 6, size=500_000, name="mine", is_named=True)
    retain_snapshots(folder, 10, 1_100_000)
    assert names(folder) == ["5", "mine"]
    written(folder, 7, size=500_000)
    retain_snapshots(folder, 10, 1)
    assert names(folder) == ["mine", "7"]


def test_segments_go_with_the_last_snapshot_that_needs_them(folder: RunFolder) -> None:
    folder.replay.mkdir()
    kept, old, new = (
        {"file": f"{first}-{first + 10}-{'0' * 16}.seg", "first": first, "end": first + 10, "bytes": 3, "sha256": ""}
        for first in (10, 0, 20)
    )
    for segment in (kept, old, new):
        folder.segment_path(str(segment["file"])).write_bytes(b"seg")
    written(folder, 1, segments=(kept, old))
    written(folder, 2, segments=(kept,))
    assert snapshots_of(folder)[0].replay_bytes == 6
    drop_segments(folder, beyond=20)
    assert len(list(folder.replay.iterdir())) == 3, "the newest is for a snapshot to come"
    delete_snapshot(folder, "1")
    assert [path.name for path in folder.replay.iterdir()] == [kept["file"]]
    assert bytes_of(folder) == 3 + folder.snapshot_path("2").stat().st_size


def test_the_newest_whole_one_is_that_furthest_on(folder: RunFolder) -> None:
    assert newest_of_run(folder) is None
    for step in (100, 200, 300):
        written(folder, step)
    folder.snapshot_path("300").write_bytes(folder.snapshot_path("300").read_bytes()[:-1])
    found = newest_of_run(folder)
    assert found is not None
    assert found.name == "200"


def test_a_name_is_no_path_and_no_step() -> None:
    for name in ("", "../x", "a/b", "A", "12", "-a", "a" * 61, "a.zip"):
        with pytest.raises(InvalidRequest):
            check_name(name)
    assert check_name("before-lunch-2") == "before-lunch-2"


def test_all_workers_of_a_runs_folder_have_the_same_key(tmp_path: Path) -> None:
    assert snapshot_key(tmp_path) == snapshot_key(tmp_path)
    assert len(snapshot_key(tmp_path)) == 32
    assert [path.name for path in tmp_path.iterdir()] == [".snapshot-key"]


def test_a_run_ends_with_a_snapshot_of_its_end(tmp_path: Path) -> None:
    folder = make_run(tmp_path, total_timesteps=128, snapshots=snapshots(every_seconds=3_600.0))
    assert train_run(folder)
    [found] = snapshots_of(folder)
    assert (found.manifest.step, found.manifest.point, found.manifest.trigger) == (128, "end", Trigger.FINISHED)
    assert kinds(folder) == ["started", "finished"]
    assert [event.event for event in events(folder)] == ["started", "snapshot", "finished"]


def test_a_better_policy_is_worth_a_snapshot(tmp_path: Path) -> None:
    folder = make_run(
        tmp_path,
        total_timesteps=1_024,
        evaluation={"every_steps": 200, "episodes": 2, "stop_after": None},
        snapshots=snapshots(every_seconds=3_600.0, keep=1),
    )
    assert train_run(folder)
    best, last = snapshots_of(folder)
    assert (best.manifest.trigger, last.manifest.trigger) == (Trigger.BEST, Trigger.FINISHED)
    contents = read_archive(folder, best.name)
    kept = PPO.load(folder.best_model_path).policy.state_dict()
    assert all(torch.equal(kept[name], value) for name, value in contents.tensors["states"]["policy"].items())


def test_the_reward_threshold_is_worth_a_snapshot_the_first_time(tmp_path: Path) -> None:
    folder = make_run(
        tmp_path,
        env_id="Counting",
        custom_environment=EASY,
        total_timesteps=1_024,
        evaluation={"every_steps": 300, "episodes": 1, "stop_after": None},
        snapshots=snapshots(every_seconds=3_600.0, keep=1),
    )
    assert train_run(folder)
    triggers = [event.data.trigger for event in events(folder, EventKind.SNAPSHOT)]
    assert triggers.count(Trigger.SOLVED) == 1
    assert Trigger.SOLVED in [one.manifest.trigger for one in snapshots_of(folder)], "and it stays"


def test_a_configuration_of_before_snapshots_is_read_and_gets_the_plan_of_today(tmp_path: Path) -> None:
    folder = make_run(tmp_path, checkpoints=checkpoints())
    old = folder.read_config().model_dump(mode="json", exclude={"snapshots"})
    assert RunConfig.model_validate(old).snapshots == SnapshotPlan()
