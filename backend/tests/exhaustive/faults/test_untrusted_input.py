"""Property-based tests of untrusted input: file paths, run ids, journals and cursors."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rlviz.domain.errors import ArtifactNotFound, InvalidRequest, RlvizError
from rlviz.rundir.folder import RunFolder, find_artifact
from rlviz.rundir.journal import JournalTail, is_line_start, last_lines, offset_after, read_backwards, read_journal
from rlviz.server.feeds import decode_cursor, encode_cursor
from tests.support.faults import times
from tests.support.run_folders import make_run

pytestmark = pytest.mark.faults

thoroughly = settings(
    max_examples=times(150, 20_000),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)

PIECES = [
    "..",
    ".",
    "/",
    "\\",
    "\0",
    "%2e%2e",
    "%2f",
    "etc",
    "passwd",
    "secret.txt",
    "link",
    "eval",
    "config.json",
    "~",
    ":",
]
NAMES = st.one_of(
    st.text(max_size=80),
    st.binary(max_size=80).map(lambda raw: raw.decode("utf-8", "surrogateescape")),
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=12).map("/".join),
)
LINES = st.one_of(
    st.binary(max_size=60),
    st.builds(lambda seq, time: b'{"seq":%d,"time":%d}' % (seq, time), st.integers(1, 99), st.integers(0, 99)),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    root = tmp_path_factory.mktemp("door")
    (root / "secret.txt").write_text("secret")
    folder = make_run(root, "a-run", rows=50)
    (folder.path / "link").symlink_to(root)
    return folder


@given(name=NAMES)
@thoroughly
def test_no_file_name_opens_a_file_outside_the_run_folder(folder: RunFolder, name: str) -> None:
    try:
        found = find_artifact(folder, name)
    except ArtifactNotFound:
        return
    assert found.is_file()
    assert found.resolve().is_relative_to(folder.path.resolve())


@given(run_id=NAMES)
@thoroughly
def test_no_run_id_names_a_folder_outside_the_runs_folder(folder: RunFolder, run_id: str) -> None:
    root = folder.path.parent
    try:
        found = RunFolder(root, run_id)
    except RlvizError:
        return
    assert found.path.parent == root
    assert found.path.name == run_id


@given(
    lines=st.lists(LINES, max_size=20), tail=st.binary(max_size=30), limit=st.integers(1, 200), since=st.integers(0, 99)
)
@thoroughly
def test_any_journal_content_is_read_line_by_line_and_nothing_is_dropped_silently(
    folder: RunFolder, lines: list[bytes], tail: bytes, limit: int, since: int
) -> None:
    path = folder.path / "fuzz.jsonl"
    content = b"".join(line + b"\n" for line in lines) + tail
    path.write_bytes(content)
    whole = content[: content.rfind(b"\n") + 1]
    read = read_journal(path)
    assert b"".join(line.raw + b"\n" for line in read) == whole
    assert list(read_backwards(path, chunk=limit))[::-1] == read
    assert last_lines(path, 3) == read[-3:]
    follower, pieces = JournalTail(path), []
    while piece := follower.read(limit):
        pieces += piece
    assert pieces == read
    records = JournalTail(path).read_records()
    assert records.records == [line.record for line in read if line.record is not None]
    assert records.broken == [line for line in read if line.record is None]
    assert is_line_start(path, offset_after(path, float(since))) or offset_after(path, float(since)) == len(content)


@given(text=st.one_of(st.text(max_size=200), NAMES, st.from_regex(r"a-run:[0-9]{1,18}(,[a-z]*:[0-9]*)?")))
@thoroughly
def test_a_cursor_is_refused_or_points_to_the_start_of_a_row(folder: RunFolder, text: str) -> None:
    try:
        positions = decode_cursor(text, folder.path.parent, ["a-run"])
    except InvalidRequest:
        return
    assert is_line_start(folder.metrics_path, positions["a-run"])
    assert decode_cursor(encode_cursor(positions), folder.path.parent, ["a-run"]) == positions
