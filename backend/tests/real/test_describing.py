"""From a ROM to a game that an agent trains on, as the page does it: play, save a state, find a tap, save, train."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rlviz.learning.environments.gameboy.lamplighter import CARTRIDGE
from tests.support.own_games import start_state, with_header, write_game
from tests.support.service_process import Service, serving
from tests.support.sessions import Viewer, looking
from tests.support.training import QUICK

RIGHT, LEFT = [0, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0, 0]
START = [0, 0, 0, 0, 0, 0, 1, 0]


@pytest.fixture(scope="module")
def roms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("roms")


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, roms: Path) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("describing"), on_exit="stop", roms=str(roms)) as service:
        yield service


def in_folder(roms: Path, name: str) -> Path:
    """A ROM without a description."""
    folder = roms / name
    folder.mkdir()
    shutil.copy(CARTRIDGE.rom, folder / "game.gb")
    return folder


def play(viewer: Viewer, frames: int, buttons: list[int] | None = None) -> None:
    """Play steps of eight frames while the game is paused."""
    viewer.send(type="action", value=buttons)
    for _ in range(frames // 8):
        viewer.send(type="step")
        viewer.step()
    viewer.send(type="action", value=None)


def narrow(viewer: Viewer, **test: Any) -> Any:
    viewer.send(type="narrow", **test)
    return viewer.first("search")


def test_a_rom_is_played_searched_described_and_trained_on(service: Service, roms: Path) -> None:
    folder = in_folder(roms, "my-lamp")
    assert {"name": "my-lamp", "env_id": "GameBoy/MyLamp-v0", "has_rom": True, "is_described": False} in (
        service.get("/games")["games"]
    )
    with looking(service, mode="describe", rom="my-lamp") as viewer:
        viewer.first("hello")
        viewer.send(type="game_values", taps=[], expressions={}, frame_skip=8)
        play(viewer, 240)
        play(viewer, 8, START)
        play(viewer, 64)
        viewer.send(type="save_start")
        start = viewer.first("start_state")
        viewer.send(type="search", width="u8")
        found = viewer.first("search")
        for buttons, test in ((RIGHT, "increased"), (RIGHT, "increased"), (LEFT, "decreased")):
            play(viewer, 8, buttons)
            play(viewer, 24)
            found = narrow(viewer, test=test, number=1)
        addresses = [one.address for one in found.candidates]
        assert addresses == [CARTRIDGE.addresses()["square_x"]]
    content = {
        "name": "My lamp",
        "start_state": start.name,
        "rom_sha256": service.get("/games/my-lamp")["rom_sha256"],
        "frame_skip": 8,
        "hold": 4,
        "taps": [{"name": "column", "address": addresses[0], "high": 9}],
        "components": {"right": "max(0, delta(column))"},
    }
    saved = service.api("PUT", "/games/my-lamp", json={"content": content, "digest": None})
    assert saved.status_code == 200, saved.text
    assert saved.json()["content"] == content
    assert sorted(path.name for path in folder.iterdir()) == ["game.gb", "game.toml", "start.state"]
    run = service.create(
        start=True,
        preset=None,
        env_id="GameBoy/MyLamp-v0",
        env_options={"max_episode_steps": 50},
        total_timesteps=128,
        hyperparameters=QUICK["ppo"],
    )
    service.wait_for_status(run["id"], "completed")


def test_a_file_that_was_changed_meanwhile_or_has_comments_is_not_replaced_silently(
    service: Service, roms: Path
) -> None:
    file = write_game(roms / "kept")
    found = service.get("/games/kept")
    assert (found["loss"], found["unreadable"], found["problem"]) == (None, None, None)
    body = {"content": {**found["content"], "name": "Other"}, "digest": found["digest"]}
    file.write_text(file.read_text() + "# mine\n")
    answer = service.api("PUT", "/games/kept", json=body)
    assert (answer.status_code, answer.json()["title"]) == (409, "Game file was not replaced")
    assert "changed since it was opened" in answer.json()["detail"]
    now = service.get("/games/kept")
    assert "does not keep comments, and game.toml has one" in now["loss"]
    body["digest"] = now["digest"]
    assert service.api("PUT", "/games/kept", json=body).status_code == 409
    assert "# mine" in file.read_text()
    assert service.api("PUT", "/games/kept", json={**body, "accept_loss": True}).status_code == 200
    assert 'name = "Other"' in file.read_text()
    assert "# mine" in (roms / "kept/game.toml.old").read_text()
    assert service.api("PUT", "/games/kept", json=body).status_code == 409, "it is another version now"


def test_a_file_that_cannot_be_read_says_where_and_is_replaced_only_knowingly(service: Service, roms: Path) -> None:
    file = write_game(roms / "broken", 'name = "x"\ndone = \n')
    found = service.get("/games/broken")
    assert found["content"] is None
    assert found["unreadable"].startswith("game.toml:2:8: ")
    assert found["digest"] == hashlib.sha256(file.read_bytes()).hexdigest()
    body = {"content": {"name": "New"}, "digest": found["digest"]}
    assert service.api("PUT", "/games/broken", json=body).status_code == 409
    assert service.api("PUT", "/games/broken", json={**body, "accept_loss": True}).status_code == 200
    assert (roms / "broken/game.toml.old").read_text() == 'name = "x"\ndone = \n'


def test_each_problem_has_its_place_in_the_text_that_would_be_written(service: Service, roms: Path) -> None:
    file = write_game(roms / "checked")
    before = file.read_bytes()
    content = {
        **service.get("/games/checked")["content"],
        "done": "hearts == 0 or coins > 3",
        "frame_skip": "many",
    }
    (problem,) = service.api("POST", "/games/checked/check", json={"content": content}).json()["problems"]
    assert (problem["pointer"], problem["position"]) == ("/frame_skip", None)
    content["frame_skip"] = 8
    content["start_state"] = "../none.state"
    content["rom_sha256"] = "0" * 64
    checked = service.api("POST", "/games/checked/check", json={"content": content}).json()
    found = {one["pointer"]: one for one in checked["problems"]}
    assert set(found) == {"/done", "/start_state", "/rom_sha256"}
    done = found["/done"]
    line = checked["toml"].splitlines()[done["line"] - 1]
    assert line[done["column"] - 1 :].startswith("coins")
    assert "hearts == 0 or coins"[done["position"] :] == "coins"
    assert "There is no tap 'coins'" in done["detail"]
    refused = service.api("PUT", "/games/checked", json={"content": content, "digest": None})
    assert refused.status_code == 422
    assert "/content/done" in {one["pointer"] for one in refused.json()["errors"]}
    assert file.read_bytes() == before


def test_only_folders_of_games_can_be_named(service: Service, roms: Path) -> None:
    (roms / ".hidden").mkdir()
    shutil.copy(CARTRIDGE.rom, roms / ".hidden/game.gb")
    outside = roms.parent / "outside"
    write_game(outside)
    before = (outside / "game.toml").read_bytes()
    for name in (".hidden", "..%2Foutside", "%2E%2E%2Foutside", "none", str(outside).replace("/", "%2F")):
        for method, body in (("GET", None), ("PUT", {"content": {"name": "x"}, "digest": None})):
            assert service.api(method, f"/games/{name}", json=body).status_code in (404, 405)
    for name in ("../outside", ".hidden", str(outside)):
        answer = service.api("POST", "/sessions", json={"mode": "describe", "rom": name})
        assert (answer.status_code, answer.json()["title"]) == (404, "Game not found")
    assert (outside / "game.toml").read_bytes() == before


def test_what_is_no_rom_and_half_a_request_are_refused_with_a_reason(service: Service, roms: Path) -> None:
    (in_folder(roms, "text") / "game.gb").write_bytes(b"not a rom")
    assert "is not a Game Boy ROM" in service.get("/games/text")["problem"]
    for body, words in (
        ({"mode": "describe", "rom": "text"}, "is not a Game Boy ROM"),
        ({"mode": "describe"}, "Give both, or neither"),
        ({"mode": "play", "rom": "text"}, "Give both, or neither"),
        ({"mode": "describe", "rom": "text", "env_id": "CartPole-v1"}, "without a run, an environment"),
    ):
        answer = service.api("POST", "/sessions", json=body)
        assert answer.status_code == 422
        assert words in answer.json()["detail"]


def test_a_cartridge_that_pyboy_does_not_know_ends_its_session_with_the_reason(service: Service, roms: Path) -> None:
    folder = in_folder(roms, "unknown")
    (folder / "game.gb").write_bytes(with_header(CARTRIDGE.rom.read_bytes(), at_147=0xFD))
    with looking(service, mode="describe", rom="unknown") as viewer:
        assert viewer.first("ended").cause.startswith(f"PyBoy cannot run {folder / 'game.gb'}: ")


def test_a_start_state_of_another_game_ends_nothing(service: Service, roms: Path) -> None:
    folder = in_folder(roms, "odd-start")
    (folder / "game.toml").write_text('name = "Odd"\nstart_state = "start.state"\n')
    (folder / "start.state").write_bytes(start_state()[:100])
    with looking(service, mode="describe", rom="odd-start") as viewer:
        assert "PyBoy cannot load the start state start.state" in viewer.first("error").detail
        viewer.send(type="step")
        viewer.step()
