"""Measures watching in a browser, up to the screen: the start, a key, a click on the curve, a reading with its frame.

``sessions`` and ``film`` measure the share of the service and its workers.

    python -m benchmarks live_window
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

from benchmarks.browser import measure
from benchmarks.support import WARM_UP_SECONDS, Figure, figure, percentile, scratch, service, start_run, wait_until

TIMESTEPS = 50_000
WATCH_SECONDS = 10
KEYS = 40


def run() -> Iterator[Figure]:
    with scratch() as root, service(root) as client:
        run_id = start_run(client, total_timesteps=TIMESTEPS)
        wait_until(lambda: client.get(f"/runs/{run_id}").json()["status"] == "completed", 600)
        time.sleep(WARM_UP_SECONDS)
        url = str(client.base_url).removesuffix("/api/")
        found = measure("live-window", url, str(WATCH_SECONDS), str(KEYS), run_id)
    yield figure("click on the curve → its policy plays, the first time", found["first"] / 1_000, "s", at_most=2)
    yield figure("click on the curve → another policy plays", found["next"] / 1_000, "s", at_most=2)
    yield figure("click on the curve → the same again, worst of 5", max(found["again"]), "ms", at_most=200)
    yield figure("Start pressed → the agent is on the screen", found["start"] / 1_000, "s", at_most=2)
    yield figure("frames drawn while watched", found["frames_a_second"], "frames/s")
    behind = found["behind"]
    yield figure("reading after the frame of its step, p95", percentile(behind, 95), "frames", at_most=1)
    yield figure("frames whose reading never came", found["unread"], "")
    yield figure("key → frame on the screen that it led to, median", statistics.median(found["keys"]), "ms")
    yield figure("key → frame on the screen that it led to, p95", percentile(found["keys"], 95), "ms", at_most=100)
