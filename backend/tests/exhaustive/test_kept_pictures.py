"""What an agent that sees pictures saw: kept, retired and missed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus, StepsWanted
from rlviz.learning.playing.evaluate import evaluate
from rlviz.learning.training.builder import build_model
from rlviz.learning.training.checkpoint import save_policy
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.retention import retain_videos
from tests.support.run_folders import make_run
from tests.support.service_process import Service, serving
from tests.support.training import QUICK

EVALUATION, BLIND = "eval_20261121-014400-000", "eval_20261121-014500-000"


POLICY = "checkpoints/step_7.zip"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run on Pong with an untrained policy of step 7, and two evaluations: one kept what the agent saw."""
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
def test_what_is_not_there_is_said(service: Service, path: str, status: int, words: str) -> None:
    answer = service.api("GET", f"/runs/pong/evaluations/{path}")
    assert answer.status_code == status
    assert words in answer.json()["detail"]


def test_a_policy_that_is_kept_with_its_evaluation_outlives_its_checkpoint(
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


def test_pictures_go_with_the_videos_and_a_policy_that_is_gone_cannot_be_asked(
    tmp_path: Path, folder: RunFolder, service: Service
) -> None:
    (folder.path / POLICY).rename(tmp_path / "away.zip")
    answer = service.api("GET", f"/runs/pong/evaluations/{EVALUATION}/saliency", params={"episode": 0, "step": 1})
    (tmp_path / "away.zip").rename(folder.path / POLICY)
    assert answer.status_code == 409
    assert "policy of step 7" in answer.json()["detail"]
