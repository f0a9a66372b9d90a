"""Options that say when snapshots are taken, and how many are kept."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rlviz.cli.options import read_size

EverySteps = Annotated[
    int | None, typer.Option(help="Take a snapshot every so many steps.", show_default="by time alone")
]
EveryMinutes = Annotated[
    float | None, typer.Option(help="Take one every so many minutes; with steps too, whichever comes first.")
]
Keep = Annotated[int | None, typer.Option(help="Keep so many of the newest, and all with a name.", show_default="3")]
MaxSize = Annotated[
    str | None,
    typer.Option(help="What they may take together, for instance 500MB.", show_default="RLVIZ_SNAPSHOT_BYTES"),
]


def planned(
    every_steps: int | None, every_minutes: float | None, keep: int | None, max_size: str | None
) -> dict[str, Any]:
    """What was given, as the API takes it. Steps alone take the place of minutes, and the other way round."""
    given: dict[str, Any] = {"keep": keep, "max_bytes": None if max_size is None else read_size(max_size)}
    found = {name: value for name, value in given.items() if value is not None}
    if every_steps is not None or every_minutes is not None:
        found["every_steps"] = every_steps
        found["every_seconds"] = None if every_minutes is None else every_minutes * 60
    return found
