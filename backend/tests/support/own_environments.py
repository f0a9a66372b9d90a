"""Custom environments, each unusual in one way, with the expected outcome of each: see ``CASES`` at the end."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces

SOURCE = __file__


class Plain(gymnasium.Env[Any, Any]):
    """An ordinary environment."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 20}  # noqa: RUF012  (as Gymnasium wants it)
    max_episode_steps: Any = 30
    size = (32, 48)
    observed: spaces.Space[Any] = spaces.Box(-10, 10, (3,), np.float32)
    acted: spaces.Space[Any] = spaces.Discrete(3)

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self.observation_space, self.action_space = self.observed, self.acted
        self.t = 0

    def seen(self) -> Any:
        return np.full(3, self.t / 30, np.float32)

    def reward(self, action: Any) -> Any:
        return 1.0

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.t = 0
        return self.seen(), {}

    def step(self, action: Any) -> Any:
        self.t += 1
        return self.seen(), self.reward(action), False, False, {}

    def render(self) -> Any:
        frame = np.zeros((*self.size, 3), np.uint8)
        frame[:, : 1 + self.t % self.size[1]] = (200, 60, 60)
        return frame


class Strict(Plain):
    """Refuses actions that its space does not contain."""

    def step(self, action: Any) -> Any:
        assert self.action_space.contains(action), f"{action!r} is not in {self.action_space}"
        return super().step(action)


# Actions


class FromMinusOne(Strict):
    """Steers left (-1), straight on (0) or right (1)."""

    acted = spaces.Discrete(3, start=-1)


class FromOne(Plain):
    """Reads its reward from a list, which accepts any index."""

    acted = spaces.Discrete(3, start=1)

    def reward(self, action: Any) -> Any:
        return [0.0, 1.0, 2.0, 5.0][int(action)]


class SmallNumbers(Strict):
    acted = spaces.Discrete(3, dtype=np.uint8)


class SmallNumbersFromOne(Strict):
    acted = spaces.Discrete(3, start=1, dtype=np.int16)


class SwitchesFromOne(Strict):
    acted = spaces.MultiDiscrete([3, 2], start=[1, -1])


class SwitchesInRows(Strict):
    acted = spaces.MultiDiscrete(np.array([[2, 3], [4, 2]]))


class Bits(Strict):
    acted = spaces.MultiBinary(5)


class BitsInRows(Strict):
    acted = spaces.MultiBinary([2, 3])


class WholeNumbers(Strict):
    acted = spaces.Box(-5, 5, (2,), np.int32)


class HalfPrecision(Strict):
    acted = spaces.Box(-1, 1, (2,), np.float16)


class DoublePrecision(Strict):
    acted = spaces.Box(-1, 1, (2,), np.float64)


class Unbounded(Strict):
    acted = spaces.Box(-np.inf, np.inf, (2,), np.float32)


class BoundedBelow(Strict):
    acted = spaces.Box(0, np.inf, (2,), np.float32)


class WithoutRange(Strict):
    acted = spaces.Box(np.array([0, -1], np.float32), np.array([0, 1], np.float32))


class Scalars(Strict):
    observed = spaces.Box(-1, 1, (), np.float32)
    acted = spaces.Box(-1, 1, (), np.float32)

    def seen(self) -> Any:
        return np.float32(0.5)


class MatrixOfActions(Strict):
    acted = spaces.Box(-1, 1, (2, 2), np.float32)


class ManyActions(Strict):
    acted = spaces.Discrete(20_000)


class OneAction(Strict):
    acted = spaces.Discrete(1)


class ChangesItsAction(Plain):
    """Modifies the action array that it is given."""

    acted = spaces.MultiDiscrete([3, 3])

    def step(self, action: Any) -> Any:
        action *= 0
        return super().step(action)


class DictOfActions(Plain):
    acted = spaces.Dict({"steer": spaces.Discrete(2)})


class TextAsAction(Plain):
    acted = spaces.Text(3)


# Observations


class CountsFromTwo(Plain):
    observed = spaces.Discrete(5, start=2)

    def seen(self) -> Any:
        return 2 + self.t % 5


class CountsManyFromOne(Plain):
    observed = spaces.MultiDiscrete([3, 4], start=[1, 1])

    def seen(self) -> Any:
        return np.array([1 + self.t % 3, 1 + self.t % 4])


