"""Verification of snapshots through the service, with real workers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.config import EvaluationPlan
from rlviz.domain.errors import ArtifactNotFound, SnapshotRefused
from rlviz.domain.evaluation import VerificationStatus
from rlviz.domain.rules import PauseTraining, Rule, StepsLimit
from rlviz.domain.snapshots import SnapshotVerification
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import KEY_FILE, find_snapshot, read_snapshot, write_snapshot
from rlviz.server.application import Application
from tests.support.service import ended, folder_of, service, start
from tests.support.waiting import eventually

PARTS = ["model", "optimizers", "generators", "environments", "replay", "counters"]


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Application]:
    with service(tmp_path_factory.mktemp("verify") / "runs") as application:
        yield application


@pytest.fixture(scope="module")
def run_id(app: Application) -> str:
    """A DQN run with a replay buffer, a periodic evaluation, a rule, and a snapshot of its end at step 400."""
    rule = Rule(when=StepsLimit(steps=100_000), do=(PauseTraining(),))
    plan = EvaluationPlan(every_steps=150, episodes=1)
    run_id = start(app, algo="dqn", steps=400, evaluation=plan, rules=(rule,))
    ended(app, run_id)
    return run_id


def verified(app: Application, run_id: str, name: str) -> SnapshotVerification:
    assert app.snapshots.verify(run_id, name).status is VerificationStatus.RUNNING

    def look() -> SnapshotVerification | None:
        found = app.snapshots.verification(run_id, name)
        return found if found is not None and found.status is not VerificationStatus.RUNNING else None

    return eventually(look, "the verification")  # type: ignore[return-value]


def flip(path: Path) -> bytes:
    """Flip one bit in the middle, and return the previous content."""
    whole = path.read_bytes()
    place = len(whole) // 2
    path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
    return whole


def test_every_part_of_a_snapshot_is_restored_unchanged(app: Application, run_id: str) -> None:
    before = sorted(path.name for path in folder_of(app, run_id).path.rglob("*"))
    found = verified(app, run_id, "400")
    assert found.cause is None
    assert [part.name for part in found.parts] == PARTS
    assert (found.whole, found.identical, found.first_difference) == (True, True, None)
    assert (found.exact, found.reasons) == (True, [])
    assert app.snapshots.list(run_id).verifications == {"400": found}
    after = sorted(path.name for path in folder_of(app, run_id).path.rglob("*"))
    assert after == sorted([*before, "400.verify.json"]), "nothing else is written to the folder of the run"


@pytest.mark.parametrize("part", ["file", "segment"])
def test_a_flipped_bit_is_reported(app: Application, run_id: str, part: str) -> None:
    folder = folder_of(app, run_id)
    path = folder.snapshot_path("400")
    if part == "segment":
        path = folder.segment_path(find_snapshot(folder, "400").manifest.segments[0].file)
    whole = flip(path)
    try:
        found = verified(app, run_id, "400")
    finally:
        path.write_bytes(whole)
    assert (found.status, found.whole, found.identical, found.exact) == (
        VerificationStatus.COMPLETED,
        False,
        None,
        False,
    )
    assert "damaged" in (found.cause or "")


def test_a_snapshot_of_another_installation_is_refused(app: Application, run_id: str) -> None:
    key = app.settings.runs_dir / KEY_FILE
    own = key.read_bytes()
    key.write_bytes(bytes(reversed(own)))
    try:
        found = verified(app, run_id, "400")
    finally:
        key.write_bytes(own)
    assert (found.whole, found.identical) == (False, None)
    assert "was not written by this installation" in (found.cause or "")


def test_another_installation_verifies_as_complete_and_identical_but_not_exact(app: Application, run_id: str) -> None:
    folder: RunFolder = folder_of(app, run_id)
    manifest, members = read_snapshot(folder, "400")
    origin: Any = manifest.origin.model_copy(update={"versions": {**manifest.origin.versions, "torch": "1.0"}})
    write_snapshot(folder, manifest.model_copy(update={"origin": origin}), members)
    try:
        assert app.snapshots.verification(run_id, "400") is None, "what was found is of the one that lay there before"
        found = verified(app, run_id, "400")
    finally:
        write_snapshot(folder, manifest, members)
    assert (found.whole, found.identical, found.exact) == (True, True, False)
    assert found.reasons[0].startswith("torch was 1.0")


def test_a_snapshot_that_cannot_be_verified_is_refused_immediately(app: Application, run_id: str) -> None:
    with pytest.raises(ArtifactNotFound):
        app.snapshots.verify(run_id, "399")
    folder = folder_of(app, run_id)
    path = folder.snapshot_path("400")
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])
    try:
        with pytest.raises(SnapshotRefused):
            app.snapshots.verify(run_id, "400")
    finally:
        path.write_bytes(whole)
