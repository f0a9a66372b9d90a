"""Commands on the user's own presets: list, delete. ``rlviz experiment keep`` creates them."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AsJson, Yes, ask_first, connected, examples, unknown_name_text
from rlviz.cli.output import number, print_json, print_table, say

Preset = Annotated[
    str, typer.Argument(metavar="PRESET", help="Id of the preset, such as `own-steady-pendulum`, or its title.")
]


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Your own presets, saved from experiments.", no_args_is_help=True)
    group.command("list", epilog=examples("rlviz preset list", "rlviz preset list --json"))(list_)
    group.command(
        epilog=examples("rlviz preset delete own-steady-pendulum", "rlviz preset delete 'Steady Pendulum' --yes")
    )(delete)
    app.add_typer(group, name="preset")


def list_(context: typer.Context, as_json: AsJson = False) -> None:
    """List your own presets, by title."""
    with connected(context) as connection:
        found = connection.get("/presets")
    if as_json:
        print_json(found)
    elif not found:
        say("You have no presets yet. Save one with `rlviz experiment keep EXPERIMENT VARIANT TITLE`.")
    else:
        print_table(("PRESET", "ENVIRONMENT", "ALGORITHM", "RETURN", "SEEDS", "TITLE"), map(_row, found), keep=1)


def delete(context: typer.Context, preset: Preset, yes: Yes = False, as_json: AsJson = False) -> None:
    """Delete one of your presets for good. Runs that used it keep their values."""
    with connected(context) as connection:
        own = {one["id"]: one["title"].lower() for one in connection.get("/presets")}
        preset_id = next((one for one, title in own.items() if preset == one or preset.lower() == title), None)
        if preset_id is None:
            raise Failure(Exit.NOT_FOUND, unknown_name_text("preset of your own", preset, own, "rlviz preset list"))
        ask_first(f"Delete the preset {preset_id} for good?", yes)
        connection.request("DELETE", f"/presets/{preset_id}")
    if as_json:
        print_json({"deleted": preset_id})
    else:
        say(f"{preset_id} is deleted. Runs that used it keep their values.")


def _row(preset: dict[str, Any]) -> tuple[str, ...]:
    measured = preset["measured"] or {}
    return (
        preset["id"],
        preset["environment"],
        preset["algorithm"],
        number(measured.get("return_iqm")),
        str(measured.get("seeds", "–")),
        preset["title"],
    )
