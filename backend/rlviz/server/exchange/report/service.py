"""Gather the content of a run's report. Each figure comes from the same service as on the other pages."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

import numpy as np
from pydantic import JsonValue

from rlviz import __version__
from rlviz.domain.config import EvaluationPlan, ExplorationPlan, RunActor, RunConfig
from rlviz.domain.errors import ArtifactNotFound, InvalidRequest, RunFolderError, UnknownName
from rlviz.domain.evaluation import EvaluationRecord
from rlviz.domain.ids import utc
from rlviz.domain.limits import DEFAULT_CURVE_POINTS
from rlviz.domain.metrics import EPISODE_REWARD, EVAL_REWARD
from rlviz.domain.plain_text import one_line
from rlviz.domain.presets import OwnPreset, Preset
from rlviz.domain.status import RunStatus
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.custom import find_environment
from rlviz.learning.environments.random_returns import find_random_return
from rlviz.learning.presets.catalog import preset_for
from rlviz.rundir.folder import RunFolder
from rlviz.server.catalog.models import RunRow
from rlviz.server.evaluations.service import EvaluationService
from rlviz.server.exchange.report.film import ReportFilmService
from rlviz.server.exchange.report.page import config_text, write_page
from rlviz.server.exchange.report.story import (
    Advice,
    Curve,
    Evaluated,
    Event,
    Events,
    Figure,
    Film,
    Head,
    Mark,
    Points,
    Repeat,
    SeedRow,
    Seeds,
    Setting,
    Settings,
    Story,
    Tone,
    Verdict,
)
from rlviz.server.metrics.hints import HintService
from rlviz.server.metrics.models import EvaluationEnded, RunEvent, list_events
from rlviz.server.metrics.service import CurveRequest, MetricsService
from rlviz.server.runs.events import read_events
from rlviz.server.runs.groups import Group, GroupService
from rlviz.server.runs.models import BestEvaluation, solved_at
from rlviz.server.runs.presets import OwnPresets
from rlviz.server.runs.service import RunService
from rlviz.server.snapshots.rules import RuleService
from rlviz.stats.arrays import Floats, downsample
from rlviz.stats.hints import Hint
from rlviz.stats.number_text import brief_number, decimal, duration, interval_text, percent
from rlviz.stats.return_curve import WINDOW
from rlviz.stats.returns import MEAN_EPISODES, moving_average

MOST_BYTES = 10_000_000
"""Maximum size of a report: most mail servers deliver attachments of this size."""

SPARE_BYTES = 50_000
"""Room for the names and sentences of the film's moments."""

MEAN_POINTS = 800
"""Points of the line of means: more than the picture has pixels."""

LOGGED_MEAN = "rollout/ep_rew_mean"

MOST_EVENTS = 150
MOST_MARKS = 20
"""More numbered marks on the curve would cover each other."""

COURSE = ("rule_fired", "rules_changed", "hyperparameter_changed", "resumed", "diverged", "rollback")
"""Events that changed the course of training: they are marked on the curve."""

ROUTINE = ("checkpoint", "best", "snapshot", "recorded", "pausing")
"""Events that happen all the time and are left out."""


