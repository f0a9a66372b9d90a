"""A refused resume, rollback or fork leaves the run unchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.errors import NothingToResume, SnapshotDamaged, SnapshotRefused
from rlviz.domain.status import RunStatus
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import KEY_FILE
from rlviz.server.application import Application
from rlviz.server.snapshots.forking import ForkRequest
from rlviz.settings import Settings
from tests.support.run_folders import make_run
from tests.support.snapshots import written
from tests.unit.test_untrusted_runs import Witness

RUN_ID = "a-run"


@pytest.fixture
def witness() -> Witness:
    return Witness()


@pytest.fixture
def app(tmp_path: Path, witness: Witness) -> Iterator[Application]:
    run = make_run(tmp_path / "runs", RUN_ID, rows=20, status="completed")
    written(run, 10, size=100)
    application = Application(Settings(_env_file=None, runs_dir=tmp_path / "runs"), launcher=witness)  # type: ignore[call-arg]
    application.open()
    try:
        yield application
    finally:
        application.close()


def flip(run: RunFolder) -> None:
    path = run.snapshot_path("10")
    content = bytearray(path.read_bytes())
    content[content.index(b"ssss")] ^= 1
    path.write_bytes(bytes(content))


def lose_the_key(run: RunFolder) -> None:
    (run.path.parent / KEY_FILE).unlink()


def cut(run: RunFolder) -> None:
    run.snapshot_path("10").write_bytes(run.snapshot_path("10").read_bytes()[:-1])


def known(app: Application) -> dict[str, Any]:
    """Return what is known about the run except for its damage, which the service may detect at any time."""
    return app.runs.get(RUN_ID).model_dump(exclude={"damage"})


@pytest.mark.parametrize(
    ("spoil", "error"),
    [(flip, SnapshotDamaged), (cut, (SnapshotDamaged, NothingToResume)), (lose_the_key, SnapshotRefused)],
)
@pytest.mark.parametrize(
    "use",
    [
        lambda app: app.resuming.resume(RUN_ID, "10", total_timesteps=200_000),
        lambda app: app.resuming.resume(RUN_ID, total_timesteps=200_000),
        lambda app: app.resuming.roll_back(RUN_ID, "10"),
        lambda app: app.forks.fork(RUN_ID, ForkRequest(snapshot="10", start=True)),
    ],
    ids=["resume", "resume from the newest", "roll back", "fork"],
)
def test_an_unusable_snapshot_is_refused_before_anything_changes(
    app: Application,
    witness: Witness,
    use: Callable[[Application], object],
    spoil: Callable[[RunFolder], None],
    error: type[Exception] | tuple[type[Exception], ...],
) -> None:
    run = RunFolder(app.settings.runs_dir, RUN_ID)
    spoil(run)
    before, control = known(app), run.control_path.read_bytes()
    assert before["status"] == RunStatus.COMPLETED
    with pytest.raises(error):
        use(app)
    assert known(app) == before
    assert run.control_path.read_bytes() == control
    assert witness.launched == []
    assert [path.name for path in app.settings.runs_dir.iterdir() if path.name.startswith("ppo")] == []
