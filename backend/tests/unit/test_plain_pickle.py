"""Loading policies of built-in environments runs no code from their files."""

from __future__ import annotations

import base64
import io
import json
import pickle
import zipfile
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from stable_baselines3 import PPO

from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.plain_pickle import NotPlain, load_plain
from rlviz.learning.algorithms.policy import read_policy, save_weights
from tests.support.cases import cases

RAN: list[object] = []


def run(what: str) -> None:
    RAN.append(what)


class Evil:
    """Runs code when it is unpickled."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return run, ("it ran",)


class Sly(Evil):
    """Runs code by way of an allowed name."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return partial, (print, "it ran")


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    RAN.clear()


@cases(
    "content",
    [
        pickle.dumps(Evil()),
        pickle.dumps(Sly()),
        pickle.dumps(OrderedDict(a=[{"b": Evil()}])),
        b"cos\nsystem\n(S'true'\ntR.",
        b"c__builtin__\neval\n(S'1'\ntR.",
        b"cbuiltins\ngetattr\n.",
        b"cnumpy\nload\n.",
        b"crlviz.algorithms.weights\npickle.loads\n.",
        b"\x80\x04\x8c\x18rlviz.algorithms.weights\x8c\x0cpickle.loads\x93.",
        b"cnumpy.core\nmultiarray.os\n.",
        b"Pplace\n.",
    ],
)
def test_a_pickle_that_names_a_forbidden_object_is_refused(content: bytes) -> None:
    with pytest.raises(NotPlain):
        load_plain(content)
    assert RAN == []


def test_the_parts_of_a_policy_are_restored() -> None:
    space = gym.spaces.Box(-1.0, 1.0, (3,), seed=5)
    found = load_plain(pickle.dumps((space, {"net_arch": [64, 64]}, np.arange(4.0), np.float32(2), {1, 2})))
    assert found[0] == space
    assert found[0].sample().tolist() == space.sample().tolist(), "the generator too"
    assert (found[1], found[2].tolist(), found[3], found[4]) == ({"net_arch": [64, 64]}, [0, 1, 2, 3], 2, {1, 2})


@pytest.fixture(scope="module")
def model() -> PPO:
    return PPO("MlpPolicy", "CartPole-v1", n_steps=8, batch_size=8, policy_kwargs={"net_arch": [4]}, device="cpu")


def changed(file: io.BytesIO, member: str, content: bytes) -> io.BytesIO:
    """Return the zip archive with another member of that name."""
    with zipfile.ZipFile(file) as archive:
        members = {name: archive.read(name) for name in archive.namelist()} | {member: content}
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        for name, held in members.items():
            archive.writestr(name, held)
    found.seek(0)
    return found


@pytest.mark.parametrize("member", ["architecture.pkl", "exploration.pkl"])
def test_weights_that_name_a_forbidden_object_are_not_read(model: PPO, member: str) -> None:
    file = io.BytesIO()
    save_weights(model, file)
    with pytest.raises(NotPlain):
        read_policy(ALGORITHMS.get("ppo"), changed(file, member, pickle.dumps(Evil())))
    assert RAN == []


@pytest.mark.parametrize("name", ["observation_space", "policy_class", "something_else"])
def test_a_complete_model_that_names_a_forbidden_object_is_not_read(model: PPO, name: str) -> None:
    file = io.BytesIO()
    model.save(file)
    with zipfile.ZipFile(file) as archive:
        attributes = json.loads(archive.read("data"))
    attributes[name] = {":type:": "x", ":serialized:": base64.b64encode(pickle.dumps(Evil())).decode()}
    with pytest.raises(NotPlain):
        read_policy(ALGORITHMS.get("ppo"), changed(file, "data", json.dumps(attributes).encode()))
    assert RAN == []


@pytest.mark.parametrize("name", ["learning_rate", "clip_range"])
def test_objects_needed_only_for_training_are_replaced_by_stand_ins(model: PPO, name: str) -> None:
    """Earlier versions of the library pickled functions with their code there."""
    file = io.BytesIO()
    model.save(file)
    with zipfile.ZipFile(file) as archive:
        attributes = json.loads(archive.read("data"))
    attributes[name] = {":type:": "x", ":serialized:": base64.b64encode(pickle.dumps(Evil())).decode()}
    policy = read_policy(ALGORITHMS.get("ppo"), changed(file, "data", json.dumps(attributes).encode()))
    assert policy.predict(np.zeros((1, 4), np.float32), deterministic=True)[0].shape == (1,)
    assert RAN == []


def test_tensors_that_are_pickles_of_forbidden_objects_are_not_read(model: PPO) -> None:
    for save, member in ((partial(save_weights, model), "weights.pth"), (model.save, "policy.pth")):
        file = io.BytesIO()
        save(file)
        with pytest.raises((pickle.UnpicklingError, RuntimeError)):
            read_policy(ALGORITHMS.get("ppo"), changed(file, member, pickle.dumps(Evil(), 2)))
        assert RAN == []


def test_a_policy_of_a_user_environment_may_name_its_classes(model: PPO) -> None:
    file = io.BytesIO()
    save_weights(model, file)
    with pytest.raises((ValueError, TypeError)):  # the class is not one of a policy
        read_policy(
            ALGORITHMS.get("ppo"), changed(file, "architecture.pkl", pickle.dumps(Evil())), own_environment=True
        )
    assert RAN == ["it ran"]
