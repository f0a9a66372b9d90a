"""What several commands take: the settings, the run, and how to print.

Options that say when snapshots are taken, and how many are kept.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rlviz.cli.completion import NEWEST, complete_evaluation, complete_experiment, complete_run
from rlviz.cli.exits import Exit, Failure

if TYPE_CHECKING:
    from pathlib import Path

    from rlviz.cli.connection import Connection
    from rlviz.rundir.folder import RunFolder
    from rlviz.settings import Settings


RUNS_A_PAGE = 500
"""As many as the service lists at once."""

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, as the API answers it.")]
WrittenAsJson = Annotated[bool, typer.Option("--json", help="Print in JSON what was written where.")]
RunName = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="Id of a run, its beginning or end, its name, or `last`: the newest.",
        autocompletion=complete_run,
    ),
]
ExperimentName = Annotated[
    str,
    typer.Argument(
        metavar="EXPERIMENT",
        help="Id of an experiment, its beginning or end, its name, or `last`: the newest.",
        autocompletion=complete_experiment,
    ),
]
RunNames = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN", help="Runs: ids, their beginnings or ends, names, or `last`.", autocompletion=complete_run
    ),
]
AnyRuns = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="RUN",
        help="Runs: ids, their beginnings or ends, names, or `last`; every run if left out.",
        autocompletion=complete_run,
        show_default=False,
    ),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask back.")]
EvaluationName = Annotated[
    str, typer.Argument(metavar="EVAL", help="Id of an evaluation, or `last`.", autocompletion=complete_evaluation)
]
PRESET_HELP = "Preset; `recommended` for one that works there by what was measured, `none` for the algorithm's values."
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
    found = settings.read_settings(**{name: value for name, value in given.items() if value is not None})
    if found.ignored is not None and not context.resilient_parsing:  # completion says nothing
        _say_once(found.ignored)
    return found


@cache
def _say_once(warning: str) -> None:
    from rlviz.cli.output import warn

    warn(warning)


@contextmanager
def connected(context: typer.Context, *, begins: bool = False, trains: bool = False) -> Iterator[Connection]:
    """The service of the runs folder, for as long as the block runs. Where it is our own, it starts one worker as soon
    as it is asked (``begins``), or many (``trains``)."""
    from rlviz.cli.connection import Connection

    connection = Connection(read_settings(context), begins=begins, trains=trains)
    try:
        connection.open()
        yield connection
    finally:
        connection.close()


def ask_first(question: str, yes: bool) -> None:
    """Ask whether to go on, unless that was said with --yes. Raises Failure where nobody can be asked, and typer.Exit
    where the answer is no."""
    from rlviz.cli import output

    if yes:
        return
    if not output.is_terminal(sys.stdin):
        raise Failure(Exit.BAD_INPUT, f"{question} Give --yes if that is wanted.")
    if not typer.confirm(question, err=True):
        output.note("Nothing was done.")
        raise typer.Exit(Exit.FAILED)


def pairs(changes: Sequence[str] | None, flag: str) -> dict[str, Any]:
    """``["lr=3e-4", "policy=small"]`` as a dictionary; values are JSON where they can be, and text otherwise."""
    import json

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


def read_size(text: str) -> int:
    """The bytes that ``500MB`` or ``5e9`` are. Raises Failure."""
    from pydantic import ByteSize, TypeAdapter, ValidationError

    try:
        return int(float(text))
    except (ValueError, OverflowError):
        pass
    try:
        return int(TypeAdapter(ByteSize).validate_python(text))
    except ValidationError as error:
        raise Failure(Exit.BAD_INPUT, f"{text[:80]!r} is no size. Give one as 500MB or 2GB.") from error


def list_runs(connection: Connection, limit: int | None = None, **query: Any) -> tuple[list[dict[str, Any]], int]:
    """The runs that a query finds, all or the first ``limit``, and how many it finds in all. Raises Failure."""
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        room = RUNS_A_PAGE if limit is None else min(RUNS_A_PAGE, limit - len(found))
        page = connection.get("/runs", **query, limit=room, cursor=cursor)
        found += page["runs"]
        cursor = page["next_cursor"]
        if cursor is None or len(found) == limit:
            return found, page["total"]


def find_run(connection: Connection, text: str) -> str:
    """The id of the one run that ``text`` means. Raises Failure: none does, or several do."""
    if text == NEWEST:
        newest = connection.get("/runs", limit=1)["runs"]
        if not newest:
            raise Failure(Exit.NOT_FOUND, "There is no run yet. Start one with `rlviz run`.")
        return str(newest[0]["id"])
    return _the_one(text, connection.get("/runs", q=text[:200], limit=50)["runs"], "run", "rlviz runs")


def find_deleted_run(connection: Connection, text: str) -> str:
    """The same of a run in the trash, where ``last`` means none."""
    trash = connection.get("/trash")["runs"]
    near = [run for run in trash if text in run["id"] or text in run["name"]]
    return _the_one(text, near, "deleted run", "rlviz trash list")


def no_such(kind: str, wanted: str, known: Iterable[str], lister: str) -> str:
    """That there is none of that name, with the nearest one that there is."""
    from rlviz.domain.errors import UnknownName

    nearest = UnknownName(kind, wanted, known, "").nearest
    near = f" Did you mean {nearest}?" if nearest else ""
    return f"There is no {kind} {wanted[:80]!r}.{near} `{lister}` lists those there are."


def find_experiment(connection: Connection, text: str) -> str:
    """The id of the one experiment that ``text`` means. Raises Failure: none does, or several do."""
    if text == NEWEST:
        newest = connection.get("/experiments", limit=1)["experiments"]
        if not newest:
            raise Failure(Exit.NOT_FOUND, "There is no experiment yet. Start one with `rlviz experiment run FILE`.")
        return str(newest[0]["id"])
    found = connection.get("/experiments", q=text[:200], limit=50)["experiments"]
    return _the_one(text, found, "experiment", "rlviz experiment list")


def folders_named(runs_dir: Path, names: Sequence[str] | None) -> list[RunFolder]:
    """The folders of the runs that are named; all of them if none is. No service is asked. Raises Failure for a name
    that none has."""
    from rlviz.rundir.folder import run_folders

    folders = list(run_folders(runs_dir.resolve()))
    wanted = set[str]()
    for name in names or ():
        if not (meant := folders_meant(name, folders)):
            raise Failure(Exit.NOT_FOUND, no_such("run", name, [one.run_id for one in folders], "rlviz runs"))
        wanted |= {folder.run_id for folder in meant}
    return [folder for folder in folders if not names or folder.run_id in wanted]


def folders_meant(text: str, folders: Sequence[RunFolder]) -> list[RunFolder]:
    """Those of the run with that id, or else of all whose ids begin, or whose names are, or whose ids end so."""
    if text == NEWEST:
        return sorted(folders, key=_created_at)[-1:]
    return (
        [folder for folder in folders if folder.run_id == text]
        or [folder for folder in folders if folder.run_id.startswith(text)]
        or [folder for folder in folders if _name_of(folder) == text]
        or [folder for folder in folders if folder.run_id.endswith(text)]
    )


def _created_at(folder: RunFolder) -> float:
    """Unix seconds; 0 for a run that cannot be read."""
    from rlviz.domain.errors import RunFolderError

    try:
        return folder.read_config().created_at.timestamp()
    except (OSError, RunFolderError):
        return 0.0


def _name_of(folder: RunFolder) -> str:
    """What the run is called; nothing for one that cannot be read."""
    from rlviz.domain.errors import RunFolderError

    try:
        return folder.read_labels().name
    except (OSError, RunFolderError):
        return ""


def _the_one(text: str, found: Sequence[dict[str, Any]], kind: str, lister: str) -> str:
    """The id of the one of ``found`` that has it, or that name, or that begins or ends so. Raises Failure."""
    meant = (
        [one for one in found if one["id"] == text]
        or [one for one in found if one["name"] == text]
        or [one for one in found if one["id"].startswith(text)]
        or [one for one in found if one["id"].endswith(text)]
    )
    if len(meant) == 1:
        return str(meant[0]["id"])
    if meant:
        ids = ", ".join(one["id"] for one in meant[:5])
        raise Failure(Exit.BAD_INPUT, f"{text!r} could be {len(meant)} {kind}s: {ids}. Give more of the id.")
    near = f" Did you mean {found[0]['id']}?" if found else ""
    raise Failure(Exit.NOT_FOUND, f"There is no {kind} {text[:80]!r}.{near} `{lister}` lists those there are.")


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
