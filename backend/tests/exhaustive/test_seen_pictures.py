"""Observed pictures of an evaluation are stored losslessly and have saliency maps."""

from __future__ import annotations

import base64
import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from rlviz.domain.clips import ClipRequest, SaliencyPlan, Score
from rlviz.domain.errors import NoSaliency
from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus, StepsWanted
from rlviz.learning.algorithms.saliency import saliency
from rlviz.learning.environments.make import make_environment
from rlviz.learning.playing.clips import make_clips
from rlviz.learning.playing.evaluate import evaluate, load_policy
from rlviz.learning.playing.rollout import Episode, seed_all
from rlviz.learning.playing.seen import step_saliency
from rlviz.learning.records.reader import StepFile
from rlviz.learning.training.builder import build_model
from rlviz.learning.training.checkpoint import save_policy
from rlviz.rundir.clips import Clips
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.retention import retain_videos
from tests.support.run_folders import make_run
from tests.support.service_process import Service, serving
from tests.support.training import QUICK
from tests.support.waiting import eventually

EVALUATION, BLIND = "eval_20261121-014400-000", "eval_20261121-014500-000"


POLICY = "checkpoints/step_7.zip"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run on Pong with an untrained policy of step 7, and two evaluations; one stored the observations."""
    root = tmp_path_factory.mktemp("service")
    hyperparameters = {name: value for name, value in QUICK["ppo"].items() if name != "net_arch"}
    folder = make_run(root / "runs", "pong", env_id="ALE/Pong-v5", hyperparameters=hyperparameters, status="completed")
    config = folder.read_config()
    folder.checkpoints.mkdir(exist_ok=True)
    save_policy(build_model(config), folder.path / POLICY)
    for evaluation_id, pictures in ((EVALUATION, True), (BLIND, False)):
        folder.evaluations.write(
            EvaluationRecord(
                id=evaluation_id,
                run_id=folder.run_id,
                created_at=config.created_at,
                episodes=1,
                deterministic=False,
                checkpoint=POLICY,
                checkpoint_step=7,
                steps=StepsWanted(frames_every=50, max_bytes=10**8, pictures=pictures),
            )
        )
        assert evaluate(folder, evaluation_id).status is EvaluationStatus.COMPLETED
    return folder


@pytest.fixture(scope="module")
def service(folder: RunFolder) -> Iterator[Service]:
    with serving(folder.path.parents[1]) as service:
        yield service
        assert "Traceback" not in service.log, service.log


@pytest.fixture(scope="module")
def seen(folder: RunFolder) -> list[Any]:
    """Return the observations of each step, replayed here."""
    with StepFile(folder.evaluations.steps_path(EVALUATION), folder.path) as file:
        action = file.read(["action"], file.groups())["action"]
        seed = file.about.episodes[0].seed
    env = make_environment(folder.read_config(), whole_episodes=True)
    episode = Episode(env, 0, seed)
    seed_all(episode, None, deterministic=True)
    steps = [episode.begin(), *(episode.take_action(taken) for taken in action.numbers[action.present])]
    env.close()
    return [step.observation for step in steps]


def pixels(content: bytes) -> Any:
    return np.asarray(Image.open(io.BytesIO(content)))


def test_every_observed_picture_is_stored_losslessly_and_compactly(folder: RunFolder, seen: list[Any]) -> None:
    summary = folder.evaluations.read(EVALUATION).summary
    assert summary is not None
    facts = summary.pictures
    assert facts is not None
    assert facts.pictures == len(seen) == sum(episode.episode_length + 1 for episode in summary.episodes)
    assert (facts.width, facts.height, facts.seen_together, facts.cut) == (84, 84, 4, False)
    assert facts.size_bytes < 500 * facts.pictures  # 7,056 each without compression
    with zipfile.ZipFile(folder.path / facts.file) as archive:
        strips = [pixels(archive.read(f"{number}.png")) for number in range(len(archive.namelist()))]
    kept = np.concatenate(strips).reshape(-1, facts.height, facts.width)
    np.testing.assert_array_equal(kept, np.stack([observation[-1] for observation in seen]))


def test_a_saliency_map_belongs_to_its_own_step(folder: RunFolder, seen: list[Any]) -> None:
    policy = load_policy(folder, "ppo", POLICY)
    env = make_environment(folder.read_config(), render=True, whole_episodes=True)
    for index in (0, 37, len(seen) - 1):
        found = step_saliency(folder, env, policy, SaliencyPlan(evaluation_id=EVALUATION, episode=0, index=index))
        both = pixels(base64.b64decode(found.png))
        np.testing.assert_array_equal(both[:84], np.concatenate(list(seen[index]), axis=1))
        assert (found.seen.pictures, found.seen.score) == (4, Score.LOGIT)
    with StepFile(folder.evaluations.steps_path(EVALUATION), folder.path) as file:
        taken = file.read(["action"], file.groups())["action"].numbers[38]
    plan = SaliencyPlan(evaluation_id=EVALUATION, episode=0, index=37)
    expected = saliency(policy, seen[37], np.asarray(taken).reshape(()))
    assert expected is not None
    both = pixels(base64.b64decode(step_saliency(folder, env, policy, plan).png))
    np.testing.assert_allclose(both[84:] / 255, np.concatenate(list(expected.maps), axis=1), atol=0.01)
    env.close()


def test_a_step_that_replays_differently_is_not_shown(folder: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    other = folder.read_config().model_copy(update={"env_options": {"sticky_actions": 0.9}})
    env = make_environment(other, whole_episodes=True)
    plan = SaliencyPlan(evaluation_id=EVALUATION, episode=0, index=80)
    with pytest.raises(NoSaliency, match="differed when it was played again"):
        step_saliency(folder, env, load_policy(folder, "ppo", POLICY), plan)
    env.close()


def test_the_api_returns_strips_and_maps(service: Service, seen: list[Any]) -> None:
    at = f"/runs/pong/evaluations/{EVALUATION}"
    strip = service.api("GET", f"{at}/pictures/1")
    assert strip.headers["content-type"] == "image/png"
    np.testing.assert_array_equal(pixels(strip.content)[:84], seen[64][-1])

    def made() -> Any:
        answer = service.api("GET", f"{at}/saliency", params={"episode": 0, "step": 64})
        assert answer.status_code in (200, 202), answer.text
        return answer.json() if answer.status_code == 200 else None

    found = eventually(made, "the saliency map")
    assert (found["policy_step"], found["episode"], found["step"]) == (7, 0, 64)
    assert found["seen"] == {"pictures": 4, "score": "logit"}
    np.testing.assert_array_equal(pixels(base64.b64decode(found["png"]))[:84, -84:], seen[64][-1])
    evaluations = {each["id"]: each for each in service.get("/runs/pong/evaluations")}
    assert evaluations[EVALUATION]["has_pictures"]
    assert not evaluations[BLIND]["has_pictures"]
    assert not service.get("/runs/pong/clips")


def test_a_clip_stores_what_its_agent_saw(
    folder: RunFolder, service: Service, seen: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is greedy and uses the seed of the evaluation, so it starts like that evaluation."""
    monkeypatch.setattr("rlviz.learning.playing.clips.MAX_CLIP_STEPS", 20)
    clips, wanted = (
        Clips(folder),
        ClipRequest(
            id="clip_7_1000000_greedy", seed=1_000_000, greedy=True, steps=[7], policies=[POLICY], keep_bytes=10**8
        ),
    )
    clips.requests.add(wanted)
    make_clips(folder, idle_seconds=0.05)
    clip = service.get(f"/runs/pong/clips/{wanted.id}")
    assert (clip["status"], clip["pictures"]["pictures"], clip["video"]["frames"]) == ("ready", 21, 21)
    strip = service.api("GET", f"/runs/pong/clips/{wanted.id}/pictures/0")
    np.testing.assert_array_equal(pixels(strip.content)[:84], seen[0][-1])
    with StepFile(clips.steps_path(wanted.id), folder.path) as file:
        count = file.read(["index"], file.groups())["index"].numbers.size
    assert count == clip["pictures"]["pictures"]

    def made() -> Any:
        answer = service.api("GET", f"/runs/pong/clips/{wanted.id}/saliency", params={"step": 0})
        assert answer.status_code in (200, 202), answer.text
        return answer.json() if answer.status_code == 200 else None

    found = eventually(made, "the saliency map of the clip")
    assert (found["clip_id"], found["policy_step"], found["seen"]) == (wanted.id, 7, {"pictures": 4, "score": "logit"})
    stack = np.concatenate(list(seen[0]), axis=1)
    np.testing.assert_array_equal(pixels(base64.b64decode(found["png"]))[:84], stack)
    played = service.get(f"/runs/pong/clips/{wanted.id}")["video"]["frames"]
    refused = service.api("GET", f"/runs/pong/clips/{wanted.id}/saliency", params={"step": played})
    assert refused.status_code == 422, refused.text
    assert refused.json()["errors"][0]["pointer"] == "/step"
    clips.remove_made(wanted.id)
    assert service.api("GET", f"/runs/pong/clips/{wanted.id}/saliency", params={"step": 0}).status_code == 404
    assert service.api("GET", f"/runs/pong/clips/{wanted.id}/pictures/0").status_code == 404


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        (f"{EVALUATION}/pictures/99", 404, "no strip 99"),
        (f"{BLIND}/pictures/0", 404, "no pictures"),
        (f"{EVALUATION}/saliency?episode=1&step=0", 422, "1 were played"),
        (f"{EVALUATION}/saliency?episode=0&step=99999", 422, "ended with step"),
        ("eval_20261121-014400-999/saliency?episode=0&step=0", 404, "no evaluation"),
    ],
)
def test_missing_pictures_are_reported(service: Service, path: str, status: int, words: str) -> None:
    answer = service.api("GET", f"/runs/pong/evaluations/{path}")
    assert answer.status_code == status
    assert words in answer.json()["detail"]


