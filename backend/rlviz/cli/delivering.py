"""Deliver runs to other programs from the command line, each in a separate delivery worker."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any

import typer

from rlviz.cli.exits import Exit, Failure
from rlviz.cli.output import Advance, counted, note, print_json, progress, say, waiting, warn
from rlviz.cli.waiting import ENDED, POLL_SECONDS, wait_while_it_trains
from rlviz.domain.sinks import SinkKind

if TYPE_CHECKING:
    from rlviz.cli.connection import Connection
    from rlviz.domain.sink_record import SinkRecord
    from rlviz.rundir.folder import RunFolder

SINKS = f"<{'|'.join(SinkKind)}>"
"""The choices as written in the help."""


def deliver_following(connection: Connection, wanted: Sequence[tuple[RunFolder, SinkKind]]) -> None:
    """Deliver runs while they train, until they end. ``deliver_all`` retries failed deliveries. Raises Failure."""
    from rlviz.server.exchange.deliveries import keep_delivering

    with ExitStack() as workers:
        try:
            for folder, kind in wanted:
                workers.enter_context(keep_delivering(folder, kind))
        except OSError as error:
            raise Failure(Exit.FAILED, f"Runs cannot be followed: {error}") from error
        for run_id in dict.fromkeys(folder.run_id for folder, _ in wanted):
            wait_while_it_trains(connection, run_id, f"Delivering {run_id} while it trains", ENDED)


def deliver_all(
    wanted: Iterable[tuple[RunFolder, SinkKind]], *, offline_will_do: bool = True, as_json: bool = False
) -> None:
    """Deliver each run to its sink, independently of the others.

    Args:
        offline_will_do: Count an offline folder as delivered.

    Raises:
        Failure: A run folder or its sink record cannot be read or written.
        typer.Exit: Something was not delivered.
    """
    several = list(wanted)
    delivered = []
    for number, (folder, kind) in enumerate(several, 1):
        what = f"Delivering {folder.run_id} to {kind.label}" + (f", {number} of {len(several)}" if several[1:] else "")
        delivered.append(_deliver(folder, kind, what, offline_will_do=offline_will_do, quiet=as_json))
    if as_json:
        print_json(delivered)
    left = [one for one in delivered if not one["delivered"]]
    if left:
        raise typer.Exit(Exit.NO_LOGIN if all(one["offline"] for one in left) else Exit.FAILED)


def _deliver(folder: RunFolder, kind: SinkKind, what: str, *, offline_will_do: bool, quiet: bool) -> dict[str, Any]:
    """Deliver a run in its current state and return the result, which is printed unless ``quiet``. Raises Failure."""
    from rlviz.domain.errors import RunFolderError
    from rlviz.domain.naming import renames_text
    from rlviz.rundir.sinks import add_sink, read_sink
    from rlviz.server.exchange.deliveries import BUSY, DELIVERED, deliver_now

    try:
        before = add_sink(folder, kind)
        with progress(what) as advance:
            status, said = deliver_now(folder, kind, lambda: _advance_bar(advance, folder, kind))
        record = read_sink(folder, kind)
    except (OSError, RunFolderError) as error:
        raise Failure(Exit.FAILED, f"{folder.run_id} cannot be delivered: {error}") from error
    outcome: dict[str, Any] = {"run": folder.run_id, "sink": kind.value, "rows": record.rows if record else 0}
    outcome |= {"place": record.place if record else None, "problem": None, "offline": False}
    if status == BUSY:
        note(f"{folder.run_id}: another process is delivering it to {kind.label}.")
        return {**outcome, "delivered": True}
    if status != DELIVERED or record is None:
        reason = record.problem if record is not None and record.problem else said
        warn(f"{folder.run_id}: not delivered to {kind.label}. {reason[-400:]}")
        note("  The data stays in the run's folder; `rlviz sync` tries again.")
        return {**outcome, "problem": reason[-400:], "delivered": False}
    if not quiet:
        _print_destination(folder, record, offline_will_do=offline_will_do)
    if renamed := {name: there for name, there in record.renamed.items() if name not in before.renamed}:
        note(f"  {renames_text(renamed, kind.label)}")
    return {**outcome, "offline": record.offline, "delivered": offline_will_do or not record.offline}


def _advance_bar(advance: Advance, folder: RunFolder, kind: SinkKind) -> None:
    """Advance the progress bar to the confirmed part of the metrics; some sinks confirm only at the end."""
    from rlviz.domain.errors import RunFolderError
    from rlviz.rundir.journal import whole_size
    from rlviz.rundir.sinks import read_sink

    with suppress(OSError, RunFolderError):
        record = read_sink(folder, kind)
        if record is not None and record.offset:
            advance(record.offset, whole_size(folder.metrics_path))


def wait_for_deliveries(connection: Connection, run_ids: Iterable[str]) -> None:
    """If the service ends with this command, first wait until ended runs are delivered to their sinks.

    Prints what was not delivered. Ctrl-C skips the rest.
    """
    if not connection.is_own:
        return
    left = {run_id: _undelivered(connection, run_id) for run_id in run_ids}
    try:
        with waiting("Delivering to sinks. Ctrl-C leaves the rest to `rlviz sync`"):
            while any(sink["under_way"] or sink["problem"] is None for sinks in left.values() for sink in sinks):
                time.sleep(POLL_SECONDS)
                left = {run_id: _undelivered(connection, run_id) for run_id, sinks in left.items() if sinks}
    except KeyboardInterrupt:
        note("Left off.")
    for run_id, sinks in left.items():
        for sink in sinks:
            warn(f"{run_id}: not delivered to {sink['label']}. {sink['problem'] or ''}".rstrip())
    if any(left.values()):
        note("  The data stays in the run's folder; `rlviz sync` tries again.")


def explain_deliveries(connection: Connection, run_id: str) -> None:
    """Tell how a run is delivered that continues after this command and its service end."""
    if connection.is_own and (sinks := _undelivered(connection, run_id)):
        names = " and ".join(sink["label"] for sink in sinks)
        note(f"Without a service, nothing is sent to {names}. Start `rlviz serve`, or run `rlviz sync` later.")


def _undelivered(connection: Connection, run_id: str) -> list[dict[str, Any]]:
    """Return the sinks of a run that still lack data; empty for a deleted run."""
    try:
        sinks = connection.get(f"/runs/{run_id}/sinks")["sinks"]
    except Failure as failure:
        if failure.status is not Exit.NOT_FOUND:
            raise
        return []
    return [sink for sink in sinks if sink["live"] and sink["state"] != "delivered"]


def has_undelivered_data(folder: RunFolder, record: SinkRecord) -> bool:
    """Return whether a sink still lacks data of the run."""
    from rlviz.domain.errors import RunFolderError
    from rlviz.rundir.sinks import is_delivered

    try:
        return record.offline or not is_delivered(folder, record)
    except RunFolderError:
        return True


def _print_destination(folder: RunFolder, record: SinkRecord, *, offline_will_do: bool) -> None:
    rows = f"{folder.run_id}: {counted(record.rows, 'row')}"
    if record.offline:
        say(f"{rows} in an offline folder of {record.kind.label}, {record.place}")
        write = note if offline_will_do else warn
        is_wanted = os.environ.get("WANDB_MODE", "online") != "online"
        why, first = ("WANDB_MODE says so", "Remove it") if is_wanted else ("You are not logged in", "`wandb login`")
        write(f"  {why}. {first}, then `rlviz sync` (or `wandb sync` of that folder) sends it.")
    else:
        say(f"{rows} in {record.kind.label}, {record.place}")
