"""Follow a run or an experiment in a terminal until it ends.

On a terminal, ``follow_run`` and ``follow_experiment`` draw a live view that reacts to single keys; elsewhere they
print a line for each change. ``run_lines`` and ``trial_lines`` compute the view as lines of text for any width.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from rlviz.cli.connection import Connection
from rlviz.cli.delivering import explain_deliveries, wait_for_deliveries
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.output import (
    clock,
    duration,
    is_terminal,
    note,
    number,
    print_json,
    progress,
    say,
    score_text,
    solved_words,
    sparkline,
    steps_text,
    waiting,
)
from rlviz.cli.waiting import AT_REST, ENDED, note_run_continues, print_outcome, wait_for_run
from rlviz.cli.waiting import POLL_SECONDS as WAIT_SECONDS
from rlviz.domain.plain_text import one_line
from rlviz.stats.number_text import percent

if TYPE_CHECKING:
    from rich.console import Group


class Keys:
    """Reads key presses. ``read`` waits up to ``seconds`` and returns an empty string if no key was pressed."""

    def read(self, seconds: float) -> str:
        import select

        ready, _, _ = select.select([sys.stdin], [], [], seconds)
        return os.read(sys.stdin.fileno(), 1).decode(errors="replace") if ready else ""


class WindowsKeys(Keys):
    def read(self, seconds: float) -> str:
        import importlib
        import time

        msvcrt = importlib.import_module("msvcrt")  # exists only on Windows
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if msvcrt.kbhit():
                return str(msvcrt.getwch())
            time.sleep(0.02)
        return ""


@contextmanager
def pressed_keys() -> Iterator[Keys]:
    """Read single keys without echo within the block, and restore the terminal afterwards."""
    if sys.platform == "win32":
        yield WindowsKeys()
        return
    import termios
    import tty

    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor)
    try:
        yield Keys()
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


RUN_KEYS = "p pause · e evaluate · s stop · q quit, keep training"
_KEYS_PAUSED = "p resume · e evaluate · q quit, keep paused"
_KEYS_NARROW = "p e s q, ? for help"
_KEYS_PAUSED_NARROW = "p e q, ? for help"
_NARROW = 60
_EVENTS = 5
_MOST_LINES = 4
"""Maximum length of a cause in the view; the complete cause is printed at the end."""

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
    """A line of the view, with control characters escaped. ``style`` (a colour, dim or bold) only decorates it."""

    text: str
    style: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", one_line(self.text))


def run_lines(run: dict[str, Any], events: Sequence[dict[str, Any]], columns: int, message: str = "") -> list[Line]:
    """Return the view of a run. ``message``: the result of the last key press."""
    drawn = [
        Line(f"{run['id']}", "bold"),
        Line(f"{run['status']}{_place(run)} · {run['algo']} on {run['env_id']}, seed {run['seed']}", _style(run)),
        Line(progress_bar(run["step"], run["end_step"], columns) if run["end_step"] else f"step {run['step']}"),
        *_figures(run, columns),
    ]
    if spark := sparkline(run["sparkline"], max(columns - 10, 10)):
        drawn.append(Line(f"return {spark}", "cyan"))
    drawn += [Line(text, "red") for text in wrap(run["cause"] or "", columns)[:_MOST_LINES]]
    drawn += [Line(_event(event), STYLES.get(event["level"], "dim")) for event in events[-_EVENTS:]]
    drawn += [Line(text, "bold") for text in wrap(message, columns)]
    wide, narrow = (_KEYS_PAUSED, _KEYS_PAUSED_NARROW) if run["status"] == "paused" else (RUN_KEYS, _KEYS_NARROW)
    drawn.append(Line(wide if columns >= _NARROW else narrow, "dim"))
    return [Line(line.text[:columns], line.style) for line in drawn]


def progress_bar(step: int, end_step: int, columns: int) -> str:
    """Return a progress bar, exactly ``columns`` wide if that is 20 or more."""
    share = min(step / end_step, 1.0) if end_step else 0.0
    counted = f" {percent(share):>4} {step}/{end_step}"
    room = max(columns - len(counted), 1)
    full = round(share * room)
    return "█" * full + "░" * (room - full) + counted


def run_line(run: dict[str, Any]) -> str:
    """Return the state of a run as one line for a log."""
    return (
        f"{run['status']:11} step {steps_text(run)}  return {number(run['ep_rew_mean'])}  "
        f"length {number(run['ep_len_mean'])}  episodes {run['episodes']}  {number(run['fps'])} steps/s"
    )


def event_line(event: dict[str, Any]) -> str:
    """Return an event as a line, such as ``12:00:01  step 2048  checkpoint: Saved …``."""
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


POLL_SECONDS = 0.25
LINE_SECONDS = 2.0
"""Minimum seconds between two plain lines."""

_ASK = "Ctrl-C: p pause it · s stop it · l leave it training · any other key continues"
_ASK_PAUSED = "Ctrl-C: p resume it · l leave it paused · any other key stays here"
_HELP = "p pauses or resumes; e plays five new episodes; s stops it and saves its policy; q quits the view."


class Followed:
    """A run with its events and the result of key presses. ``refresh`` reads them from the service again."""

    def __init__(self, connection: Connection, run_id: str) -> None:
        self._connection = connection
        self.run_id = run_id
        self.run: dict[str, Any] = {}
        self.events: list[dict[str, Any]] = []
        self.message = ""
        self._evaluation: str | None = None

    def refresh(self) -> None:
        before = self.run.get("last_event")
        self.run = self._connection.get(f"/runs/{self.run_id}")
        if self.run["last_event"] != before or not self.events:
            self.events = self._connection.get(f"/runs/{self.run_id}/events")["events"]
        if self._evaluation is not None:
            self._check_evaluation(self._evaluation)

    @property
    def has_ended(self) -> bool:
        return self.run["status"] in ENDED

    @property
    def is_paused(self) -> bool:
        return bool(self.run["status"] == "paused")

    def press(self, key: str) -> None:
        """Run the action of ``key``. A refused request becomes the message."""
        paused = self.is_paused
        actions: dict[str, Callable[[], None]] = {
            "p": lambda: self._request("resume" if paused else "pause", {} if paused else None),
            "s": lambda: self._request("stop"),
            "e": self._evaluate,
            "?": lambda: self._say(_HELP),
        }
        try:
            actions.get(key, lambda: None)()
        except Failure as error:
            if error.status is Exit.UNREACHABLE:
                raise
            self._say(str(error))

    def _request(self, what: str, body: dict[str, Any] | None = None) -> None:
        asked = self._connection.post(f"/runs/{self.run_id}/{what}", body)
        self._say(f"It is already {asked['status']}." if asked["status"] in AT_REST else f"Requested: {what}.")

    def _evaluate(self) -> None:
        self._evaluation = self._connection.post(f"/runs/{self.run_id}/evaluations", {"episodes": 5})["id"]
        self._say("Evaluating.")

    def _check_evaluation(self, evaluation_id: str) -> None:
        found = self._connection.get(f"/runs/{self.run_id}/evaluations")
        evaluation = next((item for item in found if item["id"] == evaluation_id), None)
        if evaluation is None or evaluation["status"] == "failed":
            self._say(f"The evaluation failed: {evaluation['cause'] if evaluation else 'it was deleted'}")
        elif evaluation["status"] == "completed":
            returns = evaluation["summary"]["episode_return"]
            step = evaluation["checkpoint_step"]
            self._say(f"Evaluated at step {step}: return {returns['mean']:.1f} ± {returns['std']:.1f}")
        else:
            self._say(f"Evaluating: {evaluation['episodes_done']} of {evaluation['episodes']} episodes")
            return
        self._evaluation = None

    def _say(self, message: str) -> None:
        self.message = message


def follow_run(connection: Connection, run_id: str) -> None:
    """Show a run until it ends or the user quits. Raises Failure if it failed or was interrupted."""
    followed = Followed(connection, run_id)
    followed.refresh()
    on_a_terminal = is_terminal() and is_terminal(sys.stdin)
    if _follow_on_terminal(followed) if on_a_terminal else _follow_as_lines(connection, followed):
        wait_for_deliveries(connection, [run_id])
        print_outcome(followed.run)
    else:
        explain_deliveries(connection, run_id)
        if followed.is_paused:
            note(f"{run_id} stays paused. To resume it: `rlviz resume {run_id} --follow`")
        else:
            note_run_continues(run_id)


def _follow_on_terminal(followed: Followed) -> bool:
    """Draw the live view. Returns whether the run ended while it was shown."""
    from rich.console import Console
    from rich.live import Live

    console = Console()
    with pressed_keys() as keys, Live(console=console, auto_refresh=False, transient=True) as live:
        while not followed.has_ended:
            try:
                live.update(_draw_run(followed, console.width), refresh=True)
                key = keys.read(POLL_SECONDS)
                if key == "q":
                    return False
                followed.press(key)
                followed.refresh()
            except KeyboardInterrupt:
                followed.message = _ASK_PAUSED if followed.is_paused else _ASK
                live.update(_draw_run(followed, console.width), refresh=True)
                answer = keys.read(60)
                followed.message = ""
                if answer == "l":
                    return False
                followed.press(answer if answer in ("p", "s") else "")
    return True


def _draw_run(followed: Followed, columns: int) -> Group:
    from rich.console import Group
    from rich.text import Text

    drawn = run_lines(followed.run, followed.events, columns, followed.message)
    return Group(*(Text(line.text, style=line.style, no_wrap=True, overflow="crop") for line in drawn))


def _follow_as_lines(connection: Connection, followed: Followed) -> bool:
    """Print a line every few seconds, and each event. Ctrl-C follows RLVIZ_ON_EXIT."""
    shown, next_line = 0, 0.0
    try:
        while True:
            for event in followed.events:
                if event["seq"] > shown:
                    shown = event["seq"]
                    say(event_line(event))
            now = time.monotonic()
            if now >= next_line or followed.has_ended:
                next_line = now + LINE_SECONDS
                say(run_line(followed.run))
            sys.stdout.flush()
            if followed.has_ended:
                return True
            time.sleep(POLL_SECONDS)
            followed.refresh()
    except KeyboardInterrupt:
        _apply_on_exit(connection, followed)
        raise


def _apply_on_exit(connection: Connection, followed: Followed) -> None:
    """Apply RLVIZ_ON_EXIT (pause, stop or leave) to a run that only this command serves. Other runs continue."""
    what = connection.settings.on_exit
    if not connection.is_own or what == "leave" or followed.run["status"] in AT_REST:
        return
    connection.post(f"/runs/{followed.run_id}/{what}")
    run = wait_for_run(connection, followed.run_id, AT_REST, f"Waiting for {followed.run_id} to {what}")
    note(f"{run['id']} is {run['status']} at step {run['step']}. To resume it: `rlviz resume {run['id']}`")


TRIAL_KEYS = "s stop and pause its runs · q quit, keep training"
_KEYS_STOPPED = "r resume · q quit, keep stopped"
_MOST_CAUSES = 10
_UNDER_WAY = ("training", "paused", "scoring")


def trial_lines(experiment: dict[str, Any], columns: int, rows: int, message: str = "") -> list[Line]:
    """Return the view of an experiment in at most ``rows`` lines. ``message``: the result of the last key press."""
    head = [
        Line(f"{experiment['id']}  {experiment['name']}", "bold"),
        Line(f"{experiment['status']} · {progress_text(experiment)}", STYLES.get(experiment["status"], "")),
        Line(progress_bar(round(experiment["progress"] * experiment["trials"]), experiment["trials"], columns)),
    ]
    if said := experiment["problem"] or experiment["cause"]:
        colour = "red" if experiment["status"] == "failed" else "yellow"
        head += [Line(text, colour) for text in wrap(said, columns)[:_MOST_LINES]]
    foot = [Line(text, "bold") for text in wrap(message, columns)]
    foot.append(Line(_KEYS_STOPPED if experiment["status"] == "stopped" else TRIAL_KEYS, "dim"))
    room = max(rows - len(head) - len(foot) - 1, 1)
    return [Line(line.text[:columns], line.style) for line in [*head, *_variants(experiment, room), *foot]]


def progress_text(experiment: dict[str, Any]) -> str:
    """Return the progress, such as ``3 of 10 trials scored, 1 failed · 2 min left · 35 core-seconds``."""
    counts = experiment["counts"]
    done = [f"{counts.get('scored', 0)} of {experiment['trials']} trials scored"]
    done += [f"{counts[status]} {status}" for status in ("failed", "pruned", "skipped") if counts.get(status)]
    left = experiment["seconds_left"]
    parts = [", ".join(done), *([f"{duration(left)} left"] if left is not None else [])]
    return " · ".join([*parts, f"{experiment['core_seconds']:.0f} core-seconds"])


def trial_text(cell: dict[str, Any]) -> str:
    """Return a trial as a word: its score, its progress, or its status."""
    if cell["status"] == "scored":
        return score_text(cell["score"])
    if cell["status"] in ("training", "paused"):
        return percent(cell["progress"]) + (" paused" if cell["status"] == "paused" else "")
    return str(cell["status"])


def trial_line(experiment: dict[str, Any], cell: dict[str, Any]) -> str:
    """Return a trial as one line for a log, such as ``trial-3, seed 0: scored 195.0``."""
    label = next(one["label"] for one in experiment["variants"] if one["id"] == cell["variant"])
    score = f" {score_text(cell['score'])}" if cell["status"] == "scored" else ""
    cause = f": {cell['cause']}" if cell["cause"] else ""
    return f"{label}, seed {cell['seed']}: {cell['status']}{score}{cause}"


def cause_lines(experiment: dict[str, Any]) -> list[str]:
    """Return why trials failed or wait, each cause once, such as ``PPO, seed 0, 2: The disk is full …``"""
    labels = {one["id"]: one["label"] for one in experiment["variants"]}
    trials: dict[tuple[str, str], list[int]] = {}
    for cell in experiment["cells"]:
        if cell["cause"] and cell["status"] not in ("scored", "pruned", "skipped"):
            trials.setdefault((labels[cell["variant"]], cell["cause"]), []).append(cell["seed"])
    lines = [f"{label}, seed {', '.join(map(str, seeds))}: {cause}" for (label, cause), seeds in trials.items()]
    left = len(lines) - _MOST_CAUSES
    return lines if left <= 0 else [*lines[:_MOST_CAUSES], f"and {left} more; --json has all."]


def by_variant(experiment: dict[str, Any]) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the label of each variant with its trials."""
    return [
        (one["label"], [cell for cell in experiment["cells"] if cell["variant"] == one["id"]])
        for one in experiment["variants"]
    ]


