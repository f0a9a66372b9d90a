"""A server that speaks as much of MLflow's REST interface as a sink needs."""

from __future__ import annotations

import json
from typing import Any

from tests.support.tracking_server import Mood, TrackingServer


class FakeMlflow(TrackingServer):
    """What it has is what a test looks at: ``points`` by name of the metric, each (step, value)."""

    def __init__(self) -> None:
        super().__init__()
        self.forget()

    def forget(self) -> None:
        """As a server that is set up anew."""
        self.run: dict[str, Any] | None = None
        self.points: dict[str, set[tuple[int, float]]] = {}

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
            case "runs/log-batch" if self.mood is not Mood.FORGETS:
                for metric in sent.get("metrics", ()):
                    point = (int(metric.get("step", 0)), float(metric["value"]))
                    self.points.setdefault(metric["key"], set()).add(point)
            case "runs/update":
                assert self.run is not None
                self.run["status"] = sent.get("status", self.run["status"])
                return {"run_info": self._told()["info"]}
        return {}

    def _told(self) -> dict[str, Any]:
        assert self.run is not None
        info = {"run_id": "r1", "run_uuid": "r1", "experiment_id": "1", "status": self.run["status"]}
        newest = {name: max(points) for name, points in self.points.items()}
        metrics = [{"key": name, "value": value, "step": step} for name, (step, value) in newest.items()]
        info |= {"lifecycle_stage": "active", "artifact_uri": "file:///nowhere"}
        return {"info": info, "data": {"metrics": metrics, "tags": self.run["tags"]}}
