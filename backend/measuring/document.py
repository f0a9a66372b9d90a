"""docs/presets.md, from the preset files, the hyperparameters' schemas and the figures measured."""

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
"""Where the learning curves lie, seen from the document."""

_STEPS = LIMITS.total_timesteps

_INTRODUCTION = f"""\
# Presets and hyperparameters

<!-- Made by `make presets ARGS=--docs-only`. Edit the files in backend/rlviz/learning/presets/files instead. -->

A preset is a starting point: hyperparameters and a training length that work together. Pick one by what matters most;
any value may be changed in the form. Presets of an environment win over those for any environment.

| preset | id | meant for |
| --- | --- | --- |
| Fast | `fast` | seeing something learn soon |
| Stable | `stable` | a smooth curve with few setbacks |
| High Score | `high-score` | the best final policy, however long it takes |

What is not in a table of presets has the algorithm's default, which stands in the table of its hyperparameters below.
Seeds go from 0 to {LIMITS.seed.maximum:,}, training lengths from {_STEPS.minimum} to {_STEPS.maximum:,} steps.

**Sources.** *RL Zoo* is [RL Baselines3 Zoo](https://github.com/DLR-RM/rl-baselines3-zoo), whose files of tuned values
are named; *SB3* is Stable-Baselines3; *ours* are values of this project. What a source has and this product has not
(such as orthogonal initial weights) is said.

**Measured** figures come from `make presets`: each preset by an [experiment](experiments.md) of its own, from a
specification that stands beside the figures. The return is that of the policy that the preset keeps, on fresh episodes,
as the interquartile mean over the seeds with its 95 % bootstrap interval. The row *policy kept* says which that is: the
best of the evaluations along the way where a preset has any, and the last one otherwise; where so many evaluations in a
row reach the reward threshold, some presets end. A seed has held it when the policy that was kept reached the reward
threshold; and solved it when that policy did, or when the run counts as solved: 100 episodes of training on average, or
a greedy evaluation, reached it. Steps to the threshold are the median by Kaplan and Meier, in
which seeds that never got there count as taking longer; seconds are processor time, evaluations along the way included.
The curve is the interquartile mean over the seeds with its interval. A preset that is changed loses its figures until
they are measured again. Evaluations change nothing about training: a preset that was measured before it had any keeps
its figures, which are those of its last policies, and says so. Processor seconds of the same work differ by up to a
third from one measurement to another.

### Which one to begin with

Forms, `POST /runs` and the command line begin with the preset that *works* by these figures: at least {RELIABLE:.0%} of
its seeds held the reward threshold; where there is no threshold, its interval overlaps with that of the best one. Of
several that work it is the first, and where none works the best. Likewise with the algorithm: the first whose preset
works. `recommended` stands for it in requests and on the command line.

### Evaluations while training

A preset that evaluates its policy while it trains keeps the best one. Presets do so where it costs at most
{MOST_SHARE:.0%} of the processor time of training. [`evaluation_cost.py`](../backend/measuring/evaluation_cost.py)
measures that in a whole training, or estimates it as if every evaluation were as long as the environment allows
([figures](../backend/measuring/evaluation_costs.json)). Presets of A2C, TRPO, DQN and QR-DQN, and those of MountainCar,
evaluate whatever it costs, since their last policy is often worse than an earlier one. Presets for any environment make
no evaluations, since the length of its episodes is not known; nor do those of Atari games, whose episodes may last for
half an hour, and those of Q-learning, whose last table is as good as any before.
"""


_RATES_INTRODUCTION = """\
Environment steps a second of one processor core with the Fast preset of each algorithm, updates included and
evaluations not (`python -m measuring.rates`). What a preset that was not measured would take is its steps, of all seeds
of its specification, divided by this: good to a factor of two, since other presets update more or less often.
"""


def write_document() -> None:
    """Write docs/presets.md, draw the pictures that it shows, and delete those that it shows no more."""
    _draw_missing()
    text = document()
    DOCUMENT.write_text(text)
    for picture in (DOCUMENT.parent / PICTURES).glob("*.svg"):
        if picture.name not in text:
            picture.unlink()


