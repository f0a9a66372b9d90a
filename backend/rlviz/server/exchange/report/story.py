"""What the report of a run says, as plain values and sentences. ``page`` turns them into HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

Tone = Literal["good", "bad", "warn", "live", "rest"]

Points = Sequence[tuple[float, float]]
"""Points (environment step, value), by step."""


@dataclass(frozen=True)
class Head:
    """Who the run is. ``facts``: short words about it; ``link``: a sentence each about where it comes from."""

    name: str
    run_id: str
    status: str
    tone: Tone
    facts: Sequence[str]
    ended: str
    tags: Sequence[str] = ()
    notes: str = ""
    origins: Sequence[str] = ()


@dataclass(frozen=True)
class Figure:
    """A large number with its name, and lines that belong to it. ``aside``: small text beside the number."""

    label: str
    value: str
    notes: Sequence[str] = ()
    aside: str = ""


@dataclass(frozen=True)
class Verdict:
    headline: str
    tone: Tone
    figures: Sequence[Figure]


@dataclass(frozen=True)
class Evaluated:
    """An evaluation: the step of the policy, its mean return, and a sentence."""

    step: float
    mean: float
    says: str


@dataclass(frozen=True)
class Mark:
    """A numbered event on the curve; the list of events has the same number."""

    number: int
    step: float
    says: str


@dataclass(frozen=True)
class Curve:
    """The return over the environment steps.

    Attributes:
        end: Last step of the axis.
        episodes: Return of single episodes.
        mean: Mean return of the last episodes, in stretches between gaps.
        mean_label: What the mean is over.
        evaluation_label: How policies chose their actions in evaluations.
        solved: Step at which the run was solved.
        forked: Step at which it was forked; what is before belongs to its parent.
        random: Mean return of random actions.
    """

    end: float
    episodes: Points = ()
    mean: Points = ()
    mean_label: str = "Mean return"
    evaluations: Sequence[Evaluated] = ()
    evaluation_label: str = "Greedy evaluation"
    threshold: float | None = None
    random: float | None = None
    solved: float | None = None
    forked: float | None = None
    marks: Sequence[Mark] = ()


@dataclass(frozen=True)
class Cell:
    """A moment of the film.

    Attributes:
        step: Training step of the policy that plays; None if unknown.
        title: Which policy plays, such as ``After 20,224 steps``.
        figure: Its return, a mean for several episodes.
        says: The return in words, with the length of the episode.
        picture: A WebP file; None if there is none.
        video: An MP4 file; None if there is none.
        size: Width and height of the video in pixels.
        seconds: Length of the video.
    """

    step: int | None
    title: str
    figure: float | None
    says: str
    picture: bytes | None = field(default=None, repr=False)
    video: bytes | None = field(default=None, repr=False)
    size: tuple[int, int] = (3, 2)
    seconds: float = 0.0


@dataclass(frozen=True)
class Film:
    """The moments by step, the newest last. ``notes``: what it shows, and what it leaves out."""

    cells: Sequence[Cell] = ()
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Setting:
    """``usual``: the value of the preset or the default; None if there is none to compare with."""

    name: str
    value: str
    usual: str | None = None

    @property
    def is_changed(self) -> bool:
        return self.usual is not None and self.usual != self.value


@dataclass(frozen=True)
class Settings:
    """``usual``: what the settings are compared with, such as “preset Fast”."""

    rows: Sequence[Setting]
    usual: str
    facts: Sequence[Setting] = ()
    rules: Sequence[str] = ()


@dataclass(frozen=True)
class Event:
    """``number``: of its mark on the curve; None if it has none."""

    time: str
    step: str
    says: str
    level: Literal["info", "warning", "error"]
    number: int | None = None


@dataclass(frozen=True)
class Events:
    rows: Sequence[Event]
    note: str = ""


@dataclass(frozen=True)
class Advice:
    """A hint as the page of the run shows it."""

    severity: str
    title: str
    evidence: str
    suggestion: str
    where: str


@dataclass(frozen=True)
class SeedRow:
    seed: str
    status: str
    figure: str
    best: str
    solved: str
    is_own: bool


@dataclass(frozen=True)
class Seeds:
    """The runs of the group. ``says``: their figure with its interval; ``made``: how it is computed."""

    says: str
    made: Sequence[str]
    rows: Sequence[SeedRow]


@dataclass(frozen=True)
class Repeat:
    """How to repeat the run. ``command``: None if no command can; ``config``: its configuration as JSON."""

    command: str | None
    notes: Sequence[str]
    config: str
    versions: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Story:
    """Everything that a report says. ``made``: when, and by which version."""

    head: Head
    verdict: Verdict
    curve: Curve
    settings: Settings
    events: Events
    hints: Sequence[Advice]
    seeds: Seeds | None
    repeat: Repeat
    made: str
    film: Film | None = None
