"""Snapshots of a run: create, list, keep, plan, restore, verify, delete."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from rlviz.cli.completion import complete_snapshot
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import (
    AsJson,
    EveryMinutes,
    EverySteps,
    Keep,
    MaxSize,
    RunName,
    connected,
    examples,
    find_run,
    snapshot_plan,
)
from rlviz.cli.output import print_json, print_table, say, waiting
from rlviz.cli.waiting import AT_REST, POLL_SECONDS, wait_for_verification, wait_until_started
from rlviz.domain.byte_text import byte_text

SnapshotName = Annotated[
    str, typer.Argument(metavar="NAME", help="Name of the snapshot.", autocompletion=complete_snapshot)
]


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Complete training states, to resume bit for bit.", no_args_is_help=True)
    group.command(epilog=examples("rlviz snapshot create last --name before-the-fall"))(create)
    group.command("list", epilog=examples("rlviz snapshot list last"))(list_)
    group.command(epilog=examples("rlviz snapshot keep last 40960 before-the-fall --message 'It walks.'"))(keep)
    group.command(
        epilog=examples("rlviz snapshot plan last", "rlviz snapshot plan last --every-steps 50000 --keep 10")
    )(plan)
    group.command(epilog=examples("rlviz snapshot restore last before-the-fall"))(restore)
    group.command(epilog=examples("rlviz snapshot verify last before-the-fall"))(verify)
    group.command(epilog=examples("rlviz snapshot delete last before-the-fall"))(delete)
    app.add_typer(group, name="snapshot")


def create(
    context: typer.Context,
    run: RunName,
    name: Annotated[
        str | None, typer.Option(help="Name of the snapshot. A named snapshot is kept until you delete it.")
    ] = None,
    message: Annotated[str, typer.Option(help="Note on why it is kept.")] = "",
    as_json: AsJson = False,
) -> None:
    """Take a snapshot of a training run, at the start of its next rollout."""
    with connected(context) as connection:
        run_id = find_run(connection, run)
        path = f"/runs/{run_id}/snapshots"
        before = {item["name"] for item in connection.get(path)["snapshots"]}
        connection.post(path, {"name": name, "message": message})
        with waiting("Waiting for the start of a rollout"):
            while not (new := [item for item in connection.get(path)["snapshots"] if item["name"] not in before]):
                if connection.get(f"/runs/{run_id}")["status"] in AT_REST:
                    raise Failure(Exit.CONFLICT, f"{run_id} stopped training before it took a snapshot.")
                time.sleep(POLL_SECONDS)
    taken = next((item for item in new if item["name"] == name), new[-1])
    if as_json:
        print_json(taken)
    else:
        say(f"{taken['name']}: step {taken['step']}, {byte_text(taken['bytes'] + taken['replay_bytes'])}")


def list_(context: typer.Context, run: RunName, as_json: AsJson = False) -> None:
    """List the snapshots of a run, oldest step first."""
    with connected(context) as connection:
        run_id = find_run(connection, run)
        found = connection.get(f"/runs/{run_id}/snapshots")
    if as_json:
        print_json(found)
        return
    if not found["snapshots"]:
        say(f"{run_id} has no snapshot yet. While it trains, `rlviz snapshot create {run_id}` takes one.")
        return
    rows = [
        (
            item["name"],
            str(item["step"]),
            byte_text(item["bytes"] + item["replay_bytes"]),
            item["trigger"],
            "yes" if item["whole"] else f"no: {item['problem']}",
            "yes" if item["exact"] else f"no: {item['not_exact_because']}",
            item["message"],
        )
        for item in found["snapshots"]
    ]
    print_table(("SNAPSHOT", "STEP", "SIZE", "TAKEN FOR", "WHOLE", "EXACT", "MESSAGE"), rows, keep=2)


def keep(
    context: typer.Context,
    run: RunName,
    name: SnapshotName,
    new_name: Annotated[
        str | None,
        typer.Argument(
            metavar="NEW_NAME", help="Name. A named snapshot is kept until you delete it.", show_default="its own"
        ),
    ] = None,
    message: Annotated[str | None, typer.Option(help="Note on why it is kept.", show_default="unchanged")] = None,
    as_json: AsJson = False,
) -> None:
    """Give a snapshot a name, so that it is kept, or a message."""
    with connected(context) as connection:
        path = f"/runs/{find_run(connection, run)}/snapshots/{name}"
        found = connection.request("PATCH", path, json={"name": new_name, "message": message}).json()
    kept = next(item for item in found["snapshots"] if item["name"] == (new_name or name))
    if as_json:
        print_json(kept)
    else:
        say(f"{kept['name']}: step {kept['step']}, kept until it is deleted")


def plan(
    context: typer.Context,
    run: RunName,
    every_steps: EverySteps = None,
    every_minutes: EveryMinutes = None,
    keep: Keep = None,
    max_size: MaxSize = None,
    as_json: AsJson = False,
) -> None:
    """Show or change when a run takes snapshots and how many it keeps."""
    changes = snapshot_plan(every_steps, every_minutes, keep, max_size)
    with connected(context) as connection:
        run_id = find_run(connection, run)
        found = connection.get(f"/runs/{run_id}/snapshots")["plan"]
        if changes:
            wanted = {**found, **changes}
            found = connection.request("PUT", f"/runs/{run_id}/snapshot-plan", json=wanted).json()["plan"]
    if as_json:
        print_json(found)
        return
    steps, seconds = found["every_steps"], found["every_seconds"]
    times = [f"{steps:,} steps"] if steps else []
    if seconds:
        times.append("minute" if seconds == 60 else f"{seconds / 60:g} minutes")
    say(f"one every {' or '.join(times)}" if times else "none automatically")
    say(f"keeps the newest {found['keep']}, up to {byte_text(found['max_bytes'])}, and all with a name")


def restore(context: typer.Context, run: RunName, name: SnapshotName, as_json: AsJson = False) -> None:
    """Go back to a snapshot and continue training from there. The later curves stay visible as a ghost."""
    with connected(context) as connection:
        run_id = find_run(connection, run)
        found = connection.post(f"/runs/{run_id}/rollback", {"snapshot": name})
        if connection.is_own:
            found = wait_until_started(connection, run_id)
    if as_json:
        print_json(found)
    else:
        say(f"{run_id} {found['status']}, from snapshot {name}")


def verify(context: typer.Context, run: RunName, name: SnapshotName, as_json: AsJson = False) -> None:
    """Load a snapshot in a separate process and compare it with the file. Exit status 1 if it is not identical."""
    with connected(context) as connection:
        path = f"/runs/{find_run(connection, run)}/snapshots/{name}/verify"
        verification = wait_for_verification(connection, path, "Loading it")
    if as_json:
        print_json(verification)
    if verification["status"] == "failed" or not verification["whole"]:
        raise Failure(Exit.FAILED, f"{name} cannot be resumed from: {verification['cause']}")
    if not verification["identical"]:
        raise Failure(Exit.FAILED, f"{name} is not identical: {verification['first_difference']}")
    if not as_json:
        say(f"{name} is complete and identical in all {len(verification['parts'])} parts.")


def delete(context: typer.Context, run: RunName, name: SnapshotName, as_json: AsJson = False) -> None:
    """Delete a snapshot for good."""
    with connected(context) as connection:
        run_id = find_run(connection, run)
        connection.request("DELETE", f"/runs/{run_id}/snapshots/{name}")
    if as_json:
        print_json({"run_id": run_id, "deleted": name})
    else:
        say(f"{name} of {run_id} is deleted.")
