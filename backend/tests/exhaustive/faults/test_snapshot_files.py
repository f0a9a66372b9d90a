"""Damaged and incompatible snapshots are refused with a reason."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import ArtifactNotFound, IllegalTransition, SnapshotDamaged, SnapshotRefused
from rlviz.domain.snapshots import SnapshotManifest
from rlviz.domain.status import RunStatus
from rlviz.domain.versions import SNAPSHOT
from rlviz.learning.training.builder import build_model
from rlviz.learning.training.snapshot.capture import read_archive
from rlviz.learning.training.snapshot.compatibility import describe_origin, reasons_not_exact
from rlviz.learning.training.snapshot.restore import restore
from rlviz.learning.training.watched import train_run
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import (
    KEY_FILE,
    find_snapshot,
    newest_usable_snapshot,
    read_snapshot,
    snapshots_of,
    write_snapshot,
)
from rlviz.server.catalog.projection.folder import row_of_folder
from tests.support.faults import times
from tests.support.training import kinds, make_run, messages, snapshots

pytestmark = pytest.mark.faults

PLACES = times(20, 2_000)
"""Of a file, at which it is cut or changed."""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run of DQN with a replay buffer, and its snapshots at 200 and 300 steps."""
    folder = make_run(
        tmp_path_factory.mktemp("runs"), algo="dqn", total_timesteps=300, snapshots=snapshots(every_steps=100, keep=2)
    )
    assert train_run(folder)
    assert [snapshot.name for snapshot in snapshots_of(folder)] == ["200", "300"]
    return folder


@pytest.fixture
def run(trained: RunFolder, tmp_path: Path) -> RunFolder:
    """A copy of the run to be damaged, in the runs folder of the same installation."""
    shutil.copytree(trained.path, tmp_path / trained.run_id)
    shutil.copy(trained.path.parent / KEY_FILE, tmp_path / KEY_FILE)
    return RunFolder(tmp_path, trained.run_id)


def changed(run: RunFolder, **changes: Any) -> RunConfig:
    """Change the configuration of the run in its folder."""
    config = run.read_config().model_copy(update=changes)
    run.config_path.write_text(config.model_dump_json())
    return config


def rewritten(run: RunFolder, name: str, **changes: Any) -> None:
    """Give snapshot ``name`` another manifest, signed with our own key."""
    manifest, members = read_snapshot(run, name)
    write_snapshot(run, manifest.model_copy(update=changes), members)


def cut(content: bytes, place: int) -> bytes:
    return content[:place]


def flipped(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 1 << place % 8]) + content[place + 1 :]


@pytest.mark.parametrize("damage", [cut, flipped])
def test_a_snapshot_cut_or_changed_at_any_byte_is_refused(
    run: RunFolder, damage: Callable[[bytes, int], bytes]
) -> None:
    path = run.snapshot_path("300")
    whole = path.read_bytes()
    size = len(whole)
    for place in {0, 1, size - 1, size - 70, size - 200, *random.Random(1).sample(range(size), PLACES)}:
        path.write_bytes(damage(whole, place))
        with pytest.raises(SnapshotRefused):
            read_archive(run, "300")
        newest = newest_usable_snapshot(run)
        assert newest is not None, "the other one is whole"
    path.write_bytes(whole)
    assert read_archive(run, "300").manifest.step == 300


@pytest.mark.parametrize("damage", [cut, flipped])
def test_a_segment_cut_or_changed_at_any_byte_is_refused(run: RunFolder, damage: Callable[[bytes, int], bytes]) -> None:
    config = run.read_config()
    [*_, segment] = find_snapshot(run, "300").manifest.segments
    path = run.segment_path(segment.file)
    whole = path.read_bytes()
    model = build_model(config)
    for place in random.Random(1).sample(range(len(whole)), 20):
        path.write_bytes(damage(whole, place))
        with pytest.raises(SnapshotDamaged, match="Part of the replay buffer is damaged"):
            restore(model, config, run, "300")
    path.unlink()
    with pytest.raises(SnapshotDamaged, match="Part of the replay buffer is missing"):
        restore(model, config, run, "300")
    newest = newest_usable_snapshot(run)
    assert newest is not None
    assert newest.name == "200", "one without its segments is not whole"


def test_a_snapshot_of_another_installation_is_refused_before_unpickling(run: RunFolder) -> None:
    (run.path.parent / KEY_FILE).unlink()
    with pytest.raises(SnapshotRefused, match="was not written by this installation"):
        read_archive(run, "300")
    assert (run.path.parent / KEY_FILE).stat().st_mode & 0o777 == 0o600