class RunReportService:
    """Writes the report of a run as one HTML file."""

    def __init__(
        self,
        runs: RunService,
        groups: GroupService,
        evaluations: EvaluationService,
        rules: RuleService,
        metrics: MetricsService,
        hints: HintService,
        film: ReportFilmService,
        own_presets: OwnPresets,
        *,
        clock: Callable[[], float],
        most_bytes: int = MOST_BYTES,
    ) -> None:
        self._runs, self._groups, self._evaluations = runs, groups, evaluations
        self._rules, self._metrics, self._hints = rules, metrics, hints
        self._film, self._own_presets, self._clock = film, own_presets, clock
        self._most_bytes = most_bytes

    def report(self, run_id: str, *, film: bool) -> str:
        """Return the report of a run as it is now. ``film``: with the videos that exist.

        Raises RunNotFound, ArtifactNotFound if the folder is gone, or RunFolderError if its configuration cannot be
        read.
        """
        story = self.story(run_id)
        page = write_page(story)
        if not film:
            return page
        room = self._most_bytes - len(page.encode()) - SPARE_BYTES
        shown = self._film.read(run_id, max(0, room))
        if not shown.cells and not shown.notes:
            shown = Film(notes=[_why_no_film(self._runs.get(run_id))])
        return write_page(self.story(run_id, shown))

    def story(self, run_id: str, film: Film | None = None) -> Story:
        """Return what the report says, without the film unless it is given. Raises the errors of ``report``."""
        row, config, now = self._runs.get(run_id), self._runs.config(run_id), self._clock()
        folder, deterministic = self._runs.folder(run_id), config.evaluation.is_greedy
        how = "greedy evaluation" if deterministic else "evaluation with sampled actions"
        best = self._evaluations.find_best(row, deterministic=deterministic)
        environment, evaluations = _environment(config), self._evaluations.list(run_id)
        events = list_events(read_events(folder), evaluations)
        marks = _marks(events)
        alike = [record for one in evaluations if (record := one.parsed()).deterministic is deterministic]
        return Story(
            head=_head(row, config, now),
            verdict=_verdict(row, best, now, how),
            curve=self._curve(row, folder, environment, alike, events, marks, how),
            settings=_settings(config, self._preset(config, environment), self._active_rules(run_id)),
            events=_events(events, marks),
            hints=[_advice(hint) for hint in self._hints.find_hints(run_id).hints],
            seeds=self._seeds(row),
            repeat=_repeat(config, self._preset(config, environment)),
            made=f"Made by RL Gym Visualizer {__version__} on {utc(now):%Y-%m-%d at %H:%M} UTC.",
            film=film,
        )

    def _active_rules(self, run_id: str) -> list[str]:
        with suppress(ArtifactNotFound, RunFolderError):
            return [f"{rule.words}." for rule in self._rules.rules(run_id)]
        return []

    def _preset(self, config: RunConfig, environment: Environment | None) -> Preset | OwnPreset | None:
        """Return the preset that the run was created with; None if it had none, or if it no longer exists."""
        if config.preset is None or environment is None:
            return None
        with suppress(UnknownName):
            return preset_for(config.preset, config.algo, environment.id, environment.chosen, self._own_presets.all())
        return None

    def _curve(
        self,
        row: RunRow,
        folder: RunFolder,
        environment: Environment | None,
        evaluations: Sequence[EvaluationRecord],
        events: Sequence[RunEvent],
        marks: Sequence[Mark],
        how: str,
    ) -> Curve:
        request = CurveRequest(DEFAULT_CURVE_POINTS)
        curves = self._metrics.curves(folder, [EPISODE_REWARD, EVAL_REWARD, LOGGED_MEAN], request).curves
        series, logged = self._metrics.series(folder, EPISODE_REWARD, LOGGED_MEAN)
        before = [np.nan if one.episode_return is None else one.episode_return for one in row.episodes_before]
        if len(series):
            returns = np.concatenate([np.array(before, dtype=np.float64), series.value])
            mean = _line(series.step, moving_average(returns, MEAN_EPISODES)[len(before) :])
        else:
            mean = _line(logged.step, logged.value)
        points = {
            name: [(x, y) for x, y in zip(curve.x, curve.y, strict=True) if y is not None]
            for name, curve in curves.items()
        }
        periodic = [
            Evaluated(step, value, f"{how.capitalize()} while training: mean return {decimal(value)}.")
            for step, value in points.get(EVAL_REWARD, [])
        ]
        requested = _evaluated(evaluations, events)
        episodes = points.get(EPISODE_REWARD, [])
        ends = [x for x, _ in (*episodes, *mean)] + [one.step for one in requested]
        random = None if environment is None else find_random_return(environment)
        return Curve(
            end=max([float(row.step), *ends]),
            episodes=episodes,
            mean=mean,
            mean_label=f"Mean of {MEAN_EPISODES}",
            evaluations=[*periodic, *requested],
            evaluation_label=how.capitalize(),
            threshold=row.reward_threshold,
            random=None if random is None else random.mean,
            solved=row.solved_step,
            forked=None if row.parent is None else float(row.parent["step"]),
            marks=marks,
        )

    def _seeds(self, row: RunRow) -> Seeds | None:
        groups = self._groups.find([row.group_id])
        return _seeds(groups[0], row.id) if groups else None


