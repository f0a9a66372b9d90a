"""Files of step records: writing, filtering, sorting and export."""

from __future__ import annotations

import csv
import errno
import io
import json
import math
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import minari
import numpy as np
import pytest
from gymnasium import spaces

from rlviz.domain.errors import InvalidRequest, NotExportable, RunFolderError
from rlviz.domain.export_formats import StepsFormat
from rlviz.domain.recording import StepRecord
from rlviz.learning.records import writer as writing
from rlviz.learning.records.export import export
from rlviz.learning.records.query import StepQuery, find_steps
from rlviz.learning.records.reader import StepFile
from rlviz.learning.records.writer import Row, StepWriter
from rlviz.rundir.files import atomic_write
from tests.support.step_files import POLE, about, pole_rows, row, write

NAME = "eval_20261121-014312-001.steps.parquet"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    said = about()
    write(tmp_path / NAME, said, pole_rows(said))
    return tmp_path / NAME


@pytest.fixture
def file(path: Path) -> Iterator[StepFile]:
    with StepFile(path, path.parent) as file:
        yield file


def indexes(file: StepFile, *where: str, **query: Any) -> list[tuple[int, int]]:
    found = find_steps(file, StepQuery(where=where, columns=["episode", "index"], **query)).columns
    return list(zip(found["episode"], found["index"], strict=True))


def records(file: StepFile) -> list[StepRecord]:
    lines = b"".join(export(file, StepsFormat.NDJSON)).splitlines()
    return [StepRecord.model_validate_json(line) for line in lines]


def test_a_step_record_round_trips(file: StepFile) -> None:
    reset, first, *_ = records(file)
    assert (reset.episode, reset.index, reset.action, reset.reward, reset.actor) == (0, 0, None, None, None)
    assert (first.action, first.reward, first.actor, first.episode_return) == (1, 1.0, "policy", 1.0)
    assert first.observation == pytest.approx([0.1, 0.0])
    assert first.frame_hash == "0001" * 8
    assert first.reading is not None
    assert (first.reading.value, first.reading.probabilities, first.reading.q_values) == (0.5, [0.25, 0.75], None)
    assert len(records(file)) == 8


def test_components_of_the_reward_are_columns_and_part_of_the_record(tmp_path: Path) -> None:
    said = about()
    rows = [row(said, 0, 0, [0, 0]), row(said, 0, 1, [0, 0], 1, components={"goal": 1.5, "main engine": -0.5})]
    write(tmp_path / NAME, said, rows)
    with StepFile(tmp_path / NAME, tmp_path) as file:
        assert [record.reward_components for record in records(file)] == [None, {"goal": 1.5, "main engine": -0.5}]
        assert indexes(file, "reward.goal:>1", "reward.main engine < 0") == [(0, 1)]
        [header, reset, first] = csv.reader(io.StringIO(b"".join(export(file, StepsFormat.CSV)).decode()))
        assert [
            (name, reset[place], first[place]) for place, name in enumerate(header) if name.startswith("reward")
        ] == [
            ("reward", "", "1.0"),
            ("reward.goal", "", "1.5"),
            ("reward.main engine", "", "-0.5"),
        ]


