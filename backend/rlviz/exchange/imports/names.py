"""What other tools call what this product has a name for. All other scalars keep their names."""

from __future__ import annotations

from rlviz.domain.records import (
    EP_LEN_MEAN,
    EP_REW_MEAN,
    EPISODE_LENGTH,
    EPISODE_REWARD,
    FPS,
)

ALIASES = {
    # CleanRL
    "charts/episodic_return": EPISODE_REWARD,
    "charts/episodic_length": EPISODE_LENGTH,
    "charts/learning_rate": "train/learning_rate",
    "charts/SPS": FPS,
    "losses/value_loss": "train/value_loss",
    "losses/policy_loss": "train/policy_gradient_loss",
    "losses/approx_kl": "train/approx_kl",
    "losses/clipfrac": "train/clip_fraction",
    "losses/explained_variance": "train/explained_variance",
    "losses/actor_loss": "train/actor_loss",
    # OpenAI Baselines and Stable-Baselines 2
    "eprewmean": EP_REW_MEAN,
    "eplenmean": EP_LEN_MEAN,
    "explained_variance": "train/explained_variance",
    # RLlib
    "ray/tune/episode_reward_mean": EP_REW_MEAN,
    "ray/tune/episode_len_mean": EP_LEN_MEAN,
    "episode_reward_mean": EP_REW_MEAN,
    "episode_len_mean": EP_LEN_MEAN,
}


STEP_COLUMNS = (
    "time/total_timesteps",
    "time/total timesteps",
    "total_timesteps",
    "total timesteps",
    "misc/total_timesteps",
    "timesteps_total",
    "steps",
    "step",
    "global_step",
)
"""Columns of a progress file that count environment steps, the surest first."""

LOG_STEP_COLUMNS = ("time/total_timesteps", "misc/total_timesteps", "timesteps_total")
"""Those that stand in logs alone: settings have a ``total_timesteps`` too."""

ELAPSED_COLUMNS = ("time/time_elapsed", "time_elapsed", "misc/time_elapsed", "time_total_s")
"""Columns that count the seconds since training began."""

ALGORITHMS = frozenset(
    [
        "a2c",
        "acer",
        "acktr",
        "ars",
        "crossq",
        "ddpg",
        "dqn",
        "her",
        "ppo",
        "ppo1",
        "ppo2",
        "ppo_lstm",
        "recurrentppo",
        "maskableppo",
        "qrdqn",
        "sac",
        "td3",
        "tqc",
        "trpo",
    ]
)
"""Names of algorithms in the paths of Stable-Baselines3 and its Zoo."""
