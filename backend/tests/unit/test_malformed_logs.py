"""Import of malformed logs: a bad line costs that line, not the file."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rlviz.exchange.export import frame_record
from rlviz.exchange.imports import text_lines
from rlviz.exchange.imports.found_run import MOST_WARNINGS, FoundRun
from rlviz.exchange.imports.log_formats import Logs, read_logs
from tests.support.imports import EVENTS, HEAD, MONITOR, PROGRESS, event, one_of, refusal, runs_of, written
from tests.support.training import messages, rows

Read = Callable[[str, bytes], FoundRun]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read a file of that name and content without writing a run."""

    def read(name: str, content: bytes) -> FoundRun:
        logs = Logs(written(tmp_path / name, content))
        logs.add_file(logs.place)
        return read_logs(logs) if logs else FoundRun("", "", 0.0)

    return read


def steps(found: FoundRun) -> list[int]:
    return [row.step for row in found.rows.finished(0.0)] if len(found.rows) else []


def values(found: FoundRun) -> list[tuple[int, dict[str, float | None]]]:
    return [(row.step, row.values) for row in found.rows.finished(0.0)]


# Cut anywhere

TWO_LINES = 'note,time/total_timesteps,train/loss\n"first line\nsecond, line",64,0.51\n"pl""ain",128,0.42\n,192,0.33\n'
JSON_LINES = '{"time/total_timesteps": 64, "loss": 0.51}\n{"time/total_timesteps": 128, "loss": NaN, "note": "a\\nb"}\n'


def start(step: int) -> bytes:
    """Return an event file's record that a session starts at ``step``."""
    return b"\x09" + struct.pack("<d", 1.7e9) + b"\x10" + bytes([step]) + b"\x3a\x02\x08\x01"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("monitor.csv", (MONITOR + "130.25,30,3.5\n").encode()),
        ("progress.csv", PROGRESS.encode()),
        ("progress.csv", PROGRESS.replace("\n", "\r\n").encode()),
        ("progress.csv", TWO_LINES.encode()),
        ("progress.csv", TWO_LINES.encode("utf-16")),
        ("progress.json", JSON_LINES.encode()),
        ("curves.csv", b"seq,time,step,loss\n1,1700000000.5,10,0.25\n2,1700000001.5,20,0.125\n"),
        (EVENTS, b"".join(frame_record(event(step, b"loss", 1 / step)) for step in (1, 2, 4))),
    ],
    ids=["monitor", "progress", "CRLF", "two lines", "UTF-16", "JSON", "an export", "events"],
)
def test_a_file_truncated_anywhere_gives_the_first_rows_of_the_whole_one(read: Read, name: str, content: bytes) -> None:
    whole = [(row.step, row.values) for row in read(name, content).rows.finished(0.0)]
    lengths = set()
    for end in range(len(content)):
        found = read(name, content[:end])
        kept = values(found) if len(found.rows) else []
        assert kept == whole[: len(kept)], content[:end]
        lengths.add(len(kept))
    assert lengths >= set(range(len(whole)))
    assert read(name, content[:-4]).rows.warnings


def test_zeros_left_by_a_crash_at_the_end_are_no_row(read: Read) -> None:
    for name, content in (("monitor.csv", MONITOR), ("progress.csv", PROGRESS), ("progress.json", JSON_LINES)):
        assert values(read(name, content.encode() + bytes(5_000))) == values(read(name, content.encode()))
    whole = frame_record(event(1, b"loss", 0.5))
    found = read(EVENTS, whole + bytes(5_000))
    assert steps(found) == [1]
    assert "a checksum differs" in found.rows.warnings[0]


# One odd line

