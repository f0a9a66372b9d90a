"""The projection of a followed run equals a rebuild, for any journals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlmodel import delete, select

from rlviz.domain.events import EventKind
from rlviz.domain.status import RunStatus
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.journal import Line, split_lines
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.projection.folder import row_of_config
from rlviz.server.catalog.projection.rebuild import rebuild
from rlviz.server.catalog.projection.run import COLUMNS_FROM, ENDING_LOST, RunProjection
from rlviz.server.catalog.runs import get_run
from rlviz.server.events import EventBus
from rlviz.server.feeds import Feeds
from rlviz.server.supervisor.run_monitor import RunMonitor
from tests.support.training import make_run
from tests.support.workers import GRACE, Actor

FIELDS: dict[str, Any] = {
    "pid": 7,
    "process_started_at": 1.5,
    "boot_id": "b",
    "path": "model.zip",
    "mean_return": 480.0,
    "std_return": 1.0,
    "episodes": 5,
    "request": 2,
    "type": "ValueError",
    "message": "it broke",
    "traceback": "…",
    "cause": "killed",
    "snapshot": "512",
    "saves_at": 640,
    "verified": 3,
    "total_timesteps": 9_000,
    "rule": 2,
    "says": "When it falls: notify",
    "notify": "look",
}

times = st.floats(1_000, 2_000) | st.floats(0, 1e9)  # the clock may be set back
steps = st.integers(0, 5_000)
returns = st.floats(-10, 600) | st.none() | st.sampled_from(["three", [], True])
broken = st.sampled_from(["not JSON", "[]", "{}", '{"seq":1}', '{"seq":1,"time":"noon","step":1,"values":[]}', ""])


@st.composite
def metric_lines(draw: st.DrawFn) -> str:
    values = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "episode/reward": returns,
                "episode/length": returns,
                "episode/index": st.integers(1, 500) | st.none(),
                "rollout/ep_rew_mean": returns,
                "rollout/ep_len_mean": returns,
                "time/fps": returns,
                "time/recent_fps": returns,
                "time/update_seconds": returns,
            },
        )
    )
    return json.dumps({"seq": draw(st.integers(1, 60)), "time": draw(times), "step": draw(steps), "values": values})


@st.composite
def event_lines(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from([*EventKind, "of-tomorrow"]))
    data = {name: value for name, value in FIELDS.items() if draw(st.integers(0, 20))}  # now and then one is missing
    if draw(st.booleans()):
        data["attempt"] = draw(st.integers(0, 3))
    if draw(st.booleans()):
        data["superseded"] = {"first": draw(st.integers(1, 60)), "last": draw(st.integers(0, 60))}
    return json.dumps({"seq": 1, "time": draw(times), "event": str(kind), "step": draw(steps), "data": data})


journals = st.tuples(
    st.lists(metric_lines() | broken, max_size=60), st.lists(event_lines() | event_lines() | broken, max_size=20)
)
pieces = st.lists(st.tuples(st.booleans(), st.integers(1, 3_000)), max_size=30)
controls = st.builds(
    Control,
    desired=st.sampled_from(Desired),
    attempt=st.integers(1, 3),
    reason=st.none() | st.just("The app was ended."),
    requested_at=st.just(1_500.0),
)


def line_of(event: str, **data: int) -> str:
    return json.dumps({"seq": 1, "time": 1_000.0, "event": event, "step": 0, "data": data})


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, Database]]:
    """Two databases: one to follow a run, one to rebuild it."""
    root = tmp_path_factory.mktemp("catalogues")
    databases = Database(root / "live.db"), Database(root / "rebuilt.db")
    for database in databases:
        database.migrate()
    yield databases
    for database in databases:
        database.close()


@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(journals=journals, pieces=pieces, control=controls)
@example(
    journals=([], [line_of("started"), line_of("stopped"), line_of("started", attempt=2)]),
    pieces=[(True, 150), (True, 300)],
    control=Control(desired=Desired.STOP, requested_at=1_500.0),
).via("a worker that began again by itself after its ending had been read")
def test_following_any_prefix_of_any_journals_gives_the_same_row_as_a_rebuild(
    databases: tuple[Database, Database],
    journals: tuple[list[str], list[str]],
    pieces: list[tuple[bool, int]],
    control: Control,
) -> None:
    live, rebuilt = databases
    with TemporaryDirectory() as root:
        folder = make_run(Path(root))
        folder.write_control(control)
        with live.write() as session:
            session.exec(delete(RunRow))
            row = row_of_config(folder.read_config())
            asked = {Desired.STOP: RunStatus.STOPPING, Desired.PAUSE: RunStatus.PAUSING}
            status = asked.get(control.desired, RunStatus.STARTING)
            known = {"attempt": control.attempt, "queued_at": control.queued_at, "status": status.value}
            session.add(row.sqlmodel_update(known))
        contents = ["".join(f"{line}\n" for line in lines).encode() for lines in journals]
        monitor = None
        for of_events, size in [(False, 0), *pieces]:
            path, content = ((folder.metrics_path, contents[0]), (folder.events_path, contents[1]))[of_events]
            with path.open("ab") as file:
                file.write(content[file.tell() :][:size])
            if monitor is None or size % 7 == 0:  # now and then the service is started again
                feed, clock = Feeds(Path(root)).get_feed(folder.run_id), count(step=10.0).__next__
                with live.read() as session:
                    row = get_run(session, folder.run_id)
                monitor = RunMonitor(row, folder, Actor(), feed, live, EventBus(), grace=GRACE, monotonic=clock)
            monitor.poll()
        rebuild(rebuilt, Path(root))
        made_again = columns(rebuilt)
        if (made_again["cause"] or "").startswith(("The run folder is damaged.", ENDING_LOST)):
            made_again["cause"] = None  # a rebuild reports that its events are lost
        assert columns(live) | {"damage": []} == made_again | {"damage": []}


def columns(database: Database) -> dict[str, Any]:
    """Return all columns except those that only the catalogue has: the status before an attempt starts, and its end
    while it runs.
    """
    with database.read() as session:
        row = session.exec(select(RunRow)).one()
    found = dict(row.model_dump())
    if row.started_at is None:
        found.pop("status")
    if not row.state.is_final or row.started_at is None:
        found.pop("ended_at")
    return found


def lines(*records: dict[str, Any]) -> list[Line]:
    numbered = ({"seq": seq, **record} for seq, record in enumerate(records, start=1))
    return list(split_lines(b"".join(json.dumps(record).encode() + b"\n" for record in numbered)))


def test_the_rate_of_a_resumed_run_covers_all_its_attempts() -> None:
    projection = RunProjection(None, attempt=2)
    projection.apply_metrics(lines({"time": 100, "step": 1_000, "values": {}}))
    projection.apply_events(
        lines(
            {"time": 0, "event": "started", "step": 0, "data": {"attempt": 1}},
            {"time": 900, "event": "interrupted", "step": 0, "data": {"attempt": 1, "cause": "", "trained_until": 100}},
            {"time": 1_000, "event": "started", "step": 1_000, "data": {"attempt": 2, "snapshot": "1000"}},
            {"time": 1_300, "event": "finished", "step": 2_000, "data": {"attempt": 2, "path": "model.zip"}},
        )
    )
    assert projection.columns()["fps"] == 2_000 / (100 + 300)


def test_each_column_is_lost_with_exactly_one_file() -> None:
    projection = RunProjection(None)
    projection.apply_events(lines({"time": 0, "event": "started", "step": 0, "data": {"attempt": 1}}))
    projection.apply_events(lines({"time": 1, "event": "finished", "step": 9, "data": {"path": "model.zip"}}))
    named = [name for names in COLUMNS_FROM.values() for name in names]
    assert len(named) == len(set(named))
    assert set(projection.columns()) - set(named) == {"warnings", "last_warning", "attempt"}, (
        "as they say how it is now"
    )
