"""The registry of export formats: names, file extensions and media types, and what can be exported in each.

The API, the command line and the writers read it. To add a format, add its row to ``_FILE_TYPES``, its name to the
enums of what it can hold, and its writer beside the others: ``write_table`` and ``write_runs`` in
``rlviz.exchange.export``, ``export`` in ``rlviz.learning.records.export`` and in
``rlviz.server.experiments.results.exports``.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, TypeVar


class FileType(NamedTuple):
    """``extension``: without the first dot. ``media_type``: as in ``Content-Type``."""

    extension: str
    media_type: str


ZIP = "application/zip"

_FILE_TYPES = {
    "csv": FileType("csv", "text/csv; charset=utf-8"),
    "json": FileType("json", "application/json"),
    "ndjson": FileType("ndjson", "application/x-ndjson"),
    "parquet": FileType("parquet", "application/vnd.apache.parquet"),
    "minari": FileType("minari.zip", ZIP),
    "tensorboard": FileType("zip", ZIP),
    "bundle": FileType("zip", ZIP),
    "markdown": FileType("md", "text/markdown; charset=utf-8"),
    "latex": FileType("tex", "application/x-tex; charset=utf-8"),
    "html": FileType("html", "text/html; charset=utf-8"),
}
"""The file type of each format, by its name in the API and on the command line."""


class ExportFormat(StrEnum):
    """Base of the enums below."""

    @property
    def extension(self) -> str:
        """Extension of a file in this format, without the first dot."""
        return _FILE_TYPES[self.value].extension

    @property
    def media_type(self) -> str:
        """Media type of a file in this format."""
        return _FILE_TYPES[self.value].media_type


class TableFormat(ExportFormat):
    """Formats of a table: the metrics of a run, a configuration, a list of runs."""

    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


class MetricsFormat(ExportFormat):
    """Formats of the metrics of runs."""

    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"
    TENSORBOARD = "tensorboard"


class RunsFormat(ExportFormat):
    """Formats of several runs: those of metrics, and bundles."""

    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"
    TENSORBOARD = "tensorboard"
    BUNDLE = "bundle"


class StepsFormat(ExportFormat):
    """Formats of the step records of an evaluation."""

    NDJSON = "ndjson"
    CSV = "csv"
    PARQUET = "parquet"
    MINARI = "minari"


class ResultsFormat(ExportFormat):
    """*json*: results and trials. *csv* and *parquet*: a row for each trial. *markdown* and *latex*: a row for each
    variant."""

    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"
    MARKDOWN = "markdown"
    LATEX = "latex"


class ReportFormat(ExportFormat):
    """Formats of an experiment: those of its results, and the whole report as a page, which is also that of a run."""

    JSON = "json"
    CSV = "csv"
    PARQUET = "parquet"
    MARKDOWN = "markdown"
    LATEX = "latex"
    HTML = "html"


AnyFormat = TypeVar("AnyFormat", bound=ExportFormat)


def find_format(formats: type[AnyFormat], path: Path) -> AnyFormat | None:
    """Return the format that the extension of ``path`` names, as an extension or a format's name; None if unknown."""
    extension = path.suffix.lstrip(".").lower()
    return next((form for form in formats if extension in (form.extension, form.value)), None)


def extensions_text(formats: Iterable[ExportFormat]) -> str:
    """Return the extensions of formats for a message, such as ``.csv, .json``."""
    return ", ".join(f".{form.extension}" for form in formats)


def media_types(formats: Iterable[ExportFormat]) -> dict[str, dict[str, object]]:
    """Return the media types of formats as OpenAPI's ``content`` of a response."""
    return {form.media_type: {} for form in formats}