def how_it_ended(row: RunRow) -> str:
    """Return a sentence that says whether the run continues, or who or what ended it."""
    cause = one_line(row.cause or "")
    match row.state:
        case RunStatus.CREATED:
            return "It was not started yet."
        case RunStatus.QUEUED:
            return "It waits for a free slot. This report shows the run as it is now."
        case RunStatus.STARTING | RunStatus.RUNNING | RunStatus.PAUSING | RunStatus.STOPPING:
            return "It still trains. This report shows the run as it is now."
        case RunStatus.PAUSED:
            return f"It is paused. {cause}".strip()
        case RunStatus.COMPLETED if row.actor is RunActor.FOREIGN:
            return "It has ended."
        case RunStatus.COMPLETED:
            return f"It ended early: {row.ended_early}" if row.ended_early else "It ended after all of its steps."
        case RunStatus.STOPPED:
            if row.ended_early:
                return f"A rule stopped it: {row.ended_early}"
            return f"It was stopped. {cause}" if cause else "The user stopped it."
        case RunStatus.FAILED:
            return f"It failed. {cause}".strip()
        case RunStatus.INTERRUPTED:
            return f"It was interrupted. {cause}".strip()


_TONES: Mapping[RunStatus, Tone] = {
    RunStatus.COMPLETED: "good",
    RunStatus.FAILED: "bad",
    RunStatus.INTERRUPTED: "bad",
    RunStatus.PAUSED: "warn",
    RunStatus.STARTING: "live",
    RunStatus.RUNNING: "live",
    RunStatus.PAUSING: "live",
    RunStatus.STOPPING: "live",
}

_ACTORS = {RunActor.RANDOM: "Random actions", RunActor.HUMAN: "Played by hand"}


def _head(row: RunRow, config: RunConfig, now: float) -> Head:
    trained = row.clock.at(now) if row.attempts else None
    facts = [
        _algorithm(row),
        row.env_id,
        f"seed {row.seed}",
        f"{row.step:,} steps",
        *([] if trained is None else [duration(trained)]),
        f"{utc(row.created_at):%Y-%m-%d}",
    ]
    return Head(
        name=row.name,
        run_id=row.id,
        status=row.status,
        tone=_TONES.get(row.state, "rest"),
        facts=facts,
        ended=how_it_ended(row),
        tags=row.tags,
        notes=row.notes,
        origins=_origins(config),
    )


def _algorithm(row: RunRow) -> str:
    if row.algo in ALGORITHMS.names():
        return ALGORITHMS.get(row.algo).name
    return _ACTORS.get(row.actor, row.algo)


def _origins(config: RunConfig) -> list[str]:
    found = []
    if config.parent is not None:
        found.append(f"Forked from {config.parent.run_id} at step {config.parent.step:,}.")
    if config.experiment is not None:
        found.append(f"A trial of the experiment {config.experiment.id}, variant {config.experiment.variant}.")
    if config.imported_from is not None:
        found.append(f"Imported from {config.imported_from}.")
    return found


def _verdict(row: RunRow, best: BestEvaluation | None, now: float, how: str) -> Verdict:
    headline, tone = _headline(row, best, how)
    trained = row.clock.at(now) if row.attempts else None
    time = "not started" if trained is None else duration(trained)
    whole = row.end_step > 0
    figures = [
        Figure(
            "Progress",
            percent(min(1.0, row.step / row.end_step)) if whole else f"{row.step:,} steps",
            [f"step {row.step:,} of {row.end_step:,}"] * whole + [time],
        ),
        Figure(
            "Return in training" if row.actor is RunActor.POLICY else "Return",
            "–" if row.ep_rew_mean is None else decimal(row.ep_rew_mean),
            _return_notes(row),
        ),
    ]
    if row.actor is RunActor.POLICY:
        figures.append(
            Figure(f"Best {how}", "–", ["not evaluated"])
            if best is None
            else Figure(
                f"Best {how}",
                decimal(best.mean),
                [] if best.step is None else [f"policy of step {best.step:,}"],
                f"± {decimal(best.std)}",
            )
        )
    if row.reward_threshold is not None:
        figures.append(_solved_figure(row))
    return Verdict(headline, tone, figures)


