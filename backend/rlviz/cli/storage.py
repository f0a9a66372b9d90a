"""What takes space in a runs folder, by kind of file and by run."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

_BY_FOLDER = {
    "eval": "evaluations",
    "film": "filmstrip",
    "snapshots": "snapshots",
    "replay": "replay buffers",
    "checkpoints": "policies",
    "clips": "clips",
    "behind": "left behind by rollbacks",
}
_BY_NAME = {
    "metrics.jsonl": "journals",
    "events.jsonl": "journals",
    "worker.log": "logs",
    "model.zip": "policies",
    "best_model.zip": "policies",
}


@dataclass(frozen=True)
class Stored:
    """Bytes by kind, and by run."""

    kinds: dict[str, int]
    runs: dict[str, int]


def measure(runs_dir: Path) -> Stored:
    """Bytes of every file below ``runs_dir``; links are not followed, and files that vanish meanwhile count nothing."""
    kinds: Counter[str] = Counter()
    runs: Counter[str] = Counter()
    for folder, _, names in os.walk(runs_dir):
        parts = Path(folder).relative_to(runs_dir).parts
        for name in names:
            try:
                count = os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118  (a hundred thousand files)
            except OSError:
                continue
            kinds[_kind(parts, name)] += count
            if parts and not parts[0].startswith("."):
                runs[parts[0]] += count
    return Stored(dict(kinds), dict(runs))


def _kind(parts: tuple[str, ...], name: str) -> str:
    """``parts``: folders from the runs folder down to the file ``name``."""
    if not parts:
        return "catalogue"
    if parts[0] == ".trash":
        return "trash"
    if len(parts) > 1:
        return _BY_FOLDER.get(parts[1], "other")
    return _BY_NAME.get(name, "other")
