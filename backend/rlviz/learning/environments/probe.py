"""``python -m rlviz.learning.environments.probe ENTRY_POINT``: makes a custom environment, tests it, and describes it.

Each line of output is a JSON answer: a ProbedEnvironment, or ``{"unavailable_reason": "…"}`` for the class's author. A
usable class is described several times, because later tests may hang or crash; the last line counts. With
``--answer FILE`` the answers are written to that file, so that output of the class cannot mix with them.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import math
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

import gymnasium
import numpy as np
from gymnasium.wrappers import FlattenObservation
from PIL import Image

from rlviz.domain.environment import CustomEnvironment, ProbedEnvironment, StateKept
from rlviz.domain.errors import EnvironmentFaulty
from rlviz.domain.errors import summarize_error as brief_error
from rlviz.domain.reward_components import MOST_COMPONENTS
from rlviz.domain.spaces import Space
from rlviz.learning.environments.base import find_source_files, load_class
from rlviz.learning.environments.conforming import (
    CLOSE_SECONDS,
    UNKNOWN,
    Fault,
    as_rate,
    conforming_layer,
    counted_from_zero,
    describe_space,
    listen,
)
from rlviz.learning.environments.custom import custom_environment
from rlviz.learning.environments.gameboy.family import FAMILY as GAMES
from rlviz.learning.environments.gameboy.game_file import BadGame, FoundGame, read_game
from rlviz.learning.environments.make import Env, make_bare, make_custom
from rlviz.learning.environments.observed import brief
from rlviz.learning.environments.reward_components import COMPONENTS
from rlviz.learning.environments.state import SECONDS, find_keeper
from rlviz.learning.environments.stills.scenes import save
from rlviz.learning.environments.wrappers import NotFlattenable, names_of

Result = TypeVar("Result")

DEFAULT_FPS = 30

MOST_FPS = 240
"""Highest frame rate of a video; few screens show more."""

STILL_STEPS = 20
"""Random actions before the picture is taken; fewer if the episode ends."""

REHEARSAL_STEPS = 60
"""Random actions that are tried to find faults."""

RENDERED_STEPS = 12
"""Number of these steps that are rendered."""

REHEARSAL_SECONDS = 3.0
"""Time limit for these steps."""

HANG_SECONDS = 12.0
"""A class whose random steps take longer hangs; the last description before that counts."""

SUMMARY_LENGTH = 300
"""Characters of a class's docstring that are shown."""


class Unusable(Exception):
    """The class cannot be used. The message says what is wrong and what would be right."""


def main(entry_point: str, answer: Path | None = None, hang_seconds: float = HANG_SECONDS) -> int:
    """Probe a class and write the answers. Returns the exit status."""
    say = _writer(answer)
    try:
        for found in describe(entry_point, hang_seconds):
            say(found.model_dump_json())
    except Unusable as error:
        say(json.dumps({"unavailable_reason": str(error)}))
    except Exception as error:
        traceback.print_exc()
        say(json.dumps({"unavailable_reason": where_it_failed(error)[:600]}))
    return 0


def _writer(answer: Path | None) -> Callable[[str], None]:
    if answer is None:
        return lambda line: print(line, flush=True)

    def write(line: str) -> None:
        with answer.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    return write


def describe(entry_point: str, hang_seconds: float = HANG_SECONDS) -> Iterator[ProbedEnvironment]:
    """Yield descriptions of the class, each more complete. Raises Unusable, or what the class raises."""
    if is_game(entry_point):
        yield from _describe_game(entry_point, hang_seconds)
        return
    described = probe(entry_point)
    sources = find_source_files(entry_point)
    cut = f"It crashed within its first random steps, or took longer than {hang_seconds:g} seconds."
    yield ProbedEnvironment(
        environment=described.model_copy(update={"warnings": (*described.warnings, cut)}), sources=sources
    )
    described = rehearse(described, hang_seconds=hang_seconds)
    yield ProbedEnvironment(environment=described, sources=sources)
    described = try_state(described)
    yield ProbedEnvironment(environment=described, sources=sources)
    yield ProbedEnvironment(environment=described, sources=sources, still=render_still(described))


def is_game(entry_point: str) -> bool:
    """Return whether an entry point is that of a game: the path of its file, and its name."""
    return entry_point.rpartition(":")[0].endswith(".toml")