class CountsInRows(Plain):
    observed = spaces.MultiDiscrete(np.array([[2, 3], [4, 2]]))

    def seen(self) -> Any:
        return np.array([[self.t % 2, self.t % 3], [self.t % 4, 1]])


class CountsInArrays(Plain):
    """Returns a count as an array of one number."""

    observed = spaces.Discrete(5)

    def seen(self) -> Any:
        return np.array([self.t % 5])


class BoolsToSee(Plain):
    observed = spaces.MultiBinary([3, 4])

    def seen(self) -> Any:
        return (np.arange(12).reshape(3, 4) + self.t) % 2 == 0


class Float64Seen(Plain):
    """Returns float64 observations although its space is float32, as NumPy does by default."""

    def seen(self) -> Any:
        return np.array([0.1, 0.2, self.t / 30])


class Float64Space(Plain):
    observed = spaces.Box(-1, 1, (3,), np.float64)

    def seen(self) -> Any:
        return np.array([0.1, 0.2, self.t / 60])


class Float16Space(Plain):
    observed = spaces.Box(-10, 10, (3,), np.float16)


class IntegerSpace(Plain):
    observed = spaces.Box(-100, 100, (3,), np.int64)

    def seen(self) -> Any:
        return np.full(3, self.t)


class UnsignedSpace(Plain):
    observed = spaces.Box(0, 60_000, (3,), np.uint16)

    def seen(self) -> Any:
        return np.full(3, self.t)


class BoolSpace(Plain):
    observed = spaces.Box(0, 1, (3,), np.bool_)

    def seen(self) -> Any:
        return [self.t % 2, 1, 0]


class ManyKinds(Plain):
    """Has small integers whose sums overflow."""

    observed = spaces.MultiDiscrete([5, 5], start=[250, 0], dtype=np.uint8)

    def seen(self) -> Any:
        return np.array([250 + self.t % 5, 4])


class BytesInARow(Plain):
    observed = spaces.Box(0, 255, (128,), np.uint8)

    def seen(self) -> Any:
        return np.full(128, self.t, np.uint8)


class GreyPicture(Plain):
    observed = spaces.Box(0, 255, (48, 48), np.uint8)

    def seen(self) -> Any:
        return np.full((48, 48), self.t, np.uint8)


class Board(Plain):
    """A one-hot board of 8 x 8 x 12 bytes."""

    observed = spaces.Box(0, 1, (8, 8, 12), np.uint8)

    def seen(self) -> Any:
        board = np.zeros((8, 8, 12), np.uint8)
        board[self.t % 8, self.t % 8, self.t % 12] = 1
        return board


class ChannelsFirst(Plain):
    observed = spaces.Box(0, 255, (3, 40, 40), np.uint8)

    def seen(self) -> Any:
        return np.full((3, 40, 40), self.t * 8, np.uint8)


class ChannelsBetween(Plain):
    observed = spaces.Box(0, 255, (40, 3, 40), np.uint8)

    def seen(self) -> Any:
        return np.full((40, 3, 40), self.t * 8, np.uint8)


class FlatPicture(Plain):
    """Has a picture that is too small for convolutions."""

    observed = spaces.Box(0, 255, (8, 80, 3), np.uint8)

    def seen(self) -> Any:
        return np.full((8, 80, 3), self.t * 8, np.uint8)


class FloatPicture(Plain):
    observed = spaces.Box(0, 1, (20, 20, 3), np.float32)

    def seen(self) -> Any:
        return np.full((20, 20, 3), self.t / 30, np.float32)


class Lists(Plain):
    def seen(self) -> Any:
        return [0.1, 0.2, self.t / 30]


class Columns(Plain):
    """Returns an array of shape (3, 1) although its space has (3,)."""

    def seen(self) -> Any:
        return np.full((3, 1), self.t / 30, np.float32)


class Tensors(Plain):
    def seen(self) -> Any:
        import torch

        return torch.full((3,), self.t / 30, requires_grad=True)


class EndlessBounds(Plain):
    observed = spaces.Box(-np.inf, np.inf, (3,), np.float32)


class Parts(Plain):
    """Returns nested observations of several kinds, and one entry that its space does not have."""

    observed = spaces.Dict(
        {
            "load": spaces.Discrete(3, start=1),
            "hook": spaces.Tuple([spaces.Box(-1, 1, (), np.float32), spaces.MultiBinary(2)]),
            "speed": spaces.Box(-5, 5, (2,), np.float32),
        }
    )

    def seen(self) -> Any:
        return {"speed": np.array([0.1, 0.2]), "load": 1 + self.t % 3, "hook": (0.5, [True, False]), "note": "more"}