def test_a_policy_stored_with_its_evaluation_outlives_its_checkpoint(
    tmp_path: Path, folder: RunFolder, service: Service
) -> None:

    def policy_bytes() -> Any:
        return next(each["policy_bytes"] for each in service.get("/runs/pong/evaluations") if each["id"] == EVALUATION)

    folder.evaluations.pin_policy(EVALUATION, folder.path / POLICY)
    folder.evaluations.keep_pinned_policy(EVALUATION)
    (folder.path / POLICY).rename(tmp_path / "away.zip")
    try:
        assert policy_bytes() == folder.evaluations.evaluated_policy_path(EVALUATION).stat().st_size
        answer = service.api("GET", f"/runs/pong/evaluations/{EVALUATION}/saliency", params={"episode": 0, "step": 2})
        assert answer.status_code in (200, 202), answer.text
        retain_videos(folder, 0)
        assert policy_bytes() is None
    finally:
        (tmp_path / "away.zip").rename(folder.path / POLICY)
    assert policy_bytes() > 0  # the checkpoint is there


def test_pictures_are_deleted_with_videos_and_a_deleted_policy_gives_no_maps(
    tmp_path: Path, folder: RunFolder, service: Service
) -> None:
    (folder.path / POLICY).rename(tmp_path / "away.zip")
    answer = service.api("GET", f"/runs/pong/evaluations/{EVALUATION}/saliency", params={"episode": 0, "step": 1})
    (tmp_path / "away.zip").rename(folder.path / POLICY)
    assert answer.status_code == 409
    assert "policy of step 7" in answer.json()["detail"]
