"""Commands that maintain the runs folder: doctor, prune.

``write_state`` writes the whole state into a zip archive, for a person who helps without access to this machine.
"""

from __future__ import annotations

import json
import time
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from rlviz.cli.commands.storage import measure_storage, print_rules, print_storage
from rlviz.cli.completion import complete_run
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AsJson, Yes, ask_first, connected, examples, find_run, read_settings
from rlviz.cli.output import coloured, counted, print_json, print_table, progress, say, waiting
from rlviz.cli.waiting import POLL_SECONDS
from rlviz.domain.byte_text import byte_text

if TYPE_CHECKING:
    from rlviz.cli.checks import Finding
    from rlviz.cli.connection import Connection


_COLOURS = {"ok": typer.colors.GREEN, "look": typer.colors.YELLOW, "bad": typer.colors.RED}


def register(app: typer.Typer) -> None:
    app.command(epilog=examples("rlviz doctor", "rlviz doctor --json", "rlviz doctor --output state.zip --run last"))(
        doctor
    )
    app.command(epilog=examples("rlviz prune --dry-run", "rlviz prune --yes"))(prune)


def doctor(
    context: typer.Context,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Also write a diagnostic archive (zip) that you can attach to a bug report.",
        ),
    ] = None,
    runs: Annotated[
        list[str] | None,
        typer.Option("--run", help="With --output: include this run in full; repeatable.", autocompletion=complete_run),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check this machine and the runs folder for problems. Exit status 1 if something does not work.

    It checks disk, memory, lock, port, packages, environments and clock, and how browsers can reach the app.
    """
    from dataclasses import asdict

    from rlviz.cli import checks

    if runs and output is None:
        raise Failure(Exit.BAD_INPUT, "--run needs --output.")
    settings = read_settings(context)
    with waiting("Checking this machine and the runs folder"):
        found = checks.check_all(settings)
    if output is not None:
        _write_state(context, found, output, runs or (), as_json)
    elif as_json:
        print_json([asdict(finding) for finding in found])
    else:
        for finding in found:
            say(f"{coloured(f'{finding.state:4}', _COLOURS[finding.state])}  {finding.about}: {finding.says}")
            if finding.to_do:
                say(f"      {finding.to_do}")
    if any(finding.state == "bad" for finding in found):
        raise typer.Exit(Exit.FAILED)


def _write_state(
    context: typer.Context, findings: Sequence[Finding], output: Path, runs: Sequence[str], as_json: bool
) -> None:
    from rlviz.cli.files import check_target, replace_file, say_written

    pass

    check_target("zip", output, terminal=False)
    with connected(context) as connection, waiting("Writing the state") as show:
        ids = [find_run(connection, run) for run in runs]
        files = replace_file(output, lambda file: write_state(connection, findings, ids, file, show))
    say_written(output, as_json, files=files)


def prune(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Remove nothing; show what would be removed.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Empty the trash and apply the storage rules. The command first shows what takes space. Nothing else is
    removed.
    """
    with connected(context) as connection:
        trash = connection.get("/trash")
        stored = measure_storage(connection)
        would = _apply_rules(connection, dry_run=True)
        if not as_json:
            _show(stored, trash, would)
        done = None
        if not dry_run and (trash["runs"] or would["actions"]):
            ask_first("Remove this for good? (--dry-run removes nothing.)", yes)
            connection.request("DELETE", "/trash")
            done = _apply_rules(connection, dry_run=False, actions=would["done"])
        if as_json:
            print_json({"trash": trash, "storage": stored, "would": would, "done": done, "dry_run": dry_run})
        if done is None:
            return
        if not as_json:
            if trash["runs"]:
                say(f"Removed {counted(len(trash['runs']), 'run')}, {byte_text(trash['total_bytes'])}.")
            if stored["rules"]:
                say(f"The rules freed {byte_text(done['bytes'])}. The Storage page shows the log.")
        if done["error_message"]:
            raise Failure(Exit.FAILED, done["error_message"])


def _apply_rules(connection: Connection, *, dry_run: bool, actions: int = 0) -> Any:
    """Apply the storage rules and return the result.

    If the service is just applying them itself, wait for that first. ``actions``: the expected number of actions, if
    known.
    """
    with progress("Applying the storage rules" if dry_run else "Making room") as advance:
        while not _try_to_start(connection, dry_run=dry_run):
            time.sleep(POLL_SECONDS)
        while True:
            found = connection.get("/storage", runs=0)["pruning"]
            advance(found["done"], actions or None)
            if found["ended_at"] is not None:
                return found
            time.sleep(POLL_SECONDS)


def _try_to_start(connection: Connection, *, dry_run: bool) -> bool:
    """Start to apply the rules, unless that is already running; return whether it started. Raises Failure."""
    try:
        connection.post("/storage/prune", {"dry_run": dry_run})
    except Failure as refused:
        if refused.status is not Exit.CONFLICT:
            raise
        return False
    return True


def _show(stored: Any, trash: Any, would: Any) -> None:
    print_storage(stored)
    say(f"\nTrash: {counted(len(trash['runs']), 'run')}, {byte_text(trash['total_bytes'])}")
    print_rules(stored)
    if not stored["rules"]:
        return
    rows = [
        (action["run_id"], action["what"], byte_text(action["bytes"]) if action["bytes"] else "–")
        for action in would["actions"]
    ]
    if rows:
        say()
        print_table(("RUN", "WOULD", "ROOM"), rows, keep=2)
    else:
        say("They match no files now.")


_NEWEST = 100
"""Maximum number of runs in the list."""

_LOG_BYTES = 200_000
"""Bytes to include from the end of a worker's log."""


def write_state(
    connection: Connection,
    findings: Sequence[Finding],
    run_ids: Sequence[str],
    target: BinaryIO,
    on_part: Callable[[str], None],
) -> int:
    """Write the state of the installation into a zip archive, and return its number of files. Raises OSError.

    It contains the doctor's findings, the settings without secrets, versions, the service, the list of runs, disk use,
    and for each of ``run_ids`` its configuration, events, evaluations and the end of its log. A part that cannot be
    read is replaced by a sentence that says why. ``on_part`` is called with the name of each file.
    """
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
        parts |= _collect_run(connection, run_id)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, read in parts.items():
            on_part(name)
            try:
                found = read()
            except Failure as failure:
                name, found = f"{name}.missing.txt", str(failure)
            archive.writestr(name, found if isinstance(found, str) else json.dumps(found, indent=1, ensure_ascii=False))
    return len(parts)


def _collect_run(connection: Connection, run_id: str) -> dict[str, Callable[[], Any]]:
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
