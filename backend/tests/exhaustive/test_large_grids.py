"""What very large grids cost."""

from __future__ import annotations

from typing import Any

import pytest

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import FieldError, InvalidRequest
from rlviz.domain.experiments import ExperimentSpec, RunSpec
from rlviz.server.experiments.service import SpecificationCheck
from rlviz.server.runs.configuration import NewRun, resolve_config


class Runs:
    """Resolves as the service does, without a catalogue."""

    def resolve(self, wishes: RunSpec, seed: int, memory: int | None = None) -> RunConfig:
        given = {name: getattr(wishes, name) for name in RunSpec.model_fields}
        return resolve_config(NewRun(**given, seed=seed), 0.0, memory_limit=8 * 10**9, memory_per_worker=memory)


def resolved(pace: float | None = None, **given: Any) -> dict[str, RunSpec]:
    check = SpecificationCheck(Runs(), lambda _algo, _env: pace)  # type: ignore[arg-type]
    return check.resolved(ExperimentSpec.model_validate(given))


def refused(pace: float | None = None, **given: Any) -> FieldError:
    with pytest.raises(InvalidRequest) as caught:
        resolved(pace, **given)
    (field,) = caught.value.fields
    return field


HUNDRED = [round(0.9 + 0.0009 * place, 5) for place in range(100)]


@pytest.mark.parametrize("seeds", [1, 5])
def test_ten_thousand_combinations_say_what_they_would_cost(seeds: int) -> None:
    field = refused(200.0, grid={"gamma": HUNDRED, "gae_lambda": HUNDRED}, seeds=seeds)
    steps = 10_000 * 100_352 * seeds  # 98 rollouts of 1,024 steps
    assert field.pointer == ("/confirm" if seeds == 1 else "")
    assert f"{steps:,} environment steps in total" in field.detail
    assert f"about {steps / 200 / 3600:,.0f} core-hours" in field.detail
