"""Options and look-ups that several commands share: settings, runs, experiments, snapshots, printing."""

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
"""Number of runs that the service returns per page."""

AsJson = Annotated[bool, typer.Option("--json", help="Print the API's JSON response.")]
WrittenAsJson = Annotated[bool, typer.Option("--json", help="Print what was written, and where, as JSON.")]
RunName = Annotated[
    str,
    typer.Argument(
        metavar="RUN",
        help="A run: its id, the start or end of its id, its name, or `last` for the newest.",
        autocompletion=complete_run,
    ),
]
ExperimentName = Annotated[
    str,
    typer.Argument(
        metavar="EXPERIMENT",
        help="An experiment: its id, the start or end of its id, its name, or `last` for the newest.",
        autocompletion=complete_experiment,
    ),
]
RunNames = Annotated[
    list[str],
    typer.Argument(
        metavar="RUN", help="Runs: ids, starts or ends of ids, names, or `last`.", autocompletion=complete_run
    ),
]
AnyRuns = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="RUN",
        help="Runs: ids, starts or ends of ids, names, or `last`; default: all runs.",
        autocompletion=complete_run,
        show_default=False,
    ),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
EvaluationName = Annotated[
    str, typer.Argument(metavar="EVAL", help="Id of an evaluation, or `last`.", autocompletion=complete_evaluation)
]
PRESET_HELP = "Preset; `recommended` for one tested on this environment, `none` for the algorithm's defaults."
Sample = Annotated[
    bool | None,
    typer.Option(
        "--sample/--greedy",
        help="Sample actions, or take the most likely one.",
        show_default="as the run evaluates in training",
    ),
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Set a hyperparameter; repeatable."),
]
EnvironmentOptions = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="Set an environment option; repeatable."),
]


def examples(*lines: str) -> str:
    """Return the examples at the end of a command's help. A line that starts with # explains the next one."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)


def read_settings(context: typer.Context, **flags: Any) -> Settings:
    """Read the settings, with the flags before and after the command's name."""
    from rlviz import settings

    given = {**(context.obj or {}), **flags}
    found = settings.read_settings(**{name: value for name, value in given.items() if value is not None})
    if found.ignored is not None and not context.resilient_parsing:  # shell completion prints no warnings
        _warn_once(found.ignored)
    if found.saved_problem is not None and not context.resilient_parsing:
        _warn_once(found.saved_problem)
    return found


@cache
def _warn_once(warning: str) -> None:
    from rlviz.cli.output import warn

    warn(warning)


@contextmanager
def connected(
    context: typer.Context, *, starts_run: bool = False, starts_many_runs: bool = False
) -> Iterator[Connection]:
    """Connect to the service of the runs folder for the duration of the block.

    ``starts_run`` and ``starts_many_runs`` prepare a service in this process for one new run or for many.
    """
    from rlviz.cli.connection import Connection

    connection = Connection(read_settings(context), starts_run=starts_run, starts_many_runs=starts_many_runs)
    try:
        connection.open()
        yield connection
    finally:
        connection.close()


def ask_first(question: str, yes: bool) -> None:
    """Ask for confirmation, unless --yes is given.

    Raises:
        Failure: There is no terminal to ask on.
        typer.Exit: The answer is no.
    """
    from rlviz.cli import output

    if yes:
        return
    if not output.is_terminal(sys.stdin):
        raise Failure(Exit.BAD_INPUT, f"{question} Give --yes to confirm.")
    if not typer.confirm(question, err=True):
        output.note("Nothing was done.")
        raise typer.Exit(Exit.FAILED)


def parse_pairs(changes: Sequence[str] | None, flag: str, example: str = "gamma=0.98") -> dict[str, Any]:
    """Parse ``["lr=3e-4", "policy=small"]`` into a dictionary; values are JSON if possible, otherwise text."""
    import json

    found: dict[str, Any] = {}
    for change in changes or ():
        name, equals, value = change.partition("=")
        if not equals or not name.strip():
            raise Failure(Exit.BAD_INPUT, f"{flag} takes NAME=VALUE, for instance {flag} {example}, not {change!r}.")
        try:
            found[name.strip()] = json.loads(value)
        except ValueError:
            found[name.strip()] = value
    return found


def read_size(text: str) -> int:
    """Parse a size such as ``500MB`` or ``5e9`` into bytes. Raises Failure."""
    from pydantic import ByteSize, TypeAdapter, ValidationError

    try:
        return int(float(text))
    except (ValueError, OverflowError):
        pass
    try:
        return int(TypeAdapter(ByteSize).validate_python(text))
    except ValidationError as error:
        raise Failure(Exit.BAD_INPUT, f"{text[:80]!r} is not a size. Give one such as 500MB or 2GB.") from error


def list_runs(connection: Connection, limit: int | None = None, **query: Any) -> tuple[list[dict[str, Any]], int]:
    """Return the runs that match a query, all or the first ``limit``, and the total number. Raises Failure."""
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
    """Return the id of the run that ``text`` refers to. Raises Failure if there is none or more than one."""
    if text == NEWEST:
        newest = connection.get("/runs", limit=1)["runs"]
        if not newest:
            raise Failure(Exit.NOT_FOUND, "There is no run yet. Start one with `rlviz run`.")
        return str(newest[0]["id"])
    return _find_one(text, connection.get("/runs", q=text[:200], limit=50)["runs"], "run", "rlviz runs")


