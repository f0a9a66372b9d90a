"""Commands on existing runs: start, stop, pause, edit, repair, delete, restore."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rlviz.cli.attending import Follow, attend
from rlviz.cli.attending import Wait as AndWait
from rlviz.cli.completion import complete_deleted_run, complete_tag
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AsJson, RunName, RunNames, connected, examples, find_deleted_run, find_run
from rlviz.cli.output import print_json, say
from rlviz.cli.waiting import AT_REST, wait_for_run
from rlviz.domain.plain_text import one_line

Wait = Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until it has stopped training.")]


def register(app: typer.Typer) -> None:
    app.command(epilog=examples("rlviz start last", "rlviz start last --follow"))(start)
    app.command(epilog=examples("rlviz stop last", "rlviz stop ppo-cartpole-20261121-044130-3630 --no-wait"))(stop)
    app.command(epilog=examples("rlviz pause last"))(pause)
    app.command(
        epilog=examples(
            "rlviz edit last --name 'larger batch' --tag baseline",
            "rlviz edit last --untag baseline --notes 'It forgot what it had learned.'",
        )
    )(edit)
    app.command(epilog=examples("rlviz repair ppo-cartpole-20261121-044130-3630"))(repair)
    app.command(epilog=examples("rlviz delete last", "rlviz delete ppo-cart dqn-cart"))(delete)
    app.command(epilog=examples("rlviz restore ppo-cartpole-20261121-044130-3630"))(restore)


def start(
    context: typer.Context, run: RunName, follow: Follow = False, wait: AndWait = False, as_json: AsJson = False
) -> None:
    """Start a run that was created without starting it."""
    with connected(context) as connection:
        started = connection.post(f"/runs/{find_run(connection, run)}/start")
        attend(connection, started, follow, wait, as_json)


def stop(context: typer.Context, run: RunName, wait: Wait = True, as_json: AsJson = False) -> None:
    """Stop a run and save its policy and a snapshot."""
    _request_status(context, run, "stop", wait, as_json)


def pause(context: typer.Context, run: RunName, wait: Wait = True, as_json: AsJson = False) -> None:
    """Pause a run; `rlviz resume` continues it exactly where it was."""
    _request_status(context, run, "pause", wait, as_json)


def edit(
    context: typer.Context,
    run: RunName,
    name: Annotated[str | None, typer.Option(help="Its name.")] = None,
    tags: Annotated[list[str] | None, typer.Option("--tag", help="Add a tag; repeatable.")] = None,
    untag: Annotated[
        list[str] | None, typer.Option(help="Remove a tag; repeatable.", autocompletion=complete_tag)
    ] = None,
    notes: Annotated[str | None, typer.Option(help="Replace its notes.")] = None,
    as_json: AsJson = False,
) -> None:
    """Change a run's name, tags or notes. Without options, show its notes."""
    with connected(context) as connection:
        found = connection.get(f"/runs/{find_run(connection, run)}")
        if missing := next((tag for tag in untag or () if tag not in found["tags"]), None):
            raise Failure(Exit.NOT_FOUND, f"{found['id']} has no tag {missing[:80]!r}.")
        had = [tag for tag in found["tags"] if tag not in (untag or ())]
        changed = {"name": name, "notes": notes, "tags": [*dict.fromkeys([*had, *(tags or ())])]}
        if tags or untag or name is not None or notes is not None:
            given = {field: value for field, value in changed.items() if value is not None}
            found = connection.request("PATCH", f"/runs/{found['id']}", json=given).json()
    if as_json:
        print_json(found)
        return
    say(one_line(f"{found['id']} {found['name']}" + (f" ({', '.join(found['tags'])})" if found["tags"] else "")))
    if found["notes"]:
        say(found["notes"])


def repair(context: typer.Context, run: RunName, as_json: AsJson = False) -> None:
    """Repair a damaged run: keep the readable parts and rename each damaged file."""
    with connected(context) as connection:
        repaired = connection.post(f"/runs/{find_run(connection, run)}/repair")
    _show(repaired, as_json)


def delete(context: typer.Context, runs: RunNames, as_json: AsJson = False) -> None:
    """Move runs to the trash. `rlviz restore` restores them within some days."""
    with connected(context) as connection:
        run_ids = [find_run(connection, run) for run in runs]
        for run_id in run_ids:
            connection.request("DELETE", f"/runs/{run_id}")
            if not as_json:
                say(f"{run_id} is in the trash. To restore it: `rlviz restore {run_id}`")
    if as_json:
        print_json({"deleted": run_ids})


def restore(
    context: typer.Context,
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="A run in the trash: its id, the start or end of its id, or its name.",
            autocompletion=complete_deleted_run,
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Restore a deleted run from the trash."""
    with connected(context) as connection:
        restored = connection.post(f"/runs/{find_deleted_run(connection, run)}/restore")
    _show(restored, as_json)


def _request_status(context: typer.Context, run: str, what: str, wait: bool, as_json: bool) -> None:
    with connected(context) as connection:
        run_id = find_run(connection, run)
        asked: dict[str, Any] = connection.post(f"/runs/{run_id}/{what}")
        if wait:
            asked = wait_for_run(connection, run_id, AT_REST, f"Waiting for {run_id} to {what}")
    _show(asked, as_json)


def _show(run: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(run)
    else:
        say(f"{run['id']} {run['status']} at step {run['step']}")
