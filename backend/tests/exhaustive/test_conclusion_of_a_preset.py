"""Default evaluations of a preset keep its best policy. It is exhaustive because it trains until the first
evaluation.
"""

from __future__ import annotations

from tests.real.test_conclusions_of_runs import app, trained
from tests.support.service_process import Service

__all__ = ["app"]


def test_a_preset_evaluates_its_policy_by_default_and_keeps_the_best(app: Service) -> None:
    """The first PPO preset of Pendulum, up to its first evaluation."""
    pendulum = next(one for one in app.get("/environments") if one["id"] == "Pendulum-v1")
    plan = pendulum["presets"]["ppo"][0]["evaluation"]
    run_id = trained(app, algo="ppo", env_id="Pendulum-v1", preset="fast", total_timesteps=plan["every_steps"])
    run = app.get(f"/runs/{run_id}")
    assert run["config"]["evaluation"] == plan
    assert run["best_policy"]["episodes"] == plan["episodes"]
    assert run["best_policy"]["step"] >= plan["every_steps"]
