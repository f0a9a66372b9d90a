"""Writes docs/presets.md from the preset files, the hyperparameters' schemas and the measured figures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from measuring.comparisons import comparisons
from measuring.curve import draw
from measuring.evaluation_cost import MOST_SHARE
from measuring.rates import known_rates
from measuring.specification import specifications
from measuring.tables import FIGURES, SPECIFICATIONS, figure_cells, hours, row, show
from rlviz.domain.evaluation import PolicyChoice
from rlviz.domain.limits import LIMITS
from rlviz.domain.presets import Preset
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.base import Algorithm
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment
from rlviz.learning.presets.catalog import ANYWHERE, figures_key, known_curves, measured, preset_files
from rlviz.learning.presets.recommended import RELIABLE
from rlviz.server.runs.choices import HyperparameterField, view_algorithm
from rlviz.stats.number_text import join_words

DOCUMENT = Path(__file__).parents[2] / "docs" / "presets.md"
PICTURES = "images/presets"
"""Folder of the learning curves, relative to the document."""

_STEPS = LIMITS.total_timesteps

_INTRODUCTION = f"""\
# Presets and hyperparameters

<!-- Made by `make presets ARGS=--docs-only`. Edit the files in backend/rlviz/learning/presets/files instead. -->

A preset is a starting point: hyperparameters and a training length that work together. Pick one by what matters most
to you; you can change any value in the form. Presets for a specific environment take precedence over general presets.

| preset | id | meant for |
| --- | --- | --- |
| Fast | `fast` | quick results |
| Stable | `stable` | a smooth curve with few setbacks |
| High Score | `high-score` | the best final policy, even if training takes long |

