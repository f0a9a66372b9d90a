"""Trust Region Policy Optimization (Schulman et al., 2015, https://arxiv.org/abs/1502.05477)."""

from __future__ import annotations

from typing import Annotated, ClassVar

from rlviz.domain.errors import FieldError
from rlviz.domain.experiments import Choice, FloatRange, Suggested
from rlviz.learning.algorithms import on_policy
from rlviz.learning.algorithms.base import CONTRIB, VECTORS, Algorithm
from rlviz.learning.algorithms.fields import Group, LearningRate, Minibatch, setting
from rlviz.learning.algorithms.knobs import LEARNING_RATE
from rlviz.learning.algorithms.on_policy import OnPolicyHyperparameters
from rlviz.learning.algorithms.search_spaces import NARROWED, ON_POLICY, ROLLOUT, ZOO


class TRPOHyperparameters(OnPolicyHyperparameters):
    defaults_of: ClassVar[str] = CONTRIB

    learning_rate: LearningRate = 1e-3
    batch_size: Minibatch = 128
    target_kl: Annotated[
        float,
        setting(Group.LEARNING, "Maximum KL divergence between the old and the new policy in one update.", gt=0, le=1),
    ] = 0.01
    n_critic_updates: Annotated[
        int, setting(Group.LEARNING, "Passes of the value network over each rollout.", ge=1, le=100)
    ] = 10
    cg_max_steps: Annotated[
        int,
        setting(
            Group.LEARNING,
            "Steps of the conjugate gradient method, which finds the direction of the update.",
            ge=1,
            le=100,
        ),
    ] = 15
    cg_damping: Annotated[
        float,
        setting(Group.LEARNING, "Damping added to the Fisher matrix, for a more stable step direction.", ge=0, le=1),
    ] = 0.1
    line_search_shrinking_factor: Annotated[
        float, setting(Group.LEARNING, "Factor that shortens a step that is too long.", gt=0, lt=1)
    ] = 0.8
    line_search_max_iter: Annotated[
        int, setting(Group.LEARNING, "Number of shortened steps to try before the update is skipped.", ge=1, le=100)
    ] = 10
    sub_sampling_factor: Annotated[
        int,
        setting(
            Group.LEARNING, "Update the policy with every n-th transition only: faster, but less precise.", ge=1, le=64
        ),
    ] = 1

    def problems(self, total_timesteps: int) -> list[FieldError]:
        return self.batch_problems(self.batch_size) + self._sub_sampling_problems()

    def _sub_sampling_problems(self) -> list[FieldError]:
        """Return an error if only one transition is left, because its advantage cannot be normalised."""
        rollout = self.n_steps * self.n_envs
        if not self.normalize_advantage or self.sub_sampling_factor < rollout:
            return []
        return [
            FieldError(
                "/hyperparameters/sub_sampling_factor",
                f"Only one of the n_steps × n_envs = {rollout} transitions of a rollout would be left; normalised "
                f"advantages need two. Use at most {rollout - 1}, or longer rollouts.",
            )
        ]


TRPO = Algorithm(
    id="trpo",
    name="TRPO",
    title="Trust Region Policy Optimization",
    summary="Takes the largest step that keeps the KL divergence from the last policy within a limit. "
    "PPO's predecessor: more precise, but slower.",
    observation_spaces=VECTORS,
    action_spaces=VECTORS,
    model_class="sb3_contrib:TRPO",
    reader="rlviz.learning.algorithms.policy:read_actor_critic",
    scorer="rlviz.learning.algorithms.saliency:score_actor_critic",
    hyperparameters=TRPOHyperparameters,
    knobs=(LEARNING_RATE,),
    search={
        **{name: suggested for name, suggested in ON_POLICY.items() if name != "max_grad_norm"},
        **ROLLOUT,
        "learning_rate": Suggested(FloatRange(low=1e-5, high=1e-2, log=True), NARROWED),
        "target_kl": Suggested(Choice(choices=[0.1, 0.05, 0.03, 0.02, 0.01, 0.005, 0.001]), ZOO),
        "n_critic_updates": Suggested(Choice(choices=[5, 10, 20, 25, 30]), ZOO),
        "cg_max_steps": Suggested(Choice(choices=[5, 10, 20, 25, 30]), ZOO),
    },
    metrics=(
        *on_policy.METRICS,
        "train/policy_objective",
        "train/kl_divergence_loss",
        "train/is_line_search_success",
    ),
)
