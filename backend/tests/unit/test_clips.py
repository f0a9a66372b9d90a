"""The folder of a run's clips: a request is there until its result is."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.clips import ClipRecord, ClipRequest
from rlviz.rundir import clip_requests as module
from rlviz.rundir.clips import Clips
from tests.support.training import make_run


def test_on_a_full_disk_the_file_of_a_request_becomes_that_of_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_run(tmp_path)
    clips = Clips(folder)
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
