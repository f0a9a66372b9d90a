"""The interval of frame hashes, and deletion of old records and videos."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import av

from rlviz.rundir.folder import RunFolder
from tests.real.test_storage_profiles import MEGABYTE, _listed, service
from tests.support.evaluations import evaluated, verified
from tests.support.service_process import Service
from tests.support.step_files import about, pole_rows, write
from tests.support.waiting import eventually

__all__ = ["service"]


CART, LAKE = "ppo-cartpole", "q-learning-lake"


def test_frames_are_hashed_at_the_profiles_interval_and_always_at_the_end(service: Service) -> None:
    evaluation = evaluated(service, CART, episodes=1, video=False)
    found = service.get(f"/runs/{CART}/evaluations/{evaluation['id']}/steps", params={"columns": "index,frame_hash"})
    columns = found["columns"]
    hashed = [index for index, has in zip(columns["index"], columns["frame_hash"], strict=True) if has]
    last = columns["index"][-1]
    assert hashed == sorted({*range(0, last + 1, 3), last})


def test_the_oldest_records_are_deleted_beyond_the_limit_and_their_summaries_stay(service: Service) -> None:
    kept = [evaluated(service, CART, episodes=1, video=False) for _ in range(3)]
    folder = service.folder(CART)
    for evaluation in kept[:2]:
        _grow(folder, evaluation["id"], 700_000)
    newest = evaluated(service, CART, episodes=1, video=False)
    listed = {one["id"]: one for one in service.get(f"/runs/{CART}/evaluations")}
    has = [listed[one["id"]]["has_steps"] for one in [*kept, newest]]
    assert has == [False, True, True, True]
    assert listed[kept[0]["id"]]["summary"] == kept[0]["summary"]
    left = sum(path.stat().st_size for path in folder.evaluations.path.glob("*.steps.parquet"))
    assert left <= MEGABYTE


def test_a_retired_video_is_rebuilt_from_its_records_and_verifies_them(service: Service) -> None:
    first = evaluated(service, CART, episodes=2)
    evaluated(service, CART, episodes=1)
    assert _listed(service, first["id"])["video_url"] is None
    made = verified(service, CART, first["id"], film=True)
    assert (made["status"], made["identical"], made["film"]) == ("completed", True, True)
    again = eventually(lambda: _with_video(service, first["id"]), "the video in the list")
    video = service.http.get(again["video_url"]).content
    with av.open(BytesIO(video)) as container:
        frames = sum(1 for _ in container.decode(container.streams.video[0]))
    assert frames == again["summary"]["video"]["frames"] == first["summary"]["video"]["frames"]
    assert again["summary"]["episodes"] == first["summary"]["episodes"]


def _with_video(service: Service, evaluation_id: str) -> dict[str, Any] | None:
    found = _listed(service, evaluation_id)
    return found if found["video_url"] else None


def _grow(folder: RunFolder, evaluation_id: str, size: int) -> None:
    """Replace the existing records with ones of about ``size`` bytes."""
    path, said = folder.evaluations.steps_path(evaluation_id), about()
    write(path, said, pole_rows(said, episodes=1))
    with path.open("ab") as file:
        file.truncate(size)
