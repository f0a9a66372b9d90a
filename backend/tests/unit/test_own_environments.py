"""The verdict of the probe on each test environment, in this process."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

from rlviz.domain.environment import StateKept
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.environments.custom import custom_environment
from rlviz.learning.environments.probe import Unusable, probe, rehearse, try_state, where_it_failed
from tests.support.own_environments import CASES, SOURCE, Case

TABLE = {kind: case for kind, case in CASES.items() if not case.is_alone}


def test_the_table_has_many_cases_of_each_verdict() -> None:
    refused = [kind for kind, case in CASES.items() if case.refused is not None]
    assert len(refused) >= 30
    assert len(CASES) - len(refused) >= 60


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("kind", "case"), TABLE.items(), ids=[kind.__name__ for kind in TABLE])
def test_the_probe_gives_the_correct_verdict(kind: type, case: Case) -> None:
    entry_point = f"{SOURCE}:{kind.__name__}"
    if case.refused is not None:
        with pytest.raises(Exception) as caught:
            probe(entry_point)
        told = str(caught.value) if isinstance(caught.value, Unusable) else where_it_failed(caught.value)
        assert case.refused in told
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        described = try_state(rehearse(probe(entry_point)))
    said = " ".join(described.warnings)
    assert (case.warned in said) if case.warned is not None else said == ""
    assert described.is_single is case.is_single
    assert (described.state_kept_by is not StateKept.NOTHING) is case.is_exact, described.state_problem
    environment = custom_environment(kind.__name__, described)
    suited = {algorithm.id for algorithm in ALGORITHMS if environment.suits(algorithm)}
    kinds = described.observation_space.kind, described.action_space.kind
    assert suited == {one.id for one in ALGORITHMS if one.fits(*kinds)} - set(case.unsuited)


def test_spaces_with_a_start_offset_are_described_by_their_own_values() -> None:
    steered = probe(f"{SOURCE}:FromMinusOne").action_space
    switched = probe(f"{SOURCE}:SwitchesFromOne").action_space
    assert (steered.n, steered.starts) == (3, (-1,))
    assert (switched.counts, switched.starts) == ((3, 2), (1, -1))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "rate"),
    [("HalfAFrame", 0.5), ("FewFrames", 0.04), ("NoFrames", 30), ("FramesInText", 20), ("ManyFrames", 240)],
)
def test_a_frame_rate_is_any_number_above_zero(name: str, rate: float) -> None:
    assert probe(f"{SOURCE}:{name}").render_fps == rate


def test_an_integer_frame_rate_stays_an_integer_as_in_earlier_runs() -> None:
    assert '"render_fps":20,' in probe(f"{SOURCE}:Plain").model_dump_json()


def test_the_components_of_a_reward_are_found_in_its_first_steps(tmp_path: Path) -> None:
    (tmp_path / "parts.py").write_text(
        "from tests.support.own_environments import Plain\n\n\n"
        "class Parts(Plain):\n"
        "    def step(self, action):\n"
        "        observation, reward, *over, _ = super().step(action)\n"
        "        return observation, reward, *over, {'reward_components': {'goal': reward, 'fuel': 0.0}}\n"
    )
    parts = rehearse(probe(f"{tmp_path}/parts.py:Parts"))
    assert custom_environment("Parts", parts).reward_components == ("goal", "fuel")
    assert "reward_components" not in rehearse(probe(f"{SOURCE}:Plain")).model_dump_json()
