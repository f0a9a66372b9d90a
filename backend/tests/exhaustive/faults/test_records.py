"""Interrupted recordings, and episodes that are hard to record, through the API and real workers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from rlviz.domain.clips import MAX_CLIP_STEPS, ClipRequest
from rlviz.domain.evaluation import EvaluationRecord, StepsWanted
from rlviz.domain.recording import Detail
from rlviz.learning.algorithms.reading import Reading
from rlviz.learning.playing.clips import make_clips
from rlviz.learning.playing.evaluate import evaluate
from rlviz.learning.playing.film import film
from rlviz.learning.playing.recording import RecordingLevel, StepRecorder, records_about
from rlviz.learning.playing.rollout import MAX_EPISODE_STEPS
from rlviz.learning.records.reader import StepFile
from rlviz.learning.records.writer import StepWriter
from rlviz.rundir.clips import Clips
from rlviz.rundir.folder import RunFolder
from tests.support.evaluations import ask_in_folder, evaluated, verified
from tests.support.faults import SOAK, times, train_briefly, worker_of, workers_of
from tests.support.odd_environments import SOURCE, Endless
from tests.support.raw_requests import assert_problem
from tests.support.run_folders import make_run as make_folder
from tests.support.service_process import Service, serving
from tests.support.sessions import looking
from tests.support.waiting import eventually

pytestmark = pytest.mark.faults

KINDS = ("Slow", "Blind", "Switches", "Crane", "Endless")
MEGABYTE = 1_000_000


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    own = ",".join(f"{SOURCE}:{kind}" for kind in KINDS)
    costly = json.dumps({"own": {"most_cost": 1_000}})  # recording is not lowered on a machine that is busy
    with serving(tmp_path_factory.mktemp("records"), environments=own, storage=costly) as service:
        yield service


@pytest.fixture(scope="module")
def slow(service: Service) -> str:
    """A run whose episodes are slow enough to be interrupted."""
    return train_briefly(service, "Slow")


def test_an_evaluation_killed_while_recording_leaves_no_partial_record(service: Service, slow: str) -> None:
    folder = service.folder(slow)
    asked = service.api("POST", f"/runs/{slow}/evaluations", json={"episodes": 20, "video": False, "steps": True})
    evaluation = f"/runs/{slow}/evaluations/{asked.json()['id']}"
    eventually(lambda: service.get(f"/runs/{slow}/evaluations/latest")["episodes_done"], "the first episode")
    assert list(folder.evaluations.path.glob(".*.steps.parquet.*")), "records are under way"
    assert_problem(service.api("GET", f"{evaluation}/steps"), 404)
    [worker] = workers_of(service, "--evaluate")
    worker.kill()

    def failed() -> dict[str, Any] | None:
        found: dict[str, Any] = service.get(f"/runs/{slow}/evaluations/latest")
        return found if found["status"] == "failed" else None

    ended = eventually(failed, "the evaluation to be given up")
    assert "killed by signal 9" in ended["cause"]
    assert not ended["has_steps"]
    for path in ("steps", "export"):
        assert_problem(service.api("GET", f"{evaluation}/{path}"), 404)
    assert not list(folder.evaluations.path.glob("*.parquet*"))
    assert evaluated(service, slow, episodes=1, video=False)["has_steps"]


def test_a_worker_killed_while_filming_leaves_no_partial_clip_and_the_next_request_succeeds(
    service: Service, slow: str
) -> None:
    clips = Clips(service.folder(slow))
    asked = service.api("POST", f"/runs/{slow}/clips", json={"step": 0, "seed": 5}).json()
    eventually(lambda: list(clips.path.glob(".*.mp4.*")), "the first frames")
    [worker] = workers_of(service, "--clips")
    films = worker.children()
    worker.kill()

    def answered() -> dict[str, Any] | None:
        found: dict[str, Any] = service.get(f"/runs/{slow}/clips/{asked['id']}")
        return found if found["status"] != "waiting" else None

    clip = eventually(answered, "an answer")
    assert clip["status"] == "failed"
    assert "killed by signal 9" in clip["cause"]
    assert not clips.has_video(asked["id"])
    eventually(lambda: not any(film.is_running() for film in films), "the end of the encoder")
    assert service.api("POST", f"/runs/{slow}/clips", json={"step": 0, "seed": 5}).status_code == 202
    clip = eventually(answered, "the clip")
    assert clip["status"] == "ready", clip["cause"]
    assert not list(clips.path.glob(".*")), "what the first left is swept away"


def test_non_finite_numbers_are_recorded_shown_as_null_and_verified(service: Service) -> None:
    run_id = train_briefly(service, "Blind", "dqn", learning_starts=127)
    evaluation = evaluated(service, run_id, episodes=1, video=False)
    path = f"/runs/{run_id}/evaluations/{evaluation['id']}"
    columns = service.get(f"{path}/steps")["columns"]
    assert columns["observation"][2:4] == [[0.5, 0.5], [None, None]]
    assert columns["reading.q_values"][3] == [None, None]
    verification = verified(service, run_id, evaluation["id"])
    assert (verification["identical"], verification["steps"]) == (True, 11)
    assert service.get(f"{path}/judgement")
    for kind in ("ndjson", "csv", "parquet", "minari"):
        assert service.api("GET", f"{path}/export", params={"format": kind}).status_code == 200


@pytest.mark.parametrize("algo", ["ppo", "a2c"])
def test_multi_discrete_actions_are_recorded_read_and_verified(service: Service, algo: str) -> None:
    run_id = train_briefly(service, "Switches", algo)
    evaluation = evaluated(service, run_id, episodes=2, video=False)
    found = service.get(f"/runs/{run_id}/evaluations/{evaluation['id']}/steps", params={"episode": 1})
    reset, *taken = found["columns"]["action"]
    assert reset is None
    assert len(taken) == 10
    assert all(first in range(3) and second in range(2) for first, second in taken)
    assert found["info"]["action"]["counts"] == [3, 2]
    for first_0, first_1, first_2, *second in found["columns"]["reading.probabilities"]:
        assert (first_0 + first_1 + first_2, sum(second)) == (pytest.approx(1, abs=1e-5),) * 2
        assert len(second) == 2
    assert verified(service, run_id, evaluation["id"])["identical"]


def test_composed_observations_are_trained_on_watched_recorded_and_exported(service: Service) -> None:
    """A Dict that contains a Tuple, and an action of two choices; keys are in alphabetical order, as in Gymnasium."""
    own = {found["id"]: found for found in service.get("/environments")}
    seen = own["Crane"]["observation_space"]
    assert (seen["kind"], seen["shape"]) == ("Box", [8])
    assert seen["labels"] == [
        *("hook/0", "hook/1 0", "hook/1 1", "load = 1", "load = 2", "load = 3", "speed 0", "speed 1"),
    ]
    assert own["Crane"]["action_space"]["counts"] == [3, 2]
    run_id = train_briefly(service, "Crane")
    with looking(service, run_id=run_id) as viewer:
        shown = viewer.step(lambda record: record.index == 4)
    assert shown.observation == pytest.approx([0.4, 0, 1, 0, 1, 0, 0.4, -0.4])
    assert shown.reading is not None
    with looking(service, mode="play", env_id="Crane") as player:
        player.step()
        player.send(type="action", value=[2, 1])
        assert player.step(lambda record: record.action == [2, 1]), "after what was played before it came"
    evaluation = evaluated(service, run_id, episodes=2, video=True)
    path = f"/runs/{run_id}/evaluations/{evaluation['id']}"
    columns = service.get(f"{path}/steps", params={"episode": 1})["columns"]
    assert columns["observation"][4] == pytest.approx([0.4, 0, 1, 0, 1, 0, 0.4, -0.4])
    assert all(0 <= first < 3 and 0 <= second < 2 for first, second in columns["action"][1:])
    assert verified(service, run_id, evaluation["id"])["identical"]
    lines = service.api("GET", f"{path}/export", params={"format": "ndjson"}).text.splitlines()
    assert json.loads(lines[4])["observation"] == pytest.approx([0.4, 0, 1, 0, 1, 0, 0.4, -0.4])
    for kind in ("csv", "parquet", "minari"):
        assert service.api("GET", f"{path}/export", params={"format": kind}).status_code == 200


def evaluated_here(folder: RunFolder) -> dict[str, Any]:
    """Evaluate like ``evaluated``, in this process."""
    asked = ask_in_folder(folder, video=False, steps=StepsWanted(max_bytes=400 * MEGABYTE))
    return evaluate(folder, asked.id).model_dump(mode="json")


def filmed(service: Service, run_id: str) -> dict[str, Any]:
    clip = service.api("POST", f"/runs/{run_id}/clips", json={"step": 0}).json()

    def ready() -> dict[str, Any] | None:
        found: dict[str, Any] = service.get(f"/runs/{run_id}/clips/{clip['id']}")
        return found if found["status"] == "ready" else None

    return eventually(ready, "the clip")


def filmed_here(folder: RunFolder) -> dict[str, Any]:
    """Film like ``filmed``, in this process."""
    wanted = ClipRequest(
        id="clip_128_1_greedy", seed=1, greedy=True, steps=[128], policies=["model.zip"], keep_bytes=400 * MEGABYTE
    )
    clips = Clips(folder)
    clips.requests.add(wanted)
    make_clips(folder, idle_seconds=0.05)
    [made] = clips.records()
    return made.model_dump(mode="json")


def test_an_endless_episode_is_cut_and_reports_where(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ordinary run uses a lower limit. A test below covers the limit of a training worker."""
    longest, longest_clip = (MAX_EPISODE_STEPS, MAX_CLIP_STEPS) if SOAK else (1_500, 100)
    monkeypatch.setitem(film.__kwdefaults__, "max_steps", longest)
    monkeypatch.setattr("rlviz.learning.playing.clips.MAX_CLIP_STEPS", longest_clip)
    run_id = train_briefly(service, "Endless")
    folder = service.folder(run_id)
    evaluation = evaluated(service, run_id, episodes=1, video=False) if SOAK else evaluated_here(folder)
    [episode] = evaluation["summary"]["episodes"]
    assert (episode["episode_length"], episode["terminated"], episode["truncated"]) == (longest, False, True)
    with StepFile(folder.evaluations.steps_path(evaluation["id"]), folder.path) as file:
        steps = file.read(["index", "truncated"], file.groups())
    assert steps["index"].numbers[steps["truncated"].numbers.astype(bool)].tolist() == [longest]
    [played] = (filmed(service, run_id) if SOAK else filmed_here(folder))["episodes"]
    assert (played["episode_length"], played["cut"]) == (longest_clip, True)


