"""Helpers of fault tests: small runs, checks of their state afterwards, and the figures of a soak."""

from __future__ import annotations

import json
import os
import shutil
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from rlviz.domain.events import EventKind, EventRecord
from rlviz.domain.metrics import MetricRecord
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import read_journal
from tests.support.service_process import Service
from tests.support.training import ENV_ID, QUICK, WORLDS, events
from tests.support.waiting import eventually
from tests.support.workers import descendants, pid_of, title_of

SHARE = float(os.environ.get("RLVIZ_SOAK", "0"))
"""Set by ``make soak``: the same tests, that share of the ``many`` times each."""

SOAK = SHARE > 0


def times(few: int, many: int) -> int:
    """Return the number of repetitions: ``few`` in CI, ``many`` in a soak."""
    return max(few, round(many * SHARE))


@dataclass(frozen=True)
class Figures:
    """The file to which a soak writes its measurements as JSON lines; without a soak, nothing is written."""

    path: Path | None

    def add(self, what: str, value: float, unit: str, *, at_most: float | None = None) -> None:
        """Add a measurement. ``at_most`` is its limit, which is checked only in a soak, on an idle machine."""
        if self._note({"what": what, "value": value, "unit": unit, "at_most": at_most}):
            print(f"  {what}: {value:.3g} {unit}", file=sys.__stderr__, flush=True)
            assert at_most is None or value <= at_most, f"{what}: {value} {unit}"

    def add_cuts(self, algo: str, env_id: str, cuts: int, *, same: bool) -> None:
        """Add the number of interruptions of a run, and whether its result equals that of an uninterrupted one."""
        self._note({"algo": algo, "env_id": env_id, "cuts": cuts, "same": same})

    def _note(self, figure: dict[str, object]) -> bool:
        """Write the figure if a soak records figures, and return whether it did."""
        if self.path is None:
            return False
        with self.path.open("a") as file:
            file.write(json.dumps(figure) + "\n")
        return True


def train(service: Service, algo: str = "ppo", **wishes: object) -> str:
    """Start a run that does not end by itself, and wait until it trains."""
    usual = {"preset": None, "env_id": WORLDS.get(algo, ENV_ID), "hyperparameters": QUICK[algo]}
    run = service.create(algo=algo, start=True, **{**usual, "total_timesteps": 10_000_000, **wishes})
    run_id = str(run["id"])
    eventually(lambda: steps_of(service, run_id) > 0, f"the first step of {run_id}", 300)
    return run_id


def train_briefly(service: Service, env_id: str, algo: str = "ppo", **hyperparameters: object) -> str:
    """Train a run in ``env_id`` for a short time and return it after its end."""
    run = service.create(
        algo=algo,
        env_id=env_id,
        start=True,
        preset=None,
        total_timesteps=128,
        hyperparameters={**QUICK[algo], **hyperparameters},
    )
    service.wait_for_status(run["id"], "completed")
    return str(run["id"])


def take_snapshot(service: Service, run_id: str, name: str) -> EventRecord:
    """Take a named snapshot and wait for its event, because runs also take snapshots by themselves."""
    answer = service.api("POST", f"/runs/{run_id}/snapshots", json={"name": name})
    assert answer.status_code == 202, answer.text

    def look() -> EventRecord | None:
        taken = events(service.folder(run_id), EventKind.SNAPSHOT)
        return next((event for event in taken if event.data.name == name), None)  # type: ignore[union-attr]

    return eventually(look, f"snapshot {name} of {run_id}", 300)


def steps_of(service: Service, run_id: str) -> int:
    return int(service.get(f"/runs/{run_id}")["step"])


def worker_of(service: Service, run_id: str) -> psutil.Process:
    """Return the process that trains the run, or did so last, according to its folder."""
    return psutil.Process(pid_of(events(service.folder(run_id), EventKind.STARTED)[-1].data.worker))


def children(service: Service) -> list[psutil.Process]:
    """Return all child processes of the service, recursively."""
    return descendants(service.process.pid)


def workers_of(service: Service, argument: str) -> list[psutil.Process]:
    """Return the running workers of the service that have ``argument`` in their command line."""
    found = []
    for child in children(service):
        with suppress(psutil.Error):
            if argument in title_of(child).split() and child.status() != psutil.STATUS_ZOMBIE:
                found.append(child)
    return found


def fill(disk: Path, *, leave: int = 0) -> Path:
    """Fill the disk until at most ``leave`` bytes are free; return the file that takes the space."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, suppress(OSError):
        while shutil.disk_usage(disk).free > leave and file.write(b"\0" * 4_096):
            pass
    return filler


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Fill the disk completely within the block."""
    filler = fill(disk)
    try:
        yield
    finally:
        filler.unlink()


def whole_files(folder: RunFolder) -> None:
    """Check that ``folder`` has ordered journals, loadable policies and no temporary files."""
    rows = [MetricRecord.model_validate(line.record) for line in read_journal(folder.metrics_path)]
    assert [row.seq for row in rows] == list(range(1, len(rows) + 1))
    told = [EventRecord.model_validate(line.record) for line in read_journal(folder.events_path)]
    assert [event.seq for event in told] == list(range(1, len(told) + 1))
    for path in folder.path.rglob("*.json"):
        json.loads(path.read_bytes())
    for path in folder.path.rglob("*.zip"):
        with zipfile.ZipFile(path) as policy:
            assert policy.testzip() is None
    assert not [path.name for path in folder.path.rglob("*.tmp")]
