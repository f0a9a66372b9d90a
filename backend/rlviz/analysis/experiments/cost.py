"""What an experiment has cost, in seconds of a processor core."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from rlviz.analysis.experiments.made import OUR_PAGE, Frozen, Made
from rlviz.analysis.experiments.trials import Setting, Trial


class VariantCost(Frozen):
    variant: str
    core_seconds: float
    steps: float = Field(description="Environment steps of all its trials together, in all their attempts.")
    trials: int = Field(description="Trials that cost something.")


class Cost(Frozen):
    """Failed and unfinished trials cost as well."""

    core_seconds: float
    variants: list[VariantCost] = Field(description="In the order of the specification.")
    made: Made


def cost(trials: Sequence[Trial], setting: Setting) -> Cost:
    found = []
    for variant in setting.variants:
        ours = [one.paid for one in trials if one.variant == variant and one.paid.core_seconds > 0]
        found.append(
            VariantCost(
                variant=variant,
                core_seconds=sum(paid.core_seconds for paid in ours),
                steps=sum(paid.steps for paid in ours),
                trials=len(ours),
            )
        )
    return Cost(
        core_seconds=sum(one.core_seconds for one in found),
        variants=found,
        made=Made(
            definition="Core-seconds: processor time of each trial's runs, in all their attempts, all threads "
            "together; of what still trains, what its workers had used a second ago. Evaluations while it trained "
            "are in it, the one that gives the score is not.",
            n=sum(one.trials for one in found),
            source=OUR_PAGE,
        ),
    )
