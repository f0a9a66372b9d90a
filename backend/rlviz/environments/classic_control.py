"""Classic control: small physical systems with a handful of numbers to observe."""

from __future__ import annotations

from rlviz.domain.presets import Preset, PresetId
from rlviz.environments.base import Environment, Family, Space

_FAMILY = Family("classic-control", "Classic control")

CARTPOLE = Environment(
    id="CartPole-v1",
    name="CartPole",
    family=_FAMILY,
    summary="Balance a pole on a cart by pushing left or right. One point for every step it stays up.",
    observation_space=Space(
        "Box", shape=(4,), labels=("cart position", "cart velocity", "pole angle", "pole angular velocity")
    ),
    action_space=Space("Discrete", n=2, labels=("push left", "push right")),
    reward_threshold=475.0,
    max_episode_steps=500,
    render_fps=50,
    presets={
        "ppo": (
            Preset(
                id=PresetId.FAST,
                summary="Eight environments and short rollouts: balances within half a minute.",
                total_timesteps=50_000,
                hyperparameters={
                    "n_envs": 8,
                    "n_steps": 32,
                    "batch_size": 256,
                    "n_epochs": 20,
                    "gamma": 0.98,
                    "gae_lambda": 0.8,
                    "learning_rate": 1e-3,
                    "learning_rate_schedule": "linear",
                    "clip_range_schedule": "linear",
                },
            ),
            Preset(
                id=PresetId.STABLE,
                summary="Small steps and long rollouts: a smooth climb with few setbacks.",
                total_timesteps=150_000,
                hyperparameters={
                    "n_envs": 4,
                    "n_steps": 512,
                    "batch_size": 128,
                    "learning_rate": 3e-4,
                    "target_kl": 0.03,
                },
            ),
            Preset(
                id=PresetId.HIGH_SCORE,
                summary="Long training with falling step sizes: aims for a perfect 500 in every episode.",
                total_timesteps=300_000,
                hyperparameters={
                    "n_envs": 8,
                    "n_steps": 256,
                    "batch_size": 256,
                    "learning_rate": 1e-3,
                    "learning_rate_schedule": "linear",
                    "clip_range_schedule": "linear",
                },
            ),
        ),
        "dqn": (
            Preset(
                id=PresetId.FAST,
                summary="Rare but large bursts of gradient steps, at a falling rate: balances within a minute.",
                total_timesteps=50_000,
                hyperparameters={
                    "learning_rate": 2e-3,
                    "learning_rate_schedule": "linear",
                    "batch_size": 128,
                    "buffer_size": 50_000,
                    "train_freq": 256,
                    "gradient_steps": 128,
                    "target_update_interval": 10,
                    "exploration_fraction": 0.16,
                    "exploration_final_eps": 0.04,
                    "net_arch": [256, 256],
                },
            ),
            Preset(
                id=PresetId.STABLE,
                summary="Small steps and a target network that drifts along: a steadier climb.",
                total_timesteps=50_000,
                hyperparameters={
                    "learning_rate": 5e-4,
                    "batch_size": 128,
                    "buffer_size": 50_000,
                    "train_freq": 2,
                    "tau": 0.005,
                    "target_update_interval": 1,
                    "exploration_fraction": 0.2,
                    "exploration_final_eps": 0.04,
                    "net_arch": [128, 128],
                },
            ),
            Preset(
                id=PresetId.HIGH_SCORE,
                summary="Twice the gradient steps, less exploration at the end: aims for a perfect 500.",
                total_timesteps=60_000,
                hyperparameters={
                    "learning_rate": 2e-3,
                    "learning_rate_schedule": "linear",
                    "batch_size": 128,
                    "buffer_size": 60_000,
                    "train_freq": 256,
                    "gradient_steps": 256,
                    "target_update_interval": 10,
                    "exploration_fraction": 0.16,
                    "exploration_final_eps": 0.02,
                    "net_arch": [256, 256],
                },
            ),
        ),
    },
)

ACROBOT = Environment(
    id="Acrobot-v1",
    name="Acrobot",
    family=_FAMILY,
    summary="Swing a two-link arm until its tip is above the bar. One point lost for every step it takes.",
    observation_space=Space(
        "Box",
        shape=(6,),
        labels=("cos θ1", "sin θ1", "cos θ2", "sin θ2", "angular velocity θ1", "angular velocity θ2"),
    ),
    action_space=Space("Discrete", n=3, labels=("torque −1", "no torque", "torque +1")),
    reward_threshold=-100.0,
    max_episode_steps=500,
    render_fps=15,
)
