"""Descriptions of presets agree with their measured figures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from measuring.rates import known_rates
from rlviz.domain.presets import MeasuredPreset, Preset, PresetId
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.presets.catalog import measured, preset_files, presets_tuned_for
from tests.support.cases import cases

NOISE = 4 / 3
"""By how much processor seconds of the same work differ from one measurement to another."""


@dataclass(frozen=True)
class Told:
    """A preset of an environment, with the others of its algorithm there."""

    env_id: str | None
    preset: Preset
    others: Mapping[str, Preset]

    def figures(self, preset: Preset | None = None) -> MeasuredPreset | None:
        chosen = preset or self.preset
        return None if self.env_id is None else measured(chosen, self.env_id)

    @cached_property
    def threshold(self) -> float | None:
        assert self.env_id is not None
        return ENVIRONMENTS.get(self.env_id).resolve(self.preset.when).reward_threshold

    def other(self, name: str) -> Preset:
        return self.others[name]

    def seconds(self, preset: Preset | None = None) -> float:
        """Return the seconds of a whole training, as measured or by its steps."""
        found = self.figures(preset)
        return found.seconds if found is not None else float((preset or self.preset).total_timesteps)

    def __str__(self) -> str:
        when = "".join(f" {name}={value}" for name, value in self.preset.when.items())
        return f"{self.env_id or 'any environment'}{when}, {self.preset.algorithm} {self.preset.title}"


def told() -> Iterator[Told]:
    for file in preset_files():
        for preset in file.preset:
            others = {
                one.title: one for one in file.preset if (one.algorithm, one.when) == (preset.algorithm, preset.when)
            }
            yield Told(file.environment, preset, others)


EVERY = list(told())


# Order


def test_presets_called_fast_are_as_fast_as_the_others() -> None:
    """Speed is processor time until the task is solved, and for the whole training."""
    for one in EVERY:
        ours = one.figures()
        if one.preset.id is not PresetId.FAST or ours is None:
            continue
        for name, other in one.others.items():
            theirs = one.figures(other)
            if theirs is None:
                continue
            assert ours.seconds <= NOISE * theirs.seconds, f"{one}: {name} trains for a shorter time"
            if trains_alike(one.preset, other):  # seconds of the same work differ by measurement alone
                sooner = ours.steps_to_threshold is None or ours.steps_to_threshold <= (theirs.steps_to_threshold or 0)
                assert sooner, f"{one}: {name} solves it after {theirs.steps_to_threshold} steps"
            elif ours.seconds_to_threshold is not None and theirs.seconds_to_threshold is not None:
                slower = ours.seconds_to_threshold > NOISE * theirs.seconds_to_threshold
                assert not slower, f"{one}: {name} solves it in {theirs.seconds_to_threshold} s"


def trains_alike(one: Preset, other: Preset) -> bool:
    """Return whether both do the same as long as both train: no value depends on the length."""
    follows = ("schedule", "exploration")
    same = (one.hyperparameters, one.exploration) == (other.hyperparameters, other.exploration)
    return same and not any(word in name for name in one.hyperparameters for word in follows)


def test_presets_called_high_score_reach_the_highest_return_or_admit_that_they_do_not() -> None:
    for one in EVERY:
        ours = one.figures()
        if one.preset.id is not PresetId.HIGH_SCORE or ours is None or "return was not higher" in one.preset.tradeoff:
            continue
        for name, other in one.others.items():
            theirs = one.figures(other)
            assert theirs is None or is_no_lower(ours, theirs), f"{one}: {name} reaches {theirs.return_iqm}"


def is_no_lower(one: MeasuredPreset, other: MeasuredPreset) -> bool:
    """Return whether the return is higher or the intervals overlap."""
    return one.return_iqm >= other.return_iqm or _high(one) >= _low(other)


def is_higher(one: MeasuredPreset, other: MeasuredPreset) -> bool:
    """Return whether the return is higher and the other's is below its interval."""
    return one.return_iqm > other.return_iqm and _low(one) > other.return_iqm


def _low(figures: MeasuredPreset) -> float:
    return figures.return_iqm if figures.return_low is None else figures.return_low


def _high(figures: MeasuredPreset) -> float:
    return figures.return_iqm if figures.return_high is None else figures.return_high


# Words

