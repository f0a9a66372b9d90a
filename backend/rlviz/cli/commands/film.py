"""Commands on saved policies and videos of them: film list, clip, growth."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from rlviz.cli.connection import Connection
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AsJson, RunName, Sample, connected, examples, find_run
from rlviz.cli.output import counted, note, number, print_json, print_table, say, waiting
from rlviz.cli.waiting import POLL_SECONDS
from rlviz.domain.byte_text import byte_text

Seed = Annotated[int | None, typer.Option(help="Seed of each episode.", show_default="1000000")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Also write the video to this file.")]


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Saved policies of a run, and videos of them.", no_args_is_help=True)
    group.command("list", epilog=examples("rlviz film list last"))(list_)
    group.command(epilog=examples("rlviz film clip last --step 20000 --output then.mp4"))(clip)
    group.command(epilog=examples("rlviz film growth last --output growth.mp4"))(growth)
    app.add_typer(group, name="film")


def list_(context: typer.Context, run: RunName, as_json: AsJson = False) -> None:
    """List the saved policies of a run, by step."""
    with connected(context) as connection:
        found = connection.get(f"/runs/{find_run(connection, run)}/policies")
    if as_json:
        print_json(found)
        return
    rows = [(str(one["step"]), ", ".join(one["kinds"]), byte_text(one["size_bytes"])) for one in found["policies"]]
    if rows:
        print_table(("STEP", "KEPT AS", "SIZE"), rows, keep=2)
    else:
        say("It has saved no policy yet.")


def clip(
    context: typer.Context,
    run: RunName,
    step: Annotated[int, typer.Option(help="Use the newest policy that was saved at this step or before.")],
    seed: Seed = None,
    sample: Sample = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Film one episode with the policy of a step."""
    _film(context, run, "clips", {"step": step}, seed, sample, output, as_json)


def growth(
    context: typer.Context,
    run: RunName,
    seed: Seed = None,
    sample: Sample = None,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Film how a run has learned: its first to its newest policy play the same episode."""
    _film(context, run, "growth-video", {}, seed, sample, output, as_json)


def _film(
    context: typer.Context,
    run: str,
    what: str,
    body: dict[str, Any],
    seed: int | None,
    sample: bool | None,
    output: Path | None,
    as_json: bool,
) -> None:
    from rlviz.cli.files import check_target, replace_file

    if output is not None:
        check_target("mp4", output, terminal=False)
    given = {"greedy": None if sample is None else not sample, "seed": seed}
    wanted = {**body, **{name: value for name, value in given.items() if value is not None}}
    with connected(context) as connection:
        run_id = find_run(connection, run)
        film = _wait_until_ready(connection, run_id, connection.post(f"/runs/{run_id}/{what}", wanted))
        if output is not None:
            content = connection.download(film["video_url"])
            replace_file(output, lambda file: file.write(content))
        there = connection.settings.runs_dir / run_id / film["video"]["file"]
    if as_json:
        print_json(film)
        return
    for episode in film["episodes"]:
        end = "" if not episode["cut"] else " (cut off)"
        length = counted(episode["episode_length"], "step") + end
        say(f"step {episode['step']}: return {number(episode['episode_return'])} in {length}")
    note(f"{output or there}: {film['video']['duration']:.1f} s, {byte_text(film['video']['size_bytes'])}")


def _wait_until_ready(connection: Connection, run_id: str, film: dict[str, Any]) -> dict[str, Any]:
    """Wait until the video is ready and return the film. Raises Failure if it cannot be filmed."""
    with waiting("Filming"):
        while film["status"] == "waiting":
            time.sleep(POLL_SECONDS)
            film = connection.get(f"/runs/{run_id}/clips/{film['id']}")
    if film["status"] != "ready":
        raise Failure(Exit.FAILED, f"It could not be filmed: {film['cause'] or film['status']}")
    return film
