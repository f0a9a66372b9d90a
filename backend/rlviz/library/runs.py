"""``rlviz.train``, ``runs``, ``Run`` and ``load_policy``: use the app's runs in your own programs.

Requests go to the service of the runs folder, or to a temporary one in this process if none runs.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rlviz.cli.connection import Connection
from rlviz.cli.exits import Failure, Refused
from rlviz.cli.waiting import ENDED, wait_for_run
from rlviz.domain.errors import ArtifactNotFound, NothingToPlay, RlvizError, RunNotFound
from rlviz.domain.naming import LIBRARY, renames_text
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.library.tracking import runs_folder
from rlviz.rundir.files import is_file, open_file
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.metric_rows import counted_rows
from rlviz.rundir.standing import check_trusted
from rlviz.settings import read_settings
from rlviz.stats.arrays import Floats

if TYPE_CHECKING:
    from rlviz.learning.algorithms.policy import TrainedPolicy

RunsDir = str | os.PathLike[str] | None

PAGE = 100

PLAIN = (
    *("id", "name", "status", "actor", "algo", "env_id", "preset", "seed", "group_id", "created_at", "started_at"),
    *("ended_at", "step", "total_timesteps", "episodes", "ep_rew_mean", "ep_len_mean", "fps", "best_moving_average"),
    *("best_moving_average_step", "reward_threshold", "cause"),
)


def train(
    algo: str = "ppo",
    env_id: str = "CartPole-v1",
    *,
    preset: str | None = "recommended",
    total_timesteps: int | None = None,
    seed: int | None = None,
    name: str | None = None,
    hyperparameters: Mapping[str, object] | None = None,
    env_options: Mapping[str, object] | None = None,
    reward: Mapping[str, Mapping[str, float]] | None = None,
    runs_dir: RunsDir = None,
) -> Run:
    """Train a run as the app does, in a separate process, and return it after it has ended.

    None uses the preset's value or the app's default; ``preset`` None uses the algorithm's defaults. ``algo`` and
    ``preset`` can be ``"recommended"``: known to work in that environment. ``reward`` gives components of the reward
    weights and caps in training: ``{"weights": {"main_engine": 0}, "caps": {"approach": 50}}``. If the app runs, you
    can watch the run train. Raises ValueError for an invalid request, and RuntimeError if the run fails or the service
    does not answer.
    """
    asked: dict[str, object] = {
        "algo": algo,
        "env_id": env_id,
        "preset": preset,
        "total_timesteps": total_timesteps,
        "name": name,
        "hyperparameters": dict(hyperparameters or {}),
        "env_options": dict(env_options or {}),
        "start": True,
    }
    if seed is not None:
        asked["seed"] = seed
    if reward is not None:
        asked["reward"] = reward
    with _connected(runs_dir, begins=True) as connection:
        created = connection.post("/runs", asked)
        ended = wait_for_run(connection, created["id"], ENDED | {"paused"}, f"Training {created['id']}")
    if ended["status"] == "failed":
        raise RuntimeError(f"{ended['id']} failed: {ended['cause']}")
    return Run(ended["id"], runs_dir)


def runs(runs_dir: RunsDir = None) -> list[dict[str, Any]]:
    """Return one flat dictionary per run, newest first, for ``pandas.DataFrame(rlviz.runs())`` or Polars.

    Keys are the single-valued fields of ``GET /runs`` and ``hyperparameters.<name>`` for each hyperparameter of the
    run. Raises RuntimeError if the service does not answer.
    """
    found: list[dict[str, Any]] = []
    with _connected(runs_dir) as connection:
        folder = connection.settings.runs_dir
        cursor: str | None = None
        while True:
            page = connection.get("/runs", limit=PAGE, cursor=cursor)
            found += [_flat(run, RunFolder(folder, run["id"])) for run in page["runs"]]
            cursor = page["next_cursor"]
            if cursor is None:
                return found


def load_policy(run: str | Run, *, best: bool = False, runs_dir: RunsDir = None) -> TrainedPolicy:
    """Load the newest policy of a run, or its best one: ``action, _ = policy.predict(observation)``.

    ``predict`` with ``deterministic=True`` plays greedily. Pass the environment's observations; the policy normalizes
    them if training did. Raises RunNotFound, RunFolderError, NothingToPlay if none is saved, or the error of loading a
    broken file. A policy can contain code: raises NotTrusted if it was made elsewhere and is not trusted (``rlviz trust
    RUN``).
    """
    folder = (run if isinstance(run, Run) else Run(run, runs_dir)).folder
    check_trusted(folder, trusts_runs_dir=read_settings().trust_runs_dir)
    config = folder.read_config()
    algorithm = ALGORITHMS.get(config.algo)
    path = folder.best_model_path if best else folder.newest_policy()
    if path is None or not path.is_file():
        kept = "no best policy" if best else "no policy yet"
        raise NothingToPlay(f"Run {folder.run_id!r} has saved {kept}.")
    from rlviz.learning.algorithms.policy import read_policy

    with open_file(path, folder.path) as file:
        return read_policy(algorithm, file, own_environment=config.custom_environment is not None)


class Run:
    """One run of the runs folder, read from its files. It need not be in the catalogue, and no service need run."""

    def __init__(self, run_id: str, runs_dir: RunsDir = None) -> None:
        """Open a run by its id. Raises RunNotFound for a malformed id or a missing folder."""
        self.folder = RunFolder(runs_folder(runs_dir), run_id)
        if not self.folder.is_there():
            raise RunNotFound(run_id)

    @property
    def id(self) -> str:
        return self.folder.run_id

    @property
    def config(self) -> dict[str, Any]:
        """The content of ``config.json``. Raises RunFolderError."""
        return self.folder.read_config().model_dump(mode="json")

    def metrics(self) -> dict[str, Floats]:
        """Return the columns ``step``, ``time`` (Unix seconds) and one for each metric, all of shape (rows,).

        Rows that a later attempt replaces are skipped, as in the app's curves. NaN marks missing and non-finite values.
        Metrics named ``step`` or ``time`` become ``step_`` and ``time_``, with a warning. Raises RunFolderError.
        """
        rows = list(counted_rows(self.folder))
        names = dict.fromkeys(name for row in rows for name in row["values"])
        if renamed := LIBRARY.renamed(names):
            warnings.warn(renames_text(renamed, f"{self!r}.metrics()"), stacklevel=2)
        found = {name: np.array([row[name] for row in rows], dtype=np.float64) for name in LIBRARY.reserved}
        for name in names:
            values = (row["values"].get(name) for row in rows)
            column = np.array([np.nan if value is None else value for value in values], dtype=np.float64)
            found[LIBRARY.encode(name)] = column
        return found

    def video(self) -> Path:
        """Return the MP4 file of the newest evaluation with a video. Raises ArtifactNotFound if there is none."""
        kept = map(self.folder.evaluations.video_path, reversed(self.folder.evaluations.ids()))
        found = next((path for path in kept if is_file(path, self.folder.path)), None)
        if found is None:
            raise ArtifactNotFound(
                f"Run {self.id!r} has no video. For a run of this app, `rlviz evaluate {self.id}` makes one."
            )
        return found

    def load_policy(self, *, best: bool = False) -> TrainedPolicy:
        """As ``rlviz.load_policy``."""
        return load_policy(self, best=best)

    def __repr__(self) -> str:
        return f"rlviz.Run({self.id!r})"


def _flat(run: dict[str, Any], folder: RunFolder) -> dict[str, Any]:
    try:
        hyperparameters = folder.read_config().hyperparameters
    except (RlvizError, OSError):  # a damaged or deleted folder: only the row is known
        hyperparameters = {}
    return {
        **{name: run.get(name) for name in PLAIN},
        "solved_step": (run.get("solved") or {}).get("step"),
        **{f"hyperparameters.{name}": value for name, value in hyperparameters.items()},
    }


@contextmanager
def _connected(runs_dir: RunsDir, *, begins: bool = False) -> Iterator[Connection]:
    settings = read_settings() if runs_dir is None else read_settings(runs_dir=str(runs_folder(runs_dir)))
    connection = Connection(settings, starts_run=begins)
    try:
        connection.open()
        yield connection
    except Refused as error:
        raise ValueError(str(error)) from error
    except Failure as error:
        raise RuntimeError(str(error)) from error
    finally:
        connection.close()
