"""Identifiers of runs and evaluations."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from rlviz.domain.errors import EvaluationNotFound, RunNotFound
from rlviz.domain.ids import check_evaluation_id, check_run_id, created_at_of, is_run_id, new_evaluation_id, new_run_id
from rlviz.rundir.experiment_folder import EXPERIMENTS
from rlviz.rundir.usage import ANALYTICS
from rlviz.server.runs.presets import FOLDER as OWN_PRESETS
from tests.support.cases import cases

NOW = datetime(2026, 11, 21, 1, 43, 12, 123_999, tzinfo=UTC)
BAD = [
    "",
    ".",
    "..",
    "../a",
    "a/b",
    "a\\b",
    "a\0",
    "a\n",
    "\na",
    " a",
    "a ",
    "A",
    "ä",
    "a.b",
    "-a",
    "a-",
    "%2e%2e",
    "/a",
]


def test_a_run_id_contains_what_is_trained_and_when() -> None:
    assert new_run_id("ppo", "CartPole-v1", NOW)[:-6] == "ppo-cartpole-20261121-014312-"


@pytest.mark.parametrize(
    ("env_id", "stem"),
    [
        ("ALE/Pong-v5", "ppo-pong"),
        ("MiniGrid-Empty-5x5-v0", "ppo-minigrid-empty-5x5"),
        ("../..", "ppo"),
        ("Ünïcode_Env v1", "ppo-n-code-env-v1"),
        ("-v1", "ppo"),
        ("x" * 500, "ppo-" + "x" * 36),
    ],
)
def test_run_ids_are_safe_for_every_environment_name(env_id: str, stem: str) -> None:
    run_id = new_run_id("ppo", env_id, NOW)
    assert run_id.startswith(stem + "-20261121")
    assert is_run_id(run_id)


def test_an_algorithm_without_latin_letters_also_gives_an_id() -> None:
    """Imported configurations may have any algorithm name."""
    assert is_run_id(new_run_id("é", "ü", NOW))
    assert new_run_id("é", "ü", NOW).startswith("run-20261121")


@cases(
    "name",
    [
        *(EXPERIMENTS, OWN_PRESETS, ANALYTICS, "wandb", "mlflow", "trackio", "tensorboard"),
        *("groups", "import", "last", "view", "rlviz"),
        *("con", "nul", "aux", "prn", "com1", "lpt9"),
    ],
)
def test_a_reserved_name_is_no_run_id(name: str) -> None:
    assert not is_run_id(name)
    assert is_run_id(f"{name}-1")
    with pytest.raises(RunNotFound):
        check_run_id(name)


def test_run_ids_of_the_same_second_differ() -> None:
    assert len({new_run_id("ppo", "CartPole-v1", NOW) for _ in range(20)}) > 15


def test_times_are_utc_wherever_the_service_runs() -> None:
    tokyo = NOW.astimezone(timezone(timedelta(hours=9)))
    assert new_evaluation_id(tokyo) == new_evaluation_id(NOW) == "eval_20261121-014312-123"
    assert "20261121-014312" in new_run_id("dqn", "CartPole-v1", tokyo)


@pytest.mark.parametrize("text", ["a", "0", "ppo-cartpole-20261121-014312-7f3a", "x" * 80])
def test_valid_run_ids_are_returned_unchanged(text: str) -> None:
    assert check_run_id(text) == text


@cases("text", [*BAD, "x" * 81, "x" * 100_000])
def test_an_invalid_run_id_is_not_found(text: str) -> None:
    assert not is_run_id(text)
    with pytest.raises(RunNotFound) as caught:
        check_run_id(text)
    assert len(str(caught.value)) < 500


def test_evaluation_ids_sort_by_time() -> None:
    ids = [new_evaluation_id(NOW + timedelta(milliseconds=7 * n)) for n in range(500)]
    assert ids == sorted(ids)
    assert [check_evaluation_id(evaluation_id) for evaluation_id in ids] == ids


@cases("text", [*BAD, "eval_", "eval_20261121-014312-1234", "eval_20261121-014312-12٣", "x" * 9_999])
def test_an_invalid_evaluation_id_is_not_found(text: str) -> None:
    with pytest.raises(EvaluationNotFound) as caught:
        check_evaluation_id(text)
    assert len(str(caught.value)) < 500


def test_an_id_contains_the_creation_time_of_its_run() -> None:
    assert created_at_of(new_run_id("ppo", "CartPole-v1", NOW)) == NOW.replace(microsecond=0)
    assert created_at_of("ppo-cartpole-20261121-014312-7f3a") is not None, "as version 0.1.0 made them"
    assert created_at_of("my-own-name") is None
