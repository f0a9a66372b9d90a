"""HTTP endpoints of the user's games: list them, and read, check and write the files that describe them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends

from rlviz.domain.errors import GameFileChanged, GameFileNotWritten, GameNotFound, InvalidRequest
from rlviz.learning.environments.gameboy.game_file import FILE, BadGame, FileProblem, default_values
from rlviz.server.dependencies import provided
from rlviz.server.games.models import (
    GameChange,
    GameCheck,
    GameContent,
    GameDescription,
    GameFileProblem,
    OwnGame,
    OwnGames,
)
from rlviz.server.games.service import GameService
from rlviz.server.lanes import Lane, in_lane
from rlviz.server.problems import documented
from rlviz.server.router import Router

Games = Annotated[GameService, Depends(provided(GameService))]

router = Router(prefix="/games", tag="games", lane=Lane.READS)


@router.get("")
def list_games(games: Games) -> OwnGames:
    """List the Game Boy games in the folder of ROMs (`RLVIZ_ROMS`)."""
    return OwnGames(
        folder=None if games.folder is None else str(games.folder),
        problem=games.problem(),
        games=[
            OwnGame(name=game.name, env_id=game.env_id, has_rom=game.has_rom, is_described=game.is_described)
            for game in games.list()
        ],
        left_out=list(games.left_out()),
    )


@router.get("/{name}", responses=documented(GameNotFound))
def get_game(name: str, games: Games) -> GameDescription:
    """Return a game with the content of its `game.toml`."""
    return _view(games, name)


@router.post("/{name}/check", responses=documented(GameNotFound, InvalidRequest))
def check_game(name: str, body: GameContent, games: Games) -> GameCheck:
    """Check the content of a `game.toml` without writing it."""
    checked = games.check(games.find(name), body.content)
    return GameCheck(toml=checked.toml, problems=[_problem_view(one) for one in checked.problems])


@router.put("/{name}", responses=documented(GameNotFound, InvalidRequest, GameFileChanged, GameFileNotWritten))
@in_lane(Lane.CHANGES)
def put_game(name: str, body: GameChange, games: Games) -> GameDescription:
    """Write the `game.toml` of a game, if it is still the version that was edited."""
    games.write(games.find(name), body.content, body.digest, accept_loss=body.accept_loss)
    return _view(games, name)


def _view(games: GameService, name: str) -> GameDescription:
    game = games.find(name)
    stored, rom, problem = games.read(game), None, games.problem()
    try:
        rom = games.rom(game)
    except BadGame as error:
        problem = problem or str(error)
    return GameDescription(
        name=game.name,
        env_id=game.env_id,
        file=str(game.folder / FILE),
        rom=None if rom is None else rom.path.name,
        rom_sha256=None if rom is None else rom.sha256,
        problem=problem,
        content=stored.content,
        digest=stored.digest,
        unreadable=stored.unreadable,
        defaults=default_values(),
        loss=stored.loss,
        problems=[_problem_view(one) for one in stored.problems],
    )


def _problem_view(one: FileProblem) -> GameFileProblem:
    return GameFileProblem(
        pointer=one.pointer,
        line=one.line,
        column=one.column,
        detail=one.message,
        position=one.position,
        key=one.key,
        is_name=one.is_name,
    )
