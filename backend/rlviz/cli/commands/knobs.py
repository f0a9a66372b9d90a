"""The command ``set``: change hyperparameters while a run trains."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rlviz.cli.options import AsJson, RunName, connected, examples, find_run
from rlviz.cli.output import number, print_json, print_table
from rlviz.cli.rule_text import parse_change


def register(app: typer.Typer) -> None:
    app.command(
        "set",
        epilog=examples("rlviz set last", "rlviz set last learning_rate=1e-4", "rlviz set last 'ent_coef*=0.5'"),
    )(set_)


def set_(
    context: typer.Context,
    run: RunName,
    changes: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=VALUE", help="NAME=VALUE, or NAME*=FACTOR; without one, show the current values."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change hyperparameters of a run while it trains. Without changes, show which ones can be changed.

    A change takes effect from the next rollout.
    """
    wanted = [
        parse_change(change, f"A change is NAME=VALUE or NAME*=FACTOR, for instance gamma=0.98, not {change!r}.")
        for change in changes or ()
    ]
    with connected(context) as connection:
        path = f"/runs/{find_run(connection, run)}/knobs"
        changed = connection.request("PATCH", path, json={"changes": wanted}) if wanted else None
        found = connection.get(path) if changed is None else changed.json()
    if as_json:
        print_json(found)
        return
    rows = [(knob["name"], _value(knob), _waiting(knob), _bounds(knob), knob["label"]) for knob in found["knobs"]]
    print_table(("NAME", "VALUE", "WAITING", "FROM … TO", "IS"), rows, keep=3)


def _value(knob: dict[str, Any]) -> str:
    value = number(knob["changed"]["after"] if knob["changed"] else knob["configured"])
    return f"{value} (schedule)" if knob["follows_schedule"] else value


def _waiting(knob: dict[str, Any]) -> str:
    waiting = [f"× {number(one['factor'])}" if "factor" in one else number(one["value"]) for one in knob["waiting"]]
    return ", ".join(waiting) or "–"


def _bounds(knob: dict[str, Any]) -> str:
    above = "above " if knob["excludes_minimum"] else ""
    return f"{above}{number(knob['minimum'])} … {number(knob['maximum'])}"
