"""The picture of an experiment in a terminal: a row for each variant, decided here and drawn elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from rlviz.analysis.numbers import percent
from rlviz.cli.follow.screen import STYLES, Line, bar
from rlviz.cli.output import duration, score_text

KEYS = "s stop, and pause what trains · q leave it training"
_KEYS_STOPPED = "r go on · q leave it stopped"
_MOST_LINES = 4
_MOST_CAUSES = 10
_UNDER_WAY = ("training", "paused", "scoring")


def lines(experiment: dict[str, Any], columns: int, rows: int, message: str = "") -> list[Line]:
    """An experiment as it is now, in ``rows`` lines at most; ``message``: what came of the last key."""
    head = [
        Line(f"{experiment['id']}  {experiment['name']}", "bold"),
        Line(f"{experiment['status']} · {figures(experiment)}", STYLES.get(experiment["status"], "")),
        Line(bar(round(experiment["progress"] * experiment["trials"]), experiment["trials"], columns)),
    ]
    if said := experiment["problem"] or experiment["cause"]:
        colour = "red" if experiment["status"] == "failed" else "yellow"
        head += [Line(text, colour) for text in wrap(said, columns)[:_MOST_LINES]]
    foot = [Line(text, "bold") for text in wrap(message, columns)]
    foot.append(Line(_KEYS_STOPPED if experiment["status"] == "stopped" else KEYS, "dim"))
    room = max(rows - len(head) - len(foot) - 1, 1)
    return [Line(line.text[:columns], line.style) for line in [*head, *_variants(experiment, room), *foot]]


def figures(experiment: dict[str, Any]) -> str:
    """For instance ``3 of 10 trials scored, 1 failed · 2 min left · 35 core-seconds``."""
    counts = experiment["counts"]
    done = [f"{counts.get('scored', 0)} of {experiment['trials']} trials scored"]
    done += [f"{counts[status]} {status}" for status in ("failed", "pruned", "skipped") if counts.get(status)]
    left = experiment["seconds_left"]
    parts = [", ".join(done), *([f"{duration(left)} left"] if left is not None else [])]
    return " · ".join([*parts, f"{experiment['core_seconds']:.0f} core-seconds"])


def words(cell: dict[str, Any]) -> str:
    """What one trial says: its score, how far it is, or its status."""
    if cell["status"] == "scored":
        return score_text(cell["score"])
    if cell["status"] in ("training", "paused"):
        return percent(cell["progress"]) + (" paused" if cell["status"] == "paused" else "")
    return str(cell["status"])


def trial_line(experiment: dict[str, Any], cell: dict[str, Any]) -> str:
    """One line for a log: for instance ``trial-3, seed 0: scored 195.0``."""
    label = next(one["label"] for one in experiment["variants"] if one["id"] == cell["variant"])
    score = f" {score_text(cell['score'])}" if cell["status"] == "scored" else ""
    cause = f": {cell['cause']}" if cell["cause"] else ""
    return f"{label}, seed {cell['seed']}: {cell['status']}{score}{cause}"


def cause_lines(experiment: dict[str, Any]) -> list[str]:
    """Why trials failed or wait, each cause once: for instance ``PPO, seed 0, 2: The disk is full …``"""
    labels = {one["id"]: one["label"] for one in experiment["variants"]}
    trials: dict[tuple[str, str], list[int]] = {}
    for cell in experiment["cells"]:
        if cell["cause"] and cell["status"] not in ("scored", "pruned", "skipped"):
            trials.setdefault((labels[cell["variant"]], cell["cause"]), []).append(cell["seed"])
    told = [f"{label}, seed {', '.join(map(str, seeds))}: {cause}" for (label, cause), seeds in trials.items()]
    left = len(told) - _MOST_CAUSES
    return told if left <= 0 else [*told[:_MOST_CAUSES], f"and {left} more; --json has all."]


def by_variant(experiment: dict[str, Any]) -> list[tuple[str, list[dict[str, Any]]]]:
    """The label of each variant, with its trials."""
    return [
        (one["label"], [cell for cell in experiment["cells"] if cell["variant"] == one["id"]])
        for one in experiment["variants"]
    ]


def _variants(experiment: dict[str, Any], room: int) -> list[Line]:
    """Those that are under way, and then the newest: what does not fit is counted."""
    every = by_variant(experiment)
    shown = every if len(every) <= room else _most_telling(every, room - 1)
    size = min(max((len(label) for label, _ in shown), default=0), 32)
    drawn = [
        Line(f"{label[:size]:{size}}  " + "  ".join(f"{words(cell):>8}" for cell in cells), _style(cells))
        for label, cells in shown
    ]
    hidden = len(every) - len(shown)
    return [*drawn, *([Line(f"and {hidden} more", "dim")] if hidden else [])]


def _most_telling(
    every: Sequence[tuple[str, list[dict[str, Any]]]], room: int
) -> list[tuple[str, list[dict[str, Any]]]]:
    def rank(place: int) -> tuple[bool, int]:
        return any(cell["status"] in _UNDER_WAY for cell in every[place][1]), place

    return [every[place] for place in sorted(sorted(range(len(every)), key=rank)[-room:])] if room > 0 else []


def _style(cells: Sequence[dict[str, Any]]) -> str:
    statuses = {cell["status"] for cell in cells}
    if "failed" in statuses:
        return "red"
    return "green" if statuses & set(_UNDER_WAY) else "" if "scored" in statuses else "dim"
