"""A resume that diverges discards the policies of earlier attempts. It is exhaustive because it trains the run
twice.
"""

from __future__ import annotations

import json
from pathlib import Path

from rlviz.domain.evaluation import BestPolicy
from rlviz.domain.events import EventKind
from rlviz.learning.training.watched import train_run
from rlviz.rundir.files import is_file
from rlviz.rundir.folder import add_results, read_best
from rlviz.rundir.snapshots import snapshots_of
from rlviz.server.catalog.projection.folder import row_of_folder
from tests.real.test_pausing import TOTAL, only, resume
from tests.support.training import make_run, snapshots


def test_a_diverging_resume_discards_the_policies_of_earlier_attempts(tmp_path: Path) -> None:
    folder = make_run(
        tmp_path,
        total_timesteps=TOTAL,
        snapshots=snapshots(every_steps=400, keep=10),
        evaluation={"every_steps": 500, "episodes": 1, "stop_after": None},
    )
    assert train_run(folder)
    first = snapshots_of(folder)[0]
    earlier = BestPolicy(step=TOTAL - 100, mean_return=499.0, std_return=0.0, episodes=1)
    policy = folder.model_path.read_bytes()
    folder.best_model_path.write_bytes(add_results(policy, earlier))
    folder.checkpoint_path(TOTAL - 101).write_bytes(policy)
    lines = [json.loads(line) for line in folder.metrics_path.read_text().splitlines()]
    place = next(at for at in range(first.manifest.last_row, len(lines)) if "episode/reward" in lines[at]["values"])
    lines[place]["values"]["episode/reward"] += 1.0
    folder.metrics_path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    resume(folder, snapshot=first.name)
    assert only(folder, EventKind.DIVERGED)
    best = folder.best_policy()
    assert best != earlier
    assert row_of_folder(folder).best_policy == (best.model_dump() if best is not None else None)
    assert TOTAL - 101 not in dict(folder.checkpoint_files())
    left = folder.path / "behind" / "2"
    assert read_best(left / "best_model.zip", folder.path) == earlier
    assert (left / "checkpoints" / f"step_{TOTAL - 101}.zip").read_bytes() == policy
    assert is_file(folder.model_path), "the attempt's own final policy stays"