class Same:
    """A policy that always returns the same action and value."""

    def predict(self, observation: Any, *_state: Any, deterministic: bool = True) -> tuple[Any, None]:
        return np.zeros(len(observation), np.int64), None

    def read(self, observations: Any, actions: Any) -> Reading:
        return Reading(value=np.zeros(len(observations), np.float32))


@pytest.mark.parametrize("is_cut", [True, False], ids=["cut", "whole"])
def test_an_episode_of_a_million_steps_is_recorded_in_constant_memory(tmp_path: Path, is_cut: bool) -> None:
    steps = times(40_000, 1_000_000)
    max_bytes = 4 * steps if is_cut else 400 * MEGABYTE
    folder = make_folder(tmp_path, "ppo-endless")
    config = folder.read_config()
    wanted = EvaluationRecord(
        id="eval_20261121-014312-001",
        run_id=folder.run_id,
        created_at=config.created_at,
        steps=StepsWanted(frames_every=1_000_000, max_bytes=max_bytes),
    )
    path, process, memory = folder.evaluations.steps_path(wanted.id), psutil.Process(), []

    class Watched(Endless):
        def step(self, action: Any) -> Any:
            if self.steps % (steps // 10) == 0:
                memory.append(process.memory_info().rss)
            return super().step(action)

    folder.evaluations.path.mkdir(exist_ok=True)
    with closing(Watched()) as env:
        about = records_about(
            config, env, deterministic=True, frames_every=1_000_000, max_steps=steps, evaluation_id=wanted.id
        )
        policy: Any = Same()
        with (
            StepWriter(path, folder.path, about, max_bytes=max_bytes) as writer,
            StepRecorder(writer, about, policy, level=RecordingLevel(Detail.STANDARD)) as recorder,
        ):
            [result] = film(env, policy, None, episodes=1, seed=1, deterministic=True, max_steps=steps, steps=recorder)
    assert (result.episode_length, result.truncated) == (steps, True)
    assert max(memory[1:]) - memory[1] < 60 * MEGABYTE, "what tests before it had taken is given back by the first"
    facts = writer.facts()
    assert (facts.cut, facts.rows < steps + 1) == (is_cut, is_cut)
    assert facts.size_bytes < max_bytes + MEGABYTE
    with StepFile(path, folder.path) as file:
        assert (file.rows, file.about.cut) == (facts.rows, facts.cut)


def test_a_worker_records_a_run_of_a_million_steps_in_constant_memory(service: Service) -> None:
    steps = times(30_000, 1_000_000)
    run_id = service.create(algo="random", env_id="Endless", total_timesteps=steps)["id"]
    assert service.api("PUT", f"/runs/{run_id}/recording", json={"detail": "full"}).status_code == 200
    assert service.api("POST", f"/runs/{run_id}/start").status_code == 202
    memory: list[int] = []

    def completed() -> bool:
        run = service.get(f"/runs/{run_id}")
        if run["step"] > 27_000:  # an episode was held, and written
            with suppress(psutil.Error):
                memory.append(worker_of(service, run_id).memory_info().rss)
        return bool(run["status"] == "completed")

    eventually(completed, "the end of the run", 7_200)
    assert not memory or max(memory) - memory[0] < 60 * MEGABYTE
    found = service.get(f"/runs/{run_id}/evaluations", params={"by_run": True})
    whole = [one["episode_length"] for each in found for one in each["summary"]["episodes"]]
    assert whole == [27_000] * (steps // 27_000)
    assert not any(each["summary"]["steps"]["cut"] for each in found)
