"""The anatomy of an update: what it learned from, how far it moved the policy, and the networks after it."""

from pydantic import ConfigDict, Field

from rlviz.domain.ids import MAX_TIME
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.metrics import MAX_STEP


class Histogram(LazyModel):
    """How numbers are distributed over bins of equal width from ``low`` to ``high``."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    low: float
    high: float
    counts: list[int] = Field(max_length=200)
    mean: float
    std: float = Field(description="Population standard deviation.")


class LayerAnatomy(LazyModel):
    """The weights of one network layer after the update."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    name: str = Field(description="Parameter name in the library.")
    weights: Histogram
    gradients: Histogram | None = Field(
        None,
        description="Of the last minibatch, as passed to the optimizer; null: not available.",
    )
    gradient_norm: float | None = Field(None, description="Euclidean norm of the same gradients.")


class UpdateAnatomy(LazyModel):
    """A line of ``anatomy.jsonl``: one update. Null fields do not apply to the algorithm."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    seq: int = Field(ge=1)
    time: float = Field(ge=0, le=MAX_TIME, description="Unix time, seconds.")
    step: int = Field(ge=0, le=MAX_STEP, description="Environment steps done when the experience was collected.")
    advantages: Histogram | None = Field(None, description="Advantages of the rollout before normalisation.")
    ratios: Histogram | None = Field(
        None, description="Probability of the rollout's actions after the update, divided by that before."
    )
    clip_range: float | None = Field(None, description="The loss clips ratios beyond 1 ± this value.")
    td_errors: Histogram | None = Field(
        None, description="Temporal-difference errors (target minus estimate) of the sampled experience."
    )
    actions: list[Histogram] = Field(
        [], description="Recent actions: one histogram per component, or one over discrete actions."
    )
    components: int | None = Field(None, description="Number of action components; `actions` covers the first ones.")
    gradient_norm: float | None = Field(None, description="Gradient norm over all `layers`.")
    layers: list[LayerAnatomy] = Field([], description="Matrices and filters; only the first ones if there are many.")
    not_finite: list[str] = Field(
        [],
        description="Inspected matrices and filters without a single finite weight: "
        "training has broken down. They are not in `layers`.",
    )
    layer_count: int | None = Field(None, description="Number of matrices and filters in the networks.")
