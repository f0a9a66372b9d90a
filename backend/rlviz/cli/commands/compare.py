"""The command ``compare``: compare runs side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
    apart: Annotated[bool, typer.Option("--apart", help="Show each seed of a group separately.")] = False,
    video: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Instead of comparing, write the newest videos of two runs side by side, as MP4."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare the results and settings of runs. The command also tells which run is better, if the data show it."""
    with connected(context) as connection:
        run_ids = [find_run(connection, run) for run in runs]
        if video is not None:
            _write_video(connection, run_ids, video, as_json)
            return
        if len(set(run_ids)) < 2:
            raise Failure(Exit.BAD_INPUT, f"Name at least two runs. `rlviz status {run_ids[0]}` shows one.")
        compared = connection.get("/compare", runs=",".join(run_ids), threshold=threshold, window=window)
    if as_json:
        print_json(compared)
        return
    columns = list(_columns(compared, () if apart else compared["seeds"]))
    _print_figures(compared["figures"], columns)
    if compared["config_diff"]:
        say()
        different = [
            (one["path"].lstrip("/"), *(_setting(one, column) for column in columns)) for one in compared["config_diff"]
        ]
        print_table(("SETTING", *(column.title for column in columns)), different, keep=1 + len(columns))
    if compared["verdict"]:
        say(f"\n{compared['verdict']['headline']}")
        for line in (*compared["verdict"]["why"], *compared["verdict"]["cautions"]):
            say(f"  {line}")


@dataclass(frozen=True)
class _Column:
    """A column of the table: a run, or all seeds with the same settings. ``key``: the id of the run or group."""

    key: str
    title: str
    run_ids: Sequence[str]


def _columns(compared: Any, groups: Sequence[Any]) -> Iterator[_Column]:
    """Return the columns, in the order of their first runs."""
    group_of = {run_id: group for group in groups for run_id in group["run_ids"]}
    for run in compared["runs"]:
        run_id = run["run"]["id"]
        group = group_of.get(run_id)
        if group is None:
            yield _Column(run_id, run["label"], (run_id,))
        elif group["run_ids"][0] == run_id:
            yield _Column(group["group_id"], group["title"], group["run_ids"])


def _print_figures(figures: Sequence[Any], columns: Sequence[_Column]) -> None:
    """Print the results of each column, and which run is best and why.

    With seeds grouped, no single run is called best, since it may only have been lucky.
    """
    titles = [column.title for column in columns]
    if any(len(column.run_ids) > 1 for column in columns):
        rows = [(one["title"], *(_figure(one, column) for column in columns)) for one in figures]
        print_table(("FIGURE", *titles), rows, keep=1 + len(columns))
        note(
            "For groups of seeds: interquartile mean, or median steps and time, with the 95 % interval. `--apart` "
            "shows each seed."
        )
        return
    rows = [(one["title"], *(_mark_best(one, column) for column in columns), one["reason"]) for one in figures]
    print_table(("FIGURE", *titles, "WHY"), rows, keep=1 + len(columns))


def _mark_best(figure: Any, column: _Column) -> str:
    return _figure(figure, column) + (" *" if figure["best"] == column.key else "")


def _write_video(connection: Connection, run_ids: Sequence[str], video: Path, as_json: bool) -> None:
    from rlviz.cli.files import replace_file, say_written

    if len(run_ids) != 2:
        raise Failure(Exit.BAD_INPUT, f"--video needs exactly two runs, not {len(run_ids)}.")
    query = {"first": run_ids[0], "second": run_ids[1]}
    with waiting("Combining the videos"):
        answer = connection.request("GET", "/compare/video", params=query, timeout=_VIDEO_SECONDS)
        replace_file(video, lambda file: file.write(answer.content))
    say_written(video, as_json)


def _figure(figure: Any, column: _Column) -> str:
    """Return a result of a run or of seeds, such as ``480.2 [475.1, 488], 4 of 5``."""
    if len(column.run_ids) == 1:
        return number(figure["values"].get(column.key))
    seeds = figure["groups"][column.key]
    interval = "" if seeds["low"] is None else f" [{number(seeds['low'])}, {number(seeds['high'])}]"
    few = "" if seeds["count"] == seeds["seeds"] else f", {seeds['count']} of {seeds['seeds']}"
    return f"{number(seeds['value'])}{interval}{few}"


def _setting(difference: Any, column: _Column) -> str:
    """Return all values that the seeds of a column have."""
    return ", ".join(dict.fromkeys(_shown(difference["values"].get(run_id, "–")) for run_id in column.run_ids))


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
