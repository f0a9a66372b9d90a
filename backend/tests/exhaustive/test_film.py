"""Step records of clips, the growth video, and failures while a clip is made."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any

import psutil
import pytest

from rlviz.domain.clips import ClipRequest
from rlviz.learning.playing import clips as making
from rlviz.learning.playing import film as interruption
from rlviz.learning.playing.video import Text, VideoRecorder
from rlviz.rundir.clips import Clips
from rlviz.rundir.folder import RunFolder
from tests.real.test_film import KEEP_BYTES, download, frames_in, made, run_id, service
from tests.support.raw_requests import assert_problem
from tests.support.service_process import Service
from tests.support.training import QUICK
from tests.support.waiting import eventually
from tests.support.workers import descendants, title_of

__all__ = ["run_id", "service"]


def test_a_clip_leaves_a_step_record_for_each_of_its_frames(service: Service, run_id: str) -> None:
    clip = made(service, run_id, step=0, seed=9)
    path = f"/runs/{run_id}/clips/{clip['id']}/steps"
    found = service.get(path)
    (episode,) = clip["episodes"]
    assert (found["clip_id"], found["evaluation_id"], found["info"]["seeds"]) == (clip["id"], None, [9])
    assert found["total"] == clip["video"]["frames"] == clip["steps"]["rows"] == episode["episode_length"] + 1
    assert found["columns"]["index"] == list(range(found["total"]))
    assert found["columns"]["action"][0] is None
    assert set(found["columns"]["action"][1:]) <= {0, 1}
    assert [sum(each) for each in found["columns"]["reading.probabilities"]] == pytest.approx([1] * found["total"])
    assert found["columns"]["episode_return"][-1] == episode["episode_return"]
    assert service.get(path, params={"where": "action:1", "columns": "action"})["columns"].keys() == {"action"}
    Clips(service.folder(run_id)).steps_path(clip["id"]).unlink()
    assert_problem(service.api("GET", path), 404)
    assert service.get(f"/runs/{run_id}/clips/{clip['id']}")["status"] == "retired"
    assert made(service, run_id, step=0, seed=9)["steps"]["rows"] == found["total"]


def test_the_growth_video_shows_policies_from_the_first_to_the_best_one(service: Service, run_id: str) -> None:
    video = made(service, run_id, "growth-video", seed=3)
    assert (video["status"], video["cause"], video["kind"]) == ("ready", None, "growth")
    steps = [episode["step"] for episode in video["episodes"]]
    policies = service.get(f"/runs/{run_id}/policies")["policies"]
    last = next((policy for policy in policies if "best" in policy["kinds"]), policies[-1])
    kept = [policy["step"] for policy in policies if policy["step"] <= last["step"]]
    assert len(steps) == min(6, len(kept))
    assert set(steps) <= set(kept)
    assert (steps[0], steps[-1]) == (0, last["step"])
    assert video["video"]["fps"] == 50, "as CartPole's own videos, whose longest episode takes 10 seconds"
    frames = frames_in(download(service, video["video_url"]))
    assert frames > sum(episode["episode_length"] + 1 for episode in video["episodes"])
    assert service.api("POST", f"/runs/{run_id}/growth-video", json={"seed": 3}).status_code == 200


def test_the_growth_video_of_a_slow_environment_is_faster_than_its_clips(service: Service) -> None:
    run = service.create(
        algo="ppo", env_id="Taxi-v4", preset=None, hyperparameters=QUICK["ppo"], total_timesteps=600, start=True
    )
    service.wait_for_status(run["id"], "completed")
    video = made(service, run["id"], "growth-video", seed=3)
    assert (video["status"], video["video"]["fps"]) == ("ready", 8)
    assert {episode["episode_length"] for episode in video["episodes"]} <= set(range(65)), "eight seconds each"
    assert made(service, run["id"], step=0, seed=3)["video"]["fps"] == 4


def test_a_running_clip_yields_to_the_next_request_and_is_made_afterwards(
    service: Service, run_id: str, tmp_path: Path
) -> None:
    """While the user drags along the curve, only the last position is filmed."""
    folder = RunFolder(tmp_path, run_id)  # a copy, which no worker of the service looks at
    copytree(service.folder(run_id).path, folder.path, ignore=ignore_patterns("clips"))
    clips, order = Clips(folder), list[str]()
    (first, file), (second, other) = folder.film_files()[:2]

    def ask(step: int, path: Path) -> None:
        about = {"id": f"clip_{step}_71_greedy", "seed": 71, "greedy": True, "steps": [step], "keep_bytes": KEEP_BYTES}
        policy = path.relative_to(folder.path).as_posix()
        clips.requests.add(ClipRequest.model_validate({**about, "policies": [policy]}))

    class Asking(VideoRecorder):
        """Requests another clip after the first one has started."""

        def add(self, picture: object, caption: Text | None) -> None:
            super().add(picture, caption)
            if self.path == clips.video_path(f"clip_{first}_71_greedy") and self.frames == 2 and not order:
                order.append("asked")
                ask(second, other)

        def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
            super().__exit__(kind, error, trace)
            order.append(f"{self.path.stem} {'left' if error else 'made'}")

    ask(first, file)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(making, "VideoRecorder", Asking)
        patch.setattr(interruption, "LOOK_EVERY", 1)
        making.make_clips(folder, idle_seconds=0.2)
    assert order == [
        "asked",
        f"clip_{first}_71_greedy left",
        f"clip_{second}_71_greedy made",
        f"clip_{first}_71_greedy made",
    ]
    assert not list(clips.path.glob(".*"))
    assert not clips.requests.has_any()


def test_a_damaged_policy_is_reported_and_affects_nothing_else(service: Service, run_id: str) -> None:
    folder = service.folder(run_id)
    step, path = folder.film_files()[1]
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    try:
        clip = made(service, run_id, step=step, seed=11)
        assert clip["status"] == "failed"
        assert f"step_{step}.zip cannot be loaded" in clip["cause"]
        assert made(service, run_id, step=0, seed=11)["status"] == "ready"
    finally:
        path.write_bytes(whole)
    assert made(service, run_id, step=step, seed=11)["status"] == "ready"


def test_a_killed_worker_is_reported_and_the_next_request_succeeds(service: Service, run_id: str) -> None:
    asked = service.api("POST", f"/runs/{run_id}/clips", json={"step": 0, "seed": 21}).json()

    def clip_worker() -> psutil.Process | None:
        for child in descendants(service.process.pid):
            if "--clips" in title_of(child):
                return child
        return None

    if (worker := clip_worker()) is not None:
        worker.kill()
    found = eventually(
        lambda: (clip := service.get(f"/runs/{run_id}/clips/{asked['id']}"))["status"] != "waiting" and clip,
        "an answer",
        300,
    )
    assert found["status"] == "ready" or "killed by signal 9" in found["cause"]
    assert made(service, run_id, step=0, seed=21)["status"] == "ready"
