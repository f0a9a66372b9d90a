"""A fake MLflow server with the part of the REST API that the sink uses."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from tests.support.tracking_server import Mood, TrackingServer

PAGE = 500
"""Points of a metric that it tells at once; MLflow tells 25,000."""


class Point(NamedTuple):
    step: int
    value: float
    timestamp: int


class FakeMlflow(TrackingServer):
    """A fake server. Tests read and remove its ``points`` by metric name. ``taken`` counts the received ones."""

    def __init__(self) -> None:
        super().__init__()
        self.forget()

    def forget(self) -> None:
        """Delete everything, as a newly installed server."""
        self.run: dict[str, Any] | None = None
        self.points: dict[str, set[Point]] = {}
        self.taken = 0

    def curve(self, name: str) -> set[tuple[int, float]]:
        """Return step and value of each point of a metric."""
        return {(point.step, point.value) for point in self.points.get(name, ())}

    def name_of(self, path: str, body: bytes) -> str:
        return path.partition("/mlflow/")[2]

    def respond(self, path: str, query: dict[str, str], body: bytes) -> Any:
        sent: dict[str, Any] = json.loads(body) if body else dict(query)
        match self.name_of(path, body):
            case "experiments/get-by-name":
                return {"experiment": {"experiment_id": "1", "name": sent["experiment_name"]}}
            case "runs/search":
                return {"runs": [self._told()] if self.run else []}
            case "runs/create":
                self.run = {"run_id": "r1", "status": "RUNNING", "tags": sent["tags"]}
                return {"run": self._told()}
            case "runs/get":
                return {"run": self._told()}
            case "metrics/get-history":
                return self._history(sent["metric_key"], int(sent.get("page_token") or 0))
            case "runs/log-batch" if self.mood is not Mood.FORGETS:
                metrics = sent.get("metrics", [])
                self.taken += len(metrics)
                for metric in metrics[::2] if self.mood is Mood.FORGETS_SOME else metrics:
                    point = Point(int(metric.get("step", 0)), float(metric["value"]), int(metric["timestamp"]))
                    self.points.setdefault(metric["key"], set()).add(point)
            case "runs/update":
                assert self.run is not None
                self.run["status"] = sent.get("status", self.run["status"])
                return {"run_info": self._told()["info"]}
        return {}

    def _history(self, name: str, start: int) -> dict[str, Any]:
        points = sorted(self.points.get(name, ()))
        told = {"metrics": [{"key": name, **point._asdict()} for point in points[start : start + PAGE]]}
        return {**told, "next_page_token": str(start + PAGE)} if start + PAGE < len(points) else told

    def _told(self) -> dict[str, Any]:
        assert self.run is not None
        info = {"run_id": "r1", "run_uuid": "r1", "experiment_id": "1", "status": self.run["status"]}
        metrics = [{"key": name, **max(points)._asdict()} for name, points in self.points.items() if points]
        info |= {"lifecycle_stage": "active", "artifact_uri": "file:///nowhere"}
        return {"info": info, "data": {"metrics": metrics, "tags": self.run["tags"]}}
