"""What several commands take: the settings, the run, and how to print."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from glob import escape
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rlviz.cli.connection import Connection
from rlviz.cli.exits import Exit, Failure

if TYPE_CHECKING:
    from rlviz.settings import Settings

NEWEST = "last"


def complete_run(context: typer.Context, incomplete: str) -> list[str]:
    """Ids of runs that begin so, for the shell: read from their folders, since a service may not be running."""
    try:
        folders = list(read_settings(context).runs_dir.glob(f"{escape(incomplete)}*/config.json"))
    except Exception:  # whatever is wrong, pressing Tab is not the moment to say it
        return []
    newest = [NEWEST] if NEWEST.startswith(incomplete) else []
    return newest + sorted(path.parent.name for path in folders if not path.parent.name.startswith("."))


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, as the API answers it.")]
RunName = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="Id of a run, the beginning of one, its name, or `last`: the newest.",
        autocompletion=complete_run,
    ),
]
RunNames = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN...", help="Runs: ids, their beginnings, names, or `last`.", autocompletion=complete_run
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A hyperparameter that differs; may be repeated."),
]
EnvironmentOptions = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="An option of the environment; may be repeated."),
]


def examples(*lines: str) -> str:
    """The end of a command's help: what people type. A line that begins with # says what the next one does."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def read_settings(context: typer.Context, **flags: Any) -> Settings:
    """The settings, with what the flags before and behind the command's name say."""
    from rlviz import settings

    given = {**(context.obj or {}), **flags}
    return settings.read_settings(**{name: value for name, value in given.items() if value is not None})


@contextmanager
def connected(context: typer.Context) -> Iterator[Connection]:
    """The service of the runs folder, for as long as the block runs."""
    connection = Connection(read_settings(context))
    try:
        connection.open()
        yield connection
    finally:
        connection.close()


def pairs(changes: Sequence[str] | None, flag: str) -> dict[str, Any]:
    """``["lr=3e-4", "policy=small"]`` as a dictionary; values are JSON where they can be, and text otherwise."""
    found: dict[str, Any] = {}
    for change in changes or ():
        name, equals, value = change.partition("=")
        if not equals or not name.strip():
            raise Failure(Exit.BAD_INPUT, f"{flag} takes NAME=VALUE, for instance {flag} gamma=0.98, not {change!r}.")
        try:
            found[name.strip()] = json.loads(value)
        except ValueError:
            found[name.strip()] = value
    return found


def find_run(connection: Connection, text: str) -> str:
    """The id of the one run that ``text`` means. Raises Failure: none does, or several do."""
    if text == NEWEST:
        newest = connection.get("/runs", limit=1)["runs"]
        if not newest:
            raise Failure(Exit.NOT_FOUND, "There is no run yet. Start one with `rlviz run`.")
        return str(newest[0]["id"])
    found = connection.get("/runs", q=text[:200], limit=50)["runs"]
    exact = [run for run in found if run["id"] == text]
    meant = exact or [run for run in found if run["name"] == text] or [r for r in found if r["id"].startswith(text)]
    if len(meant) == 1:
        return str(meant[0]["id"])
    if meant:
        ids = ", ".join(run["id"] for run in meant[:5])
        raise Failure(Exit.BAD_INPUT, f"{text!r} could be {len(meant)} runs: {ids}. Give more of the id.")
    near = f" Did you mean {found[0]['id']}?" if found else ""
    raise Failure(Exit.NOT_FOUND, f"There is no run {text[:80]!r}.{near} `rlviz runs` lists those there are.")