def _describe_game(entry_point: str, hang_seconds: float) -> Iterator[ProbedEnvironment]:
    """Yield descriptions of a game, each more complete. Raises Unusable."""
    path = Path(entry_point.rpartition(":")[0])
    try:
        found = read_game(path)
        if missing := GAMES.missing():
            raise Unusable(f"{', '.join(missing)} is not installed: {GAMES.install}")
        described = _in_a_thread(lambda: _try_game(entry_point, found))
    except (BadGame, EnvironmentFaulty) as error:
        raise Unusable(str(error)) from error
    cut = f"It crashed within its first random steps, or took longer than {hang_seconds:g} seconds."
    yield ProbedEnvironment(
        environment=described.model_copy(update={"warnings": (*described.warnings, cut)}), sources=found.files
    )
    faulthandler.dump_traceback_later(hang_seconds, exit=True)
    warnings, still = _in_a_thread(lambda: _rehearse_game(described))
    faulthandler.cancel_dump_traceback_later()
    described = described.model_copy(update={"warnings": (*described.warnings, *warnings)})
    yield ProbedEnvironment(environment=described, sources=found.files, still=still)


_CLOCK = (
    "The cartridge has a clock, which shows the real time. So episodes with the same seed may differ, and a resumed "
    "run may not continue exactly."
)


def _try_game(entry_point: str, found: FoundGame) -> CustomEnvironment:
    """Describe a game after its first frames. Raises EnvironmentFaulty if PyBoy cannot run it."""
    game, warnings = found.game, []
    if found.header.has_clock:
        warnings.append(_CLOCK)
    if found.header.has_battery and game.start_state is None:
        warnings.append(
            "The cartridge keeps saved games. Episodes begin with empty ones; nothing is read or written beside the "
            "ROM. To begin elsewhere, set start_state."
        )
    if not game.components:
        warnings.append("game.toml has no [components], so each reward is 0.")
    described = CustomEnvironment(
        entry_point=entry_point,
        summary=game.summary or f"Your own game, {game.name}.",
        observation_space=UNKNOWN,
        action_space=UNKNOWN,
        reward_threshold=game.reward_threshold,
        max_episode_steps=game.max_episode_steps,
        render_fps=DEFAULT_FPS,
        state_problem=_CLOCK if found.header.has_clock else None,
        warnings=tuple(warnings),
        game=game,
    )
    entry = custom_environment(game.name, described)
    make_bare(entry, None).close()
    return described.model_copy(
        update={
            "observation_space": entry.observation_space,
            "action_space": entry.action_space,
            "render_fps": entry.render_fps,
        }
    )


def _rehearse_game(described: CustomEnvironment) -> tuple[list[str], bytes | None]:
    """Take random steps. Returns warnings, and a picture."""
    faults: list[Fault] = []
    with closing(make_bare(custom_environment("game", described), "rgb_array")) as env:
        listen(env, faults.append)
        game: Any = env.unwrapped
        env.action_space.seed(0)
        env.reset(seed=0)
        first, memory = np.asarray(env.render()).copy(), game.memory()
        for _ in range(REHEARSAL_STEPS):
            *_, terminated, truncated, _ = env.step(env.action_space.sample())
            if terminated or truncated:
                env.reset()
        last = np.asarray(env.render())
        stands = np.array_equal(first, last) and memory == game.memory()
        warnings = _sentences(faults)
        if stands:
            warnings.append(
                f"Nothing moved in {REHEARSAL_STEPS} random steps: the screen and the memory stayed the same. The "
                "game may hang. Check start_state, buttons and boot_frames."
            )
        return warnings, _webp(last)


def probe(entry_point: str, *, close_seconds: float = CLOSE_SECONDS) -> CustomEnvironment:
    """Describe the class after a step and a rendered frame, without testing its state.

    It runs in a separate thread, like training, because some code only works in the main thread.

    Args:
        entry_point: ``module:Class`` or ``file.py:Class``.
        close_seconds: Time limit for its ``close``.

    Raises:
        Unusable: Nothing can be learned from it; the message says why.
        Exception: Whatever the class raises.
    """
    try:
        return _in_a_thread(lambda: _probe(entry_point, close_seconds))
    except Unusable:
        raise
    except Exception as error:
        try:
            _probe(entry_point, close_seconds)
        except Exception:
            raise error from None
        raise Unusable(
            f"It works only in the main thread, but training runs in another thread: {where_it_failed(error)}"
        ) from error


