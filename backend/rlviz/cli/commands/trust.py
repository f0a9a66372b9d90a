"""The command ``trust``: allow the use of runs and folders that came from elsewhere."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rlviz.cli.completion import complete_run
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AsJson, connected, examples, find_run, read_settings
from rlviz.cli.output import counted, note, print_json, print_table, say
from rlviz.domain.byte_text import byte_text

if TYPE_CHECKING:
    from rlviz.cli.connection import Connection
    from rlviz.trust_store import TrustStore


def register(app: typer.Typer) -> None:
    app.command(
        epilog=examples(
            "rlviz trust last --show",
            "rlviz trust last",
            "# settings of this folder that name code",
            "rlviz trust .",
            "# runs of an earlier version, or copied by hand",
            "rlviz trust --all",
            "rlviz trust --list",
            "rlviz trust last --revoke",
        )
    )(trust)


def trust(
    context: typer.Context,
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="RUN|FOLDER",
            help="A run that came from elsewhere; or a folder (`.` or a path with `/`) whose settings may name code.",
            show_default=False,
            autocompletion=complete_run,
        ),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="All runs and experiments in the runs folder, except imported bundles.")
    ] = False,
    list_: Annotated[bool, typer.Option("--list", help="Show what is trusted.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Stop trusting it.")] = False,
    show: Annotated[bool, typer.Option("--show", help="Show what would be trusted, and change nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Allow code from elsewhere to run on this machine. It can be the code of a run, of a folder's settings, or of
    all runs.

    Policies and snapshots are pickled Python, and an environment can be a Python file: using them executes their code.
    Runs that you trained here need no trust. Your decisions are stored in your own configuration folder; a run is
    identified by the hash of all its content.
    """
    if sum((what is not None, every, list_)) != 1:
        raise Failure(Exit.BAD_INPUT, "Give exactly one of: a run or folder, --all, or --list.")
    if list_:
        _list(as_json)
    elif every:
        if revoke or show:
            raise Failure(Exit.BAD_INPUT, "--revoke and --show need the name of a run or folder.")
        _trust_all(context, as_json)
    elif what is not None and (what in (".", "..") or os.sep in what or "/" in what):
        _trust_folder(Path(what), revoke, show, as_json)
    else:
        assert what is not None
        with connected(context) as connection:
            _trust_run(connection, find_run(connection, what), revoke, show, as_json)


def _trust_run(connection: Connection, run_id: str, revoke: bool, show: bool, as_json: bool) -> None:
    found: dict[str, Any] = connection.get(f"/runs/{run_id}/trust")
    before = found["standing"]
    if show:
        pass
    elif revoke and before == "trusted":
        found = connection.request("DELETE", f"/runs/{run_id}/trust").json()
    elif not revoke and before == "untrusted":
        found = connection.post(f"/runs/{run_id}/trust", {"content_hash": found["content_hash"]})
    if as_json:
        print_json(found)
    elif found["standing"] == "own" and before == "untrusted":
        say(f"The snapshots of {run_id} are signed. Training can continue from them.")
    elif found["standing"] == "own":
        say(f"{run_id} was trained on this machine and needs no trust.")
    elif found["standing"] == "trusted":
        say(f"{run_id} is trusted. Allowed: {_describe_code(found)}.")
    else:
        say(f"{run_id} is not trusted. Blocked: {_describe_code(found)}.")


def _describe_code(found: dict[str, Any]) -> str:
    parts = [
        *(f"the environment {entry_point}" for entry_point in found["entry_points"]),
        counted(found["policies"], "policy file"),
        counted(found["snapshots"], "snapshot"),
    ]
    return f"{', '.join(parts)} ({byte_text(found['size_bytes'])} in all)"


def _trust_folder(folder: Path, revoke: bool, show: bool, as_json: bool) -> None:
    from rlviz.settings import settings_that_need_trust
    from rlviz.trust_store import TrustStore

    if not folder.is_dir():
        raise Failure(Exit.NOT_FOUND, f"There is no folder {folder}.")
    store = TrustStore()
    try:
        if revoke and not show:
            store.remove_folder(folder)
        elif not show:
            store.add_folder(folder)
    except OSError as error:
        raise Failure(Exit.FAILED, f"Your configuration cannot be written ({error}).") from error
    names = settings_that_need_trust(folder)
    trusted = store.trusts_folder(folder)
    if as_json:
        print_json({"folder": str(folder.resolve()), "trusted": trusted, "settings": names})
        return
    of_these = f" It sets {', '.join(names)}." if names else " It has no such settings yet."
    counts = "count" if trusted else "do not count"
    say(f"Settings of {folder.resolve()} that name code, places or addresses {counts}.{of_these}")


def _trust_all(context: typer.Context, as_json: bool) -> None:
    from rlviz.exchange.trusting import trust_runs_folder

    runs_dir = read_settings(context).runs_dir.resolve()
    trusted, imported = trust_runs_folder(runs_dir)
    if as_json:
        print_json({"runs_dir": str(runs_dir), "trusted": trusted, "not_trusted": imported})
        return
    say(f"{counted(len(trusted), 'run or experiment')} in {runs_dir} now count as yours.")
    for run_id in imported:
        note(f"{run_id} was imported from a bundle. To trust it: `rlviz trust {run_id}`")


def _list(as_json: bool) -> None:
    from rlviz.trust_store import TrustStore

    store: TrustStore = TrustStore()
    folders, runs = store.folders(), store.runs()
    if as_json:
        print_json(
            {
                "folders": [{"path": one.what, "at": one.at} for one in folders],
                "runs": [{"id": one.what, "content_hash": one.name, "at": one.at} for one in runs],
            }
        )
    elif not folders and not runs:
        say("No folder or run from elsewhere is trusted.")
    else:
        rows = [("folder", one.what, "") for one in folders] + [("run", one.what, one.name[:12]) for one in runs]
        print_table(("KIND", "WHAT", "CONTENT"), rows, keep=2)
