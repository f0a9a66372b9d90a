"""Which algorithm logs which metric."""

from __future__ import annotations

from collections.abc import Sequence

from rlviz.algorithms.base import Algorithm
from rlviz.domain.metrics import METRICS, MetricDefinition


def metric_definitions(algorithms: Sequence[Algorithm]) -> list[tuple[MetricDefinition, list[str]]]:
    """Every metric with the ids of those ``algorithms`` that log it, shared metrics first.

    A shared metric that no algorithm names is logged by all of them, in training or in evaluation.
    """
    everyone = [algorithm.id for algorithm in algorithms]
    own = [definition for algorithm in algorithms for definition in algorithm.definitions]
    return [
        (definition, [one.id for one in algorithms if definition.name in one.metrics] or everyone)
        for definition in (*METRICS, *own)
    ]
