"""`rlviz compare`: runs beside each other."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from rlviz.cli.connection import Connection
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AsJson, RunNames, connected, examples, find_run
from rlviz.cli.output import note, number, print_json, print_table, say, waiting

_VIDEO_SECONDS = 300.0


def register(app: typer.Typer) -> None:
    app.command(
        epilog=examples(
            "rlviz compare ppo-cart dqn-cart",
            "rlviz compare ppo-cart dqn-cart --json",
            "rlviz compare ppo-cart dqn-cart --video both.mp4",
        )
    )(compare)


def compare(
    context: typer.Context,
    runs: RunNames,
    threshold: Annotated[float | None, typer.Option(help="Return to reach.", show_default="the environment's")] = None,
    window: Annotated[int, typer.Option(min=1, max=1000, help="Episodes in the moving average.")] = 20,
    apart: Annotated[bool, typer.Option("--apart", help="Show each seed of a group by itself.")] = False,
    video: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Instead, write the newest videos of two runs side by side, as MP4."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare runs: figures, settings that differ, and which is better, if that can be told."""
    with connected(context) as connection:
        run_ids = [find_run(connection, run) for run in runs]
        if video is not None:
            _write_video(connection, run_ids, video, as_json)
            return
        if len(set(run_ids)) < 2:
            raise Failure(Exit.BAD_INPUT, f"Name two runs or more. `rlviz status {run_ids[0]}` shows one.")
        compared = connection.get("/compare", runs=",".join(run_ids), threshold=threshold, window=window)
    if as_json:
        print_json(compared)
        return
    labels = {run["run"]["id"]: run["label"] for run in compared["runs"]}
    groups = {} if apart else {run_id: group for group in compared["seeds"] for run_id in group["run_ids"]}
    if groups:
        _print_groups(compared["figures"], _columns(labels, groups))
    else:
        _print_runs(compared["figures"], labels)
    if compared["config_diff"]:
        say()
        different = [
            (item["path"].lstrip("/"), *(_shown(item["values"].get(run_id, "–")) for run_id in labels))
            for item in compared["config_diff"]
        ]
        print_table(("SETTING", *labels.values()), different, keep=1 + len(labels))
    if compared["verdict"]:
        say(f"\n{compared['verdict']['headline']}")
        for line in (*compared["verdict"]["why"], *compared["verdict"]["cautions"]):
            say(f"  {line}")


def _print_runs(figures: Sequence[Any], labels: Mapping[str, str]) -> None:
    """A column for each run. ``labels``: by run id."""
    rows = [(one["title"], *(_of_run(one, run_id) for run_id in labels), one["reason"]) for one in figures]
    print_table(("FIGURE", *labels.values(), "WHY"), rows, keep=1 + len(labels))


def _print_groups(figures: Sequence[Any], columns: Mapping[str, str]) -> None:
    """A column for each group, and for each run that is in none. ``columns``: titles by the id of group or run."""
    rows = [
        (
            one["title"],
            *(_of_seeds(one["groups"][key]) if key in one["groups"] else number(one["values"][key]) for key in columns),
        )
        for one in figures
    ]
    print_table(("FIGURE", *columns.values()), rows, keep=1 + len(columns))
    note("Of seeds: interquartile mean, or median steps and time, with the 95 % interval. `--apart` shows each seed.")


def _columns(labels: Mapping[str, str], groups: Mapping[str, Any]) -> dict[str, str]:
    """In the order of the first run of each. ``groups``: by run id."""
    columns = {}
    for run_id, label in labels.items():
        group = groups.get(run_id)
        columns[group["group_id"] if group else run_id] = group["title"] if group else label
    return columns


def _write_video(connection: Connection, run_ids: Sequence[str], video: Path, as_json: bool) -> None:
    from rlviz.cli.files import replace_file, say_written

    if len(run_ids) != 2:
        raise Failure(Exit.BAD_INPUT, f"--video is of two runs; got {len(run_ids)}.")
    query = {"first": run_ids[0], "second": run_ids[1]}
    with waiting("Putting the videos side by side"):
        answer = connection.request("GET", "/compare/video", params=query, timeout=_VIDEO_SECONDS)
        replace_file(video, lambda file: file.write(answer.content))
    say_written(video, as_json)


def _of_run(figure: Any, run_id: str) -> str:
    value = number(figure["values"].get(run_id))
    return f"{value} *" if figure["best"] == run_id else value


def _of_seeds(figure: Any) -> str:
    """``480.2 [475.1, 488.0], 4 of 5``."""
    interval = "" if figure["low"] is None else f" [{number(figure['low'])}, {number(figure['high'])}]"
    few = "" if figure["count"] == figure["seeds"] else f", {figure['count']} of {figure['seeds']}"
    return f"{number(figure['value'])}{interval}{few}"


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
