"""MlflowSink: sends a run to MLflow, on a server (MLFLOW_TRACKING_URI) or in a local database.

``PointLedger`` tracks which points of a run's metrics the server has, and which were sent since the last check.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import Any

import psutil
from sqlalchemy import URL, make_url

from rlviz.domain.errors import ExtraMissing, SinkProblem
from rlviz.domain.naming import MLFLOW
from rlviz.exchange.sinks.sink import PROJECT, DeliveryStart, Destination, Row, RunToDeliver, without_login
from rlviz.rundir.files import TEMPORARY_SUFFIX, temporary_name

MEMORY_BYTES = 32 * 2**20
"""Memory of the ledger; the rest is on disk."""


class PointLedger:
    """Points that a server has, or that were sent to it. A point is a signed 64-bit number.

    They are stored in an unnamed SQLite database: a private file that disappears with the process. So millions of
    points need no more memory than thousands.

    ``seen`` and ``sent`` count, by metric, the points that the server had at the last check, and those sent since;
    metrics without any are missing from ``sent``.
    """

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.sent: Counter[str] = Counter()
        self._numbers: dict[str, int] = {}
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.executescript(
            f"""
            PRAGMA temp_store = FILE;
            PRAGMA journal_mode = OFF;
            PRAGMA cache_size = -{MEMORY_BYTES // 1024};
            CREATE TABLE points (metric INTEGER, point INTEGER, is_seen INTEGER, PRIMARY KEY (metric, point))
                WITHOUT ROWID;
            BEGIN;
            """
        )

    def send(self, metric: str, point: int) -> bool:
        """Record a point as sent; return False if it was sent or seen before."""
        row = (self._number(metric), point)
        is_new = self._database.execute("INSERT OR IGNORE INTO points VALUES (?, ?, FALSE)", row).rowcount == 1
        if is_new:
            self.sent[metric] += 1
        return is_new

    def record_seen(self, metric: str, points: Iterable[int]) -> bool:
        """Record all points of a metric that the server has; return whether all sent ones are among them."""
        number = self._number(metric)
        self._database.executemany(
            "INSERT INTO points VALUES (?, ?, TRUE) ON CONFLICT DO UPDATE SET is_seen = TRUE",
            ((number, point) for point in points),
        )
        counted = "SELECT coalesce(sum(is_seen), 0), coalesce(sum(NOT is_seen), 0) FROM points WHERE metric = ?"
        self.seen[metric], self.sent[metric] = self._database.execute(counted, (number,)).fetchone()
        self.sent = +self.sent
        return metric not in self.sent

    def close(self) -> None:
        self._database.close()

    def _number(self, metric: str) -> int:
        return self._numbers.setdefault(metric, len(self._numbers))


RUN_ID = "rlviz.run_id"
"""Tag by which a run is found again."""

MOST_METRICS, MOST_PARAMS = 1_000, 100
"""Limits of one request to MLflow's REST API."""

LONGEST_PARAM = 6_000

MOST_POINTS = 25_000
"""Points per request for a metric's history, as in MLflow's own client."""

STATUSES = {"completed": "FINISHED", "stopped": "KILLED", "failed": "FAILED", "interrupted": "KILLED"}
"""MLflow's name of each final status; other runs are RUNNING there. The tag ``rlviz.status`` has ours."""


class MlflowSink:
    """Sends a run to MLflow.

    MLflow's databases store a value once per time and step, so repeated deliveries do no harm; of two equal episodes
    at the same moment, the second is sent one millisecond later. A server may accept points without storing them, or
    lose them later. So the sink asks which points it has when a delivery starts, sends missing ones, and checks
    again before they count as delivered.
    """

    confirm_seconds = 0.0
    naming = MLFLOW

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
        self._points = PointLedger()
        self._now = 0  # milliseconds, of the newest row
        self._used_points: set[tuple[str, int, int, float]] = set()  # metric, time, step and value, from that time on

    def begin(self) -> DeliveryStart:
        if self._is_here:
            self._files.mkdir(exist_ok=True)
            if path := make_url(self._uri).database:
                make_database(Path(path), lambda uri: self._make_client(tracking_uri=uri).search_experiments())
        self._client = self._make_client(tracking_uri=self._uri)
        experiment = self._experiment()
        found = self._client.search_runs([experiment], f"tags.`{RUN_ID}` = '{self._run.id}'", self._every)
        self._id = found[0].info.run_id if found else self._create(experiment)
        if found and found[0].info.lifecycle_stage == "deleted":
            self._client.restore_run(self._id)
        for some in _batches(_params(self._run.settings), MOST_PARAMS):
            self._client.log_batch(self._id, params=[self._param(name, value) for name, value in some])
        place = f"{without_login(self._uri).rstrip('/')}/#/experiments/{experiment}/runs/{self._id}"
        for name in found[0].data.metrics if found else ():
            self._record_seen(name)
        return DeliveryStart(self._id, self._uri if self._is_here else place, from_seq=0)

    def send(self, rows: Sequence[Row]) -> None:
        """Send the points of these rows that the server was not seen to have."""
        for some in _batches(self._missing(rows), MOST_METRICS):
            self._client.log_batch(self._id, metrics=some)
            self._run.answered()

    def confirm(self) -> None:
        """Check that the server has all points.

        Requests are answered immediately. The server's points are read again only once as many were sent as it had
        before, so checks never cost more than sending.
        """
        if not self._points.sent:
            return
        if missing := set(self._points.sent) - set(self._client.get_run(self._id).data.metrics):
            raise _lost(min(missing))
        if self._points.sent.total() >= self._points.seen.total():
            self._check_sent_points()

    def describe(self, run: RunToDeliver) -> None:
        self._check_sent_points()
        labels = {"mlflow.runName": run.name, "mlflow.note.content": run.notes, "rlviz.status": run.status}
        labels |= {MLFLOW.encode(f"rlviz.tag.{tag}"): "true" for tag in run.tags}
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
        """Nothing to close: the client holds no resources."""
        self._points.close()

    def _missing(self, rows: Sequence[Row]) -> Iterator[Any]:
        for row in rows:
            now = round(row.time * 1000)
            if now != self._now:
                self._now, self._used_points = now, {point for point in self._used_points if point[1] >= now}
            for name, value in row.values.items():
                metric = self._metric(name, value, self._find_free_time(name, now, row.step, value), row.step)
                if self._points.send(metric.key, _point(metric)):
                    yield metric

    def _find_free_time(self, name: str, time: int, step: int, value: float) -> int:
        """Return the first time (milliseconds) from ``time`` on at which no earlier row has this value at this step.
        Each delivery computes the same, because it starts with the first row."""
        while (name, time, step, value) in self._used_points:
            time += 1
        self._used_points.add((name, time, step, value))
        return time

    def _check_sent_points(self) -> None:
        """Raise SinkProblem if the server lacks a point that was sent."""
        for name in list(self._points.sent):
            if not self._record_seen(name):
                raise _lost(name)

    def _record_seen(self, name: str) -> bool:
        """Record which points of a metric the server has; return whether all sent ones are there."""
        return self._points.record_seen(name, map(_point, self._history(name)))

    def _history(self, name: str) -> Iterator[Any]:
        """Yield every point of a metric that the server has, page by page; MlflowClient would return all at once.

        Raises SinkProblem for a server that never reaches the end.
        """
        store, token = self._client._tracking_client.store, None
        while True:
            some = store.get_metric_history(self._id, name, max_results=MOST_POINTS, page_token=token)
            self._run.answered()
            yield from some
            if not some.token:
                return
            if some.token == token:
                raise SinkProblem(f"MLflow keeps returning the same points of {name}.")
            token = some.token

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


def make_database(path: Path, make: Callable[[str], object]) -> None:
    """Create MLflow's database at ``path``, completely or not at all, unless it exists.

    MLflow takes a minute to create its tables and rejects an incomplete database. So it is created in another file
    and then renamed; the first of two processes wins. A database without an experiment, left by an interrupted older
    version, is renamed, because MLflow creates one at the end.

    Args:
        path: The file of the database.
        make: Creates the database at an SQLite address.
    """
    if path.exists():
        if _has_experiments(path):
            return
        path.replace(path.with_name(f"{path.name}.incomplete"))
    _remove_leftovers(path)
    temporary = temporary_name(path)
    try:
        make(_sqlite(temporary))
        with suppress(FileExistsError):
            os.link(temporary, path)
    finally:
        for suffix in ("", "-journal", "-wal", "-shm"):
            temporary.with_name(temporary.name + suffix).unlink(missing_ok=True)


def _remove_leftovers(path: Path) -> None:
    """Delete what killed processes left beside ``path``."""
    for leftover in path.parent.glob(f".{path.name}.*{TEMPORARY_SUFFIX}*"):
        pid = leftover.name.removeprefix(f".{path.name}.").partition("-")[0]
        if pid.isdigit() and not psutil.pid_exists(int(pid)):
            leftover.unlink(missing_ok=True)


def _has_experiments(path: Path) -> bool:
    """Whether MLflow finished creating the database; also true if unknown."""
    try:
        with closing(sqlite3.connect(path)) as database:
            return bool(database.execute("SELECT count(*) FROM experiments").fetchone()[0])
    except sqlite3.OperationalError as error:
        return "no such table" not in str(error)
    except sqlite3.Error:
        return True


def _sqlite(path: Path) -> str:
    return URL.create("sqlite", database=str(path)).render_as_string()


def _point(metric: Any) -> int:
    """Return the number of a point in the ledger."""
    return hash((metric.timestamp, metric.step, metric.value))


def _lost(name: str) -> SinkProblem:
    return SinkProblem(f"MLflow accepted points of {name} but does not have them. They are sent again.")


def _store(runs_dir: Path) -> str:
    return os.environ.get("MLFLOW_TRACKING_URI") or _sqlite(runs_dir / "mlflow" / "mlflow.db")


def _experiment_name() -> str:
    return os.environ.get("MLFLOW_EXPERIMENT_NAME") or PROJECT


def _params(settings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in settings.items():
        text = value if isinstance(value, str) else json.dumps(value)
        yield MLFLOW.encode(name), text[:LONGEST_PARAM]


def _batches(items: Iterator[Any], size: int) -> Iterator[list[Any]]:
    while some := list(islice(items, size)):
        yield some
