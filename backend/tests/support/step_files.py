"""Files of step records, written by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet
from gymnasium import spaces

from rlviz.domain.recording import Actor
from rlviz.learning.playing.rollout import element_hash as hash_of
from rlviz.learning.playing.rollout import layout_of, numbers_of
from rlviz.learning.records.about import Components, RecordedEpisode, RecordsAbout
from rlviz.learning.records.writer import Row, StepWriter

RUN_ID, EVALUATION_ID = "ppo-cartpole-test", "eval_20261121-014312-001"
POLE = spaces.Box(-np.inf, np.inf, (2,), np.float32)
PUSH = spaces.Discrete(2)


def about(
    seen: spaces.Space[Any] = POLE,
    acts: spaces.Space[Any] = PUSH,
    labels: Iterable[str] = ("pole angle", "pole velocity"),
    units: Iterable[str] = ("rad", "rad/s"),
    actions: Iterable[str] = ("push left", "push right"),
) -> RecordsAbout:
    return RecordsAbout(
        run_id=RUN_ID,
        evaluation_id=EVALUATION_ID,
        env_id="CartPole-v1",
        deterministic=True,
        max_steps=27_000,
        observation=Components(layout=layout_of(seen), labels=list(labels), units=list(units)),
        action=Components(layout=layout_of(acts), labels=list(actions)),
    )


def row(said: RecordsAbout, episode: int, index: int, seen: Any, action: Any = None, **facts: Any) -> Row:
    """Return a record; an ``action`` of None is the reset."""
    given = {
        "reward": None if action is None else 1.0,
        "episode_return": float(index),
        "terminated": False,
        "truncated": False,
        "elapsed_ms": index * 20.0,
        "frame_hash": bytes([episode, index % 256] * 8),
        "reading": {"value": np.float32(index / 2), "probabilities": np.array([0.25, 0.75], np.float32)},
        **facts,
    }
    return Row(
        episode=episode,
        index=index,
        observation=numbers_of(said.observation.layout, seen),
        observation_hash=hash_of(said.observation.layout, seen),
        action=None if action is None else numbers_of(said.action.layout, action),
        actor=None if action is None else Actor.POLICY,
        **given,
    )


def write(path: Path, said: RecordsAbout, rows: Iterable[Row], *, max_bytes: int = 10**9) -> StepWriter:
    with StepWriter(path, path.parent, said, max_bytes=max_bytes) as writer:
        for one in rows:
            if one.index == 0:
                writer.begin(RecordedEpisode(seed=40 + one.episode))
            writer.add(one)
    return writer


def pole_rows(said: RecordsAbout, episodes: int = 2, steps: int = 3) -> Iterable[Row]:
    """Return episodes of a pole that leans ever further, pushed left and right in turn, until a terminal state."""
    for episode in range(episodes):
        yield row(said, episode, 0, [0.0, 0.0])
        for index in range(1, steps + 1):
            over = index == steps
            reward = 1.0 if not over else -5.0
            yield row(said, episode, index, [index / 10, episode], index % 2, terminated=over, reward=reward)


def change_value(path: Path, column: str, row: int, change: Callable[[Any], Any]) -> None:
    """Change one value in a file of records."""
    said = pyarrow.parquet.read_metadata(path).metadata
    table = pyarrow.parquet.read_table(path)
    values = table.column(column).to_pylist()
    values[row] = change(values[row])
    field = table.schema.field(column)
    changed = table.set_column(table.column_names.index(column), field, pyarrow.array(values, field.type))
    pyarrow.parquet.write_table(changed.replace_schema_metadata({b"rlviz": said[b"rlviz"]}), path)


def flipped(content: bytes) -> bytes:
    """Return ``content`` with one bit of its first byte changed."""
    return bytes([content[0] ^ 1]) + content[1:]
