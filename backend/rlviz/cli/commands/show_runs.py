"""Commands that show runs: runs, status, logs, metrics."""

from __future__ import annotations

import json
import sys
import time
from typing import Annotated, Any

import typer

from rlviz.cli.completion import complete_metric, complete_run
from rlviz.cli.connection import Connection
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.follow import event_line
from rlviz.cli.options import AsJson, RunName, connected, examples, find_run, list_runs, unknown_name_text
from rlviz.cli.output import note, number, print_json, print_table, say, solved_words, sparkline, steps_text
from rlviz.cli.waiting import AT_REST, POLL_SECONDS
from rlviz.domain.byte_text import byte_text
from rlviz.domain.plain_text import join_names
from rlviz.domain.status import ACTIVE
from rlviz.stats.number_text import percent


def register(app: typer.Typer) -> None:
    app.command(
        epilog=examples("rlviz runs", "rlviz runs --status running", "rlviz runs --env CartPole-v1 --sort -ep_rew_mean")
    )(runs)
    app.command(epilog=examples("rlviz status", "rlviz status last", "rlviz status last --follow"))(status)
    app.command(epilog=examples("rlviz logs last", "rlviz logs last --follow", "rlviz logs last --worker"))(logs)
    app.command(
        epilog=examples(
            "rlviz metrics last",
            "rlviz metrics last rollout/ep_rew_mean --points 20",
            "rlviz metrics last train/loss --json",
        )
    )(metrics)


