"""Cursors: positions in journals, as text that a browser sends back."""

from __future__ import annotations

from pathlib import Path

import pytest

from rlviz.domain.errors import InvalidRequest
from rlviz.rundir.folder import RunFolder
from rlviz.server.feeds import decode_cursor, encode_cursor
from tests.support.run_folders import make_run


def test_a_cursor_round_trips(tmp_path: Path) -> None:
    make_run(tmp_path, "a", rows=3)
    make_run(tmp_path, "b")
    size = RunFolder(tmp_path, "a").metrics_path.stat().st_size
    text = encode_cursor({"b": 0, "a": size})
    assert text == f"a:{size},b:0"
    assert decode_cursor(text, tmp_path, ["a", "b"]) == {"a": size, "b": 0}


def test_a_cursor_may_name_unfollowed_runs_and_omit_followed_ones(tmp_path: Path) -> None:
    make_run(tmp_path, "a", rows=3)
    assert decode_cursor("gone:17", tmp_path, ["a"]) == {"a": 0}


@pytest.mark.parametrize("text", ["a", "a:", "a:1", "a:-1", "a:0:0", "A:0", " a:0", "a:0;", "a:1e3", f"a:{10**20}"])
def test_a_made_up_cursor_is_refused(tmp_path: Path, text: str) -> None:
    make_run(tmp_path, "a", rows=3)
    with pytest.raises(InvalidRequest) as caught:
        decode_cursor(text, tmp_path, ["a"])
    assert caught.value.fields[0].pointer == "/last_event_id"