class PartMissing(Parts):
    def seen(self) -> Any:
        return {"load": 1}


class PartIsPicture(Plain):
    observed = spaces.Dict({"eye": spaces.Box(0, 255, (8, 8), np.uint8)})


class TextSeen(Plain):
    observed = spaces.Text(3)


class SequenceSeen(Plain):
    observed = spaces.Sequence(spaces.Discrete(2))


class NothingSeen(Plain):
    observed = spaces.Box(-1, 1, (0,), np.float32)

    def seen(self) -> Any:
        return np.zeros(0, np.float32)


class WrongShape(Plain):
    def seen(self) -> Any:
        return np.zeros(4, np.float32)


class FractionsInBytes(Plain):
    """Returns numbers from 0 to 1 although its space has bytes."""

    observed = spaces.Box(0, 255, (40, 40, 3), np.uint8)

    def seen(self) -> Any:
        return np.full((40, 40, 3), 0.5)


class NoneSeen(Plain):
    def seen(self) -> Any:
        return None


class Outside(Plain):
    """Exceeds its bounds in the eleventh step of each episode."""

    def seen(self) -> Any:
        return np.full(3, self.t, np.float32)


class CountsTooFar(Plain):
    """Returns a count beyond its space in the sixth step."""

    observed = spaces.Discrete(5)

    def seen(self) -> Any:
        return self.t


class NanSeen(Plain):
    """Returns NaN from the 41st observation on."""

    count = 0

    def seen(self) -> Any:
        self.count += 1
        return np.full(3, np.nan if self.count > 40 else 0.5, np.float32)


class NanSeenAtOnce(Plain):
    def seen(self) -> Any:
        return np.full(3, np.nan, np.float32)


class SameArrays(Plain):
    """Returns the same observation array and frame each time, and changes them in place."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self._seen, self._frame = np.zeros(3, np.float32), np.zeros((32, 48, 3), np.uint8)

    def seen(self) -> Any:
        self._seen[:] = self.t / 30
        return self._seen

    def render(self) -> Any:
        self._frame[:] = self.t
        return self._frame


# Spaces


class NewSpacesEachTime(Plain):
    """Creates new spaces at each access."""

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode, self.t = render_mode, 0

    @property
    def observation_space(self) -> Any:  # type: ignore[override]
        return spaces.Box(-10, 10, (3,), np.float32)

    @property
    def action_space(self) -> Any:  # type: ignore[override]
        return spaces.Discrete(3)


class SpacesChange(Plain):
    """Has another action space after its reset."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.action_space = spaces.Discrete(7)
        return super().reset(seed=seed)


class SpacesReplaced(Plain):
    """Creates an equal action space in each reset."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        self.action_space = spaces.Discrete(3)
        return super().reset(seed=seed)


class NoSpaces(Plain):
    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode, self.t = render_mode, 0


class NumberAsSpace(Plain):
    acted: Any = 3


# Rewards, ends and infos


class RewardInArray(Plain):
    def reward(self, action: Any) -> Any:
        return np.array([1.5])


class RewardWithoutDimensions(Plain):
    def reward(self, action: Any) -> Any:
        return np.array(1.5, np.float32)


class RewardIsTensor(Plain):
    def reward(self, action: Any) -> Any:
        import torch

        return torch.tensor(1.5, requires_grad=True)


class RewardIsTrue(Plain):
    def reward(self, action: Any) -> Any:
        return True


class RewardIsNone(Plain):
    def reward(self, action: Any) -> Any:
        return None


class TwoRewards(Plain):
    def reward(self, action: Any) -> Any:
        return np.array([1.0, 2.0])


class RewardIsText(Plain):
    def reward(self, action: Any) -> Any:
        return "1.0"


class NanAtOnce(Plain):
    def reward(self, action: Any) -> Any:
        return float("nan")


class NanLater(Plain):
    """Returns a NaN reward in the 70th step."""

    steps = 0

    def reward(self, action: Any) -> Any:
        self.steps += 1
        return float("nan") if self.steps == 70 else 1.0


class InfiniteLater(NanLater):
    def reward(self, action: Any) -> Any:
        self.steps += 1
        return float("inf") if self.steps == 70 else 1.0


class HugeRewards(Plain):
    def reward(self, action: Any) -> Any:
        return 1e30


class NumbersAsFlags(Plain):
    def step(self, action: Any) -> Any:
        observation, reward, *_ = super().step(action)
        return observation, reward, np.bool_(False), np.int64(self.t >= 10), {}


class NoneAsFlags(Plain):
    def step(self, action: Any) -> Any:
        observation, reward, *_ = super().step(action)
        return observation, reward, None, None, None


class TextAsFlag(Plain):
    def step(self, action: Any) -> Any:
        observation, reward, *_ = super().step(action)
        return observation, reward, "no", False, {}


class InfoOfTheLibrary(Plain):
    """Reuses one info, with keys that the library uses."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.info = {"episode": 3, "terminal_observation": None, "TimeLimit.truncated": "yes", "is_success": "maybe"}

    def step(self, action: Any) -> Any:
        return (*super().step(action)[:4], self.info)


