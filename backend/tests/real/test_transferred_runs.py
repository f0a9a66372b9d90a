"""A bundle with snapshots continues exactly on another machine once it is trusted there."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.domain.errors import NotTrusted, SnapshotDamaged, SnapshotRefused
from rlviz.domain.events import EventKind
from rlviz.domain.status import RunStatus
from rlviz.exchange.bundle import read_bundle
from rlviz.exchange.trusting import trust_run
from rlviz.learning.training.snapshot.capture import read_archive
from rlviz.learning.training.snapshot.verify import verify_snapshot
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import check_seal, snapshots_of
from rlviz.server.catalog.projection.folder import row_of_folder
from rlviz.server.snapshots.forking import ForkRequest
from tests.support.bundles import bundle_of
from tests.support.service import catalogued
from tests.support.training import curves, events, make_run, snapshots

LONGER = 400


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A DQN run of 200 steps, whose snapshots need segments of a replay buffer."""
    root = tmp_path_factory.mktemp("here")
    folder = make_run(root, algo="dqn", total_timesteps=200, snapshots=snapshots(every_steps=100, keep=2))
    assert train_run(folder)
    return folder


@pytest.fixture(scope="module")
def bundle(trained: RunFolder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundle_of(trained, tmp_path_factory.mktemp("between") / "run.zip")


@pytest.fixture(scope="module")
def went_on(trained: RunFolder, bundle: Path) -> RunFolder:
    """The run, trained further on its original machine."""
    train_on(trained, "200")
    return trained


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The runs folder of another user on another machine."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path / "runs"


def train_on(folder: RunFolder, snapshot: str) -> None:
    attempt = row_of_folder(folder).attempt + 1
    folder.write_control(Control(desired=Desired.RUN, attempt=attempt, resume_from=snapshot, total_timesteps=LONGER))
    assert train_run(folder)


@pytest.mark.parametrize("its_id", ["free", "taken"])
def test_a_trusted_run_continues_exactly_as_on_its_original_machine(
    went_on: RunFolder, bundle: Path, there: Path, its_id: str
) -> None:
    if its_id == "taken":
        make_run(there, algo="dqn", seed=9)
    run = read_bundle(bundle, there)
    assert (run.run_id == went_on.run_id) is (its_id == "free")
    for name in ("100", "200"):
        with pytest.raises(SnapshotRefused, match="rlviz trust"):
            check_seal(run, name)
    trust_run(run)
    assert [(one.name, one.problem) for one in snapshots_of(run)] == [("100", None), ("200", None)]
    train_on(run, "200")
    assert row_of_folder(run).state is RunStatus.COMPLETED
    assert curves(run) == curves(went_on)
    [*_, began] = events(run, EventKind.STARTED)
    assert began.data.not_exact_because is None  # type: ignore[union-attr]


def test_a_run_can_be_forked_and_verified_once_it_is_trusted(bundle: Path, there: Path) -> None:
    run = read_bundle(bundle, there)
    wanted = ForkRequest(snapshot="200", total_timesteps=LONGER, start=True)
    with catalogued(there) as app:
        for use in (lambda: app.forks.fork(run.run_id, wanted), lambda: app.snapshots.verify(run.run_id, "200")):
            with pytest.raises(NotTrusted, match="rlviz trust"):
                use()
        assert [path for path in there.iterdir() if (path / "config.json").exists()] == [run.path]
        trust_run(run)
        child = RunFolder(there, app.forks.fork(run.run_id, wanted).id)
    assert train_run(child)
    assert row_of_folder(child).state is RunStatus.COMPLETED
    assert (row_of_folder(child).step, child.read_config().parent.run_id) == (LONGER, run.run_id)  # type: ignore[union-attr]
    found = verify_snapshot(run, "200")
    assert (found.cause, found.whole, found.identical, found.exact) == (None, True, True, True)


def test_an_incomplete_snapshot_is_not_signed(bundle: Path, there: Path) -> None:
    run = read_bundle(bundle, there)
    path = run.snapshot_path("100")
    content = bytearray(path.read_bytes())
    content[200] ^= 1
    path.write_bytes(bytes(content))
    trust_run(run)
    with pytest.raises(SnapshotDamaged):
        read_archive(run, "100")
    assert read_archive(run, "200").manifest.step == 200
