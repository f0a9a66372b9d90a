"""Games: what the app knows of a Game Boy ROM of the user's, as its ``game.toml`` says."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, JsonValue, model_validator

from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import LIMITS
from rlviz.domain.reward_components import MOST_COMPONENTS

TAP_CHANGES = "rlviz_tap_changes"
"""Key of ``info``: in how many steps of this episode each tap changed, for taps that never changed in earlier ones."""

Button = Literal["up", "right", "down", "left", "a", "b", "start", "select"]
_BUTTON = r"\s*(up|right|down|left|a|b|start|select)\s*"
_HELD = rf"(?i)^{_BUTTON}(\+{_BUTTON})*$"
"""Buttons that an action holds together."""

FrameSkip = Annotated[int, Field(ge=LIMITS.game_frame_skip.minimum, le=LIMITS.game_frame_skip.maximum)]

MOST_BUTTONS = 40
MOST_CELLS = 100_000
MOST_PLACES = 1_000_000
"""Cells in all stages. Training counts the visits to each, in 16 bytes."""


class TapType(StrEnum):
    """How the bytes of a tap become a number. Words of two bytes have the low byte first, except with ``be``."""

    U8 = "u8"
    I8 = "i8"
    U16 = "u16"
    U16_BE = "u16be"
    I16 = "i16"
    BCD = "bcd"
    """``bytes`` bytes of two decimal digits each, the first byte the most significant."""
    BIT = "bit"
    """Bit number ``bit`` of one byte."""


class SearchTest(StrEnum):
    """What the value of an address has to be to stay in a search of memory."""

    EQUAL = "equal"
    NOT_EQUAL = "not_equal"
    LESS = "less"
    GREATER = "greater"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    INCREASED = "increased"
    """By the number, if one is given."""
    DECREASED = "decreased"
    """By the number, if one is given."""


_RANGES = {
    TapType.U8: (0, 0xFF),
    TapType.I8: (-0x80, 0x7F),
    TapType.U16: (0, 0xFFFF),
    TapType.U16_BE: (0, 0xFFFF),
    TapType.I16: (-0x8000, 0x7FFF),
    TapType.BIT: (0, 1),
}


class _Part(LazyModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class Tap(_Part):
    """A number that is read from the memory of a game."""

    name: str = Field(pattern=LIMITS.game_name)
    address: int
    type: TapType = Field(TapType.U8, strict=False)
    bytes: int | None = Field(
        None,
        ge=LIMITS.tap_bytes.minimum,
        le=LIMITS.tap_bytes.maximum,
        description="Number of bytes of a `bcd`; 1 by default.",
    )
    bit: int | None = Field(
        None,
        ge=LIMITS.tap_bit.minimum,
        le=LIMITS.tap_bit.maximum,
        description="Number of the bit of a `bit`; 0, the lowest, by default.",
    )
    unit: str = Field("", max_length=20)
    low: float | None = Field(None, description="The value that the agent sees as 0; the lowest by default.")
    high: float | None = Field(None, description="The value that the agent sees as 1; the highest by default.")

    @property
    def length(self) -> int:
        """Number of bytes."""
        if self.type is TapType.BCD:
            return self.bytes or 1
        return 2 if self.type in (TapType.U16, TapType.U16_BE, TapType.I16) else 1

    @property
    def range(self) -> tuple[int, int]:
        """The lowest and the highest value that its type can have."""
        return _RANGES.get(self.type) or (0, 100**self.length - 1)

    @property
    def scale(self) -> tuple[float, float]:
        """The values that the agent sees as 0 and 1."""
        lowest, highest = self.range
        return (lowest if self.low is None else self.low, highest if self.high is None else self.high)

    def decode(self, raw: Sequence[int]) -> int:
        """Return the number that ``length`` bytes stand for. Digits of a ``bcd`` above 9 count as 9."""
        match self.type:
            case TapType.U8:
                return raw[0]
            case TapType.I8:
                return raw[0] - 0x100 if raw[0] & 0x80 else raw[0]
            case TapType.U16:
                return raw[0] | raw[1] << 8
            case TapType.U16_BE:
                return raw[0] << 8 | raw[1]
            case TapType.I16:
                value = raw[0] | raw[1] << 8
                return value - 0x10000 if value & 0x8000 else value
            case TapType.BIT:
                return raw[0] >> (self.bit or 0) & 1
            case TapType.BCD:
                number = 0
                for byte in raw:
                    number = number * 100 + min(byte >> 4, 9) * 10 + min(byte & 0xF, 9)
                return number


class GameCell(_Part):
    """The cell of the player, for the map and for exploration: a column and a row, counted from the top left.

    Exploration can also tell stages of progress apart: a cell is new again in each of them.
    """

    x: str
    y: str
    columns: int = Field(ge=1, le=1_000)
    rows: int = Field(ge=1, le=1_000)
    rooms_across: int = Field(1, ge=1, le=100)
    rooms_down: int = Field(1, ge=1, le=100)
    rooms: tuple[str, ...] = Field((), max_length=10_000, strict=False)
    stage: str | None = Field(
        None,
        exclude_if=lambda stage: stage is None,
        description="Expression for the stage of progress, counted from 0; null: there are no stages.",
    )
    stages: int | None = Field(
        None,
        ge=1,
        le=1_000,
        exclude_if=lambda stages: stages is None,
        description="Number of stages of progress that coverage and the archive tell apart; null: no stages.",
    )

    @property
    def cells(self) -> int:
        return self.columns * self.rows

    @property
    def places(self) -> int:
        """Number of cells in all stages."""
        return self.cells * (self.stages or 1)


class Component(_Part):
    """A component of the reward: its name, and an expression for its value in a step."""

    name: str = Field(pattern=LIMITS.game_name)
    value: str


class Game(_Part):
    """A ROM of the user's with everything that decides how it plays.

    Stored in ``config.json``: a run refuses a ROM or a start state whose hash differs.
    """

    rom: str = Field(description="Absolute path of the ROM.")
    sha256: str = Field(description="SHA-256 of the ROM.")
    start_state: str | None = Field(None, description="Absolute path of the save state in which episodes begin.")
    start_sha256: str | None = Field(None, description="SHA-256 of the start state.")
    name: str
    summary: str = ""
    buttons: tuple[Annotated[str, Field(pattern=_HELD)], ...] = Field(
        strict=False,
        min_length=1,
        max_length=MOST_BUTTONS,
        description="Actions besides doing nothing, such as `a`, `right+a`.",
    )
    taps: tuple[Tap, ...] = Field((), strict=False, max_length=LIMITS.game_taps.maximum)
    cell: GameCell | None = None
    done: str | None = Field(None, description="Condition that ends an episode; null: none.")
    success: str | None = Field(None, description="Condition that ends an episode successfully; null: none.")
    components: tuple[Component, ...] = Field((), strict=False, max_length=MOST_COMPONENTS)
    observation: Literal["vector", "pixels"]
    frame_skip: FrameSkip
    hold: int = Field(ge=1, le=60)
    max_episode_steps: int = Field(ge=50, le=100_000)
    boot_frames: int = Field(
        ge=1, le=20_000, description="Frames from switching on to the first step, without a start state."
    )
    random_frames: int = Field(ge=0, le=600, description="An episode begins after up to this many frames, by its seed.")
    reward_threshold: float | None = None

    @model_validator(mode="after")
    def _check_cells(self) -> Self:
        if self.cell is not None and self.cell.cells > MOST_CELLS:
            raise ValueError(f"more than {MOST_CELLS:,} cells")
        if self.cell is not None and self.cell.places > MOST_PLACES:
            raise ValueError(f"more than {MOST_PLACES:,} cells in all stages")
        return self

    @cached_property
    def tap_names(self) -> tuple[str, ...]:
        return tuple(tap.name for tap in self.taps)

    def state_schema(self) -> dict[str, JsonValue]:
        """Return the JSON schema of the values of its taps."""
        return taps_schema(self.name, [(tap.name, *tap.range, tap.unit) for tap in self.taps])


def taps_schema(title: str, taps: Sequence[tuple[str, int, int, str]]) -> dict[str, JsonValue]:
    """Return the JSON schema of the values of ``taps``: name, lowest and highest value, and unit."""
    properties: dict[str, JsonValue] = {
        name: {"type": "integer", "minimum": low, "maximum": high, **({"description": f"In {unit}."} if unit else {})}
        for name, low, high, unit in taps
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"State of {title}",
        "type": "object",
        "properties": properties,
        "required": [name for name, *_ in taps],
        "additionalProperties": False,
    }