def test_the_file_stores_how_each_episode_starts(file: StepFile) -> None:
    assert [episode.seed for episode in file.about.episodes] == [40, 41]


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("action:1", [(0, 1), (0, 3), (1, 1), (1, 3)]),
        ("action:push left", [(0, 2), (1, 2)]),
        ("action:null", [(0, 0), (1, 0)]),
        ("reward:<0", [(0, 3), (1, 3)]),
        ("reward:-5", [(0, 3), (1, 3)]),
        ("reward:!=1", [(0, 3), (1, 3)]),
        ("index:1..2", [(0, 1), (0, 2), (1, 1), (1, 2)]),
        ("index:0,3", [(0, 0), (0, 3), (1, 0), (1, 3)]),
        ("terminated:true", [(0, 3), (1, 3)]),
        ("observation.0:>=0.3", [(0, 3), (1, 3)]),
        ("observation.pole velocity:1", [(1, 1), (1, 2), (1, 3)]),
        ("reading.value:>1", [(0, 3), (1, 3)]),
        ("reading.probabilities.1:0.75", [(e, i) for e in range(2) for i in range(4)]),
        ("frame_hash:0102", [(1, 2)]),
        ("text:LEFT", [(0, 2), (1, 2)]),
        ("text:terminated", [(0, 3), (1, 3)]),
        ("reward < 0 and action == 1", [(0, 3), (1, 3)]),
        ("reward<0 or action = push left", [(0, 2), (0, 3), (1, 2), (1, 3)]),
        ('Action = "Push Left" and episode = 1', [(1, 2)]),
        ("pole angle >= 0.3", [(0, 3), (1, 3)]),
        ("observation.pole angle = 0.2 and not episode = 0", [(1, 2)]),
        ("observation.1 = 1 and reading.probabilities.1 > 0.7 and index < 2", [(1, 1)]),
        ("terminated", [(0, 3), (1, 3)]),
        ("not terminated and reward > 0", [(0, 1), (0, 2), (1, 1), (1, 2)]),
        ("reward != 1", [(0, 3), (1, 3)]),  # the reset has no reward: neither 1 nor another
        ("actor = policy and index = 1", [(0, 1), (1, 1)]),
        ("actor != person", [(e, i) for e in range(2) for i in range(1, 4)]),
        ("not actor = policy", [(0, 0), (1, 0)]),
    ],
)
def test_a_condition_finds_the_records_that_satisfy_it(
    file: StepFile, condition: str, found: list[tuple[int, int]]
) -> None:
    assert indexes(file, condition) == found


def test_conditions_are_combined_with_and_within_an_episode(file: StepFile) -> None:
    assert indexes(file, "action:1", "terminated:true", episode=1) == [(1, 3)]
    assert indexes(file, episode=7) == []


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("rewrad < 0", "At character 1: There is 'rewrad' where a condition was expected. Did you mean 'reward'?"),
        ("reward < 0 and acton = 1", "At character 16: There is 'acton'"),
        ("pole angel > 1", 'Compare episode, index, "observation.pole angle",'),
        ("reward <", "At character 9: There is the end of the search where a number was expected."),
        ("action = up", 'a number was expected. \'action\' may also be "push left", "push right".'),
        ("reward < 0 action = 1", "At character 12: 'action' follows a complete condition"),
        ("observation > 1", "There is 'observation' where a condition was expected"),
        ("frame_hash = 1", "There is 'frame_hash'"),
        ("reading.probabilities.2 > 0", "the list has 2 numbers, from 0"),
        ("reading.probabilities.2:>0", "the list has 2 numbers, from 0"),
        ('"a:b" = 1', "There is 'a:b'"),
    ],
)
def test_an_invalid_typed_condition_is_reported_with_its_position_and_a_correction(
    file: StepFile, condition: str, words: str
) -> None:
    with pytest.raises(InvalidRequest) as caught:
        indexes(file, "index:1", condition)
    [told] = caught.value.fields
    assert told.pointer == "/where/1"
    assert words in told.detail


