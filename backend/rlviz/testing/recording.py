"""Recordings: real runs, kept small, that the scripted worker replays."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import orjson

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import UnknownName
from rlviz.domain.evaluation import BestPolicy, EvaluationRecord, Origin
from rlviz.domain.events import BestData, EventRecord, SnapshotData
from rlviz.domain.metrics import EVAL_REWARD
from rlviz.domain.snapshots import SnapshotManifest, Trigger
from rlviz.domain.versions import read_versioned

RECORDINGS = Path(__file__).parent / "recordings"

COUNTERS = ("time/iterations", "time/episodes", "train/n_updates")
"""Metrics that only grow: when the recording is repeated, they continue from where they were."""


@dataclass(frozen=True)
class Row:
    """One row of metrics. ``at``: seconds of training before it."""

    at: float
    step: int
    values: Mapping[str, float]


@dataclass(frozen=True)
class Recorded:
    """Episodes that the run recorded while it trained: at which step, and the id of their record."""

    step: int
    evaluation_id: str


class Recording:
    """One recorded run, from an archive that ``record.pack`` wrote."""

    def __init__(self, path: Path) -> None:
        self._archive = zipfile.ZipFile(path)
        self._names = self._archive.namelist()

    @cached_property
    def config(self) -> RunConfig:
        return read_versioned(RunConfig, self.read("config.json"))

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The events, in the order they were written."""
        began = self.events[0].time
        lines = map(orjson.loads, self.read("metrics.jsonl").splitlines())
        return tuple(Row(max(0.0, line["time"] - began), line["step"], line["values"]) for line in lines)

    @cached_property
    def events(self) -> tuple[EventRecord, ...]:
        lines = self.read("events.jsonl").splitlines()
        return tuple(EventRecord.model_validate(orjson.loads(line)) for line in lines)

    @cached_property
    def anatomy(self) -> tuple[dict[str, Any], ...]:
        """Lines of ``anatomy.jsonl``, without number and time."""
        if "anatomy.jsonl" not in self._names:
            return ()
        lines = map(orjson.loads, self.read("anatomy.jsonl").splitlines())
        return tuple({key: line[key] for key in line if key not in ("seq", "time")} for line in lines)

    @cached_property
    def best(self) -> tuple[BestPolicy, ...]:
        """The best policies that the periodic evaluation found, oldest first."""
        found = [(event.step, event.data) for event in self.events if isinstance(event.data, BestData)]
        return tuple(BestPolicy(step=step, **data.model_dump(exclude={"kind", "path"})) for step, data in found)

    @cached_property
    def recorded(self) -> tuple[Recorded, ...]:
        records = [self.evaluation(name) for name in self._evaluations()]
        return tuple(Recorded(one.checkpoint_step or 0, one.id) for one in records if one.origin is Origin.RUN)

    @cached_property
    def manifest(self) -> SnapshotManifest | None:
        """The last snapshot; None for a run without snapshots."""
        found = self._matching("snapshots/", ".json")
        return read_versioned(SnapshotManifest, self.read(found[-1])) if found else None

    @cached_property
    def solved_at(self) -> int | None:
        """The step of the snapshot that was taken when the run solved its environment; None if it did not."""
        for event in self.events:
            if isinstance(event.data, SnapshotData) and event.data.trigger is Trigger.SOLVED:
                return event.step
        return None

    @cached_property
    def evaluated_at(self) -> tuple[int, ...]:
        """The steps of the periodic evaluations."""
        return tuple(row.step for row in self.rows if EVAL_REWARD in row.values)

    @property
    def end(self) -> int:
        """The last recorded step."""
        return self.rows[-1].step

    def policy(self, step: int) -> bytes:
        """The saved policy of the newest recorded step that is not after ``step``, else the oldest."""
        checkpoints = {_step_of(name): name for name in self._matching("checkpoints/step_", ".zip")}
        checkpoints[self.end] = "model.zip"
        return self.read(_newest(checkpoints, step))

    def weights(self, step: int) -> bytes:
        """Return the filmstrip's policy (weights only) for ``step`` in the same way."""
        return self.read(_newest({_step_of(name): name for name in self._matching("film/step_", ".zip")}, step))

    def final_evaluation(self) -> EvaluationRecord:
        """The evaluation of the last policy, with video and step records."""
        found = [self.evaluation(name) for name in self._evaluations()]
        return next(one for one in reversed(found) if one.origin is Origin.ASKED)

    def evaluation(self, evaluation_id: str) -> EvaluationRecord:
        return read_versioned(EvaluationRecord, self.read(f"eval/{evaluation_id}.json"))

    def has(self, name: str) -> bool:
        return name in self._names

    def read(self, name: str) -> bytes:
        """The content of one file of the recorded run folder. Raises KeyError."""
        return self._archive.read(name)

    def rows_from(self, after: int, until: int, lap: int) -> Iterator[Row]:
        """Return rows after step ``after`` up to ``until``. After its end, the recording repeats its last ``lap`` steps
        in real time, with counters that continue.

        ``lap`` is a number of environment steps, a multiple of a rollout.
        """
        lap = min(lap, self.end)
        first = next((number for number, row in enumerate(self.rows) if row.step > self.end - lap), 0)
        repeated = self.rows[first:]
        seconds = self.rows[-1].at - (self.rows[first - 1].at if first else 0.0)
        grown = {name: self._grown(repeated, name) for name in COUNTERS}
        rows, laps = self.rows, 0
        while True:
            for row in rows:
                step = row.step + laps * lap
                if step > until:
                    return
                if step > after:
                    values = {name: value + laps * grown.get(name, 0) for name, value in row.values.items()}
                    yield Row(row.at + laps * seconds, step, values)
            rows, laps = repeated, laps + 1

    @staticmethod
    def _grown(rows: tuple[Row, ...], name: str) -> float:
        values = [row.values[name] for row in rows if name in row.values]
        return values[-1] - values[0] if len(values) > 1 else 0

    def _evaluations(self) -> list[str]:
        return [Path(name).stem for name in self._matching("eval/eval_", ".json")]

    def _matching(self, start: str, end: str) -> list[str]:
        found = [name for name in self._names if name.startswith(start) and name.endswith(end)]
        return sorted(found, key=lambda name: (len(name), name))


def names() -> list[str]:
    """Names of all recordings: the ids of algorithms, and ``random``."""
    return sorted(path.stem for path in RECORDINGS.glob("*.zip"))


@cache
def recording(name: str) -> Recording:
    """Return the recording called ``name``, or from the archive at that path. Raises UnknownName."""
    path = Path(name) if name.endswith(".zip") else RECORDINGS / f"{name}.zip"
    if not path.is_file():
        raise UnknownName("recording", name, names(), "/recording")
    return Recording(path)


def recording_for(config: RunConfig) -> Recording:
    """Return the recording of the run's algorithm, or else that of PPO."""
    wanted = config.actor.value if config.actor.value in names() else config.algo
    return recording(wanted if wanted in names() else "ppo")


def _step_of(name: str) -> int:
    return int(Path(name).stem.removeprefix("step_"))


def _newest(names_by_step: Mapping[int, str], step: int) -> str:
    reached = [at for at in names_by_step if at <= step]
    return names_by_step[max(reached) if reached else min(names_by_step)]
