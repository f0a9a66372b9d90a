"""Shows what the agent saw at one step of a recorded episode, and its saliency map, by playing it again."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.clips import SaliencyPlan, Score, SeenPictures, StepSaliency
from rlviz.domain.errors import NoSaliency
from rlviz.learning.algorithms.policy import TrainedPolicy
from rlviz.learning.algorithms.saliency import saliency
from rlviz.learning.playing.recording import as_png
from rlviz.learning.playing.rollout import Env, Episode, Step, as_action, seed_all
from rlviz.learning.playing.rollout import element_hash as hash_of
from rlviz.learning.records.reader import StepFile
from rlviz.rundir.clips import Clips
from rlviz.rundir.folder import RunFolder
from rlviz.stats.pictures import PictureLayout, is_picture, side_by_side


@dataclass(frozen=True, eq=False)
class Seen:
    """``pixels``: one picture as ``about`` describes it, of shape (height, width) or (height, width, 3)."""

    about: SeenPictures
    pixels: NDArray[np.uint8]


def see(observation: Any, policy: TrainedPolicy | None = None, action: Any = None) -> Seen | None:
    """Return the pictures of ``observation``, or None if it is not an image.

    With ``policy``, they include how much each pixel matters for its ``action``.
    """
    if not isinstance(observation, np.ndarray) or not is_picture(observation.shape, observation.dtype):
        return None
    if (layout := PictureLayout.from_shape(observation.shape)) is None:
        return None
    pixels = side_by_side(layout.split(observation))
    score: Score | None = None
    if policy is not None and (found := saliency(policy, observation, action)) is not None:
        score = found.score
        maps = side_by_side(np.rint(found.maps * 255).astype(np.uint8)[..., np.newaxis])
        pixels = np.concatenate([pixels, np.broadcast_to(maps, pixels.shape)])
    about = SeenPictures(pictures=layout.count, score=score)
    return Seen(about, np.ascontiguousarray(pixels[..., 0] if layout.colours == 1 else pixels))


def step_saliency(folder: RunFolder, env: Env, policy: TrainedPolicy, plan: SaliencyPlan) -> StepSaliency:
    """Compute the saliency of the action that ``policy`` took; after the last step, of the one it would take.

    The recorded actions are replayed, as in a verification, and must lead to the recorded observation. Raises
    NoSaliency, FileNotFoundError and RunFolderError.
    """
    with StepFile(_records(folder, plan), folder.path) as file:
        actions, recorded = _recorded(file, plan)
        episode = Episode(env, plan.episode, file.about.episodes[plan.episode].seed, file.about.max_steps)
        layout = file.about.observation.layout
    step = _played(episode, actions[: plan.index])
    came = hash_of(layout, step.observation)
    if came is None or came.hex() != recorded:
        advice = "" if plan.evaluation_id is None else " Verify the records to see where the difference starts."
        raise NoSaliency(
            f"Step {plan.index} of episode {plan.episode + 1} differed when it was played again, so the agent's "
            f"observation is not known.{advice}"
        )
    if plan.index < len(actions):
        action = as_action(env.action_space, actions[plan.index])
    else:
        action = policy.predict(step.observation[np.newaxis], deterministic=True)[0][0]
    seen = see(step.observation, policy, action)
    if seen is None or seen.about.score is None:
        raise NoSaliency("This policy does not see images, or its algorithm has no score for pixels.")
    return StepSaliency(seen=seen.about, png=base64.b64encode(as_png(seen.pixels)).decode())


def _records(folder: RunFolder, plan: SaliencyPlan) -> Path:
    if plan.evaluation_id is not None:
        return folder.evaluations.steps_path(plan.evaluation_id)
    return Clips(folder).steps_path(str(plan.clip_id))


def _recorded(file: StepFile, plan: SaliencyPlan) -> tuple[list[Any], str | None]:
    """Return the episode's actions up to the one after the step, and the hash of the observation at the step."""
    found = file.read(["episode", "index", "action", "observation_hash"], file.groups(plan.episode))
    index = found["index"].numbers
    rows = np.flatnonzero((found["episode"].numbers == plan.episode) & (index <= plan.index + 1))
    at = rows[index[rows] == plan.index]
    if not len(at):
        raise NoSaliency(f"Step {plan.index} of episode {plan.episode + 1} was not recorded: the records were cut.")
    actions = found["action"][rows]
    seen = found["observation_hash"][at]
    return list(actions.numbers[actions.present]), seen.numbers[0] if seen.present[0] else None


def _played(episode: Episode, actions: list[Any]) -> Step:
    seed_all(episode, None, deterministic=True)
    step = episode.begin()
    for action in actions:
        step = episode.take_action(action)
    return step