ODD = {
    "two rows in a line": "64,0.5\n128,0.4192,0.3\n256,0.2\n",
    "a number that is missing": "64,0.5\n0.4\n256,0.2\n",
    "a quote that is not closed": '64,0.5\n128,"0.4\n256,0.2\n',
    "quotes in the wrong place": '64,0.5\n"128"0,"0.4"0\n256,0.2\n',
    "no step": "64,0.5\n,0.4\n256,0.2\n",
    "a step that is no number": "64,0.5\nnan,0.4\n256,0.2\n",
    "a step that is infinite": "64,0.5\ninf,0.4\n256,0.2\n",
    "a step below zero": "64,0.5\n-128,0.4\n256,0.2\n",
    "half a step": "64,0.5\n128.5,0.4\n256,0.2\n",
    "a step too large": f"64,0.5\n{2**60},0.4\n256,0.2\n",
    "more than a line may have": f"64,0.5\n128,{'4' * (text_lines.MOST_LINE_BYTES + 5)}\n256,0.2\n",
    "a cell too long for a CSV reader": f"64,0.5\n128,{'4' * 200_000}\n256,0.2\n",
}


@pytest.mark.parametrize("body", ODD.values(), ids=ODD)
def test_an_invalid_line_costs_one_line_and_a_warning_with_its_number(read: Read, body: str) -> None:
    found = read("progress.csv", b"step,loss\n" + body.encode())
    assert values(found) == [(64, {"loss": 0.5}), (256, {"loss": 0.2})]
    [warning] = found.rows.warnings
    assert warning.startswith("progress.csv, line 3 was skipped. ")


def test_a_text_may_span_several_lines_and_a_torn_one_affects_no_others(read: Read) -> None:
    assert steps(read("progress.csv", TWO_LINES.encode())) == [64, 128, 192]
    torn = 'note,step,loss\n"torn\nplain,64,0.5\n"two\nlines",128,0.4\n"one",256,0.3\n'
    found = read("progress.csv", torn.encode())
    assert steps(found) == [64, 128, 256]
    assert found.rows.warnings == [f"progress.csv, line 2 was skipped. {text_lines.NO_CSV}"]


def test_a_multi_line_text_in_a_file_that_gained_a_column_is_read(read: Read) -> None:
    """When Stable-Baselines3 logs a new name, it appends a comma to each line, also within texts."""
    content = 'note,time/total_timesteps,train/loss\n"one ""line"",\nand, two",64,\n"plain",128,0.5\n'
    found = read("progress.csv", content.encode())
    assert (steps(found), found.rows.warnings) == ([64, 128], [])


def test_many_invalid_lines_are_summarised(read: Read) -> None:
    body = "".join(f"{step},0.5\n,0.25\n" for step in range(1, 2_000))
    [warning] = read("progress.csv", f"step,loss\n{body}".encode()).rows.warnings
    assert warning.startswith(
        "progress.csv: lines 3, 5, 7, 9, 11 and 1,994 more were skipped, all for this reason: It has no "
    )


def test_the_number_of_warnings_is_limited(read: Read) -> None:
    names = ",".join(f"loss{number}" for number in range(200))
    row = ",".join(["nan"] * 200)
    warnings = read("progress.csv", f"step,{names}\n1,{row}\n".encode()).rows.warnings
    assert len(warnings) == MOST_WARNINGS + 1
    assert warnings[-1] == "There are 150 more warnings."


def test_a_warning_about_an_endless_name_is_short(tmp_path: Path) -> None:
    folder = one_of(tmp_path, written(tmp_path / "progress.csv", f"step,{'x' * 100_000},loss,loss\n1,2,3,4\n"))
    assert sorted(rows(folder)[0]["values"].values()) == [2, 3, 4]
    assert all(len(message) <= 1_000 for message in messages(folder))
    folder = one_of(tmp_path, written(tmp_path / "progress.csv", f"step,{'x' * 100_000},{'x' * 100_000}\n1,2,3\n"))
    assert sorted(rows(folder)[0]["values"].values()) == [2, 3]


# Encodings, line ends, delimiters, numbers


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252", "latin-1"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_every_encoding_and_every_line_break_gives_the_same_numbers(read: Read, encoding: str, newline: str) -> None:
    text = "Schritt,step,Verlust/größe\na,64,0.5\n,128,0.25\n".replace("\n", newline)
    expected = [(64, {"Verlust/größe": 0.5}), (128, {"Verlust/größe": 0.25})]
    assert values(read("progress.csv", text.encode(encoding))) == expected


