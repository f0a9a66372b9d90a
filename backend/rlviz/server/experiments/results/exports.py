"""Export the trials of an experiment as a table, and its results for papers and web pages."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import orjson

from rlviz.domain.export_formats import ResultsFormat
from rlviz.domain.plain_text import csv_text
from rlviz.stats.experiments import ExperimentResults, Trial
from rlviz.stats.experiments.report import latex, markdown

COLUMNS = ("variant", "label", "environment", "seed", "run_id", "score", "ended", "steps", "reached", "core_seconds")
NUMBERS = ("score", "steps", "reached", "core_seconds")


def export(form: ResultsFormat, trials: Sequence[Trial], results: ExperimentResults) -> bytes:
    match form:
        case ResultsFormat.JSON:
            content = {"results": results.model_dump(mode="json"), "trials": _rows(trials, results)}
            return orjson.dumps(content, option=orjson.OPT_INDENT_2)
        case ResultsFormat.CSV:
            return _csv(_rows(trials, results))
        case ResultsFormat.PARQUET:
            return _parquet(_rows(trials, results))
        case ResultsFormat.MARKDOWN:
            return markdown(results).encode()
        case ResultsFormat.LATEX:
            return latex(results).encode()


def _rows(trials: Sequence[Trial], results: ExperimentResults) -> list[dict[str, object]]:
    known = {one.variant: one for one in results.variants}
    return [
        {
            "variant": one.variant,
            "label": known[one.variant].label,
            "environment": known[one.variant].environment,
            "seed": one.seed,
            "run_id": one.run_id or None,
            "score": one.score,
            "ended": one.ended,
            "steps": one.steps,
            "reached": one.reached,
            "core_seconds": one.core_seconds,
        }
        for one in trials
    ]


def _csv(rows: Sequence[dict[str, object]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows({name: csv_text(value) for name, value in row.items()} for row in rows)
    return text.getvalue().encode()


def _parquet(rows: Sequence[dict[str, object]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = dict.fromkeys(COLUMNS, pa.string()) | dict.fromkeys(NUMBERS, pa.float64())
    kinds |= {"seed": pa.int64(), "ended": pa.bool_()}
    columns = {name: [row[name] for row in rows] for name in COLUMNS}
    file = io.BytesIO()
    pq.write_table(pa.table(columns, schema=pa.schema(list(kinds.items()))), file)
    return file.getvalue()