class OddInfo(Plain):
    def step(self, action: Any) -> Any:
        info = {5: "number", "set": {1, 2}, "f": lambda: 1, "img": np.zeros((64, 64)), "nan": np.nan, ("a", 1): None}
        return (*super().step(action)[:4], info)


class ListAsInfo(Plain):
    def step(self, action: Any) -> Any:
        return (*super().step(action)[:4], ["a", "b"])


class ListAsOutcome(Plain):
    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return list(super().reset(seed=seed))

    def step(self, action: Any) -> Any:
        return list(super().step(action))


# Methods


class OldStep(Plain):
    def step(self, action: Any) -> Any:
        observation, reward, terminated, _, info = super().step(action)
        return observation, reward, terminated, info


class OldReset(Plain):
    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return super().reset(seed=seed)[0]


class ResetWithoutSeed(Plain):
    def reset(self) -> Any:  # type: ignore[override]
        return super().reset()


class ResetWithoutOptions(Plain):
    def reset(self, seed: int | None = None) -> Any:  # type: ignore[override]
        return super().reset(seed=seed)


class WithoutRenderMode(Plain):
    def __init__(self) -> None:
        super().__init__("rgb_array")


class NeedsAnArgument(Plain):
    def __init__(self, size: int, render_mode: str | None = None) -> None:
        super().__init__(render_mode)


class WithoutStep(gymnasium.Env[Any, Any]):
    metadata: dict[str, Any] = {"render_modes": ["rgb_array"]}  # noqa: RUF012
    observation_space = spaces.Box(-1, 1, (1,), np.float32)
    action_space: spaces.Space[Any] = spaces.Discrete(2)

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode = render_mode

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return np.zeros(1, np.float32), {}


class RaisesAtOnce(Plain):
    def step(self, action: Any) -> Any:
        raise RuntimeError("the pole snapped")


class RaisesLater(Plain):
    """Raises an error in its ninth step."""

    def step(self, action: Any) -> Any:
        if self.t == 8:
            raise RuntimeError("the pole snapped")
        return super().step(action)


class OneStep(Plain):
    """A bandit: every episode has one step."""

    def step(self, action: Any) -> Any:
        return self.seen(), float(action == 1), True, False, {}


class NeverEnds(Plain):
    max_episode_steps = None


class OneAtATime(Plain):
    """Allows only one instance, like a simulator that listens on a port."""

    there: ClassVar[int] = 0

    def __init__(self, render_mode: str | None = None) -> None:
        if OneAtATime.there:
            raise OSError("Address already in use")
        super().__init__(render_mode)
        OneAtATime.there += 1

    def close(self) -> None:
        OneAtATime.there -= 1


