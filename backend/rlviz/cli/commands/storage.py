"""Commands on disk use, quotas and storage rules: storage show, add, remove, quota.

``rlviz prune`` applies the rules.
"""

from __future__ import annotations

import time
from enum import StrEnum
from typing import Annotated, Any

import typer

from rlviz.cli.connection import Connection
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AsJson, connected, examples, read_size, unknown_name_text
from rlviz.cli.output import print_json, print_table, say, waiting
from rlviz.cli.waiting import POLL_SECONDS
from rlviz.domain.byte_text import byte_text


class RuleKind(StrEnum):
    KEEP_NEWEST = "keep-newest"
    REMOVE = "remove"
    COMPRESS = "compress"
    ARCHIVE = "archive"
    EMPTY_TRASH = "empty-trash"


class KeptKind(StrEnum):
    VIDEOS = "videos"
    SNAPSHOTS = "snapshots"
    POLICIES = "policies"
    RECORDS = "records"


class Removed(StrEnum):
    CLIPS = "clips"
    FILM = "film"
    LOGS = "logs"
    RECORDS_WITHOUT_VIDEO = "records_without_video"


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Disk use, quotas, and the rules that free space.", no_args_is_help=True)
    group.command(epilog=examples("rlviz storage show", "rlviz storage show --runs 50 --json"))(show)
    group.command(
        epilog=examples(
            "rlviz storage add keep-newest --kind videos --keep 1 --after-days 30",
            "rlviz storage add remove --what clips --family atari",
            "rlviz storage add compress --after-days 7",
            "rlviz storage add archive --after-days 90",
            "rlviz storage add empty-trash --after-days 2",
        )
    )(add)
    group.command(epilog=examples("rlviz storage remove 2"))(remove)
    group.command(epilog=examples("rlviz storage quota videos 5GB", "rlviz storage quota videos none"))(quota)
    app.add_typer(group, name="storage")


