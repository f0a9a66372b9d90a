"""The evaluation job with real policies and a real ffmpeg; PyAV decodes the videos."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from stable_baselines3 import DQN, PPO

from rlviz.domain.config import RunConfig
from rlviz.domain.evaluation import EvaluationRecord, EvaluationStatus
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.make import make
from rlviz.learning.playing.evaluate import evaluate
from rlviz.rundir.folder import EvaluationFiles, RunFolder
from tests.support.evaluations import ASKED_AT, ask_in_folder

ENV_ID = "CartPole-v1"


MODELS: dict[str, Callable[[], Any]] = {
    "ppo": lambda: PPO("MlpPolicy", make(ENVIRONMENTS.get(ENV_ID)), n_steps=256, seed=1, device="cpu").learn(512),
    "dqn": lambda: DQN("MlpPolicy", make(ENVIRONMENTS.get(ENV_ID)), learning_starts=100, seed=1, device="cpu").learn(
        512
    ),
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The policy file of each algorithm, trained for 512 steps."""
    folder = tmp_path_factory.mktemp("policies")
    for algo, train in MODELS.items():
        train().save(folder / f"{algo}.zip")
    return {algo: folder / f"{algo}.zip" for algo in MODELS}


@pytest.fixture
def run(tmp_path: Path, trained: dict[str, Path]) -> RunFolder:
    return make_run(tmp_path, "ppo", trained)


def make_run(root: Path, algo: str, trained: dict[str, Path], kind: type[RunFolder] = RunFolder) -> RunFolder:
    """Create a run folder with a policy as its final model and as its checkpoint of step 512."""
    folder = kind(root, f"{algo}-cartpole-test")
    folder.create(
        RunConfig(
            run_id=folder.run_id,
            name="Test",
            created_at=ASKED_AT,
            algo=algo,
            env_id=ENV_ID,
            preset=None,
            seed=1,
            total_timesteps=512,
            hyperparameters={},
        )
    )
    for path in (folder.model_path, folder.checkpoint_path(512)):
        path.write_bytes(trained[algo].read_bytes())
    return folder


def ask(folder: RunFolder, number: int = 1, **wishes: Any) -> EvaluationRecord:
    return ask_in_folder(folder, number, **{"episodes": 3, **wishes})


def files(folder: RunFolder) -> set[str]:
    return {path.name for path in folder.evaluations.path.iterdir()}


def test_episodes_start_where_the_summary_says(run: RunFolder) -> None:
    summary = evaluate(run, ask(run).id).summary
    assert summary is not None
    assert summary.video is not None
    begins = [episode.first_frame for episode in summary.episodes]
    assert begins[0] == 0
    filmed = [end - begin for begin, end in zip(begins, [*begins[1:], summary.video.frames], strict=True)]
    assert filmed == [episode.episode_length + 1 for episode in summary.episodes]


@pytest.mark.parametrize("algo", MODELS)
@pytest.mark.parametrize("deterministic", [True, False])
def test_the_same_seed_plays_the_same_episodes(
    tmp_path: Path, trained: dict[str, Path], algo: str, deterministic: bool
) -> None:
    folder = make_run(tmp_path, algo, trained)
    first, again, other = (
        evaluate(folder, ask(folder, number, seed=seed, deterministic=deterministic, video=False).id).summary
        for number, seed in enumerate([7, 7, 1234], 1)
    )
    assert first is not None
    assert again is not None
    assert other is not None
    assert first.episodes == again.episodes
    assert first.episodes != other.episodes
    assert [episode.seed for episode in first.episodes] == [7, 8, 9]


class WatchedFiles(EvaluationFiles):
    """Calls ``watcher`` with each evaluation record after it was written."""

    watcher: Callable[[EvaluationRecord], None] = staticmethod(lambda record: None)

    def write(self, record: EvaluationRecord) -> None:
        super().write(record)
        self.watcher(record)


class WatchedFolder(RunFolder):
    evaluations: WatchedFiles

    def __init__(self, root: Path, run_id: str) -> None:
        super().__init__(root, run_id)
        self.evaluations = WatchedFiles(self.path)


