"""A custom environment in a file outside the repository."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from rlviz.learning.environments.probe import main, probe
from tests.support import lights
from tests.support.service_process import Service, serving
from tests.support.waiting import eventually

LIGHTS = Path(lights.__file__).read_text()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("elsewhere") / "lights.py"
    path.write_text(LIGHTS)
    return path


@pytest.fixture(scope="module")
def app(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("own"), environments=f"{source}:Lights, nowhere:Nothing") as service:
        yield service
        assert "Traceback" not in service.log, service.log


def test_a_custom_environment_is_listed_and_an_unusable_one_says_why(app: Service) -> None:
    own = {found["id"]: found for found in app.get("/environments") if found["family"] == "own"}
    lights, nothing = own["Lights"], own["Nothing"]
    assert lights["available"]
    assert lights["summary"] == "Switch on the light that is dark."
    assert lights["observation_space"] == {
        "kind": "MultiBinary",
        "shape": [3],
        "n": None,
        "labels": [],
        "units": [],
        "is_real": False,
        "is_picture": False,
        "factors": [],
        "counts": [],
        "starts": [],
    }
    assert lights["action_space"]["n"] == 3
    assert (lights["max_episode_steps"], lights["reward_threshold"], lights["render_fps"]) == (20, 18.0, 10)
    assert {"ppo", "dqn"} <= set(lights["algorithms"])
    assert [preset["id"] for preset in lights["presets"]["ppo"]] == ["fast", "stable", "high-score"]
    assert not nothing["available"]
    assert "ModuleNotFoundError: No module named 'nowhere'" in nothing["install_hint"]
    refused = app.api("POST", "/runs", json={"algo": "ppo", "env_id": "Nothing"})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["pointer"] == "/env_id"


def test_a_custom_environment_is_trained_and_filmed_like_any_other(app: Service) -> None:
    small = {"n_envs": 2, "n_steps": 100, "batch_size": 50, "net_arch": [16]}
    run = app.create(
        algo="ppo", env_id="Lights", preset=None, seed=1, total_timesteps=400, hyperparameters=small, start=True
    )
    assert run["config"]["custom_environment"]["entry_point"].endswith("lights.py:Lights")

    def ended(path: str) -> dict[str, Any] | None:
        found: dict[str, Any] = app.get(path)
        return found if found["status"] in ("completed", "failed") else None

    path = f"/runs/{run['id']}"
    done = eventually(lambda: ended(path), "The end of the run")
    assert done["status"] == "completed", done["cause"]
    assert done["episodes"] == 20, "Episodes of 20 steps, in both environments"
    assert app.api("POST", f"{path}/evaluations", json={"episodes": 1}).status_code == 202
    evaluation = eventually(lambda: ended(f"{path}/evaluations/latest"), "The end of the evaluation")
    assert evaluation["status"] == "completed", evaluation["cause"]
    assert evaluation["summary"]["video"]["frames"] == 21
    assert evaluation["summary"]["video"]["fps"] == 10


NAMED = """
    observation_names = ["left lamp", "middle lamp", "right lamp"]
    observation_units = ("", "V", "V")
    action_names = ["left", "middle", "right"]
"""


ATTRIBUTE = "    max_episode_steps = 20\n"


def test_a_custom_environment_uses_the_names_that_its_class_gives_numbers_and_actions(tmp_path: Path) -> None:
    (tmp_path / "named.py").write_text(LIGHTS.replace(ATTRIBUTE, ATTRIBUTE + NAMED))
    found = probe(f"{tmp_path}/named.py:Lights")
    assert found.observation_space.labels == ("left lamp", "middle lamp", "right lamp")
    assert found.observation_space.units == ("", "V", "V")
    assert found.action_space.labels == ("left", "middle", "right")


def test_a_custom_environment_has_a_picture_from_its_probe(app: Service) -> None:
    own = {found["id"]: found["still_url"] for found in app.get("/environments") if found["family"] == "own"}
    assert own["Nothing"] is None
    answer = app.api("GET", own["Lights"].removeprefix("/api"))
    assert answer.headers["content-type"] == "image/webp"
    picture = Image.open(BytesIO(answer.content))
    assert picture.size == (320, 960)
    assert len(set(picture.convert("L").getdata())) > 1
    assert app.api("GET", "/environments/Nothing/still").status_code == 404


def saying(text: str) -> str:
    return LIGHTS.replace("Lights", "Broken").replace(ATTRIBUTE, f"{ATTRIBUTE}    {text}\n")


BROKEN = {
    saying('observation_names = ["a", "b"]'): "observation_names has 2 strings; 3 are needed",
    saying('action_names = ["a", "b", "a"]'): "action_names contains a name twice",
    saying('action_names = "abc"'): "action_names is 'abc'; a list of",
    saying('action_units = ["N", "N", "N"]'): "action_units needs a space of numbers",
    "class Broken:\n    pass": "is not a gymnasium.Env",
    "import gymnasium\nclass Broken(gymnasium.Env):\n    pass": 'has no "rgb_array"',
    LIGHTS.replace("class Lights", "class Other"): "has no attribute 'Broken'",
    LIGHTS.replace("Lights", "Broken").replace("spaces.MultiBinary(3)", "spaces.Text(3)"): "space is Text",
    LIGHTS.replace("Lights", "Broken").replace(
        "spaces.MultiBinary(3)", "spaces.Dict({'eye': spaces.Box(0, 255, (8, 8), np.uint8)})"
    ): "The part 'eye' of its observations is a picture",
    LIGHTS.replace("Lights", "Broken").replace("spaces.MultiBinary(3)", "spaces.Tuple([spaces.Text(3)])"): (
        "The part '0' of its observations is Text"
    ),
    LIGHTS.replace("Lights", "Broken").replace("np.ones(3", "np.ones(4"): "its observation space needs",
    LIGHTS.replace("Lights", "Broken").replace("float(action == self._dark)", "float('nan')"): "a reward of nan",
    LIGHTS.replace("Lights", "Broken").replace("reshape(90, 30, 3)", "reshape(90, 90)"): "render() returned",
    "1 / 0": "ZeroDivisionError: division by zero",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("text", "words"), BROKEN.items(), ids=BROKEN.values())
def test_a_faulty_class_is_described(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, words: str) -> None:
    (tmp_path / "broken.py").write_text(text)
    assert main(f"{tmp_path}/broken.py:Broken") == 0
    assert words in json.loads(capsys.readouterr().out.splitlines()[-1])["unavailable_reason"]
