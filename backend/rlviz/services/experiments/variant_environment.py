"""The environment of a variant of an experiment, also where it is configured no longer."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from rlviz.domain.errors import RunFolderError, RunNotFound, UnknownName
from rlviz.domain.experiments import RunSpec
from rlviz.environments import ENVIRONMENTS
from rlviz.environments.base import Environment
from rlviz.environments.custom import environment_of, unknown_environment
from rlviz.rundir.folder import RunFolder
from rlviz.services.use_cases.environments import EnvironmentService


def environment_of_variant(
    spec: RunSpec, run_ids: Iterable[str | None], runs_dir: Path, environments: EnvironmentService
) -> Environment:
    """The environment as the runs of the variant had it.

    A custom environment may have been edited since, may be broken now, or configured no longer: results are those of
    the runs all the same.

    Args:
        spec: What the variant trains.
        run_ids: Its runs; None of a trial without one.
        runs_dir: The folder of all runs.
        environments: Those that can be trained on now, for a variant without a run.
    """
    if spec.env_id in ENVIRONMENTS.names():
        return ENVIRONMENTS.get(spec.env_id).resolve(spec.env_options)
    for run_id in filter(None, run_ids):
        with suppress(RunFolderError, RunNotFound, OSError, UnknownName):
            return environment_of(RunFolder(runs_dir, run_id).read_config())
    try:
        return environments.get(spec.env_id).resolve(spec.env_options)
    except UnknownName:
        return unknown_environment(spec.env_id)
