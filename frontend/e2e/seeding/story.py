"""The runs of a user after some weeks of work, with every status and every state that a page can show."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from random import Random

from rlviz.domain.config import ExperimentPlace
from rlviz.domain.events import EventKind
from rlviz.rundir.folder import Labels, RunFolder
from rlviz.rundir.journal import JournalWriter
from rlviz.server.runs.service import NewRun, resolve_config
from seeding import film
from seeding.curves import CARTPOLE, Skill, rows

HOUR = 3_600.0
PACE = {"ppo": 4_000.0, "dqn": 1_900.0}
"""Environment steps per second."""

RECORDED_LENGTHS = tuple([499] * 50 + [479, 489, 509, 519])
"""Steps of episodes with 27,000 records in total; each has one record more than steps."""

PICTURE = '<img src=x onerror="window.hacked=1">'
SCRIPT = '"><script>window.hacked = 1</script><svg onload="window.hacked=1">'
LONG_NAME = "A sweep over learning rate, clip range and number of epochs, repeated until it stopped failing at night"

TRACEBACK = """Traceback (most recent call last):
  File "rlviz/learning/training/trainer.py", line 141, in run
    model.learn(total_timesteps=self._total, callback=callback)
  File "stable_baselines3/ppo/ppo.py", line 311, in learn
    return super().learn(total_timesteps=total_timesteps)
