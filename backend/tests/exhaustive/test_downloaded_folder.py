"""Training in a downloaded folder runs none of its code, in the service or in the worker."""

from __future__ import annotations

from pathlib import Path

from tests.exhaustive.test_untrusted_folder import downloaded, marker, rlviz

__all__ = ["downloaded", "marker"]


def test_training_runs_no_code_from_the_downloaded_folder(downloaded: Path, marker: Path) -> None:
    trained = rlviz(downloaded, "run", "--env", "CartPole-v1", "--preset", "none", "--steps", "100", "--wait")
    assert trained.returncode == 0, trained.stderr
    assert not marker.exists(), marker.read_text()