def _headline(row: RunRow, best: BestEvaluation | None, how: str) -> tuple[str, Tone]:
    """Return the sentence that sums the run up, and its tone."""
    solved = solved_at(row, row.solved, row.reward_threshold)
    if solved is not None:
        after = "" if solved.seconds is None else f", after {duration(solved.seconds)} of training"
        return f"Solved at step {solved.step:,}{after}.", "good"
    if row.reward_threshold is not None:
        goal = f"a return of {decimal(row.reward_threshold)}"
        if row.state is RunStatus.COMPLETED:
            return f"Not known to be solved: solving it takes {goal}.", "warn"
        return f"Not solved yet: solving it takes {goal}.", "live" if row.state.is_active else "warn"
    if best is not None:
        return f"The best {how} returns {decimal(best.mean)} ± {decimal(best.std)}.", "rest"
    if row.ep_rew_mean is not None:
        return f"The mean return of the last episodes is {decimal(row.ep_rew_mean)}.", "rest"
    return "No episode has ended yet.", "rest"


def _return_notes(row: RunRow) -> list[str]:
    notes = []
    if row.episodes:
        notes.append(f"{row.episodes:,} episodes, mean of the last {min(row.episodes, MEAN_EPISODES)}")
    if row.best_moving_average is not None:
        step = "" if row.best_moving_average_step is None else f", step {brief_number(row.best_moving_average_step)}"
        notes.append(f"best {WINDOW}-episode average {decimal(row.best_moving_average)}{step}")
    return notes


def _solved_figure(row: RunRow) -> Figure:
    assert row.reward_threshold is not None
    solved = solved_at(row, row.solved, row.reward_threshold)
    if solved is None:
        value = "no" if row.state is RunStatus.COMPLETED else "not yet"
        return Figure("Solved", value, [f"needs a return of {decimal(row.reward_threshold)}"])
    by = f"mean of {MEAN_EPISODES}" if solved.by == "training" else "evaluation"
    notes = [f"{by} ≥ {decimal(solved.threshold)}"]
    if solved.seconds is None:
        return Figure("Solved", f"step {solved.step:,}", notes)
    return Figure("Solved", f"after {duration(solved.seconds)}", [f"at step {solved.step:,}", *notes])


def _line(step: Floats, value: Floats) -> Points:
    known = np.isfinite(value)
    if not known.any():
        return []
    x, y = downsample(step[known], value[known], MEAN_POINTS)
    return list(zip(x.tolist(), y.tolist(), strict=True))


def _evaluated(evaluations: Sequence[EvaluationRecord], events: Sequence[RunEvent]) -> list[Evaluated]:
    """Return the evaluations on request of policies that still count, by step."""
    superseded = {
        event.details.evaluation_id
        for event in events
        if event.superseded and isinstance(event.details, EvaluationEnded)
    }
    found = []
    for record in evaluations:
        step = record.checkpoint_step
        if step is None or record.summary is None or record.id in superseded:
            continue
        spread = record.summary.episode_return
        if spread is None:
            continue
        says = f"Evaluated at step {step:,}: return {decimal(spread.mean)} ± {decimal(spread.std)}."
        found.append(Evaluated(step, spread.mean, says))
    return sorted(found, key=lambda one: one.step)


def _marks(events: Sequence[RunEvent]) -> list[Mark]:
    """Return the events that changed the course of training, numbered by their order."""
    found = [event for event in events if event.kind in COURSE and event.step is not None and not event.superseded]
    return [Mark(number, float(event.step or 0), event.message) for number, event in enumerate(found, 1)][:MOST_MARKS]