def find_deleted_run(connection: Connection, text: str) -> str:
    """Return the id of the run in the trash that ``text`` refers to; ``last`` is not supported. Raises Failure."""
    trash = connection.get("/trash")["runs"]
    near = [run for run in trash if text in run["id"] or text in run["name"]]
    return _find_one(text, near, "deleted run", "rlviz trash list")


def unknown_name_text(kind: str, wanted: str, known: Iterable[str], lister: str) -> str:
    """Return the message for an unknown name, with the closest known one."""
    from rlviz.domain.errors import UnknownName

    nearest = UnknownName(kind, wanted, known, "").nearest
    near = f" Did you mean {nearest}?" if nearest else ""
    return f"There is no {kind} {wanted[:80]!r}.{near} `{lister}` lists all."


def find_experiment(connection: Connection, text: str) -> str:
    """Return the id of the experiment that ``text`` refers to. Raises Failure if there is none or more than one."""
    if text == NEWEST:
        newest = connection.get("/experiments", limit=1)["experiments"]
        if not newest:
            raise Failure(Exit.NOT_FOUND, "There is no experiment yet. Start one with `rlviz experiment run FILE`.")
        return str(newest[0]["id"])
    found = connection.get("/experiments", q=text[:200], limit=50)["experiments"]
    return _find_one(text, found, "experiment", "rlviz experiment list")


def find_folders(runs_dir: Path, names: Sequence[str] | None) -> list[RunFolder]:
    """Return the folders of the named runs, or of all runs without names. Needs no service.

    Raises Failure for an unknown name.
    """
    from rlviz.rundir.folder import run_folders

    folders = list(run_folders(runs_dir.resolve()))
    wanted = set[str]()
    for name in names or ():
        if not (meant := match_folders(name, folders)):
            raise Failure(Exit.NOT_FOUND, unknown_name_text("run", name, [one.run_id for one in folders], "rlviz runs"))
        wanted |= {folder.run_id for folder in meant}
    return [folder for folder in folders if not names or folder.run_id in wanted]


def match_folders(text: str, folders: Sequence[RunFolder]) -> list[RunFolder]:
    """Return the folder with the id ``text``, or else those whose id starts or ends with it or whose name it is."""
    if text == NEWEST:
        return sorted(folders, key=_created_at)[-1:]
    return (
        [folder for folder in folders if folder.run_id == text]
        or [folder for folder in folders if folder.run_id.startswith(text)]
        or [folder for folder in folders if _name_of(folder) == text]
        or [folder for folder in folders if folder.run_id.endswith(text)]
    )


def _created_at(folder: RunFolder) -> float:
    """Return the creation time in Unix seconds; 0 for a run that cannot be read."""
    from rlviz.domain.errors import RunFolderError

    try:
        return folder.read_config().created_at.timestamp()
    except (OSError, RunFolderError):
        return 0.0


def _name_of(folder: RunFolder) -> str:
    """Return the run's name; empty if it cannot be read."""
    from rlviz.domain.errors import RunFolderError

    try:
        return folder.read_labels().name
    except (OSError, RunFolderError):
        return ""


def _find_one(text: str, found: Sequence[dict[str, Any]], kind: str, lister: str) -> str:
    """Return the id of the item whose id, name, or start or end of the id is ``text``. Raises Failure."""
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
        raise Failure(Exit.BAD_INPUT, f"{text!r} matches {len(meant)} {kind}s: {ids}. Give more of the id.")
    near = f" Did you mean {found[0]['id']}?" if found else ""
    raise Failure(Exit.NOT_FOUND, f"There is no {kind} {text[:80]!r}.{near} `{lister}` lists all.")


EverySteps = Annotated[int | None, typer.Option(help="Steps between snapshots.", show_default="by time alone")]
EveryMinutes = Annotated[
    float | None, typer.Option(help="Minutes between snapshots; with steps as well, the earlier one counts.")
]
Keep = Annotated[
    int | None, typer.Option(help="Number of newest snapshots to keep; named ones are always kept.", show_default="3")
]
MaxSize = Annotated[
    str | None,
    typer.Option(help="Maximum total size of snapshots, for example 500MB.", show_default="RLVIZ_SNAPSHOT_BYTES"),
]


def snapshot_plan(
    every_steps: int | None, every_minutes: float | None, keep: int | None, max_size: str | None
) -> dict[str, Any]:
    """Return the snapshot plan for the API. Steps alone replace minutes, and vice versa."""
    given: dict[str, Any] = {"keep": keep, "max_bytes": None if max_size is None else read_size(max_size)}
    found = {name: value for name, value in given.items() if value is not None}
    if every_steps is not None or every_minutes is not None:
        found["every_steps"] = every_steps
        found["every_seconds"] = None if every_minutes is None else every_minutes * 60
    return found