A preset can also set [exploration](exploration.md#presets), which you can change, too.

Hyperparameters that are not in a table of presets have the algorithm's default. The tables of hyperparameters below
list the defaults. Seeds range from 0 to {LIMITS.seed.maximum:,}, training lengths from {_STEPS.minimum} to
{_STEPS.maximum:,} steps.

**Sources.** *RL Zoo* is [RL Baselines3 Zoo](https://github.com/DLR-RM/rl-baselines3-zoo); each preset names the file
with the tuned values. *SB3* is Stable-Baselines3; *ours* are values of this project. Each preset lists the settings
of its source that the app does not support (such as orthogonal initial weights).

**Measured** figures come from `make presets`. Each preset is measured by a separate [experiment](experiments.md),
whose specification is linked below the figures.

- *return*: the interquartile mean over the seeds, with its 95 % bootstrap interval, of the kept policy on new
  episodes. The row *policy kept* says which policy is kept: the best one in the evaluations during training, or the
  last policy if there are no evaluations. Some presets end when the given number of consecutive evaluations reach the
  threshold.
- *held*: the number of seeds whose kept policy reached the reward threshold.
- *solved*: the number of seeds whose kept policy reached the threshold, or that reached it during training: as the
  mean of 100 episodes, or in an evaluation.
- *steps to threshold*: the Kaplan–Meier median, which counts seeds that never reached the threshold as longer.
- *seconds*: CPU time, including the evaluations during training. For the same work, it differs by up to a third
  between measurements.

The curve is the interquartile mean over the seeds with its interval. A changed preset loses its figures until it is
measured again. Evaluations do not change training. If a preset was measured before evaluations were added to it, its
figures stay valid. They describe the last policy, and a note says so.

### Recommended presets

Forms, `POST /runs` and the command line start with the first preset that *works*: the kept policy of at least
{RELIABLE:.0%} of its seeds reached the reward threshold, or, without a threshold, its interval overlaps with that of
the best preset. If no preset works, they start with the best one. In the same way, they choose the first algorithm
whose preset works. Write `recommended` in requests and on the command line to get this choice.

### Evaluations during training

A preset that evaluates its policy during training keeps the best policy. Presets evaluate if this takes at most
{MOST_SHARE:.0%} of the CPU time of training. [`evaluation_cost.py`](../backend/measuring/evaluation_cost.py) measures
the cost in a whole training, or estimates it for evaluations of the maximum length
([figures](../backend/measuring/evaluation_costs.json)). Presets of A2C, TRPO, DQN and QR-DQN, and all MountainCar
presets, evaluate regardless of the cost, because their last policy is often worse than an earlier one. Three kinds of
presets do not evaluate: those for any environment, because the length of episodes is unknown; those of Atari games,
because an episode can last for half an hour; and those of Q-learning, because its last table is as good as any
earlier one.
"""


_RATES_INTRODUCTION = """\
Environment steps per second on one CPU core with the Fast preset of each algorithm, including updates but not
evaluations (`python -m measuring.rates`). The time to measure a preset is estimated as the steps of all seeds of its
specification, divided by this rate. The estimate may be wrong by a factor of two, because some presets update more
often than others.
"""


def write_document() -> None:
    """Write docs/presets.md, draw its pictures, and delete pictures that it no longer shows."""
    _draw_missing()
    text = document()
    DOCUMENT.write_text(text)
    for picture in (DOCUMENT.parent / PICTURES).glob("*.svg"):
        if picture.name not in text:
            picture.unlink()


def _draw_missing() -> None:
    """Draw the curves of presets that have no picture, for instance after their title changed."""
    for file in preset_files():
        for preset in file.preset if file.environment is not None else ():
            environment = ENVIRONMENTS.get(str(file.environment)).resolve(preset.when)
            path = DOCUMENT.parent / PICTURES / curve_name(preset, environment)
            curve = known_curves().get(figures_key(preset, environment.id))
            if curve is not None and not path.exists():
                path.write_text(draw(curve, environment.reward_threshold))


def document() -> str:
    """Return the whole text of docs/presets.md."""
    parts = [_INTRODUCTION, *_environments(), *_anywhere(), *comparisons(), *_rates(), *_hyperparameters()]
    return "\n".join(parts).rstrip() + "\n"


def _environments() -> Iterator[str]:
    own = {file.environment: file.preset for file in preset_files() if file.environment is not None}
    for environment in ENVIRONMENTS:
        for algorithm in ALGORITHMS:
            presets = [preset for preset in own.get(environment.id, ()) if preset.algorithm == algorithm.id]
            yield from _section(algorithm, presets, environment.name, environment)


def _anywhere() -> Iterator[str]:
    for algorithm in ALGORITHMS:
        presets = [
            preset
            for file in preset_files()
            if file.environment is None
            for preset in file.preset
            if preset.algorithm == algorithm.id
        ]
        yield from _section(algorithm, presets, ANYWHERE, None)


def _section(algorithm: Algorithm, presets: list[Preset], place: str, environment: Environment | None) -> Iterator[str]:
    if not presets:
        return
    yield f"## {algorithm.name} on {place}\n"
    for preset in presets:
        yield f"- **{_title(preset)}** (`{preset.id}`): {preset.summary} {preset.tradeoff} *Source: {preset.source}.*"
    yield ""
    yield from _values(algorithm, presets)
    yield ""
    if environment is not None:
        yield from _figures(presets, environment)


def _title(preset: Preset) -> str:
    if not preset.when:
        return preset.title
    return f"{preset.title}, {', '.join(f'{name} {show(value)}' for name, value in preset.when.items())}"


def _values(algorithm: Algorithm, presets: list[Preset]) -> Iterator[str]:
    """Yield a table of presets: training length, and every value that differs from the default."""
    names = [name for name in algorithm.hyperparameters.model_fields if any(name in p.hyperparameters for p in presets)]
    defaults = algorithm.hyperparameters.model_validate({})
    yield row("", *map(_title, presets))
    yield row("---", *("---" for _ in presets))
    yield row("timesteps", *(f"{preset.total_timesteps:,}" for preset in presets))
    yield row("policy kept", *map(_kept_policy, presets))
    if any(preset.exploration for preset in presets):
        yield row("[exploration](exploration.md)", *(str(preset.exploration or "none") for preset in presets))
    for name in names:
        yield row(f"`{name}`", *(show(preset.hyperparameters.get(name, getattr(defaults, name))) for preset in presets))


def _kept_policy(preset: Preset) -> str:
    """Describe the policy that is kept at the end and scored."""
    plan = preset.evaluation
    if plan is None or plan.every_steps is None:
        return "the last"
    end = f", until {plan.stop_after} in a row reach the threshold" if plan.stop_after else ""
    return f"the best: {plan.episodes} episodes every {plan.every_steps:,} steps{end}"


def _figures(presets: list[Preset], environment: Environment) -> Iterator[str]:
    found = [(preset, measured(preset, environment.id)) for preset in presets]
    unmeasured = [preset for preset, figures in found if figures is None]
    if len(unmeasured) == len(found):
        yield f"Not measured yet. {_costs(unmeasured, environment)}\n"
        return
    yield row("measured", *FIGURES)
    yield row(*["---"] * (1 + len(FIGURES)))
    for preset, figures in found:
        yield row(
            _title(preset),
            *(figure_cells(figures, environment.reward_threshold) if figures else ("not measured yet", *"–––––")),
        )
    yield ""
    files = sorted({figures.specification for _, figures in found if figures and figures.specification})
    if files:
        yield f"Measured by {', '.join(f'[{name}]({SPECIFICATIONS}/{name})' for name in files)}.\n"
    last = [_title(preset) for preset, figures in found if figures and figures.policy is PolicyChoice.LATEST]
    if last:
        yield f"The figures of {join_words(last)} describe the last policy: they were measured without evaluations.\n"
    sampled = [_title(preset) for preset, figures in found if figures and figures.sampled]
    if sampled:
        yield f"The figures of {join_words(sampled)} describe policies that sample their actions.\n"
    if unmeasured:
        yield f"{_costs(unmeasured, environment)}\n"
    for preset, figures in found:
        name = curve_name(preset, environment)
        if figures and (DOCUMENT.parent / PICTURES / name).exists():
            yield f"![{_title(preset)}: return over steps]({PICTURES}/{name})"
    yield ""


def _costs(presets: list[Preset], environment: Environment) -> str:
    """Estimate how long it takes to measure presets of one environment: steps of all seeds by the measured rate."""
    seeds = max(_seeds(preset, environment.id) for preset in presets)
    costs = []
    for preset in presets:
        rate = known_rates().get(environment.id, {}).get(preset.algorithm)
        cost = "not known" if rate is None else hours(seeds * preset.total_timesteps / rate)
        costs.append(f"{_title(preset)} {cost}")
    return f"Estimated CPU time for {seeds} seed{'' if seeds == 1 else 's'} of each: {'; '.join(costs)}."


def _seeds(preset: Preset, env_id: str) -> int:
    """Return the number of seeds in the specification of a preset."""
    return next(
        len(one.spec.seed_list)
        for one in specifications()
        if one.environment.id == env_id and preset in map(one.preset_of, one.spec.variants)
    )


def _rates() -> Iterator[str]:
    """Yield the table of rates, from which all estimates are made."""
    yield "## Rates\n"
    yield _RATES_INTRODUCTION
    algorithms = [one for one in ALGORITHMS if any(one.id in rates for rates in known_rates().values())]
    yield row("steps/s", *(one.name for one in algorithms))
    yield row("---", *("---:" for _ in algorithms))
    for environment in ENVIRONMENTS:
        rates = known_rates().get(environment.id)
        if rates:
            cells = (f"{rates[one.id]:,.0f}" if one.id in rates else "–" for one in algorithms)
            yield row(environment.name, *cells)
    yield ""


def curve_name(preset: Preset, environment: Environment) -> str:
    """Return a file name such as ``ppo-fast-0f1e2d3c4b5a6978.svg``, which changes with the preset."""
    return f"{preset.algorithm}-{preset.id.value}-{figures_key(preset, environment.id)}.svg"


def _hyperparameters() -> Iterator[str]:
    for algorithm in ALGORITHMS:
        yield f"## Hyperparameters of {algorithm.name}\n"
        yield f"{algorithm.title}. {algorithm.summary} Names are Stable-Baselines3's own.\n"
        yield row("name", "type", "default", "bounds", "what it does")
        yield row(*["---"] * 5)
        fields = view_algorithm(algorithm).hyperparameters
        for field in fields:
            yield _bounds(field)
        yield ""
        yield f"{_default_sources(algorithm, fields)}\n"


def _default_sources(algorithm: Algorithm, fields: list[HyperparameterField]) -> str:
    """Return a sentence on the source of the defaults, with the exceptions."""
    whose = algorithm.hyperparameters.defaults_of
    others: dict[str, list[str]] = {}
    for field in fields:
        if field.source != whose:
            others.setdefault(field.source, []).append(f"`{field.name}`")
    but = "; ".join(f"{', '.join(names)} ({source})" for source, names in others.items())
    return f"Defaults are those of {whose}{f', except {but}' if but else ''}."


def _bounds(field: HyperparameterField) -> str:
    """Return a row such as ``| `gamma` | number | 0.99 | 0 ≤ x ≤ 1 | Discount factor. |``."""
    limits = [(field.minimum, "{:.10g} ≤ x"), (field.exclusive_minimum, "{:.10g} < x")]
    low = next((form.format(limit) for limit, form in limits if limit is not None), "")
    limits = [(field.maximum, " ≤ {:.10g}"), (field.exclusive_maximum, " < {:.10g}")]
    high = next((form.format(limit) for limit, form in limits if limit is not None), "")
    kind = f"{field.type} or null" if field.nullable else field.type
    return row(
        f"`{field.name}`", kind, show(field.default), low + high or ", ".join(field.choices or []) or "–", field.help
    )
