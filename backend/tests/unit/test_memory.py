"""Memory limits of training, and warnings about memory use."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import psutil
import pytest
from gymnasium import spaces
from stable_baselines3.common.buffers import ReplayBuffer, RolloutBuffer

from rlviz.cli.checks import check_free_memory
from rlviz.domain.byte_text import byte_text
from rlviz.domain.config import ExplorationPlan
from rlviz.domain.errors import InvalidRequest
from rlviz.domain.spaces import box, discrete
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.base import Layout, replay_buffer, rollout_buffer
from rlviz.learning.algorithms.tabular import TablePolicy
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment, Family
from rlviz.learning.environments.conforming import describe_space
from rlviz.machine import MemoryUse, machine_memory, memory_use
from rlviz.server.application import Application
from rlviz.server.notifications.notifier import MemoryWatch, NotificationKind, Notifier
from rlviz.server.runs.configuration import _layout, check_memory
from rlviz.settings import Settings
from tests.support.waiting import eventually

SPACES = [
    (spaces.Box(-1, 1, (4,), np.float32), spaces.Discrete(2), Layout((4,), 4), Layout((1,), 8)),
    (spaces.Box(0, 255, (3, 8, 8), np.uint8), spaces.Box(-1, 1, (3,)), Layout((3, 8, 8), 1), Layout((3,), 4)),
    (spaces.Discrete(16), spaces.Discrete(4), Layout((1,), 8), Layout((1,), 8)),
]
GB = 10**9


def nbytes(buffer: object) -> int:
    return sum(value.nbytes for value in vars(buffer).values() if isinstance(value, np.ndarray))


@pytest.mark.parametrize(("seen", "done", "observation", "action"), SPACES)
@pytest.mark.parametrize("once", [False, True])
def test_a_replay_buffer_takes_the_estimated_memory(
    seen: Any, done: Any, observation: Layout, action: Layout, once: bool
) -> None:
    buffer = ReplayBuffer(500, seen, done, "cpu", optimize_memory_usage=once, handle_timeout_termination=not once)
    assert replay_buffer(500, observation, action, store_once=once).bytes == nbytes(buffer)


@pytest.mark.parametrize(("seen", "done", "observation", "action"), SPACES)
def test_a_rollout_buffer_takes_half_of_its_estimate_because_an_update_copies_it(
    seen: Any, done: Any, observation: Layout, action: Layout
) -> None:
    buffer = RolloutBuffer(50, seen, done, "cpu", n_envs=3)
    assert rollout_buffer(50, 3, observation, action).bytes == 2 * nbytes(buffer)


def test_a_q_table_takes_the_estimated_memory() -> None:
    seen, done = spaces.MultiDiscrete([3, 4, 5]), spaces.Discrete(6)
    environment = pictures(observation_space=describe_space(seen, ""), action_space=describe_space(done, ""))
    need = (
        ALGORITHMS.get("q-learning")
        .validate({}, 1_000)
        .memory(_layout(environment.observation_space), _layout(environment.action_space))
    )
    assert need.bytes == sum(part.nbytes for part in TablePolicy(seen, done).buffers())


def test_the_largest_estimate_that_fits_is_accepted_and_one_more_is_not() -> None:
    need = replay_buffer(1_000_000, Layout((96, 96, 3), 1), Layout((3,), 4), store_once=False)
    most = need.largest(14 * GB)
    fits, too_much = (replay_buffer(size, *SPACES[1][2:], store_once=False).bytes for size in (most, most + 1))
    assert fits < too_much
    assert replay_buffer(most, Layout((96, 96, 3), 1), Layout((3,), 4), store_once=False).bytes <= 14 * GB
    assert replay_buffer(most + 1, Layout((96, 96, 3), 1), Layout((3,), 4), store_once=False).bytes > 14 * GB


def pictures(**changes: Any) -> Environment:
    frames = box(shape=(96, 96, 3), dtype="uint8")
    values: dict[str, Any] = {"observation_space": frames, "action_space": box("steer", "gas", "brake"), **changes}
    return Environment("Frames-v0", "Frames", Family("test", "Test"), "", **values, **REST)


REST: dict[str, Any] = {"reward_threshold": None, "max_episode_steps": None, "render_fps": 30}


@pytest.mark.parametrize(
    ("algo", "values", "environment", "pointer", "message"),
    [
        (
            "sac",
            {"buffer_size": 1_000_000},
            pictures(),
            "/hyperparameters/buffer_size",
            "buffer_size 1,000,000 would need about 55.3 GB for 96×96×3 frames; a run may have at most 8 GB here "
            "(RLVIZ_MEMORY_LIMIT). Use at most 144,613, or store each observation once (optimize_memory_usage).",
        ),
        (
            "ppo",
            {"n_steps": 65_536, "n_envs": 64},
            pictures(),
            "/hyperparameters/n_steps",
            "n_steps 65,536 would need about 232.2 GB for 96×96×3 frames; a run may have at most 8 GB here "
            "(RLVIZ_MEMORY_LIMIT). Use at most 2,257 or fewer environments (n_envs).",
        ),
        (
            "q-learning",
            {},
            pictures(observation_space=discrete(10**9), action_space=discrete(4)),
            "/algo",
            "The table of Q-learning would need about 65 GB for 1,000,000,000 states; a run may have at most 8 GB "
            "here (RLVIZ_MEMORY_LIMIT). Choose an algorithm with a network instead of a table.",
        ),
        (
            "q-learning",
            {},
            pictures(observation_space=describe_space(spaces.MultiDiscrete([1_000] * 3), ""), action_space=discrete(4)),
            "/algo",
            "The table of Q-learning would need about 65 GB for 1,000,000,000 states; a run may have at most 8 GB "
            "here (RLVIZ_MEMORY_LIMIT). Choose an algorithm with a network instead of a table.",
        ),
    ],
    ids=["replay", "rollout", "table", "table of several numbers"],
)
def test_values_that_do_not_fit_into_memory_are_refused_with_ones_that_do(
    algo: str, values: dict[str, Any], environment: Environment, pointer: str, message: str
) -> None:
    algorithm = ALGORITHMS.get(algo)
    with pytest.raises(InvalidRequest) as caught:
        check_memory(algorithm, algorithm.validate(values, 10**7), environment, 8 * GB)
    assert [field.pointer for field in caught.value.fields] == [pointer]
    assert str(caught.value) == message


def test_exploration_that_does_not_fit_beside_the_buffer_is_refused() -> None:
    ppo, island = ALGORITHMS.get("ppo"), ENVIRONMENTS.get("GameBoy/Lamplighter-v0")
    values = ppo.validate({"n_envs": 1}, 10**6)
    plan = ExplorationPlan(archive=0.3, imitation=10)
    check_memory(ppo, values, island, 100_000_000, plan)
    with pytest.raises(InvalidRequest) as caught:
        check_memory(ppo, values, island, 10_000_000, plan)
    assert [field.pointer for field in caught.value.fields] == ["/exploration/archive"]
    assert str(caught.value) == (
        "The run would need about 26 MB: 2.2 MB for n_steps 2,048, 18 MB for archive and 5.8 MB for imitation; a "
        "run may have at most 10 MB here (RLVIZ_MEMORY_LIMIT). Leave out archive or imitation."
    )
    with pytest.raises(InvalidRequest, match="Raise it, or leave out archive or imitation") as own:
        check_memory(ppo, values, island, 10_000_000, plan, is_own=True)
    assert [field.pointer for field in own.value.fields] == ["/memory_per_worker"]


def test_values_that_fit_into_memory_are_accepted() -> None:
    algorithm = ALGORITHMS.get("sac")
    for values in ({"buffer_size": 144_000}, {"buffer_size": 280_000, "optimize_memory_usage": True}):
        check_memory(algorithm, algorithm.validate(values, 10**7), pictures(), 8 * GB)


@pytest.mark.parametrize(("limit", "usage"), [("memory.max", "memory.current"), ("max", "memory.usage_in_bytes")])
def test_a_fuller_container_memory_counts_without_cached_files(tmp_path: Path, limit: str, usage: str) -> None:
    total_cache = "total_inactive_file 150" if usage == "memory.usage_in_bytes" else "inactive_file 150"
    (tmp_path / limit).write_text("1000\n")
    (tmp_path / usage).write_text("1145\n")
    (tmp_path / "memory.stat").write_text(f"anon 800\n{total_cache}\n")
    assert memory_use((tmp_path / limit,)) == MemoryUse("container", 995, 1_000)
    (tmp_path / usage).write_text("150\n")
    assert memory_use((tmp_path / limit,)).whose == "machine"
    (tmp_path / limit).write_text("max\n")
    assert memory_use((tmp_path / limit, tmp_path / "missing")).whose == "machine"


@pytest.mark.parametrize(
    ("used", "state", "to_do"), [(74, "ok", ""), (75, "look", "Do not start more runs"), (90, "look", "Pause or stop")]
)
def test_the_doctor_warns_when_memory_is_nearly_full(used: int, state: str, to_do: str) -> None:
    finding = check_free_memory(MemoryUse("container", used * GB // 10, 10 * GB))
    assert (finding.about, finding.state) == ("memory", state)
    assert finding.says == f"{byte_text(used * 1e8)} of the 10 GB of this container's memory are taken ({used}%)."
    assert finding.to_do.startswith(to_do)
    assert bool(finding.to_do) is bool(to_do)


def test_a_memory_warning_is_given_once_per_level_and_again_after_memory_was_freed() -> None:
    shares = [60, 75, 80, 74, 76, 90, 95, 88, 91, 80, 92, 95, 60, 93]
    uses = iter([MemoryUse("machine", share, 100) for share in shares])
    notifier = Notifier(None)
    watch = MemoryWatch(notifier.notify, use=lambda: next(uses))
    for _ in shares:
        watch.check()
    told = [one.news for one in notifier.buffer.after(0)]
    assert [news.title for news in told] == [f"Memory is {percent}% full" for percent in (75, 90, 92, 93)]
    assert {(news.kind, news.run_id, news.experiment_id) for news in told} == {(NotificationKind.MEMORY, None, None)}
    assert "Do not start more runs" in told[0].message
    assert "Pause or stop runs now" in told[1].message


def test_a_service_monitors_memory_from_its_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings(_env_file=None, runs_dir=tmp_path, launcher="thread", warm_worker=False)  # type: ignore[call-arg]
    app = Application(settings)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(total=100 * GB, available=5 * GB))
    app.open()
    try:
        news = eventually(lambda: app.notifier.buffer.after(0), "The warning")[0].news
        assert (news.kind, news.title) == (NotificationKind.MEMORY, "Memory is 95% full")
    finally:
        app.close()


def test_a_container_memory_limit_counts(tmp_path: Path) -> None:
    machine = machine_memory(())
    for name, content in {"two": "1000000", "one": "max", "huge": str(2**63)}.items():
        (tmp_path / name).write_text(content)
    assert machine_memory((tmp_path / "two", tmp_path / "missing")) == 1_000_000
    assert machine_memory((tmp_path / "one", tmp_path / "huge")) == machine