class Wraps(gymnasium.Wrapper[Any, Any, Any, Any]):
    """Wraps another environment and changes its rewards."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(gymnasium.make("CartPole-v1", render_mode=render_mode))

    def step(self, action: Any) -> Any:
        observation, _, terminated, truncated, info = super().step(action)
        return observation, float(observation[2] > 0), terminated, truncated, info


# Attributes and frames


class HalfAFrame(Plain):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 0.5}  # noqa: RUF012


class FewFrames(Plain):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 0.04}  # noqa: RUF012


class NoFrames(Plain):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 0}  # noqa: RUF012


class FramesInText(Plain):
    metadata = {"render_modes": ["rgb_array"], "render_fps": "20"}  # noqa: RUF012


class FramesInWords(Plain):
    metadata = {"render_modes": ["rgb_array"], "render_fps": "many"}  # noqa: RUF012


class ManyFrames(Plain):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 1_000_000}  # noqa: RUF012


class CannotBeFilmed(Plain):
    metadata = {"render_modes": ["human"]}  # noqa: RUF012


class WithoutMetadata(Plain):
    metadata = None  # type: ignore[assignment]


class RendersNothing(Plain):
    def render(self) -> Any:
        return None


class RendersLater(Plain):
    """Returns no frame in some steps of an episode."""

    def render(self) -> Any:
        return super().render() if self.t not in (4, 5) else None


class RendersGrey(Plain):
    def render(self) -> Any:
        return np.zeros((32, 48), np.uint8)


class RendersNoPixels(Plain):
    size = (0, 0)

    def render(self) -> Any:
        return np.zeros((0, 0, 3), np.uint8)


class OddFrame(Plain):
    size = (33, 51)


class OnePixel(Plain):
    size = (1, 1)


class FlippedFrames(Plain):
    """Returns read-only views as frames."""

    def render(self) -> Any:
        frame = super().render()[::-1, ::-1]
        frame.flags.writeable = False
        return frame


class Grows(Plain):
    """Returns frames that grow during an episode."""

    def render(self) -> Any:
        return np.zeros((64 + self.t, 96 + 2 * self.t, 3), np.uint8)


class WholeLimit(Plain):
    max_episode_steps = 30.0


class LimitOfZero(Plain):
    max_episode_steps = 0


class LimitInText(Plain):
    max_episode_steps = "30"


class ThresholdIsNan(Plain):
    reward_threshold = float("nan")


class ThresholdIsInteger(Plain):
    reward_threshold = np.int64(20)


class Größe(Plain):
    """Has a name with letters outside ASCII."""


# Processes, threads and what belongs to all of a process


class RaisesInClose(Plain):
    def close(self) -> None:
        raise RuntimeError("the simulator was closed twice")


class HangsInClose(Plain):
    def close(self) -> None:
        time.sleep(10_000)


class ExitsInClose(Plain):
    def close(self) -> None:
        sys.exit()


class Busy(Plain):
    """Closes without an error after short use."""

    steps = 0

    def step(self, action: Any) -> Any:
        self.steps += 1
        return super().step(action)


class RaisesAtTheEnd(Busy):
    def close(self) -> None:
        if self.steps > 100:
            raise RuntimeError("the simulator was closed twice")


class HangsAtTheEnd(Busy):
    def close(self) -> None:
        if self.steps > 100:
            time.sleep(10_000)


class ExitsAtTheEnd(Busy):
    def close(self) -> None:
        if self.steps > 100:
            sys.exit(3)


class ExitsAtOnce(Plain):
    def step(self, action: Any) -> Any:
        sys.exit()


class ExitsAsItIsMade(Plain):
    def __init__(self, render_mode: str | None = None) -> None:
        sys.exit(2)


class ExitsLater(Busy):
    """Exits the process in its 70th step, like a program whose window was closed."""

    def step(self, action: Any) -> Any:
        if self.steps == 69:
            sys.exit(4)
        return super().step(action)


class KeepsAThread(Plain):
    """Starts a thread that never ends."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        threading.Thread(target=lambda: time.sleep(10_000)).start()


class KeepsAProcess(Plain):
    """Starts a process that never ends and shares its output."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.process = subprocess.Popen(["sleep", "10000"])


class MainThreadOnly(Plain):
    """Handles SIGINT itself, which Python allows only in the main thread."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        signal.signal(signal.SIGINT, signal.SIG_DFL)


class ClosesItsOutput(Plain):
    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        sys.stdout.close()
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115, PTH123


class Chatty(Plain):
    def step(self, action: Any) -> Any:
        print("step", self.t, "x" * 2_000)
        return super().step(action)


class StrictNumpy(Plain):
    """Turns NumPy warnings into errors."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        np.seterr(all="raise")


class StrictWarnings(Plain):
    """Turns all warnings into errors."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        warnings.simplefilter("error")


class Float64Torch(Plain):
    """Computes with torch, in float64."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        import torch

        torch.set_default_dtype(torch.float64)


class Elsewhere(Plain):
    """Changes the working directory to find its files."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        os.chdir("/")


