"""Care for the runs folder: doctor, prune."""

from __future__ import annotations

from typing import Annotated

import typer

from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AsJson, connected, examples, read_settings
from rlviz.cli.output import coloured, is_terminal, print_json, print_table, say, size

_COLOURS = {"ok": typer.colors.GREEN, "look": typer.colors.YELLOW, "bad": typer.colors.RED}


def register(app: typer.Typer) -> None:
    app.command(epilog=examples("rlviz doctor", "rlviz doctor --json"))(doctor)
    app.command(epilog=examples("rlviz prune --dry-run", "rlviz prune --yes"))(prune)


def doctor(context: typer.Context, as_json: AsJson = False) -> None:
    """Check disk, locks, port, packages and time; exit status 1 if something keeps the app from working."""
    from dataclasses import asdict

    from rlviz.cli import checks

    found = checks.check_all(read_settings(context))
    if as_json:
        print_json([asdict(finding) for finding in found])
    else:
        for finding in found:
            say(f"{coloured(f'{finding.state:4}', _COLOURS[finding.state])}  {finding.about}: {finding.says}")
            if finding.to_do:
                say(f"      {finding.to_do}")
    if any(finding.state == "bad" for finding in found):
        raise typer.Exit(Exit.FAILED)


def prune(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Remove nothing, tell what takes space.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Empty the trash, and tell what takes space. Runs that were not deleted are never touched."""
    from rlviz.cli.storage import measure

    with connected(context) as connection:
        trash = connection.get("/trash")
        stored = measure(connection.settings.runs_dir)
        if as_json:
            print_json({"trash": trash, "kinds": stored.kinds, "runs": stored.runs, "dry_run": dry_run})
        else:
            kinds = sorted(stored.kinds.items(), key=lambda item: -item[1])
            print_table(("WHAT", "SIZE"), [(name, size(count)) for name, count in kinds], keep=2)
            say()
            largest = sorted(stored.runs.items(), key=lambda item: -item[1])[:10]
            print_table(("LARGEST RUNS", "SIZE"), [(name, size(count)) for name, count in largest], keep=2)
            say(f"\nTrash: {len(trash['runs'])} runs, {size(trash['total_bytes'])}")
        if dry_run or not trash["runs"]:
            return
        if not yes:
            if not is_terminal() or as_json:
                raise Failure(Exit.BAD_INPUT, "Say --yes to empty the trash for good, or --dry-run to look only.")
            typer.confirm(f"Remove {len(trash['runs'])} runs for good?", abort=True)
        connection.request("DELETE", "/trash")
        if not as_json:
            say(f"Removed {len(trash['runs'])} runs, {size(trash['total_bytes'])}.")