def _events(events: Sequence[RunEvent], marks: Sequence[Mark]) -> Events:
    told = [event for event in events if event.kind not in ROUTINE or event.level != "info"]
    numbers = {(mark.step, mark.says): mark.number for mark in marks}
    rows = [
        Event(
            time=f"{utc(event.time):%Y-%m-%d %H:%M}",
            step="" if event.step is None else f"{event.step:,}",
            says=event.message,
            level=event.level,
            number=None if event.step is None else numbers.get((float(event.step), event.message)),
        )
        for event in told[-MOST_EVENTS:]
    ]
    left_out = len(told) - len(rows)
    note = "Times are in UTC."
    if left_out:
        note += f" {left_out:,} earlier events are left out."
    return Events(rows, note)


def _advice(hint: Hint) -> Advice:
    return Advice(
        severity=str(hint.severity),
        title=hint.title,
        evidence=hint.evidence,
        suggestion=hint.suggestion,
        where=f"{hint.metric}, steps {hint.from_step:,} to {hint.to_step:,}",
    )


def _seeds(group: Group, own: str) -> Seeds:
    rows = []
    for row in group.runs:
        solved = solved_at(row, row.solved, row.reward_threshold)
        rows.append(
            SeedRow(
                seed=str(row.seed),
                status=row.status,
                figure="–" if row.ep_rew_mean is None else decimal(row.ep_rew_mean),
                best="–" if row.best_moving_average is None else decimal(row.best_moving_average),
                solved="–" if solved is None else f"{solved.step:,}",
                is_own=row.id == own,
            )
        )
    count = len(group.runs)
    if group.returns is None:
        return Seeds(group.definition, [], rows)
    interval = group.returns.interval
    ends = interval_text(None if interval is None else interval.low, None if interval is None else interval.high)
    says = (
        f"Return over the last {MEAN_EPISODES} episodes, interquartile mean of {group.returns.count} of {count} seeds: "
        f"{decimal(group.returns.iqm)} {ends}."
    )
    return Seeds(says, [group.definition], rows)


def _settings(config: RunConfig, preset: Preset | OwnPreset | None, rules: Sequence[str]) -> Settings:
    usual, words = _usual(config, preset)
    rows = [
        Setting(name, value_text(value), value_text(usual[name]) if name in usual else None)
        for name, value in config.hyperparameters.items()
    ]
    if preset is not None:
        rows.insert(
            0, Setting("total_timesteps", value_text(config.total_timesteps), value_text(preset.total_timesteps))
        )
    return Settings(rows, words, _facts(config), rules)


def _usual(config: RunConfig, preset: Preset | OwnPreset | None) -> tuple[Mapping[str, JsonValue], str]:
    """Return what the hyperparameters are compared with, and its name."""
    if config.algo not in ALGORITHMS.names():
        return {}, ""
    algorithm = ALGORITHMS.get(config.algo)
    if preset is not None:
        return algorithm.completed(preset.hyperparameters), f"preset {preset.title}"
    return algorithm.completed({}), f"defaults of {algorithm.name}"


def _facts(config: RunConfig) -> list[Setting]:
    facts = [("environment", config.env_id), ("algorithm", config.algo)]
    facts += [(f"option {name}", value_text(value)) for name, value in config.env_options.items()]
    facts += [("preset", config.preset or "none"), ("seed", str(config.seed))]
    if config.total_timesteps:
        facts.append(("requested steps", f"{config.total_timesteps:,}"))
    if config.evaluation.every_steps is not None:
        sampled = "" if config.evaluation.is_greedy else ", with sampled actions"
        facts.append(
            (
                "evaluation",
                f"{config.evaluation.episodes} episodes every {config.evaluation.every_steps:,} steps{sampled}",
            )
        )
    if config.reward is not None:
        facts.append(("reward in training", str(config.reward)))
    return [Setting(name, value) for name, value in facts]