class GlobalRandom(Plain):
    """Uses the global random generators instead of its own."""

    def seen(self) -> Any:
        return np.array([np.random.rand(), random.random(), self.t / 30], np.float32)


class SeedsEverything(Plain):
    """Seeds the global random generators at each reset."""

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        random.seed(0)
        np.random.seed(0)
        return super().reset(seed=seed)


class CannotBeCopied(Plain):
    """Has an attribute that cannot be pickled."""

    def __init__(self, render_mode: str | None = None) -> None:
        super().__init__(render_mode)
        self.callback = lambda: self.t


@dataclass(frozen=True)
class Case:
    """The expected outcome for an environment.

    ``refused``: words of the reason for which it cannot be used; None if it can. ``warned``: words of what is odd about
    it all the same. ``fails``: words of the cause with which training fails. ``told``: words of a warning while it
    trains. ``unsuited``: algorithms that it is none for, besides those that cannot have its kinds of spaces.
    ``unfilmed``: words of the cause with which it cannot be filmed. ``is_single``: there can be one at a time.
    ``is_alone``: it changes its process, and so wants one of its own. ``is_exact``: training goes on bit for bit.
    """

    refused: str | None = None
    warned: str | None = None
    fails: str | None = None
    told: str | None = None
    unsuited: tuple[str, ...] = ()
    unfilmed: str | None = None
    is_single: bool = False
    is_alone: bool = False
    is_exact: bool = True


