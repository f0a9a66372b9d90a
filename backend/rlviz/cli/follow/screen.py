"""The picture of a run in a terminal: lines of text for any width, decided here and drawn elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from rlviz.analysis.numbers import percent
from rlviz.cli.output import clock, duration, number, solved_words, sparkline, steps_text
from rlviz.domain.plain_text import one_line

KEYS = "p pause · e evaluate · s stop · q leave it training"
_KEYS_PAUSED = "p go on · e evaluate · q leave it paused"
_KEYS_NARROW = "p e s q, ? says what they do"
_KEYS_PAUSED_NARROW = "p e q, ? says what they do"
_NARROW = 60
_EVENTS = 5
_MOST_LINES = 4
"""Of a cause; the whole of it is told when the run is left."""

STYLES = {
    "running": "green",
    "completed": "cyan",
    "failed": "red",
    "interrupted": "red",
    "paused": "yellow",
    "pausing": "yellow",
    "error": "red",
    "warning": "yellow",
}


@dataclass(frozen=True)
class Line:
    """``style`` is a colour, or dim or bold; what is said never depends on it. Control characters are spelled out."""

    text: str
    style: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", one_line(self.text))


def lines(run: dict[str, Any], events: Sequence[dict[str, Any]], columns: int, message: str = "") -> list[Line]:
    """A run as it is now; ``message``: what came of the last key."""
    drawn = [
        Line(f"{run['id']}", "bold"),
        Line(f"{run['status']}{_place(run)} · {run['algo']} on {run['env_id']}, seed {run['seed']}", _style(run)),
        Line(bar(run["step"], run["end_step"], columns) if run["end_step"] else f"step {run['step']}"),
        *_figures(run, columns),
    ]
    if spark := sparkline(run["sparkline"], max(columns - 10, 10)):
        drawn.append(Line(f"return {spark}", "cyan"))
    drawn += [Line(text, "red") for text in wrap(run["cause"] or "", columns)[:_MOST_LINES]]
    drawn += [Line(_event(event), STYLES.get(event["level"], "dim")) for event in events[-_EVENTS:]]
    drawn += [Line(text, "bold") for text in wrap(message, columns)]
    wide, narrow = (_KEYS_PAUSED, _KEYS_PAUSED_NARROW) if run["status"] == "paused" else (KEYS, _KEYS_NARROW)
    drawn.append(Line(wide if columns >= _NARROW else narrow, "dim"))
    return [Line(line.text[:columns], line.style) for line in drawn]


def bar(step: int, end_step: int, columns: int) -> str:
    """Progress, exactly ``columns`` wide if that is 20 or more."""
    share = min(step / end_step, 1.0) if end_step else 0.0
    counted = f" {percent(share):>4} {step}/{end_step}"
    room = max(columns - len(counted), 1)
    full = round(share * room)
    return "█" * full + "░" * (room - full) + counted


def plain(run: dict[str, Any]) -> str:
    """One line for a log: what a terminal shows as a picture."""
    return (
        f"{run['status']:11} step {steps_text(run)}  return {number(run['ep_rew_mean'])}  "
        f"length {number(run['ep_len_mean'])}  episodes {run['episodes']}  {number(run['fps'])} steps/s"
    )


def event_line(event: dict[str, Any]) -> str:
    """For instance ``12:00:01  step 2048  checkpoint: Saved …``."""
    step = "" if event["step"] is None else f"step {event['step']}"
    level = "" if event["level"] == "info" else f"{event['level']}: "
    return f"{clock(event['time'])}  {step:14}  {level}{event['message']}"


def _figures(run: dict[str, Any], columns: int) -> list[Line]:
    has_end = run["fps"] and run["status"] == "running" and run["end_step"]
    left = (run["end_step"] - run["step"]) / run["fps"] if has_end else None
    figures = [
        f"return {number(run['ep_rew_mean'])}",
        f"best {number(run['best_moving_average'])}",
        f"length {number(run['ep_len_mean'])}",
        f"episodes {run['episodes']}",
        f"{number(run['fps'])} steps/s",
        f"{duration(left)} left",
        *([f"solved {solved_words(run)}"] if run["solved"] else []),
    ]
    filled = [figures[0]]
    for figure in figures[1:]:
        if len(filled[-1]) + len(figure) + 3 <= columns:
            filled[-1] += f" · {figure}"
        else:
            filled.append(figure)
    return [Line(line) for line in filled]


def _place(run: dict[str, Any]) -> str:
    return f" (place {run['queue_position']})" if run["queue_position"] else ""


def _style(run: dict[str, Any]) -> str:
    return STYLES.get(run["status"], "")


def _event(event: dict[str, Any]) -> str:
    step = "" if event["step"] is None else f"{event['step']}: "
    return f"{step}{event['message']}"
