"""Game Boy games of the user: game files, play and exact state."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from rlviz.domain.config import ExplorationPlan
from rlviz.domain.environment import CustomEnvironment
from rlviz.domain.errors import EnvironmentFaulty, GameChanged
from rlviz.domain.games import TAP_CHANGES, Game, GameCell, Tap, TapType
from rlviz.learning.environments.cells import CELL, STAGE
from rlviz.learning.environments.conforming import Fault, listen
from rlviz.learning.environments.custom import chosen_environment, find_family_by_id
from rlviz.learning.environments.gameboy.game_file import BadGame, read_game
from rlviz.learning.environments.gameboy.lamplighter import CARTRIDGE, HEIGHT, WIDTH
from rlviz.learning.environments.make import make, make_bare
from rlviz.learning.environments.probe import Unusable, describe
from rlviz.learning.environments.state import capture_environment, restore_environment
from rlviz.learning.training.builder import build_model
from rlviz.server.runs.choices import view_world
from rlviz.server.supervisor.trust_guard import TrustGuard
from rlviz.settings import Settings
from tests.support.lamplighter import DOWN, LEFT, NOTHING, RIGHT, UP, Player, solve
from tests.support.own_games import STAGED, TOML, described, with_header, write_game
from tests.support.training import make_run

ID = "GameBoy/Island-v0"


@pytest.fixture(scope="module")
def custom(tmp_path_factory: pytest.TempPathFactory) -> CustomEnvironment:
    return described(write_game(tmp_path_factory.mktemp("roms") / "island"))


@pytest.fixture
def env(custom: CustomEnvironment) -> Iterator[Any]:
    with closing(made(custom)) as env:
        yield env


def made(custom: CustomEnvironment, *, render: bool = False, **options: Any) -> Any:
    return make(chosen_environment(ID, custom, options), render=render)


def player(env: Any, seed: int) -> Player:
    """A player that navigates by the squares in the memory of Lamplighter."""
    first = 0x1F
    env.unwrapped.squares = lambda: list(env.unwrapped.memory()[first : first + WIDTH * HEIGHT])
    return Player(env, seed)


def test_the_game_is_played_to_its_end_with_the_rewards_of_its_components(env: Any) -> None:
    one = player(env, seed=2)
    solve(one)
    assert one.over
    assert one.info["is_success"]
    assert one.components[-1]["goal"] == 10
    assert sum(parts["rooms"] for parts in one.components) == one.taps["rooms_seen"] - 1
    assert [sum(parts.values()) for parts in one.components] == one.rewards


def test_the_example_in_the_documentation_describes_lamplighter(tmp_path: Path) -> None:
    text = (Path(__file__).parents[3] / "docs/own-rom.md").read_text()
    toml = text.partition("```toml\n")[2].partition("```")[0]
    also = '[[taps]]\nname = "mode"\naddress = 0xC000\n\n[cell]'  # the player needs it to close texts
    with closing(made(described(write_game(tmp_path, toml.replace("[cell]", also))))) as env:
        one = player(env, seed=2)
        solve(one)
        assert one.info["is_success"]
        stages = [info[STAGE] for info in one.infos]
        assert stages == sorted(stages)
        assert set(stages) == {0, 1, 2, 3}


def test_the_entry_is_what_the_environment_is(custom: CustomEnvironment) -> None:
    for options in ({}, {"observation": "pixels", "frame_stack": 2, "frame_skip": 12}):
        entry = chosen_environment(ID, custom, options)
        with closing(make(entry, render=True)) as env:
            observation, _ = env.reset(seed=1)
            assert env.observation_space.shape == entry.observation_space.shape
            assert observation in env.observation_space
            assert env.action_space.n == entry.action_space.n == 6
            assert env.metadata["render_fps"] == pytest.approx(entry.render_fps)
            assert env.render().shape == (144, 160, 3)
            assert tuple(env.step(0)[4]["reward_components"]) == entry.reward_components != ()
    assert entry.family.id == find_family_by_id(ID) == "gameboy"
    assert entry.action_space.labels == ("nothing", "up", "right", "down", "left", "A")
    assert entry.state_schema is not None
    assert entry.state_schema["properties"]["square_x"] == {  # type: ignore[index, call-overload]
        "type": "integer",
        "minimum": 0,
        "maximum": 255,
        "description": "In squares.",
    }


def test_the_agent_sees_scaled_taps_and_the_cell_is_where_the_player_stands(env: Any) -> None:
    one = player(env, seed=2)
    one.leave(9, 4, RIGHT)
    seen = dict(zip(env.unwrapped.taps(), env.step(NOTHING)[0], strict=True))
    assert seen["room"] == pytest.approx(5 / 8)
    assert (seen["hearts"], seen["square_x"]) == (1, 0)
    assert env.unwrapped.cell() == (20, 8 + one.taps["square_y"])


def test_the_stage_of_progress_is_the_value_of_its_expression(tmp_path: Path) -> None:
    staged = described(write_game(tmp_path, STAGED))
    world = chosen_environment(ID, staged, {}).world
    assert world is not None
    assert (world.cells, world.stages) == (720, 3)
    told = view_world(world)
    assert told is not None
    assert told.stages == 3
    with closing(made(staged)) as env:
        one = player(env, seed=2)
        solve(one)
        items = [info["taps"]["has_sword"] + info["taps"]["has_key"] for info in one.infos]
        assert [info[STAGE] for info in one.infos] == items
        assert set(items) == {0, 1, 2}


@pytest.mark.parametrize(
    ("stage", "counts_as"), [("-1", 0), ("-0.5", 0), ("1.9", 1), ("2", 2), ("3", 2), ("1e300", 2), ("1 / lamp_lit", 0)]
)
def test_a_stage_that_the_game_does_not_have_counts_as_the_nearest(tmp_path: Path, stage: str, counts_as: int) -> None:
    toml = STAGED.replace("has_sword + has_key", stage)
    faults: list[Fault] = []
    with closing(made(described(write_game(tmp_path, toml)))) as env:
        listen(env, faults.append)
        _, info = env.reset(seed=1)
        assert info[STAGE] == counts_as
        assert info[CELL] is not None, "the visit counts"
    assert ["counted cell.stage as 0" in fault.what for fault in faults] == [True] * (stage == "1 / lamp_lit")


def test_training_tells_the_stages_of_a_game_apart(tmp_path: Path) -> None:
    plan = ExplorationPlan(coverage=0.1, archive=0.5)
    for toml, stages in ((STAGED, [3]), (TOML, [])):
        folder = make_run(
            tmp_path / f"runs{stages}",
            env_id=ID,
            custom_environment=described(write_game(tmp_path / f"island{stages}", toml)),
            hyperparameters={"n_envs": 1},
            exploration=plan,
        )
        environments: Any = build_model(folder.read_config()).get_env()
        environments.reset()
        environments.step(np.array([LEFT]))
        state = environments.state()
        assert [len(counts) for counts in state["visits"]["places"][:2]] == [720 * (stages or [1])[0]] * 2
        assert json.loads(state["task"])[2:] == stages
        environments.close()


def test_the_configuration_of_a_game_without_stages_is_the_one_of_earlier_versions() -> None:
    earlier = '{"x":"room","y":"0","columns":9,"rows":1,"rooms_across":1,"rooms_down":1,"rooms":[]}'
    assert GameCell.model_validate_json(earlier).model_dump_json() == earlier
    staged = earlier[:-1] + ',"stage":"room","stages":9}'
    assert GameCell.model_validate_json(staged).model_dump_json() == staged


def test_a_configuration_with_more_stages_than_can_be_counted_is_refused(tmp_path: Path) -> None:
    game = read_game(write_game(tmp_path, STAGED, start=b"state")).game.model_dump_json()
    with pytest.raises(ValidationError, match="more than 1,000,000 cells in all stages"):
        Game.model_validate_json(
            game.replace('"columns":30,"rows":24', '"columns":300,"rows":300').replace('"stages":3', '"stages":12')
        )


def test_weights_and_length_are_options(custom: CustomEnvironment) -> None:
    entry = chosen_environment(ID, custom, {"reward_rooms": 0.25, "max_episode_steps": 50})
    assert entry.reward_threshold is None
    assert entry.max_episode_steps == 50
    with closing(make(entry)) as env:
        one = player(env, seed=2)
        one.leave(9, 4, RIGHT)
        assert sum(parts["rooms"] for parts in one.components) == 0.25


def test_episodes_repeat_by_their_seed_and_differ_by_it(custom: CustomEnvironment) -> None:
    def memory(env: Any, seed: int) -> bytes:
        env.reset(seed=seed)
        for action in (RIGHT, RIGHT, UP, NOTHING):
            env.step(action)
        found: bytes = env.unwrapped.memory()
        return found

    with closing(made(custom)) as env, closing(made(custom)) as other:
        first = memory(env, 1)
        assert len({memory(env, seed) for seed in range(2, 6)}) > 1
        assert memory(env, 1) == memory(other, 1) == first


def test_its_state_is_restored_in_another_one_exactly(custom: CustomEnvironment) -> None:
    for options in ({"observation": "pixels", "sticky_actions": 0.3}, {"latched": True}):
        with closing(made(custom, **options)) as env, closing(made(custom, **options)) as twin:
            Player(env, seed=3).take(LEFT, LEFT)
            twin.reset(seed=9)
            twin.step(DOWN)
            restore_environment(twin, capture_environment(env))
            for action in [UP, LEFT, NOTHING, RIGHT, RIGHT, DOWN] * 3:
                assert str(env.step(action)) == str(twin.step(action))
                assert env.unwrapped.memory() == twin.unwrapped.memory()


def test_a_tap_counts_its_changes_until_it_has_changed_in_an_episode(env: Any) -> None:
    env.reset(seed=2)
    assert set(env.unwrapped.taps()) == set(env.step(LEFT)[4][TAP_CHANGES])
    *_, info = env.step(LEFT)
    assert info[TAP_CHANGES]["square_x"] >= 1
    assert info[TAP_CHANGES]["lamp_lit"] == 0
    _, info = env.reset(seed=3)
    assert "square_x" not in info[TAP_CHANGES]
    assert info[TAP_CHANGES]["lamp_lit"] == 0


def test_an_expression_that_divides_by_zero_counts_as_0_and_is_reported(tmp_path: Path) -> None:
    toml = TOML.replace('"10 * delta(lamp_lit)"', '"1 / lamp_lit"')
    faults: list[Fault] = []
    with closing(made(described(write_game(tmp_path, toml)))) as env:
        listen(env, faults.append)
        env.reset(seed=1)
        assert env.step(NOTHING)[4]["reward_components"]["goal"] == 0
    assert faults[0].sentence("at step 1") == (
        "At step 1, in step 1 of its episode, after action 0, the environment counted components.goal as 0, because "
        "its expression “1 / lamp_lit” cannot be computed: It divides by zero. Correct the expression in game.toml, "
        "for instance with A if CONDITION else B."
    )


@pytest.mark.parametrize(
    ("old", "new", "at", "words"),
    [
        ("hold = 4", "hold = ", "\nreward", "Invalid value"),
        ("hold = 4", "holds = 4", "holds", "There is no key 'holds' here. Did you mean hold?"),
        ('name = "Island"', f'name = "{"x" * 61}"', 'name = "xxx', "name: Use at most 60 characters."),
        ("hold = 4", "hold = 0", "hold = 0", "hold: Use at least 1."),
        ("hold = 4", "hold = 400", "hold = 400", "hold: Use at most 60"),
        ("high = 4", "hihg = 4", "hihg", "There is no key 'hihg' here. Did you mean high?"),
        ("high = 4", "low = 300", "low", "high must be above low"),
        ("0xC006", '"C006"', 'address = "C006', "taps.address: A whole number is needed, without quotes, such as"),
        ('name = "has_key"', 'name = "Has key"', 'name = "Has', "taps.name: Use at most 40 lowercase letters"),
        ('["up", "right", "down", "left", "a"]', '"up"', "buttons", "buttons: A list is needed"),
        ("high = 4", "size = 4", "size", "Known: name, address, type"),
        ('name = "Island"\n', "", "", "name: This value is required"),
        ("0xC006", "0x4006", "address = 0x4006", "is in the ROM, which never changes. Use 0x8000"),
        ("0xC006", "0x1C006", "address = 0x1C006", "outside the memory of a Game Boy"),
        ("0xC006", "0xE006", "address = 0xE006", "mirrors 0xC006"),
        ("0xC006", "0xFEA0", "address = 0xFEA0", "not all in RAM"),
        ('0xC006\ntype = "bit"', '0xDFFF\ntype = "u16"', "address = 0xDFFF", "0xDFFF to 0xE000"),
        ('0xC006\ntype = "bit"', '0xC006\ntype = "byte"', 'type = "byte"', "'bcd' or 'bit'"),
        ('0xC006\ntype = "bit"', "0xC006\nbit = 1", "bit = 1", 'Only a tap of type "bit"'),
        ('name = "has_key"', 'name = "has_sword"', 'name = "has_sword"', "There are 2 taps called 'has_sword'"),
        ('name = "has_key"', 'name = "in"', 'name = "in"', "because expressions use that word"),
        ('"hearts == 0"', '"heart == 0"', "heart ==", "There is no tap 'heart'. Did you mean 'hearts'?"),
        ('"hearts == 0"', '"hearts / 0"', '0"\nsuccess', "divides by zero"),
        ('"max(0, delta(rooms_seen))"', '"max(0, delta(rooms))"', "rooms))", "no tap 'rooms'"),
        ("goal =", "coverage =", "coverage =", "Training adds a component called 'coverage' itself"),
        ("goal =", '"Goal!" =', '"Goal!" =', "needs a name of at most 40 lowercase letters"),
        ('"up", "right"', '"upp", "right"', "buttons", "There is no button 'upp'. Did you mean up?"),
        ('"up", "right"', '"left+right", "right"', "buttons", "cannot be held together"),
        ('"up", "right"', '"up", "up"', "buttons", "'up' is there twice"),
        ("rooms_across = 3", "rooms_across = 4", "rooms_across", "30 cells cannot be divided into 4 rooms"),
        ('rooms = ["lighthouse", ', "rooms = [", "rooms = [", "There are 8 names for 9 rooms"),
        ("columns = 30\nrows = 24", "columns = 999\nrows = 999", "columns", "more than 100,000 cells"),
        ("rows = 24", 'rows = 24\nstage = "room"', "cell]", "A stage also needs the number of stages. Add it"),
        ("rows = 24", "rows = 24\nstages = 3", "cell]", "The number of stages also needs the current stage"),
        ("rows = 24", 'rows = 24\nstage = "rom"\nstages = 3', 'rom"\nstages', "Did you mean 'room'?"),
        ("rows = 24", 'rows = 24\nstage = "room"\nstages = 0', "stages = 0", "cell.stages: Use at least 1."),
        ("rows = 24", 'rows = 24\nstage = "room"\nstages = 1001', "stages = 1001", "cell.stages: Use at most 1,000."),
        (
            "columns = 30\nrows = 24",
            'columns = 300\nrows = 300\nstage = "room"\nstages = 12',
            "stages = 12",
            "300 × 300 cells in 12 stages are more than 1,000,000. Use fewer stages",
        ),
        (CARTRIDGE.sha256, "0" * 64, "rom_sha256", "is another ROM than this file is for"),
        ('"start.state"', '"none.state"', "start_state", "none.state is missing. Put the file there"),
        ('"start.state"', '"../../x.state"', "start_state", "outside the folder of the game"),
    ],
)
def test_an_error_in_the_file_has_its_line_and_column(tmp_path: Path, old: str, new: str, at: str, words: str) -> None:
    assert old in TOML
    toml = TOML.replace(old, new, 1)
    before = toml[: toml.index(at)]
    place = f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10))}"
    with pytest.raises(BadGame) as caught:
        read_game(write_game(tmp_path, toml, start=b"state"))
    assert words in str(caught.value)
    assert f"game.toml:{place}: " in str(caught.value)


_ROM = CARTRIDGE.rom.read_bytes()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, r"The ROM .*game\.gb is missing\. Copy the game there"),
        (b"short", "is not a Game Boy ROM: it has 5 bytes"),
        (b"PK\3\4" + b"\0" * 40_000, "is not a Game Boy ROM: its header has no logo"),
        (_ROM[:0x134] + b"x" + _ROM[0x135:], "is damaged: the checksum of its header"),
        (with_header(_ROM, at_148=3), "is cut off: its header says 262,144 bytes"),
    ],
)
def test_a_file_that_is_no_rom_is_refused(tmp_path: Path, content: bytes | None, words: str) -> None:
    file = write_game(tmp_path, start=b"state")
    (tmp_path / "game.gb").unlink()
    if content is not None:
        (tmp_path / "game.gb").write_bytes(content)
    with pytest.raises(BadGame, match=words):
        read_game(file)


def test_two_roms_in_a_folder_are_one_too_many(tmp_path: Path) -> None:
    file = write_game(tmp_path, start=b"state")
    (tmp_path / "game.gbc").write_bytes(_ROM)
    with pytest.raises(BadGame, match=r"both game\.gb and game\.gbc"):
        read_game(file)


def test_a_cartridge_with_a_battery_starts_from_its_state_and_writes_no_saved_game(tmp_path: Path) -> None:
    file = write_game(tmp_path, TOML.replace(f'rom_sha256 = "{CARTRIDGE.sha256}"\nstart_state = "start.state"', ""))
    (tmp_path / "game.gb").write_bytes(with_header(_ROM, at_147=0x03, at_149=0x02))
    (tmp_path / "game.gb.ram").write_bytes(b"\x55" * 0x2000)
    before = sorted(tmp_path.iterdir())
    found = read_game(file)
    assert found.header.has_battery
    with closing(made(described(file))) as env:
        env.reset(seed=1)
        env.step(NOTHING)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "game.gb.ram").read_bytes() == b"\x55" * 0x2000


def test_a_start_state_that_is_none_and_a_cartridge_that_pyboy_does_not_know_are_refused(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFaulty, match=r"PyBoy cannot load the start state .*\. Save it again"):
        made(described(write_game(tmp_path, start=b"no state at all")))
    (tmp_path / "game.gb").write_bytes(with_header(_ROM, at_147=0xFD))
    toml = TOML.replace(f'rom_sha256 = "{CARTRIDGE.sha256}"', "")
    (tmp_path / "game.toml").write_text(toml, encoding="utf-8")
    with pytest.raises(EnvironmentFaulty, match=r"PyBoy cannot run .*game\.gb: "):
        made(described(tmp_path / "game.toml"))


def test_a_run_refuses_another_rom_and_another_start_state(tmp_path: Path) -> None:
    custom = described(write_game(tmp_path / "island"))
    folder = make_run(tmp_path / "runs", env_id=ID, custom_environment=custom)
    assert folder.read_config().custom_environment == custom
    guard = TrustGuard(Settings(_env_file=None, runs_dir=tmp_path / "runs"))  # type: ignore[call-arg]
    guard.admit(folder)
    start = tmp_path / "island/start.state"
    saved = start.read_bytes()
    start.write_bytes(b"another")
    with pytest.raises(GameChanged, match=r"another start state than this run was made with"):
        guard.admit(folder)
    start.write_bytes(saved)
    rom = tmp_path / "island/game.gb"
    rom.write_bytes(_ROM + b"\0")
    with pytest.raises(GameChanged, match=r"another ROM than this run was made with: its SHA-256 is \w{12}…, and"):
        guard.admit(folder)
    with pytest.raises(EnvironmentFaulty, match="another ROM"):
        make_bare(chosen_environment(ID, custom, {}), None)
    rom.unlink()
    with pytest.raises(GameChanged, match="is missing"):
        guard.admit(folder)


def test_a_probe_warns_of_a_clock_a_battery_no_rewards_and_a_game_that_hangs(tmp_path: Path) -> None:
    file = write_game(tmp_path, 'name = "Stands"\n')
    loop = {"at_100": 0x18, "at_101": 0xFE}
    (tmp_path / "game.gb").write_bytes(with_header(_ROM, **loop, at_147=0x10, at_149=0x02))
    *_, found = describe(f"{file}:Stands")
    assert found.environment.state_problem is not None
    assert found.still is not None
    starts = [
        "The cartridge has a clock",
        "The cartridge keeps saved games",
        "game.toml has no",
        "Nothing",
    ]
    for warning, start in zip(found.environment.warnings, starts, strict=True):
        assert warning.startswith(start)


def test_a_probe_says_what_is_wrong_and_how_to_install_pyboy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_game(tmp_path, start=b"no state")
    with pytest.raises(Unusable, match="PyBoy cannot load the start state"):
        list(describe(f"{file}:Island"))
    monkeypatch.setattr(
        "rlviz.learning.environments.base.find_spec", lambda name: None if name == "pyboy" else object()
    )
    with pytest.raises(Unusable, match=r"pyboy is not installed: pip install 'rlviz\[gameboy\]'"):
        list(describe(f"{file}:Island"))
    file.write_text("name = 3")
    with pytest.raises(Unusable, match=r"game\.toml:1:1: name: A text is needed, in quotes"):
        list(describe(f"{file}:Island"))


@pytest.mark.parametrize(
    ("tap", "raw", "value"),
    [
        ({"type": TapType.U8}, [0xFE], 254),
        ({"type": TapType.I8}, [0xFE], -2),
        ({"type": TapType.U16}, [0x34, 0x12], 0x1234),
        ({"type": TapType.U16_BE}, [0x12, 0x34], 0x1234),
        ({"type": TapType.I16}, [0xFF, 0xFF], -1),
        ({"type": TapType.BCD, "bytes": 3}, [0x12, 0x34, 0x5F], 123459),
        ({"type": TapType.BIT, "bit": 3}, [0b1000], 1),
    ],
)
def test_a_tap_is_the_number_that_its_type_says(tap: dict[str, Any], raw: list[int], value: int) -> None:
    found = Tap(name="x", address=0xC000, **tap)
    assert found.decode(raw) == value
    assert found.length == len(raw)
    assert found.range[0] <= value <= found.range[1]


def test_a_game_without_taps_is_seen_as_pictures(tmp_path: Path) -> None:
    file = write_game(tmp_path, 'name = "Bare"\nstart_state = "start.state"\nbuttons = ["right", "right+a"]\n')
    custom = described(file)
    assert custom.observation_space.is_picture
    assert custom.action_space.labels == ("nothing", "right", "right + A")
    with closing(made(custom, random_frames=0)) as env:
        first, info = env.reset(seed=1)
        second, reward, *_ = env.step(1)
        assert (reward, info["taps"]) == (0, {})
        assert not np.array_equal(first, second)
