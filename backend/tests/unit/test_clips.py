"""The clip cache of a run, and its requests."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.clips import ClipRecord, ClipRequest
from rlviz.rundir import clips as module
from rlviz.rundir.clips import ClipRequests, Clips
from rlviz.rundir.folder import RunFolder


@pytest.fixture
def clips(tmp_path: Path) -> Clips:
    folder = RunFolder(tmp_path, "ppo-cartpole-clips")
    folder.path.mkdir()
    clips = Clips(folder)
    clips.requests.make_folders()
    return clips


def put(clips: Clips, step: int, size: int) -> str:
    name = f"clip_{step}_1_greedy"
    clips.video_path(name).write_bytes(b"x" * (size // 2))
    clips.steps_path(name).write_bytes(b"s" * (size // 2))
    clips.thumbnail_path(name).write_bytes(b"t")
    record = f'{{"id": "{name}", "seed": 1, "greedy": true}}'
    clips.record_path(name).write_text(record)
    at = time.time_ns() + step * 1_000_000_000
    os.utime(clips.record_path(name), ns=(at, at))
    return name


def test_the_cache_drops_the_least_recently_watched_clip_and_keeps_its_picture(clips: Clips) -> None:
    first, second, third = (put(clips, step, 1_000) for step in (1, 2, 3))
    at = time.time_ns() + 9_000_000_000
    os.utime(clips.record_path(first), ns=(at, at))  # as ``touch`` does when it is watched
    clips.retire(2_500, spare=third)
    assert [clips.has_video(name) for name in (first, second, third)] == [True, False, True]
    assert clips.has_thumbnail(second)
    assert [clips.has_steps(name) for name in (first, second, third)] == [True, False, True]
    assert clips.size() <= 2_500
    clips.retire(0, spare=third)
    assert [clips.has_video(name) for name in (first, second, third)] == [False, False, True]


def test_a_picture_shows_a_policy_until_another_one_is_saved_for_its_step(clips: Clips, tmp_path: Path) -> None:
    name, policy = put(clips, 1, 10), tmp_path / "step_1.zip"
    assert not clips.shows(name, policy)
    policy.write_bytes(b"p")
    made = clips.thumbnail_path(name).stat().st_mtime_ns
    os.utime(policy, ns=(made, made))
    assert clips.shows(name, policy)
    os.utime(policy, ns=(made + 1, made + 1))
    assert not clips.shows(name, policy)
    assert not clips.shows("clip_2_1_greedy", policy)


def test_invalid_files_among_the_requests_are_deleted(clips: Clips) -> None:
    (clips.requests.path / "clip_1_1_greedy.json").write_text("{")
    (clips.requests.path / "notes.json").write_text("{}")
    assert clips.requests.next() is None
    assert not clips.requests.has_any()


def test_a_repeated_request_after_a_worker_failure_is_not_failed_twice(
    clips: Clips, monkeypatch: pytest.MonkeyPatch
) -> None:
    def asked(step: int) -> ClipRequest:
        about = {"id": f"clip_{step}_1_greedy", "seed": 1, "greedy": True, "steps": [step], "policies": [""]}
        return ClipRequest.model_validate({**about, "keep_bytes": 1})

    for step in (1, 2):
        clips.requests.add(asked(step))
    answer, answered = ClipRequests.answer, []

    def answer_and_be_asked_again(self: ClipRequests, record: ClipRecord) -> None:
        answer(self, record)
        if not answered:
            self.add(asked(int(record.id.split("_")[1])))
        answered.append(record.id)

    monkeypatch.setattr(ClipRequests, "answer", answer_and_be_asked_again)
    clips.requests.refuse_all("The worker was killed.")
    assert sorted(answered) == ["clip_1_1_greedy", "clip_2_1_greedy"]
    assert [clips.requests.has(name) for name in answered] == [True, False]


def test_the_newest_request_comes_first_and_pictures_after_all_others(clips: Clips) -> None:
    for age, (step, picture_only) in enumerate([(1, False), (2, False), (3, True), (4, True)]):
        name = f"clip_{step}_1_greedy"
        about = {"id": name, "seed": 1, "greedy": True, "steps": [step], "policies": [""], "keep_bytes": 1}
        clips.requests.add(ClipRequest.model_validate({**about, "picture_only": picture_only}))
        os.utime(clips.requests.path / f"{name}.json", ns=(age * 10**9, age * 10**9))
    order = []
    while (request := clips.requests.next()) is not None:
        order.append(request.steps[0])
        clips.requests.answer(ClipRecord(id=request.id, seed=1, greedy=True))
    assert order == [2, 1, 4, 3]


def test_on_a_full_disk_the_request_file_becomes_the_result_file(clips: Clips, monkeypatch: pytest.MonkeyPatch) -> None:
    request = ClipRequest(
        id="clip_100_7_greedy", seed=7, greedy=True, steps=[100], policies=["model.zip"], keep_bytes=1_000_000
    )
    clips.requests.add(request)

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(module, "write_atomically", full)
    made = ClipRecord(id=request.id, seed=7, greedy=True, cause="The disk is full. " * 100)
    clips.requests.answer(made)
    assert clips.find(request.id) == made
    assert not clips.requests.has(request.id)
    assert list(clips.requests.path.iterdir()) == []
    with pytest.raises(OSError, match="No such file"):
        clips.requests.answer(made)
