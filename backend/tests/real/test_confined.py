"""Confined processes for untrusted files: limits on memory, time and results."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rlviz.confined import MOST_ANSWER_BYTES, Confined
from rlviz.domain.errors import TooMuchToRead, UnknownName

WORK = "tests.support.confined_work"
MB = 1 << 20


@pytest.fixture(scope="module")
def confined() -> Iterator[Confined]:
    one = Confined(memory=256 * MB, seconds=30)
    yield one
    one.close()


def test_a_confined_call_returns_the_result_of_the_function(confined: Confined) -> None:
    assert confined.call(f"{WORK}:add", 1, 2) == 3


def test_one_process_handles_successive_calls(confined: Confined) -> None:
    assert confined.call(f"{WORK}:process_id") == confined.call(f"{WORK}:process_id")


def test_exceptions_are_raised_unchanged(confined: Confined) -> None:
    with pytest.raises(UnknownName) as refused:
        confined.call(f"{WORK}:refuse", "pp")
    assert str(refused.value) == "Unknown algorithm 'pp'. Did you mean 'ppo'? Known: dqn, ppo."
    assert [field.pointer for field in refused.value.fields] == ["/algo"]
    with pytest.raises(FileNotFoundError) as missing:
        confined.call(f"{WORK}:fail")
    assert missing.value.errno == 2


def test_an_error_that_cannot_be_rebuilt_arrives_with_its_name(confined: Confined) -> None:
    with pytest.raises(RuntimeError, match="SchemaError: no validator"):
        confined.call(f"{WORK}:fail_like_pydantic")


def test_excessive_memory_use_is_refused_and_the_next_call_works(confined: Confined) -> None:
    assert confined.call(f"{WORK}:take", 100 * MB) == 100 * MB
    with pytest.raises(TooMuchToRead, match="more than 268"):
        confined.call(f"{WORK}:take", 400 * MB)
    assert confined.call(f"{WORK}:add", 1, 2) == 3


def test_a_result_that_is_too_long_is_refused(confined: Confined) -> None:
    with pytest.raises(TooMuchToRead):
        confined.call(f"{WORK}:answer", MOST_ANSWER_BYTES)


def test_a_process_that_dies_is_replaced(confined: Confined) -> None:
    with pytest.raises(TooMuchToRead):
        confined.call(f"{WORK}:end", 11)
    assert confined.call(f"{WORK}:add", 1, 2) == 3


def test_a_call_that_takes_too_long_cleans_up_and_ends(tmp_path: Path) -> None:
    confined = Confined(memory=256 * MB, seconds=0.2)
    with pytest.raises(TooMuchToRead, match="Reading it takes longer"):
        confined.call(f"{WORK}:wait", tmp_path / "tidied")
    assert (tmp_path / "tidied").exists()
    confined.close()


def test_the_time_limit_is_reported_when_a_library_replaces_its_error() -> None:
    confined = Confined(memory=256 * MB, seconds=0.2)
    with pytest.raises(TooMuchToRead, match="Reading it takes longer"):
        confined.call(f"{WORK}:wait_like_pydantic")
    confined.close()


def test_a_stream_arrives_in_pieces_and_ends_with_its_error(confined: Confined) -> None:
    assert list(confined.stream(f"{WORK}:count", 3)) == [1, 2, 3]
    pieces = confined.stream(f"{WORK}:count", 5)
    assert [next(pieces) for _ in range(5)] == [1, 2, 3, 4, 5]
    with pytest.raises(UnknownName):
        next(pieces)


def test_an_abandoned_stream_does_not_block_calls(confined: Confined) -> None:
    pieces = confined.stream(f"{WORK}:count", 100_000)
    assert next(pieces) == 1
    assert confined.call(f"{WORK}:add", 1, 2) == 3
    pieces.close()  # type: ignore[attr-defined]


def test_nothing_starts_after_the_end() -> None:
    confined = Confined(memory=256 * MB, seconds=30)
    confined.close()
    with pytest.raises(TooMuchToRead, match="ending"):
        confined.call(f"{WORK}:add", 1, 2)


def test_an_idle_process_exits_quietly() -> None:
    program = f"from rlviz import confined; confined.IDLE_SECONDS = 0.05; confined.serve('{1 << 32}')"
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with process:
        assert process.stderr is not None
        assert (process.stderr.read(), process.wait()) == ("", 0)
