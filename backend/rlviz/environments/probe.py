"""``python -m rlviz.environments.probe ENTRY_POINT``: makes a custom environment, takes a step, and describes it.

The last line of its output is JSON: a ProbedEnvironment, or ``{"unavailable_reason": "…"}``, written for the author of
the class. A usable class is described three times, since what comes next may hang or crash: before its state is tried,
after that, and with a picture of it.
"""

from __future__ import annotations

import faulthandler
import json
import math
import sys
import traceback
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from io import BytesIO
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import FlattenObservation
from PIL import Image

from rlviz.domain.environment import CustomEnvironment, ProbedEnvironment, StateKept
from rlviz.domain.spaces import Space
from rlviz.environments.flattened import NotFlattenable, names_of
from rlviz.environments.make import Env, make_custom
from rlviz.environments.source import load_class
from rlviz.environments.state.trial import SECONDS, find_keeper
from rlviz.environments.stills.picture import save

DEFAULT_FPS = 30

STILL_STEPS = 20
"""Random actions before the picture is taken; fewer if the episode ends."""


class Unusable(Exception):
    """The class cannot be used. The message says what is wrong, and what would be right."""


def main(entry_point: str) -> int:
    try:
        described = probe(entry_point)
        _say(ProbedEnvironment(environment=described))
        described = try_state(described)
        _say(ProbedEnvironment(environment=described))
        _say(ProbedEnvironment(environment=described, still=render_still(described)))
    except Unusable as error:
        print(json.dumps({"unavailable_reason": str(error)}))
    except Exception as error:
        traceback.print_exc()
        where = traceback.extract_tb(error.__traceback__)[-1]
        reason = f"{type(error).__name__}: {error} ({where.filename}, line {where.lineno})"
        print(json.dumps({"unavailable_reason": reason[:600]}))
    return 0


def probe(entry_point: str) -> CustomEnvironment:
    """Describe the class after taking a step and rendering a frame; its state was not tried yet.

    Raises Unusable, or what the class raises.
    """
    loaded = _load(entry_point)
    said = _said_by(entry_point, loaded)
    try:
        env = make_custom(said, "rgb_array")
    except NotFlattenable as error:
        raise Unusable(str(error)) from error
    try:
        observed = _space(env.observation_space, "observation")
        as_written = env.env if isinstance(env, FlattenObservation) else env
        custom = said.model_copy(
            update={
                "observation_space": _named(
                    replace(observed, labels=names_of(as_written.observation_space)), loaded, "observation"
                ),
                "action_space": _named(_space(env.action_space, "action"), loaded, "action"),
                "state_kept_by": StateKept.NOTHING,
                "state_problem": "It hung or crashed while it was tried whether its state can be copied.",
            }
        )
        _play(as_written)
    finally:
        env.close()
    return custom


def try_state(described: CustomEnvironment) -> CustomEnvironment:
    """Find what copies its state. The process ends if the environment hangs, in native code too."""
    faulthandler.dump_traceback_later(SECONDS + 1, exit=True)
    kept, problem = find_keeper(lambda: make_custom(described, None))
    faulthandler.cancel_dump_traceback_later()
    return described.model_copy(update={"state_kept_by": kept, "state_problem": problem})


