"""The wrapper that checks and converts what a custom environment returns."""

from __future__ import annotations

import math
from threading import Event
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from rlviz.domain.errors import EnvironmentFaulty
from rlviz.learning.environments.conforming import Conforming, Fault, listen, own_action
from rlviz.learning.environments.observed import FaultKind, as_flag, as_number, reader_of
from rlviz.learning.environments.state import capture_environment, layer_names, restore_environment
from tests.support.cases import cases
from tests.support.own_environments import InfoOfTheLibrary, Plain

THREE = spaces.Box(-1, 1, (3,), np.float32)


class Scripted(Plain):
    """Returns the given values in each step."""

    def __init__(self, *outcomes: tuple[Any, Any]) -> None:
        super().__init__()
        self.outcomes = iter(outcomes)
        self.taken: list[Any] = []

    def step(self, action: Any) -> Any:
        self.taken.append(action)
        observation, reward = next(self.outcomes)
        return observation, reward, False, False, {}


def faults_of(*outcomes: tuple[Any, Any]) -> list[Fault]:
    """Return the faults reported for an environment with these observations and rewards when it takes action 2 each
    time.
    """
    env, found = Conforming(Scripted(*outcomes)), list[Fault]()
    listen(env, found.append)
    env.reset(seed=0)
    for _ in outcomes:
        env.step(2)
    return found


def observation(value: float = 0.5) -> Any:
    return np.full(3, value, np.float32)


@pytest.mark.parametrize(
    "given",
    [
        [0.5, 0.5, 0.5],
        (0.5, 0.5, 0.5),
        np.full(3, 0.5),
        np.full(3, 0.5, np.float16),
        np.full((3, 1), 0.5),
        np.full((1, 3), 0.5),
        np.full(6, 0.5, np.float32)[::2],
    ],
)
def test_an_observation_is_cast_to_its_space_if_the_cast_is_lossless(given: Any) -> None:
    found, problem = reader_of(THREE)(given)
    assert problem is None
    assert found in THREE
    assert found.tolist() == [0.5, 0.5, 0.5]


def test_an_observation_that_matches_its_space_is_passed_on_unchanged() -> None:
    given = observation()
    assert reader_of(THREE)(given).observation is given


@cases(
    ("space", "given", "words"),
    [
        (
            THREE,
            np.zeros(4),
            "an array of float64 of shape 4; its observation space needs an array of numbers of shape 3",
        ),
        (THREE, np.zeros((2, 3)), "needs an array of numbers of shape 3"),
        (THREE, 0.5, "needs an array of numbers of shape 3"),
        (THREE, "text", "an array of numbers of shape 3 is needed"),
        (THREE, [1, 2, None], "an array of numbers of shape 3 is needed"),
        (THREE, [[1], [2, 3]], "is not an array"),
        (spaces.Box(0, 255, (2,), np.uint8), [0.5, 1], "numbers with fractions"),
        (spaces.Box(0, 255, (2,), np.uint8), [300, 1], "from 1 to 300"),
        (spaces.Box(0, 255, (2,), np.uint8), [np.nan, 1], "numbers with fractions"),
        (spaces.Discrete(3), 3, "its observation space is 0 to 2"),
        (spaces.Discrete(3, start=2), 1, "its observation space is 2 to 4"),
        (spaces.Discrete(3), 1.5, "fractions"),
        (spaces.Discrete(3), [1, 2], "needs a number"),
        (spaces.MultiDiscrete([3, 2]), [0, 2], "number 1 is 2, not within 0 to 1"),
        (spaces.MultiDiscrete([3, 2]), [0, 1, 1], "needs an array of numbers of shape 2"),
        (spaces.Dict({"a": THREE}), {"b": 1}, "without its part 'a'"),
        (spaces.Dict({"a": THREE}), {"a": [1, 2]}, "in part 'a'"),
        (spaces.Dict({"a": THREE}), [1, 2, 3], "; a dict is needed"),
        (spaces.Tuple([THREE, THREE]), (observation(),), "a tuple of 2 is needed"),
    ],
)
def test_an_unusable_observation_is_refused(space: Any, given: Any, words: str) -> None:
    with pytest.raises(EnvironmentFaulty) as refused:
        reader_of(space)(given)
    assert words in str(refused.value)


