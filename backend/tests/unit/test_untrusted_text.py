"""Names and notes with control characters, formulas or markup are shown as text."""

from __future__ import annotations

import csv
import io
import json
import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import fromstring, tostring

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from rlviz.cli import main, output
from rlviz.cli.commands import query
from rlviz.cli.exits import Exit
from rlviz.cli.follow import Line
from rlviz.domain.export_formats import TableFormat
from rlviz.domain.plain_text import json_text, one_line, parse_csv_text, visible
from rlviz.exchange.export import config_table, write_event_files, write_table
from rlviz.log_format import JsonLines, TextLines
from rlviz.rundir.folder import Labels
from rlviz.server.exchange.delivery import read_run
from rlviz.server.notifications.notifier import News, Notification, NotificationKind, payload
from rlviz.server.request_filter import RequestCounts
from rlviz.server.service.prometheus import prometheus_route
from rlviz.stats.experiments import report as tables
from rlviz.stats.experiments.report import element
from tests.support.run_folders import make_run
from tests.support.service import catalogued

ESCAPES = "\x1b]0;title\x07\x1b[2J\x9b31m\x1b]8;;http://evil\x1b\\link\x1b[8mhidden"
HOSTILE = (
    ESCAPES,
    "=cmd|'/c calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    "\n=1",
    "'=1",
    "a\nrlviz: all is well",
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    r"\input{/etc/passwd}$x^2$ % & _ # {} ~",
    "[click](http://evil) ![x](y) `code` | # *b* &lt; ~~s~~ @everyone",
    "<!channel> <@U1> @here",
    "```\n<b>",
    'name="x",evil="1"} 1\nrlviz_evil 1',
    "\u202egnp.exe",
    "\x00",
    "\ud800",
    "日本語 ü",
)

TEXTS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=[]), max_size=40),
    st.text("=+-@\t\r\n'\x1b\x9b[]();#|\\`<>&$%_{}^~!*\x00", max_size=12),
)

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def text_property(function: Callable[..., None]) -> Callable[..., None]:
    for text in HOSTILE:
        function = example(text=text)(function)
    allowed = [HealthCheck.function_scoped_fixture]
    return settings(max_examples=30, deadline=None, suppress_health_check=allowed)(given(text=TEXTS)(function))


# Terminal


@text_property
def test_no_control_character_reaches_a_terminal(capsys: pytest.CaptureFixture[str], text: str) -> None:
    output.say(text)
    output.warn(text)
    output.print_table(("A", text), [(text, "1")])
    main._exit_with(Exit.FAILED, f"{text} cannot be found.")
    captured = capsys.readouterr()
    assert not _CONTROL.search(captured.out + captured.err)
    assert captured.out.count("\n") == visible(text).count("\n") + 3, "a table has a line a row"
    assert not _CONTROL.search(Line(text).text)
    assert "\n" not in Line(text).text


@text_property
def test_only_our_own_colours_reach_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    monkeypatch.setattr(output, "is_terminal", lambda *_: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    output.say(f"{output.coloured('good', 'green')} {text}")
    shown = capsys.readouterr().out
    assert shown == f"\x1b[32mgood\x1b[0m {visible(text)}\n"


@text_property
def test_a_table_shown_on_a_terminal_has_no_control_character(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    monkeypatch.setattr(output, "is_terminal", lambda *_: True)
    for form in (TableFormat.CSV, TableFormat.JSON):
        if not re.search("[\ud800-\udfff]", text):
            write_table(config_table({"name": text}), form, output.answer_bytes())
    assert not _CONTROL.search(capsys.readouterr().out)


@text_property
def test_printed_json_keeps_its_value(capsys: pytest.CaptureFixture[str], text: str) -> None:
    output.print_json({text: [text]})
    shown = capsys.readouterr().out
    assert json.loads(shown) == {text: [text]}
    assert not _CONTROL.search(shown)
    assert json.loads(json_text(text)) == text


@text_property
def test_a_log_line_stays_one_line(text: str) -> None:
    record = logging.LogRecord("rlviz", logging.WARNING, "", 0, "Run %s", (text,), None)
    for formatter in (TextLines(), JsonLines()):
        line = formatter.format(record)
        assert "\n" not in line
        assert not _CONTROL.search(line)


# Spreadsheets


@text_property
def test_no_csv_cell_is_a_formula_and_each_is_read_back_unchanged(text: str) -> None:
    if re.search("[\ud800-\udfff]", text):
        return  # cannot be in a file of text
    file = io.BytesIO()
    write_table(config_table({"name": text, text or "x": 1.5, "rate": -0.5}), TableFormat.CSV, file)
    rows = list(csv.reader(io.StringIO(file.getvalue().decode(), newline="")))
    for cell in (cell for row in rows for cell in row):
        assert not cell.startswith(("=", "+", "@", "\t", "\r", "\n"))
        assert not cell.startswith("-") or re.fullmatch(r"-\d+(\.\d+)?(e-?\d+)?", cell)
    assert [row[0] for row in rows[:2]] == ["setting", "/name"]
    assert parse_csv_text(rows[1][1]) == text.replace("\r\n", "\n").replace("\r", "\n")


@text_property
def test_no_cell_of_a_printed_result_is_a_formula(capsys: pytest.CaptureFixture[str], text: str) -> None:
    query._print_csv({"columns": ["id", text], "rows": [["a", text], [text, -1.5], ["b", None]]})
    shown = capsys.readouterr().out
    assert not _CONTROL.search(shown.replace("\r\n", "\n"))
    rows = list(csv.reader(io.StringIO(shown, newline="")))
    assert len(rows) == 4
    for cell in (cell for row in rows for cell in row):
        assert cell == "-1.5" or not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))


