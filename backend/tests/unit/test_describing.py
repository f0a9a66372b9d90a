"""A ROM is played by hand to describe it: its memory is searched, its taps are read, and a start state is saved."""

from __future__ import annotations

import base64
import os
import re
from contextlib import nullcontext
from pathlib import Path

import pytest
from pydantic import ValidationError

from rlviz.domain.games import SearchTest, TapType
from rlviz.domain.limits import LIMITS
from rlviz.domain.sessions import ErrorMessage, Hello, NarrowSearch, SearchMessage, StartStateMessage, StateMessage
from rlviz.learning.environments.gameboy.lamplighter import CARTRIDGE
from rlviz.learning.environments.gameboy.ram_search import MOST_UNDONE, REGIONS, RamSearch
from rlviz.learning.sessions import describing
from tests.support.describing_rig import WALK, DescribingRig
from tests.support.own_games import write_game

AT = CARTRIDGE.addresses()
"""The true addresses of Lamplighter, as its symbol file says."""


@pytest.fixture
def rig(tmp_path: Path) -> DescribingRig:
    write_game(tmp_path)
    rig = DescribingRig(tmp_path)
    rig.want("game_values", taps=[], expressions={}, frame_skip=WALK)
    return rig


def test_a_search_finds_where_the_game_keeps_the_column_of_the_player(rig: DescribingRig) -> None:
    rig.want("search", width="u8")
    assert rig.newest(SearchMessage).total == 8_192 + 127
    assert len(rig.candidates) == describing.MOST_CANDIDATES
    for button, test in (("right", "increased"), ("right", "increased"), ("left", "decreased")):
        rig.walk(button)
        rig.want("narrow", test=test, number=1)
        rig.step()
        rig.want("narrow", test="unchanged")
    assert rig.candidates == [AT["square_x"]]
    found = rig.newest(SearchMessage)
    assert found.total == 1
    assert found.candidates[0].value == found.candidates[0].before


def test_a_search_finds_the_room_by_a_number_that_the_player_knows(rig: DescribingRig) -> None:
    tap = {"name": "room", "address": AT["room"]}
    rig.want("game_values", taps=[tap], expressions={}, frame_skip=WALK)
    rig.want("search", width="u8")
    rig.want("narrow", test="equal", number=4)
    for _ in range(12):
        rig.walk("right")
        if rig.values.taps == (5,):
            break
    rig.want("narrow", test="equal", number=5)
    assert rig.candidates == [AT["room"]]
    rig.want("undo")
    assert AT["room"] in rig.candidates
    assert rig.newest(SearchMessage).narrowings == 1


def test_the_candidates_follow_the_game_while_it_plays(rig: DescribingRig) -> None:
    rig.want("search", width="u8")
    rig.want("narrow", test="equal", number=4)
    before = rig.newest(SearchMessage)
    rig.want("action", value=[0, 1, 0, 0, 0, 0, 0, 0])
    rig.want("play")
    rig.run(1.0)
    now = rig.newest(SearchMessage)
    assert now.total == before.total
    assert [one.before for one in now.candidates] == [one.before for one in before.candidates]
    assert [one.value for one in now.candidates] != [one.value for one in before.candidates]


def test_taps_and_expressions_are_read_after_each_step(rig: DescribingRig) -> None:
    taps = [
        {"name": "square_x", "address": AT["square_x"]},
        {"name": "rom", "address": 0x100},
        {"name": "hearts", "address": AT["hearts"]},
    ]
    expressions = {
        "/done": "hearts == 0",
        "/components/x": "delta(square_x)",
        "/bad": "rom",
        "/zero": "1 / (hearts - 3)",
    }
    rig.want("game_values", taps=taps, expressions=expressions, frame_skip=WALK)
    column, none, hearts = rig.values.taps
    assert (none, hearts) == (None, 3)
    assert rig.values.expressions == {"/done": 0, "/components/x": 0, "/bad": None, "/zero": None}
    rig.step("right")
    assert rig.values.taps == (column + 1, None, 3)
    assert rig.values.expressions["/components/x"] == 1
    rig.step()
    assert rig.values.expressions["/components/x"] == 0