def _variants(experiment: dict[str, Any], room: int) -> list[Line]:
    """Return a line for each variant, active ones first, then the newest. The last line counts those without room."""
    every = by_variant(experiment)
    shown = every if len(every) <= room else _select_variants(every, room - 1)
    size = min(max((len(label) for label, _ in shown), default=0), 32)
    drawn = [
        Line(f"{label[:size]:{size}}  " + "  ".join(f"{trial_text(cell):>8}" for cell in cells), _variant_style(cells))
        for label, cells in shown
    ]
    hidden = len(every) - len(shown)
    return [*drawn, *([Line(f"and {hidden} more", "dim")] if hidden else [])]


def _select_variants(
    every: Sequence[tuple[str, list[dict[str, Any]]]], room: int
) -> list[tuple[str, list[dict[str, Any]]]]:
    def rank(place: int) -> tuple[bool, int]:
        return any(cell["status"] in _UNDER_WAY for cell in every[place][1]), place

    return [every[place] for place in sorted(sorted(range(len(every)), key=rank)[-room:])] if room > 0 else []


def _variant_style(cells: Sequence[dict[str, Any]]) -> str:
    statuses = {cell["status"] for cell in cells}
    if "failed" in statuses:
        return "red"
    return "green" if statuses & set(_UNDER_WAY) else "" if "scored" in statuses else "dim"


