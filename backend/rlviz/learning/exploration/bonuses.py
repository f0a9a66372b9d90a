"""Adds rewards for exploration to what training learns from, begins episodes in the archive, and counts visits.

``Exploring`` wraps the environments of training, below the normalisation of rewards. So on-policy algorithms compute
their advantages with these rewards, and off-policy ones store them in the replay buffer. Episodes are counted below
it: their returns stay the environment's own. Each bonus is a component of the reward, with metrics of its own.

An episode that began in the archive is no episode of the environment: ``Exploring`` removes it from what the library
and the callback count, and reports it under metrics of its own.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper, unwrap_vec_wrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvStepReturn

from rlviz.domain.config import ExplorationPlan, RunConfig
from rlviz.domain.metrics import ARCHIVE_CELLS, ARCHIVE_LENGTH, ARCHIVE_RETURN, EXPLORED_CELLS, EXPLORED_TOTAL
from rlviz.domain.reward_components import WEIGHTING
from rlviz.domain.visits import EvaluatedPath, archive_weights
from rlviz.learning.environments.cells import CELL, STAGE, World
from rlviz.learning.environments.custom import find_environment
from rlviz.learning.environments.reward_components import COMPONENTS, add_bonus
from rlviz.learning.environments.state import NotCapturable
from rlviz.learning.environments.wrappers import Env
from rlviz.learning.exploration.archive import Archive
from rlviz.learning.exploration.coverage import Visits, coverage_bonus
from rlviz.learning.exploration.novelty import Novelty

EXPLORED = "explored"
"""Key of ``info`` in the last step of an episode: how many cells were explored, by name of the metric.

An episode that began in the archive has its metrics here, and no ``episode`` in its info.
"""

ARCHIVE_TOTAL = "archive_total"
"""Key of ``info`` in the last step of an episode that began in the archive: its return with the way to its cell."""

ARCHIVE_SEED = 1_000
"""Added to the run's seed, so that the archive does not draw the numbers of another generator."""


def add_exploration(environments: VecEnv, config: RunConfig) -> VecEnv:
    """Return ``environments`` with what the run's plan adds; unchanged if that is nothing."""
    plan = config.exploration
    if plan is None or not plan.changes_environments:
        return environments
    world = find_environment(config).world
    return Exploring(environments, plan, world, config.seed, task_of(config, world.stages if world is not None else 1))


def task_of(config: RunConfig, stages: int = 1) -> str:
    """Return what decides the states and returns of the environment. A fork may have other options."""
    return json.dumps([config.env_id, config.env_options, *([stages] if stages > 1 else [])], sort_keys=True)


def episode_lengths(environments: VecEnv) -> list[int]:
    """Return the number of steps in each current episode, as the library's Monitor counts them."""
    return [len(rewards) for rewards in environments.get_attr("rewards")]


def exploration_of(model: BaseAlgorithm) -> Exploring | None:
    """Return the exploration that a model's environments are wrapped in, if there is one."""
    environments = model.get_env()
    return None if environments is None else unwrap_vec_wrapper(environments, Exploring)