def value_text(value: object) -> str:
    """Return the value of a setting for people: at most six digits, lists without brackets."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list | tuple):
        return ", ".join(map(value_text, value)) or "none"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)


def _repeat(config: RunConfig, preset: Preset | OwnPreset | None) -> Repeat:
    return Repeat(
        command=_command(config, preset if isinstance(preset, Preset) else None),
        notes=_repeat_notes(config),
        config=config_text(config.model_dump(mode="json")),
        versions=list(config.versions.items()),
    )


def _command(config: RunConfig, preset: Preset | None) -> str | None:
    """Return the command that creates a run with the same settings; None if no command can.

    Without a built-in preset, it gives every value that differs from the algorithm's default.
    """
    if config.actor not in (RunActor.POLICY, RunActor.RANDOM):
        return None
    words = ["rlviz", "run", "--env", config.env_id, "--algo", config.algo]
    if config.actor is RunActor.POLICY:
        if config.algo not in ALGORITHMS.names():
            return None
        words += ["--preset", "none" if preset is None else preset.id.value]
    words += ["--seed", str(config.seed), "--steps", str(config.total_timesteps)]
    usual, _ = _usual(config, preset)
    for flag, values, known in (
        ("--set", config.hyperparameters, usual),
        ("--option", config.env_options, _usual_options(config)),
    ):
        for name, value in values.items():
            if name not in known or known[name] != value:
                words += [flag, f"{name}={_argument(value)}"]
    words += _exploration_words(config, None if preset is None else preset.exploration) + _reward_words(config)
    plan, usual_plan = config.evaluation, EvaluationPlan()
    if preset is not None and preset.evaluation is not None:
        usual_plan = preset.evaluation
    differs = plan.is_greedy != usual_plan.is_greedy
    if plan.every_steps is not None:
        words += ["--evaluate-every", str(plan.every_steps), "--evaluate-episodes", str(plan.episodes)]
        words += [] if plan.stop_after is None else ["--stop-after", str(plan.stop_after)]
    elif usual_plan.every_steps is not None or differs:
        words += ["--evaluate-every", "0"]
    if differs:
        words.append("--evaluate-greedy" if plan.is_greedy else "--evaluate-sampled")
    return shlex.join(words)


def _exploration_words(config: RunConfig, planned: ExplorationPlan | None) -> list[str]:
    """Return the options that switch on what the run explored with. Each switch has an option of its name.

    ``planned``: the exploration of its preset, which needs no options.
    """
    if planned is not None and planned == config.exploration:
        return []
    words = ["--no-exploration"] if planned is not None else []
    for name, value in ({} if config.exploration is None else config.exploration.model_dump()).items():
        if value is True:
            words.append(f"--{name}")
        elif value is not None and value is not False:
            words += [f"--{name}", _argument(value)]
    return words


def _reward_words(config: RunConfig) -> list[str]:
    if config.reward is None:
        return []
    parts = (("--reward-weight", config.reward.weights), ("--reward-cap", config.reward.caps))
    return [
        word
        for flag, values in parts
        for name, value in values.items()
        for word in (flag, f"{name}={_argument(value)}")
    ]


def _argument(value: JsonValue) -> str:
    """Return a value as ``--set`` takes it: JSON, or text that is not JSON."""
    if isinstance(value, str):
        try:
            json.loads(value)
        except ValueError:
            return value
    return json.dumps(value)


def _usual_options(config: RunConfig) -> Mapping[str, JsonValue]:
    """Return the default options of the environment; nothing if it is not known here."""
    with suppress(InvalidRequest):
        return find_environment(config.model_copy(update={"env_options": {}})).chosen
    return {}


def _repeat_notes(config: RunConfig) -> list[str]:
    notes = []
    if config.actor is RunActor.FOREIGN:
        notes.append("Another program wrote this run, so no command repeats it.")
    elif config.actor is RunActor.HUMAN:
        notes.append("A person played this run, so no command repeats it.")
    if config.parent is not None:
        notes.append("The run is a fork. The command trains from the beginning instead, with the settings of the fork.")
    if config.has_own_code:
        notes.append("The environment is custom code, which must be available where the command runs.")
    elif config.custom_environment is not None:
        notes.append("The environment is a game of your own: its folder must be in RLVIZ_ROMS where the command runs.")
    if config.rules:
        notes.append("The command leaves out the rules, which are in the configuration (`rules`).")
    return notes


def _environment(config: RunConfig) -> Environment | None:
    """Return the environment of a run; None if it is not known here."""
    with suppress(InvalidRequest):
        return find_environment(config)
    return None


def _why_no_film(row: RunRow) -> str:
    if row.actor is RunActor.POLICY:
        return "It has no film, because none of its policies was filmed."
    return "It has no film, because it has no video."