OK = Case()
SQUASHING = ("sac", "td3")
CASES: dict[type, Case] = {
    Plain: OK,
    FromMinusOne: OK,
    FromOne: OK,
    SmallNumbers: OK,
    SmallNumbersFromOne: OK,
    SwitchesFromOne: OK,
    SwitchesInRows: OK,
    Bits: OK,
    BitsInRows: OK,
    WholeNumbers: OK,
    HalfPrecision: OK,
    DoublePrecision: OK,
    Unbounded: Case(refused="has no bounds"),
    BoundedBelow: Case(refused="has no bounds"),
    WithoutRange: Case(unsuited=SQUASHING),
    Scalars: OK,
    MatrixOfActions: OK,
    ManyActions: OK,
    OneAction: OK,
    ChangesItsAction: OK,
    DictOfActions: Case(refused="Its action space is Dict"),
    TextAsAction: Case(refused="Its action space is Text"),
    CountsFromTwo: OK,
    CountsManyFromOne: OK,
    CountsInRows: OK,
    CountsInArrays: OK,
    BoolsToSee: OK,
    Float64Seen: OK,
    Float64Space: OK,
    Float16Space: OK,
    IntegerSpace: OK,
    UnsignedSpace: OK,
    BoolSpace: OK,
    ManyKinds: OK,
    BytesInARow: OK,
    GreyPicture: OK,
    Board: OK,
    ChannelsFirst: OK,
    ChannelsBetween: OK,
    FlatPicture: OK,
    FloatPicture: OK,
    Lists: OK,
    Columns: OK,
    Tensors: OK,
    EndlessBounds: OK,
    Parts: OK,
    PartMissing: Case(refused="without its part 'hook'"),
    PartIsPicture: Case(refused="The part 'eye' of its observations is a picture"),
    TextSeen: Case(refused="Its observation space is Text"),
    SequenceSeen: Case(refused="Its observation space is Sequence"),
    NothingSeen: Case(refused="has no numbers"),
    WrongShape: Case(refused="reset() returned an array of float32 of shape 4; its observation space needs"),
    FractionsInBytes: Case(refused="returned numbers with fractions"),
    NoneSeen: Case(refused="reset() returned None"),
    Outside: Case(warned="outside its space: number 0 is 11", told="outside its space"),
    CountsTooFar: Case(
        warned="its observation space is 0 to 4, after action", fails="step() returned 5", is_exact=False
    ),
    NanSeen: Case(warned="number 0 is not a number", fails="not a number (nan)", told="not a number (nan)"),
    NanSeenAtOnce: Case(refused="not a number (nan)"),
    SameArrays: OK,
    NewSpacesEachTime: OK,
    SpacesChange: Case(refused="changes in reset(), from Discrete(3)"),
    SpacesReplaced: OK,
    NoSpaces: Case(refused="Its observation_space is not set"),
    NumberAsSpace: Case(refused="Its action_space is 3"),
    RewardInArray: OK,
    RewardWithoutDimensions: OK,
    RewardIsTensor: OK,
    RewardIsTrue: OK,
    RewardIsNone: Case(refused="returned None as its reward"),
    TwoRewards: Case(refused="as its reward; one number is needed"),
    RewardIsText: Case(refused="returned '1.0' as its reward"),
    NanAtOnce: Case(refused="a reward of nan"),
    NanLater: Case(told="a reward of nan", fails="a reward of nan"),
    InfiniteLater: Case(told="a reward of inf", fails="a reward of inf"),
    HugeRewards: Case(warned="a reward of 1e+30", told="a reward of 1e+30"),
    NumbersAsFlags: OK,
    NoneAsFlags: OK,
    TextAsFlag: Case(refused="returned 'no' as terminated"),
    InfoOfTheLibrary: OK,
    OddInfo: OK,
    ListAsInfo: Case(refused="as its info; a dict is needed"),
    ListAsOutcome: OK,
    OldStep: Case(refused="step() returned four values, as in old versions of Gym"),
    OldReset: Case(refused="return an observation and a dict"),
    ResetWithoutSeed: Case(refused="Its reset() takes no seed"),
    ResetWithoutOptions: OK,
    WithoutRenderMode: OK,
    NeedsAnArgument: Case(refused="missing 1 required positional argument: 'size'"),
    WithoutStep: Case(refused="NotImplementedError"),
    RaisesAtOnce: Case(refused="RuntimeError: the pole snapped"),
    RaisesLater: Case(warned="RuntimeError: the pole snapped", fails="the pole snapped", is_exact=False),
    OneStep: OK,
    NeverEnds: OK,
    OneAtATime: Case(warned="Address already in use", is_single=True, is_exact=False),
    Wraps: OK,
    HalfAFrame: OK,
    FewFrames: OK,
    NoFrames: Case(warned='metadata["render_fps"] is 0'),
    FramesInText: OK,
    FramesInWords: Case(warned="metadata[\"render_fps\"] is 'many'"),
    ManyFrames: Case(warned="its videos play 240 frames a second"),
    CannotBeFilmed: Case(refused='metadata["render_modes"] has no "rgb_array"'),
    WithoutMetadata: Case(refused='metadata["render_modes"] has no "rgb_array"'),
    RendersNothing: Case(refused="render() returned None"),
    RendersLater: Case(warned="After 4 random steps, render() returned None", unfilmed="NoneType"),
    RendersGrey: Case(refused="render() returned an array of uint8 of shape 32 × 48"),
    RendersNoPixels: Case(refused="which has no pixels"),
    OddFrame: OK,
    OnePixel: OK,
    FlippedFrames: OK,
    Grows: OK,
    WholeLimit: OK,
    LimitOfZero: Case(refused="max_episode_steps is 0"),
    LimitInText: Case(refused="max_episode_steps is '30'"),
    ThresholdIsNan: Case(warned="reward_threshold is nan"),
    ThresholdIsInteger: OK,
    Größe: OK,
    RaisesInClose: Case(warned="raised RuntimeError: the simulator was closed twice in close()"),
    HangsInClose: Case(warned="did not return from close()", is_alone=True),
    ExitsInClose: Case(warned="called sys.exit in close()"),
    RaisesAtTheEnd: Case(told="raised RuntimeError: the simulator was closed twice in close()"),
    HangsAtTheEnd: Case(told="did not return from close()", is_alone=True),
    ExitsAtTheEnd: Case(told="called sys.exit in close()"),
    ExitsAtOnce: Case(refused="step() called sys.exit()"),
    ExitsAsItIsMade: Case(refused="Its __init__() called sys.exit()"),
    ExitsLater: Case(fails="step() called sys.exit(4)", is_exact=False),
    KeepsAThread: Case(is_alone=True),
    KeepsAProcess: Case(is_alone=True),
    MainThreadOnly: Case(refused="It works only in the main thread", is_alone=True),
    ClosesItsOutput: Case(is_alone=True),
    Chatty: OK,
    StrictNumpy: Case(is_alone=True),
    StrictWarnings: Case(is_alone=True),
    Float64Torch: Case(refused="torch's default type to torch.float64", is_alone=True),
    Elsewhere: Case(is_alone=True),
    GlobalRandom: OK,
    SeedsEverything: OK,
    CannotBeCopied: OK,
}
