"""The command ``query``: query all runs in SQL."""

from __future__ import annotations

import csv
import io
import json
from typing import Annotated, Any

import typer

from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AsJson, connected, examples
from rlviz.cli.output import note, number, print_json, print_table, say, waiting
from rlviz.domain.plain_text import csv_text


def register(app: typer.Typer) -> None:
    app.command(
        epilog=examples(
            'rlviz query "SELECT algo, count(*), avg(best_moving_average) FROM runs GROUP BY algo"',
            "# list all columns",
            'rlviz query "DESCRIBE runs"',
            'rlviz query --csv "FROM runs" > runs.csv',
        )
    )(query)


def query(
    context: typer.Context,
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One SELECT on the tables runs, evaluations and metrics.")],
    as_json: AsJson = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    limit: Annotated[int | None, typer.Option("--limit", min=1, help="Maximum number of rows to print.")] = None,
) -> None:
    """Query all runs in SQL (DuckDB). A query can only read, and stops after ten seconds."""
    if as_json and as_csv:
        raise Failure(Exit.BAD_INPUT, "Give --json or --csv, not both.")
    with connected(context) as connection:
        body = {"sql": sql} if limit is None else {"sql": sql, "limit": limit}
        with waiting("Asking"):
            answer = connection.post("/analytics/query", body)
    if as_json:
        print_json(answer)
    elif as_csv:
        _print_csv(answer)
    else:
        print_table(
            [name.upper() for name in answer["columns"]], [[_cell_text(v) for v in row] for row in answer["rows"]]
        )
    for one in answer["notes"]:
        note(one)
    if answer["truncated"]:
        note(f"The result has more than these {len(answer['rows']):,} rows. Narrow the query, or raise --limit.")


def _print_csv(answer: dict[str, Any]) -> None:
    text = io.StringIO(newline="")
    rows = [answer["columns"], *([_cell(value) for value in row] for row in answer["rows"])]
    csv.writer(text, lineterminator="\n").writerows([csv_text(cell) for cell in row] for row in rows)
    say(text.getvalue().removesuffix("\n"))


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list | bool) else value


def _cell_text(value: Any) -> str:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
        return number(value)
    return " ".join(str(_cell(value)).split())
