"""Sinks added to a run and removed in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.cli import Ended, call
from tests.support.run_folders import make_run
from tests.support.service_process import Service, serving
from tests.support.waiting import eventually

BRIEF = ("--steps", "256", "--set", "n_steps=128", "--set", "batch_size=64")


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with a run that was trained and evaluated, and one that was put there."""
    folder = tmp_path_factory.mktemp("cli")
    make_run(folder / "runs", "put-there", rows=30, status="completed")
    with serving(folder, launcher="scripted") as service:
        yield service


@pytest.fixture(scope="module")
def trained(warm: Service) -> str:
    """The id of a run that was trained with evaluations."""
    return done(warm, "run", *BRIEF, "--seed", "3", "--evaluate-every", "128", "--wait", "--json").json["id"]


def done(service: Service, *arguments: str, typed: str | None = None) -> Ended:
    """Of a command that has to succeed."""
    ended = call(service.runs_dir, *arguments, typed=typed)
    assert ended.status == 0, ended.err
    return ended


def test_sinks_are_given_to_a_run_after_its_start_and_taken_away(warm: Service) -> None:
    assert "tensorboard" in done(warm, "sinks", "available").out
    assert done(warm, "sinks", "list", "put-there").out == "It has no sinks.\n"
    done(warm, "sinks", "add", "put-there", "tensorboard")

    def delivered() -> bool:
        [sink] = done(warm, "sinks", "list", "put-there", "--json").json["sinks"]
        return bool(sink["state"] == "delivered")

    eventually(delivered, "its delivery")
    assert "tensorboard  delivered" in done(warm, "sinks", "list", "put-there").out
    done(warm, "sinks", "remove", "put-there", "tensorboard")
    assert [sink["live"] for sink in done(warm, "sinks", "list", "put-there", "--json").json["sinks"]] == [False]
