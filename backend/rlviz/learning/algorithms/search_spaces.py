"""Default ranges for hyperparameter searches, with their sources. Each algorithm combines its own from these.

Ranges lie within the bounds of the fields.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import ValidationError

from rlviz.domain.errors import FieldError, InvalidRequest, UnknownName, pointer_to
from rlviz.domain.experiments import Choice, FloatRange, Parameter, Suggested, Suggestions
from rlviz.learning.algorithms.base import HERE, Algorithm

ZOO = "RL Zoo, rl_zoo3/hyperparams_opt.py"
NARROWED = f"{ZOO}, narrowed"


GAMMA = Suggested(Choice(choices=[0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 0.9999]), ZOO)
NETWORKS = Suggested(Choice(choices=[[64], [64, 64], [256, 256]]), ZOO)
LARGER_NETWORKS = Suggested(Choice(choices=[[64, 64], [256, 256], [400, 300]]), ZOO)
ACTIVATION = Suggested(Choice(choices=["tanh", "relu"]), ZOO)
GAE_LAMBDA = Suggested(Choice(choices=[0.8, 0.9, 0.92, 0.95, 0.98, 0.99, 1.0]), ZOO)
ENTROPY = Suggested(FloatRange(low=1e-8, high=0.1, log=True), ZOO)
MAX_GRAD_NORM = Suggested(FloatRange(low=0.3, high=2.0), ZOO)
POLICY_RATE = Suggested(FloatRange(low=1e-5, high=2e-3, log=True), ZOO)
Q_RATE = Suggested(FloatRange(low=1e-5, high=1e-2, log=True), NARROWED)
TAU = Suggested(Choice(choices=[0.001, 0.005, 0.01, 0.02, 0.05, 0.08]), ZOO)
BATCH = Suggested(Choice(choices=[32, 64, 128, 256, 512]), NARROWED)
BUFFER = Suggested(
    Choice(choices=[10_000, 50_000, 100_000]), f"{ZOO}, without 1,000,000, which would need too much memory"
)

ON_POLICY: Suggestions = {
    "learning_rate": POLICY_RATE,
    "gamma": GAMMA,
    "gae_lambda": GAE_LAMBDA,
    "max_grad_norm": MAX_GRAD_NORM,
    "net_arch": NETWORKS,
    "activation": ACTIVATION,
}

OFF_POLICY: Suggestions = {
    "learning_rate": Q_RATE,
    "gamma": GAMMA,
    "batch_size": BATCH,
    "buffer_size": BUFFER,
    "net_arch": LARGER_NETWORKS,
}

ROLLOUT: Suggestions = {
    "n_steps": Suggested(Choice(choices=[512, 1_024, 2_048]), f"{NARROWED}, so that every batch fits into a rollout"),
    "batch_size": Suggested(Choice(choices=[32, 64, 128, 256, 512]), ZOO),
}

DEEP_Q: Suggestions = {
    **OFF_POLICY,
    "net_arch": NETWORKS,
    "train_freq": Suggested(Choice(choices=[1, 4, 8, 16, 128, 256]), NARROWED),
    "gradient_steps": Suggested(
        Choice(choices=[1, -1, 128]), f"{HERE}: 1 per update round, 1 per environment step, and RL Zoo's tuned 128"
    ),
    "target_update_interval": Suggested(Choice(choices=[1, 10, 100, 600, 1_000, 5_000, 10_000]), NARROWED),
    "exploration_fraction": Suggested(FloatRange(low=0.01, high=0.5), NARROWED),
    "exploration_final_eps": Suggested(FloatRange(low=0.0, high=0.2), ZOO),
}


def check_space(algorithm: Algorithm, space: Mapping[str, Parameter], at: str = "/sweep/space") -> None:
    """Check that every value that a search may propose lies within the bounds of its hyperparameter.

    Args:
        algorithm: The algorithm to search for.
        space: The values to propose, by hyperparameter.
        at: JSON pointer to the space.

    Raises:
        UnknownName: There is no such hyperparameter.
        InvalidRequest: A value is outside of its bounds; it has a FieldError for each.
    """
    known = algorithm.hyperparameters.model_fields
    problems = []
    for name, parameter in space.items():
        pointer = at + pointer_to(name[:80])
        if name not in known:
            raise UnknownName(f"{algorithm.name} hyperparameter", name, known, pointer)
        problems += [
            FieldError(pointer, f"{algorithm.name} does not take {name} = {value!r}: {problem}. Change the range.")
            for value in (parameter.choices if isinstance(parameter, Choice) else (parameter.low, parameter.high))
            if (problem := _problem(algorithm, name, value)) is not None
        ]
    if problems:
        raise InvalidRequest(" ".join(problem.detail for problem in problems[:3]), problems)


def _problem(algorithm: Algorithm, name: str, value: object) -> str | None:
    """Return what is wrong with one value, or None. Combinations are checked when they are proposed."""
    try:
        algorithm.hyperparameters.model_validate({name: value})
    except ValidationError as error:
        return error.errors()[0]["msg"].removeprefix("Input should be ")
    return None
