"""A fake W&B server with the part of its API that the W&B client needs for a run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from tests.support.tracking_server import Mood, TrackingServer

ENTITY = "me"
_GRAPHQL = "/graphql"
_HISTORY, _SUMMARY = "wandb-history.jsonl", "wandb-summary.json"


@dataclass
class RunThere:
    """A run on the server: ``history`` has its rows in order as JSON, ``state`` is that of its last attempt, ``files``
    are by name.
    """

    name: str
    display_name: str = ""
    group: str | None = None
    notes: str = ""
    tags: list[str] = field(default_factory=list)
    config: dict[str, Any] = field(default_factory=dict)
    summary: dict[str, Any] = field(default_factory=dict)
    history: list[str] = field(default_factory=list)
    state: str = "running"
    exit_code: int | None = None
    files: dict[str, bytes] = field(default_factory=dict)

    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.history]


@dataclass
class Artifact:
    name: str
    kind: str
    digest: str
    files: dict[str, bytes] = field(default_factory=dict)

    def told(self) -> dict[str, Any]:
        """Return everything that the W&B client requests about a run that it has logged."""
        project = {"id": "p1", "internalId": "1", "name": "rlviz", "entity": {"name": ENTITY}}
        return {
            "__typename": "Artifact",
            "id": "0",
            "artifactSequence": {"__typename": "ArtifactSequence", "name": self.name, "project": project},
            "artifactType": {"name": self.kind},
            **dict.fromkeys(["description", "historyStep", "updatedAt", "metadata"]),
            **{"versionIndex": 0, "ttlIsInherited": True, "tags": [], "aliases": [], "state": "COMMITTED"},
            **{"size": "1", "digest": self.digest, "commitHash": "c1", "fileCount": "1", "ttlDurationSeconds": -2},
            "createdAt": "2026-11-21T01:43:12Z",
        }


class FakeWandb(TrackingServer):
    """A fake server: ``operations`` by query name, ``runs`` by id, and the files of committed ``artifacts`` by name."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: dict[str, RunThere] = {}
        self.artifacts: dict[str, dict[str, bytes]] = {}
        self._begun: list[Artifact] = []
        self.operations: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "ServerFeaturesQuery": lambda _: {"serverInfo": {"features": []}},
            "Viewer": lambda _: {"viewer": _VIEWER},
            "RunResumeStatus": self._resume_status,
            "UpsertBucket": self._upsert,
            "CreateRunFiles": self._create_files,
            "Run": self._told,
            "CreateArtifact": self._create_artifact,
            "CreateArtifactManifest": self._create_manifest,
            "CreateArtifactFiles": self._create_artifact_files,
            "CommitArtifact": self._commit_artifact,
            "ArtifactByID": lambda asked: {"artifact": self._begun[int(asked["id"])].told()},
        }

    def name_of(self, path: str, body: bytes) -> str:
        return _operation(json.loads(body)) if path == _GRAPHQL else path.rpartition("/")[2]

    def respond(self, path: str, query: dict[str, str], body: bytes) -> Any:
        if path == _GRAPHQL:
            sent = json.loads(body)
            operation = self.operations.get(_operation(sent))
            if operation is None:
                return {"errors": [{"message": f"There is no {_operation(sent)}."}]}
            return {"data": operation(sent.get("variables") or {})}
        if path.endswith("/file_stream"):
            self._stream(self.runs[path.split("/")[-2]], json.loads(body))
            return {"exitcode": None, "limits": {}}
        if path.startswith("/storage/"):
            _, _, run, name = path.split("/", 3)
            self.runs[run].files[unquote(name)] = body
        elif path.startswith("/artifacts/"):
            _, _, number, name = path.split("/", 3)
            self._begun[int(number)].files[unquote(name)] = body
        return {}

    def _stream(self, run: RunThere, sent: dict[str, Any]) -> None:
        files = sent.get("files") or {}
        if (history := files.get(_HISTORY)) and self.mood is not Mood.FORGETS:
            lines = history["content"]
            run.history[history["offset"] :] = lines[::2] if self.mood is Mood.FORGETS_SOME else lines
        if summary := files.get(_SUMMARY):
            run.summary = json.loads(summary["content"][-1])
        if sent.get("complete"):
            run.state = "crashed" if sent["exitcode"] else "finished"
            run.exit_code = sent["exitcode"]

    def _resume_status(self, asked: dict[str, Any]) -> dict[str, Any]:
        run = self.runs.get(asked["name"])
        return {"model": {**_project(asked["project"]), "bucket": run and _resumed(run)}}

    def _upsert(self, sent: dict[str, Any]) -> dict[str, Any]:
        """Start or resume a run; without a run id it starts a new one, like ``wandb.init``."""
        is_new = sent["id"] is None and sent["displayName"] is not None
        run = RunThere(sent["name"]) if is_new else self.runs[sent["name"]]
        self.runs[run.name] = run
        run.state = "running"
        for name, key in (
            ("display_name", "displayName"),
            ("group", "groupName"),
            ("notes", "notes"),
            ("tags", "tags"),
        ):
            if sent.get(key) is not None:
                setattr(run, name, sent[key])
        if sent.get("config"):
            run.config = {name: one["value"] for name, one in json.loads(sent["config"]).items()}
        bucket = {
            **{"id": run.name, "name": run.name, "displayName": run.display_name, "description": "", "config": "{}"},
            **{"sweepName": None, "project": _project(sent["project"]), "historyLineCount": len(run.history)},
        }
        return {"upsertBucket": {"bucket": bucket, "inserted": is_new}}

    def _told(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Return the part of a run that the W&B API needs to create its run object."""
        run = self.runs[asked["name"]]
        told = {"projectId": "1", "name": run.name, "state": run.state, "user": {"name": ENTITY}, "config": "{}"}
        return {"project": {"run": {**told, "summaryMetrics": "{}", "historyLineCount": len(run.history)}}}

    def _create_files(self, sent: dict[str, Any]) -> dict[str, Any]:
        files = [{"name": name, "uploadUrl": f"{self.url}/storage/{sent['run']}/{name}"} for name in sent["files"]]
        return {"createRunFiles": {"runID": sent["run"], "uploadHeaders": [], "files": files}}

    def _create_artifact(self, sent: dict[str, Any]) -> dict[str, Any]:
        wanted = sent["input"]
        self._begun.append(Artifact(wanted["artifactCollectionName"], wanted["artifactTypeName"], wanted["digest"]))
        artifact = {"id": str(len(self._begun) - 1), "state": "PENDING", "artifactSequence": {"latestArtifact": None}}
        return {"createArtifact": {"artifact": artifact}}

    def _create_manifest(self, sent: dict[str, Any]) -> dict[str, Any]:
        number = sent["artifactID"]
        file = {"id": "f1", "uploadUrl": f"{self.url}/artifacts/{number}/{MANIFEST}", "uploadHeaders": []}
        return {"createArtifactManifest": {"artifactManifest": {"id": f"m{number}", "file": file}}}

    def _create_artifact_files(self, sent: dict[str, Any]) -> dict[str, Any]:
        edges = []
        for file in sent["input"]["artifactFiles"]:
            number, name = file["artifactID"], file["name"]
            upload = {"uploadUrl": f"{self.url}/artifacts/{number}/{name}", "uploadHeaders": []}
            edges.append(
                {"node": {**upload, "storagePath": name, "uploadMultipartUrls": None, "artifact": {"id": number}}}
            )
        return {"createArtifactFiles": {"files": {"edges": edges}}}

    def _commit_artifact(self, sent: dict[str, Any]) -> dict[str, Any]:
        artifact = self._begun[int(sent["artifactID"])]
        self.artifacts[artifact.name] = {name: data for name, data in artifact.files.items() if name != MANIFEST}
        return {"commitArtifact": {"artifact": {"id": sent["artifactID"], "digest": artifact.digest}}}


MANIFEST = "wandb_manifest.json"

_LABELS = {"display_name": "displayName", "group": "groupName", "notes": "notes", "tags": "tags"}

_VIEWER = {"id": "u1", "entity": ENTITY, "username": ENTITY, "email": "me@example.org", "flags": "{}"} | {
    "teams": {"edges": [{"node": {"name": ENTITY}}]}
}


def _operation(sent: dict[str, Any]) -> str:
    """Return the name of a query, also if it has no ``operationName``."""
    found = re.search(r"(?:query|mutation)\s+(\w+)", sent["query"])
    return found[1] if found else ""


def _project(name: str) -> dict[str, Any]:
    return {"id": "p1", "name": name, "entity": {"id": "e1", "name": ENTITY}}


def _resumed(run: RunThere) -> dict[str, Any]:
    """Return what the W&B client requests about a run before it resumes it."""
    return {
        "id": run.name,
        "name": run.name,
        "displayName": run.display_name,
        "summaryMetrics": json.dumps(run.summary),
        "logLineCount": 0,
        "historyLineCount": len(run.history),
        "eventsLineCount": 0,
        "historyTail": json.dumps(run.history[-1:]),
        "eventsTail": "[]",
        "config": json.dumps({name: {"value": value} for name, value in run.config.items()}),
        "tags": run.tags,
        "notes": run.notes,
        "wandbConfig": json.dumps({"t": run.config.get("_wandb", {}).get("t")}),  # without it the run was never begun
    }