NUMBERS = {
    **{"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "ten": 10},
    **{"sixteen": 16, "none": 0},
}
RATIOS = {
    **{"half": 1 / 2, "a third": 1 / 3, "a quarter": 1 / 4, "a fifth": 1 / 5, "two fifths": 2 / 5, "a tenth": 1 / 10},
    **{"twice": 2},
    **{f"{word} times": number for word, number in NUMBERS.items() if number > 2},
    "": 1,
}
RATIO = "|".join([*sorted((re.escape(word) for word in RATIOS if word), key=len, reverse=True), r"\d\.\d times"])
COUNT = "|".join(NUMBERS)
WHO = "Fast|Stable|High Score"


def number_of(ratio: str) -> float:
    """Parse `three times`, `a fifth` and `1.5 times` as numbers."""
    word = ratio.lower()
    return RATIOS[word] if word in RATIOS else float(word.removesuffix(" times"))


Check = Callable[[Told, re.Match[str]], bool]
CLAIMS: list[tuple[re.Pattern[str], Check]] = []


def claim(pattern: str) -> Callable[[Check], Check]:
    """Register a phrase with its check."""

    def add(check: Check) -> Check:
        CLAIMS.append((re.compile(pattern, re.IGNORECASE), check))
        return check

    return add


def is_about(found: float, said: float, tolerance: float = 0.1) -> bool:
    return abs(found - said) <= tolerance * abs(said)


@claim(
    rf"same settings as (?P<who>{WHO})"
    rf"(?:, but with (?P<ratio>{RATIO}) (?:as many steps|its maximum number of steps))?(?=(?P<rest>.*))"
)
def same_settings(one: Told, said: re.Match[str]) -> bool:
    """Check that only these differ: the length, the schedule if the text says so, and exploration, which depends on the
    length.
    """
    other, rest = one.other(said["who"]), said["rest"]
    differ = {
        name
        for name in one.preset.hyperparameters | other.hyperparameters
        if one.preset.hyperparameters.get(name) != other.hyperparameters.get(name)
    } - {"exploration_fraction"}
    schedule = {"learning_rate_schedule"} if "falls to zero" in rest or "constant learning rate" in rest else set()
    stops = [preset.evaluation is not None and bool(preset.evaluation.stop_after) for preset in (other, one.preset)]
    length = one.preset.total_timesteps / other.total_timesteps
    return (
        differ == schedule
        and one.preset.exploration == other.exploration
        and ("trains to the end" in rest) == (stops == [True, False])
        and is_about(length, number_of(said["ratio"] or ""), 0.05)
    )


@claim(r"twice Fast's maximum number of steps")
def twice_the_maximum(one: Told, _: re.Match[str]) -> bool:
    return one.preset.total_timesteps == 2 * one.other("Fast").total_timesteps


@claim(rf"more steps than (?P<who>{WHO})")
def more_steps(one: Told, said: re.Match[str]) -> bool:
    return one.preset.total_timesteps > one.other(said["who"]).total_timesteps


@claim(
    rf"(?P<bound>more than |less than )?(?P<ratio>{RATIO}) (?:as many (?:steps|hands)|of the steps|the steps)"
    rf"(?: (?:as|of) (?P<who>{WHO}))?"
)
def so_many_steps(one: Told, said: re.Match[str]) -> bool:
    if "the steps" in said[0] and said["who"] is None:
        return True  # of another preset, which a claim before has named
    found = one.preset.total_timesteps / one.other(said["who"] or "Fast").total_timesteps
    return _compared(found, said["bound"], number_of(said["ratio"]))


def _compared(found: float, bound: str | None, wanted: float) -> bool:
    match (bound or "").strip().lower():
        case "more than":
            return found > wanted
        case "less than":
            return found < wanted
    return is_about(found, wanted)


@claim(rf"as many steps as (?P<who>{WHO})")
def as_many_steps(one: Told, said: re.Match[str]) -> bool:
    return one.preset.total_timesteps == one.other(said["who"]).total_timesteps


@claim(rf"fewer steps than (?P<who>{WHO})")
def fewer_steps(one: Told, said: re.Match[str]) -> bool:
    return one.preset.total_timesteps < one.other(said["who"]).total_timesteps


@claim(rf"takes (?P<ratio>{RATIO}) as long as (?P<who>{WHO})")
def takes_so_long(one: Told, said: re.Match[str]) -> bool:
    return is_about(one.seconds() / one.seconds(one.other(said["who"])), number_of(said["ratio"]), 0.35)


@claim(rf"(?P<ratio>{RATIO}) of the time of (?P<who>{WHO})")
def so_much_of_the_time(one: Told, said: re.Match[str]) -> bool:
    return is_about(one.seconds() / one.seconds(one.other(said["who"])), number_of(said["ratio"]), 0.35)


@claim(rf"takes (?:about )?as long as (?P<who>{WHO})")
def takes_as_long(one: Told, said: re.Match[str]) -> bool:
    other = one.seconds(one.other(said["who"]))
    return other / NOISE <= one.seconds() <= NOISE * other


@claim(rf"takes longer(?: than (?P<who>{WHO}))?")
def takes_longer(one: Told, said: re.Match[str]) -> bool:
    other = one.other(said["who"] or "Fast")
    return one.seconds() > one.seconds(other) or one.preset.total_timesteps > other.total_timesteps


@claim(r"takes the longest")
def takes_the_longest(one: Told, _: re.Match[str]) -> bool:
    return all(one.preset.total_timesteps >= other.total_timesteps for other in one.others.values())


@claim(r"the shortest(?! path)")
def is_the_shortest(one: Told, _: re.Match[str]) -> bool:
    return all(one.preset.total_timesteps <= other.total_timesteps for other in one.others.values())


@claim(rf"reaches the threshold (?:as soon as|sooner than) (?P<who>{WHO})")
def as_soon(one: Told, said: re.Match[str]) -> bool:
    ours, theirs = _both(one, said["who"])
    assert ours.seconds_to_threshold is not None
    assert theirs.seconds_to_threshold is not None
    sooner = ours.seconds_to_threshold < theirs.seconds_to_threshold
    return sooner if "sooner" in said[0] else ours.seconds_to_threshold <= NOISE * theirs.seconds_to_threshold


def _both(one: Told, who: str) -> tuple[MeasuredPreset, MeasuredPreset]:
    ours, theirs = one.figures(), one.figures(one.other(who))
    assert ours is not None, f"{one} was not measured"
    assert theirs is not None, f"{who} was not measured"
    return ours, theirs


@claim(
    rf"longer training(?: of (?P<who>{WHO}))? "
    r"(?P<how>reaches a higher|may reach a higher|did not reach a higher) return"
)
def longer_training(one: Told, said: re.Match[str]) -> bool:
    ours = one.figures()
    longer = [other for other in one.others.values() if other.total_timesteps > one.preset.total_timesteps]
    if said["who"]:
        longer = [one.other(said["who"])]
    found = [figures for other in longer if (figures := one.figures(other)) is not None]
    if ours is None or not found:
        return said["how"] == "may reach a higher"  # not measured: it may
    higher = any(is_higher(figures, ours) for figures in found)
    may_be = any(figures.return_iqm > ours.return_iqm for figures in found)
    return {"reaches a higher": higher, "may reach a higher": may_be, "did not reach a higher": not higher}[said["how"]]


@claim(r"stable and high score train longer and may reach a higher return")
def both_may_reach_a_higher(one: Told, _: re.Match[str]) -> bool:
    ours, others = one.figures(), [one.other("Stable"), one.other("High Score")]
    longer = all(other.total_timesteps > one.preset.total_timesteps for other in others)
    return longer and (
        ours is None or all(ours.return_iqm < one_of.return_iqm for one_of in map(one.figures, others) if one_of)
    )


@claim(r"for a higher return during training")
def higher_during_training(one: Told, _: re.Match[str]) -> bool:
    """Check that the preset explores less at the end, which figures of the greedy policy do not show."""
    ends = {name: preset.hyperparameters.get("exploration_final_eps", 0.05) for name, preset in one.others.items()}
    return all(ends[one.preset.title] <= end for end in ends.values())  # type: ignore[operator]


@claim(
    r"(?:for a|its return was|the return is|, for a return that is) "
    r"(?P<how>higher|lower|not higher|about the same|a little higher|a little lower|slightly higher|hardly higher|"
    r"not clearly higher)"
    rf"(?: return)?(?: (?:than|as)(?: with)? (?P<who>{WHO}))?(?! during training)"
)
def return_compared(one: Told, said: re.Match[str]) -> bool:
    how = said["how"].lower()
    named = re.findall(WHO, one.preset.tradeoff)
    who = said["who"] or next((name for name in named if name != one.preset.title), "Fast")
    if one.env_id is None:
        return how == "slightly higher"  # not measured
    ours, theirs = _both(one, who)
    return {
        "higher": is_higher(ours, theirs),
        "lower": is_higher(theirs, ours),
        "not higher": not is_higher(ours, theirs),
        "about the same": is_no_lower(ours, theirs) and is_no_lower(theirs, ours),
        "slightly higher": ours.return_iqm > theirs.return_iqm,
        "a little higher": ours.return_iqm > theirs.return_iqm,
        "a little lower": ours.return_iqm < theirs.return_iqm,
        "hardly higher": ours.return_iqm > theirs.return_iqm and not is_higher(ours, theirs),
        "not clearly higher": not is_higher(ours, theirs),
    }[how]


@claim(r"varied (?P<how>less|more) between seeds")
def varied_between_seeds(one: Told, said: re.Match[str]) -> bool:
    named = re.findall(WHO, one.preset.tradeoff)
    ours, theirs = (_high(figures) - _low(figures) for figures in _both(one, named[0]))
    return ours < theirs if said["how"].lower() == "less" else ours > theirs


@claim(r"as many seeds solved it")
def as_many_solved_it(one: Told, _: re.Match[str]) -> bool:
    ours, theirs = _both(one, re.findall(WHO, one.preset.tradeoff)[0])
    return ours.solved == theirs.solved


@claim(
    rf"(?:(?P<some>{COUNT}) of|(?P<every>all)) (?P<all>{COUNT}) seeds (?P<what>solved it|reached the threshold)"
    rf"(?P<kept> with their kept policy)?(?:; with (?P<who>{WHO}), (?:all )?(?P<theirs>{COUNT}) did)?"
)
def so_many_seeds(one: Told, said: re.Match[str]) -> bool:
    figures = one.figures()
    assert figures is not None, "it was not measured"
    seeds = NUMBERS[said["all"].lower()]
    some = seeds if said["every"] else NUMBERS[said["some"].lower()]
    if said["who"]:
        theirs = one.figures(one.other(said["who"]))
        assert theirs is not None, f"{said['who']} was not measured"
        if NUMBERS[said["theirs"].lower()] != (theirs.held if said["kept"] else theirs.solved):
            return False
    return (figures.held if said["kept"] else figures.solved, figures.seeds) == (some, seeds)


@claim(rf"none of (?P<all>{COUNT}) seeds did|with (?P<over>{COUNT}) seeds, none landed reliably")
def none_solved_it(one: Told, said: re.Match[str]) -> bool:
    figures = one.figures()
    assert figures is not None, "it was not measured"
    return (figures.solved, figures.seeds) == (0, NUMBERS[(said["all"] or said["over"]).lower()])


@claim(rf"(?:with|all) (?P<count>{COUNT}) seeds|(?P<some>{COUNT}) of (?P<all>{COUNT}) seeds")
def with_so_many_seeds(one: Told, said: re.Match[str]) -> bool:
    figures = one.figures()
    assert figures is not None, "it was not measured"
    return figures.seeds == NUMBERS[(said["count"] or said["all"]).lower()]


@claim(r"in (?:about )?(?P<percent>\d+) % of the episodes")
def so_many_percent(one: Told, said: re.Match[str]) -> bool:
    figures = one.figures()
    return figures is None or abs(100 * figures.return_iqm - float(said["percent"])) <= 1.5


@claim(r"threshold of (?P<value>[\d.]+)(?P<percent> %)?")
def the_threshold(one: Told, said: re.Match[str]) -> bool:
    scale = 100 if said["percent"] else 1
    return one.threshold is not None and is_about(scale * one.threshold, float(said["value"]), 0.001)


@claim(r"return (?:is about|of) (?P<value>−?[\d.]*\d)")
def earns_so_much(one: Told, said: re.Match[str]) -> bool:
    figures = one.figures()
    value = said["value"].replace("−", "-")
    digits = len(value.partition(".")[2])
    return figures is not None and round(figures.return_iqm, digits) == float(value)


@claim(r"within a second")
def within_a_second(one: Told, _: re.Match[str]) -> bool:
    figures = one.figures()
    return figures is not None and figures.seconds <= 1


@claim(r"about (?P<count>\d+) (?P<unit>minute|hour|day)s? of CPU time")
def so_much_cpu_time(one: Told, said: re.Match[str]) -> bool:
    """Check the processor time as measured, or else by the steps per second of the environment's Fast preset."""
    figures = one.figures()
    if figures is not None:
        seconds = figures.seconds
    else:
        seconds = one.preset.total_timesteps / known_rates()[str(one.env_id)][one.preset.algorithm]
    return is_about(seconds, float(said["count"]) * {"minute": 60, "hour": 3_600, "day": 86_400}[said["unit"]], 0.35)


@claim(r"(?P<count>\d[\d,]*) (?:random )?steps(?= |:|,|;|\.)")
def a_number_of_steps(one: Told, said: re.Match[str]) -> bool:
    """Check a number of steps: of the whole training, of a rollout, before learning starts, or until solved."""
    steps = int(said["count"].replace(",", ""))
    values = one.preset.hyperparameters
    figures = one.figures()
    rollout = int(values.get("n_steps", 0)) * int(values.get("n_envs", 1))  # type: ignore[arg-type, call-overload]
    starts = values.get("learning_starts")
    known = [one.preset.total_timesteps, rollout, starts, figures and figures.steps_to_threshold]
    return any(isinstance(value, int) and is_about(value, steps) for value in known)


SIGNS = re.compile(
    r"\d|longest|shortest(?! path)|sooner|(?:higher|lower) return|return (?:that )?(?:is|was)|seeds|"
    r"times as|as long as|more steps|fewer steps|as many steps as (?:Fast|Stable|High)|of the steps|same settings|"
    r"maximum number|(?<!most )of the time|balances after",
    re.IGNORECASE,
)
"""What says that a text makes a claim about lengths, seconds, returns or seeds."""

DESIGN = re.compile(
    r"learning rate of 1|value of 0\.5|\d+ (?:environments|quantiles|units)|takes 1\.4 GB|64 squares|"
    r"500 states|Stable-Baselines3|sb3-contrib|aims for 500|policy of 500|reach 475|less than 5 % of the weights|"
    r"the mean return is a few tenths below|(?:the )?best possible(?: is)?,? (?:−64\.7|−0\.045|7\.93|3\.95)|"
    r"reaches 8|with some seeds less often|a seed that (?:first )?reaches the top late|seeds that reach the top late|"
    r"reaches about the same return",
    re.IGNORECASE,
)
"""Numbers about hyperparameters, the environment, or anything that is not measured."""


def problems_of(one: Told, text: str) -> Iterator[str]:
    """Return the parts of ``text`` that are wrong or not supported by figures. Each part makes one claim."""
    rest = text
    for pattern, check in CLAIMS:
        for said in list(pattern.finditer(rest)):
            rest = rest[: said.start()] + "·" * len(said[0]) + rest[said.end() :]
            try:
                if not check(one, said):
                    yield f"{one}: {said[0]!r} is not what was measured"
            except AssertionError as error:
                yield f"{one}: {said[0]!r}: {error}"
    if left := SIGNS.search(DESIGN.sub(" ", rest)):
        yield f"{one}: {left[0]!r} is compared with no figure, in {text!r}"


@cases("env_id", sorted({one.env_id or "" for one in EVERY}))
def test_preset_descriptions_match_their_figures(env_id: str) -> None:
    problems = [
        problem
        for one in EVERY
        if (one.env_id or "") == env_id
        for text in (one.preset.summary, one.preset.tradeoff)
        for problem in problems_of(one, text)
    ]
    assert problems == []


def test_wrong_preset_descriptions_are_detected() -> None:
    (fast,) = [one for one in presets_tuned_for("CartPole-v1") if (one.algorithm, one.id) == ("a2c", "fast")]
    one = next(one for one in EVERY if one.preset == fast)
    for text in (
        "Balances after 22,000 steps.",
        "Half as many steps as Stable, for a higher return.",
        "A third of the steps of High Score.",
        "Takes twice as long as High Score.",
        "Takes the longest.",
        "With five seeds, its return was not higher.",
        "Eight of ten seeds reached the threshold with their kept policy.",
        "Same settings as Stable.",
        "Same settings as High Score.",
        "Solved in 7 s.",
    ):
        assert list(problems_of(one, text)), text
    assert list(problems_of(one, "A fifth of the steps of High Score, half as many steps as Stable.")) == []
