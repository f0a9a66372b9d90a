"""Turn a request for a run into its complete, validated configuration.

``resolve_config`` fills in defaults from the preset, and checks environment, hyperparameters, evaluation, rules and
memory. Errors name the field of the request.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from pydantic import JsonValue, ValidationError

from rlviz.domain.byte_text import byte_text
from rlviz.domain.config import (
    CheckpointPlan,
    EvaluationPlan,
    ExplorationPlan,
    RunActor,
    RunConfig,
    SnapshotPlan,
    actor_of,
)
from rlviz.domain.environment import CustomEnvironment
from rlviz.domain.errors import FieldError, InvalidRequest, UnknownName, pointer_to, validation_text
from rlviz.domain.ids import new_run_id, utc
from rlviz.domain.limits import DEFAULT_FILM, DEFAULT_SNAPSHOT_BYTES, MAX_TIMESTEPS
from rlviz.domain.metrics import EVAL_EP_LENGTH, EVAL_REWARD, EVAL_REWARD_STD
from rlviz.domain.presets import OwnPreset, PresetId
from rlviz.domain.recommended import RECOMMENDED
from rlviz.domain.reward_components import find_component
from rlviz.domain.reward_plan import RewardPlan
from rlviz.domain.rules import Evaluate, RollBack, Rule, ScaleKnob, SetKnob
from rlviz.domain.spaces import Space
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.base import LOGGED, Algorithm, Hyperparameters, Layout, MemoryNeed
from rlviz.learning.algorithms.knobs import check_changes
from rlviz.learning.algorithms.random_actions import RANDOM, RANDOM_TIMESTEPS
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment
from rlviz.learning.environments.custom import custom_environment
from rlviz.learning.exploration.memory import ExplorationMemory
from rlviz.learning.presets.catalog import preset_for
from rlviz.learning.presets.recommended import recommended_algorithm, recommended_preset
from rlviz.provenance import git_revision, package_versions

_EVALUATION = (EVAL_REWARD, EVAL_REWARD_STD, EVAL_EP_LENGTH)


def check_rules(
    rules: Sequence[Rule],
    algorithm: Algorithm,
    hyperparameters: Mapping[str, JsonValue],
    evaluation: EvaluationPlan,
    at: str = "/rules",
) -> None:
    """Check that a run logs the metrics and has the knobs and actions that ``rules`` name.

    ``at`` is the JSON pointer of the rules in the request. Raises UnknownName, with the closest known name, or
    InvalidRequest.
    """
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
                    pointer, f"{name} is logged only by runs that are evaluated during training. Turn evaluation on."
                )
            raise UnknownName(f"metric of {algorithm.name}", name, known, pointer)
        for number, action in enumerate(rule.do):
            pointer = f"{at}/{index}/do/{number}"
            if isinstance(action, SetKnob | ScaleKnob):
                check_changes(algorithm, hyperparameters, [(pointer, action)])
            elif isinstance(action, Evaluate) and not evaluates:
                raise InvalidRequest.field(
                    pointer, "A rule can evaluate only a run that is evaluated during training. Turn evaluation on."
                )
            elif isinstance(action, RollBack) and action.to == "best" and not evaluates:
                raise InvalidRequest.field(
                    pointer,
                    "The best policy is known only if the run is evaluated during training. Turn evaluation on.",
                )


def metrics_of(algorithm: Algorithm, *, evaluates: bool) -> list[str]:
    """Return the metrics that rules can use."""
    return [*LOGGED, *algorithm.metrics, *(_EVALUATION if evaluates else ())]


DEFAULT_ENVIRONMENT = "CartPole-v1"
DRAWN_SEEDS = 1_000_000
"""Upper bound of random seeds, so that they are easy to read and type."""


@dataclass(frozen=True)
class NewRun:
    """A request to create a run. ``algo`` and ``preset`` may be RECOMMENDED.

    None selects the preset's value, a random seed, the default snapshot plan, and for ``anatomy`` (the record of
    updates) on unless observations are pictures. A plan of exploration with nothing on means none.
    """

    algo: str
    env_id: str = DEFAULT_ENVIRONMENT
    preset: str | None = RECOMMENDED
    seed: int | None = None
    total_timesteps: int | None = None
    name: str | None = None
    env_options: Mapping[str, JsonValue] = field(default_factory=dict)
    hyperparameters: Mapping[str, JsonValue] = field(default_factory=dict)
    evaluation: EvaluationPlan | None = None
    snapshots: SnapshotPlan | None = None
    anatomy: bool | None = None
    exploration: ExplorationPlan | None = None
    reward: RewardPlan | None = None
    rules: Sequence[Rule] = ()


def resolve_config(
    new: NewRun,
    now: float,
    find: Callable[[str], Environment] = ENVIRONMENTS.get,
    *,
    own_presets: Sequence[OwnPreset] = (),
    memory_limit: int | None = None,
    memory_per_worker: int | None = None,
    keep_film: int = DEFAULT_FILM,
    snapshot_bytes: int = DEFAULT_SNAPSHOT_BYTES,
) -> RunConfig:
    """Return the complete configuration for a request.

    Args:
        new: The request.
        now: Unix seconds, for the run's id and creation time.
        find: Looks up an environment by its id.
        own_presets: The user's presets.
        memory_limit: The service's limit on a run's buffers, in bytes.
        memory_per_worker: The request's own limit on buffers, in bytes.
        keep_film: Number of policies kept for the filmstrip.
        snapshot_bytes: Total size of snapshots, unless the plan gives one.

    Raises InvalidRequest, naming each bad field, or UnknownName.
    """
    if new.algo != RECOMMENDED:
        algorithm = _algorithm(new.algo)
    environment = find(new.env_id).resolve(new.env_options)
    if new.algo == RECOMMENDED:
        algorithm = _recommended_for(environment)
    learns = algorithm is not RANDOM
    if environment.hint is not None:
        raise InvalidRequest.field("/env_id", f"{environment.id} cannot be used here. {environment.hint}")
    algorithm.check_spaces(environment.id, environment.observation_space.kind, environment.action_space.kind)
    algorithm.check_bounds(environment.id, environment.action_space)
    preset = None
    if new.preset is not None and learns:
        wanted_preset = recommended_preset_of(algorithm.id, environment) if new.preset == RECOMMENDED else new.preset
        preset = preset_for(wanted_preset, algorithm.id, environment.id, environment.chosen, own_presets)
    total = new.total_timesteps
    if total is None and not learns:
        total = RANDOM_TIMESTEPS
    if total is None:
        if preset is None:
            raise InvalidRequest.field("/total_timesteps", "Give total_timesteps, or a preset that sets it.")
        total = preset.total_timesteps
    evaluation = _evaluation(new.evaluation, preset.evaluation if preset else None)
    check_evaluation(evaluation, environment, learns=learns)
    explores = new.exploration if new.exploration is not None else preset.exploration if preset else None
    exploration = explores if explores is not None and explores.is_on else None
    check_exploration(exploration, environment, algorithm)
    reward = new.reward if new.reward is not None and new.reward.is_on else None
    check_reward(reward, environment, learns=learns)
    wanted = {**(preset.hyperparameters if preset else {}), **new.hyperparameters}
    hyperparameters = algorithm.validate(wanted, total, (environment.observation_space, environment.action_space))
    check_single(environment, hyperparameters, evaluation)
    check_imitation(exploration, hyperparameters)
    check_rules(new.rules, algorithm, hyperparameters.model_dump(), evaluation)
    if memory_per_worker is not None:
        check_memory(algorithm, hyperparameters, environment, memory_per_worker, exploration, is_own=True)
    if memory_limit is not None:
        check_memory(algorithm, hyperparameters, environment, memory_limit, exploration)
    instant = utc(now)
    run_id = new_run_id(algorithm.id, environment.id, instant)
    try:
        return RunConfig(
            run_id=run_id,
            name=new.name.strip() if new.name is not None else f"{algorithm.name} on {environment.name}",
            created_at=instant,
            actor=actor_of(algorithm.id),
            algo=algorithm.id,
            env_id=environment.id,
            env_options=environment.chosen,
            custom_environment=environment.custom,
            preset=str(preset.id) if preset else None,
            seed=secrets.randbelow(DRAWN_SEEDS) if new.seed is None else new.seed,
            total_timesteps=total,
            hyperparameters=hyperparameters.model_dump(),
            checkpoints=CheckpointPlan(film=keep_film if learns else 0),
            evaluation=evaluation,
            rules=tuple(new.rules),
            snapshots=(new.snapshots or SnapshotPlan()).within(snapshot_bytes),
            anatomy=learns and (not environment.observation_space.is_picture if new.anatomy is None else new.anatomy),
            exploration=exploration,
            reward=reward,
            versions=package_versions(),
            git_revision=git_revision(),
        )
    except ValidationError as error:
        fields = [FieldError(pointer_to(*item["loc"]), validation_text(item)) for item in error.errors()]
        raise InvalidRequest("; ".join(f"{f.pointer}: {f.detail}" for f in fields), fields) from error


def _evaluation(given: EvaluationPlan | None, usual: EvaluationPlan | None) -> EvaluationPlan:
    """Return the plan of a run, with actions chosen as in the plan of its preset unless the request says how."""
    if given is None:
        return usual or EvaluationPlan()
    if usual is None or given.deterministic is not None:
        return given
    return given.model_copy(update={"deterministic": usual.deterministic})


def played_config(
    env_id: str,
    env_options: Mapping[str, JsonValue],
    custom: CustomEnvironment | None,
    *,
    seed: int,
    now: float,
) -> RunConfig:
    """Return the configuration of a run in which a person plays. ``seed`` is the seed of its first episode."""
    instant = utc(now)
    name = custom_environment(env_id, custom).name if custom is not None else ENVIRONMENTS.get(env_id).name
    return RunConfig(
        run_id=new_run_id(RunActor.HUMAN.value, env_id, instant),
        name=f"Human on {name}",
        created_at=instant,
        actor=RunActor.HUMAN,
        algo=RunActor.HUMAN.value,
        env_id=env_id,
        env_options=dict(env_options),
        custom_environment=custom,
        preset=None,
        seed=seed,
        total_timesteps=MAX_TIMESTEPS,
        hyperparameters={},
        checkpoints=CheckpointPlan(film=0),
        versions=package_versions(),
        git_revision=git_revision(),
    )


def recommended_preset_of(algorithm: str, environment: Environment) -> PresetId:
    """Return the recommended preset of an algorithm for ``environment`` with its chosen options."""
    return recommended_preset(algorithm, environment.id, environment.chosen, environment.reward_threshold)


def recommended_algorithm_of(environment: Environment) -> str | None:
    """Return the id of the recommended algorithm for ``environment``; None if none can train there."""
    suited = [algorithm.id for algorithm in ALGORITHMS if environment.suits(algorithm)]
    return recommended_algorithm(suited, environment.id, environment.chosen, environment.reward_threshold)


def _recommended_for(environment: Environment) -> Algorithm:
    """Return the recommended algorithm. Raises InvalidRequest if none can train there."""
    found = recommended_algorithm_of(environment)
    if found is None:
        raise InvalidRequest.field("/algo", f"No algorithm can train on {environment.id}.")
    return ALGORITHMS.get(found)


def _algorithm(name: str) -> Algorithm:
    """Look up an algorithm. Raises InvalidRequest or UnknownName."""
    if name == RunActor.HUMAN:
        raise InvalidRequest.field("/algo", "Episodes that you play on the Play page become a run automatically.")
    return RANDOM if name == RANDOM.id else ALGORITHMS.get(name)


def check_evaluation(plan: EvaluationPlan, environment: Environment, *, learns: bool = True) -> None:
    """Raise InvalidRequest if there is no policy to evaluate, or if early stopping could never happen."""
    if plan.every_steps is not None and not learns:
        raise InvalidRequest.field("/evaluation/every_steps", "Random actions have no policy. Leave evaluation out.")
    if plan.stop_after is None:
        return
    if plan.every_steps is None:
        raise InvalidRequest.field("/evaluation/stop_after", "Early stopping needs evaluations. Give every_steps too.")
    if environment.reward_threshold is None:
        raise InvalidRequest.field(
            "/evaluation/stop_after",
            f"{environment.id} has no reward threshold. Leave stop_after at null.",
        )


def check_exploration(plan: ExplorationPlan | None, environment: Environment, algorithm: Algorithm) -> None:
    """Raise InvalidRequest if the algorithm cannot follow the plan, or the environment does not have its cells."""
    if plan is None:
        return
    if algorithm is RANDOM:
        raise InvalidRequest.field("/exploration", "Random actions learn nothing. Leave exploration out.")
    check_imitates(plan, algorithm)
    if plan.counts_visits and environment.world is None:
        name = next((name for name in ("coverage", "archive") if getattr(plan, name) is not None), "map")
        raise InvalidRequest.field(
            f"/exploration/{name}",
            f"{environment.id} has no cells to visit. Leave {name} out; novelty works in every environment.",
        )
    if plan.start_cell is not None:
        check_start_cell(plan.start_cell, plan.archive, environment, "/exploration/start_cell")


def check_imitates(plan: ExplorationPlan | None, algorithm: Algorithm) -> None:
    """Raise InvalidRequest if the algorithm cannot imitate its best episodes, but the plan says so."""
    if plan is not None and plan.imitation is not None and not algorithm.imitates:
        raise InvalidRequest.field(
            "/exploration/imitation",
            f"{algorithm.name} cannot imitate its best episodes. Leave imitation out, or choose PPO or A2C.",
        )


def check_start_cell(cell: int, archive: float | None, environment: Environment, pointer: str) -> None:
    """Raise InvalidRequest at ``pointer`` if no episode can begin in ``cell`` with the probability ``archive``."""
    world = environment.world
    if world is None or cell >= world.cells:
        cells = "no cells" if world is None else f"{world.cells:,} cells, from 0"
        raise InvalidRequest.field(pointer, f"{environment.id} has {cells}. There is no cell {cell:,}.")
    if (why := world.why_never_begins(cell)) is not None:
        raise InvalidRequest.field(pointer, why)
    if archive is None:
        raise InvalidRequest.field(pointer, "Episodes begin in this cell with the probability `archive`. Give it too.")


def check_imitation(plan: ExplorationPlan | None, values: Hyperparameters) -> None:
    """Raise InvalidRequest if the best episodes cannot be kept as they were seen."""
    if plan is not None and plan.imitation is not None and getattr(values, "normalize_observations", False):
        raise InvalidRequest.field(
            "/exploration/imitation",
            "Imitation keeps observations, whose scale changes while they are normalised. Leave imitation out, or turn "
            "normalize_observations off.",
        )


def check_reward(plan: RewardPlan | None, environment: Environment, *, learns: bool = True) -> None:
    """Raise InvalidRequest if nothing learns from the plan, or if the reward has no such component."""
    if plan is None:
        return
    if not learns:
        raise InvalidRequest.field("/reward", "Random actions learn nothing. Leave reward out.")
    known = environment.reward_components
    if not known:
        raise InvalidRequest.field(
            "/reward", f"The reward of {environment.id} has no components that could be weighted. Leave reward out."
        )
    for part, names in (("weights", plan.weights), ("caps", plan.caps)):
        for name in names:
            pointer = pointer_to("reward", part, name)
            if name not in known and not find_component(name).of_environment:
                raise InvalidRequest.field(
                    pointer,
                    f"{name!r} is added by training. Only components of {environment.id} have weights and caps.",
                )
            if name not in known:
                raise UnknownName(f"component of {environment.id}", name, known, pointer)


def check_single(environment: Environment, values: Hyperparameters, plan: EvaluationPlan) -> None:
    """Raise InvalidRequest if a run would create a second instance of an environment that allows only one."""
    if environment.custom is None or not environment.custom.is_single:
        return
    why = f"Only one instance of {environment.id} can exist at a time."
    if values.environments > 1:
        raise InvalidRequest.field("/hyperparameters/n_envs", f"{why} Use 1.")
    if plan.every_steps is not None:
        raise InvalidRequest.field(
            "/evaluation/every_steps", f"{why} Turn evaluation during training off, and evaluate afterwards."
        )


@dataclass(frozen=True)
class MemoryEstimate:
    """What the buffers and the exploration of a run need once they are full, beside the memory that is free now."""

    need: MemoryNeed
    text: str
    """What the largest buffer is: ``buffer_size 100,000``, or ``The table of Q-learning``."""
    exploration: ExplorationMemory
    free: int

    @property
    def bytes(self) -> int:
        return self.need.bytes + self.exploration.bytes

    @property
    def warning(self) -> str | None:
        """A sentence if they need more than is free."""
        if self.bytes <= self.free:
            return None
        free = f"{byte_text(self.free)} of memory are free."
        optional = _exploration_parts(self.exploration)
        if optional:
            needs = f"The run needs {_sizes(self.text, self.need, self.exploration)}; {free}"
            remedy = f"Use a smaller buffer, leave out {' or '.join(optional)}"
        else:
            needs, remedy = f"{self.text} needs about {byte_text(self.bytes)}, and {free}", "Use a smaller buffer"
        return f"{needs} {remedy}, or end other programs: once memory is full, the system ends one of them."


def estimate_memory(config: RunConfig, environment: Environment, free: int) -> MemoryEstimate:
    """Return what a run needs besides its libraries, networks and environments. ``free``: bytes of memory."""
    algorithm = _algorithm(config.algo)
    values = algorithm.validate(config.hyperparameters, config.total_timesteps)
    need = memory_need(values, environment)
    exploration = exploration_memory(config.exploration, values, environment)
    return MemoryEstimate(need, _needing(algorithm, need), exploration, free)


def memory_need(values: Hyperparameters, environment: Environment) -> MemoryNeed:
    """Return the memory of the largest buffer of a run in ``environment``."""
    return values.memory(_layout(environment.observation_space), _layout(environment.action_space))


def exploration_memory(
    plan: ExplorationPlan | None, values: Hyperparameters, environment: Environment
) -> ExplorationMemory:
    """Return the memory of the archive and of self-imitation of a run in ``environment``."""
    observation, action = _layout(environment.observation_space), _layout(environment.action_space)
    return ExplorationMemory.of_run(plan, environment, values, observation, action)


def _needing(algorithm: Algorithm, need: MemoryNeed) -> str:
    return f"{need.field} {need.value:,}" if need.field is not None else f"The table of {algorithm.name}"


def _exploration_parts(memory: ExplorationMemory) -> dict[str, int]:
    """Return the bytes of each part that needs memory, by its field of the plan."""
    return {name: size for name, size in (("archive", memory.archive), ("imitation", memory.imitation)) if size}


def _sizes(text: str, need: MemoryNeed, exploration: ExplorationMemory) -> str:
    """Return what a run with exploration needs: ``about 70 MB: 6 MB for n_steps 2,048 and 64 MB for archive``."""
    sizes = {text[0].lower() + text[1:]: need.bytes, **_exploration_parts(exploration)}
    *others, last = [f"{byte_text(size)} for {what}" for what, size in sizes.items()]
    return f"about {byte_text(need.bytes + exploration.bytes)}: {', '.join(others)} and {last}"


MEMORY_PER_WORKER = "/memory_per_worker"
"""JSON pointer of the request's own limit."""