def test_a_two_byte_line_break_across_a_block_boundary_is_one_break(
    read: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = PROGRESS.replace("\n", "\r\n").encode()
    whole = values(read("progress.csv", content))
    for size in range(1, 40):
        monkeypatch.setattr(text_lines, "_CHUNK", size)
        found = read("progress.csv", content)
        assert (values(found), found.rows.warnings) == (whole, [])


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_numbers_with_decimal_commas_are_read_where_another_delimiter_is_used(read: Read, delimiter: str) -> None:
    text = "step,loss,rate\n64,0.5,-1.5e-3\n128,10,2\n".replace(",", delimiter).replace(".", ",")
    assert values(read("progress.csv", text.encode())) == [
        (64, {"loss": 0.5, "rate": -1.5e-3}),
        (128, {"loss": 10, "rate": 2}),
    ]


def test_the_separator_line_of_excel_is_no_record(read: Read) -> None:
    assert steps(read("x.csv", b"sep=;\r\nstep;loss\r\n64;0,5\r\n")) == [64]


@pytest.mark.parametrize("cell", ['"0,25"', "1'000.5", '"1,000.5"', "12 %", "1_000", "broken"])
def test_an_invalid_number_is_a_gap_with_a_warning(read: Read, cell: str) -> None:
    found = read("progress.csv", f"step,loss\n64,0.5\n128,{cell}\n256,0.25\n".encode())
    assert [row.get("loss") for _, row in values(found)] == [0.5, 0.25]
    [warning] = found.rows.warnings
    assert warning.startswith("progress.csv, line 3: loss is not a number")


def test_a_column_of_texts_is_left_out_silently(read: Read) -> None:
    found = read("progress.csv", b"step,note,loss\n64,a,0.5\n128,,0.25\n")
    assert ([row for _, row in values(found)], found.rows.warnings) == ([{"loss": 0.5}, {"loss": 0.25}], [])


# Columns


def test_columns_with_duplicate_or_missing_names_are_all_kept(read: Read) -> None:
    found = read("progress.csv", b",step,loss,loss,loss (2)\n0,64,0.5,0.4,0.3\n")
    assert values(found) == [(64, {"column 1": 0, "loss": 0.5, "loss (3)": 0.4, "loss (2)": 0.3})]
    assert len(found.rows.warnings) == 2


def test_columns_added_and_removed_in_concatenated_logs_are_followed(read: Read) -> None:
    text = "step,loss,rate\n64,0.5,1\n\ufeffrate,step\n2,128\nstep,loss,rate\n192,0.25,3\n"
    found = read("progress.csv", text.encode())
    assert values(found) == [(64, {"loss": 0.5, "rate": 1}), (128, {"rate": 2}), (192, {"loss": 0.25, "rate": 3})]
    assert found.rows.warnings == []


def test_comments_are_no_rows_and_names_may_be_in_one(read: Read) -> None:
    found = read("progress.csv", b"# logged by me\n# step, loss\n64,0.5\n# paused\n128,0.25\n")
    assert steps(found) == [64, 128]


def test_the_same_step_column_is_used_in_every_line(read: Read) -> None:
    found = read("progress.csv", b"time/total_timesteps,step,loss\n64,1,0.5\n,2,0.4\n128,3,0.3\n")
    assert steps(found) == [64, 128]
    assert found.rows.warnings[0].startswith("progress.csv, line 3 was skipped. It has no step")


def test_two_metrics_with_the_same_name_in_our_registry_stay_separate(read: Read) -> None:
    found = read("progress.csv", b"step,eprewmean,rollout/ep_rew_mean\n64,1,2\n")
    assert values(found) == [(64, {"rollout/ep_rew_mean": 1, "rollout/ep_rew_mean (2)": 2})]
    assert len(found.rows.warnings) == 1
    long = "x" * 300
    found = read("progress.csv", f"step,{long}a,{long}b\n64,1,2\n".encode())
    assert sorted(values(found)[0][1].values()) == [1, 2]
    assert len(found.rows.warnings) == 2


# Logs that go on


def test_a_monitor_continued_by_a_second_process_keeps_the_order_of_its_lines(read: Read) -> None:
    found = read("monitor.csv", (MONITOR + "110.0,10,1.0\n120.0,20,2.0\n").encode())
    taken = found.rows.finished(0.0)
    assert [row.values["episode/reward"] for row in taken] == [10.0, 21.5, 110.0, 120.0]
    assert [row.time for row in taken] == [1700000001.5, 1700000002.5, 1700000003.5, 1700000004.5]
    [warning] = found.rows.warnings
    assert warning.startswith("monitor.csv, line 5: seconds decrease")


def test_a_second_header_says_when_the_second_process_started(read: Read) -> None:
    found = read("monitor.csv", (MONITOR + MONITOR.replace("1700000000", "1700000100")).encode())
    assert [row.time for row in found.rows.finished(0.0)] == [1700000000 + at for at in (1.5, 2.5, 101.5, 102.5)]
    assert found.rows.warnings == []


def test_environments_continued_by_a_second_process_are_merged_process_by_process(tmp_path: Path) -> None:
    written(tmp_path / "logs" / "0.monitor.csv", HEAD + "r,l,t\n1,1,1.0\n2,1,5.0\n5,1,1.0\n")
    written(tmp_path / "logs" / "1.monitor.csv", HEAD + "r,l,t\n3,1,2.0\n6,1,1.5\n")
    taken = rows(one_of(tmp_path, tmp_path / "logs"))
    assert [row["values"]["episode/reward"] for row in taken] == [1, 3, 2, 5, 6]
    assert [row["step"] for row in taken] == [1, 2, 3, 4, 5]


def test_times_that_restart_in_a_progress_file_continue_from_earlier_ones(read: Read) -> None:
    text = "step,time_elapsed,loss\n64,10,1\n128,20,2\n192,5,3\n256,15,4\n"
    taken = read("progress.csv", text.encode()).rows.finished(0.0)
    began = (taken[0].time or 0) - 10
    assert [round((row.time or 0) - began) for row in taken] == [10, 20, 25, 35]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("progress.csv", b"step,loss\n64,1\n128,2\n64,3\n"),
        ("progress.json", b'{"step": 64, "loss": 1}\n{"step": 128, "loss": 2}\n{"step": 64, "loss": 3}\n'),
        ("x.csv", b"seq,time,step,loss\n1,1,64,1\n2,2,128,2\n3,3,64,3\n"),
        (EVENTS, b"".join(frame_record(event(step, b"loss", value)) for step, value in ((64, 1), (100, 2), (64, 3)))),
    ],
)
def test_decreasing_steps_are_reported(read: Read, name: str, content: bytes) -> None:
    found = read(name, content)
    assert len(found.rows) == 3
    [warning] = found.rows.warnings
    assert "steps" in warning
    assert "go back from 1" in warning


