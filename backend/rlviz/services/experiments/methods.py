"""Methods: which variants of an experiment train the same on different environments; and what it is called by them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from rlviz.algorithms import ALGORITHMS
from rlviz.analysis.numbers import listed
from rlviz.domain.experiments import ExperimentSpec, RunSpec
from rlviz.domain.limits import LIMITS

_BESIDE = {"on", "in", "at", "for", "with", "and", "–", "-", "·", "|", "/"}
"""Words that lead to the name of an environment, or stand between it and the rest."""


def methods_of(labels: Mapping[str, str], run_specs: Mapping[str, RunSpec]) -> dict[str, str]:
    """By variant, what its method is called: variants are of one method if they differ in the environment and its
    options alone, or in how long they train there too. Of several that train the same in one place, the first is of
    one method with the first of the other places, the second with the second.

    The name is what the names of its variants have in common: “PPO” of “PPO on CartPole” and “PPO on Acrobot”. Where
    that is nothing, or what another method has in common too, it is all of their names: “first and second”.
    """
    keys = {variant: _without(run_specs[variant], "env_id", "env_options", "total_timesteps") for variant in labels}
    places = [(keys[variant], _only(run_specs[variant], "env_id", "env_options")) for variant in labels]
    if len(set(places)) < len(places):  # some differ in their length alone: then that is what is compared
        keys = {variant: _without(run_specs[variant], "env_id", "env_options") for variant in labels}
    seen: Counter[tuple[str, str]] = Counter()
    for variant, (_, place) in zip(labels, places, strict=True):
        alike = (keys[variant], place)
        keys[variant] += f" {seen[alike]}"
        seen[alike] += 1
    found: dict[str, str] = {}
    for _, group in groupby(sorted(labels, key=keys.__getitem__), keys.__getitem__):
        ours = sorted(group, key=list(labels).index)
        found |= dict.fromkeys(ours, _in_common([labels[variant] for variant in ours]))
    return _told_apart(found, keys, labels)


def name_of(spec: ExperimentSpec) -> str:
    """What an experiment is called that was given no name. Its specification has been resolved."""
    if spec.sweep is not None:
        return f"Search for {ALGORITHMS.get(spec.base.algo).name} on {spec.base.env_id}"
    if spec.grid:
        named = f"{', '.join(spec.grid)} of {ALGORITHMS.get(spec.base.algo).name} on {spec.base.env_id}"
        return named[: LIMITS.run_name.maximum]
    run_specs = {f"v{place}": variant.run_spec(spec.base) for place, variant in enumerate(spec.variants)}
    labels = {f"v{place}": variant.name.strip() for place, variant in enumerate(spec.variants)}
    places = list(dict.fromkeys(one.env_id for one in run_specs.values()))
    called = methods_of(labels, run_specs) if len(places) > 1 else labels
    names = dict.fromkeys(called[variant] for variant in labels)
    return f"{' or '.join(names)} on {listed(places)}"[: LIMITS.run_name.maximum]


def _without(run_spec: RunSpec, *names: str) -> str:
    return json.dumps(run_spec.model_dump(mode="json", exclude=set(names)), sort_keys=True)


def _only(run_spec: RunSpec, *names: str) -> str:
    return json.dumps(run_spec.model_dump(mode="json", include=set(names)), sort_keys=True)


def _in_common(names: Sequence[str]) -> str:
    """Return the words of the first that all have; all names where that leaves nothing."""
    others = [{word.strip(",:;()").lower() for word in name.split()} for name in names[1:]]
    words = [
        word.strip(",:;()")
        for word in names[0].split()
        if all(word.strip(",:;()").lower() in other for other in others)
    ]
    if len(names) > 1:
        while words and words[-1].lower() in _BESIDE:
            words.pop()
        while words and words[0].lower() in _BESIDE:
            words.pop(0)
    return " ".join(words) if words and len(names) > 1 else _all_of(names)


def _all_of(names: Sequence[str]) -> str:
    """Return a name for several variants that is not that of one of them."""
    whole, most = listed(list(names)), LIMITS.variant_name.maximum
    if len(whole) <= most:
        return whole
    others = f" and {len(names) - 1} more"
    return names[0][: most - len(others)] + others


def _told_apart(names: Mapping[str, str], keys: Mapping[str, str], labels: Mapping[str, str]) -> dict[str, str]:
    """Have methods that would be called the same called by the names of all their variants."""
    methods = {keys[variant]: name for variant, name in names.items()}
    twice = {name for name in methods.values() if list(methods.values()).count(name) > 1}
    whole = {key: _all_of([labels[variant] for variant in labels if keys[variant] == key]) for key in methods}
    return {variant: whole[keys[variant]] if name in twice else name for variant, name in names.items()}