def show(
    context: typer.Context,
    runs: Annotated[int, typer.Option(min=0, help="Number of largest runs to list.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Measure and show what takes space, with quotas, warnings and rules."""
    with connected(context) as connection:
        stored = measure_storage(connection, runs)
    if as_json:
        print_json(stored)
    else:
        print_storage(stored)
        say()
        print_rules(stored)


def add(
    context: typer.Context,
    does: Annotated[RuleKind, typer.Argument(metavar="RULE", help=f"{', '.join(RuleKind)}.")],
    kind: Annotated[KeptKind | None, typer.Option(help="For keep-newest: kind of files.")] = None,
    keep: Annotated[int | None, typer.Option(help="For keep-newest: number of files to keep of each run.")] = None,
    what: Annotated[Removed | None, typer.Option(metavar="KIND", help=f"For remove: {', '.join(Removed)}.")] = None,
    after_days: Annotated[
        float | None, typer.Option(help="Days to wait after the run ended, or was deleted.", show_default="7")
    ] = None,
    family: Annotated[
        list[str] | None, typer.Option(help="Only runs on environments of this family; repeatable.")
    ] = None,
    over_quota: Annotated[
        bool, typer.Option("--over-quota", help="Apply the rule only while the quota is exceeded.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Add a rule that allows `rlviz prune`, and the service once an hour, to delete, compress or archive files."""
    needed: dict[str, object] = {}
    if does is RuleKind.KEEP_NEWEST:
        needed = {"--kind": kind, "--keep": keep}
    elif does is RuleKind.REMOVE:
        needed = {"--what": what}
    if missing := [flag for flag, value in needed.items() if value is None]:
        raise Failure(
            Exit.BAD_INPUT, f"{does} needs {' and '.join(missing)}. `rlviz storage add --help` shows examples."
        )
    given = {"kind": kind, "keep": keep, "what": what, "after_days": after_days, "families": family}
    rule: dict[str, Any] = {"do": does.value.replace("-", "_")}
    rule |= {name: value for name, value in given.items() if value is not None}
    if over_quota:
        rule["over_quota_only"] = True
    with connected(context) as connection:
        stored = connection.get("/storage", runs=0)
        _write(connection, [*stored["rules"], rule], _quotas(stored), as_json)


def remove(
    context: typer.Context,
    number: Annotated[int, typer.Argument(metavar="NUMBER", help="Number of the rule in `rlviz storage show`.")],
    as_json: AsJson = False,
) -> None:
    """Remove a rule."""
    with connected(context) as connection:
        stored = connection.get("/storage", runs=0)
        if not 1 <= number <= len(stored["rules"]):
            raise Failure(Exit.NOT_FOUND, f"There is no rule {number}, only {len(stored['rules'])} in all.")
        left = [rule for place, rule in enumerate(stored["rules"], 1) if place != number]
        _write(connection, left, _quotas(stored), as_json)


def quota(
    context: typer.Context,
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help="Kind of files, as named in `rlviz storage show --json`.")
    ],
    most: Annotated[str, typer.Argument(metavar="BYTES", help="Maximum size, for instance 5GB, or none.")],
    as_json: AsJson = False,
) -> None:
    """Set how much space files of a kind may take. From 80 % on there is a warning; rules can depend on the quota."""
    with connected(context) as connection:
        stored = connection.get("/storage", runs=0)
        if kind not in (kinds := [one["kind"] for one in stored["kinds"]]):
            raise Failure(Exit.BAD_INPUT, unknown_name_text("kind", kind, kinds, "rlviz storage show --json"))
        size = None if most == "none" else read_size(most)
        quotas = {name: value for name, value in (_quotas(stored) | {kind: size}).items() if value is not None}
        _write(connection, stored["rules"], quotas, as_json)
    if not as_json:
        words = next(one["words"] for one in stored["kinds"] if one["kind"] == kind)
        say(f"{words}: {'no quota' if size is None else f'up to {byte_text(size)}'}.")


def measure_storage(connection: Connection, runs: int = 10) -> Any:
    """Measure what takes space now; list the ``runs`` largest runs."""
    connection.post("/storage/measure")
    with waiting("Measuring"):
        while True:
            stored = connection.get("/storage", runs=runs)
            if stored["measured_at"] and not stored["measuring"]:
                return stored
            time.sleep(POLL_SECONDS)


def print_storage(stored: Any) -> None:
    rows = [
        (kind["words"], byte_text(kind["bytes"]), "–" if kind["quota"] is None else byte_text(kind["quota"]))
        for kind in stored["kinds"]
        if kind["files"] or kind["quota"] is not None
    ]
    total = "–" if stored["max_bytes"] is None else byte_text(stored["max_bytes"])
    print_table(("WHAT", "SIZE", "LIMIT"), [*rows, ("Total", byte_text(stored["total_bytes"]), total)], keep=2)
    if stored["runs"]:
        say()
        print_table(("LARGEST RUNS", "SIZE"), [(run["id"], byte_text(run["bytes"])) for run in stored["runs"]], keep=2)
    for warning in stored["warnings"]:
        say(f"Look: {warning}")


def print_rules(stored: Any) -> None:
    if stored["rules_problem"]:
        say(f"No rule is applied: {stored['rules_problem']}")
    for number, words in enumerate(stored["words"], 1):
        say(f"Rule {number}: {words}")
    if not stored["rules"]:
        say("There are no storage rules, so only the trash can be emptied. `rlviz storage add --help` shows examples.")


def _write(connection: Connection, rules: list[Any], quotas: dict[str, int], as_json: bool) -> None:
    stored = connection.request("PUT", "/storage/rules", json={"rules": rules, "quotas": quotas}).json()
    if as_json:
        print_json(stored)
    else:
        print_rules(stored)


def _quotas(stored: Any) -> dict[str, int]:
    return {kind["kind"]: kind["quota"] for kind in stored["kinds"] if kind["quota"] is not None}