@pytest.mark.parametrize(
    "condition",
    [
        *("", "reward", "reward:", "reward:much", "reward:nan", "colour:2", "observation:1", "terminated:yes"),
        *("action:up", "observation.2:1", "observation.-1:1", "reading.value.0:1", "reading.nothing:1"),
    ],
)
def test_an_invalid_condition_is_refused_with_a_pointer(file: StepFile, condition: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        indexes(file, "index:1", condition)
    assert caught.value.fields[0].pointer == "/where/1"


def test_records_are_sorted_and_missing_values_come_last(file: StepFile) -> None:
    assert indexes(file, sort=["reward", "-episode"])[:4] == [(1, 3), (0, 3), (1, 1), (1, 2)]
    assert indexes(file, sort=["-reward"])[-4:] == [(0, 3), (1, 3), (0, 0), (1, 0)]
    with pytest.raises(InvalidRequest):
        indexes(file, sort=["frame_hash"])


def test_a_response_is_a_range_of_the_result(file: StepFile) -> None:
    found = find_steps(file, StepQuery(where=["index:>0"], columns=["index"], start=1, stop=3))
    assert (found.total, found.start, found.stop, found.columns) == (6, 1, 3, {"index": [2, 3]})
    beyond = find_steps(file, StepQuery(columns=["index"], start=100))
    assert (beyond.total, beyond.start, beyond.stop, beyond.columns) == (8, 8, 8, {"index": []})


def test_a_response_that_would_be_too_large_is_cut(file: StepFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rlviz.learning.records.query.MOST_NUMBERS", 4)
    found = find_steps(file, StepQuery(columns=["observation"]))
    assert (found.total, found.stop) == (8, 2)


def kept(tmp_path: Path, seen: spaces.Space[Any], acts: spaces.Space[Any], *steps: tuple[Any, Any]) -> StepFile:
    said = about(seen, acts, (), (), ())
    rows = [row(said, 0, index, observation, action) for index, (observation, action) in enumerate(steps)]
    write(tmp_path / NAME, said, rows)
    return StepFile(tmp_path / NAME, tmp_path)


def test_nan_and_infinity_are_null_in_a_record_and_preserved_in_the_file(tmp_path: Path) -> None:
    with kept(tmp_path, POLE, spaces.Discrete(2), ([math.nan, math.inf], None)) as file:
        assert records(file)[0].observation == [None, None]
        numbers = file.read(["observation"], [0])["observation"].numbers
        assert np.isnan(numbers[0, 0])
        assert np.isposinf(numbers[0, 1])


def test_composed_observations_and_multidiscrete_actions_keep_their_parts(tmp_path: Path) -> None:
    seen = spaces.Dict(
        {
            "place": spaces.Tuple([spaces.Discrete(5), spaces.Box(-1, 1, (2,))]),
            "eye": spaces.Box(0, 255, (3, 3), np.uint8),
        }
    )
    element = {"place": (3, np.array([0.5, -0.5], np.float32)), "eye": np.full((3, 3), 7, np.uint8)}
    other = {**element, "eye": np.full((3, 3), 8, np.uint8)}
    with kept(tmp_path, seen, spaces.MultiDiscrete([3, 2]), (element, None), (other, [2, 1])) as file:
        first, second = records(file)
    assert first.observation == second.observation == [None, [3, [0.5, -0.5]]]
    assert first.observation_hash != second.observation_hash
    assert (first.action, second.action) == (None, [2, 1])


def test_a_picture_is_stored_as_its_hash(tmp_path: Path) -> None:
    picture = np.arange(4 * 84 * 84, dtype=np.uint32).astype(np.uint8).reshape(4, 84, 84)
    with kept(tmp_path, spaces.Box(0, 255, (4, 84, 84), np.uint8), spaces.Discrete(2), (picture, None)) as file:
        assert "observation" not in file.names
        (record,) = records(file)
    assert record.observation is None
    assert record.observation_hash is not None
    assert len(record.observation_hash) == 32


def test_a_later_addition_cannot_change_earlier_records(tmp_path: Path) -> None:
    said = about()
    shared = np.zeros(2, np.float32)
    with StepWriter(tmp_path / NAME, tmp_path, said, max_bytes=10**9) as writer:
        for index in range(3):
            shared[:] = index
            writer.add(row(said, 0, index, shared))
    with StepFile(tmp_path / NAME, tmp_path) as file:
        assert [record.observation for record in records(file)] == [[0, 0], [1, 1], [2, 2]]


def test_a_failing_writer_leaves_no_file(tmp_path: Path) -> None:
    said = about()

    def breaks() -> Iterator[Row]:
        yield from pole_rows(said, steps=10_000)
        raise RuntimeError("the pole snapped")

    with pytest.raises(RuntimeError, match="snapped"):
        write(tmp_path / NAME, said, breaks())
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_no_file_and_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "atomic_write", _on_a_full_disk)
    said = about()
    with pytest.raises(OSError) as caught:
        write(tmp_path / NAME, said, pole_rows(said, steps=50_000))
    assert caught.value.errno == errno.ENOSPC
    assert list(tmp_path.iterdir()) == []


class _Full:
    """A file on a disk with room for a given number of bytes."""

    closed = False

    def __init__(self, file: Any, room: int) -> None:
        self._file, self._room = file, room
        self.tell, self.flush = file.tell, file.flush

    def write(self, content: bytes) -> int:
        self._room -= len(content)
        if self._room < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return int(self._file.write(content))


@contextmanager
def _on_a_full_disk(path: Path, folder: Path) -> Iterator[Any]:
    with atomic_write(path, folder) as file:
        yield _Full(file, 50_000)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"not parquet at all" * 10])
