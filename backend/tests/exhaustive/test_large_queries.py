"""Queries that would exhaust memory."""

from __future__ import annotations

import pytest

from tests.support.analytics_client import Client, answer, application, client, refused

__all__ = ["application", "client"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT list(range) FROM range(1000000000)",
        "SELECT string_agg(repeat('x', 1000000)) FROM range(100000)",
        "SELECT repeat('x', 1000000000) FROM range(20)",
    ],
)
def test_a_query_that_would_exhaust_memory_is_refused(client: Client, sql: str) -> None:
    assert "Ask for less" in refused(client, sql)["detail"]
    assert answer(client, "SELECT 1")["rows"] == [[1]]
