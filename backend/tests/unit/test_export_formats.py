"""The registry of export formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.cli.exits import Failure
from rlviz.cli.files import choose_format
from rlviz.domain.export_formats import (
    ExportFormat,
    MetricsFormat,
    ReportFormat,
    ResultsFormat,
    RunsFormat,
    StepsFormat,
    TableFormat,
    extensions_text,
    find_format,
)


def test_every_format_has_an_extension_and_a_media_type() -> None:
    enums = ExportFormat.__subclasses__()
    assert {TableFormat, MetricsFormat, RunsFormat, StepsFormat, ResultsFormat, ReportFormat} <= set(enums)
    for form in (form for enum in enums for form in enum):
        assert form.extension
        assert "/" in form.media_type


def test_the_command_line_offers_every_format_of_the_api() -> None:
    assert {*TableFormat} <= {*MetricsFormat} <= {*RunsFormat}
    assert {*ResultsFormat} <= {*ReportFormat}


def test_the_file_extension_or_the_format_name_selects_the_format() -> None:
    assert find_format(ReportFormat, Path("report.TEX")) is ReportFormat.LATEX
    assert find_format(ReportFormat, Path("report.latex")) is ReportFormat.LATEX
    assert find_format(TableFormat, Path("curves.md")) is None
    assert extensions_text(ReportFormat) == ".json, .csv, .parquet, .md, .tex, .html"


def test_without_a_format_the_extension_decides_and_without_a_file_csv_is_used() -> None:
    assert choose_format(TableFormat, "json", Path("curves.csv")) is TableFormat.JSON
    assert choose_format(TableFormat, None, Path("curves.parquet")) is TableFormat.PARQUET
    assert choose_format(TableFormat, None, None) is TableFormat.CSV
    with pytest.raises(Failure, match=r"use one of \.csv, \.json, \.parquet"):
        choose_format(TableFormat, None, Path("curves.txt"))
