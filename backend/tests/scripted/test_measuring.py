"""Measuring presets with a service: which are due, and what is written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from measuring.__main__ import _options, due
from measuring.figures import Figures
from measuring.measure import Measuring
from measuring.specification import Measurement, Specification
from rlviz.domain.presets import MeasuredPreset
from rlviz.learning.presets import catalog
from rlviz.learning.presets.catalog import MEASURED, digest, preset_files, read_preset_files
from tests.support.service_process import Service, serving

SPECIFICATION = """
name = "Presets of CliffWalking"
seeds = 2
[base]
env_id = "CliffWalking-v1"
total_timesteps = 1000
[score]
episodes = 5
policy = "best"
[[variants]]
name = "Q-learning Fast"
changes = { algo = "q-learning", preset = "fast" }
[[variants]]
name = "Q-learning Stable"
changes = { algo = "q-learning", preset = "stable" }
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("measuring"), max_concurrent_runs="2", launcher="scripted") as service:
        yield service


@pytest.fixture
def specification(tmp_path: Path) -> Specification:
    path = tmp_path / "cliff.toml"
    path.write_text(SPECIFICATION)
    return Specification.read(path)


@pytest.fixture
def figures(tmp_path: Path) -> Figures:
    return Figures(tmp_path / "measured.json", tmp_path / "curves.json", tmp_path / "pictures")


@dataclass
class Asked:
    """The service as the measuring uses it; it records the started experiments. ``interrupt`` raises KeyboardInterrupt
    after the first.
    """

    service: Service
    interrupt: bool = False
    begun: list[str] = field(default_factory=list)

    def get(self, path: str, **query: Any) -> Any:
        if self.interrupt and self.begun and path != "/experiments":
            raise KeyboardInterrupt
        return self.service.get(path, params={name: value for name, value in query.items() if value is not None})

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        answer = self.service.api("POST", path, json=body)
        assert answer.is_success, answer.text
        if path == "/experiments":
            self.begun.append(answer.json()["name"])
        return answer.json()


def measured(figures: Figures, tmp_path: Path) -> dict[str, MeasuredPreset]:
    path = tmp_path / "measured.json"
    return {name: MeasuredPreset.model_validate(one) for name, one in json.loads(path.read_text()).items()}


def quiet(_line: str) -> None:
    pass


def test_runs_left_by_an_earlier_invocation_do_not_slow_down_a_measurement(
    service: Service, specification: Specification, figures: Figures
) -> None:
    fast, stable = (specification.measurement(variant, seeds=50) for variant in specification.spec.variants)
    asked = Asked(service)
    for body in (fast.spec, stable.spec.model_copy(update={"name": "of somebody else"})):
        asked.post("/experiments", body.model_dump(mode="json", exclude_unset=True))
    Measuring(asked, figures, report=quiet).stop_others([stable], [specification])
    states = {one["name"]: one for one in service.get("/experiments")["experiments"] if one["trials"] == 50}
    assert states[fast.name]["status"] == "stopped"
    assert states["of somebody else"]["status"] == "running"
    for name in (fast.name, "of somebody else"):
        service.api("DELETE", f"/experiments/{states[name]['id']}")


def test_figures_of_other_presets_stay_and_those_of_deleted_ones_are_dropped(
    service: Service, specification: Specification, figures: Figures, tmp_path: Path
) -> None:
    known = json.loads(MEASURED.read_text())
    one = next(iter(known.values()))
    (tmp_path / "measured.json").write_text(json.dumps({**known, "f" * 16: one}))
    wanted = specification.measurement(specification.spec.variants[0])
    Measuring(Asked(service), figures, report=quiet).measure([wanted])
    assert set(measured(figures, tmp_path)) == {*known, wanted.digest}


def names(figures: Figures, *arguments: str) -> list[str]:
    return [one.name.partition(",")[0] for one in due(_options([*arguments]), figures)]


def test_presets_measured_with_fewer_seeds_are_due(tmp_path: Path) -> None:
    figures = Figures(tmp_path / "measured.json", tmp_path / "curves.json", tmp_path / "pictures")
    assert names(figures, "pendulum", "--only", "SAC *") == ["SAC Fast", "SAC Stable", "SAC High Score"]
    (fast,) = (one for one in due(_options(["pendulum", "--only", "SAC Fast"]), figures))
    assert isinstance(fast, Measurement)
    older = json.loads(MEASURED.read_text()).popitem()[1]
    (tmp_path / "measured.json").write_text(json.dumps({fast.digest: {**older, "specification": None}}))
    assert "SAC Fast" in names(figures, "pendulum"), "figures that no experiment made are due again"
    (tmp_path / "measured.json").write_text(json.dumps({fast.digest: {**older, "specification": "x", "seeds": 5}}))
    assert "SAC Fast" not in names(figures, "pendulum")
    assert "SAC Fast" in names(figures, "pendulum", "--again")
    assert "SAC Fast" in names(figures, "pendulum", "--seeds", "6")


def test_figures_of_a_preset_edited_during_the_measurement_stay(
    figures: Figures, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    preset_files()  # as they were when this invocation began
    files = shutil.copytree(catalog.FILES, tmp_path / "files")
    monkeypatch.setattr(catalog, "FILES", files)
    taxi = files / "taxi.toml"
    taxi.write_text(taxi.read_text().replace("total_timesteps = ", "total_timesteps = 1", 1))
    (edited,) = (file.preset[0] for file in read_preset_files() if file.environment == "Taxi-v4")
    older = json.loads(MEASURED.read_text()).popitem()[1]
    known = {digest(edited, "Taxi-v4"): older, "gone": older}
    (tmp_path / "measured.json").write_text(json.dumps(known))
    figures.drop_unknown()
    assert list(json.loads((tmp_path / "measured.json").read_text())) == [digest(edited, "Taxi-v4")]


def test_the_requested_number_of_runs_trains_in_parallel() -> None:
    assert {one.spec.parallel for one in due(_options(["taxi", "--again", "--parallel", "1"]), Figures())} == {1}
