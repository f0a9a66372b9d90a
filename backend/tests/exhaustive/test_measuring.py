"""Measuring of presets after an interruption or with unscored seeds.

It is exhaustive because each case runs an experiment, and presets are measured only before a release.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from measuring.figures import Figures
from measuring.measure import Measuring
from measuring.specification import Specification
from tests.scripted.test_measuring import Asked, figures, measured, quiet, service, specification
from tests.support.service_process import Service
from tests.support.waiting import eventually

__all__ = ["figures", "service", "specification"]


def test_an_interrupted_measurement_continues_unless_its_preset_was_changed(
    service: Service, specification: Specification, figures: Figures
) -> None:
    stable = specification.spec.variants[1]
    wanted = specification.measurement(stable, seeds=3)
    asked = Asked(service, interrupt=True)
    with pytest.raises(KeyboardInterrupt):
        Measuring(asked, figures, report=quiet).measure([wanted])
    assert asked.begun == [wanted.name]
    (known,) = [one for one in service.get("/experiments")["experiments"] if one["trials"] == 3]
    assert known["status"] in ("stopped", "completed")

    changed = replace(wanted, digest="0" * 16, spec=wanted.spec.model_copy(update={"name": "after a change"}))
    again = Asked(service)
    assert Measuring(again, figures, report=quiet).measure([changed, wanted]) == []
    assert again.begun == ["after a change"]
    assert figures.seeds_of(wanted.digest) == 3


def test_a_preset_with_an_unscored_seed_is_not_written(
    service: Service, specification: Specification, figures: Figures, tmp_path: Path
) -> None:
    wanted = specification.measurement(specification.spec.variants[1], seeds=4)
    asked = Asked(service)
    experiment = asked.post("/experiments", wanted.spec.model_dump(mode="json", exclude_unset=True))

    def run_of_the_first() -> Any:
        return service.get(f"/experiments/{experiment['id']}")["cells"][0]["run_id"]

    run_id = eventually(run_of_the_first, "the first trial")
    service.api("POST", f"/runs/{run_id}/stop")
    (problem,) = Measuring(asked, figures, report=quiet).measure([wanted])
    assert "3 of 4 scores" in problem
    assert not (tmp_path / "measured.json").exists()


def test_presets_are_measured_one_at_a_time_and_only_once(
    service: Service, specification: Specification, figures: Figures, tmp_path: Path
) -> None:
    wanted = [specification.measurement(variant) for variant in specification.spec.variants]
    asked = Asked(service)
    assert Measuring(asked, figures, report=quiet).measure(wanted) == []
    assert asked.begun == [one.name for one in wanted]
    found = measured(figures, tmp_path)
    assert {one.digest for one in wanted} == set(found)
    assert {(one.seeds, one.specification) for one in found.values()} == {(2, "cliff.toml")}
    assert len(list((tmp_path / "pictures").glob("*.svg"))) == 2
    assert [figures.seeds_of(one.digest) for one in wanted] == [2, 2]

    (tmp_path / "measured.json").unlink()  # it was killed after the last seed, before it had written anything
    again = Asked(service)
    assert Measuring(again, figures, report=quiet).measure(wanted) == []
    assert again.begun == []
    assert measured(figures, tmp_path) == found

    (tmp_path / "measured.json").unlink()
    more = specification.measurement(specification.spec.variants[0], seeds=9)
    (problem,) = Measuring(again, figures, report=quiet).rewrite([*wanted, more])
    assert more.name in problem
    assert again.begun == []
    assert measured(figures, tmp_path) == found
