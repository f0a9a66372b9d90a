"""The files that describe the user's games: they are read, checked and replaced, and nothing is lost silently."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.environment import ProbedEnvironment
from rlviz.domain.errors import GameFileChanged, GameFileNotWritten, InvalidRequest
from rlviz.domain.limits import LIMITS, Bounds
from rlviz.learning.environments.gameboy.game_file import MOST_FOUND, BadGame, FileProblem, read_game
from rlviz.placed_file import parse_toml
from rlviz.server.games import routes
from rlviz.server.games.models import GameContent, OwnGames
from rlviz.server.games.service import KEPT, MOST_VALUES, GameService
from rlviz.server.runs.environments import EnvironmentService, ProbeFailure, Prober
from rlviz.settings import Settings
from tests.support.own_games import STAGED, TOML, write_game

NEW: dict[str, Any] = {"name": "New"}
TAP = {"name": "coins", "address": 0xC010}


class NoProber(Prober):
    def probe(self, entry_point: str) -> ProbedEnvironment | ProbeFailure:
        return ProbeFailure("It is not probed here.")


@pytest.fixture
def roms(tmp_path: Path) -> Path:
    return tmp_path / "roms"


@pytest.fixture
def games(roms: Path) -> GameService:
    write_game(roms / "island", start=b"state")
    return GameService(Settings(_env_file=None, roms=roms), EnvironmentService(prober=NoProber(), roms=roms))


def save(games: GameService, content: dict[str, Any] = NEW) -> None:
    """Save as a person who has read what would be lost."""
    game = games.find("island")
    games.write(game, content, games.read(game).digest, accept_loss=True)


def test_a_link_with_the_name_of_the_version_before_is_not_followed(games: GameService, roms: Path) -> None:
    outside = roms.parent / "authorized_keys"
    outside.write_text("key")
    file = roms / "island/game.toml"
    file.write_text(text := f"# mine\n{TOML}")
    (roms / "island" / KEPT[0]).symlink_to(outside)
    (roms / "island" / KEPT[1]).symlink_to(roms.parent / "none")
    save(games)
    assert outside.read_text() == "key"
    assert not (roms.parent / "none").exists()
    assert (roms / "island" / KEPT[2]).read_text() == text


@pytest.mark.parametrize("target", ["profile.toml", "none.toml"])
def test_a_file_that_links_out_of_its_folder_is_neither_read_nor_replaced(
    games: GameService, roms: Path, target: str
) -> None:
    outside = roms.parent / "profile.toml"
    outside.write_text('name = "Secret"')
    file = roms / "island/game.toml"
    file.unlink()
    file.symlink_to(roms.parent / target)
    found = games.read(games.find("island"))
    assert found.content is None
    assert found.unreadable == "game.toml is a link to a file outside the folder of the game."
    with pytest.raises(GameFileNotWritten, match="Replace the link by a copy"):
        save(games)
    assert [path.name for path in roms.parent.iterdir() if path != roms] == ["profile.toml"]
    assert outside.read_text() == 'name = "Secret"'


def test_a_file_that_links_within_its_folder_stays_a_link(games: GameService, roms: Path) -> None:
    file, target = roms / "island/game.toml", roms / "island/mine.toml"
    file.rename(target)
    file.symlink_to("mine.toml")
    save(games)
    assert file.is_symlink()
    assert target.read_text() == 'name = "New"\n'


def test_each_version_that_is_replaced_is_kept_under_a_name_of_its_own(games: GameService, roms: Path) -> None:
    file = roms / "island/game.toml"
    for number in (1, 2, 3):
        file.write_text(f'name = "x"  # {number}\n')
        said = games.read(games.find("island")).loss
        assert said is not None
        assert said.endswith(f"stays beside it as {KEPT[number - 1]}.")
        save(games)
    assert [(roms / "island" / name).read_text() for name in KEPT[:3]] == [f'name = "x"  # {n}\n' for n in (1, 2, 3)]
    assert KEPT[:2] == ("game.toml.old", "game.toml.old-2")


def test_nothing_is_replaced_if_all_names_for_older_versions_are_taken(games: GameService, roms: Path) -> None:
    for name in KEPT:
        (roms / "island" / name).touch()
    file = roms / "island/game.toml"
    file.write_text(text := 'name = "x"  # mine\n')
    with pytest.raises(GameFileNotWritten, match=r"has 100 older versions of game\.toml\. Remove some"):
        save(games)
    assert file.read_text() == text


@pytest.mark.parametrize("can_link", [True, False], ids=["hard links", "no hard links"])
def test_a_file_that_cannot_be_opened_is_kept_unread(
    games: GameService, roms: Path, can_link: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_link(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    if not can_link:
        monkeypatch.setattr(os, "link", no_link)
    file = roms / "island/game.toml"
    file.write_bytes(large := b"#" * (1 << 20) + b"\n")
    file.chmod(0o000)
    game = games.find("island")
    opened = games.read(game)
    assert opened.unreadable is not None
    assert opened.loss is not None
    file.chmod(0o600)
    file.write_bytes(large + b"#")
    file.chmod(0o000)
    with pytest.raises(GameFileChanged, match="changed since it was opened"):
        games.write(game, NEW, opened.digest, accept_loss=True)
    save(games)
    assert file.read_text() == 'name = "New"\n'
    assert file.stat().st_mode & 0o600 == 0o600, "it can be read again"
    kept = roms / "island" / KEPT[0]
    kept.chmod(0o600)
    assert kept.read_bytes() == large + b"#"


def test_a_folder_with_the_name_of_the_file_is_refused_with_a_sentence(games: GameService, roms: Path) -> None:
    file = roms / "island/game.toml"
    file.unlink()
    file.mkdir()
    with pytest.raises(GameFileNotWritten, match=r"it is a folder, not a regular file\. Remove or rename it"):
        save(games)
    assert file.is_dir()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"name = 'x'\na = {'[' * 5_000}", "too many lists or tables within each other"),
        (f"a = {'9' * 5_000}", "a number with too many digits"),
        (f"[{'.'.join('a' * 5_000)}]", "More than 20 tables or lists are within each other"),
    ],
)
def test_a_file_that_python_cannot_parse_is_unreadable(games: GameService, roms: Path, text: str, words: str) -> None:
    (roms / "island/game.toml").write_text(text)
    answer = routes.get_game("island", games)
    assert answer.unreadable is not None
    assert answer.unreadable.startswith("game.toml:1:1: ")
    assert words in answer.unreadable
    assert games.rom(games.find("island")).start_state is None
    answer.model_dump_json()


def test_a_number_that_json_cannot_contain_becomes_text(games: GameService, roms: Path) -> None:
    (roms / "island/game.toml").write_text(f"name = 'x'\na = 0x{'f' * 5_000}\n")
    answer = routes.get_game("island", games)
    assert answer.content == {"name": "x", "a": f"0x{'f' * 5_000}"}
    answer.model_dump_json()


@pytest.mark.parametrize(
    ("name", "words"), [("a\0b", "names of files cannot have"), ("loop.state", "cannot be (used|read)")]
)
def test_a_start_state_that_is_no_path_is_a_problem_of_the_file(
    games: GameService, roms: Path, name: str, words: str
) -> None:
    (roms / "island/loop.state").symlink_to("loop.state")
    content = {"name": "x", "start_state": name}
    (problem,) = games.check(games.find("island"), content).problems
    assert problem.pointer == "/start_state"
    file = write_game(roms / "island", games.check(games.find("island"), content).toml, start=b"state")
    with pytest.raises(BadGame, match=words):
        read_game(file)


def test_a_file_that_links_to_itself_is_refused_with_a_sentence(games: GameService, roms: Path) -> None:
    file = roms / "island/game.toml"
    file.unlink()
    file.symlink_to("game.toml")
    assert games.read(games.find("island")).unreadable is not None
    with pytest.raises(GameFileNotWritten, match=r"cannot be read: .* Remove or rename it"):
        save(games)


def test_a_folder_whose_name_is_not_text_is_left_out_and_named(games: GameService, roms: Path) -> None:
    try:
        write_game(roms / os.fsdecode(b"a\xff"), start=b"state")
    except OSError:
        pytest.skip("this file system has names of text only")
    answer = routes.list_games(games)
    assert [one.name for one in answer.games] == ["island"]
    assert answer.left_out == ["The folder a\\xff is left out, because its name is not UTF-8 text. Rename it."]
    assert OwnGames.model_validate_json(answer.model_dump_json()) == answer
    assert answer.problem is None or "a\\xff" not in answer.problem


def test_a_check_of_much_content_takes_time_in_proportion(games: GameService) -> None:
    began = time.process_time()
    parse_toml(Path("x.toml"), "[components]\n" + "".join(f'k{n} = ""\n' for n in range(100_000)))
    assert time.process_time() - began < 6, "1 s; 25 s if each key copies the text before it"


def test_too_much_is_said_alone_and_no_more_problems_than_a_person_reads(games: GameService) -> None:
    game = games.find("island")

    def problems(**content: Any) -> list[str]:
        return [one.message for one in games.check(game, {"name": "x", **content}).problems]

    assert problems(components={f"k{n}": "" for n in range(8_000)}) == [
        "There are 8,000 components; at most 32 are allowed."
    ]
    tap = {"name": "in", "address": 0}
    assert problems(taps=[tap] * (LIMITS.game_taps.maximum + 1)) == ["There are 101 taps; at most 100 are allowed."]
    assert problems(buttons=["up"] * 41) == ["There are 41 buttons; 1 to 40 are allowed."]
    assert len(problems(taps=[tap] * LIMITS.game_taps.maximum)) == MOST_FOUND
    assert len(problems(**{f"k{n}": 1 for n in range(200)})) == MOST_FOUND
    with pytest.raises(InvalidRequest, match="more than 20,000 values"):
        problems(a=[1] * MOST_VALUES)
    assert problems(summary="x" * 300, rest="é" * 600_000) == ["game.toml would have more than 1,048,576 bytes."]


@pytest.mark.parametrize(
    ("bounds", "content"),
    [
        (LIMITS.game_frame_skip, lambda value: {"frame_skip": value}),
        (LIMITS.tap_bytes, lambda value: {"taps": [{**TAP, "type": "bcd", "bytes": value}]}),
        (LIMITS.tap_bit, lambda value: {"taps": [{**TAP, "type": "bit", "bit": value}]}),
        (LIMITS.game_taps, lambda value: {"taps": [{**TAP, "name": f"t{n}"} for n in range(value)]}),
        (LIMITS.game_expression, lambda value: {"taps": [TAP], "done": "coins".rjust(value)[:value]}),
    ],
)
def test_a_file_is_limited_as_the_limits_that_the_form_asks_for_say(
    games: GameService, bounds: Bounds, content: Callable[[int], dict[str, Any]]
) -> None:
    def problems(value: int) -> list[FileProblem]:
        return games.check(games.find("island"), {"name": "x", **content(value)}).problems

    assert problems(bounds.maximum) == []
    assert problems(bounds.maximum + 1) != []
    if bounds.minimum:
        assert problems(bounds.minimum - 1) != []


def test_a_name_is_limited_as_the_limits_that_the_form_asks_for_say(games: GameService) -> None:
    for name in ("coins", "c" * 40, "c" * 41, "Coins", "2coins", ""):
        problems = games.check(games.find("island"), {"name": "x", "taps": [{**TAP, "name": name}]}).problems
        assert (problems == []) == bool(re.search(LIMITS.game_name, name)), name


def test_the_problems_of_the_stored_file_are_returned_with_their_places(games: GameService, roms: Path) -> None:
    file = roms / "island/game.toml"
    assert routes.get_game("island", games).problems == []
    file.write_text(TOML.replace("frame_skip = 8", 'frame_skip = "8"'))
    (problem,) = routes.get_game("island", games).problems
    assert (problem.pointer, problem.line, problem.column) == ("/frame_skip", 6, 1)
    file.write_text(TOML.replace('"hearts == 0"', '"heart == 0"').replace('"start.state"', '"none.state"'))
    found = routes.get_game("island", games)
    assert [(one.pointer, one.line, one.position) for one in found.problems] == [
        ("/done", 9, 0),
        ("/start_state", 4, None),
    ]


def test_a_problem_names_its_key_apart_and_says_whether_a_name_is_wrong(games: GameService) -> None:
    tap = {"name": "", "address": 0xC000}
    (problem,) = routes.check_game("island", GameContent(content={"name": "Island", "taps": [tap]}), games).problems
    assert (problem.pointer, problem.key, problem.detail) == ("/taps/0/name", "taps.name", "Enter a name.")
    components = {"Goal!": "1", "goal": "x"}
    found = routes.check_game("island", GameContent(content={"name": "Island", "components": components}), games)
    assert [(one.pointer, one.key, one.is_name) for one in found.problems] == [
        ("/components/Goal!", "", True),
        ("/components/goal", "", False),
    ]
    with pytest.raises(InvalidRequest, match=r"game\.toml:4:1: taps\.name: Enter a name\.") as caught:
        save(games, {"name": "Island", "taps": [tap]})
    assert [one.detail for one in caught.value.fields] == ["taps.name: Enter a name."]


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        (TOML.replace("high = 4", "adress = 4", 1), "taps.adress"),
        (TOML.replace("rooms_down = 3", "rooms_down = 3\ncolour = 1"), "cell.colour"),
        ('name = "x"\ntaps = 3\ncell = "x"\n', "taps, cell"),
        (TOML + "".join(f"[cell.a{n}]\n" for n in range(7)), "cell.a0, cell.a1, cell.a2, cell.a3, cell.a4, 2 more"),
    ],
)
def test_keys_that_the_form_does_not_keep_are_a_loss(games: GameService, roms: Path, text: str, lost: str) -> None:
    file = roms / "island/game.toml"
    file.write_text(text)
    found = games.read(games.find("island"))
    assert found.loss == (
        f"The form does not keep these parts of game.toml: {lost}. The file before stays beside it as game.toml.old."
    )
    with pytest.raises(GameFileChanged, match="does not keep these parts"):
        games.write(games.find("island"), NEW, found.digest, accept_loss=False)
    save(games)
    assert (roms / "island/game.toml.old").read_text() == text


def test_keys_that_the_form_keeps_are_no_loss(games: GameService, roms: Path) -> None:
    file = roms / "island/game.toml"
    file.write_text(f"holds = 3\n{STAGED}")
    assert games.read(games.find("island")).loss is None
    save(games)
    assert not (roms / "island/game.toml.old").exists()


def test_a_session_begins_with_the_start_state_that_the_file_names(games: GameService, roms: Path) -> None:
    (roms / "island/game.toml").write_text('name = "x"\nstart_state = "states/a.state"\n')
    assert games.rom(games.find("island")).start_state == "states/a.state"


def test_a_folder_that_may_not_be_entered_has_nothing(games: GameService, monkeypatch: pytest.MonkeyPatch) -> None:
    game = games.find("island")
    assert (game.has_rom, game.is_described) == (True, True)

    def refuse(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", refuse)
    assert (game.has_rom, game.is_described) == (False, False)