def _draw_missing() -> None:
    """Draw the curves of presets whose picture is not there, as after a preset got another title."""
    for file in preset_files():
        for preset in file.preset if file.environment is not None else ():
            environment = ENVIRONMENTS.get(str(file.environment)).resolve(preset.when)
            path = DOCUMENT.parent / PICTURES / curve_name(preset, environment)
            curve = known_curves().get(figures_key(preset, environment.id))
            if curve is not None and not path.exists():
                path.write_text(draw(curve, environment.reward_threshold))


def document() -> str:
    """The whole text of docs/presets.md."""
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
    """The presets side by side: training length, and every value that differs from the default."""
    names = [name for name in algorithm.hyperparameters.model_fields if any(name in p.hyperparameters for p in presets)]
    defaults = algorithm.hyperparameters.model_validate({})
    yield row("", *map(_title, presets))
    yield row("---", *("---" for _ in presets))
    yield row("timesteps", *(f"{preset.total_timesteps:,}" for preset in presets))
    yield row("policy kept", *map(_kept_policy, presets))
    for name in names:
        yield row(f"`{name}`", *(show(preset.hyperparameters.get(name, getattr(defaults, name))) for preset in presets))


def _kept_policy(preset: Preset) -> str:
    """Which policy is there at the end, and is scored where the best is asked for."""
    plan = preset.evaluation
    if plan is None or plan.every_steps is None:
        return "the last"
    end = f", until {plan.stop_after} reach the threshold" if plan.stop_after else ""
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
        yield f"Figures of {join_words(last)} are those of the last policies: they were measured without evaluations.\n"
    if unmeasured:
        yield f"{_costs(unmeasured, environment)}\n"
    for preset, figures in found:
        name = curve_name(preset, environment)
        if figures and (DOCUMENT.parent / PICTURES / name).exists():
            yield f"![{_title(preset)}: return over steps]({PICTURES}/{name})"
    yield ""


def _costs(presets: list[Preset], environment: Environment) -> str:
    """About how long it would take to measure them, all of one environment: steps of all seeds by the rate that was
    measured."""
    seeds = max(_seeds(preset, environment.id) for preset in presets)
    costs = []
    for preset in presets:
        rate = known_rates().get(environment.id, {}).get(preset.algorithm)
        cost = "not known" if rate is None else hours(seeds * preset.total_timesteps / rate)
        costs.append(f"{_title(preset)} {cost}")
    return f"{seeds} seed{'' if seeds == 1 else 's'} of each would take one core about: {'; '.join(costs)}."


def _seeds(preset: Preset, env_id: str) -> int:
    """With how many its specification measures it."""
    return next(
        len(one.spec.seed_list)
        for one in specifications()
        if one.environment.id == env_id and preset in map(one.preset_of, one.spec.variants)
    )


def _rates() -> Iterator[str]:
    """The one table that all estimates are made from."""
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
    """For instance ``ppo-fast-0f1e2d3c4b5a6978.svg``: a changed preset has another."""
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
    """Whose defaults these are, and which are not."""
    whose = algorithm.hyperparameters.defaults_of
    others: dict[str, list[str]] = {}
    for field in fields:
        if field.source != whose:
            others.setdefault(field.source, []).append(f"`{field.name}`")
    but = "; ".join(f"{', '.join(names)} ({source})" for source, names in others.items())
    return f"Defaults are those of {whose}{f', but for {but}' if but else ''}."


def _bounds(field: HyperparameterField) -> str:
    """For instance ``| `gamma` | number | 0.99 | 0 ≤ x ≤ 1 | Discount factor. |``."""
    limits = [(field.minimum, "{:.10g} ≤ x"), (field.exclusive_minimum, "{:.10g} < x")]
    low = next((form.format(limit) for limit, form in limits if limit is not None), "")
    limits = [(field.maximum, " ≤ {:.10g}"), (field.exclusive_maximum, " < {:.10g}")]
    high = next((form.format(limit) for limit, form in limits if limit is not None), "")
    kind = f"{field.type} or null" if field.nullable else field.type
    return row(
        f"`{field.name}`", kind, show(field.default), low + high or ", ".join(field.choices or []) or "–", field.help
    )