@cases(
    ("space", "given", "kind", "words"),
    [
        (THREE, [0, np.nan, 0], FaultKind.OBSERVATION_NAN, "number 1 is not a number (nan)"),
        (THREE, [0, 0, np.inf], FaultKind.OBSERVATION_INFINITE, "number 2 is inf"),
        (THREE, [0, 0, 1e300], FaultKind.OBSERVATION_INFINITE, "number 2 is inf"),
        (THREE, [-2, 0, 0], FaultKind.OBSERVATION_OUTSIDE, "number 0 is -2, and its bounds are -1 and 1"),
        (spaces.Box(-np.inf, np.inf, (), np.float32), np.inf, FaultKind.OBSERVATION_INFINITE, "number 0 is inf"),
        (spaces.Box(0, 9, (2,), np.int64), [3, 10], FaultKind.OBSERVATION_OUTSIDE, "number 1 is 10"),
        (spaces.MultiBinary(2), [0, 2], FaultKind.OBSERVATION_OUTSIDE, "one of its bits is 2"),
        (spaces.Tuple([THREE]), ([0, np.nan, 0],), FaultKind.OBSERVATION_NAN, "in part 0"),
    ],
)
def test_a_questionable_observation_raises_a_warning(space: Any, given: Any, kind: FaultKind, words: str) -> None:
    problem = reader_of(space)(given).problem
    assert problem is not None
    assert problem.kind is kind
    assert words in problem.what


@pytest.mark.parametrize("given", [1.0000005, -1.0000005])
def test_rounding_does_not_move_an_observation_out_of_its_space(given: float) -> None:
    assert reader_of(THREE)(np.full(3, given, np.float32)).problem is None


def test_a_report_names_the_step_and_the_action() -> None:
    seen = faults_of(
        (observation(), 1.0), (observation(), math.nan), (observation(20), 1e9), (observation(), -math.inf)
    )
    assert [fault.sentence("at step 127").split(". ")[0] for fault in seen] == [
        "At step 127, in step 2 of its episode, after action 2, the environment returned a reward of nan",
        "At step 127, in step 3 of its episode, after action 2, the environment returned an observation outside its "
        "space: number 0 is 20, and its bounds are -10 and 10",
        "At step 127, in step 3 of its episode, after action 2, the environment returned a reward of 1e+09",
        "At step 127, in step 4 of its episode, after action 2, the environment returned a reward of -inf",
    ]
    assert [fault.kind.is_not_finite for fault in seen] == [True, False, False, True]


def test_an_unknown_step_is_not_reported() -> None:
    """A snapshot restores the environment in the middle of an episode without its step count."""
    env, found = Conforming(Scripted((observation(), math.nan))), list[Fault]()
    listen(env, found.append)
    env.reset(seed=0)
    env.forget_step()
    env.step(1)
    assert found[0].words() == "After action 1, the environment returned a reward of nan."


@pytest.mark.parametrize(
    ("value", "number"),
    [(1, 1.0), (True, 1.0), (np.float32(0.5), 0.5), (np.array([2.0]), 2.0), (np.array(3), 3.0), ([4], 4.0)],
)
def test_a_reward_is_converted_to_a_number_from_any_container(value: Any, number: float) -> None:
    assert as_number(value, "reward") == number


@pytest.mark.parametrize("value", [None, "1", np.array([1.0, 2.0]), {}, 1j])
def test_a_reward_that_is_not_a_number_is_refused(value: Any) -> None:
    with pytest.raises(EnvironmentFaulty, match="as its reward; one number is needed"):
        as_number(value, "reward")


@pytest.mark.parametrize(
    ("value", "flag"), [(0, False), (1, True), (None, False), (np.bool_(True), True), (np.array([1]), True)]
)
def test_an_episode_end_is_a_python_boolean(value: Any, flag: bool) -> None:
    assert as_flag(value, "terminated") is flag


def test_text_is_refused_as_an_episode_end() -> None:
    with pytest.raises(EnvironmentFaulty, match="'False' as terminated"):
        as_flag("False", "terminated")