def test_metrics_with_their_own_steps_do_not_count_as_decreasing(read: Read) -> None:
    events = [event(step, tag, 0.5) for epoch in (1, 2) for tag, step in ((b"loss", 50 * epoch), (b"epoch", epoch))]
    assert read(EVENTS, b"".join(map(frame_record, events))).rows.warnings == []


def test_a_session_that_starts_at_a_step_replaces_what_was_logged_from_there(tmp_path: Path) -> None:
    first = b"".join(frame_record(event(step, b"loss", step, 100.0)) for step in range(0, 60, 10))
    second = frame_record(start(30)) + b"".join(
        frame_record(event(step, b"loss", -step, 200.0)) for step in range(30, 80, 10)
    )
    for names in (("events.out.tfevents.9.a", "events.out.tfevents.10.a"), (EVENTS, f"{EVENTS}.2")):
        folder = tmp_path / names[0] / "PPO_1"
        written(folder / names[0], first)
        written(folder / names[1], second)
        brought = one_of(tmp_path, folder)
        assert [(row["step"], row["values"]["loss"]) for row in rows(brought)] == [
            (0, 0.0),
            (10, 10.0),
            (20, 20.0),
            *((step, -step) for step in range(30, 80, 10)),
        ]
        [message] = messages(brought)
        assert "starts again at step 30: 3 earlier rows" in message


def test_a_session_that_starts_beyond_the_logged_steps_changes_nothing(read: Read) -> None:
    content = (
        frame_record(start(0))
        + frame_record(event(1, b"loss", 0.5))
        + frame_record(start(2))
        + frame_record(event(2, b"loss", 0.25))
    )
    found = read(EVENTS, content)
    assert (steps(found), found.rows.warnings) == ([1, 2], [])