OVER = frozenset({"completed", "failed"})
PARTS = 1_000
"""Parts into which the progress of an experiment is divided."""
_SHOWN = frozenset({"training", "scored", "failed", "pruned"})


def wait_for_experiment(connection: Connection, experiment_id: str, what: str) -> dict[str, Any]:
    """Wait until the experiment has ended or is stopped; return it."""
    with _leaving_on_ctrl_c(connection, experiment_id), progress(what) as advance:
        while True:
            found: dict[str, Any] = connection.get(f"/experiments/{experiment_id}")
            if found["status"] != "running":
                return found
            advance(round(PARTS * found["progress"]), PARTS)
            time.sleep(WAIT_SECONDS)


def follow_experiment(connection: Connection, experiment_id: str) -> dict[str, Any]:
    """Show an experiment until it ends, is stopped elsewhere, or the user quits; return its state."""
    with _leaving_on_ctrl_c(connection, experiment_id):
        if is_terminal() and is_terminal(sys.stdin):
            return _follow_trials_on_terminal(connection, experiment_id)
        return _follow_trials_as_lines(connection, experiment_id)


def attend_experiment(
    connection: Connection, experiment: dict[str, Any], follow: bool, wait: bool, as_json: bool
) -> None:
    """Follow or wait for an experiment as the flags say, and to its end if only this command serves it."""
    experiment_id: str = experiment["id"]
    if follow and not as_json:
        experiment = follow_experiment(connection, experiment_id)
    elif wait or follow or connection.is_own:
        experiment = wait_for_experiment(connection, experiment_id, f"Training {experiment_id}")
    if as_json:
        print_json(experiment)
    if experiment["status"] in OVER:
        wait_for_deliveries(connection, [cell["run_id"] for cell in experiment["cells"] if cell["run_id"]])
        print_experiment_outcome(experiment, quiet=as_json)
        return
    if connection.is_own:
        leave_experiment(connection, experiment_id)
    elif not as_json:
        say(experiment_id)
        note(f"The service trains it. To follow it: `rlviz experiment show {experiment_id} --follow`")