def test_a_file_without_records_is_damaged(tmp_path: Path, content: bytes) -> None:
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(RunFolderError, match="not a complete file of step records"):
        StepFile(tmp_path / NAME, tmp_path)


def test_csv_has_one_cell_per_number_with_its_name_and_unit(file: StepFile) -> None:
    lines = list(csv.DictReader(io.StringIO(b"".join(export(file, StepsFormat.CSV)).decode())))
    assert len(lines) == 8
    assert float(lines[1]["observation.pole angle [rad]"]) == pytest.approx(0.1)
    assert (lines[0]["action"], lines[0]["reward"]) == ("", "")
    assert (lines[1]["action"], lines[1]["reading.probabilities.1"]) == ("1", "0.75")


def test_minari_loads_the_export_with_everything_that_was_played(
    file: StepFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = open_minari(file, tmp_path, monkeypatch)
    assert (dataset.total_episodes, dataset.total_steps) == (2, 6)
    first, second = dataset.iterate_episodes()
    assert second.observations[:, 0] == pytest.approx([0.0, 0.1, 0.2, 0.3])
    assert second.observations[:, 1] == pytest.approx([0, 1, 1, 1])
    assert first.actions.tolist() == [1, 0, 1]
    assert first.rewards.tolist() == [1, 1, -5]
    assert first.terminations.tolist() == [False, False, True]
    assert dataset.observation_space == POLE


def test_minari_loads_composed_spaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = spaces.Dict({"at": spaces.Discrete(5), "speed": spaces.Box(-1, 1, (2,), np.float32)})
    elements = [{"at": place, "speed": np.array([place / 10, 0], np.float32)} for place in range(3)]
    acts = spaces.MultiDiscrete([3, 2])
    with kept(tmp_path, seen, acts, *zip(elements, [None, [2, 1], [0, 1]], strict=True)) as file:
        dataset = open_minari(file, tmp_path, monkeypatch)
    (episode,) = dataset.iterate_episodes()
    assert episode.observations["at"].tolist() == [0, 1, 2]
    assert episode.actions.tolist() == [[2, 1], [0, 1]]
    assert dataset.action_space == acts


def test_pictures_are_not_exported_to_minari(tmp_path: Path) -> None:
    picture = np.zeros((4, 84, 84), np.uint8)
    seen = spaces.Box(0, 255, (4, 84, 84), np.uint8)
    with (
        kept(tmp_path, seen, spaces.Discrete(2), (picture, None)) as file,
        pytest.raises(NotExportable, match="only hashes"),
    ):
        list(export(file, StepsFormat.MINARI))


def open_minari(file: StepFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    with tempfile.TemporaryFile() as archive:
        archive.write(b"".join(export(file, StepsFormat.MINARI)))
        with zipfile.ZipFile(archive) as folder:
            folder.extractall(tmp_path / "datasets")
            (said,) = [name for name in folder.namelist() if name.endswith("data/metadata.json")]
            name = json.loads(folder.read(said))["dataset_id"]
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))
    return minari.load_dataset(name)
