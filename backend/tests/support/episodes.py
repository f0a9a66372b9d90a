"""Run folders with episodes of known returns."""

from __future__ import annotations

import json

from rlviz.rundir.folder import RunFolder


def write_episodes(folder: RunFolder, returns: list[float]) -> None:
    """Write episodes of 10 steps and 2 seconds each, from time 1000."""
    lines = [
        {
            "seq": index,
            "time": 1_000.0 + 2 * index,
            "step": 10 * index,
            "values": {"episode/reward": value, "episode/length": 10, "episode/index": index},
        }
        for index, value in enumerate(returns, 1)
    ]
    folder.metrics_path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    started = {"seq": 1, "time": 1_000.0, "event": "started", "step": 0, "data": {"attempt": 1, "worker": "none"}}
    folder.events_path.write_text(json.dumps(started) + "\n")
