"""Messages of a session's WebSocket: JSON, told apart by ``type``; each frame follows as one binary message."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, JsonValue, TypeAdapter

from rlviz.domain.clips import MOST_COMPONENTS, SeenPictures, ValueSlice
from rlviz.domain.config import Seed
from rlviz.domain.environment import Controls
from rlviz.domain.games import FrameSkip, SearchTest, Tap, TapType
from rlviz.domain.lazy_model import LAZY, LazyModel
from rlviz.domain.limits import DEFAULT_FRAME_SKIP, LIMITS
from rlviz.domain.recording import Actor, StepRecord
from rlviz.domain.spaces import Space

MAX_FPS = 60.0


class SessionMode(StrEnum):
    WATCH = "watch"  # the newest policy of a run plays, episode after episode
    STEP = "step"  # one step at a time, forward and back
    PLAY = "play"  # a person at the keyboard
    DESCRIBE = "describe"  # a ROM of the user's, played by hand to find out what its memory means


class Line(IntEnum):
    """Which of two parallel futures a step belongs to."""

    PLAYED = 0  # the played episode
    OTHER = 1  # the future after the other action


class Message(LazyModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, json_schema_serialization_defaults_required=True
    )


# From the service


class Hello(Message):
    """The first message: describes what is played."""

    type: Literal["hello"] = "hello"
    mode: SessionMode
    env_id: str
    run_id: str | None
    fps: float = Field(description="Steps per second.")
    actor: Actor
    actors: tuple[Actor, ...] = Field(description="Actors available here; a policy only if a run is played.")
    greedy: bool
    action_space: Space
    observation_space: Space
    action_bounds: tuple[tuple[float | None, float | None], ...] | None = Field(
        description="Bounds (low, high) of each number of a Box action; inner null: unbounded. Null for others."
    )
    controls: Controls = Field(description="Key bindings for a person.")


class StepMessage(Message):
    """One step record. If ``frame_follows``, the next binary message is its frame; with ``seen``, the one after that
    shows what the agent saw."""

    type: Literal["step"] = "step"
    line: Line = Field(Line.PLAYED, description="0: the played episode; 1: the other future.")
    record: StepRecord
    frame_follows: bool = False
    seen: SeenPictures | None = Field(None, description="Null unless requested and the agent sees pictures.")


class EpisodeMessage(Message):
    """An episode starts."""

    type: Literal["episode"] = "episode"
    episode: int = Field(ge=0, description="Index of the episode in this session, from 0.")
    seed: int


class PolicyMessage(Message):
    """Another policy plays from the next step on."""

    type: Literal["policy"] = "policy"
    step: int = Field(ge=0, description="Environment steps it was trained for.")


class StateMessage(Message):
    """The state of the session, sent after every change."""

    type: Literal["state"] = "state"
    playing: bool
    fps: float
    actor: Actor
    greedy: bool
    parted_at: int | None = Field(
        None, ge=0, description="Step after which two futures play side by side; null: only one plays."
    )


class RecordedMessage(Message):
    """An episode with actions of a person ended and was saved in a run."""

    type: Literal["recorded"] = "recorded"
    run_id: str
    episodes: int = Field(ge=1, description="Number of episodes of this session in the run.")


class SliceMessage(Message):
    """What the policy expects over the two requested components; the others have the values of one step."""

    type: Literal["slice"] = "slice"
    policy_step: int = Field(ge=0, description="Training step of the policy.")
    episode: int = Field(ge=0)
    index: int = Field(ge=0, description="The step whose observation gives the other components.")
    over: tuple[int, int] = Field(description="Indices of the two components: horizontal, vertical.")
    slice: ValueSlice


class GameValuesMessage(Message):
    """In a session that describes a game: the values of its taps and expressions after a step."""

    type: Literal["game_values"] = "game_values"
    taps: tuple[int | None, ...] = Field(description="In the requested order; null: the tap cannot be read.")
    expressions: dict[str, float | None] = Field(
        description="By the requested keys; null: the expression is wrong, or has no finite value in this step."
    )


class SearchCandidate(Message):
    """An address that is still possible."""

    address: int
    value: int
    before: int = Field(description="Value at the last narrowing, or when the search began.")


class SearchMessage(Message):
    """In a session that describes a game: the state of the search of its memory."""

    type: Literal["search"] = "search"
    width: TapType | None = Field(description="Null: no search.")
    total: int = Field(0, ge=0, description="Number of candidates.")
    narrowings: int = Field(0, ge=0, description="Number of narrowings that can be undone.")
    candidates: tuple[SearchCandidate, ...] = Field((), description="The first of them, by address.")


class StartStateMessage(Message):
    """In a session that describes a game: the start state was saved or loaded."""

    type: Literal["start_state"] = "start_state"
    name: str = Field(description="File in the folder of the game.")
    picture: str = Field(description="The screen in that moment, as the URL of a PNG: `data:image/png;base64,…`.")
    saved: bool = Field(description="Whether it was saved now.")


class ErrorMessage(Message):
    """A client message was invalid or cannot be applied now, and was ignored."""

    type: Literal["error"] = "error"
    detail: str


class EndedMessage(Message):
    """The last message."""

    type: Literal["ended"] = "ended"
    cause: str = Field(description="The reason, in one sentence.")


ServerMessage = Annotated[
    Hello
    | StepMessage
    | EpisodeMessage
    | PolicyMessage
    | StateMessage
    | RecordedMessage
    | SliceMessage
    | GameValuesMessage
    | SearchMessage
    | StartStateMessage
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
    """Pause and go back one step, from memory or by replaying the episode up to there."""

    type: Literal["back"]


class Reset(Message):
    """Start another episode, with this seed or the next one."""

    type: Literal["reset"]
    seed: Seed | None = None


class Rate(Message):
    type: Literal["rate"]
    fps: float = Field(gt=0, le=MAX_FPS)


class ChooseActor(Message):
    """Change who acts, also during an episode."""

    type: Literal["actor"]
    actor: Actor


class TakeAction(Message):
    """The person's action until the next message; in a paused session, the action for the next step only, independent
    of the actor."""

    type: Literal["action"]
    value: JsonValue


class Part(Message):
    """Pause and start a second future: it takes this action next, while the episode takes the actor's action; then both
    play side by side. Null: continue with the episode only."""

    type: Literal["part"]
    value: JsonValue


class ChooseGreedy(Message):
    """Whether the policy takes its best action or explores as in training."""

    type: Literal["greedy"]
    on: bool


class ShowSeen(Message):
    """Whether each step includes what the agent saw (for pictures), and how much each pixel weighs."""

    type: Literal["seen"]
    on: bool
    saliency: bool = False


Place = Annotated[int, Field(ge=0, lt=MOST_COMPONENTS)]


class ShowSlice(Message):
    """Two components of the observation over which to plot the policy's values from now on; null: stop.

    ``hold`` fixes components at values, independent of the observation.
    """

    type: Literal["slice"]
    over: tuple[Place, Place] | None
    hold: tuple[tuple[Place, float], ...] = Field((), max_length=MOST_COMPONENTS)


SearchWidth = Literal[TapType.U8, TapType.U16, TapType.U16_BE]

MOST_EXPRESSIONS = 100


class ShowGameValues(Message):
    """In a session that describes a game: the taps and expressions whose values are shown from now on.

    Values are sent after each step of ``frame_skip`` frames, at most ten times a second.
    """

    type: Literal["game_values"]
    taps: tuple[Tap, ...] = Field(max_length=LIMITS.game_taps.maximum)
    expressions: dict[str, str] = Field(max_length=MOST_EXPRESSIONS, description="Expressions over the taps, by key.")
    frame_skip: FrameSkip = DEFAULT_FRAME_SKIP


class BeginSearch(Message):
    """In a session that describes a game: begin a search of its memory for numbers of this width; null: end it."""

    type: Literal["search"]
    width: SearchWidth | None


class NarrowSearch(Message):
    """Keep the addresses whose value passes a test; changes are those since the last narrowing."""

    type: Literal["narrow"]
    test: SearchTest
    number: Annotated[int, Field(ge=LIMITS.game_search.minimum, le=LIMITS.game_search.maximum)] | None = None


class UndoNarrowing(Message):
    """Return to the candidates before the last narrowing."""

    type: Literal["undo"]


class SaveStartState(Message):
    """Save this moment in a new file of the game's folder."""

    type: Literal["save_start"]


class LoadStartState(Message):
    """Continue from a start state in the game's folder, as `start_state` in `game.toml` names it."""

    type: Literal["load_start"]
    name: str = Field(min_length=1, max_length=200)


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
    | ShowSlice
    | ShowGameValues
    | BeginSearch
    | NarrowSearch
    | UndoNarrowing
    | SaveStartState
    | LoadStartState,
    Field(discriminator="type"),
]

SERVER_MESSAGE: TypeAdapter[ServerMessage] = TypeAdapter(ServerMessage, config=LAZY)
CLIENT_MESSAGE: TypeAdapter[ClientMessage] = TypeAdapter(ClientMessage, config=LAZY)