# Papers, pages, chats


@text_property
def test_latex_escapes_special_and_control_characters(text: str) -> None:
    shown = tables._tex(text)
    for code in tables._LATEX.values():
        shown = shown.replace(code, "")
    assert not re.search(r"[\\{}$&#%_^~<>]", shown), shown
    assert not _CONTROL.search(shown)


@text_property
def test_markdown_escapes_special_and_control_characters(text: str) -> None:
    shown = re.sub(r"\\[\\`*_{}\[\]<>|#&~!$]", "", tables._plain(text))
    assert not re.search(r"[\\`*_{}\[\]<>|#&~!$\n]", shown), shown
    assert not re.search(r"@(?!\u200b)", shown)
    assert not _CONTROL.search(shown)


@text_property
def test_a_report_escapes_special_and_control_characters(text: str) -> None:
    node = element("p", text, element("b", "x"), text, title=text)
    read = fromstring(tostring(node, encoding="unicode"))
    shown = visible(text).replace("\r", "\n")
    assert (read.text or "", read[0].tail or "") == (shown, shown)
    assert [child.tag for child in read] == ["b"]


@text_property
def test_a_chat_message_neither_mentions_nor_links(text: str) -> None:
    news = News(NotificationKind.RULE, "run", text, f"Rule 1 of {text}", text, 1)
    posted = payload(Notification(1, 0.0, news))
    assert not re.search(r"[@<](?!\u200b)|\]\(", posted["text"])
    assert not _CONTROL.search(posted["text"])
    assert (posted["run_name"], posted["message"]) == (text, text), "programs get it as it is"


# Other programs


@pytest.mark.parametrize("text", [text for text in HOSTILE if text.strip() and "\ud800" not in text])
def test_other_programs_get_names_without_control_characters(tmp_path: Path, text: str) -> None:
    folder = make_run(tmp_path, "run-1", rows=2, status="completed")
    folder.write_labels(Labels(name=text, tags=[text], notes=text))
    [tag] = folder.read_labels().tags
    run = read_run(folder)
    for shown in (run.name, *run.tags, run.notes):
        assert not _CONTROL.search(shown)
    assert (run.name, run.tags) == (one_line(text), [one_line(tag)])


def test_a_name_cannot_close_the_block_in_which_tensorboard_shows_it(tmp_path: Path) -> None:
    configuration = json.dumps({"name": "```\n<b>"})
    write_event_files([], configuration, tmp_path)
    [written] = tmp_path.iterdir()
    content = written.read_bytes()
    assert content.count(b"```") == 2
    assert b"\\u0060\\u0060\\u0060" in content


def test_a_name_cannot_inject_a_prometheus_label(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "run-1", rows=2, status="completed")
    folder.write_labels(Labels(name='evil="1"} 1\nrlviz_evil 1', tags=["rlviz_evil"]))
    with catalogued(tmp_path) as application:
        figures: Any = prometheus_route(application, RequestCounts()).endpoint
        body = bytes(figures(None).body).decode()
    assert "rlviz_runs" in body
    assert "evil" not in body