def test_a_step_is_as_long_as_the_description_says(rig: DescribingRig) -> None:
    frames: list[int] = []
    hold = rig.describer._emulator.hold
    rig.describer._emulator.hold = lambda held, count, render=True: (
        frames.append(count),
        hold(held, count, render=render),
    )  # type: ignore[method-assign]
    rig.step()
    assert sum(frames) == WALK
    frames.clear()
    rig.want("play")
    rig.run(2.0)
    assert sum(frames) == pytest.approx(120, abs=4)


def test_a_start_state_is_saved_in_a_new_file_shown_and_loaded_again(rig: DescribingRig, tmp_path: Path) -> None:
    first = (tmp_path / "start.state").read_bytes()
    (shown,) = {one.picture for one in rig.said(StartStateMessage)}
    assert base64.b64decode(shown.removeprefix("data:image/png;base64,")).startswith(b"\x89PNG")
    rig.want("game_values", taps=[{"name": "x", "address": AT["square_x"]}], expressions={}, frame_skip=WALK)
    rig.walk("right")
    column = rig.values.taps
    rig.want("action", value=[0, 1, 0, 0, 0, 0, 0, 0])
    rig.want("save_start")
    saved = [one for one in rig.said(StartStateMessage) if one.saved]
    assert [one.name for one in saved] == ["start-2.state"]
    assert saved[0].picture != shown
    assert (tmp_path / "start.state").read_bytes() == first, "runs may need it"
    rig.want("action", value=None)
    rig.walk("left")
    assert rig.values.taps != column
    rig.want("load_start", name="start-2.state")
    assert rig.values.taps == column
    other = DescribingRig(tmp_path, "start-2.state")
    other.want("game_values", taps=[{"name": "x", "address": AT["square_x"]}], expressions={}, frame_skip=WALK)
    assert other.values.taps == column


def test_switching_off_and_on_begins_the_game_from_its_title(rig: DescribingRig) -> None:
    rig.want("game_values", taps=[{"name": "mode", "address": AT["mode"]}], expressions={}, frame_skip=WALK)
    playing = rig.values.taps
    rig.want("reset")
    rig.step(count=40)
    assert rig.values.taps != playing
    assert rig.shown[-1].episode > 1


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"no state", "PyBoy cannot load the start state start.state"), (None, "start.state is missing")],
)
def test_a_start_state_that_cannot_be_loaded_is_said_and_the_game_begins_anew(
    tmp_path: Path, content: bytes | None, words: str
) -> None:
    write_game(tmp_path)
    (tmp_path / "start.state").unlink() if content is None else (tmp_path / "start.state").write_bytes(content)
    rig = DescribingRig(tmp_path)
    assert words in rig.newest(ErrorMessage).detail
    before = len(rig.shown)
    rig.step()
    assert len(rig.shown) > before


def test_a_folder_that_cannot_be_written_to_is_named(
    rig: DescribingRig, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    rig.want("save_start")
    assert rig.newest(ErrorMessage).detail == (
        f"The start state cannot be saved in {tmp_path}: No space left on device. Make sure that you can write there, "
        "and save again."
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.gb", "game.toml", "start.state"]


def test_what_is_not_possible_is_refused_and_the_game_goes_on(rig: DescribingRig) -> None:
    for message, words in (
        ({"type": "narrow", "test": "changed"}, "There is no search"),
        ({"type": "undo"}, "There is no search"),
        ({"type": "action", "value": 3}, "An action is a list of 8 numbers"),
        ({"type": "back"}, "not possible while a game is described"),
        ({"type": "load_start", "name": "none.state"}, "none.state is missing"),
    ):
        rig.want(**message)
        assert words in rig.newest(ErrorMessage).detail
    rig.want("search", width="u16")
    rig.want("narrow", test="less")
    assert rig.newest(ErrorMessage).detail == "Enter the number to compare with."
    rig.step()
    assert not rig.newest(StateMessage).playing


def test_a_search_compares_with_the_numbers_that_the_page_is_told() -> None:
    bounds = LIMITS.game_search
    for number, fits in (
        (bounds.minimum - 1, False),
        (bounds.minimum, True),
        (bounds.maximum, True),
        (bounds.maximum + 1, False),
    ):
        with nullcontext() if fits else pytest.raises(ValidationError):
            NarrowSearch(type="narrow", test=SearchTest.EQUAL, number=number)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("../game.gb", "is outside the folder of the game. Copy it there"),
        ("/etc/passwd", "is outside the folder of the game"),
        ("link.state", "is outside the folder of the game"),
        ("loop.state", "cannot be (used|read)"),
        ("a\0b", "cannot be used: it has characters that names of files cannot have"),
        (".", "it is a folder"),
    ],
)
def test_only_start_states_in_the_folder_of_the_game_are_loaded(tmp_path: Path, name: str, words: str) -> None:
    write_game(folder := tmp_path / "island")
    outside = tmp_path / "outside.state"
    outside.write_bytes((folder / "start.state").read_bytes())
    (folder / "link.state").symlink_to(outside)
    (folder / "loop.state").symlink_to("loop.state")
    rig = DescribingRig(folder, name)
    first = rig.newest(ErrorMessage).detail
    assert re.search(words, first), "also the one that the file names"
    rig.sent.clear()
    rig.want("load_start", name=name)
    assert rig.newest(ErrorMessage).detail == first
    assert not rig.said(StartStateMessage)


