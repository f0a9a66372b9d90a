"""Whether rules fit a run: metrics that it logs, knobs that it has, actions that it can do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from rlviz.algorithms.base import LOGGED, Algorithm
from rlviz.algorithms.knobs import check_changes
from rlviz.domain.errors import InvalidRequest, UnknownName
from rlviz.domain.evaluation_plan import EvaluationPlan
from rlviz.domain.knobs import ScaleKnob, SetKnob
from rlviz.domain.records import EVAL_EP_LENGTH, EVAL_REWARD, EVAL_REWARD_STD
from rlviz.domain.rules import Evaluate, RollBack, Rule

_EVALUATION = (EVAL_REWARD, EVAL_REWARD_STD, EVAL_EP_LENGTH)


def check_rules(
    rules: Sequence[Rule],
    algorithm: Algorithm,
    hyperparameters: Mapping[str, JsonValue],
    evaluation: EvaluationPlan,
    at: str = "/rules",
) -> None:
    """``at`` is the JSON pointer of the rules in the request. Raises UnknownName, with the nearest name there is, or
    InvalidRequest."""
    evaluates = evaluation.every_steps is not None
    known = metrics_of(algorithm, evaluates=evaluates)
    for index, rule in enumerate(rules):
        if (first := rules.index(rule)) < index:
            raise InvalidRequest.field(
                f"{at}/{index}", f"Rule {index + 1} is the same as rule {first + 1}. Leave one of them out."
            )
        name, pointer = rule.metric, f"{at}/{index}/when/metric"
        if name is not None and name not in known:
            if name in _EVALUATION:
                raise InvalidRequest.field(
                    pointer, f"{name} is logged only by runs that are evaluated while they train. Switch that on."
                )
            raise UnknownName(f"metric of {algorithm.name}", name, known, pointer)
        for number, action in enumerate(rule.do):
            pointer = f"{at}/{index}/do/{number}"
            if isinstance(action, SetKnob | ScaleKnob):
                check_changes(algorithm, hyperparameters, [(pointer, action)])
            elif isinstance(action, Evaluate) and not evaluates:
                raise InvalidRequest.field(
                    pointer, "A rule can evaluate only a run that is evaluated while it trains. Switch that on."
                )
            elif isinstance(action, RollBack) and action.to == "best" and not evaluates:
                raise InvalidRequest.field(
                    pointer, "Which policy is the best, only evaluations while it trains tell. Switch those on."
                )


def metrics_of(algorithm: Algorithm, *, evaluates: bool) -> list[str]:
    """Names that rules may look at."""
    return [*LOGGED, *algorithm.metrics, *(_EVALUATION if evaluates else ())]
