"""Presets of the user: saving, listing, validation and deletion."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.errors import InvalidRequest, PresetNotFound, UnknownName
from rlviz.domain.presets import OwnPreset, own_preset_id
from rlviz.learning.presets.catalog import own_presets_for, preset_for
from rlviz.server.runs.configuration import NewRun, resolve_config
from rlviz.server.runs.presets import OwnPresets
from tests.support.training import CREATED_AT


def preset(title: str = "My PPO", **changes: Any) -> OwnPreset:
    values = {
        "id": own_preset_id(title),
        "title": title,
        "algorithm": "ppo",
        "environment": "CartPole-v1",
        "summary": "Found here.",
        "tradeoff": "Few seeds.",
        "source": "experiment x",
        "total_timesteps": 12_345,
        "hyperparameters": {"n_steps": 256, "gamma": 0.97},
        "created_at": CREATED_AT,
        **changes,
    }
    return OwnPreset.model_validate(values)


def test_a_saved_preset_is_listed_by_title_and_persists(tmp_path: Path) -> None:
    own = OwnPresets(tmp_path)
    assert own.all() == ()
    own.keep(preset("Zwei"))
    own.keep(preset("eins"))
    assert [one.title for one in own.all()] == ["eins", "Zwei"]
    assert OwnPresets(tmp_path).all() == own.all()
    assert {path.name for path in (tmp_path / "presets").iterdir()} == {"own-eins.json", "own-zwei.json"}


def test_a_title_can_be_used_only_once(tmp_path: Path) -> None:
    own = OwnPresets(tmp_path)
    own.keep(preset("My PPO"))
    with pytest.raises(InvalidRequest, match="Choose another title") as caught:
        own.keep(preset("my  ppo!"))
    assert caught.value.fields[0].pointer == "/title"


@pytest.mark.parametrize("title", ["Fast", "fast", " STABLE ", "High Score", "high-score!"])
def test_the_title_of_a_built_in_preset_is_refused_and_loads_if_it_was_saved_before(tmp_path: Path, title: str) -> None:
    own = OwnPresets(tmp_path)
    with pytest.raises(InvalidRequest, match="Choose another title") as caught:
        own.keep(preset(title))
    assert caught.value.fields[0].pointer == "/title"
    assert own.all() == ()
    earlier = preset(title)
    (tmp_path / "presets").mkdir()
    (tmp_path / "presets" / f"{earlier.id}.json").write_text(earlier.model_dump_json())
    assert own.all() == (earlier,)


@pytest.mark.parametrize("title", ["Fast enough", "Faster", "High"])
def test_a_title_that_only_starts_like_a_built_in_one_is_accepted(tmp_path: Path, title: str) -> None:
    own = OwnPresets(tmp_path)
    own.keep(preset(title))
    assert [one.title for one in own.all()] == [title]


def test_a_run_can_use_a_preset_only_where_it_applies(tmp_path: Path) -> None:
    own = OwnPresets(tmp_path)
    own.keep(preset())
    config = resolve_config(NewRun("ppo", preset="own-my-ppo"), 0.0, own_presets=own.all())
    assert (config.preset, config.total_timesteps, config.hyperparameters["gamma"]) == ("own-my-ppo", 12_345, 0.97)
    with pytest.raises(UnknownName, match="own-my-ppo"):
        resolve_config(NewRun("ppo", preset="own-my-pp"), 0.0, own_presets=own.all())
    with pytest.raises(UnknownName):
        preset_for("own-my-ppo", "ppo", "Acrobot-v1", {}, own.all())


def test_options_of_the_environment_decide_whether_a_preset_applies() -> None:
    slippery = preset(environment="FrozenLake-v1", when={"is_slippery": True})
    assert own_presets_for([slippery], "ppo", "FrozenLake-v1", {"is_slippery": True}) == [slippery]
    assert own_presets_for([slippery], "ppo", "FrozenLake-v1", {"is_slippery": False}) == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b"x" * 200_000,
        preset(hyperparameters={"gamma": 7}).model_dump_json().encode(),
        preset(hyperparameters={"gama": 0.9}).model_dump_json().encode(),
        preset(algorithm="nothing").model_dump_json().encode(),
        preset("other").model_dump_json().encode(),
        json.dumps({**preset().model_dump(mode="json"), "schema_version": 2}).encode(),
    ],
)
def test_an_invalid_file_hides_no_other_preset(tmp_path: Path, content: bytes) -> None:
    own = OwnPresets(tmp_path)
    own.keep(preset("good"))
    (tmp_path / "presets" / "own-my-ppo.json").write_bytes(content)
    assert [one.title for one in own.all()] == ["good"]


def test_links_are_not_followed_and_a_file_in_place_of_the_folder_is_ignored(tmp_path: Path) -> None:
    own = OwnPresets(tmp_path / "a")
    (tmp_path / "a" / "presets").mkdir(parents=True)
    (tmp_path / "secret.json").write_text(preset().model_dump_json())
    (tmp_path / "a" / "presets" / "own-my-ppo.json").symlink_to(tmp_path / "secret.json")
    assert own.all() == ()
    with pytest.raises(InvalidRequest):
        own.keep(preset())
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "presets").write_text("")
    assert OwnPresets(tmp_path / "b").all() == ()


@pytest.mark.parametrize("preset_id", ["own-none", "../own-my-ppo", "fast", ""])
def test_a_missing_preset_cannot_be_deleted(tmp_path: Path, preset_id: str) -> None:
    own = OwnPresets(tmp_path)
    own.keep(preset())
    with pytest.raises(PresetNotFound):
        own.delete(preset_id)
    own.delete("own-my-ppo")
    assert own.all() == ()


def test_a_title_without_letters_is_refused() -> None:
    with pytest.raises(ValueError, match="title"):
        preset("!!!")


def test_a_preset_of_your_own_explores(tmp_path: Path) -> None:
    own = OwnPresets(tmp_path)
    own.keep(preset("Plain"))
    own.keep(preset("Curious", exploration={"novelty": 0.5, "imitation": 5}))
    assert "exploration" not in (tmp_path / "presets" / "own-plain.json").read_text()
    config = resolve_config(NewRun("ppo", preset="own-curious"), 0.0, own_presets=own.all())
    assert str(config.exploration) == "novelty 0.5, imitation 5"


@pytest.mark.parametrize(
    "changes",
    [
        {"algorithm": "dqn", "hyperparameters": {}, "exploration": {"imitation": 5}},
        {"hyperparameters": {"normalize_observations": True}, "exploration": {"imitation": 5}},
    ],
)
def test_a_preset_that_its_algorithm_cannot_explore_with_is_skipped(tmp_path: Path, changes: dict[str, Any]) -> None:
    own = OwnPresets(tmp_path)
    own.keep(preset("Impossible", **changes))
    assert own.all() == ()