def print_experiment_outcome(experiment: dict[str, Any], *, quiet: bool = False) -> None:
    """Print how the experiment ended, unless ``quiet``. Raises Failure, with the cause, if it failed."""
    if not quiet:
        say(f"{experiment['id']} {experiment['status']}: {progress_text(experiment)}")
    if experiment["status"] == "failed":
        raise Failure(Exit.FAILED, f"{experiment['id']} failed: {experiment['cause']}")


@contextmanager
def _leaving_on_ctrl_c(connection: Connection, experiment_id: str) -> Iterator[None]:
    """On Ctrl-C within the block, call ``leave_experiment`` for an experiment that only this command serves."""
    try:
        yield
    except KeyboardInterrupt:
        if connection.is_own:
            leave_experiment(connection, experiment_id)
        raise


def leave_experiment(connection: Connection, experiment_id: str) -> None:
    """Stop the experiment and pause its runs before our own service ends, unless RLVIZ_ON_EXIT is leave."""
    path = f"/experiments/{experiment_id}"
    if connection.settings.on_exit != "leave" and connection.get(path)["status"] not in OVER:
        connection.post(f"{path}/stop")
        with waiting("Pausing runs"):
            while any(cell["status"] == "training" for cell in connection.get(path)["cells"]):
                time.sleep(WAIT_SECONDS)
    note(f"To resume it: `rlviz experiment resume {experiment_id} --follow`")