def runs(
    context: typer.Context,
    status: Annotated[list[str] | None, typer.Option(help="Only runs with this status; repeatable.")] = None,
    env: Annotated[list[str] | None, typer.Option(help="Only runs on this environment; repeatable.")] = None,
    algo: Annotated[list[str] | None, typer.Option(help="Only runs with this algorithm; repeatable.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Only runs with this tag; repeatable.")] = None,
    text: Annotated[
        str | None, typer.Option("--search", help="Only runs with this text in id, name, tags or notes.")
    ] = None,
    sort: Annotated[
        str, typer.Option(help="Column to sort by; a minus in front sorts in descending order.")
    ] = "-created_at",
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of runs.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List runs, the newest first."""
    query = {"status": status, "env_id": env, "algo": algo, "tag": tag, "q": text, "sort": sort}
    with connected(context) as connection:
        found, total = list_runs(connection, limit, **query)
    if as_json:
        print_json({"runs": found, "total": total})
    elif not found:
        say(
            "No run matches. `rlviz runs` without options lists all."
            if any((status, env, algo, tag, text))
            else "No run yet. Start one with `rlviz run`."
        )
    else:
        header = ("RUN", "STATUS", "RETURN", "STEP", "NAME", "ENVIRONMENT", "ALGO", "SEED", "CURVE")
        print_table(header, (_row(run) for run in found), keep=2)
        if total > len(found):
            say(f"{len(found)} of {total}; --limit {total} shows all.")


def status(
    context: typer.Context,
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="A run; without one, the service.", autocompletion=complete_run)
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Follow it until it ends.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the state of a run, or of the service."""
    with connected(context) as connection:
        if run is None:
            _show_service(connection, as_json)
            return
        run_id = find_run(connection, run)
        if follow and not as_json:
            from rlviz.cli.follow import follow_run

            follow_run(connection, run_id)
            return
        found = connection.get(f"/runs/{run_id}")
    if as_json:
        print_json(found)
    else:
        _show_run(found)


def logs(
    context: typer.Context,
    run: RunName,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Print new events until the run ends.")] = False,
    worker: Annotated[bool, typer.Option("--worker", help="Show the output of its worker process instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the events of a run, oldest first."""
    with connected(context) as connection:
        run_id = find_run(connection, run)
        if worker:
            printed = connection.request("GET", f"/runs/{run_id}/artifacts/worker.log").text.rstrip("\n")
            if as_json:
                print_json({"run_id": run_id, "log": printed})
            else:
                say(printed) if printed else note("The worker has printed nothing.")
            return
        if as_json and not follow:
            print_json(connection.get(f"/runs/{run_id}/events"))
            return
        _print_events(connection, run_id, follow, as_json)


def metrics(
    context: typer.Context,
    run: RunName,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="METRIC", help="Names of metrics.", autocompletion=complete_metric),
    ] = None,
    points: Annotated[int, typer.Option(min=4, max=100_000, help="Maximum points per curve; extremes are kept.")] = 20,
    x: Annotated[str, typer.Option(help="Horizontal axis: step, seconds, time or episode.")] = "step",
    as_json: AsJson = False,
) -> None:
    """Show the newest value of each metric of a run. With names of metrics, show their curves."""
    with connected(context) as connection:
        run_id = find_run(connection, run)
        wanted = join_names(names) if names else None
        curves = connection.get(f"/runs/{run_id}/metrics/curves", names=wanted, max_points=points, x=x)
        if unknown := [name for name in names or () if not curves["series"].get(name, {"y": ()})["y"]]:
            logged = connection.get(f"/runs/{run_id}/metrics/curves", max_points=4)["series"]
            raise Failure(Exit.NOT_FOUND, unknown_name_text("metric", unknown[0], logged, f"rlviz metrics {run_id}"))
    if as_json:
        print_json(curves)
    elif names:
        rows = [
            (name, number(at, 9), number(y, 6))
            for name, curve in curves["series"].items()
            for at, y in zip(curve["x"], curve["y"], strict=True)
        ]
        print_table(("METRIC", x.upper(), "VALUE"), rows, keep=3)
    else:
        series = {name: curve for name, curve in curves["series"].items() if curve["y"]}
        newest = [
            (name, number(curve["y"][-1]), str(curve["count"]), sparkline(curve["y"], 20))
            for name, curve in sorted(series.items())
        ]
        if newest:
            print_table(("METRIC", "NEWEST", "POINTS", "CURVE"), newest, keep=2)
        else:
            say(f"{run_id} has logged nothing yet.")


def _row(run: dict[str, Any]) -> tuple[str, ...]:
    return (
        run["id"],
        run["status"],
        number(run["ep_rew_mean"]),
        steps_text(run),
        run["name"],
        run["env_id"],
        run["algo"],
        str(run["seed"]),
        sparkline(run["sparkline"], 20),
    )


def _show_run(run: dict[str, Any]) -> None:
    share = f" ({percent(run['step'] / run['end_step'])})" if run["end_step"] else ""
    facts = {
        "name": run["name"],
        "status": run["status"] + (f": {run['cause']}" if run["cause"] else ""),
        "environment": run["env_id"],
        "algorithm": run["algo"] + (f", preset {run['preset']}" if run["preset"] else ""),
        "seed": str(run["seed"]),
        "step": steps_text(run, " of ") + share,
        "episodes": str(run["episodes"]) if run["episodes"] or run["actor"] != "foreign" else "not recorded",
        "return": f"{number(run['ep_rew_mean'])} (best average {number(run['best_moving_average'])})",
        "steps/s": number(run["fps"]),
        "solved": solved_words(run),
        "curve": sparkline(run["sparkline"], 40),
    }
    print_table((run["id"], ""), facts.items(), keep=2)


def _show_service(connection: Connection, as_json: bool) -> None:
    health = connection.get("/health")
    training, _ = list_runs(connection, status=sorted(ACTIVE))
    if as_json:
        print_json({"url": connection.url, "own": connection.is_own, **health, "runs": training})
        return
    where = "by this command; no service is running" if connection.is_own else f"at {connection.url}"
    say(f"RL Gym Visualizer {health['version']}, served {where}")
    say(f"Runs folder {connection.settings.runs_dir.resolve()}: {byte_text(health['free_disk_bytes'])} free")
    say(f"{health['active_runs']} of up to {health['max_concurrent_runs']} runs train, {health['queued_runs']} wait")
    if training:
        print_table(("RUN", "STATUS", "RETURN", "STEP"), (_row(run)[:4] for run in training), keep=2)


def _print_events(connection: Connection, run_id: str, follow: bool, as_json: bool) -> None:
    shown = set[object]()
    while True:
        at_rest = connection.get(f"/runs/{run_id}")["status"] in AT_REST
        for event in connection.get(f"/runs/{run_id}/events")["events"]:
            key = event["seq"] or event["details"]["evaluation_id"]
            if key not in shown:
                shown.add(key)
                say(json.dumps(event) if as_json else event_line(event))
        if not follow or at_rest:
            if not shown:
                note("It has no events yet.")
            return
        sys.stdout.flush()
        time.sleep(POLL_SECONDS)
