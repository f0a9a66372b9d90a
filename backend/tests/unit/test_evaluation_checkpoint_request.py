"""Requesting a checkpoint from a trainer for an evaluation."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from rlviz.rundir.control import Control, Desired
from rlviz.rundir.folder import RunFolder, request_checkpoint
from tests.support.training import make_run

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return make_run(tmp_path)


def test_request_numbers_increase_and_nothing_else_changes(folder: RunFolder) -> None:
    folder.write_control(Control(desired=Desired.STOP, reason="The disk is full.", checkpoint_request=4))
    assert request_checkpoint(folder, stopping=False, now=NOW) == 5
    assert folder.read_control() == Control(desired=Desired.STOP, reason="The disk is full.", checkpoint_request=5)


@pytest.mark.parametrize(("stopping", "desired"), [(True, Desired.STOP), (False, Desired.RUN)])
def test_a_damaged_control_file_keeps_a_stop_and_gets_an_unused_request_number(
    folder: RunFolder, stopping: bool, desired: Desired
) -> None:
    folder.control_path.write_text("{")
    number = request_checkpoint(folder, stopping=stopping, now=NOW)
    assert number > 1_000_000_000
    assert folder.read_control() == Control(desired=desired, checkpoint_request=number)
