"""Models of events, and compatibility between versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.events import (
    EventKind,
    EventRecord,
    FinishedData,
    StartedData,
    UnknownData,
    WarningData,
    event_line,
    parse_event,
)
from rlviz.rundir.journal import JournalWriter, read_journal
from rlviz.server.catalog.projection.folder import row_of_folder
from rlviz.server.runs.events import describe, read_events
from tests.support.cases import cases
from tests.support.described_api import described_api
from tests.support.training import make_run

JOURNALS_0_1_0 = sorted((Path(__file__).parents[1] / "fixtures" / "runs_v0_1_0").glob("*/events.jsonl"))


def line(kind: object, **data: Any) -> dict[str, Any]:
    return {"seq": 1, "time": 1.5, "event": kind, "step": 7, "data": data}


@pytest.mark.parametrize("path", JOURNALS_0_1_0, ids=lambda path: path.parent.name)
def test_every_event_written_by_version_0_1_0_is_read_with_the_same_content(path: Path) -> None:
    lines = read_journal(path)
    assert lines
    for found in lines:
        event = parse_event(found.record)
        assert event is not None
        assert event.event in set(EventKind)
        again, was = event.model_dump(mode="json"), dict(found.record or {})
        if isinstance(event.data, StartedData):  # the attempt was not numbered, the process stood in three fields
            process = ":".join(str(was["data"][name]) for name in ("pid", "process_started_at", "boot_id"))
            was["data"] = {"attempt": 1, "worker": f"process:{process}"}
        assert again == was


def test_events_round_trip() -> None:
    data = FinishedData(path="model.zip", ended_early="It was good enough.")
    assert event_line(7, data)["data"] == {"path": "model.zip", "ended_early": "It was good enough."}
    assert parse_event({"seq": 1, "time": 1.5, **event_line(7, data)}) == EventRecord(
        seq=1, time=1.5, step=7, data=data
    )


def test_fields_of_a_newer_version_are_ignored() -> None:
    event = parse_event({**line("warning", message="hot", temperature=99), "colour": "red"})
    assert event is not None
    assert event.data == WarningData(message="hot")


def test_an_event_of_a_newer_version_hides_no_other(tmp_path: Path) -> None:
    folder = make_run(tmp_path)
    journal = JournalWriter(folder.events_path)
    for step, kind in enumerate(("started", "rolled-back", "finished")):
        journal.append({"event": kind, "step": step, "data": {"snapshot": "a"}})
    journal.close()
    log = read_events(folder)
    assert [event.event for event in log.events] == ["started", "rolled-back", "finished"]
    assert log.broken_lines == 0
    assert log.events[1].data == UnknownData(name="rolled-back", data={"snapshot": "a"})
    assert "'rolled-back'" in describe(log.events[1]).message
    row = row_of_folder(folder)
    assert (row.status, row.warnings) == ("completed", 0)


@cases(
    "record",
    [
        None,
        line(5),
        line(None),
        {**line("stopped"), "data": []},
        {**line("stopped"), "data": "path"},
        line("warning"),
        line("error", type="ValueError", message=3),
        line("checkpoint", path="a", request="often"),
        {**line("started"), "step": -1},
        {**line("started"), "time": "noon"},
        {"seq": 1, "time": 1.5, "step": 1},
    ],
)
def test_an_invalid_event_is_ignored(record: dict[str, Any] | None) -> None:
    assert parse_event(record) is None


def test_every_kind_of_event_has_one_model() -> None:
    minimal: dict[str, dict[str, Any]] = {
        "checkpoint": {"path": "a"},
        "best": {"path": "a", "mean_return": 1, "std_return": 0, "episodes": 3},
        "snapshot": {"name": "10", "trigger": "periodic", "bytes": 1, "capture_ms": 1.0},
        "pausing": {"saves_at": 10},
        "paused": {"snapshot": "10"},
        "resumed": {"snapshot": "10", "verified": 3},
        "diverged": {"snapshot": "10", "verified": 3, "superseded": {"first": 1, "last": 2}},
        "rollback": {"snapshot": "10", "superseded": {"first": 1, "last": 2}},
        "hyperparameter_changed": {
            **{"name": "learning_rate", "before": 0.1, "after": 0.2, "by": "person"},
            "change": {"kind": "set_knob", "knob": "learning_rate", "value": 0.2},
        },
        "rules_changed": {"rules": []},
        "recorded": {"evaluation": "eval_20261121-044501-404", "episodes": 1},
        "recording_changed": {"detail": "minimal"},
        "rule_fired": {"rule": 1, "says": "When 10 steps are done: stop"},
        "warning": {"message": "m"},
        "error": {"type": "T", "message": "m"},
        "interrupted": {"cause": "c"},
        "refused": {"attempt": 2, "message": "m"},
    }
    models = []
    for kind in EventKind:
        event = parse_event(line(kind.value, **minimal.get(kind, {})))
        assert event is not None, kind
        assert event.event is kind
        models.append(type(event.data))
    assert len(set(models)) == len(EventKind)


def test_the_documented_api_distinguishes_the_kinds() -> None:
    schema = described_api()["components"]["schemas"]
    details = schema["RunEvent"]["properties"]["details"]
    assert details["discriminator"]["mapping"].keys() == {*EventKind, "unknown", "evaluation"}
    assert schema[StartedData.__name__]["properties"]["kind"]["const"] == "started"
    assert json.dumps(schema[UnknownData.__name__])