def test_a_snapshot_of_a_newer_version_is_listed_with_a_reason_and_refused(run: RunFolder) -> None:
    newer = SNAPSHOT.current + 1
    rewritten(run, "300", schema_version=newer)
    with pytest.raises(
        SnapshotRefused, match=f"newer version .*: schema {newer}; this version knows {SNAPSHOT.current}"
    ):
        read_archive(run, "300")
    old, new = snapshots_of(run)
    assert (old.name, old.problem, new.name, new.is_whole) == ("200", None, "300", False)
    assert "newer version" in (new.problem or "")
    newest = newest_usable_snapshot(run)
    assert newest is not None
    assert newest.name == "200"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"algo": "qrdqn"}, "has another algorithm: dqn. This run has qrdqn"),
        ({"env_id": "Acrobot-v1"}, "has another environment: CartPole-v1. This run has Acrobot-v1"),
        ({"seed": 8}, "has another configuration"),
        ({"hyperparameters": {"learning_starts": 100, "buffer_size": 1_000, "gamma": 0.5}}, "another configuration"),
        ({"hyperparameters": {"learning_starts": 100, "n_envs": 2}}, r"another number of environments: 1\. .* has 2"),
    ],
)
def test_a_snapshot_of_a_different_training_configuration_is_refused(
    run: RunFolder, changes: dict[str, Any], why: str
) -> None:
    config = changed(run, **changes)
    with pytest.raises(SnapshotRefused, match=why):
        restore(build_model(config), config, run, "300")


def test_a_snapshot_of_an_environment_with_different_wrappers_is_refused(run: RunFolder) -> None:
    manifest = find_snapshot(run, "300").manifest
    [layers] = manifest.built.environments
    rewritten(run, "300", built=manifest.built.model_copy(update={"environments": (("some.Wrapper", *layers),)}))
    config = run.read_config()
    with pytest.raises(SnapshotRefused, match=r"an environment with other wrappers: some\.Wrapper differ"):
        restore(build_model(config), config, run, "300")


def test_a_snapshot_of_another_run_is_refused(run: RunFolder) -> None:
    rewritten(run, "300", run_id="dqn-cartpole-other")
    config = run.read_config()
    with pytest.raises(SnapshotRefused, match="belongs to another run, dqn-cartpole-other"):
        restore(build_model(config), config, run, "300")


def test_an_unknown_snapshot_name_is_answered_with_the_existing_ones(run: RunFolder) -> None:
    with pytest.raises(ArtifactNotFound, match=r"no snapshot '250'\. It has: 200, 300"):
        read_archive(run, "250")


@pytest.mark.parametrize("damaged", ["the snapshot", "its replay buffer"])
def test_an_attempt_with_a_refused_snapshot_leaves_the_run_unchanged_and_says_why(run: RunFolder, damaged: str) -> None:
    before = row_of_folder(run)
    assert before.state is RunStatus.COMPLETED
    path = run.snapshot_path("200") if damaged == "the snapshot" else next(run.replay.glob("*.seg"))
    content = bytearray(path.read_bytes())
    content[100] ^= 1
    path.write_bytes(content)
    run.write_control(Control(desired=Desired.RUN, attempt=2, resume_from="200"))
    assert not train_run(run)
    assert kinds(run)[-1] == "refused"
    after = row_of_folder(run)
    assert after.last_warning is not None
    assert "damaged" in after.last_warning
    same = ("status", "ended_at", "started_at", "step", "cause", "traceback", "policy_step", "core_seconds_before")
    assert {name: getattr(after, name) for name in same} == {name: getattr(before, name) for name in same}
    assert after.attempt == 2, "so that a worker of that attempt that comes late does not begin"
    with pytest.raises(IllegalTransition):
        train_run(run)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"versions": {"torch": "1.0"}}, "torch was 1.0"),
        ({"capability": "x86_64 NO AVX"}, "torch used the processor as x86_64 NO AVX"),
        ({"threads": 64}, "torch had 64 threads"),
        ({"environment_source": "another"}, "The source code of the environment has changed"),
    ],
)
def test_training_on_another_machine_continues_and_is_marked_as_inexact(
    run: RunFolder, changes: dict[str, Any], reason: str
) -> None:
    manifest: SnapshotManifest = find_snapshot(run, "200").manifest
    assert reasons_not_exact(manifest, describe_origin(run.read_config())) == []
    rewritten(run, "200", origin=manifest.origin.model_copy(update=changes))
    run.events_path.unlink()
    run.write_control(Control(desired=Desired.RUN, attempt=2, resume_from="200"))
    assert train_run(run)
    assert any("does not continue exactly" in message and reason in message for message in messages(run))
