"""Following an experiment: a live table of its trials on a terminal, a line for each change elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rlviz.cli.connection import Connection
from rlviz.cli.delivering import see_delivered
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.follow import trial_screen
from rlviz.cli.output import is_terminal, note, print_json, progress, say, waiting
from rlviz.cli.waiting import POLL_SECONDS

if TYPE_CHECKING:
    from rich.console import Group

OVER = frozenset({"completed", "failed"})
PARTS = 1_000
"""Of an experiment, in which its progress is counted."""
_SHOWN = frozenset({"training", "scored", "failed", "pruned"})


def wait_for_experiment(connection: Connection, experiment_id: str, what: str) -> dict[str, Any]:
    """The experiment once it is over, or was stopped."""
    with _left_as_settings_say(connection, experiment_id), progress(what) as advance:
        while True:
            found: dict[str, Any] = connection.get(f"/experiments/{experiment_id}")
            if found["status"] != "running":
                return found
            advance(round(PARTS * found["progress"]), PARTS)
            time.sleep(POLL_SECONDS)


def follow_experiment(connection: Connection, experiment_id: str) -> dict[str, Any]:
    """Show an experiment until it is over, was stopped elsewhere, or the user leaves; as it is then."""
    with _left_as_settings_say(connection, experiment_id):
        if is_terminal() and is_terminal(sys.stdin):
            return _on_a_terminal(connection, experiment_id)
        return _as_lines(connection, experiment_id)


def attend(connection: Connection, begun: dict[str, Any], follow: bool, wait: bool, as_json: bool) -> None:
    """See an experiment through as the flags say; one that only this command serves until its end."""
    experiment_id: str = begun["id"]
    if follow and not as_json:
        begun = follow_experiment(connection, experiment_id)
    elif wait or follow or connection.is_own:
        begun = wait_for_experiment(connection, experiment_id, f"Training {experiment_id}")
    if as_json:
        print_json(begun)
    if begun["status"] in OVER:
        see_delivered(connection, [cell["run_id"] for cell in begun["cells"] if cell["run_id"]])
        say_how_the_experiment_ended(begun, quiet=as_json)
        return
    if connection.is_own:
        leave(connection, experiment_id)
    elif not as_json:
        say(experiment_id)
        note(f"The service trains it. `rlviz experiment show {experiment_id} --follow` shows how it does.")


def say_how_the_experiment_ended(experiment: dict[str, Any], *, quiet: bool = False) -> None:
    """One line on where it has come to, unless ``quiet``. Raises Failure, with the cause, if it failed."""
    if not quiet:
        say(f"{experiment['id']} {experiment['status']}: {trial_screen.figures(experiment)}")
    if experiment["status"] == "failed":
        raise Failure(Exit.FAILED, f"{experiment['id']} failed: {experiment['cause']}")


@contextmanager
def _left_as_settings_say(connection: Connection, experiment_id: str) -> Iterator[None]:
    """Ctrl-C within the block: an experiment of another service goes on; one that only this command serves is left as
    ``leave`` says."""
    try:
        yield
    except KeyboardInterrupt:
        if connection.is_own:
            leave(connection, experiment_id)
        raise


def leave(connection: Connection, experiment_id: str) -> None:
    """Stop it, with what trains paused, unless RLVIZ_ON_EXIT is leave: the service that is about to end is ours."""
    path = f"/experiments/{experiment_id}"
    if connection.settings.on_exit != "leave" and connection.get(path)["status"] not in OVER:
        connection.post(f"{path}/stop")
        with waiting("Pausing what trains"):
            while any(cell["status"] == "training" for cell in connection.get(path)["cells"]):
                time.sleep(POLL_SECONDS)
    note(f"`rlviz experiment resume {experiment_id} --follow` goes on with it.")


def _on_a_terminal(connection: Connection, experiment_id: str) -> dict[str, Any]:
    from rich.console import Console
    from rich.live import Live

    from rlviz.cli.follow.keys import pressed_keys

    console = Console()
    message = ""
    found: dict[str, Any] = connection.get(f"/experiments/{experiment_id}")
    with pressed_keys() as keys, Live(console=console, auto_refresh=False, transient=True) as live:
        while found["status"] not in OVER:
            live.update(_drawn(found, console.width, console.height, message), refresh=True)
            key = keys.read(POLL_SECONDS)
            if key == "q":
                return found
            if key in ("s", "r"):
                message = _directed(connection, experiment_id, "stop" if key == "s" else "resume")
            found = connection.get(f"/experiments/{experiment_id}")
    return found


def _directed(connection: Connection, experiment_id: str, what: str) -> str:
    try:
        connection.post(f"/experiments/{experiment_id}/{what}")
    except Failure as error:
        if error.status is Exit.UNREACHABLE:
            raise
        return str(error)
    return f"Asked to {what}."


def _drawn(experiment: dict[str, Any], columns: int, rows: int, message: str) -> Group:
    from rich.console import Group
    from rich.text import Text

    drawn = trial_screen.lines(experiment, columns, rows, message)
    return Group(*(Text(line.text, style=line.style, no_wrap=True, overflow="crop") for line in drawn))


def _as_lines(connection: Connection, experiment_id: str) -> dict[str, Any]:
    """Print a line whenever a trial begins to train or has ended, until the experiment does not run any more."""
    shown: dict[int, str] = {}
    while True:
        found: dict[str, Any] = connection.get(f"/experiments/{experiment_id}")
        for cell in found["cells"]:
            if cell["status"] in _SHOWN and shown.get(cell["trial"]) != cell["status"]:
                shown[cell["trial"]] = cell["status"]
                say(trial_screen.trial_line(found, cell))
        sys.stdout.flush()
        if found["status"] != "running":
            return found
        time.sleep(POLL_SECONDS)