def render_still(described: CustomEnvironment) -> bytes | None:
    """A picture from within an episode of random actions, as WebP; None if it cannot be played so far. The process ends
    if the environment hangs."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    try:
        with closing(make_custom(described, "rgb_array")) as env:
            env.action_space.seed(0)
            env.reset(seed=0)
            for _ in range(STILL_STEPS):
                _, _, terminated, truncated, _ = env.step(env.action_space.sample())
                if terminated or truncated:
                    break
            return _webp(np.asarray(env.render()))
    except Exception:
        traceback.print_exc()
        return None
    finally:
        faulthandler.cancel_dump_traceback_later()


def _webp(frame: np.ndarray[Any, Any]) -> bytes:
    file = BytesIO()
    save(Image.fromarray(frame), file)
    return file.getvalue()


def _say(found: ProbedEnvironment) -> None:
    print(found.model_dump_json(), flush=True)


def _load(entry_point: str) -> Any:
    try:
        loaded = load_class(entry_point)
    except AttributeError as error:
        raise Unusable(f"{error}. Name a class that the module has.") from error
    if not (isinstance(loaded, type) and issubclass(loaded, gymnasium.Env)):
        raise Unusable(f"{entry_point} is no gymnasium.Env. Derive the class from gymnasium.Env.")
    if "rgb_array" not in _metadata(loaded).get("render_modes", ()):
        raise Unusable(
            'It cannot be filmed: metadata["render_modes"] has no "rgb_array". Take render_mode as an argument, '
            "and return an RGB array from render()."
        )
    return loaded


def _said_by(entry_point: str, loaded: Any) -> CustomEnvironment:
    """What the attributes of the class say; its spaces are added later."""
    summary = (loaded.__doc__ or "").strip().split("\n\n")[0].replace("\n", " ").strip()
    return CustomEnvironment(
        entry_point=entry_point,
        summary=summary if summary and loaded.__doc__ != gymnasium.Env.__doc__ else f"Your own, from {entry_point}.",
        observation_space=Space("Unknown"),
        action_space=Space("Unknown"),
        reward_threshold=getattr(loaded, "reward_threshold", None),
        max_episode_steps=getattr(loaded, "max_episode_steps", None),
        render_fps=round(_metadata(loaded).get("render_fps") or DEFAULT_FPS),
    )


def _metadata(loaded: Any) -> Mapping[str, Any]:
    metadata: Mapping[str, Any] = getattr(loaded, "metadata", None) or {}
    return metadata


def _space(space: gymnasium.Space[Any], what: str) -> Space:
    known = (spaces.Box, spaces.Discrete, spaces.MultiDiscrete, spaces.MultiBinary)
    if not isinstance(space, known):
        advice = "Dict and Tuple of those too" if what == "observation" else "use one of those"
        raise Unusable(
            f"Its {what} space is {type(space).__name__}; only Box, Discrete, MultiDiscrete and MultiBinary can be "
            f"learned from here ({advice})."
        )
    counts = tuple(map(int, space.nvec.flat)) if isinstance(space, spaces.MultiDiscrete) else ()
    n = int(space.n) if isinstance(space, spaces.Discrete) else math.prod(counts) if counts else None
    return Space(type(space).__name__, tuple(space.shape or ()), n, dtype=str(space.dtype), counts=counts)


def _named(space: Space, loaded: Any, what: str) -> Space:
    """``space`` with the names and units that the class has for it: ``observation_names``, ``action_units``."""
    size = space.n if space.kind == "Discrete" and space.n is not None else space.size
    names = _texts(loaded, f"{what}_names", size) or space.labels
    units = _texts(loaded, f"{what}_units", size)
    if units and space.kind == "Discrete":
        raise Unusable(f"{what}_units are of numbers; its {what} space is Discrete, whose values are counted.")
    if len(set(names)) < len(names):
        raise Unusable(f"{what}_names has a name twice. Give each another one.")
    return replace(space, labels=names, units=units)


def _texts(loaded: Any, attribute: str, size: int) -> tuple[str, ...]:
    """The texts in a class attribute; none if there is no such attribute. Raises Unusable unless there are ``size``."""
    said = getattr(loaded, attribute, ())
    if isinstance(said, str) or not (isinstance(said, Sequence) and all(isinstance(text, str) for text in said)):
        raise Unusable(f"{attribute} is {_brief(said)}; a list of texts is needed, one for each of {size}.")
    if said and len(said) != size:
        raise Unusable(f"{attribute} has {len(said)} texts; one for each of {size} is needed.")
    return tuple(said)


def _play(env: Env) -> None:
    observation, _ = env.reset(seed=0)
    if observation not in env.observation_space:
        raise Unusable(f"reset() returned {_brief(observation)}, which its observation space does not contain.")
    env.action_space.seed(0)
    observation, reward, *_ = env.step(env.action_space.sample())
    reward = float(reward)
    if observation not in env.observation_space:
        raise Unusable(f"step() returned {_brief(observation)}, which its observation space does not contain.")
    if not math.isfinite(reward):
        raise Unusable(f"step() gave a reward of {reward}; rewards must be finite numbers.")
    frame = env.render()
    if not (isinstance(frame, np.ndarray) and frame.dtype == np.uint8 and frame.ndim == 3 and frame.shape[2] == 3):
        raise Unusable(
            f"render() returned {_brief(frame)}; an array of bytes, height × width × 3, is needed for videos."
        )


def _brief(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}, {' × '.join(map(str, value.shape))}"
    return repr(value)[:80]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
