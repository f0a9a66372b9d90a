"""Conversion of metric names for each export target."""

from __future__ import annotations

import json
import posixpath
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rlviz.domain.export_formats import TableFormat
from rlviz.domain.naming import (
    LIBRARY,
    MAX_NAME_CHARACTERS,
    MLFLOW,
    POSTGRES,
    TABLES,
    TENSORBOARD,
    TRACKIO,
    WANDB,
    Naming,
    recorded_name,
    renames_text,
    shorten_name,
)
from rlviz.domain.plain_text import join_names, split_names
from rlviz.exchange.export import PLACE, metrics_table, write_event_files, write_table
from rlviz.exchange.import_runs import ImportOptions, import_path
from rlviz.learning.training.journals import MetricLimits
from rlviz.library.runs import Run
from rlviz.rundir.metric_rows import all_rows
from rlviz.server.exchange.ingest import storable
from rlviz.server.service.prometheus import _labels
from tests.support.run_folders import journal, make_run
from tests.support.sinks import Shelf, deliver

PARTS = (
    *["step", "time", "seq", "loss", "timestamp", "metrics", "global_step", "_step", "x" * 250],
    *["unnamed", "_", "__", "/", "//", ".", "..", "/..", " ", "?", "*", ":", ",", "'", '"', "=1+1", "@", "{", "}"],
    *["\0", "\n", "\r", "\t", "\x1b[31m", "\x7f", "\x85", "\u2028", "\ufeff", "\ud800", "é", "名", "\U0001f600"],
    *["\\", "\\x00", "\\x5c", "_0x2F_", "_0x", "2F_"],
)
NAMES = st.lists(st.sampled_from(PARTS) | st.text(max_size=3), max_size=4).map("".join)

CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def is_mlflow_name(name: str) -> bool:
    """Validate like ``mlflow.utils.validation``."""
    normal = posixpath.normpath(name)
    is_path = normal == name and normal != "." and not normal.startswith(("..", "/"))
    return bool(re.fullmatch(r"[/\w.\- :]+", name)) and is_path and len(name) <= 250


TAKES: dict[str, tuple[Naming, Callable[[str], bool]]] = {
    "library": (LIBRARY, lambda name: name not in ("step", "time")),
    "tables": (TABLES, lambda name: name not in PLACE and not CONTROL.search(name)),
    "tensorboard": (TENSORBOARD, lambda name: not CONTROL.search(name)),
    "trackio": (
        TRACKIO,
        lambda name: (
            name not in ("project", "run", "timestamp", "step", "time", "metrics")
            and not name.startswith("__")
            and not CONTROL.search(name)
        ),
    ),
    "wandb": (
        WANDB,
        lambda name: (
            name not in ("global_step", "_step", "_runtime", "_timestamp", "_wandb") and not CONTROL.search(name)
        ),
    ),
    "mlflow": (MLFLOW, is_mlflow_name),
    "postgres": (POSTGRES, lambda name: "\0" not in name and name.encode() != b""),
}
"""Each target, with what it takes."""


@settings(max_examples=100, deadline=None)
@given(st.lists(NAMES, max_size=12, unique=True))
@example(["step", "step_", "step__", "time", "seq", "seq_"])
@example(["", "unnamed", "unnamed_", "unnamed__"])
@example(["/loss", "loss/", "a//b", "a/../b", "..", ".", "/", "_0x2F_loss", "loss"])
@example(["a?b", "a*b", "a_b", "a_0x3F_b"])
@example(["\0", "\\x00", "\\x5cx00", "\ud800", "\\ud800"])
@example(["x" * 249, "x" * 250, "x" * 251, "x" * 300, "x" * 199, "x" * 200])
def test_every_target_accepts_its_names_and_distinct_names_stay_distinct(names: list[str]) -> None:
    for target, (naming, takes) in TAKES.items():
        there = [naming.encode(name) for name in names]
        assert all(map(takes, there)), (target, there)
        assert len(set(there)) == len(names), (target, names, there)
        for name, other in zip(names, there, strict=True):
            is_cut = naming.most is not None and len(other) == naming.most
            assert is_cut or naming.decode(other) == name, (target, name, other)
        assert naming.renamed(names) == {name: one for name, one in zip(names, there, strict=True) if one != name}


def test_ordinary_names_are_unchanged_everywhere() -> None:
    for name in ("rollout/ep_rew_mean", "train/loss", "eval/mean reward", "a.b", "lr_0", "Verlust/größe", "_x"):
        assert {naming.encode(name) for naming, _ in TAKES.values()} == {name}


# Through the real code of each target


def a_run(runs_dir: Path, names: list[str]) -> Run:
    """Return a run with one row in which the metrics have the values 0, 1, …"""
    folder = make_run(runs_dir, "odd-names", status="completed")
    with journal(folder.metrics_path) as metrics:
        metrics.append({"step": 10, "values": {name: float(index) for index, name in enumerate(names)}})
    return Run(folder.run_id, runs_dir)


