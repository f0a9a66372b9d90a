"""Review: all rules of the registry applied to one run."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from rlviz.analysis.hints.case import Case
from rlviz.analysis.hints.first_steps import FirstStep, as_first_step, first_step
from rlviz.analysis.hints.hint import SEVERITIES, Hint, LookedAt
from rlviz.analysis.hints.registry import RETURN_RULES, RULES
from rlviz.analysis.hints.rule import Finding, Rule, RuleState, apply

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Review:
    """``hints``: most severe first. ``findings``: the result of every rule, with or without a hint."""

    hints: list[Hint]
    findings: list[Finding]


def review(case: Case) -> Review:
    """Apply every rule to the run. Where something comes before a change of hyperparameters, the gravest finding
    becomes the one hint that says so, and the others wait. A rule that fails gives no finding, and keeps no other from
    giving one."""
    returns = list(_findings(RETURN_RULES, case))
    others = list(_findings(RULES, case))
    story = next((finding for finding in returns if finding.hint), None)
    told = [*([story] if story else []), *(finding for finding in others if finding.hint)]
    hints: list[Hint] = []
    first: Hint | None = None
    waiting: list[Finding] = []
    for finding, hint in sorted(_with_hints(told, case), key=lambda one: SEVERITIES.index(one[1].severity)):
        step = FirstStep.NONE if finding.rule.always else first_step(case, hint)
        if step is FirstStep.NONE:
            hints.append(hint)
            continue
        waiting.append(finding)
        if first is None and step is not FirstStep.WAIT:
            first = as_first_step(case, hint, step)
    findings = [_waiting(one) if one in waiting else one for one in (*returns, *others)]
    return Review([*hints, *([first] if first is not None else [])], findings)


def _with_hints(found: Iterable[Finding], case: Case) -> list[tuple[Finding, Hint]]:
    return [(one, hint) for one in found if (hint := _with_basis(one, case)) is not None]


def _waiting(finding: Finding) -> Finding:
    return replace(finding, state=RuleState.WAITING, hint=None)


def _findings(rules: Iterable[Rule], case: Case) -> Iterator[Finding]:
    for rule in rules:
        try:
            yield apply(rule, case)
        except Exception:
            log.exception("The hint rule %s failed", rule.id)


def find_hints(case: Case) -> list[Hint]:
    """The hints for the run, most severe first."""
    return review(case).hints


def _with_basis(finding: Finding, case: Case) -> Hint | None:
    """The finding's hint with ``looked_at``: all steps that the rule read, not only the part it marks."""
    if finding.hint is None or finding.metric is None:
        return None
    series = case.series[finding.metric]
    seen = LookedAt(
        finding.metric, int(series.step[0]), int(series.step[-1]), finding.points, finding.rule.minimum.unit.value
    )
    return replace(finding.hint, looked_at=seen)
