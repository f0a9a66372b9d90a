"""The command ``ingest``: copy runs into a central PostgreSQL database."""

from __future__ import annotations

import platform
import time
from dataclasses import asdict
from typing import Annotated

import typer

from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AnyRuns, AsJson, examples, find_folders, read_settings
from rlviz.cli.output import counted, note, print_json, progress, say, warn
from rlviz.domain.naming import POSTGRES, renames_text


def register(app: typer.Typer) -> None:
    app.command(
        epilog=examples(
            "rlviz ingest --to postgresql://me@db.example.org/research",
            "rlviz ingest --incremental --to postgresql:///research --machine lab-2",
            "rlviz ingest ppo-cartpole-20261121-044130-3630 --to postgresql:///research",
        )
    )(ingest)


def ingest(
    context: typer.Context,
    runs: AnyRuns = None,
    *,
    to: Annotated[str, typer.Option("--to", metavar="URL", help="Address of the database, postgresql://….")],
    incremental: Annotated[
        bool, typer.Option("--incremental", help="Skip runs that have not changed since the last time.")
    ] = False,
    machine: Annotated[
        str | None, typer.Option("--machine", help="Name for this machine in the database; default: its host name.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Copy runs that have ended into a PostgreSQL database. Several machines can share it.

    Each run is written in one transaction; writing it again changes nothing. Exit status 1 if damaged runs were
    skipped, or if the database is inconsistent.
    """
    from rlviz.server.exchange.ingest import CentralDatabase, CentralDatabaseGone
    from rlviz.server.exchange.ingest import ingest as put_in

    begin = time.monotonic()
    folders = find_folders(read_settings(context).runs_dir, runs)
    try:
        with CentralDatabase(to) as database, progress("Copying runs", len(folders)) as advance:
            name = machine or platform.node()
            report = put_in(folders, database, machine=name, incremental=incremental, progress=advance)
    except CentralDatabaseGone as error:
        raise Failure(Exit.UNREACHABLE, str(error)) from error
    seconds = time.monotonic() - begin
    if as_json:
        print_json({**asdict(report), "seconds": round(seconds, 3)})
    else:
        say(
            f"{counted(len(report.runs), 'run')}, {counted(report.evaluations, 'evaluation')} and "
            f"{counted(report.points, 'point')} in {seconds:.1f} s; "
            f"{report.unchanged} unchanged, {len(report.skipped)} skipped."
        )
        if report.renamed:
            note(renames_text(report.renamed, POSTGRES.target))
        for run_id, reason in report.skipped.items():
            warn(f"  {run_id}: {reason}")
        for what, ids in report.problems.items():
            warn(f"Inconsistent: {len(ids)} {what}, for instance {ids[0]}.")
    if report.problems or any("damaged" in reason for reason in report.skipped.values()):
        raise typer.Exit(Exit.FAILED)
