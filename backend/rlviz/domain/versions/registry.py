"""The formats of all files that carry a schema version. The catalogue's steps are those of Alembic, in ``catalog``."""

from __future__ import annotations

from rlviz.domain.versions import config, events
from rlviz.domain.versions.format import Format

CONFIG = Format("config", "config.json", config.MIGRATIONS)
EVENTS = Format("events", "events.jsonl, each line", events.MIGRATIONS)
METRICS = Format("metrics", "metrics.jsonl, each line")
EVALUATION = Format("evaluation", "eval/<id>.json")
SNAPSHOT = Format("snapshot", "manifest.json of a snapshot")
EXPERIMENT = Format("experiment", "experiment.json")
TRIALS = Format("trials", "trials.jsonl, each line")

FORMATS = (CONFIG, EVENTS, METRICS, EVALUATION, SNAPSHOT, EXPERIMENT, TRIALS)
