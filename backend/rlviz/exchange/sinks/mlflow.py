"""MlflowSink: a run in MLflow, on a server (MLFLOW_TRACKING_URI) or in a database of this machine."""

from __future__ import annotations

import json
import os
import re
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from rlviz.domain.errors import ExtraMissing, SinkProblem
from rlviz.exchange.sinks.sink import PROJECT, Begun, Destination, Row, RunToDeliver, without_login

RUN_ID = "rlviz.run_id"
"""The tag by which a run is found again."""

MOST_METRICS, MOST_PARAMS = 1_000, 100
"""Of one request, as MLflow's REST interface has it."""

LONGEST_PARAM = 6_000

ASK_SECONDS = 60.0
"""How long a server is asked at once for the points that it has. It is believed to have those of which it was not asked
by then, and of a run that goes on those that it has confirmed."""

_NOT_IN_NAMES = re.compile(r"[^\w\-. /:]")

STATUSES = {"completed": "FINISHED", "stopped": "KILLED", "failed": "FAILED", "interrupted": "KILLED"}
"""MLflow's word for each final status; any other run is RUNNING there. The tag ``rlviz.status`` has ours."""


Points = dict[str, set[int]]
"""By the name of the metric; each as ``_point`` has it."""


class MlflowSink:
    """MLflow's databases keep a value once that comes twice with the same time and step.

    A server may answer that it has taken points and not keep them, or lose them later. So it is asked which it has, as
    a delivery begins, and those that are missing are sent; and again before they count as delivered.
    """

    confirm_seconds = 0.0

    @staticmethod
    def destination(runs_dir: Path) -> Destination:
        return Destination(f"{without_login(_store(runs_dir))}, experiment {_experiment_name()}")

    def __init__(self, run: RunToDeliver, runs_dir: Path, own_folder: Path) -> None:
        os.environ.setdefault("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "1")
        os.environ.setdefault("MLFLOW_HTTP_REQUEST_TIMEOUT", "30")
        try:
            from mlflow.entities import Metric, Param, RunTag, ViewType
            from mlflow.tracking import MlflowClient
        except ImportError as error:
            raise ExtraMissing("mlflow") from error
        self._metric, self._param, self._tag = Metric, Param, RunTag
        self._every = ViewType.ALL
        self._run = run
        self._files = runs_dir / "mlflow"
        self._uri = _store(runs_dir)
        self._client: Any = None
        self._make_client = MlflowClient
        self._id = ""
        self._there: Points = defaultdict(set)  # that the server was seen to have
        self._unseen: Points = defaultdict(set)  # that were sent since

    def begin(self) -> Begun:
        if self._is_here:
            self._files.mkdir(exist_ok=True)
        self._client = self._make_client(tracking_uri=self._uri)
        experiment = self._experiment()
        found = self._client.search_runs([experiment], f"tags.`{RUN_ID}` = '{self._run.id}'", self._every)
        self._id = found[0].info.run_id if found else self._create(experiment)
        if found and found[0].info.lifecycle_stage == "deleted":
            self._client.restore_run(self._id)
        for some in _batches(_params(self._run.settings), MOST_PARAMS):
            self._client.log_batch(self._id, params=[self._param(name, value) for name, value in some])
        place = f"{without_login(self._uri).rstrip('/')}/#/experiments/{experiment}/runs/{self._id}"
        names = set(found[0].data.metrics) if found else set()
        self._there |= self._points_of(names)
        return Begun(self._id, self._uri if self._is_here else place, from_seq=0 if names <= set(self._there) else None)

    def send(self, rows: Sequence[Row]) -> None:
        """Of these rows, what the server was not seen to have."""
        names = {name: _NOT_IN_NAMES.sub("_", name)[:250] for row in rows for name in row.values}
        for some in _batches(self._missing(rows, names), MOST_METRICS):
            self._client.log_batch(self._id, metrics=some)

    def confirm(self) -> None:
        """Each request was answered when it was sent. What the server has is read once as much was sent as it had when
        that was read before: so that costs no more than sending it did, however often something is confirmed."""
        if not self._unseen:
            return
        if missing := set(self._unseen) - set(self._client.get_run(self._id).data.metrics):
            raise _lost(min(missing))
        if _count(self._unseen) >= _count(self._there):
            self._look()

    def describe(self, run: RunToDeliver) -> None:
        self._look()
        labels = {"mlflow.runName": run.name, "mlflow.note.content": run.notes, "rlviz.status": run.status}
        labels |= {f"rlviz.tag.{_NOT_IN_NAMES.sub('_', tag)}"[:250]: "true" for tag in run.tags}
        labels |= {f"rlviz.summary.{name}": str(value) for name, value in run.summary.items()}
        self._client.log_batch(self._id, tags=[self._tag(name, value[:5_000]) for name, value in labels.items()])
        if run.video is not None:
            self._client.log_artifact(self._id, str(run.video), "videos")
        if run.has_ended:
            ended = round((run.ended_at or run.started_at) * 1000)
            self._client.set_terminated(self._id, STATUSES.get(run.status, "FINISHED"), ended)
        else:
            self._client.update_run(self._id, status="RUNNING")

    def close(self) -> None:
        """The client holds nothing open."""

    def _missing(self, rows: Sequence[Row], names: Mapping[str, str]) -> Iterator[Any]:
        for row in rows:
            for name, value in row.values.items():
                metric = self._metric(names[name], value, round(row.time * 1000), row.step)
                if (point := _point(metric)) not in self._there[metric.key]:
                    self._unseen[metric.key].add(point)
                    yield metric

    def _look(self) -> None:
        """Raises SinkProblem if the server lacks a point that was sent."""
        found = self._points_of(self._unseen)
        for name, points in self._unseen.items():
            if name in found and not points <= found[name]:
                raise _lost(name)
        for name, points in self._unseen.items():
            self._there[name] |= points
        self._unseen.clear()

    def _points_of(self, names: Iterable[str]) -> Points:
        """Every point of these metrics that the server has, without those that it was not asked for in time."""
        deadline = time.monotonic() + ASK_SECONDS
        points: Points = {}
        for name in names:
            if time.monotonic() >= deadline:
                break
            points[name] = {_point(metric) for metric in self._client.get_metric_history(self._id, name)}
        return points

    @property
    def _is_here(self) -> bool:
        return self._uri.startswith("sqlite:")

    def _experiment(self) -> str:
        name = _experiment_name()
        if (found := self._client.get_experiment_by_name(name)) is None:
            files = (self._files / "artifacts").as_uri() if self._is_here else None
            return str(self._client.create_experiment(name, artifact_location=files))
        if found.lifecycle_stage == "deleted":
            self._client.restore_experiment(found.experiment_id)
        return str(found.experiment_id)

    def _create(self, experiment: str) -> str:
        run = self._run
        tags = {RUN_ID: run.id, "rlviz.group": run.group, "mlflow.source.name": "rlviz"}
        created = self._client.create_run(experiment, round(run.started_at * 1000), tags, run.name)
        return str(created.info.run_id)


def _point(metric: Any) -> int:
    """A number in the place of a point, which takes a tenth of the memory."""
    return hash((metric.timestamp, metric.step, metric.value))


def _count(points: Points) -> int:
    return sum(map(len, points.values()))


def _lost(name: str) -> SinkProblem:
    return SinkProblem(f"MLflow took points of {name} that it does not have. They are sent again.")


def _store(runs_dir: Path) -> str:
    return os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{runs_dir / 'mlflow' / 'mlflow.db'}"


def _experiment_name() -> str:
    return os.environ.get("MLFLOW_EXPERIMENT_NAME") or PROJECT


def _params(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in settings.items():
        text = value if isinstance(value, str) else json.dumps(value)
        yield _NOT_IN_NAMES.sub("_", name)[:250], text[:LONGEST_PARAM]


def _batches(items: Iterator[Any], size: int) -> Iterator[list[Any]]:
    while some := list(islice(items, size)):
        yield some
