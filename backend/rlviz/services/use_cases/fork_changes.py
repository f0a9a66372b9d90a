"""What can be changed at a fork, and why the rest cannot."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from pydantic import JsonValue

from rlviz.algorithms import ALGORITHMS
from rlviz.algorithms.base import Algorithm
from rlviz.algorithms.knobs import knobs_of
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import InvalidRequest, pointer_to
from rlviz.domain.knobs import ScaleKnob, SetKnob
from rlviz.domain.rules import Rule
from rlviz.environments.base import Environment


class Effect(StrEnum):
    FITS = "fits"  # training goes on with the new value
    ANEW = "anew"  # training goes on, with environments that begin a new episode
    REFUSED = "refused"


_NETWORK = "The weights of the snapshot are those of another network. Create a new run."
_BUFFER = "The replay buffer of the snapshot was made for the old value. Create a new run."
_STATE = "What the snapshot holds was made with the old value. Create a new run."
_STORED_ONCE = {
    "n_envs": "Each observation of the replay buffer is stored once (optimize_memory_usage): its rows follow one "
    "another in each environment, and cannot be divided among others. Create a new run.",
    "n_steps": "Each observation of the replay buffer is stored once (optimize_memory_usage), and n-step returns need "
    "next observations as well. Create a new run.",
}

_REFUSED: dict[str, str] = {
    **dict.fromkeys(("net_arch", "activation", "n_quantiles", "use_sde"), _NETWORK),
    "optimize_memory_usage": _BUFFER,
    **dict.fromkeys(("normalize_observations", "normalize_rewards"), _STATE),
    **dict.fromkeys(("log_std_init", "initial_value"), "Training only begins with it. Create a new run."),
}

_BEGINS_ANEW: dict[str, str] = {
    "use_rms_prop": "The new optimizer begins without moments.",
    **dict.fromkeys(("action_noise", "action_noise_std"), "The noise begins anew."),
}


@dataclass(frozen=True)
class Change:
    """What becomes of hyperparameter or option ``name`` at a fork; ``why`` not, if it is refused. ``note``: what a
    change brings with it besides, in a sentence."""

    name: str
    effect: Effect
    why: str | None = None
    note: str | None = None


def possible_changes(config: RunConfig) -> list[Change]:
    """Of every hyperparameter; none where nothing learns."""
    if config.algo not in ALGORITHMS.names():
        return []
    return [change_of(name, config) for name in ALGORITHMS.get(config.algo).hyperparameters.model_fields]


def change_of(name: str, config: RunConfig) -> Change:
    """Of one hyperparameter."""
    if name in _REFUSED:
        return Change(name, Effect.REFUSED, _REFUSED[name])
    if name in _STORED_ONCE and config.hyperparameters.get("optimize_memory_usage") is True:
        return Change(name, Effect.REFUSED, _STORED_ONCE[name])
    return Change(name, Effect.ANEW if name == "n_envs" else Effect.FITS, note=_note(name, config))


def _note(name: str, config: RunConfig) -> str | None:
    fields = ALGORITHMS.get(config.algo).hyperparameters.model_fields
    if name == "ent_coef" and name in fields and fields[name].default is None:  # SAC's, which may be tuned
        if config.hyperparameters.get(name) is None:
            return "What it has come to by itself is left behind."
        return "Tuned, it begins with what it is where the fork begins."
    if name == "n_envs" and "buffer_size" in fields and config.hyperparameters.get("n_steps", 1) != 1:
        return "Returns over the transitions that the replay buffer holds are of one step then."
    return _BEGINS_ANEW.get(name)


def check_rules_keep_their_knobs(
    rules: Iterable[Rule], algorithm: Algorithm, hyperparameters: Mapping[str, JsonValue]
) -> None:
    """Raises InvalidRequest where a rule adjusts what a fork with these ``hyperparameters`` would tune by itself."""
    has = knobs_of(algorithm, hyperparameters)
    for number, rule in enumerate(rules, start=1):
        for action in rule.do:
            if isinstance(action, SetKnob | ScaleKnob) and action.knob not in has:
                raise InvalidRequest.field(
                    pointer_to("hyperparameters", action.knob),
                    f"Rule {number} is to {action.words}, and the fork would tune it by itself. Take that rule from "
                    "the run first, or give a number.",
                )


def possible_options(environment: Environment) -> list[Change]:
    """Of every option of the parent's ``environment``. One is refused if whatever else it could be would have the
    environment show or take other things."""
    return [_option(environment, name) for name in type(environment.options).model_fields]


def _option(environment: Environment, name: str) -> Change:
    why = None
    for other in _others(environment, name):
        if (why := other_spaces(environment, other)) is None:
            return Change(name, Effect.ANEW)
    return Change(name, Effect.REFUSED, why or "It has no other value.")


def _others(environment: Environment, name: str) -> Iterator[Environment]:
    """The environment with other values of the option: all, if it has few; the least and the greatest, and those
    beside its own, of a number."""
    now = environment.chosen[name]
    values: list[JsonValue] = list(environment.choices(name))
    if not values and isinstance(now, int | float):
        schema = type(environment.options).model_json_schema()["properties"][name]
        values = [schema.get("minimum"), schema.get("maximum"), now - 1, now + 1, now / 2]
    for value in values:
        if value is not None and value != now:
            try:
                yield environment.resolve({**environment.chosen, name: value})
            except InvalidRequest:  # beyond its bounds
                continue


def with_options(environment: Environment, changes: Mapping[str, JsonValue]) -> Environment:
    """Raises UnknownName, or InvalidRequest for options with which other things are observed or done."""
    changed = environment.resolve({**environment.chosen, **changes})
    if (why := other_spaces(environment, changed)) is not None:
        raise InvalidRequest.field("/env_options", why)
    return changed


def other_spaces(before: Environment, after: Environment) -> str | None:
    """Why a policy for one environment is none for the other, in sentences; None if it is."""
    for what, one, other in (
        ("observations", before.observation_space, after.observation_space),
        ("actions", before.action_space, after.action_space),
    ):
        if one != other:
            return (
                f"The environment would have other {what}, and the weights of the snapshot are those of a network for "
                "the present ones. Create a new run."
            )
    return None
