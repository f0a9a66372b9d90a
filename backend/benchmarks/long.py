"""Measures a run of a million rows, beside an empty one, and a list of ten thousand runs in a browser."""

from __future__ import annotations

from pathlib import Path

from benchmarks.browser import measure
from benchmarks.support import Figure, figure, new_folder, scratch, service
from benchmarks.volume import ROWS, RUNS, index_many_runs, write_million_rows


def run() -> list[Figure]:
    with scratch() as root:
        return [*_long_run(root / "rows"), *_long_list(root / "runs")]


def _long_run(root: Path) -> list[Figure]:
    folder = write_million_rows(root)
    empty = new_folder(root, "ppo", 10_000)
    with service(root) as client:
        address = str(client.base_url).removesuffix("/api/")
        measure("page", address, empty.run_id, "0")  # the first page of a service also pays for what it imports
        none = measure("page", address, empty.run_id, "0")
        many = measure("page", address, folder.run_id, "1")
        found = measure("long", address, folder.run_id)
    zoom = found["zoom"]
    return [
        figure("page of an empty run: first chart, cold", none["cold"], "ms"),
        figure("page of an empty run: first chart, warm", none["warm"], "ms"),
        figure(
            f"page of a run with {ROWS:,} rows: more than that, cold", many["cold"] - none["cold"], "ms", at_most=1_000
        ),
        figure(
            f"page of a run with {ROWS:,} rows: more than that, warm", many["warm"] - none["warm"], "ms", at_most=500
        ),
        figure("requests until its first chart, cold", many["requests"], "", at_most=30),
        figure("API calls among them", many["calls"], "", at_most=4),
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
