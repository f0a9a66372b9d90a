"""The command ``recording``: choose how much of a run is recorded."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from rlviz.cli.options import AsJson, RunName, connected, examples, find_run
from rlviz.cli.output import print_json, print_table, say


class Choice(StrEnum):
    OFF = "off"
    MINIMAL = "minimal"
    STANDARD = "standard"
    FULL = "full"
    FAMILY = "family"


def register(app: typer.Typer) -> None:
    app.command(epilog=examples("rlviz recording last", "rlviz recording last full", "rlviz recording last family"))(
        recording
    )


def recording(
    context: typer.Context,
    run: RunName,
    detail: Annotated[
        Choice | None,
        typer.Argument(
            metavar="DETAIL",
            help="`family` for the default of its environment family; without one, show the current choice.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Choose how much of a run is recorded. This works while it trains. Without DETAIL, show the current
    choice and its cost."""
    with connected(context) as connection:
        path = f"/runs/{find_run(connection, run)}/recording"
        if detail is None:
            found = connection.get(path)
        else:
            chosen = None if detail is Choice.FAMILY else detail.value
            found = connection.request("PUT", path, json={"detail": chosen}).json()
    if as_json:
        print_json(found)
        return
    rows = [
        ("*" if level["detail"] == found["detail"] else "", level["detail"], level["keeps"])
        for level in found["levels"]
    ]
    print_table(("", "DETAIL", "KEEPS"), rows, keep=2)
    say(_cost(found))


def _cost(found: dict[str, Any]) -> str:
    most = f"above {found['most_cost']:.0%} of training time, the detail is reduced"
    if found["lowered"] is not None:
        lowered = found["lowered"]
        return (
            f"Reduced from {lowered['before']} at step {found['lowered_at']}, since it took "
            f"{lowered['cost']:.1%}; {most}."
        )
    return f"Its cost is not known yet; {most}." if found["cost"] is None else f"It took {found['cost']:.1%}; {most}."
