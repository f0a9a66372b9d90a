"""What is asked of a run that is there: start, stop, pause, edit, repair, delete, restore."""

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

Wait = Annotated[bool, typer.Option("--wait/--no-wait", help="Return when it has come to rest.")]


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
    """Start a run that was created, but not started."""
    with connected(context) as connection:
        started = connection.post(f"/runs/{find_run(connection, run)}/start")
        attend(connection, started, follow, wait, as_json)


def stop(context: typer.Context, run: RunName, wait: Wait = True, as_json: AsJson = False) -> None:
    """Stop a run; its policy and a snapshot are saved."""
    _ask(context, run, "stop", wait, as_json)


def pause(context: typer.Context, run: RunName, wait: Wait = True, as_json: AsJson = False) -> None:
    """Pause a run; `rlviz resume` goes on exactly as if nothing had happened."""
    _ask(context, run, "pause", wait, as_json)


def edit(
    context: typer.Context,
    run: RunName,
    name: Annotated[str | None, typer.Option(help="What it is called on the pages.")] = None,
    tags: Annotated[list[str] | None, typer.Option("--tag", help="To be found by; may be repeated.")] = None,
    untag: Annotated[
        list[str] | None, typer.Option(help="A tag to take away; may be repeated.", autocompletion=complete_tag)
    ] = None,
    notes: Annotated[str | None, typer.Option(help="What is to be remembered of it, instead of what is there.")] = None,
    as_json: AsJson = False,
) -> None:
    """Name a run, tag it, or write notes; without any of these its notes are shown."""
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
    """Keep what can be read of a damaged run; what is damaged is put beside it."""
    with connected(context) as connection:
        repaired = connection.post(f"/runs/{find_run(connection, run)}/repair")
    _show(repaired, as_json)


def delete(context: typer.Context, runs: RunNames, as_json: AsJson = False) -> None:
    """Move runs to the trash, from where `rlviz restore` brings them back for some days."""
    with connected(context) as connection:
        run_ids = [find_run(connection, run) for run in runs]
        for run_id in run_ids:
            connection.request("DELETE", f"/runs/{run_id}")
            if not as_json:
                say(f"{run_id} is in the trash. `rlviz restore {run_id}` brings it back.")
    if as_json:
        print_json({"deleted": run_ids})


def restore(
    context: typer.Context,
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="Id of a run in the trash, its beginning or end, or its name.",
            autocompletion=complete_deleted_run,
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Bring a deleted run back from the trash."""
    with connected(context) as connection:
        restored = connection.post(f"/runs/{find_deleted_run(connection, run)}/restore")
    _show(restored, as_json)


def _ask(context: typer.Context, run: str, what: str, wait: bool, as_json: bool) -> None:
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