class Exploring(VecEnvWrapper):
    """Environments with rewards for coverage and novelty, and an archive. Its state is part of snapshots."""

    def __init__(self, environments: VecEnv, plan: ExplorationPlan, world: World | None, seed: int, task: str) -> None:
        """Wrap ``environments``, whose infos name the cell in ``world``, if it has one and the plan counts visits.

        An archive of another ``task`` is not continued.
        """
        super().__init__(environments)
        count = environments.num_envs
        self._plan, self._task = plan, task
        self.world = world if plan.counts_visits else None
        self.visits = Visits(world.cells, count, world.stages) if world is not None and plan.counts_visits else None
        self._novelty = (
            Novelty(environments.observation_space, count, plan.novelty, seed) if plan.novelty is not None else None
        )
        self._archive = (
            Archive(count, plan.archive, seed + ARCHIVE_SEED, only=_places_to_begin(plan, self.visits))
            if self.visits is not None and plan.archive is not None
            else None
        )
        self.step_count = 0
        """Environment steps since training began."""
        self.path: EvaluatedPath | None = None
        """The path of the newest evaluated policy."""

    @property
    def archived_cells(self) -> dict[int, float]:
        """How often episodes begin in each cell of the archive, relative to each other, by id; empty without one."""
        if self._archive is None or self.visits is None:
            return {}
        found: dict[int, float] = {}
        places = self._archive.places
        for place, weight in zip(places, archive_weights(self.visits.place_steps[places].tolist()), strict=True):
            cell, _ = self.visits.parts_of(place)
            found[cell] = found.get(cell, 0.0) + weight
        return dict(sorted(found.items()))

    def reset(self) -> Any:
        observations = self.venv.reset()
        self.begin_episodes()
        return observations

    def begin_episodes(self) -> None:
        """Begin an episode in each environment, which has just been reset."""
        if self._novelty is not None:
            self._novelty.begin_episodes()
        for index in range(self.num_envs):
            if self.visits is not None:
                self.visits.begin_episode(index, *self._first_place(index))
            if self._archive is not None:
                self._archive.begin_episode(index)

    def step_wait(self) -> VecEnvStepReturn:
        observations: Any
        observations, rewards, dones, infos = self.venv.step_wait()
        self.step_count += self.num_envs
        if self._archive is not None:
            weighted = [info.get(COMPONENTS, {}).get(WEIGHTING, 0.0) for info in infos]
            self._archive.add_step(rewards - np.array(weighted))
        if self.visits is not None:
            self._cover(self.visits, rewards, infos)
        if self._novelty is not None:
            self._seek(self._novelty, observations, rewards, dones, infos)
        for index, info in enumerate(infos):
            if is_last_step(info):
                self._end_episode(index, info)
                self._begin_episode(index, observations)
            elif self._archive is not None and self.visits is not None and info[CELL] is not None:
                env, place = self._environment(index), self.visits.place_of(info[CELL], info[STAGE])
                self._archive.offer(index, place, env, observations[index], self.visits.place_steps)
        return observations, rewards, dones, infos

    def _cover(self, visits: Visits, rewards: Any, infos: list[dict[str, Any]]) -> None:
        weight = self._plan.coverage
        for index, info in enumerate(infos):
            episodes = visits.visit(index, info[CELL], info[STAGE], archived=self._is_archived(index))
            if weight is not None:
                bonus = coverage_bonus(weight, episodes)
                rewards[index] += bonus
                add_bonus(info, "coverage", bonus)
        visits.keep_frame(self.step_count)

    def _seek(self, novelty: Novelty, observations: Any, rewards: Any, dones: Any, infos: list[dict[str, Any]]) -> None:
        reached = observations
        if dones.any():
            reached = observations.copy()
            for done in np.flatnonzero(dones):
                reached[done] = infos[done]["terminal_observation"]
        for index, bonus in enumerate(novelty.rewards(reached).tolist()):
            rewards[index] += bonus
            add_bonus(infos[index], "novelty", bonus)

    def _end_episode(self, index: int, info: dict[str, Any]) -> None:
        """Put the metrics of an episode that has ended into ``info``."""
        archive, visits = self._archive, self.visits
        is_archived = self._is_archived(index)
        counts: dict[str, float] = {}
        if visits is not None:
            counts |= {EXPLORED_CELLS: len(visits.seen[index])} if not is_archived else {}
            counts[EXPLORED_TOTAL] = visits.total
        if archive is not None:
            counts[ARCHIVE_CELLS] = len(self.archived_cells)
        if archive is not None and is_archived:
            info[ARCHIVE_TOTAL] = float(archive.gained[index])
            episode = info.pop("episode")
            info.pop("is_success", None)
            counts |= {ARCHIVE_RETURN: float(episode["r"]), ARCHIVE_LENGTH: int(episode["l"])}
        if counts:
            info[EXPLORED] = counts
        if self._novelty is None:
            return
        if is_archived:
            self._novelty.drop_episode(index)
        else:
            self._novelty.end_episode(index, float(info["episode"]["r"]))

    def _begin_episode(self, index: int, observations: Any) -> None:
        """Begin the next episode in an environment that has been reset, perhaps in the archive.

        Args:
            index: Index of the environment.
            observations: What the agent sees in each environment; the row of an episode in the archive is replaced.
        """
        visits = self.visits
        if visits is None:
            return
        place = None
        if self._archive is not None:
            place = self._restore_place(self._archive, index, observations, self._archive.choose(visits.place_steps))
        if place is None:
            visits.begin_episode(index, *self._first_place(index))
        else:
            visits.begin_episode(index, *visits.parts_of(place), archived=True)

    def _restore_place(self, archive: Archive, index: int, observations: Any, place: int | None) -> int | None:
        """Begin the episode in an archived place. Returns the place, or None at the environment's own start."""
        env = self._environment(index)
        if place is not None:
            try:
                observations[index] = archive.restore_place(index, place, env)
            except NotCapturable:
                observations[index], self.venv.reset_infos[index] = env.reset()
            else:
                return place
        archive.begin_episode(index)
        return None

    def _forget_episode(self, index: int) -> None:
        """Begin an episode in an environment that was reset without this wrapper."""
        if self.visits is not None:
            self.visits.begin_episode(index, None)
        if self._archive is not None:
            self._archive.begin_episode(index)
        if self._novelty is not None:
            self._novelty.drop_episode(index)

    def _is_archived(self, index: int) -> bool:
        """Return whether the episode of the environment at ``index`` began in the archive."""
        return self._archive is not None and bool(self._archive.began_here[index])

    def _environment(self, index: int) -> Env:
        environments: Any = self.venv
        env: Env = environments.envs[index]
        return env

    def _first_place(self, index: int) -> tuple[int | None, int]:
        info = self.venv.reset_infos[index]
        return info.get(CELL), info.get(STAGE, 0)

    def state(self) -> dict[str, Any]:
        return {
            "step_count": self.step_count,
            "path": self.path.model_dump() if self.path is not None else None,
            "visits": self.visits.state() if self.visits is not None else None,
            "novelty": self._novelty.state() if self._novelty is not None else None,
            "lengths": episode_lengths(self.venv),
            **({"archive": self._archive.state(), "task": self._task} if self._archive is not None else {}),
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from ``state``. Parts that it does not have start fresh, and so do the archive of another task and
        the episodes of environments that are not within the same episode."""
        self.step_count = state["step_count"]
        self.path = EvaluatedPath(**state["path"]) if state["path"] is not None else None
        if self.visits is not None and state["visits"] is not None:
            self.visits.restore(state["visits"])
        if self._novelty is not None and state["novelty"] is not None:
            self._novelty.restore(state["novelty"])
        if self._archive is not None:
            self._restore_archive(self._archive, state)
        for index, (now, then) in enumerate(zip(episode_lengths(self.venv), state.get("lengths", ()), strict=False)):
            if now != then:
                self._forget_episode(index)

    def _restore_archive(self, archive: Archive, state: dict[str, Any]) -> None:
        """Continue from the archive of ``state``. A run without an archive has only episodes that began at their own
        start, and one of another task gives nothing. Where only the stages of the world differ, episodes continue."""
        if "archive" not in state:
            archive.join_episodes(self.venv.get_attr("rewards"))
        elif state["task"] == self._task:
            archive.restore(state["archive"])
        elif json.loads(state["task"])[:2] == json.loads(self._task)[:2]:
            archive.restore_episodes(state["archive"])


def _places_to_begin(plan: ExplorationPlan, visits: Visits) -> range | None:
    """Return the places of the only cell in which episodes begin, one for each stage; None: any place."""
    return None if plan.start_cell is None else visits.places_in(plan.start_cell)


def is_last_step(info: dict[str, Any]) -> bool:
    """Return whether the library's Monitor reports the end of an episode in ``info``."""
    episode = info.get("episode")
    return isinstance(episode, dict) and "r" in episode