def test_a_start_state_in_a_folder_within_that_of_the_game_is_loaded(tmp_path: Path) -> None:
    write_game(tmp_path)
    (tmp_path / "states").mkdir()
    (tmp_path / "start.state").rename(tmp_path / "states/a.state")
    rig = DescribingRig(tmp_path, "states/a.state")
    assert rig.newest(StartStateMessage).name == "states/a.state"
    rig.sent.clear()
    rig.want("load_start", name="states/a.state")
    assert rig.newest(StartStateMessage).name == "states/a.state"
    assert not rig.said(ErrorMessage)


def test_a_start_state_has_its_content_when_it_gets_its_name(
    rig: DescribingRig, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A crash at any moment leaves no file that is called start state and is none."""
    seen: list[list[int]] = []
    fsync = os.fsync

    def watched(file: int) -> None:
        fsync(file)
        seen.append([path.stat().st_size for path in tmp_path.glob("*.state")])

    monkeypatch.setattr("os.fsync", watched)
    before = (tmp_path / "start.state").stat().st_size
    rig.want("save_start")
    assert seen == [[before]], "the new file has no name yet"
    assert (tmp_path / "start-2.state").stat().st_size > 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["game.gb", "game.toml", "start-2.state", "start.state"]


def test_start_states_are_limited(rig: DescribingRig, tmp_path: Path) -> None:
    for name in describing.STATES[1:]:
        (tmp_path / name).touch()
    rig.want("save_start")
    assert rig.newest(ErrorMessage).detail.endswith("has 100 start states. Remove those that no run needs.")


def test_a_pause_shows_the_values_and_candidates_of_the_last_picture(rig: DescribingRig) -> None:
    taps = [{"name": "frames", "address": 0xFF04}]  # the divider register changes in each frame
    rig.want("game_values", taps=taps, expressions={}, frame_skip=1)
    rig.want("search", width="u8")
    rig.want("action", value=[0, 1, 0, 0, 0, 0, 0, 0])
    rig.want("play")
    stale = 0
    for _ in range(12):
        rig.run(0.04)
        rig.sent.clear()
        rig.want("pause")
        stale += len(rig.said(SearchMessage))
        memory = rig.describer._memory()
        shown = rig.describer._sent_search
        assert shown is not None
        assert [one.value for one in shown.candidates] == [memory[one.address - 0xC000] for one in shown.candidates]
        assert rig.describer._sent_values == rig.describer._readings.message()
        rig.want("play")
    assert stale, "there was something that had not been shown"


def test_a_new_viewer_gets_everything_again(rig: DescribingRig) -> None:
    rig.want("search", width="u8")
    rig.sent.clear()
    rig._wants.append(describing.Presence(looks=True))
    rig.settle()
    assert rig.newest(Hello).action_space.n == 8
    assert rig.newest(SearchMessage).width is TapType.U8
    assert rig.newest(StartStateMessage).name == "start.state"


SIZE = sum(last - first + 1 for first, last in REGIONS)


def memory(**at: int) -> bytes:
    """Memory with bytes at addresses such as ``xC001``."""
    content = bytearray(SIZE)
    for name, value in at.items():
        address = int(name[1:], 16)
        content[address - 0xC000 if address < 0xE000 else address - 0xFF80 + 0x2000] = value
    return bytes(content)


@pytest.mark.parametrize(
    ("test", "number", "kept"),
    [
        (SearchTest.EQUAL, 7, [0xC001]),
        (SearchTest.NOT_EQUAL, 0, [0xC000, 0xC001, 0xC002, 0xFF80]),
        (SearchTest.GREATER, 6, [0xC001, 0xFF80]),
        (SearchTest.CHANGED, None, [0xC000, 0xC001, 0xFF80]),
        (SearchTest.INCREASED, None, [0xC001, 0xFF80]),
        (SearchTest.INCREASED, 2, [0xC001]),
        (SearchTest.DECREASED, None, [0xC000]),
        (SearchTest.DECREASED, 1, [0xC000]),
    ],
)
def test_each_test_keeps_what_it_says(test: SearchTest, number: int | None, kept: list[int]) -> None:
    search = RamSearch(TapType.U8, memory(xC000=3, xC001=5, xC002=4))
    search.update(memory(xC000=2, xC001=7, xC002=4, xFF80=9))
    search.narrow(test, number)
    assert [one.address for one in search.candidates(200)] == kept
    assert search.total == len(kept)
    search.undo()
    assert search.total == SIZE


@pytest.mark.parametrize(
    ("test", "number"),
    [(SearchTest.EQUAL, -1), (SearchTest.NOT_EQUAL, -1), (SearchTest.LESS, 256), (SearchTest.GREATER, -1)],
)
def test_a_number_that_no_byte_can_be_empties_no_search(test: SearchTest, number: int) -> None:
    search = RamSearch(TapType.U8, memory())
    with pytest.raises(ValueError, match="The numbers of this search are 0 to 255"):
        search.narrow(test, number)
    with pytest.raises(ValueError, match="The numbers of this search change by at most 255"):
        search.narrow(SearchTest.INCREASED, 256)
    assert (search.total, search.narrowings) == (SIZE, 0)


@pytest.mark.parametrize(
    ("width", "before", "now", "test", "number"),
    [
        (TapType.U8, {"xC001": 255}, {"xC001": 0}, SearchTest.INCREASED, 1),
        (TapType.U8, {"xC001": 1}, {"xC001": 254}, SearchTest.DECREASED, 3),
        (TapType.U8, {"xC001": 5}, {"xC001": 4}, SearchTest.INCREASED, -1),
        (TapType.U16, {"xC001": 0xFF, "xC002": 0xFF}, {"xC001": 1}, SearchTest.INCREASED, 2),
    ],
)
def test_changes_by_a_number_wrap_around_as_the_game_counts(
    width: TapType, before: dict[str, int], now: dict[str, int], test: SearchTest, number: int
) -> None:
    search = RamSearch(width, memory(**before))
    search.update(memory(**now))
    search.narrow(test, number)
    assert [one.address for one in search.candidates(5)] == [0xC001]


@pytest.mark.parametrize(("width", "value"), [(TapType.U16, 0x1234), (TapType.U16_BE, 0x3412)])
def test_words_have_two_bytes_of_one_region(width: TapType, value: int) -> None:
    search = RamSearch(width, memory(xC100=0x34, xC101=0x12, xDFFF=1, xFF80=1))
    assert search.total == SIZE - len(REGIONS)
    search.narrow(SearchTest.EQUAL, value)
    assert search.candidates(5) == [(0xC100, value, value)]


def test_the_memory_of_a_search_is_bounded() -> None:
    search = RamSearch(TapType.U8, memory())
    for _ in range(MOST_UNDONE + 20):
        search.narrow(SearchTest.UNCHANGED)
    assert search.narrowings == MOST_UNDONE
    for _ in range(MOST_UNDONE):
        search.undo()
    with pytest.raises(ValueError, match="no narrowing to undo"):
        search.undo()
