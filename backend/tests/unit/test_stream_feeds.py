"""Feeds send journal lines to streams: old ones from the file, new ones from memory."""

from __future__ import annotations

import json
from pathlib import Path

from rlviz.rundir.journal import JournalWriter
from rlviz.server.feeds import Feeds, MetricsFeed
from tests.support.run_folders import append_rows, make_run


def test_a_feed_reads_old_lines_from_the_file_and_new_ones_from_memory(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "a", rows=10)
    feed = MetricsFeed(folder.metrics_path, recent_bytes=300)
    writer = JournalWriter(folder.metrics_path)
    append_rows(writer, 10)
    assert feed.end < folder.metrics_path.stat().st_size, "What nobody polled is not there yet"
    feed.poll()
    writer.close()
    assert feed.end == folder.metrics_path.stat().st_size
    assert not feed.in_memory(0)
    found, offset = [], 0
    while (rows := feed.read(offset, 250)).end > offset:
        offset = rows.end
        found += [row["seq"] for row in json.loads(b"[%b]" % rows.json)]
    assert found == list(range(1, 21))
    assert offset == feed.end
    assert feed.in_memory(offset)


def test_old_lines_are_the_same_for_every_reader(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "a", rows=3)
    with folder.metrics_path.open("ab") as journal:
        journal.write(b'garbage\n{"seq":5,"time":1.5}\n{"seq":6,\r"time":1,"step":1,"values":{}}\n')
        journal.writelines(b'{"seq":%d,"time":1,\r"step":1,"values":{}}\n' % seq for seq in range(7, 40))
    feed = MetricsFeed(folder.metrics_path)

    def read_all(start: int, limit: int) -> list[int]:
        found: list[int] = []
        offset = start
        while (rows := feed.read(offset, limit)).end > offset:
            assert b"\r" not in rows.json
            offset, found = rows.end, found + [row["seq"] for row in json.loads(b"[%b]" % rows.json)]
        return found

    lines = folder.metrics_path.read_bytes().split(b"\n")
    middle = sum(len(line) + 1 for line in lines[:20])
    for limit in (1, 100, 400, 10_000):
        assert read_all(middle, limit) == list(range(21, 40))
        assert read_all(0, limit) == [1, 2, 3, *range(6, 40)]


def test_one_tail_serves_all_followers_of_a_run(tmp_path: Path) -> None:
    make_run(tmp_path, "a")
    feeds = Feeds(tmp_path)
    feed = feeds.get_feed("a")
    assert feeds.get_feed("a") is feed
