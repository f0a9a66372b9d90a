"""The requests and answers of the API about the user's games."""

from __future__ import annotations

from pydantic import Field, JsonValue

from rlviz.server.wire import Body, Wire


class OwnGame(Wire):
    name: str = Field(description="Name of its folder in the folder of ROMs.")
    env_id: str = Field(description="The environment that it is, or becomes with a `game.toml`.")
    has_rom: bool
    is_described: bool = Field(description="Whether it has a `game.toml`.")


class OwnGames(Wire):
    """The games in the folder of ROMs."""

    folder: str | None = Field(description="The folder of ROMs; null: `RLVIZ_ROMS` is not set.")
    problem: str | None = Field(description="Why no game can be described, and what to do; null: nothing.")
    games: list[OwnGame]
    left_out: list[str] = Field(
        default_factory=list, description="A sentence for each game that is not in the list: why, and what to do."
    )


class GameFileProblem(Wire):
    pointer: str = Field(description="JSON pointer into the content.")
    line: int = Field(description="Line in the text of the file, from 1.")
    column: int = Field(description="Column in the text of the file, from 1.")
    detail: str
    position: int | None = Field(description="Index of the wrong character of an expression, from 0; null: unknown.")
    key: str = Field(description="The key that `detail` is about, such as `taps.address`; empty if `detail` names it.")
    is_name: bool = Field(description="Whether the name of the key is wrong, not its value.")


class GameDescription(Wire):
    """A game and its `game.toml`."""

    name: str
    env_id: str
    file: str = Field(description="Path of its `game.toml`.")
    rom: str | None = Field(description="File name of the ROM; null: it cannot be used.")
    rom_sha256: str | None
    problem: str | None = Field(description="Why the game cannot be played, and what to do; null: it can.")
    content: dict[str, JsonValue] | None = Field(
        description="The content of `game.toml` as JSON; null: there is no such file, or it cannot be read."
    )
    digest: str | None = Field(
        description="Identifies the version of `game.toml`: its SHA-256 if it can be read; null: there is none."
    )
    unreadable: str | None = Field(description="Why `game.toml` cannot be read, with line and column; null: it can.")
    defaults: dict[str, JsonValue] = Field(description="The values of the keys that are left out, except null.")
    loss: str | None = Field(description="What a change with `PUT` would lose; null: nothing.")
    problems: list[GameFileProblem] = Field(
        default_factory=list, description="Why the app refuses `game.toml` as it is stored."
    )


class GameContent(Body):
    content: dict[str, JsonValue] = Field(description="The content of `game.toml`; null values are left out.")


class GameChange(GameContent):
    digest: str | None = Field(description="`digest` of the version that was changed; null: there was no `game.toml`.")
    accept_loss: bool = Field(False, description="Write the file although `loss` says that something is lost.")


class GameCheck(Wire):
    toml: str = Field(description="The `game.toml` that would be written.")
    problems: list[GameFileProblem]
