"""What tests of hints have shown: the effect of a suggested change, and the order of hints by such effects.

A test trains the same seeds without and with the change. ``hint_outcome`` judges one test, ``HintRecord`` summarises
all tests of one kind of hint with one algorithm in one environment, and ``rank_hints`` orders hints by these records.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import Field, JsonValue

from rlviz.domain.lazy_model import Frozen
from rlviz.domain.limits import LEAST_VERDICT_SEEDS
from rlviz.stats.hints.hint import SEVERITIES, Hint, SuggestedChange, number_text
from rlviz.stats.number_text import decimal
from rlviz.stats.seeds import PairedDifference, paired_difference

PRIOR_TESTS = 4
"""Tests without an effect that are added to each record, so that a few outcomes change the order of hints little."""

MADE = (
    "Mean over the seeds of the score with the change minus the score without it, with the same seed. A score is the "
    "mean return of the final policy on new episodes. The 95 % interval is Student's for paired differences."
)


class OutcomeState(StrEnum):
    """*running*: some runs have no score yet. *stopped*: by the user, and can be resumed. *incomplete*: it ended, and
    some runs have no score, so no effect is given. *complete*: all runs have a score."""

    RUNNING = "running"
    STOPPED = "stopped"
    INCOMPLETE = "incomplete"
    COMPLETE = "complete"


class Effect(StrEnum):
    """*higher*, *lower*: the interval of the difference excludes zero. *unclear*: it includes zero. *none*: the scores
    of each pair are the same."""

    HIGHER = "higher"
    LOWER = "lower"
    UNCLEAR = "unclear"
    NONE = "none"


class HintChange(Frozen):
    """A change of a hyperparameter, the hint that suggests it, and the experiment that tests it."""

    experiment_id: str
    run_id: str = Field(description="The run that shows the hint.")
    hint: str = Field(description="Id of the hint.")
    title: str = Field(description="Headline of the hint.")
    algo: str
    env_id: str
    name: str = Field(description="The hyperparameter.")
    before: JsonValue = Field(description="Its current value.")
    value: JsonValue = Field(description="The suggested value.")

    @property
    def words(self) -> str:
        """The kind of change: ``lower learning_rate``."""
        return f"{direction_of(self.before, self.value)} {self.name}"


class HintOutcome(HintChange):
    """What a test of a hint has shown so far."""

    state: OutcomeState
    effect: Effect | None = Field(description="null: not all runs have a score.")
    difference: float | None = Field(description="Mean score with the change minus mean score without it.")
    low: float | None = Field(description="Lower end of its 95 % interval.")
    high: float | None
    pairs: int = Field(description="Seeds; each is trained without and with the change.")
    scored: int = Field(description="Runs that have a score.")
    failed: int = Field(description="Runs that ended without a score.")
    sentence: str = Field(description="The result in words.")
    made: str = Field(description="How the difference is computed.")


Pair = tuple[float | None, float | None]
"""The scores of one seed without and with the change; None: no score."""


def hint_outcome(
    change: HintChange, pairs: Sequence[Pair], *, failed: int, is_over: bool, is_stopped: bool
) -> HintOutcome:
    """Judge a test.

    Args:
        change: What is tested.
        pairs: Scores of each seed.
        failed: Number of runs that ended without a score.
        is_over: Whether no more runs will be scored.
        is_stopped: Whether the user stopped it.
    """
    scored = sum(score is not None for pair in pairs for score in pair)
    known = [(without, with_it) for without, with_it in pairs if without is not None and with_it is not None]
    found = None
    if len(known) < len(pairs):
        state = OutcomeState.STOPPED if is_stopped else OutcomeState.INCOMPLETE if is_over else OutcomeState.RUNNING
        sentence = _progress_sentence(state, scored, failed, 2 * len(pairs))
    else:
        state, found = (
            OutcomeState.COMPLETE,
            paired_difference([pair[0] for pair in known], [pair[1] for pair in known]),
        )
        sentence = _effect_sentence(change, found)
    interval = None if found is None else found.interval
    return HintOutcome(
        **{name: getattr(change, name) for name in HintChange.model_fields},
        state=state,
        effect=None if found is None else _effect_of(found),
        difference=None if found is None else found.mean,
        low=interval and interval.low,
        high=interval and interval.high,
        pairs=len(pairs),
        scored=scored,
        failed=failed,
        sentence=sentence,
        made=MADE,
    )


def _effect_of(found: PairedDifference) -> Effect:
    if found.interval is not None and found.interval.low == found.interval.high == 0:
        return Effect.NONE
    if not found.is_clear:
        return Effect.UNCLEAR
    return Effect.HIGHER if found.mean > 0 else Effect.LOWER


def _progress_sentence(state: OutcomeState, scored: int, failed: int, runs: int) -> str:
    without = f", {failed} ended without one" if failed else ""
    if state is OutcomeState.RUNNING:
        return f"This test is running: {scored} of {runs} runs have a score{without}."
    if state is OutcomeState.STOPPED:
        return f"This test was stopped: {scored} of {runs} runs have a score{without}, so no effect is given."
    return f"This test is incomplete: {scored} of {runs} runs have a score{without}, so no effect is given."


def _effect_sentence(change: HintChange, found: PairedDifference) -> str:
    this = f"{change.name} {_value_text(change.value)}"
    seeds = f"{found.pairs} paired seeds" if found.pairs > 1 else "one seed, so there is no interval"
    few = found.pairs < LEAST_VERDICT_SEEDS
    effect = _effect_of(found)
    if effect is Effect.NONE:
        return (
            f"No difference: with each of {seeds}, the score with {this} and the score with the old value are the same."
        )
    if effect is Effect.UNCLEAR:
        shows = f" So few seeds show only a large effect: a verdict needs {LEAST_VERDICT_SEEDS}." if few else ""
        return f"No clear effect of {this}: the mean return changed by {_difference_text(found)} ({seeds}).{shows}"
    size = "higher" if found.mean > 0 else "lower"
    caution = f" This is only a first sign: a verdict needs {LEAST_VERDICT_SEEDS} seeds." if few else ""
    if found.interval is not None and found.interval.low == found.interval.high:
        caution = " Each pair differs by the same amount, so the interval has no width." + caution
    return f"With {this}, the mean return was {size}: {_difference_text(found)} ({seeds}).{caution}"


def _difference_text(found: PairedDifference | HintOutcome) -> str:
    """Return the difference with its interval: ``+31.0 [4.0, 58.0]``."""
    low: float | None
    high: float | None
    if isinstance(found, HintOutcome):
        middle, low, high = found.difference or 0.0, found.low, found.high
    else:
        middle = found.mean
        low, high = (None, None) if found.interval is None else (found.interval.low, found.interval.high)
    interval = "" if low is None or high is None else f" [{decimal(low)}, {decimal(high)}]"
    return f"{'+' if middle > 0 else ''}{decimal(middle)}{interval}"


def _value_text(value: JsonValue) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return number_text(float(value)) if is_number else str(value)  # type: ignore[arg-type]


def direction_of(before: JsonValue, value: JsonValue) -> str:
    """Return whether a change raises or lowers a number; ``change`` for other values."""
    numbers = [one for one in (before, value) if isinstance(one, int | float) and not isinstance(one, bool)]
    if len(numbers) < 2:
        return "change"
    return "raise" if numbers[1] > numbers[0] else "lower"


@dataclass(frozen=True)
class HintRecord:
    """The complete tests of one kind of hint with one algorithm in one environment, oldest first."""

    outcomes: tuple[HintOutcome, ...] = ()

    @property
    def standing(self) -> float:
        """How much the suggestion has helped: above -1 and below 1, and 0 without tests.

        It is the number of tests with a higher return, minus those with a lower one, as a share of all tests and
        PRIOR_TESTS more, so it stays near 0 with few tests.
        """
        higher = sum(one.effect is Effect.HIGHER for one in self.outcomes)
        lower = sum(one.effect is Effect.LOWER for one in self.outcomes)
        return (higher - lower) / (len(self.outcomes) + PRIOR_TESTS)

    def of_change(self, words: str) -> HintRecord:
        """Return the tests of one kind of change, such as ``lower learning_rate``."""
        return HintRecord(tuple(one for one in self.outcomes if one.words == words))

    def sentence(self, algorithm: str, environment: str) -> str | None:
        """Return the record in words; None without tests.

        For instance: ``Tested 2 times on CartPole-v1 with PPO: +31.0 [4.0, 58.0] in one, no clear effect in one.``
        """
        if not self.outcomes:
            return None
        kinds = list(dict.fromkeys(one.words for one in self.outcomes))
        parts = [
            (f"{words}: " if len(kinds) > 1 else "")
            + _outcomes_text(self.of_change(words).outcomes, len(self.outcomes))
            for words in kinds
        ]
        times = "once" if len(self.outcomes) == 1 else f"{len(self.outcomes)} times"
        return f"Tested {times} on {environment} with {algorithm}: {'; '.join(parts)}."


MOST_LISTED = 2
"""Maximum number of clear effects of one direction that a sentence lists with their intervals."""


def _outcomes_text(outcomes: Sequence[HintOutcome], tests: int) -> str:
    parts = []
    for effect in (Effect.HIGHER, Effect.LOWER):
        clear = [one for one in outcomes if one.effect is effect]
        if len(clear) > MOST_LISTED:
            parts.append(f"{effect.value} return in {len(clear)}")
        else:
            parts += [_difference_text(one) + ("" if tests == 1 else " in one") for one in clear]
    without = sum(one.effect in (Effect.UNCLEAR, Effect.NONE) for one in outcomes)
    if without:
        in_some = "" if tests == 1 else f" in {'one' if without == 1 else without}"
        parts.append(f"no clear effect{in_some}")
    return ", ".join(parts)


def rank_hints(hints: Sequence[Hint], record_of: Callable[[Hint], HintRecord]) -> list[Hint]:
    """Return the hints in the order in which to read them.

    The severity counts, shifted by the record: a record without tests shifts nothing, and one alone never outweighs a
    whole step of severity.
    """
    return sorted(hints, key=lambda hint: SEVERITIES.index(hint.severity) - record_of(hint).standing)


def rank_changes(
    changes: Sequence[SuggestedChange], record: HintRecord, words_of: Callable[[SuggestedChange], str]
) -> list[SuggestedChange]:
    """Return the changes of one hint, those first that helped in tests."""
    return sorted(changes, key=lambda change: -record.of_change(words_of(change)).standing)
