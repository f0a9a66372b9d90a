"""The anatomy of an update: what it learned from, how far it moved the policy, and what the networks look like then."""

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
    """The weights of one layer of a network, as the update left them."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    name: str = Field(description="As the library calls the parameter.")
    weights: Histogram
    gradients: Histogram | None = Field(
        None,
        description="Of the last minibatch, as the optimizer got them; null where another way leads to the weights.",
    )
    gradient_norm: float | None = Field(None, description="Euclidean norm of the same gradients.")


class UpdateAnatomy(LazyModel):
    """A line of ``anatomy.jsonl``: one update. Null: the algorithm has no such thing."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)

    seq: int = Field(ge=1)
    time: float = Field(ge=0, le=MAX_TIME, description="Unix time, seconds.")
    step: int = Field(ge=0, le=MAX_STEP, description="Environment steps of the experience that was learned from.")
    advantages: Histogram | None = Field(None, description="Of the rollout, before they are normalised.")
    ratios: Histogram | None = Field(
        None, description="Probability of the rollout's actions after the update over that before it."
    )
    clip_range: float | None = Field(None, description="Ratios beyond 1 ± this were clipped in the loss.")
    td_errors: Histogram | None = Field(
        None, description="Temporal-difference errors, target less estimate, of experience as it is learned from."
    )
    actions: list[Histogram] = Field(
        [], description="The actions taken lately: one for each component, or one over the numbers of discrete actions."
    )
    components: int | None = Field(None, description="How many components an action has; `actions` are of the first.")
    gradient_norm: float | None = Field(None, description="Of all `layers` together, as of each.")
    layers: list[LayerAnatomy] = Field([], description="Matrices and filters, the first of them where there are many.")
    not_finite: list[str] = Field(
        [],
        description="Of the matrices and filters that were looked into, those without a weight that is a finite "
        "number: training has broken down. They are none of `layers`.",
    )
    layer_count: int | None = Field(None, description="How many matrices and filters the networks have.")