@pytest.fixture
def watched(tmp_path: Path, trained: dict[str, Path]) -> WatchedFolder:
    folder = make_run(tmp_path, "ppo", trained, WatchedFolder)
    assert isinstance(folder, WatchedFolder)
    return folder


def test_a_reader_gets_each_episode_and_then_the_video_with_the_summary(watched: WatchedFolder) -> None:
    asked = ask(watched)
    seen: list[tuple[str, int, bool]] = []
    watched.evaluations.watcher = lambda record: seen.append(
        (record.status.value, record.episodes_done, watched.evaluations.video_path(record.id).exists())
    )
    evaluate(watched, asked.id)
    assert seen == [
        ("running", 0, False),
        ("running", 1, False),
        ("running", 2, False),
        ("running", 3, False),
        ("completed", 3, True),
    ]


def test_the_record_says_when_it_ran(run: RunFolder) -> None:
    times = iter([1_000.0, 1_060.0])
    record = evaluate(run, ask(run, episodes=1).id, clock=lambda: next(times))
    assert record.started_at is not None
    assert record.ended_at is not None
    assert (record.started_at.timestamp(), record.ended_at.timestamp()) == (1_000.0, 1_060.0)


def test_an_ended_evaluation_is_not_played_again(run: RunFolder) -> None:
    asked = ask(run, status=EvaluationStatus.FAILED, cause="The disk was full.")
    assert evaluate(run, asked.id) == asked
    assert files(run) == {f"{asked.id}.json"}


def torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:1_000])


@pytest.mark.parametrize(
    ("damage", "checkpoint", "cause"),
    [
        (lambda path: path.unlink(), "model.zip", "model.zip is not there any more"),
        (lambda path: path.write_bytes(b"no policy"), "model.zip", "model.zip cannot be loaded as PPO (BadZipFile"),
        (torn, "model.zip", "model.zip cannot be loaded as PPO"),
        (lambda path: None, None, "names no checkpoint"),
        (lambda path: None, "../elsewhere/model.zip", "is not a policy file of a run"),
    ],
)
def test_an_unusable_checkpoint_fails_with_the_cause_and_leaves_no_video(
    run: RunFolder,
    capsys: pytest.CaptureFixture[str],
    damage: Callable[[Path], None],
    checkpoint: str | None,
    cause: str,
) -> None:
    damage(run.model_path)
    asked = ask(run, checkpoint=checkpoint)
    record = evaluate(run, asked.id)
    assert record.status is EvaluationStatus.FAILED
    assert record.cause is not None
    assert record.cause.startswith("CheckpointUnusable: ")
    assert cause in record.cause
    assert "evaluate again" in record.cause
    assert record == run.evaluations.read(asked.id)
    assert files(run) == {f"{asked.id}.json"}
    assert "Traceback" in capsys.readouterr().err


def test_a_pinned_policy_is_played_although_its_checkpoint_was_deleted(run: RunFolder) -> None:
    asked = ask(run, episodes=1, checkpoint="checkpoints/step_512.zip")
    run.evaluations.pin_policy(asked.id, run.checkpoint_path(512))
    run.checkpoint_path(512).unlink()
    assert evaluate(run, asked.id).status is EvaluationStatus.COMPLETED


def test_a_crash_of_ffmpeg_midway_fails_the_evaluation_and_leaves_no_video(watched: WatchedFolder) -> None:
    asked = ask(watched)

    def kill_ffmpeg(record: EvaluationRecord) -> None:
        if record.status is EvaluationStatus.RUNNING and record.episodes_done == 1:
            (process,) = (child for child in psutil.Process().children() if "ffmpeg" in child.name())
            process.kill()

    watched.evaluations.watcher = kill_ffmpeg
    record = evaluate(watched, asked.id)
    assert record.status is EvaluationStatus.FAILED
    assert record.cause is not None
    assert record.cause.startswith("VideoNotWritten: ffmpeg was killed by signal 9")
    assert record.summary is None
    assert files(watched) == {f"{asked.id}.json"}
