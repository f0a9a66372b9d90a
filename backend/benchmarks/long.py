"""Measures a run of a million rows and a list of ten thousand runs in a browser."""

from __future__ import annotations

from pathlib import Path

from benchmarks.browser import measure
from benchmarks.support import Figure, figure, scratch, service
from benchmarks.volume import ROWS, RUNS, index_many_runs, write_million_rows


def run() -> list[Figure]:
    with scratch() as root:
        return [*_long_run(root / "rows"), *_long_list(root / "runs")]


def _long_run(root: Path) -> list[Figure]:
    folder = write_million_rows(root)
    with service(root) as client:
        found = measure("long", str(client.base_url).removesuffix("/api/"), folder.run_id)
    zoom = found["zoom"]
    return [
        figure(f"page of a run with {ROWS:,} rows: first chart, cold", found["first_chart_cold"], "ms", at_most=300),
        figure(f"page of a run with {ROWS:,} rows: first chart, warm", found["first_chart"], "ms", at_most=100),
        Figure("zoom to raw points", "never", "≤ 1000", False)
        if zoom is None
        else figure("zoom to raw points", zoom, "ms", at_most=1_000),
        figure("longest task while zooming (0: none above 50 ms)", found["longest_task"], "ms", at_most=50),
    ]


def _long_list(root: Path) -> list[Figure]:
    index_many_runs(root)
    with service(root) as client:
        found = measure("home", str(client.base_url).removesuffix("/api/"))
    return [
        figure(f"Home with {RUNS:,} runs: usable, cold", found["usable_cold"], "ms"),
        figure(f"Home with {RUNS:,} runs: usable, warm", found["usable"], "ms", at_most=1_000),
        figure("longest task while scrolling (0: none above 50 ms)", found["longest_task"], "ms", at_most=50),
        figure("scrolling steadily", found["frames_a_second"], "frames/s", at_least=30),
        figure("slowest frame while scrolling steadily", found["slowest_frame"], "ms"),
    ]