def _probe(entry_point: str, close_seconds: float) -> CustomEnvironment:
    loaded = _load(entry_point)
    said, warnings = _describe_class(entry_point, loaded)
    faults: list[Fault] = []
    try:
        env = make_custom(said, "rgb_array", close_seconds=close_seconds)
    except (NotFlattenable, EnvironmentFaulty) as error:
        raise Unusable(str(error)) from error
    listen(env, faults.append)
    try:
        as_written = env.env if isinstance(env, FlattenObservation) else env
        try:
            observed = describe_space(env.observation_space, "observation")
            acted = describe_space(env.action_space, "action")
            custom = said.model_copy(
                update={
                    **_from_metadata(_own(env), warnings),
                    "observation_space": _named(
                        replace(observed, labels=names_of(as_written.observation_space)), loaded, "observation"
                    ),
                    "action_space": _named(acted, loaded, "action"),
                    "state_kept_by": StateKept.NOTHING,
                    "state_problem": "It hung or crashed while the app tested whether its state can be copied.",
                }
            )
            _play(counted_from_zero(env), faults)
        except EnvironmentFaulty as error:
            raise Unusable(str(error)) from error
    finally:
        env.close()
    return custom.model_copy(update={"warnings": (*warnings, *_sentences(faults))})


def _own(env: Env) -> Env:
    """Return the instance of the user's class within ``env``."""
    layer = conforming_layer(env)
    assert layer is not None
    own: Env = layer.env
    return own


def rehearse(
    described: CustomEnvironment,
    monotonic: Callable[[], float] = time.monotonic,
    *,
    hang_seconds: float = HANG_SECONDS,
) -> CustomEnvironment:
    """Take some random steps and collect warnings. The process ends if the class hangs, even in native code."""
    faulthandler.dump_traceback_later(hang_seconds, exit=True)
    found: list[str] = []
    components: tuple[str, ...] = ()
    try:
        found, components = _in_a_thread(lambda: _rehearse(described, monotonic))
        alone = _in_a_thread(lambda: _why_alone(described))
    except Exception as error:  # one was made before, but cannot be made again in the same process
        alone = brief_error(error)
    finally:
        faulthandler.cancel_dump_traceback_later()
    if alone is not None:
        found.append(
            f"A second instance cannot be created in the same process ({alone}). Train with n_envs = 1 and without "
            "evaluations."
        )
    new = [warning for warning in found if warning not in described.warnings]
    return described.model_copy(
        update={
            "warnings": (*described.warnings, *new),
            "is_single": alone is not None,
            "reward_components": components,
        }
    )


def _rehearse(described: CustomEnvironment, monotonic: Callable[[], float]) -> tuple[list[str], tuple[str, ...]]:
    """Return warnings about the class, as sentences, and the components of its reward, in order of appearance."""
    components: dict[str, None] = {}
    faults: list[Fault] = []
    failures: list[str] = []
    until = monotonic() + REHEARSAL_SECONDS
    env = make_custom(described, "rgb_array")
    listen(env, faults.append)
    try:
        env.action_space.seed(0)
        env.reset(seed=0)
        for number in range(REHEARSAL_STEPS):
            if number < RENDERED_STEPS and not failures and (unseen := _why_not_filmed(env.render())) is not None:
                failures.append(f"After {number} random steps, {unseen}: this step cannot be filmed.")
            _, _, terminated, truncated, info = env.step(env.action_space.sample())
            components |= dict.fromkeys(info.get(COMPONENTS, ()))
            if terminated or truncated:
                env.reset()
            if monotonic() > until:
                break
    except EnvironmentFaulty as error:
        failures.append(f"It failed after some random steps: {error}")
    except Exception as error:
        failures.append(f"It failed after some random steps: {where_it_failed(error)}")
    finally:
        env.close()
    return [*_sentences(faults), *failures], tuple(components)[:MOST_COMPONENTS]


def _why_alone(described: CustomEnvironment) -> str | None:
    """Return why a second instance cannot be made beside the first, or None if it can."""
    with closing(make_custom(described, None)):
        try:
            make_custom(described, None).close()
        except Exception as error:
            return brief_error(error)
    return None


