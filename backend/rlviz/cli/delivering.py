"""Delivering runs to other programs from the command line, each by a courier process of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

import typer

from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import connected, find_run
from rlviz.cli.output import note, say, waiting
from rlviz.cli.waiting import ENDED, wait_for_run
from rlviz.domain.sinks import SinkKind

if TYPE_CHECKING:
    from rlviz.cli.connection import Connection
    from rlviz.domain.sink_record import SinkRecord
    from rlviz.rundir.folder import RunFolder

SINKS = f"<{'|'.join(SinkKind)}>"
"""How the help writes what can be chosen."""


def deliver_to(context: typer.Context, runs: Sequence[str], kinds: Sequence[SinkKind], *, follow: bool = False) -> None:
    """``follow``: until the runs have ended. Raises Failure, and typer.Exit if something was not delivered."""
    from rlviz.rundir.folder import RunFolder

    with connected(context) as connection:
        runs_dir = connection.settings.runs_dir.resolve()
        folders = [RunFolder(runs_dir, find_run(connection, run)) for run in dict.fromkeys(runs)]
        wanted = [(folder, kind) for folder in folders for kind in dict.fromkeys(kinds)]
        if follow:
            _follow(connection, wanted)
    deliver_all(wanted)


def _follow(connection: Connection, wanted: Sequence[tuple[RunFolder, SinkKind]]) -> None:
    """Deliver runs while they train. Whoever gives up meanwhile is for ``deliver_all`` to ask again."""
    from rlviz.services.sinks.couriers import following

    with ExitStack() as couriers:
        try:
            for folder, kind in wanted:
                couriers.enter_context(following(folder, kind))
        except OSError as error:
            raise Failure(Exit.FAILED, f"Runs cannot be followed: {error}") from error
        for run_id in dict.fromkeys(folder.run_id for folder, _ in wanted):
            wait_for_run(connection, run_id, ENDED, f"Delivering {run_id} while it trains")


def deliver_all(wanted: Iterable[tuple[RunFolder, SinkKind]], *, offline_will_do: bool = True) -> None:
    """Deliver each run to its sink, whatever becomes of the others. Raises Failure, and typer.Exit if something was
    not delivered; an offline folder counts if it ``offline_will_do``."""
    delivered = [_deliver(folder, kind, offline_will_do=offline_will_do) for folder, kind in wanted]
    if not all(delivered):
        raise typer.Exit(Exit.FAILED)


def _deliver(folder: RunFolder, kind: SinkKind, *, offline_will_do: bool) -> bool:
    """Deliver a run as it is now, and say what became of it; return whether it is there. Raises Failure."""
    from rlviz.domain.errors import RunFolderError
    from rlviz.rundir.sinks import add_sink, read_sink
    from rlviz.services.sinks.couriers import BUSY, DELIVERED, start_courier

    try:
        add_sink(folder, kind)
        with waiting(f"Delivering {folder.run_id} to {kind.label}"):
            process = start_courier(folder, kind)
            _, said = process.communicate()
        record = read_sink(folder, kind)
    except (OSError, RunFolderError) as error:
        raise Failure(Exit.FAILED, f"{folder.run_id} cannot be delivered: {error}") from error
    if process.returncode == BUSY:
        note(f"{folder.run_id}: another process delivers it to {kind.label} just now.")
        return True
    if process.returncode != DELIVERED or record is None:
        reason = record.problem if record is not None and record.problem else said.decode(errors="replace").strip()
        note(f"{folder.run_id}: not delivered to {kind.label}. {reason[-400:]}")
        note("  It waits in the run's folder: `rlviz sync` tries again.")
        return False
    _say_where(folder, record)
    return offline_will_do or not record.offline


def is_waiting(folder: RunFolder, record: SinkRecord) -> bool:
    """Whether a sink lacks something of the run, as far as can be read."""
    from rlviz.domain.errors import RunFolderError
    from rlviz.rundir.sinks import is_delivered

    try:
        return record.offline or not is_delivered(folder, record)
    except RunFolderError:
        return True


def _say_where(folder: RunFolder, record: SinkRecord) -> None:
    if record.offline:
        say(f"{folder.run_id}: {record.rows:,} rows in an offline folder of {record.kind.label}, {record.place}")
        note("  Nobody is logged in. `wandb login`, then `rlviz sync` (or `wandb sync` of that folder) sends it.")
    else:
        say(f"{folder.run_id}: {record.rows:,} rows in {record.kind.label}, {record.place}")