def test_repeated_sessions_are_read_in_linear_time(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    """If steps are out of order, every session start would search all rows."""
    monkeypatch.setattr("rlviz.exchange.imports.found_run.MOST_VALUES", 1_000)
    unsorted = [event(step, b"loss", 0.5) for step in (5, 3, *[90] * 100)]
    content = b"".join(frame_record(one) for one in [*unsorted, *[start(100)] * 20])
    with pytest.raises(Exception, match="more than 1,000 values"):
        read(EVENTS, content)


# Files beside each other


def test_an_unreadable_file_costs_only_that_file(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    for name, content in {
        "0.monitor.csv": MONITOR,
        "1.monitor.csv": "",
        "2.monitor.csv": "nonsense\n",
        "evaluations.npz": "PK",
        "args.yml": "a: [1",
        EVENTS: "nonsense, and more of it",
    }.items():
        written(logs / name, content)
    folder = one_of(tmp_path, logs)
    assert len(rows(folder)) == 2
    said = messages(folder)
    assert len(said) == 5
    for name in ("1.monitor.csv", "2.monitor.csv", "evaluations.npz", "args.yml", EVENTS):
        assert [name in message for message in said].count(True) == 1


def test_an_unreadable_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path / "logs" / "a" / "progress.csv", PROGRESS)
    written(tmp_path / "logs" / "b" / "progress.csv", PROGRESS)
    scandir = os.scandir

    def refusing(path: Any) -> Any:
        if Path(path).name == "b":
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    brought = runs_of(tmp_path, tmp_path / "logs")
    assert len(brought.runs) == 1
    assert brought.refused == [("logs/b", "b cannot be read (Permission denied).")]


@pytest.mark.parametrize(("seed", "recorded"), [(2**32 - 1, 2**32 - 1), (2**60, 0)])
def test_a_seed_that_cannot_be_recorded_raises_a_warning(tmp_path: Path, seed: int, recorded: int) -> None:
    logs = tmp_path / f"CartPole-v1__ppo__{seed}__1700000000"
    written(logs / EVENTS, frame_record(event(1, b"loss", 0.5)))
    folder = one_of(tmp_path, logs)
    config = folder.read_config()
    assert (config.env_id, config.algo, config.seed) == ("CartPole-v1", "ppo", recorded)
    assert [said.startswith(f"Its seed is {seed:,}.") for said in messages(folder)] == [True] * (seed != recorded)


def test_event_files_replace_an_empty_progress_file(tmp_path: Path) -> None:
    written(tmp_path / "logs" / "progress.csv", "")
    written(tmp_path / "logs" / EVENTS, frame_record(event(1, b"loss", 0.5)))
    folder = one_of(tmp_path, tmp_path / "logs")
    assert [row["values"] for row in rows(folder)] == [{"loss": 0.5}]
    assert "progress.csv is empty" in messages(folder)[0]


def test_if_nothing_is_readable_the_first_reason_is_reported(tmp_path: Path) -> None:
    written(tmp_path / "logs" / "0.monitor.csv", "")
    written(tmp_path / "logs" / "1.monitor.csv", "")
    assert refusal(tmp_path, tmp_path / "logs").startswith("0.monitor.csv is empty. ")


def test_progress_json_is_read_and_csv_is_preferred_to_it(tmp_path: Path) -> None:
    written(tmp_path / "a" / "progress.json", JSON_LINES)
    assert [row["values"]["loss"] for row in rows(one_of(tmp_path, tmp_path / "a"))] == [0.51, None]
    written(tmp_path / "a" / "progress.csv", PROGRESS)
    assert len(rows(one_of(tmp_path, tmp_path / "a"))) == 3


def test_settings_in_json_are_not_mistaken_for_a_log(tmp_path: Path) -> None:
    written(tmp_path / "a" / "progress.csv", PROGRESS)
    settings: dict[str, Any] = {"total_timesteps": 5, "step": 3, "seed": 1}
    written(tmp_path / "b" / "config.json", json.dumps(settings))
    assert len(runs_of(tmp_path, tmp_path).runs) == 1
