"""Commands on the catalogue file: catalog check, upgrade, downgrade, optimize. None of them needs a service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AsJson, examples, read_settings
from rlviz.cli.output import counted, print_json, say, waiting
from rlviz.domain.byte_text import byte_text

if TYPE_CHECKING:
    from rlviz.server.catalog.database import Database


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Check, upgrade, downgrade or optimize the catalogue file.", no_args_is_help=True)
    group.command(epilog=examples("rlviz catalog check", "rlviz catalog check --json"))(check)
    group.command(epilog=examples("rlviz catalog upgrade --dry-run", "rlviz catalog upgrade"))(upgrade)
    group.command(epilog=examples("rlviz catalog downgrade 0012"))(downgrade)
    group.command(epilog=examples("rlviz catalog optimize"))(optimize)
    app.add_typer(group, name="catalog")


def check(context: typer.Context, as_json: AsJson = False) -> None:
    """Check pages, indexes and schema, and compare tables with models; exit status 1 if something is wrong.

    Writes nothing; a service may be running.
    """
    from rlviz.server.catalog import maintenance

    with _catalogue(context) as database, waiting("Checking the catalogue"):
        found = maintenance.check(database)
    if as_json:
        print_json(
            {
                "revision": found.revision,
                "head": found.head,
                "waiting": list(found.pending_migrations),
                "problems": found.problems,
            }
        )
    else:
        for problem in found.problems:
            say(problem)
        if found.pending_migrations:
            say(f"The catalogue is at revision {found.revision}; the next start upgrades it to {found.head}.")
        if not found.problems:
            say(
                "The catalogue is undamaged."
                if found.pending_migrations
                else "The catalogue is undamaged, and its tables match the models."
            )
    if found.problems:
        raise typer.Exit(Exit.FAILED)


def upgrade(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Change nothing; show what would be done.")] = False,
    as_json: AsJson = False,
) -> None:
    """Upgrade the schema now instead of at the next start of the service. A copy of the file is kept."""
    from rlviz.server.catalog import maintenance

    with _catalogue(context, alone=not dry_run) as database, waiting("Upgrading the catalogue"):
        steps = (
            maintenance.check(database).pending_migrations
            if dry_run
            else maintenance.pending_migrations(database.revision())
        )
        copy = None if dry_run else maintenance.upgrade(database)
    if as_json:
        print_json({"migrations": list(steps), "dry_run": dry_run, "copy": None if copy is None else str(copy)})
    elif not steps:
        say("The catalogue is up to date.")
    elif dry_run:
        say(f"Would apply {counted(len(steps), 'migration')}: {', '.join(steps)}. Nothing was changed.")
    else:
        say(
            f"Applied {counted(len(steps), 'migration')}: {', '.join(steps)}."
            + (f" Copy of the previous file: {copy}." if copy else "")
        )


def downgrade(
    context: typer.Context,
    revision: Annotated[str, typer.Argument(metavar="REVISION", help="Revision to go back to, for instance 0012.")],
    as_json: AsJson = False,
) -> None:
    """Downgrade the schema for an older version of the app. A copy of the file is kept.

    Data without a column in the older tables is removed from the catalogue. The next start of this version reads it
    again from the run folders.
    """
    from rlviz.server.catalog import maintenance

    with _catalogue(context, alone=True) as database, waiting("Downgrading the catalogue"):
        copy = maintenance.downgrade(database, revision)
    if as_json:
        print_json({"revision": revision, "copy": str(copy)})
    else:
        say(f"The catalogue is at revision {revision}. Copy of the previous file: {copy}.")


def optimize(context: typer.Context, as_json: AsJson = False) -> None:
    """Free the space of deleted rows, and update the statistics that the query planner uses."""
    from rlviz.server.catalog import maintenance

    with _catalogue(context, alone=True) as database, waiting("Optimizing the catalogue"):
        before, after = maintenance.optimize(database)
    if as_json:
        print_json({"bytes_before": before, "bytes": after})
    else:
        say(f"The catalogue takes {byte_text(after)}; before, it took {byte_text(before)}.")


@contextmanager
def _catalogue(context: typer.Context, *, alone: bool = False) -> Iterator[Database]:
    """Open the catalogue of the runs folder. Raises Failure, and RunsFolderInUse if ``alone`` and a service runs."""
    from rlviz.rundir.lock import RunsLock
    from rlviz.server.catalog.database import Database
    from rlviz.server.wiring import CATALOGUE

    runs_dir = read_settings(context).runs_dir
    path = runs_dir / CATALOGUE
    if not path.is_file():
        raise Failure(Exit.NOT_FOUND, f"There is no catalogue {path} yet. `rlviz rebuild` creates it.")
    lock = RunsLock(runs_dir)
    if alone:
        lock.acquire()
    database = Database(path)
    try:
        yield database
    finally:
        database.close()
        lock.release()
