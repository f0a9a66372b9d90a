"""What travels over the WebSocket of a session: JSON, told apart by ``type``, and each frame as one binary message."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, TypeAdapter

from rlviz.domain.clips import MOST_COMPONENTS, SeenPictures, ValueSlice
from rlviz.domain.config import Seed
from rlviz.domain.environment import Controls
from rlviz.domain.lazy_model import LAZY, LazyModel
from rlviz.domain.recording import Actor, StepRecord
from rlviz.domain.spaces import Space

MAX_FPS = 60.0


class SessionMode(StrEnum):
    WATCH = "watch"  # the newest policy of a run plays, episode after episode
    STEP = "step"  # one step at a time, forward and back
    PLAY = "play"  # a person at the keys


class Line(IntEnum):
    """Of which of two futures a step is."""

    PLAYED = 0  # the episode that is played
    OTHER = 1  # what comes of the other action


class Message(LazyModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, json_schema_serialization_defaults_required=True
    )


# From the service


class Hello(Message):
    """The first message: what is played."""

    type: Literal["hello"] = "hello"
    mode: SessionMode
    env_id: str
    run_id: str | None
    fps: float = Field(description="Steps a second.")
    actor: Actor
    actors: tuple[Actor, ...] = Field(description="Who can act here; a policy only where a run is played.")
    greedy: bool
    action_space: Space
    observation_space: Space
    action_bounds: tuple[tuple[float | None, float | None], ...] | None = Field(
        description="Least and greatest of each number of a Box of actions; null within: unbounded. Null for others."
    )
    controls: Controls = Field(description="The keys a person plays it with.")


class StepMessage(Message):
    """One record. If ``frame_follows``, the next binary message is the frame that shows it; with ``seen``, the one
    after that is what the agent saw."""

    type: Literal["step"] = "step"
    line: Line = Field(Line.PLAYED, description="0: of the episode that is played; 1: of the other future.")
    record: StepRecord
    frame_follows: bool = False
    seen: SeenPictures | None = Field(None, description="Null unless it was asked for, and what is seen are pictures.")


class EpisodeMessage(Message):
    """An episode begins."""

    type: Literal["episode"] = "episode"
    episode: int = Field(ge=0, description="Place among the episodes of this session, from 0.")
    seed: int


class PolicyMessage(Message):
    """From the next step on another policy plays."""

    type: Literal["policy"] = "policy"
    step: int = Field(ge=0, description="Environment steps it was trained for.")


class StateMessage(Message):
    """How the session stands, after whatever changed it."""

    type: Literal["state"] = "state"
    playing: bool
    fps: float
    actor: Actor
    greedy: bool
    parted_at: int | None = Field(
        None, ge=0, description="Step after which two futures play side by side; null: there is only one."
    )


class RecordedMessage(Message):
    """An episode in which a person acted is over, and is kept in a run."""

    type: Literal["recorded"] = "recorded"
    run_id: str
    episodes: int = Field(ge=1, description="Of this session that are kept in it.")


class SliceMessage(Message):
    """What the policy expects over the two components that were asked for, the others as they were seen in a step."""

    type: Literal["slice"] = "slice"
    policy_step: int = Field(ge=0, description="Environment steps that the policy was trained for.")
    episode: int = Field(ge=0)
    index: int = Field(ge=0, description="The step whose observation holds the other components.")
    over: tuple[int, int] = Field(description="Places of the two components: across and up.")
    slice: ValueSlice


class ErrorMessage(Message):
    """A message of the client was not understood, or cannot be followed now. It was ignored."""

    type: Literal["error"] = "error"
    detail: str


class EndedMessage(Message):
    """The last message."""

    type: Literal["ended"] = "ended"
    cause: str = Field(description="One sentence.")


ServerMessage = Annotated[
    Hello
    | StepMessage
    | EpisodeMessage
    | PolicyMessage
    | StateMessage
    | RecordedMessage
    | SliceMessage
    | ErrorMessage
    | EndedMessage,
    Field(discriminator="type"),
]


# From the client


class Play(Message):
    type: Literal["play"]


class Pause(Message):
    type: Literal["pause"]


class Forward(Message):
    """Pause, and take ``n`` steps."""

    type: Literal["step"]
    n: int = Field(1, ge=1, le=1_000)


class Back(Message):
    """Pause, and go one step back: from memory, or by playing the episode again up to there."""

    type: Literal["back"]


class Reset(Message):
    """Begin another episode: with this seed, or with the next one."""

    type: Literal["reset"]
    seed: Seed | None = None


class Rate(Message):
    type: Literal["rate"]
    fps: float = Field(gt=0, le=MAX_FPS)


class ChooseActor(Message):
    """Hand the controls over, in mid-episode too."""

    type: Literal["actor"]
    actor: Actor


class TakeAction(Message):
    """The person's action from now on, until the next message; in a session that is paused, for the next step alone,
    whoever acts."""

    type: Literal["action"]
    value: JsonValue


class Part(Message):
    """Pause, and begin a second future here: it takes this action next, the episode that of who acts, and from then on
    both play side by side. Null: go on with the episode alone."""

    type: Literal["part"]
    value: JsonValue


class ChooseGreedy(Message):
    """Whether the policy takes its best action, or explores as it does in training."""

    type: Literal["greedy"]
    on: bool


class ShowSeen(Message):
    """Whether each step comes with what the agent saw, where that are pictures; and with how much each pixel weighs."""

    type: Literal["seen"]
    on: bool
    saliency: bool = False


Place = Annotated[int, Field(ge=0, lt=MOST_COMPONENTS)]


class ShowSlice(Message):
    """Two components of the observation over which the policy's values shall be drawn from now on; null: no longer.
    ``hold``: components that are held at a value, whatever is seen."""

    type: Literal["slice"]
    over: tuple[Place, Place] | None
    hold: tuple[tuple[Place, float], ...] = Field((), max_length=MOST_COMPONENTS)


ClientMessage = Annotated[
    Play
    | Pause
    | Forward
    | Back
    | Reset
    | Rate
    | ChooseActor
    | TakeAction
    | Part
    | ChooseGreedy
    | ShowSeen
    | ShowSlice,
    Field(discriminator="type"),
]

SERVER_MESSAGE: TypeAdapter[ServerMessage] = TypeAdapter(ServerMessage, config=LAZY)
CLIENT_MESSAGE: TypeAdapter[ClientMessage] = TypeAdapter(ClientMessage, config=LAZY)
