"""Parsing and formatting in the experiment commands, without a service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from rlviz.cli.commands.experiments import _show_search
from rlviz.cli.commands.start_experiments import _parse_range, locate_errors, read_specification, size_text
from rlviz.cli.exits import Exit, Failure, Refused
from rlviz.cli.follow import cause_lines, progress_bar, trial_line, trial_text
from rlviz.cli.follow import trial_lines as lines
from rlviz.domain.experiments import ExperimentSpec
from rlviz.server.problems import _field


def experiment(cells: list[dict[str, Any]], variants: int = 1, **changes: Any) -> dict[str, Any]:
    found = {
        "id": "exp-a",
        "name": "PPO or DQN",
        "status": "running",
        "counts": {"scored": 1, "failed": 1},
        "trials": len(cells),
        "progress": 0.5,
        "seconds_left": 90.0,
        "core_seconds": 12.4,
        "problem": None,
        "cause": None,
        "variants": [{"id": f"v{n}", "label": f"Variant {n}"} for n in range(variants)],
        "cells": cells,
    }
    return found | changes


def cell(trial: int, status: str, variant: str = "v0", **changes: Any) -> dict[str, Any]:
    return {
        "trial": trial,
        "variant": variant,
        "seed": trial,
        "status": status,
        "score": 195.0 if status == "scored" else None,
        "progress": 0.25,
        "cause": None,
    } | changes


def test_the_table_of_trials_shows_score_progress_or_status_of_each() -> None:
    drawn = [
        line.text for line in lines(experiment([cell(0, "scored"), cell(1, "training"), cell(2, "failed")]), 80, 24)
    ]
    assert "1 of 3 trials scored, 1 failed · 1 min left · 12 core-seconds" in drawn[1]
    [row] = [line for line in drawn if line.startswith("Variant 0")]
    assert row.split()[2:] == ["195.0", "25%", "failed"]
    assert "stop" in drawn[-1]


def test_each_cause_of_missing_scores_is_shown_once() -> None:
    full = "The disk is full ([Errno 28] No space left on device). Free some space, then start a new run."
    cells = [
        cell(0, "scored"),
        cell(1, "failed", cause=full),
        cell(2, "training", cause=full),
        cell(3, "failed", "v1", cause="The loss is NaN."),
        cell(4, "pruned", cause="It did worse than other trials of the search."),
    ]
    assert cause_lines(experiment(cells, variants=2)) == [
        f"Variant 0, seed 1, 2: {full}",
        "Variant 1, seed 3: The loss is NaN.",
    ]
    many = [cell(seed, "failed", cause=f"Cause {seed}") for seed in range(13)]
    assert cause_lines(experiment(many))[-1] == "and 3 more; --json has all."


@pytest.mark.parametrize(
    ("least", "note", "line"),
    [
        (98_304, None, "6 runs, 98,304 steps in total."),
        (
            98_304,
            "Each trial trains for 16,384 steps.",
            "6 runs, 98,304 steps in total. Each trial trains for 16,384 steps.",
        ),
        (24_000, "They differ.", "6 runs, 24,000 to 98,304 steps in total. They differ."),
    ],
)
def test_the_training_amount_of_an_experiment_is_shown_in_one_line(least: int, note: str | None, line: str) -> None:
    lengths = {"trials": 6, "least_timesteps": least, "total_timesteps": 98_304, "length_note": note}
    assert size_text(lengths) == line


def test_progress_is_rounded_down_and_scores_are_formatted_as_on_the_page() -> None:
    assert trial_text(cell(0, "paused", progress=0.469)) == "46% paused"
    assert trial_text(cell(0, "training", progress=0.9999)) == "99%"
    assert trial_text(cell(0, "training", progress=0.29)) == "29%"  # 0.29 * 100 is a little below 29
    assert trial_text(cell(0, "scored", score=-1175.66)) == "-1,176"
    assert progress_bar(999, 1_000, 40).endswith(" 99% 999/1000")


def test_a_search_shows_objectives_and_shares_as_the_page_does(capsys: pytest.CaptureFixture[str]) -> None:
    trial = {"number": 0, "variant": "trial-0", "state": "complete", "objective": -1175.66, "values": {}}
    shares = [{"name": name, "share": share} for name, share in (("gamma", 0.725), ("lr", 0.125), ("clip", 0.15))]
    _show_search({"best": None, "coordinates": {"axes": []}, "trials": [trial], "importances": shares, "caution": None})
    said = capsys.readouterr().out
    assert "-1,176" in said
    assert "gamma 73%, lr 13%, clip 15%" in said


@pytest.mark.parametrize(("columns", "rows"), [(30, 8), (80, 24)])
def test_unsuitable_trials_are_counted_and_the_trained_ones_shown(columns: int, rows: int) -> None:
    cells = [cell(n, "training" if n == 3 else "scored", f"v{n}") for n in range(50)]
    drawn = lines(experiment(cells, variants=50), columns, rows)
    assert len(drawn) <= rows
    assert all(len(line.text) <= columns for line in drawn)
    shown = sum(line.text.startswith("Variant") for line in drawn)
    assert any(line.text.startswith("Variant 3 ") for line in drawn)
    assert any(line.text == f"and {50 - shown} more" for line in drawn)


def test_a_log_line_says_why_a_trial_has_no_score() -> None:
    failed = cell(4, "failed", cause="it snapped")
    assert trial_line(experiment([failed]), failed) == "Variant 0, seed 4: failed: it snapped"


@pytest.mark.parametrize(
    ("text", "parameter"),
    [
        ("learning_rate=1e-5..1e-2:log", {"kind": "float", "low": 1e-5, "high": 1e-2, "log": True}),
        ("n_epochs=1..20", {"kind": "int", "low": 1, "high": 20, "log": False}),
        ("gamma=0.9..0.99", {"kind": "float", "low": 0.9, "high": 0.99, "log": False}),
        ("batch_size=32,64", {"kind": "choice", "choices": [32, 64]}),
        ("activation=tanh,relu", {"kind": "choice", "choices": ["tanh", "relu"]}),
    ],
)
def test_a_range_can_be_typed_as_it_is_displayed(text: str, parameter: dict[str, Any]) -> None:
    assert _parse_range(text) == (text.partition("=")[0], parameter)


@pytest.mark.parametrize("text", ["gamma", "gamma=", "=1..2", "gamma=a..b", "gamma=1..", "gamma=..1", "gamma=1..2:lin"])
def test_an_invalid_range_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(Failure, match=r"NAME=LOW\.\.HIGH") as caught:
        _parse_range(text)
    assert caught.value.status is Exit.BAD_INPUT


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.yaml", "", "a.yaml is empty"),
        ("a.yaml", "seeds: 3\nbase:\n  preset: 2026-01-01\n", "a.yaml:3:3: 2026-01-01 is a date"),
        ("a.toml", "seeds = 3\n[base]\ntotal_timesteps = inf\n", "a.toml:3:1: inf is a float"),
    ],
)
def test_an_invalid_value_is_shown_at_its_position(tmp_path: Path, name: str, text: str, says: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(Failure, match=says):
        read_specification(tmp_path / name)


def test_a_refusal_by_the_service_is_shown_at_its_position(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("seeds: [1, 1]\nvariants:\n  - name: a\n    changes: {algo: pqo}\n")
    refused = Refused(
        Exit.BAD_INPUT, "No.", [("/seeds", "1 is defined twice."), ("/variants/0/changes/algo", "Not so.")]
    )
    assert str(locate_errors(refused, read_specification(path))).splitlines() == [
        f"{path}:1:1: seeds: 1 is defined twice.",
        f"{path}:4:15: variants.0.changes.algo: Not so.",
    ]


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        ("a.yaml", "seeds: 2\ngrid: {}\n", "2:1"),
        ("a.yaml", "variants:\n  - name: a\ngrid:\n  gamma: [0.9]\n", "3:1"),
        ("a.yaml", "grid:\n  gamma: [0.9]\nfail_mode: continue\nretries: 2\n", "4:1"),
        ("a.toml", 'retries = 2\nfail_mode = "continue"\n[grid]\ngamma = [0.9]\n', "1:1"),
        ("a.yaml", "sweep:\n  space:\n    gamma: {kind: choice, choices: [0.9]}\nseeds: [1, 2]\n", "4:1"),
        ("a.yaml", "sweep:\n  space:\n    gamma:\n      kind: float\n      low: 1\n      high: 0\n", "6:7"),
        (
            "a.toml",
            '[sweep.space.gamma]\nkind = "choice"\nchoices = [0.9]\n[sweep.space.slope]\nkind = "int"\nlow = 1\n'
            "high = 2\nwhen.gamma = [0.5]\n",
            "8:1",
        ),
    ],
)
def test_a_contradiction_is_shown_at_the_line_to_change(tmp_path: Path, name: str, text: str, place: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    file = read_specification(path)
    with pytest.raises(ValidationError) as refused:
        ExperimentSpec.model_validate(file.values)
    fields = [_field({**item, "loc": ("body", *item["loc"])}, file.values) for item in refused.value.errors()]
    assert [file.place(field.pointer) for field in fields] == [f"{path}:{place}"]