def check_memory(
    algorithm: Algorithm,
    values: Hyperparameters,
    environment: Environment,
    limit: int,
    plan: ExplorationPlan | None = None,
    *,
    is_own: bool = False,
) -> None:
    """Raise InvalidRequest, with values that fit, if the buffers and exploration of a run exceed ``limit`` bytes.

    ``is_own``: the limit is the request's ``memory_per_worker``; the message then names that field.
    """
    need, exploration = memory_need(values, environment), exploration_memory(plan, values, environment)
    if need.bytes + exploration.bytes <= limit:
        return
    what = _needing(algorithm, need)
    if need.bytes > limit:
        pointer = pointer_to("hyperparameters", need.field) if need.field is not None else "/algo"
        of = _observations(environment.observation_space, need)
        needs = f"{what} would need about {byte_text(need.bytes)} for {of}"
        remedy = _remedy(need, values, limit)
    else:
        optional = _exploration_parts(exploration)
        pointer = pointer_to("exploration", next(iter(optional)))
        needs = f"The run would need {_sizes(what, need, exploration)}"
        remedy = f"Leave out {' or '.join(optional)}."
    if is_own:
        otherwise = remedy[0].lower() + remedy[1:]
        raise InvalidRequest.field(
            MEMORY_PER_WORKER,
            f"{needs}; memory_per_worker allows {byte_text(limit)}. Raise it, or {otherwise}",
        )
    raise InvalidRequest.field(
        pointer, f"{needs}; a run may have at most {byte_text(limit)} here (RLVIZ_MEMORY_LIMIT). {remedy}"
    )


def _layout(space: Space) -> Layout:
    if space.kind == "Discrete":
        return Layout((1,), np.dtype("int64").itemsize, space.n or 0)
    return Layout(space.shape, np.dtype(space.dtype).itemsize, space.n or 0)


def _observations(space: Space, need: MemoryNeed) -> str:
    if space.kind == "Discrete" or need.field is None:
        return f"{space.n:,} states"
    dimensions = "×".join(map(str, space.shape))
    return f"{dimensions} frames" if len(space.shape) == 3 else f"observations of {dimensions} numbers"


def _remedy(need: MemoryNeed, values: Hyperparameters, limit: int) -> str:
    if need.field is None:
        return "Choose an algorithm with a network instead of a table."
    remedy = f"Use at most {need.largest(limit):,}"
    others = {"n_steps": " or fewer environments (n_envs)"}
    if need.field == "buffer_size" and getattr(values, "optimize_memory_usage", True) is False:
        return f"{remedy}, or store each observation once (optimize_memory_usage)."
    return f"{remedy}{others.get(need.field, '')}."
