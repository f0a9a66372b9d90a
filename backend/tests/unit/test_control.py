"""control.json: requests of the service to the trainer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError

from rlviz.domain.errors import RunFolderError
from rlviz.rundir.control import (
    Control,
    Desired,
    RollbackRequest,
    SnapshotRequest,
    next_number,
    read_control,
    write_control,
)


def test_without_a_control_file_nothing_is_requested(tmp_path: Path) -> None:
    assert read_control(tmp_path / "control.json") == Control(desired=Desired.IDLE, checkpoint_request=0)


def test_a_written_control_is_read_back(tmp_path: Path) -> None:
    control = Control(desired=Desired.STOP, requested_at=1763689392.117, checkpoint_request=3)
    write_control(tmp_path / "control.json", control)
    assert read_control(tmp_path / "control.json") == control


def test_fields_of_a_newer_version_are_ignored(tmp_path: Path) -> None:
    (tmp_path / "control.json").write_text('{"desired": "run", "pause": true}')
    assert read_control(tmp_path / "control.json").desired is Desired.RUN


@pytest.mark.parametrize("content", ["", "{", "[]", '{"desired": "fly"}', '{"checkpoint_request": -1}', "\0"])
def test_an_unreadable_file_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "control.json"
    path.write_text(content)
    with pytest.raises(RunFolderError, match=r"control\.json: It "):
        read_control(path)


def test_a_control_is_immutable() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Control().desired = Desired.STOP  # type: ignore[misc]


def test_a_request_gets_a_new_number_even_if_the_file_was_lost() -> None:
    first = next_number((), now=1_763_689_392.117)
    asked = SnapshotRequest(number=first)
    assert next_number((asked,), now=1_763_689_392.117) == first + 1
    assert next_number((asked,), now=0.0) == first + 1, "the clock was set back"
    assert next_number((), now=1_763_689_400.0) > first


def test_requests_of_an_earlier_version_are_read_by_their_old_names(tmp_path: Path) -> None:
    path = tmp_path / "control.json"
    asked = {"number": 3, "change": {"kind": "set_knob", "knob": "learning_rate", "value": 0.1}}
    path.write_text(
        json.dumps(
            {
                "desired": "run",
                "knob_wishes": [asked],
                "snapshot_wishes": [{"number": 2, "name": "mine", "message": ""}],
                "rollback_wish": {"number": 1, "snapshot": "512"},
            }
        )
    )
    found = read_control(path)
    assert [one.number for one in found.knob_requests] == [3]
    assert [one.name for one in found.snapshot_requests] == ["mine"]
    assert found.rollback_request == RollbackRequest(number=1, snapshot="512")
    write_control(path, found)
    assert read_control(path) == found
    assert "wish" not in path.read_text()