ValueError: Expected parameter logits of shape (64, 2) to satisfy the constraint, but found invalid values: nan"""


class Author:
    """Writes run folders under ``root``, the newest with about the current time."""

    def __init__(self, root: Path, now: float | None = None) -> None:
        self.root = root
        self.now = time.time() if now is None else now

    def run(
        self,
        algo: str,
        name: str,
        *,
        hours_ago: float,
        steps: int | None = None,
        ending: EventKind | None = EventKind.FINISHED,
        skill: Skill = CARTPOLE,
        env_id: str = "CartPole-v1",
        seed: int = 7,
        total: int = 50_000,
        tags: tuple[str, ...] = (),
        notes: str = "",
        policy: bool = True,
        data: dict[str, str] | None = None,
        experiment: ExperimentPlace | None = None,
        **hyperparameters: float,
    ) -> RunFolder:
        """A run with ``steps`` of ``total`` that ended with ``ending``; None is a run that never started."""
        began = self.now - hours_ago * HOUR
        new = NewRun(algo, env_id, seed=seed, total_timesteps=total, name=name, hyperparameters=hyperparameters)
        config = resolve_config(new, began).model_copy(update={"experiment": experiment})
        folder = RunFolder(self.root, config.run_id)
        folder.create(config)
        folder.write_labels(Labels(name=config.name, tags=list(tags), notes=notes))
        if ending is not None:
            self._train(folder, algo, skill, total if steps is None else steps, total, Random(name + algo), began)
            self._end(folder, ending, total if steps is None else steps, began, PACE[algo], policy, data or {})
        return folder

    def _train(
        self, folder: RunFolder, algo: str, skill: Skill, steps: int, total: int, random: Random, began: float
    ) -> None:
        clock = Clock(began + 1)
        events = _journal(folder.events_path, clock)
        events.append({"event": EventKind.STARTED.value, "step": 0, "data": {"worker": "process:1:0.0:"}})
        metrics = _journal(folder.metrics_path, clock)
        next_checkpoint = 25_000
        for step, values in rows(algo, skill, steps, total, random):
            clock.now = began + 1 + step / PACE[algo]
            metrics.append({"step": step, "values": values})
            if step >= next_checkpoint:
                next_checkpoint += 25_000
                path = f"checkpoints/step_{step}.zip"
                events.append({"event": EventKind.CHECKPOINT.value, "step": step, "data": {"path": path}})
        events.close()
        metrics.close()

    def _end(
        self,
        folder: RunFolder,
        ending: EventKind,
        steps: int,
        began: float,
        pace: float,
        policy: bool,
        data: dict[str, str],
    ) -> None:
        saved = policy and ending in (EventKind.FINISHED, EventKind.STOPPED)
        if saved:
            folder.model_path.write_bytes(b"not a policy: no test trains this run")
        events = _journal(folder.events_path, Clock(began + 1 + steps / pace))
        events.append({"event": ending.value, "step": steps, "data": {"path": "model.zip" if saved else None, **data}})
        events.close()
        folder.log_path.write_text(f"Training {folder.run_id}\nDone after {steps} steps.\n")


class Clock:
    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def _journal(path: Path, clock: Callable[[], float]) -> JournalWriter:
    return JournalWriter(path, clock=clock, flush_seconds=1e9)


def write_story(root: Path) -> dict[str, str]:
    """Fill ``root``, and return run ids by purpose."""
    author = Author(root)
    now = author.now
    good = author.run("ppo", "PPO baseline", hours_ago=2, tags=("baseline",), notes="Solved after 21k steps.")
    film.completed(good, now - 1.9 * HOUR, 25_000, (40, 55, 70), keep=False)
    film.completed(good, now - 1.8 * HOUR, 50_000, (60, 80, 100), keep=True)
    film.completed(good, now - 1.7 * HOUR, 50_000, (60, 80, 100), keep=True)
    slow = author.run(
        "dqn", "DQN baseline", hours_ago=3, skill=Skill(12, 320, 0.6, 0.25), tags=("baseline", "dqn"), seed=3
    )
    film.completed(slow, now - 2.9 * HOUR, 50_000, (40, 55, 70))
    bare = author.run("ppo", "PPO, lower gamma", hours_ago=5, skill=Skill(18, 380, 0.5), gamma=0.95)
    stopped = author.run(
        "ppo", "Stopped halfway", hours_ago=8, steps=20_480, ending=EventKind.STOPPED, skill=Skill(18, 460, 0.3)
    )
    film.failed(stopped, now - 7.9 * HOUR, 20_480, "CheckpointUnusable: model.zip is not a policy; evaluate again.")
    failed = author.run(
        "ppo",
        "Learning rate too high",
        hours_ago=26,
        steps=6_144,
        ending=EventKind.ERROR,
        skill=Skill(18, 60, 0.2),
        data={"type": "ValueError", "message": "Expected logits, found nan", "traceback": TRACEBACK},
        learning_rate=0.9,
    )
    interrupted = author.run(
        "dqn",
        "Killed overnight",
        hours_ago=40,
        steps=30_000,
        ending=EventKind.INTERRUPTED,
        skill=Skill(12, 250, 0.5),
        data={"cause": "The system killed the worker (signal 9) because it ran out of memory."},
    )
    created = author.run("ppo", LONG_NAME, hours_ago=0.5, ending=None)
    unicode = author.run("ppo", "Ünïcødé · 学习 · مرحبا 🤖", hours_ago=70, tags=("日本", "baseline"))
    hostile = author.run("dqn", PICTURE, hours_ago=90, tags=("<b>bold</b>",), notes=SCRIPT)
    acrobot = author.run(
        "dqn", "Acrobot swing", hours_ago=100, env_id="Acrobot-v1", skill=Skill(-500, -85, 0.3, 0.08), total=100_000
    )
    recorded = author.run("ppo", "PPO, every step recorded", hours_ago=101, seed=11)
    film.completed(recorded, now - 100.9 * HOUR, 25_000, RECORDED_LENGTHS, filmed=False, steps=True)
    with_steps = film.completed(recorded, now - 100.8 * HOUR, 50_000, (60, 80, 100), steps=True)
    film.other_future(recorded, with_steps, 1.0, 9)
    for number in range(12):
        author.run("ppo", f"Sweep {number + 1}", hours_ago=120 + number, seed=number, tags=("sweep",), policy=False)
    folders = {
        "good": good,
        "slow": slow,
        "bare": bare,
        "stopped": stopped,
        "failed": failed,
        "interrupted": interrupted,
        "created": created,
        "unicode": unicode,
        "hostile": hostile,
        "acrobot": acrobot,
        "recorded": recorded,
    }
    return {purpose: folder.run_id for purpose, folder in folders.items()}
