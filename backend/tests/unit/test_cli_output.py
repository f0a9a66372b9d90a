"""Formatting of command output, and parsing of values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from typer.main import get_command

from rlviz.cli import files, output
from rlviz.cli import follow as screen
from rlviz.cli.exits import Exit, Failure, exit_for
from rlviz.cli.main import app
from rlviz.cli.options import parse_pairs
from rlviz.cli.output import fit_columns, number, sparkline, steps_text
from rlviz.domain.byte_text import byte_text

RUN: dict[str, Any] = {
    "id": "ppo-cartpole-20261121-044130-3630",
    "status": "running",
    "queue_position": None,
    "algo": "ppo",
    "env_id": "CartPole-v1",
    "seed": 7,
    "step": 3000,
    "end_step": 12_000,
    "ep_rew_mean": 43.42,
    "ep_len_mean": 43.42,
    "best_moving_average": 58.35,
    "episodes": 166,
    "fps": 2494.3,
    "solved": None,
    "sparkline": [22.1, 41.6, 58.35] * 30,
    "cause": None,
}
EVENT = {"seq": 1, "time": 0.0, "step": 2048, "level": "warning", "message": "The policy has collapsed. " * 10}


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
def test_the_live_view_of_a_run_fits_every_terminal(columns: int) -> None:
    drawn = screen.run_lines(RUN, [EVENT] * 20, columns, "Evaluating: 1 of 5 episodes")
    assert all(len(line.text) <= columns for line in drawn)
    assert len(drawn) <= 20, "and its height too"
    text = " ".join(line.text for line in drawn)
    assert "return 43.42" in text
    assert "25%" in text


def test_a_run_of_unknown_length_shows_only_its_step() -> None:
    endless = {**RUN, "end_step": 0}
    assert (steps_text(RUN), steps_text(endless), steps_text(endless, " of ")) == ("3000/12000", "3000", "3000")
    drawn = [line.text for line in screen.run_lines(endless, [], 80)]
    assert drawn[2] == "step 3000"
    assert not any("/0" in line or "-" in line.partition("left")[0] for line in [*drawn[2:], screen.run_line(endless)])


@pytest.mark.parametrize("columns", [40, 80])
def test_no_key_without_effect_is_offered_for_a_paused_run(columns: int) -> None:
    training, paused = (
        screen.run_lines({**RUN, "status": status}, [], columns)[-1].text for status in ("running", "paused")
    )
    assert "s" in training.split()
    assert "s" not in paused.split()


def test_the_state_of_a_run_is_shown_in_words_and_not_only_in_colour() -> None:
    told = [line.text for line in screen.run_lines({**RUN, "status": "failed", "cause": "NaN in the loss."}, [], 80)]
    assert any("failed" in line for line in told)
    assert "NaN in the loss." in told
    cause = "The worker was killed by signal 9 (SIGKILL), for instance since memory ran out."
    narrow = [
        line.text
        for line in screen.run_lines({**RUN, "cause": cause}, [], 40, "p pauses it · s stops it · l leaves it")
    ]
    assert cause in " ".join(narrow), "what is longer than a line goes on in the next one"


def test_a_bar_has_the_requested_width_from_the_first_step_to_the_last() -> None:
    assert [len(screen.progress_bar(step, 12_000, 60)) for step in (0, 1, 6_000, 12_000, 13_000)] == [60] * 5
    assert "░" not in screen.progress_bar(12_000, 12_000, 60)
    assert "0%" in screen.progress_bar(0, 0, 60)


@pytest.mark.parametrize(
    ("values", "columns", "drawn"),
    [
        ([], 10, ""),
        ([None, None], 10, ""),
        ([1.0, 1.0], 10, "▄▄"),
        ([0.0, 7.0], 10, "▁█"),
        ([0.0, None, 7.0], 10, "▁█"),
        ([float(value) for value in range(100)], 4, "▁▃▅█"),
    ],
)
def test_a_sparkline_leaves_gaps_out_and_ends_with_the_newest_value(
    values: list[float | None], columns: int, drawn: str
) -> None:
    assert sparkline(values, columns) == drawn


def test_a_table_on_a_narrow_terminal_keeps_its_first_columns_and_cuts_long_cells() -> None:
    cells = [["RUN", "STATUS", "NAME"], ["a" * 60, "running", "first"]]
    assert fit_columns(cells, 200) == [cells[0], ["a" * 24 + "…" + "a" * 23, *cells[1][1:]]]
    assert fit_columns(cells, 57, keep=1) == [["RUN", "STATUS"], ["a" * 24 + "…" + "a" * 23, "running"]]
    assert fit_columns([["WHY"], ["it was asked to " * 9]], 20) == [["WHY"], ["it was asked to it …"]]


def test_the_last_column_uses_all_remaining_width_and_numbers_are_never_cut() -> None:
    why = "more than the spread of their last 20 episodes explains, by far"
    cells = [["RETURN", "WHY"], ["133.9", why]]
    assert fit_columns(cells, 120) == cells
    assert fit_columns(cells, 40)[1] == ["133.9", why[:31] + "…"]
    assert fit_columns([["RUN", "NAME"], ["a" * 30, "PPO on CartPole"]], 40) == [
        ["RUN", "NAME"],
        ["a" * 30, "PPO on …"],
    ]
    assert fit_columns([["RUN", "STEP"], ["a" * 30, "10240/10240"]], 40) == [["RUN"], ["a" * 30]]


def test_the_distinguishing_end_of_an_id_is_shown_on_40_columns() -> None:
    rows = [["RUN", "STATUS", "RETURN"], ["ppo-cartpole-20261123-180859-eb9a69", "interrupted", "108.7"]]
    assert fit_columns(rows, 40, keep=2)[1] == ["ppo-cartpole-…180859-eb9a69", "interrupted"]


@pytest.mark.parametrize("columns", [20, 40, 60, 80])
@pytest.mark.parametrize("keep", [1, 2, 3, 20])
def test_no_table_is_wider_than_the_terminal(
    columns: int, keep: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(output, "is_terminal", lambda _stream=None: True)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    for lengths in ([36, 11, 5], [2, 90, 3], [18, *[9] * 20], [1] * 30, [200]):
        row = ["x" * length for length in lengths]
        output.print_table([f"H{number}" for number in range(len(row))], [row, row], keep=keep)
        lines = capsys.readouterr().out.splitlines()
        assert all(len(line) <= columns for line in lines), lines
        assert lines[0].startswith("H0")


def test_a_bar_fits_40_columns_and_is_drawn_only_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with output.progress("Indexing", 3) as advance, output.waiting("Asking") as show:
        advance(1, None)
        show("Still asking")
    assert capsys.readouterr() == ("", "")
    monkeypatch.setattr(output, "is_terminal", lambda _stream=None: True)
    for name, value in {"COLUMNS": "40", "NO_COLOR": "1", "TERM": "xterm", "TTY_COMPATIBLE": "1"}.items():
        monkeypatch.setenv(name, value)
    with output.progress("Indexing [run] folders", 4) as advance:
        advance(1, None)
        advance(3, 6)
    with output.waiting("Bundling [run]") as show:
        show("Bundling eval/[0].mp4")
    with output.progress("Importing") as advance:
        advance(1, 8, "Importing [two]")
    drawn = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().err)
    assert "Indexing [run] folders" in drawn
    assert "50%" in drawn
    assert "Bundling eval/[0].mp4" in drawn
    assert re.search(r"Importing \[two\] [━╸]+ +12%", drawn)
    assert all(len(line) <= 40 for line in re.split(r"[\r\n]+", drawn)), drawn


def commands(group: Any) -> Iterator[tuple[str, Any]]:
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        yield name, command
        if hasattr(command, "list_commands"):
            yield from commands(command)


def test_the_help_of_every_command_fits_40_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    for name, command in [("rlviz", get_command(app)), *commands(get_command(app))]:
        told = command.get_help(command.make_context(name, [], resilient_parsing=True)).partition("Examples:")[0]
        assert [line for line in told.splitlines() if len(line) > 40] == [], name


def test_numbers_and_sizes_are_readable() -> None:
    assert [number(value) for value in (None, 3, 3.0, 0.00012345, 43.4567, 123456.78)] == [
        "–",
        "3",
        "3",
        "0.0001234",
        "43.46",
        "123456.8",
    ]
    assert [byte_text(count) for count in (0, 999, 1500, 123_456, 5_000_000_000)] == [
        "0 B",
        "999 B",
        "1.5 kB",
        "123.5 kB",
        "5 GB",
    ]


def test_values_are_parsed_as_json_if_possible_and_as_text_otherwise() -> None:
    given = ["lr=3e-4", "net_arch=[64, 64]", "schedule=linear", "use_sde=true", "target_kl=null", "x=a=b"]
    assert parse_pairs(given, "--set") == {
        "lr": 3e-4,
        "net_arch": [64, 64],
        "schedule": "linear",
        "use_sde": True,
        "target_kl": None,
        "x": "a=b",
    }


@pytest.mark.parametrize("given", ["lr", "=3", " =3", ""])
def test_a_change_without_name_or_value_is_invalid_input(given: str) -> None:
    with pytest.raises(Failure, match="NAME=VALUE") as caught:
        parse_pairs([given], "--set")
    assert caught.value.status == Exit.BAD_INPUT


def test_every_response_has_its_exit_status() -> None:
    statuses = {404: 3, 409: 4, 422: 2, 413: 2, 401: 5, 403: 5, 503: 5, 500: 1, 507: 1}
    assert {status: int(exit_for(status)) for status in statuses} == statuses


def test_a_file_is_replaced_completely_or_stays_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "metrics.csv"
    path.write_text("before")

    def full_disk(file: BinaryIO) -> None:
        file.write(b"half")
        raise OSError(28, "No space left on device")

    with pytest.raises(Failure, match="No space left on device"):
        files.replace_file(path, full_disk)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
    assert files.replace_file(path, lambda file: file.write(b"after")) == 5
    assert path.read_text() == "after"
