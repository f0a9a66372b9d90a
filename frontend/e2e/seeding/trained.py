"""Runs with real policies and filmstrips, copied from a recorded run of PPO on CartPole instead of training."""

from __future__ import annotations

from rlviz.domain.events import EventKind
from rlviz.domain.ids import new_run_id, utc
from rlviz.rundir.folder import Labels, RunFolder
from rlviz.rundir.journal import JournalWriter
from rlviz.testing.recording import RECORDINGS, Recording
from seeding.story import HOUR, Author

STEPS = 6_148
"""The part of the recording that the runs have. Later policies play long episodes, which are slow to film."""

FILMED = (0, 1_028, 3_076, STEPS)


def write_trained(author: Author) -> dict[str, str]:
    """Two short runs by purpose, older than all other runs."""
    recording = Recording(RECORDINGS / "ppo.zip")
    hare = _write(author, recording, "Hare", 300.0, recording.policy(STEPS))
    tortoise = _write(author, recording, "Tortoise", 301.0, recording.policy(recording.end))
    return {"hare": hare.run_id, "tortoise": tortoise.run_id}


def _write(author: Author, recording: Recording, name: str, hours_ago: float, policy: bytes) -> RunFolder:
    now = began = author.now - hours_ago * HOUR
    run_id = new_run_id("ppo", "CartPole-v1", utc(began))
    changes = {"run_id": run_id, "name": name, "created_at": utc(began), "total_timesteps": STEPS}
    folder = RunFolder(author.root, run_id)
    folder.create(recording.config.model_copy(update=changes))
    folder.write_labels(Labels(name=name))
    events = JournalWriter(folder.events_path, clock=lambda: now, flush_seconds=1e9)
    events.append({"event": EventKind.STARTED.value, "step": 0, "data": {"worker": "process:1:0.0:"}})
    metrics = JournalWriter(folder.metrics_path, clock=lambda: now, flush_seconds=1e9)
    for row in recording.rows:
        if row.step <= STEPS:
            now = began + row.at
            metrics.append({"step": row.step, "values": dict(row.values)})
    metrics.close()
    events.append({"event": EventKind.FINISHED.value, "step": STEPS, "data": {"path": "model.zip"}})
    events.close()
    folder.model_path.write_bytes(policy)
    for step in FILMED:
        film = folder.film_path(step)
        film.parent.mkdir(exist_ok=True)
        film.write_bytes(recording.weights(step))
    return folder
