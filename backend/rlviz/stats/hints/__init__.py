"""Hints: rules that read a run's curves and report a known problem, where it shows, and what to try.

A rule's ``find`` is a pure function from a Case to a Hint or None. To add a rule: write the function in the module of
its kind (``returns``, ``losses``, ``updates``, ``exploration``), enter it in ``registry`` with the least data it needs,
and give tests/unit/test_hint_situations.py one situation in which it gives a hint and one in which it does not.
"""

from __future__ import annotations

from rlviz.stats.hints.hint import Case, Finding, Hint, RequestedEvaluation, Rule, RuleState, SuggestedChange
from rlviz.stats.hints.registry import RETURN_RULES, RULES, Review, find_hints, review

__all__ = [
    "RETURN_RULES",
    "RULES",
    "Case",
    "Finding",
    "Hint",
    "RequestedEvaluation",
    "Review",
    "Rule",
    "RuleState",
    "SuggestedChange",
    "find_hints",
    "review",
]
