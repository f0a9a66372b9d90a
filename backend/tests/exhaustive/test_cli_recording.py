"""The command that sets the recording detail of a run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.scripted.test_cli_like_the_pages import done, trained
from tests.support.run_folders import make_run
from tests.support.service_process import Service, serving

__all__ = ["trained"]


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with a trained and evaluated run, and one that was copied into its folder."""
    folder = tmp_path_factory.mktemp("cli")
    make_run(folder / "runs", "put-there", rows=30, status="completed")
    with serving(folder) as service:
        yield service


def test_the_command_sets_the_recording_detail_and_films_recorded_episodes(warm: Service, trained: str) -> None:
    shown = done(warm, "recording", trained).out
    assert "standard" in shown
    assert "the detail is reduced" in shown
    assert done(warm, "recording", trained, "full", "--json").json["chosen"] == "full"
    assert done(warm, "recording", trained, "family", "--json").json["chosen"] is None
    own = done(warm, "evaluations", trained, "--by-run", "--json").json
    assert {one["origin"] for one in own} == {"run"}
    assert "steps are identical" in done(warm, "verify", trained, own[0]["id"], "--film").out
    again = done(warm, "evaluations", trained, "--by-run", "--json").json
    assert again[0]["video_url"]
