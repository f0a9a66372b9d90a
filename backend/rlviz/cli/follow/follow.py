"""Following a run: live figures on a terminal, with keys; plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rlviz.cli.connection import Connection
from rlviz.cli.delivering import say_who_delivers, see_delivered
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.follow import screen
from rlviz.cli.output import is_terminal, note, say
from rlviz.cli.waiting import AT_REST, ENDED, say_how_it_ended, say_that_it_goes_on, wait_for_run

if TYPE_CHECKING:
    from rich.console import Group

POLL_SECONDS = 0.25
LINE_SECONDS = 2.0
"""Seconds between two plain lines, at least."""

_ASK = "Ctrl-C: p pause it · s stop it · l leave it training · any other key goes on"
_ASK_PAUSED = "Ctrl-C: p go on with it · l leave it paused · any other key stays here"
_HELP = "p pauses, or goes on; e plays five fresh episodes; s stops it, and saves its policy; q leaves it."


class Followed:
    """A run, its events and what came of keys, as the service tells them; asked anew by ``look``."""

    def __init__(self, connection: Connection, run_id: str) -> None:
        self._connection = connection
        self.run_id = run_id
        self.run: dict[str, Any] = {}
        self.events: list[dict[str, Any]] = []
        self.message = ""
        self._evaluation: str | None = None

    def look(self) -> None:
        before = self.run.get("last_event")
        self.run = self._connection.get(f"/runs/{self.run_id}")
        if self.run["last_event"] != before or not self.events:
            self.events = self._connection.get(f"/runs/{self.run_id}/events")["events"]
        if self._evaluation is not None:
            self._look_at_evaluation(self._evaluation)

    @property
    def has_ended(self) -> bool:
        return self.run["status"] in ENDED

    @property
    def is_paused(self) -> bool:
        return bool(self.run["status"] == "paused")

    def press(self, key: str) -> None:
        """Do what ``key`` stands for; a refusal becomes the message."""
        paused = self.is_paused
        actions: dict[str, Callable[[], None]] = {
            "p": lambda: self._ask("resume" if paused else "pause", {} if paused else None),
            "s": lambda: self._ask("stop"),
            "e": self._evaluate,
            "?": lambda: self._say(_HELP),
        }
        try:
            actions.get(key, lambda: None)()
        except Failure as error:
            if error.status is Exit.UNREACHABLE:
                raise
            self._say(str(error))

    def _ask(self, what: str, body: dict[str, Any] | None = None) -> None:
        asked = self._connection.post(f"/runs/{self.run_id}/{what}", body)
        self._say(f"It is {asked['status']} already." if asked["status"] in AT_REST else f"Asked to {what}.")

    def _evaluate(self) -> None:
        self._evaluation = self._connection.post(f"/runs/{self.run_id}/evaluations", {"episodes": 5})["id"]
        self._say("Evaluating.")

    def _look_at_evaluation(self, evaluation_id: str) -> None:
        found = self._connection.get(f"/runs/{self.run_id}/evaluations")
        evaluation = next((item for item in found if item["id"] == evaluation_id), None)
        if evaluation is None or evaluation["status"] == "failed":
            self._say(f"The evaluation failed: {evaluation['cause'] if evaluation else 'it is gone'}")
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
    """Show a run until it ends, or until the user leaves. Raises Failure if it failed or was interrupted."""
    followed = Followed(connection, run_id)
    followed.look()
    on_a_terminal = is_terminal() and is_terminal(sys.stdin)
    if _on_a_terminal(followed) if on_a_terminal else _as_lines(connection, followed):
        see_delivered(connection, [run_id])
        say_how_it_ended(followed.run)
    else:
        say_who_delivers(connection, run_id)
        if followed.is_paused:
            note(f"{run_id} stays paused. `rlviz resume {run_id} --follow` goes on with it.")
        else:
            say_that_it_goes_on(run_id)


def _on_a_terminal(followed: Followed) -> bool:
    """Returns whether the run ended while it was shown."""
    from rich.console import Console
    from rich.live import Live

    from rlviz.cli.follow.keys import pressed_keys

    console = Console()
    with pressed_keys() as keys, Live(console=console, auto_refresh=False, transient=True) as live:
        while not followed.has_ended:
            try:
                live.update(_drawn(followed, console.width), refresh=True)
                key = keys.read(POLL_SECONDS)
                if key == "q":
                    return False
                followed.press(key)
                followed.look()
            except KeyboardInterrupt:
                followed.message = _ASK_PAUSED if followed.is_paused else _ASK
                live.update(_drawn(followed, console.width), refresh=True)
                answer = keys.read(60)
                followed.message = ""
                if answer == "l":
                    return False
                followed.press(answer if answer in ("p", "s") else "")
    return True


def _drawn(followed: Followed, columns: int) -> Group:
    from rich.console import Group
    from rich.text import Text

    drawn = screen.lines(followed.run, followed.events, columns, followed.message)
    return Group(*(Text(line.text, style=line.style, no_wrap=True, overflow="crop") for line in drawn))


def _as_lines(connection: Connection, followed: Followed) -> bool:
    """Print a line now and then, and each event. Ctrl-C does what RLVIZ_ON_EXIT says."""
    shown, next_line = 0, 0.0
    try:
        while True:
            for event in followed.events:
                if event["seq"] > shown:
                    shown = event["seq"]
                    say(screen.event_line(event))
            now = time.monotonic()
            if now >= next_line or followed.has_ended:
                next_line = now + LINE_SECONDS
                say(screen.plain(followed.run))
            sys.stdout.flush()
            if followed.has_ended:
                return True
            time.sleep(POLL_SECONDS)
            followed.look()
    except KeyboardInterrupt:
        _end_as_settings_say(connection, followed)
        raise


def _end_as_settings_say(connection: Connection, followed: Followed) -> None:
    """A run of another service goes on; one that only this command serves is paused, stopped or left, as at the end of
    the app."""
    what = connection.settings.on_exit
    if not connection.is_own or what == "leave" or followed.run["status"] in AT_REST:
        return
    connection.post(f"/runs/{followed.run_id}/{what}")
    run = wait_for_run(connection, followed.run_id, AT_REST, f"Waiting for {followed.run_id} to {what}")
    note(f"{run['id']} is {run['status']} at step {run['step']}. `rlviz resume {run['id']}` goes on with it.")