def _follow_trials_on_terminal(connection: Connection, experiment_id: str) -> dict[str, Any]:
    from rich.console import Console
    from rich.live import Live

    console = Console()
    message = ""
    found: dict[str, Any] = connection.get(f"/experiments/{experiment_id}")
    with pressed_keys() as keys, Live(console=console, auto_refresh=False, transient=True) as live:
        while found["status"] not in OVER:
            live.update(_draw_trials(found, console.width, console.height, message), refresh=True)
            key = keys.read(WAIT_SECONDS)
            if key == "q":
                return found
            if key in ("s", "r"):
                message = _send_action(connection, experiment_id, "stop" if key == "s" else "resume")
            found = connection.get(f"/experiments/{experiment_id}")
    return found


def _send_action(connection: Connection, experiment_id: str, what: str) -> str:
    try:
        connection.post(f"/experiments/{experiment_id}/{what}")
    except Failure as error:
        if error.status is Exit.UNREACHABLE:
            raise
        return str(error)
    return f"Requested: {what}."


def _draw_trials(experiment: dict[str, Any], columns: int, rows: int, message: str) -> Group:
    from rich.console import Group
    from rich.text import Text

    drawn = trial_lines(experiment, columns, rows, message)
    return Group(*(Text(line.text, style=line.style, no_wrap=True, overflow="crop") for line in drawn))


def _follow_trials_as_lines(connection: Connection, experiment_id: str) -> dict[str, Any]:
    """Print a line whenever a trial starts or ends, until the experiment is no longer running."""
    shown: dict[int, str] = {}
    while True:
        found: dict[str, Any] = connection.get(f"/experiments/{experiment_id}")
        for cell in found["cells"]:
            if cell["status"] in _SHOWN and shown.get(cell["trial"]) != cell["status"]:
                shown[cell["trial"]] = cell["status"]
                say(trial_line(found, cell))
        sys.stdout.flush()
        if found["status"] != "running":
            return found
        time.sleep(WAIT_SECONDS)
