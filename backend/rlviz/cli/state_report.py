"""The whole state as one zip archive: for whoever is asked what is wrong, on a machine that they cannot look at."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, BinaryIO

from rlviz.cli.exits import Failure

if TYPE_CHECKING:
    from rlviz.cli.checks import Finding
    from rlviz.cli.connection import Connection

_NEWEST = 100
"""So many runs are listed."""

_LOG_BYTES = 200_000
"""So much of the end of a worker's log is taken."""


def write_state(
    connection: Connection,
    findings: Sequence[Finding],
    run_ids: Sequence[str],
    target: BinaryIO,
    on_part: Callable[[str], None],
) -> int:
    """Write what the doctor found, settings without their secrets, versions, the service, the list of runs, what takes
    space, and of each of ``run_ids`` its configuration, events, evaluations and the end of its log. What cannot be had
    is there as a sentence that says why. Returns the number of files; ``on_part`` is called with each name. Raises
    OSError."""
    from rlviz.cli.commands.configuration import settings_as_json
    from rlviz.provenance import package_versions

    parts: dict[str, Callable[[], Any]] = {
        "doctor.json": lambda: [asdict(finding) for finding in findings],
        "settings.json": lambda: settings_as_json(connection.settings),
        "versions.json": package_versions,
        "health.json": lambda: connection.get("/health"),
        "runs.json": lambda: connection.get("/runs", limit=_NEWEST),
        "storage.json": lambda: connection.get("/storage", runs=10),
    }
    for run_id in run_ids:
        parts |= _of_run(connection, run_id)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, read in parts.items():
            on_part(name)
            try:
                found = read()
            except Failure as failure:
                name, found = f"{name}.missing.txt", str(failure)
            archive.writestr(name, found if isinstance(found, str) else json.dumps(found, indent=1, ensure_ascii=False))
    return len(parts)


def _of_run(connection: Connection, run_id: str) -> dict[str, Callable[[], Any]]:
    path = f"/runs/{run_id}"

    def log() -> str:
        return connection.request("GET", f"{path}/artifacts/worker.log").content[-_LOG_BYTES:].decode(errors="replace")

    return {
        f"{run_id}/run.json": lambda: connection.get(path),
        f"{run_id}/events.json": lambda: connection.get(f"{path}/events"),
        f"{run_id}/evaluations.json": lambda: connection.get(f"{path}/evaluations"),
        f"{run_id}/snapshots.json": lambda: connection.get(f"{path}/snapshots"),
        f"{run_id}/worker.log": log,
    }
