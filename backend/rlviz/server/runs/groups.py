"""Groups: runs that differ in their seed alone."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np

from rlviz.domain.config import RunActor, RunConfig
from rlviz.domain.errors import FieldError, InvalidRequest, pointer_to
from rlviz.domain.ids import new_run_id, utc
from rlviz.domain.limits import LIMITS
from rlviz.provenance import git_revision, package_versions
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.runs import find_groups, get_run
from rlviz.server.runs.configuration import DRAWN_SEEDS, NewRun, resolve_config
from rlviz.server.runs.environments import EnvironmentService
from rlviz.server.runs.presets import OwnPresets
from rlviz.server.use_case import RunUseCases, check_controlled
from rlviz.stats.experiments.trials import AGARWAL
from rlviz.stats.number_text import NO_INTERVAL
from rlviz.stats.return_curve import WINDOW
from rlviz.stats.returns import MEAN_EPISODES
from rlviz.stats.seeds import CONFIDENCE, FEWEST_SCORES, Summary, summarize

SUMMARY_RESAMPLES = 2_000
"""For a line of a list; the ends of an interval move by a few hundredths of its width."""


@dataclass(frozen=True)
class SeedRequest:
    """Seeds for new runs: either the listed ``seeds`` or a ``count`` of them."""

    seeds: Sequence[int] = ()
    count: int | None = None

    def choose_seeds(self, taken: Collection[int] = (), first: int | None = None) -> list[int]:
        """Return the seeds to use.

        Args:
            taken: Seeds that runs of the group have already.
            first: Where counting starts; None draws random seeds.

        Raises InvalidRequest.
        """
        if bool(self.seeds) == (self.count is not None):
            raise InvalidRequest.field("/seeds", "Give either seeds or a count, not both.")
        if self.count is None:
            return self._listed(set(taken))
        if first is not None:
            return list(range(first, first + self.count))
        free: set[int] = set()
        while len(free) < self.count:
            drawn = secrets.randbelow(DRAWN_SEEDS)
            if drawn not in taken:
                free.add(drawn)
        return sorted(free)

    def _listed(self, taken: set[int]) -> list[int]:
        problems = []
        for place, seed in enumerate(self.seeds):
            if seed in taken:
                problems.append(FieldError(pointer_to("seeds", place), f"The group already has seed {seed}."))
            taken.add(seed)
        if problems:
            raise InvalidRequest(" ".join(problem.detail for problem in problems), problems)
        return list(self.seeds)


@dataclass(frozen=True)
class Group:
    """Runs that differ only in their seed.

    Attributes:
        runs: Ordered by seed.
        returns: Summary of their mean returns; None if no run has one.
        best: Summary of their best averages; None if no run has one.
    """

    id: str
    runs: Sequence[RunRow] = field(repr=False)
    returns: Summary | None
    best: Summary | None

    @classmethod
    def from_rows(cls, group_id: str, rows: Sequence[RunRow]) -> Group:
        returns = _summary_of(row.ep_rew_mean for row in rows)
        return cls(group_id, rows, returns, _summary_of(row.best_moving_average for row in rows))

    @property
    def definition(self) -> str:
        """One sentence on how the figures of its returns are computed."""
        if self.returns is None:
            return f"None of the {len(self.runs)} seeds has finished an episode yet."
        return self._made_of(self.returns, f"mean return of the last {MEAN_EPISODES} episodes")

    @property
    def best_definition(self) -> str:
        """One sentence on how the figures of its best averages are computed."""
        if self.best is None:
            return f"None of the {len(self.runs)} seeds has finished {WINDOW} episodes yet."
        return self._made_of(self.best, f"best average, the highest mean return of {WINDOW} episodes in a row,")

    def _made_of(self, summary: Summary, what: str) -> str:
        scored = summary.count
        interval = (
            f", with the {CONFIDENCE * 100:g} % interval of a bootstrap over seeds ({SUMMARY_RESAMPLES:,} resamples)"
            if scored >= FEWEST_SCORES
            else f"; {NO_INTERVAL}"
        )
        return f"Interquartile mean of the {what} of {scored} of {len(self.runs)} seeds{interval}. Source: {AGARWAL}."


def _summary_of(scores: Iterable[float | None]) -> Summary | None:
    known = tuple(score for score in scores if score is not None)
    return _summary(known) if known else None


@lru_cache(maxsize=1_000)
def _summary(scores: tuple[float, ...]) -> Summary:
    return summarize([np.array(scores)], resamples=SUMMARY_RESAMPLES)


class GroupService(RunUseCases):
    def __init__(
        self, *arguments: object, environments: EnvironmentService, own_presets: OwnPresets, **keywords: object
    ) -> None:
        super().__init__(*arguments, **keywords)  # type: ignore[arg-type]
        self._environments, self._own_presets = environments, own_presets

    def find(self, group_ids: Sequence[str]) -> list[Group]:
        """Return the groups among ``group_ids`` that have more than one run."""
        with self._database.read() as session:
            return [Group.from_rows(group_id, rows) for group_id, rows in find_groups(session, group_ids).items()]

    def create(self, new: NewRun, wanted: SeedRequest, *, start: bool) -> list[RunRow]:
        """Create a run for each seed: all of them, or none.

        Raises InvalidRequest, UnknownName, NotEnoughDisk or OSError.
        """
        self._disk.check()
        now = self._clock()
        first, *others = wanted.choose_seeds(first=new.seed)
        if max((first, *others)) > LIMITS.seed.maximum:
            raise InvalidRequest.field("/seed", f"The last seed would exceed {LIMITS.seed.maximum}.")
        config = resolve_config(
            replace(new, seed=first),
            now,
            self._environments.get,
            own_presets=self._own_presets.all(),
            memory_limit=self._settings.memory_a_run,
            keep_film=self._settings.keep_film,
            snapshot_bytes=self._settings.snapshot_bytes,
        )
        configs = [config, *(_repeated(config, config.run_id, seed, now) for seed in others)]
        return self._add(configs, now, start=start)

    def add_seeds(self, run_id: str, wanted: SeedRequest) -> list[RunRow]:
        """Repeat a run with other seeds in its group, and queue the new runs: all of them, or none.

        Raises RunNotFound, ArtifactNotFound, RunFolderError, InvalidRequest, NotEnoughDisk or OSError.
        """
        self._disk.check()
        with self._database.read() as session:
            row = get_run(session, run_id)
            check_controlled(row)
            rows = find_groups(session, [row.group_id]).get(row.group_id, [row])
        folder = self._folder(run_id)
        folder.check()
        config = folder.config_to_go_on()
        self._trust.admit(folder)
        _check_repeatable(config)
        now = self._clock()
        fresh = {"name": row.name, "versions": package_versions(), "git_revision": git_revision()}
        config = config.model_copy(update=fresh)
        seeds = wanted.choose_seeds({one.seed for one in rows})
        return self._add([_repeated(config, row.group_id, seed, now) for seed in seeds], now, start=True)


def _check_repeatable(config: RunConfig) -> None:
    if config.actor is RunActor.HUMAN:
        raise InvalidRequest.field("", "A run that a person played cannot be repeated with another seed.")
    if config.parent is not None:
        raise InvalidRequest.field(
            "", "This run is a fork. Repeat the run that it was forked from, or create a new run."
        )


def _repeated(config: RunConfig, group_id: str, seed: int, now: float) -> RunConfig:
    instant = utc(now)
    return config.model_copy(
        update={
            "run_id": new_run_id(config.algo, config.env_id, instant),
            "created_at": instant,
            "seed": seed,
            "group_id": group_id,
            "experiment": None,
        }
    )