def try_state(described: CustomEnvironment) -> CustomEnvironment:
    """Find how to capture its state. The process ends if the environment hangs, even in native code."""
    faulthandler.dump_traceback_later(SECONDS + 1, exit=True)
    kept, problem = find_keeper(lambda: make_custom(described, None))
    faulthandler.cancel_dump_traceback_later()
    return described.model_copy(update={"state_kept_by": kept, "state_problem": problem})


def render_still(described: CustomEnvironment) -> bytes | None:
    """Return a picture from an episode of random actions as WebP, or None if the episode cannot be played.

    The process ends if the environment hangs.
    """
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


def where_it_failed(error: BaseException) -> str:
    """Return an exception of the user's code in one line, with the line of code that raised it."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({where.filename}, line {where.lineno})"


def _in_a_thread(function: Callable[[], Result]) -> Result:
    """Call ``function`` in a separate thread; raise what it raises, but SystemExit as Unusable."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)

    thread = Thread(target=run, name="probe", daemon=True)
    thread.start()
    thread.join()
    if not errors:
        return results[0]
    if isinstance(errors[0], SystemExit):
        raise Unusable("Importing its module called sys.exit(). A module must not end its process.") from errors[0]
    raise errors[0]


def _sentences(faults: Sequence[Fault]) -> list[str]:
    """Return one sentence for each kind of fault."""
    found = {fault.kind: fault.sentence() for fault in reversed(faults)}
    return list(reversed(found.values()))


def _webp(frame: np.ndarray[Any, Any]) -> bytes:
    file = BytesIO()
    save(Image.fromarray(frame), file)
    return file.getvalue()


def _load(entry_point: str) -> Any:
    try:
        loaded = load_class(entry_point)
    except AttributeError as error:
        raise Unusable(f"{error}. Name a class that the module has.") from error
    if not (isinstance(loaded, type) and issubclass(loaded, gymnasium.Env)):
        raise Unusable(f"{entry_point} is not a gymnasium.Env. Derive the class from gymnasium.Env.")
    metadata = getattr(loaded, "metadata", None)
    if isinstance(metadata, property):  # a class that wraps another environment; only instances have metadata
        return loaded
    _check_render_modes(metadata)
    return loaded


def _check_render_modes(metadata: object) -> None:
    modes = metadata.get("render_modes") if isinstance(metadata, Mapping) else None
    if not isinstance(modes, Iterable) or "rgb_array" not in modes:
        raise Unusable(
            'It cannot be filmed: metadata["render_modes"] has no "rgb_array". Take render_mode as an argument, '
            "and return an RGB array from render()."
        )


def _describe_class(entry_point: str, loaded: Any) -> tuple[CustomEnvironment, list[str]]:
    """Return what the class's attributes describe, and warnings about them. Spaces are added later."""
    summary = " ".join((loaded.__doc__ or "").strip().split("\n\n")[0].split())
    has_one = summary and loaded.__doc__ not in (gymnasium.Env.__doc__, gymnasium.Wrapper.__doc__)
    warnings: list[str] = []
    custom = CustomEnvironment(
        entry_point=entry_point,
        summary=summary[:SUMMARY_LENGTH] if has_one else f"Your own, from {entry_point}.",
        observation_space=UNKNOWN,
        action_space=UNKNOWN,
        reward_threshold=_threshold(loaded, warnings),
        max_episode_steps=_step_limit(loaded),
        render_fps=DEFAULT_FPS,
    )
    return custom, warnings


def _threshold(loaded: Any, warnings: list[str]) -> float | None:
    said = getattr(loaded, "reward_threshold", None)
    if said is None:
        return None
    if isinstance(said, int | float | np.number) and math.isfinite(said):
        return float(said)
    warnings.append(f"reward_threshold is {brief(said)}, which is not a finite number. It is ignored.")
    return None


def _step_limit(loaded: Any) -> int | None:
    said = getattr(loaded, "max_episode_steps", None)
    if said is None or isinstance(said, property):  # only an instance has it
        return None
    is_whole = isinstance(said, int | float | np.number) and math.isfinite(said) and int(said) == said
    if not is_whole or said <= 0:
        raise Unusable(f"max_episode_steps is {brief(said)}; a whole number above 0 is needed, or None.")
    return int(said)