def without_halves(names: list[str]) -> list[str]:
    """Return the names without lone surrogates and empty names, which no journal has."""
    return [name for name in names if name and not re.search("[\ud800-\udfff]", name)]


@settings(max_examples=12, deadline=None)
@given(st.lists(NAMES, min_size=1, max_size=12, unique_by=recorded_name).map(without_halves).filter(bool))
@example(["step", "time", "seq", "loss"])
@example(["\0", "a\nb", "a\rb", 'q"', "a,b", " padded ", "x" * 300])
def test_every_logged_metric_returns_from_every_target_under_its_own_name(names: list[str]) -> None:
    logged = {recorded_name(name): float(index) for index, name in enumerate(names)}
    with TemporaryDirectory() as place:
        folder = Path(place)
        run = a_run(folder / "runs", list(logged))

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            columns = run.metrics()
        assert columns.pop("step").tolist() == [10]
        assert columns.pop("time").shape == (1,)
        assert {LIBRARY.decode(name): column.tolist() for name, column in columns.items()} == {
            name: [value] for name, value in logged.items()
        }

        for form in TableFormat:
            path = folder / f"table.{form}"
            with path.open("wb") as file:
                write_table(metrics_table(run.folder), form, file)
            assert imported(path, folder) == logged, form
        write_event_files(all_rows(run.folder), run.folder.config_path.read_text(), folder / "events")
        assert imported(folder / "events", folder) == logged

        shelf = Shelf()
        record = deliver(run.folder, shelf)
        [row] = shelf.rows
        assert {MLFLOW.encode(name): value for name, value in logged.items()} == row.values
        assert record.renamed == MLFLOW.renamed(logged)


def imported(path: Path, folder: Path) -> dict[str, float]:
    outcome = import_path(path, folder / "brought", ImportOptions(again=True))
    [row] = all_rows(outcome.runs[0])
    assert row["step"] == 10
    values: dict[str, float] = row["values"]
    return values


def test_names_logged_by_a_program_are_converted_to_valid_journal_names() -> None:
    said: list[str] = []
    limits = MetricLimits(said.append)
    long = "x" * 300
    logged = {f"{long}a": 1.0, f"{long}b": 2.0, "half \ud800": 3.0, "half \\ud800": 4.0, "plain": 5.0, "": 6.0}
    admitted = limits.admit(logged)
    assert admitted is not None
    assert list(admitted.values()) == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert list(admitted)[2:] == ["half \\ud800", "half \\ud800 (2)", "plain", "unnamed"]
    assert all(len(name) <= MAX_NAME_CHARACTERS for name in admitted)
    assert len(said) == 1, "said once"
    assert [recorded_name(name) for name in admitted] == list(admitted), "a journal has them as they are"


def test_the_library_lists_metrics_with_a_different_name(tmp_path: Path) -> None:
    run = a_run(tmp_path, ["step", "time", "loss"])
    with pytest.warns(UserWarning, match="'step' is 'step_', 'time' is 'time_'"):
        assert list(run.metrics()) == ["step", "time", "step_", "time_", "loss"]


def test_the_sentence_on_different_names_stays_short_and_on_one_line() -> None:
    renamed = {f"a\n{'x' * 1_000}{number}": f"a{number}" for number in range(1_000)}
    said = renames_text(renamed, "MLflow")
    assert len(said) < 1_000
    assert "\n" not in said
    assert said.endswith("and 995 more.")


def test_a_shortened_name_keeps_its_beginning() -> None:
    assert shorten_name("loss/" + "x" * 300, 50).startswith("loss/xxx")
    assert len(shorten_name("x" * 300, 50)) == 50


@given(st.text())
@example('a"b\\c\nd')
def test_any_text_can_be_a_prometheus_label_value(text: str) -> None:
    written = _labels(name=text)
    assert "\n" not in written
    match = re.fullmatch(r'name="((?:[^"\\\n]|\\[\\"n])*)"', written)
    assert match is not None
    unescaped = re.sub(r"\\(.)", lambda found: {"n": "\n"}.get(found[1], found[1]), match[1])
    assert unescaped == text


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=5) | st.lists(st.text(max_size=5), max_size=3)))
def test_postgresql_receives_no_nul_character_in_texts_names_or_lists(settings: dict[str, object]) -> None:
    stored = storable(settings)
    assert "\\u0000" not in json.dumps(stored)
    assert len(stored) == len(settings)


@given(st.lists(NAMES.filter(bool) | st.text(alphabet="a,\\ \t\n", min_size=1), max_size=6, unique=True))
@example(["a,b", "a", "b"])
@example([" padded ", "\\", "\\,", "a\\ ", ","])
def test_any_names_can_be_listed_in_one_text(names: list[str]) -> None:
    assert split_names(join_names(names)) == names


def test_a_list_of_names_is_read_as_people_write_it() -> None:
    assert split_names("train/loss, a ,,b , train/loss") == ["train/loss", "a", "b"]
    assert split_names("a\\b") == ["a\\b"]
