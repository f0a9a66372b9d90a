"""Twin Delayed DDPG (Fujimoto et al., 2018, https://arxiv.org/abs/1802.09477)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from rlviz.domain.experiments import Choice, FloatRange, Suggested
from rlviz.domain.registry import load
from rlviz.learning.algorithms import off_policy
from rlviz.learning.algorithms.base import HERE, VECTORS, Algorithm
from rlviz.learning.algorithms.fields import Group, LearningRate, NetArch, setting
from rlviz.learning.algorithms.knobs import LEARNING_RATE
from rlviz.learning.algorithms.off_policy import OffPolicyHyperparameters
from rlviz.learning.algorithms.search_spaces import NARROWED, OFF_POLICY, TAU, ZOO

_NOISY = "RL Zoo: the library's default is no noise, with which it would not explore"


class TD3Hyperparameters(OffPolicyHyperparameters):
    own_defaults: ClassVar[dict[str, str]] = {
        **OffPolicyHyperparameters.own_defaults,
        "action_noise": _NOISY,
        "action_noise_std": _NOISY,
        "net_arch": f"{HERE}: as for SAC, smaller than the library's [400, 300]",
    }

    learning_rate: LearningRate = 1e-3
    policy_delay: Annotated[int, setting(Group.LEARNING, "Critic updates per actor update.", ge=1, le=100)] = 2
    target_policy_noise: Annotated[
        float, setting(Group.LEARNING, "Noise on the target's actions, which smooths the critics.", ge=0, le=1)
    ] = 0.2
    target_noise_clip: Annotated[
        float, setting(Group.LEARNING, "Maximum absolute noise on the target's actions.", ge=0, le=1)
    ] = 0.5
    action_noise: Annotated[
        Literal["normal", "ornstein-uhlenbeck", "none"],
        setting(
            Group.EXPLORATION, "Noise on the actions during training: independent, drifting from step to step, or none."
        ),
    ] = "normal"
    action_noise_std: Annotated[
        float, setting(Group.EXPLORATION, "Standard deviation of the noise; actions range from -1 to 1.", gt=0, le=2)
    ] = 0.1
    net_arch: NetArch = Field([256, 256])

    def model_arguments(self, action_size: int = 1) -> dict[str, Any]:
        arguments = super().model_arguments(action_size)
        arguments["action_noise"] = self._noise(action_size)
        del arguments["action_noise_std"]
        return arguments

    def _noise(self, action_size: int) -> Any:
        if self.action_noise == "none":
            return None
        kind = {"normal": "NormalActionNoise", "ornstein-uhlenbeck": "OrnsteinUhlenbeckActionNoise"}
        return load(f"stable_baselines3.common.noise:{kind[self.action_noise]}")(
            load("numpy:zeros")(action_size), load("numpy:full")(action_size, self.action_noise_std)
        )


TD3 = Algorithm(
    id="td3",
    name="TD3",
    title="Twin Delayed DDPG",
    summary="Learns a deterministic policy from a replay buffer, using the lower estimate of two critics. "
    "For continuous actions.",
    observation_spaces=VECTORS,
    action_spaces=("Box",),
    needs_bounds=True,
    model_class="stable_baselines3:TD3",
    reader="rlviz.learning.algorithms.policy:read_deterministic_actor",
    scorer="rlviz.learning.algorithms.saliency:score_critics",
    td_errors="rlviz.learning.algorithms.experience:compute_twin_critic_errors",
    hyperparameters=TD3Hyperparameters,
    knobs=(LEARNING_RATE,),
    search={
        **OFF_POLICY,
        "tau": TAU,
        "action_noise": Suggested(Choice(choices=["normal", "ornstein-uhlenbeck", "none"]), ZOO),
        "action_noise_std": Suggested(
            FloatRange(low=0.01, high=1.0, when={"action_noise": ["normal", "ornstein-uhlenbeck"]}), NARROWED
        ),
    },
    metrics=(*off_policy.METRICS, "train/actor_loss", "train/critic_loss"),
)
