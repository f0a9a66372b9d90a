"""Running runs, and a service that streams them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.event_streams import Event
from tests.support.run_folders import LiveRun
from tests.support.service_process import Service, serving

RUNS = ("fast", "cut", "first", "second", "torn", "broken", "killed")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, LiveRun]]:
    """One running run for each test, by name."""
    root = tmp_path_factory.mktemp("live") / "runs"
    live = {name: LiveRun(root, name) for name in RUNS}
    yield live
    for run in live.values():
        run.close()


@pytest.fixture(scope="module")
def service(runs: dict[str, LiveRun]) -> Iterator[Service]:
    """A service that finds those runs with live workers."""
    with serving(runs["fast"].folder.path.parents[1], launcher="scripted") as service:
        yield service
        assert "Traceback" not in service.log, service.log


def seqs_of(events: list[Event]) -> list[int]:
    return [seq for event in events if event.kind == "metrics" for seq in event.seqs]
