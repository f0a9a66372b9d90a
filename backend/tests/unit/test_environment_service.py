"""Probing of custom environments by the service, with a fake prober."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from rlviz.domain.environment import CustomEnvironment, ProbedEnvironment
from rlviz.domain.errors import UnknownName
from rlviz.domain.spaces import Space
from rlviz.server.runs.environments import EnvironmentService, ProbeFailure, Prober
from tests.support.waiting import PATIENCE

Answer = Callable[[str], ProbedEnvironment | ProbeFailure]


class Played(Prober):
    """A fake prober with given results."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer
        self.asked: list[str] = []

    def probe(self, entry_point: str) -> ProbedEnvironment | ProbeFailure:
        self.asked.append(entry_point)
        return self.answer(entry_point)


def described(entry_point: str, *sources: Path, **changes: Any) -> ProbedEnvironment:
    custom = CustomEnvironment(
        entry_point=entry_point,
        summary="",
        observation_space=Space("Box", shape=(3,)),
        action_space=Space("Discrete", n=3),
        reward_threshold=None,
        max_episode_steps=None,
        render_fps=20,
        **changes,
    )
    return ProbedEnvironment(environment=custom, sources=tuple(map(str, sources)))


def test_environments_are_probed_in_parallel_and_one_that_hangs_delays_no_other(tmp_path: Path) -> None:
    goes_on = Event()

    def answer(entry_point: str) -> ProbedEnvironment:
        if entry_point.endswith("Hangs"):
            assert goes_on.wait(PATIENCE)
        return described(entry_point)

    service = EnvironmentService([f"{tmp_path}/a.py:Hangs", f"{tmp_path}/a.py:Plain"], Played(answer))
    service.start()
    assert service.get("Plain").id == "Plain"
    goes_on.set()
    assert [one.id for one in service.all() if one.custom is not None] == ["Hangs", "Plain"]


def touch(path: Path, text: str) -> None:
    """Write the file with a modification time other than before."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(text)
    os.utime(path, ns=(before + 1_000_000_000, before + 1_000_000_000))


@pytest.mark.parametrize("changed", ["world.py", "beside.py"])
def test_an_environment_is_probed_again_after_a_change_of_its_file_or_a_neighbouring_one(
    tmp_path: Path, changed: str
) -> None:
    files = [tmp_path / name for name in ("world.py", "beside.py")]
    for path in files:
        touch(path, "")
    prober = Played(lambda entry_point: described(entry_point, *files, is_single="single" in files[0].read_text()))
    service = EnvironmentService([f"{files[0]}:World"], prober)
    service.start()
    service.get("World")
    service.all()
    assert len(prober.asked) == 1
    touch(files[0], "single" if changed == "world.py" else "")
    touch(tmp_path / changed, (tmp_path / changed).read_text())
    found = service.get("World").custom
    assert found is not None
    assert found.is_single is (changed == "world.py")
    service.all()
    assert len(prober.asked) == 2


def test_an_unusable_environment_is_probed_again_after_an_edit(tmp_path: Path) -> None:
    file = tmp_path / "world.py"
    touch(file, "broken")

    def answer(entry_point: str) -> ProbedEnvironment | ProbeFailure:
        return ProbeFailure("It is broken.") if "broken" in file.read_text() else described(entry_point, file)

    prober = Played(answer)
    service = EnvironmentService([f"{file}:World", "no_module:World"], prober)
    service.start()
    assert service.get("World").hint == "It is broken."
    assert service.get("World-2").id == "World-2"
    touch(file, "mended")
    assert service.get("World").hint is None
    assert [entry for entry in prober.asked if entry.startswith("no_module")] == ["no_module:World"]


def test_no_environment_is_known_before_the_start_and_an_unknown_name_is_refused(tmp_path: Path) -> None:
    service = EnvironmentService([f"{tmp_path}/a.py:Plain"], Played(described))
    with pytest.raises(UnknownName):
        service.get("Plain")
    service.start()
    with pytest.raises(UnknownName, match="Did you mean 'Plain'"):
        service.get("Plein")


def games_in(service: EnvironmentService) -> dict[str, str | None]:
    return {one.id: one.unavailable_reason for one in service.own()}


def test_games_appear_while_their_folder_has_them_and_are_probed_again_when_a_file_of_theirs_changes(
    tmp_path: Path,
) -> None:
    def answer(entry_point: str) -> ProbedEnvironment | ProbeFailure:
        file = Path(entry_point.rpartition(":")[0])
        rom = file.with_name("game.gb")
        return described(entry_point, file, rom) if rom.exists() else ProbeFailure("The ROM is missing.")

    prober = Played(answer)
    service = EnvironmentService(prober=prober, roms=tmp_path)
    assert games_in(service) == {}
    service.start()
    assert games_in(service) == {}
    for name in ("my-game", "Lamplighter", "lamplighter", "2048", ".hidden"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "game.toml").write_text("")
    (tmp_path / "notes").mkdir()
    ids = ["GameBoy/Game2048-v0", "GameBoy/Lamplighter2-v0", "GameBoy/Lamplighter3-v0", "GameBoy/MyGame-v0"]
    assert games_in(service) == dict.fromkeys(ids, "The ROM is missing.")
    assert service.get(ids[-1]).family.id == "gameboy"
    assert prober.asked.count(f"{tmp_path}/my-game/game.toml:MyGame") == 1
    (tmp_path / "my-game/game.gb").write_bytes(b"rom")
    assert service.get(ids[-1]).unavailable_reason is None
    (tmp_path / "my-game/game.toml").unlink()
    (tmp_path / "my-game/game.gb").unlink()
    assert ids[-1] not in games_in(service)
    with pytest.raises(UnknownName):
        service.get(ids[-1])


def test_a_folder_of_roms_that_cannot_be_read_is_said_to_be_and_hides_no_other_environment(tmp_path: Path) -> None:
    service = EnvironmentService([f"{tmp_path}/a.py:Plain"], Played(described), roms=tmp_path / "none")
    service.start()
    assert [one.id for one in service.own()] == ["Plain"]
    assert service.problem_with_roms() == (
        f"The folder of ROMs {tmp_path / 'none'} cannot be read: No such file or directory."
    )