@pytest.mark.parametrize(
    ("space", "given", "taken"),
    [
        (spaces.Discrete(3), np.int64(2), 2),
        (spaces.Discrete(3, dtype=np.uint8), np.int64(2), 2),
        (spaces.Discrete(3, start=-1), np.array(-1), -1),
        (spaces.MultiBinary([2, 2]), np.array([1.0, 0, 1, 0], np.float32), [[1, 0], [1, 0]]),
        (spaces.Box(-5, 5, (2,), np.int32), np.array([0.6, -7.2], np.float32), [1, -5]),
        (spaces.Box(-1, 1, (1,), np.float16), np.array([0.5], np.float32), [0.5]),
    ],
)
def test_an_action_is_passed_as_its_space_contains_it(space: spaces.Space[Any], given: Any, taken: Any) -> None:
    action = own_action(space, given)
    assert space.contains(action)
    assert np.asarray(action).tolist() == taken


def test_an_environment_may_modify_its_action() -> None:
    given = np.array([1, 2])
    own_action(spaces.MultiDiscrete([3, 3]), given)[:] = 0
    assert given.tolist() == [1, 2]


def test_an_action_of_another_space_is_refused() -> None:
    with pytest.raises(EnvironmentFaulty, match=r"Action 0 is not in its action space, Discrete\(3, start=1\)"):
        own_action(spaces.Discrete(3, start=1), 0)


def test_names_reserved_by_the_library_are_removed_from_an_info() -> None:
    env = Conforming(InfoOfTheLibrary())
    env.reset(seed=0)
    assert env.step(0)[4] == {}


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ((observation(), 1.0, False, {}), r"step\(\) returned four values, as in old versions of Gym; return five"),
        ((observation(), 1.0), "2 values; return five"),
        (None, "None; return five"),
    ],
)
def test_an_invalid_step_result_is_refused_with_the_expected_form(outcome: Any, words: str) -> None:
    class Wrong(Plain):
        def step(self, action: Any) -> Any:
            return outcome

    env = Conforming(Wrong())
    env.reset(seed=0)
    with pytest.raises(EnvironmentFaulty, match=words):
        env.step(1)


def test_an_environment_cannot_exit_its_process() -> None:
    class Leaves(Plain):
        def step(self, action: Any) -> Any:
            raise SystemExit(3)

    env = Conforming(Leaves())
    env.reset(seed=0)
    with pytest.raises(EnvironmentFaulty, match=r"step\(\) called sys.exit\(3\), after action 1"):
        env.step(1)


def test_closing_is_limited_in_time() -> None:
    never = Event()

    class Hangs(Plain):
        def close(self) -> None:
            never.wait()

    told: list[Fault] = []
    for seconds in (0.05, 10_000):  # the second one is not waited for: the class is known to hang
        env = Conforming(Hangs(), close_seconds=seconds)
        listen(env, told.append)
        env.close()
    assert [fault.words() for fault in told] == [
        "The environment did not return from close() within 0.05 seconds.",
        "The environment did not return from close() within 10000 seconds.",
    ]
    never.set()


@pytest.mark.parametrize(
    ("error", "words"),
    [(RuntimeError("closed twice"), "raised RuntimeError: closed twice in close()"), (SystemExit(), "called sys.exit")],
)
def test_closing_raises_no_exception(error: BaseException, words: str) -> None:
    class Raises(Plain):
        def close(self) -> None:
            raise error

    env, told = Conforming(Raises()), list[Fault]()
    listen(env, told.append)
    env.close()
    assert words in told[0].words()


def test_the_wrapper_is_no_layer_of_a_snapshot() -> None:
    """Snapshots from before the wrapper existed fit a wrapped environment, and new snapshots fit an unwrapped one."""
    with_it, without = gymnasium.wrappers.TimeLimit(Conforming(Plain()), 30), gymnasium.wrappers.TimeLimit(Plain(), 30)
    assert layer_names(with_it) == layer_names(without)
    without.reset(seed=0)
    without.step(1)
    with_it.reset(seed=1)
    restore_environment(with_it, capture_environment(without))
    assert with_it.unwrapped.t == 1  # type: ignore[attr-defined]
