"""Current values of the hyperparameters of a run, from the changes in its journal."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.domain.events import DivergedData, EventData, HyperparameterChangedData, RollbackData, Stretch, event_line
from rlviz.domain.rules import Author, ScaleKnob, SetKnob
from rlviz.server.snapshots.rules import KnobState
from tests.support.run_folders import journal
from tests.support.service import create, folder_of, service

SCALED = HyperparameterChangedData(
    name="learning_rate",
    before=0.001,
    after=0.0005,
    change=ScaleKnob(knob="learning_rate", factor=0.5),
    by=Author.PERSON,
)
SET = SCALED.model_copy(update={"change": SetKnob(knob="learning_rate", value=0.0005), "replaced_schedule": True})
BACK = RollbackData(snapshot="512", superseded=Stretch(first=4, last=3))
DIVERGED = DivergedData(
    snapshot="512", superseded=Stretch(first=4, last=9), verified=3, metric=None, recorded=None, computed=None
)


@pytest.mark.parametrize(
    ("schedule", "events", "follows", "is_changed"),
    [
        ("constant", [], False, False),
        ("linear", [], True, False),
        ("linear", [(256, SCALED)], True, True),
        ("linear", [(256, SET)], False, True),
        ("linear", [(256, SET), (512, SCALED)], False, True),  # the last change does not tell
        ("linear", [(512, SET), (512, BACK)], False, True),  # made before the snapshot was taken
        ("linear", [(256, SCALED), (768, SET), (512, BACK)], True, True),
        ("linear", [(768, SET), (512, BACK)], True, False),
        ("linear", [(256, SCALED), (768, SET), (640, DIVERGED)], True, True),  # from there on it came out otherwise
    ],
)
def test_a_hyperparameter_follows_its_schedule_until_a_value_replaces_it(
    tmp_path: Path, schedule: str, events: list[tuple[int, EventData]], follows: bool, is_changed: bool
) -> None:
    with service(tmp_path) as application:
        run_id = create(application, hyperparameters={"learning_rate_schedule": schedule})
        with journal(folder_of(application, run_id).events_path) as lines:
            for step, data in events:
                lines.append(event_line(step, data))
        [knob] = [one for one in application.rules.knobs(run_id) if one.knob.name == "learning_rate"]
    assert isinstance(knob, KnobState)
    assert (knob.follows_schedule, knob.changed is not None) == (follows, is_changed)
