"""PointLedger: which points of a run's metrics a server has been seen to have, and which were sent to it since."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable

MEMORY_BYTES = 32 * 2**20
"""What it takes of memory; the rest is on disk."""


class PointLedger:
    """A point is a signed number of 64 bits.

    They are kept in a database without a name: SQLite has it in a file that nobody else sees, and that is gone with the
    process however that ends. So a run of millions of points takes no more memory than one of thousands.

    ``seen`` and ``sent`` count, by metric, the points that the server had when they were last looked at, and those that
    were sent since; a metric of which none were is not in ``sent``.
    """

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.sent: Counter[str] = Counter()
        self._numbers: dict[str, int] = {}
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.executescript(
            f"""
            PRAGMA temp_store = FILE;
            PRAGMA journal_mode = OFF;
            PRAGMA cache_size = -{MEMORY_BYTES // 1024};
            CREATE TABLE points (metric INTEGER, point INTEGER, is_seen INTEGER, PRIMARY KEY (metric, point))
                WITHOUT ROWID;
            BEGIN;
            """
        )

    def send(self, metric: str, point: int) -> bool:
        """Note a point as sent. False: it was sent, or seen, before."""
        row = (self._number(metric), point)
        is_new = self._database.execute("INSERT OR IGNORE INTO points VALUES (?, ?, FALSE)", row).rowcount == 1
        if is_new:
            self.sent[metric] += 1
        return is_new

    def look(self, metric: str, points: Iterable[int]) -> bool:
        """Note all points of a metric that the server has; whether those that were sent are among them."""
        number = self._number(metric)
        self._database.executemany(
            "INSERT INTO points VALUES (?, ?, TRUE) ON CONFLICT DO UPDATE SET is_seen = TRUE",
            ((number, point) for point in points),
        )
        counted = "SELECT coalesce(sum(is_seen), 0), coalesce(sum(NOT is_seen), 0) FROM points WHERE metric = ?"
        self.seen[metric], self.sent[metric] = self._database.execute(counted, (number,)).fetchone()
        self.sent = +self.sent
        return metric not in self.sent

    def close(self) -> None:
        self._database.close()

    def _number(self, metric: str) -> int:
        return self._numbers.setdefault(metric, len(self._numbers))
