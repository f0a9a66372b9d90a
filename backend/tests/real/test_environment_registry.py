"""Registry entries of environments equal the created environments, for every choice of options. New entries are
tested without an edit here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import gymnasium
import numpy as np
import pytest

from rlviz.domain.environment import CustomEnvironment, StateKept
from rlviz.domain.errors import InvalidRequest, UnknownName
from rlviz.domain.spaces import Space
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.custom import custom_environment
from rlviz.learning.environments.make import make
from rlviz.learning.training.live_weights import grid
from rlviz.server.runs.choices import view_environment
from rlviz.server.runs.environments import variants

VARIANTS = [variant for entry in ENVIRONMENTS for variant in variants(entry) or [entry]]
FRAMES_A_STEP = {"CarRacing-v3": 2, "ALE/Pong-v5": 4, "ALE/Breakout-v5": 4}


def named(variant: Environment) -> str:
    return f"{variant.id}{variant.chosen}"


@pytest.fixture(params=ENVIRONMENTS.names())
def entry(request: pytest.FixtureRequest) -> Environment:
    return ENVIRONMENTS.get(request.param)


@pytest.fixture(params=VARIANTS, ids=named, scope="module")
def made(request: pytest.FixtureRequest) -> Iterator[tuple[Environment, gymnasium.Env[Any, Any]]]:
    variant: Environment = request.param
    environment = make(variant, render=True)
    yield variant, environment
    environment.close()


def test_an_entry_has_the_id_of_its_registration() -> None:
    assert [entry.id for entry in ENVIRONMENTS] == ENVIRONMENTS.names()


def test_an_entry_is_described(entry: Environment) -> None:
    assert entry.name
    for sentence in (entry.summary, entry.sees, entry.does):
        assert sentence.endswith(".")
        assert len(sentence) < 120
    assert entry.family.id == entry.family.id.lower()
    assert entry.family.title
    assert entry.hint is None, "Every family's packages belong to the product's own"
    for field in view_environment(entry, []).options:
        assert field.help.endswith(".")


def test_the_registered_spaces_equal_the_created_ones(made: tuple[Environment, gymnasium.Env[Any, Any]]) -> None:
    entry, real = made
    for said, space in ((entry.observation_space, real.observation_space), (entry.action_space, real.action_space)):
        assert said.kind == type(space).__name__
        assert said.shape == space.shape
        assert said.n == getattr(space, "n", None)
        assert said.dtype == str(space.dtype)


def test_every_action_and_every_observed_number_has_a_name(entry: Environment) -> None:
    """Numbered states and pixels have no names; the eighteen positions of a joystick are treated alike."""
    for variant in variants(entry) or [entry]:
        observation, action = variant.observation_space, variant.action_space
        if observation.is_real:
            assert len(observation.labels) == observation.size
        if not variant.chosen.get("full_action_space"):
            assert len(action.labels) == (action.n if action.n is not None else action.size)
        for space in (observation, action):
            assert len(set(space.labels)) == len(space.labels)


def test_every_real_number_has_a_unit_or_is_marked_as_unitless(entry: Environment) -> None:
    for variant in variants(entry) or [entry]:
        for space in (variant.observation_space, variant.action_space):
            assert len(space.units) == (space.size if space.is_real else 0)


def test_the_registered_grid_squares_equal_the_created_ones(made: tuple[Environment, gymnasium.Env[Any, Any]]) -> None:
    entry, real = made
    squares = grid(real.unwrapped)
    is_grid = squares is not None and squares.size == entry.observation_space.n
    assert entry.squares == (tuple("".join(row) for row in squares) if is_grid else ())


STATES = [variant for variant in VARIANTS if variant.observation_space.factors]


@pytest.mark.parametrize("variant", STATES, ids=named)
def test_every_number_of_a_state_is_decoded_as_the_environment_encodes_it(variant: Environment) -> None:
    space, real = variant.observation_space, make(variant)
    inner: Any = real.unwrapped
    if variant.id == "Taxi-v4":
        places = [tuple(inner.decode(state)) for state in range(500)]
    elif variant.id == "Blackjack-v1":
        places = list(product(*(range(part.n) for part in inner.observation_space)))
    else:
        places = list(product(*map(range, (len(variant.squares), len(variant.squares[0])))))
    real.close()
    names = [[factor.value(place) for factor, place in zip(space.factors, at, strict=True)] for at in places]
    assert [space.decoded(state) for state in range(space.n or 0)] == names
    for factor in space.factors:
        assert len(factor.labels) in (0, factor.n)


def test_a_taxi_state_names_its_position_and_its_passengers_destination() -> None:
    state = ((3 * 5 + 1) * 5 + 4) * 4 + 2
    assert ENVIRONMENTS.get("Taxi-v4").observation_space.decoded(state) == ["4", "2", "in the taxi", "yellow"]


def test_threshold_time_limit_and_frame_rate_equal_those_of_the_environment(
    made: tuple[Environment, gymnasium.Env[Any, Any]],
) -> None:
    entry, real = made
    assert real.spec is not None
    frames = FRAMES_A_STEP.get(entry.id, 1)
    limit = real.spec.max_episode_steps or real.spec.kwargs.get("max_num_frames_per_episode")
    assert entry.max_episode_steps == (limit // frames if limit else None)
    if entry.id == "FrozenLake-v1" and entry.chosen["map_name"] == "8x8":
        assert entry.reward_threshold == gymnasium.spec("FrozenLake8x8-v1").reward_threshold
        assert entry.max_episode_steps == gymnasium.spec("FrozenLake8x8-v1").max_episode_steps
    elif entry.chosen.get("is_rainy"):
        assert entry.reward_threshold is None, "In rain no policy reaches the threshold"
    else:
        assert entry.reward_threshold == real.spec.reward_threshold
    rate = real.metadata["render_fps"]
    rate = 60 if entry.family.id == "atari" else rate
    assert entry.render_fps == (rate if frames == 1 else rate // frames)


@pytest.mark.parametrize(
    ("variant", "seconds"),
    [
        (ENVIRONMENTS.get("CarRacing-v3").resolve({"frame_skip": 5}), lambda car: car.t),
        (ENVIRONMENTS.get("ALE/Pong-v5"), lambda pong: pong.ale.getFrameNumber() / 60),
    ],
    ids=["CarRacing", "Pong"],
)
def test_a_video_plays_at_the_speed_of_the_game(variant: Environment, seconds: Callable[[Any], float]) -> None:
    """Each step gives one frame, whatever number of frames it skips."""
    environment = make(variant)
    environment.reset(seed=1)
    begin = seconds(environment.unwrapped)
    for _ in range(3):
        environment.step(environment.action_space.sample())
    assert seconds(environment.unwrapped) - begin == pytest.approx(3 / variant.render_fps)
    environment.close()


def test_each_environment_can_be_played_and_filmed(made: tuple[Environment, gymnasium.Env[Any, Any]]) -> None:
    _, real = made
    observation, _ = real.reset(seed=1)
    assert observation in real.observation_space
    real.action_space.seed(1)
    observation, *_ = real.step(real.action_space.sample())
    assert observation in real.observation_space
    frame = real.render()
    assert isinstance(frame, np.ndarray)
    assert frame.dtype == np.uint8
    assert frame.ndim == 3
    assert frame.shape[2] == 3
    assert frame.shape[0] > 96, "The environment's own frame, not what the agent sees of it"


@pytest.mark.parametrize("variant", VARIANTS, ids=named)
def test_at_least_one_algorithm_fits_each_environment(variant: Environment) -> None:
    assert any(variant.suits(algorithm) for algorithm in ALGORITHMS)


def test_an_environment_only_gymnasium_knows_is_refused() -> None:
    with pytest.raises(UnknownName):
        ENVIRONMENTS.get("Acrobot-v2")


@pytest.mark.parametrize(
    ("values", "pointer", "words"),
    [
        ({"map": "8x8"}, "/env_options/map", "Did you mean 'map_name'"),
        ({"map_name": "16x16"}, "/env_options/map_name", "map_name"),
        ({"is_slippery": 1}, "/env_options/is_slippery", "is_slippery"),
    ],
)
def test_an_unknown_option_is_refused_with_a_pointer(values: dict[str, Any], pointer: str, words: str) -> None:
    with pytest.raises(InvalidRequest, match=words) as caught:
        ENVIRONMENTS.get("FrozenLake-v1").resolve(values)
    assert [field.pointer for field in caught.value.fields] == [pointer]


def test_an_environment_whose_package_is_missing_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "rlviz.learning.environments.base.find_spec", lambda name: None if name == "ale_py" else object()
    )
    shown = view_environment(ENVIRONMENTS.get("ALE/Pong-v5"), list(ALGORITHMS))
    assert not shown.available
    assert shown.install_hint == "ale_py is not installed: pip install ale-py opencv-python-headless"
    assert view_environment(ENVIRONMENTS.get("CartPole-v1"), []).available


def test_a_user_environment_that_cannot_be_copied_names_the_failed_test() -> None:
    space = Space("Discrete", n=2)
    custom = CustomEnvironment(
        entry_point="own:Haunted", summary="", observation_space=space, action_space=space, reward_threshold=None,
        max_episode_steps=None, render_fps=30, state_kept_by=StateKept.NOTHING,
        state_problem="With its attributes copied: its reward differed.",
    )  # fmt: skip
    shown = view_environment(custom_environment("Haunted", custom), [])
    assert shown.not_exact_because == "With its attributes copied: its reward differed."
    assert view_environment(ENVIRONMENTS.get("CartPole-v1"), []).not_exact_because is None