def _from_metadata(env: Env, warnings: list[str]) -> dict[str, Any]:
    """Return what an instance's metadata describes; a wrapper may have the metadata of the environment it wraps."""
    metadata = env.metadata
    _check_render_modes(metadata)
    said = metadata.get("render_fps")
    if said is None:
        return {}
    rate = as_rate(said)
    if rate is None:
        warnings.append(f'metadata["render_fps"] is {brief(said)}; its videos play {DEFAULT_FPS} frames a second.')
        return {}
    if rate > MOST_FPS:
        warnings.append(f'metadata["render_fps"] is {rate:g}; its videos play {MOST_FPS} frames a second.')
    return {"render_fps": min(rate, MOST_FPS)}


def _named(space: Space, loaded: Any, what: str) -> Space:
    """Return ``space`` with the class's names and units (``observation_names``, ``action_units``)."""
    size = space.n if space.kind == "Discrete" and space.n is not None else space.size
    names = _texts(loaded, f"{what}_names", size) or space.labels
    units = _texts(loaded, f"{what}_units", size)
    if units and space.kind == "Discrete":
        raise Unusable(f"{what}_units needs a space of numbers, but its {what} space is Discrete. Remove them.")
    if len(set(names)) < len(names):
        raise Unusable(f"{what}_names contains a name twice. Names must be unique.")
    return replace(space, labels=names, units=units)


def _texts(loaded: Any, attribute: str, size: int) -> tuple[str, ...]:
    """Return the texts in a class attribute, or none. Raises Unusable unless there are ``size``."""
    said = getattr(loaded, attribute, ())
    if isinstance(said, str) or not (isinstance(said, Sequence) and all(isinstance(text, str) for text in said)):
        raise Unusable(f"{attribute} is {brief(said)}; a list of {size} strings is needed.")
    if said and len(said) != size:
        raise Unusable(f"{attribute} has {len(said)} strings; {size} are needed.")
    return tuple(said)


def _play(env: Env, faults: list[Fault]) -> None:
    """Reset, take a step and render. Raises EnvironmentFaulty, or Unusable for numbers that are not finite."""
    own = _own(env)
    before = own.observation_space, own.action_space
    env.reset(seed=0)
    for what, first, then in zip(
        ("observation", "action"), before, (own.observation_space, own.action_space), strict=True
    ):
        if first != then:
            raise Unusable(f"Its {what} space changes in reset(), from {first} to {then}. Set it once, in __init__.")
    _check_finite(faults)
    env.action_space.seed(0)
    env.step(env.action_space.sample())
    _check_finite(faults)
    if (problem := _why_not_filmed(env.render())) is not None:
        raise Unusable(f"{problem}; an array of bytes, height × width × 3, is needed for videos.")
    _check_torch()


def _why_not_filmed(frame: object) -> str | None:
    """Describe what ``render`` returned if it is not a picture, else return None."""
    if not (isinstance(frame, np.ndarray) and frame.dtype == np.uint8 and frame.ndim == 3 and frame.shape[2] == 3):
        return f"render() returned {brief(frame)}"
    return f"render() returned {brief(frame)}, which has no pixels" if frame.size == 0 else None


def _check_torch() -> None:
    """Raise Unusable if the class changed torch's settings so that networks cannot learn."""
    torch: Any = sys.modules.get("torch")
    if torch is not None and torch.get_default_dtype() is not torch.float32:
        raise Unusable(
            f"It sets torch's default type to {torch.get_default_dtype()}, with which the networks cannot learn. "
            "Set the type of its own tensors instead: torch.tensor(…, dtype=torch.float64)."
        )


def _check_finite(faults: list[Fault]) -> None:
    for fault in faults:
        if fault.kind.is_not_finite:
            raise Unusable(fault.sentence())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m rlviz.learning.environments.probe")
    parser.add_argument("entry_point", help="module:Class or path/to/file.py:Class")
    parser.add_argument("--answer", type=Path, help="the file for the answers, instead of standard output")
    parser.add_argument("--hang-seconds", type=float, default=HANG_SECONDS, help="how long its random steps may take")
    return parser


if __name__ == "__main__":
    options = _parser().parse_args()
    status = main(options.entry_point, options.answer, options.hang_seconds)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # threads that the class has started may never end
