"""The last episodes of a run before a fork: the means over 100 episodes of the fork reach back to them."""

from __future__ import annotations

from rlviz.analysis.mean_return import MEAN_EPISODES
from rlviz.domain.config import LastEpisode, RunConfig
from rlviz.domain.records import EPISODE_LENGTH, EPISODE_REWARD
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.journal import read_backwards
from rlviz.rundir.metric_rows import counts
from rlviz.rundir.snapshots import Snapshot
from rlviz.rundir.superseded import superseded_rows


def last_episodes(folder: RunFolder, config: RunConfig, snapshot: Snapshot | None, until: int) -> list[LastEpisode]:
    """The last MEAN_EPISODES of the run in ``folder`` that led to step ``until``, which is that of ``snapshot`` or
    later (None: of its beginning); oldest first. Where the run is a fork itself, those before it are among them.

    Raises RunFolderError.
    """
    now = superseded_rows(folder)
    step, last_row, then = 0, 0, now
    if snapshot is not None:
        taken = snapshot.manifest
        step, last_row, then = taken.step, taken.last_row, now.by(taken.attempt)
    found: list[LastEpisode] = []
    for line in read_backwards(folder.metrics_path):
        row = line.record
        if row is None:
            continue
        led_to_snapshot = row["seq"] <= last_row
        if not counts(row, then if led_to_snapshot else now) or (not led_to_snapshot and until == step):
            continue
        values = row["values"]
        if row["step"] > until or EPISODE_REWARD not in values:
            continue
        found.append(
            LastEpisode(episode_return=_number(values[EPISODE_REWARD]), length=_number(values.get(EPISODE_LENGTH)))
        )
        if len(found) == MEAN_EPISODES:
            break
    before = config.parent.last_episodes or [] if config.parent is not None else []
    return [*before, *found[::-1]][-MEAN_EPISODES:]


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
