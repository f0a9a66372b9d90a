"""``rlviz.sb3``: a callback for your own Stable-Baselines3 scripts."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.vec_env import VecEnv

from rlviz.domain.errors import EnvironmentFaulty, summarize_error
from rlviz.domain.events import StoppedData
from rlviz.domain.limits import to_number
from rlviz.learning.environments.reward_components import COMPONENTS, EpisodeSums, read_components
from rlviz.learning.training.guard import Guard, read_finished_episode
from rlviz.library.described import UNKNOWN_ENV, as_settings, steps_of
from rlviz.library.learn_watch import LearnWatch, SpecQuestion
from rlviz.library.tracking import TrackedRun, print_to_stderr, track

_VIDEOS = "*.mp4"
_POLL_SECONDS = 1.0

_SETTINGS = (
    "learning_rate",
    "gamma",
    "n_steps",
    "batch_size",
    "n_epochs",
    "ent_coef",
    "vf_coef",
    "gae_lambda",
    "max_grad_norm",
    "buffer_size",
    "learning_starts",
    "tau",
    "train_freq",
    "gradient_steps",
    "target_update_interval",
    "exploration_fraction",
    "exploration_final_eps",
)


class RunCallback(BaseCallback):
    """Shows a run in the app, with curves and episodes: ``model.learn(10_000, callback=RunCallback())``.

    Algorithm, environment, seed, steps and the usual hyperparameters come from the model; ``name``, ``config`` and
    ``runs_dir`` are as for ``rlviz.track``. ``env_id``: for environments without a known id. ``videos``: a folder into
    which ``VecVideoRecorder`` or ``RecordVideo`` writes; videos that are completed there while ``learn`` runs are added
    to the run. The run ends with ``learn``: ``completed`` when it returns, ``failed`` with the traceback when it
    raises, ``stopped`` for Ctrl-C and for a pruned trial.

    Training is unaffected: it uses no random numbers, writes nothing to the model's logger, and errors become one
    warning.
    """

    def __init__(
        self,
        *,
        name: str | None = None,
        env_id: str | None = None,
        config: object = None,
        runs_dir: str | os.PathLike[str] | None = None,
        videos: str | os.PathLike[str] | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(verbose)
        self._guard = Guard(self._warn, log=lambda _error: None)
        self._videos: _VideoFolder | None = None
        if videos is not None:
            with self._guard("Watching the folder of videos"):
                self._videos = _VideoFolder(Path(videos).expanduser())
        self._name, self._env_id, self._config, self._runs_dir = name, env_id, config, runs_dir
        self._run: TrackedRun | None = None
        self._watch: LearnWatch | None = None
        self._output: _Output | None = None
        self._logger: Logger | None = None
        """The model's logger, to which ``_output`` was added."""
        self._formats: list[KVWriter] = []
        """Those that it had before."""
        self._seen_step = -1
        """The last recorded step."""
        self._total: int | None = None
        self._sums: EpisodeSums | None = None
        self._has_odd_components = False

    @property
    def run(self) -> TrackedRun | None:
        """The run; None before ``learn`` starts."""
        if self._watch is not None:
            self._watch.check()
        return self._run

    def _on_training_start(self) -> None:
        with self._guard("The start of the run"):
            if self._watch is not None:  # an earlier ``learn`` has just ended
                self._watch.check(is_last=True)
            self._end(None)
            self._begin()

    def update_locals(self, locals_: dict[str, Any]) -> None:
        """Record a step. The library calls this at every step, also if another callback calls this one only
        sometimes."""
        super().update_locals(locals_)
        try:
            self._observe()
        except Exception as error:  # cheaper than a guard block at every step
            self._guard.report("Recording a step", error)

    def _on_step(self) -> bool:
        try:
            self._observe()
        except Exception as error:
            self._guard.report("Recording a step", error)
        return True

    def on_training_end(self) -> None:
        super().on_training_end()
        with self._guard("The end of the run"):
            if self._watch is None:
                self._end(None)
            else:
                self._watch.callback_ended()

    def _begin(self) -> None:
        self._total = steps_of(self.locals.get("total_timesteps"))
        self._sums = self._sums or EpisodeSums()
        env_id, problem = self._env_id, None
        if env_id is None:
            env_id, problem = _id_of(self.training_env)
        self._seen_step = self.model.num_timesteps
        run = self._run = track(
            type(self.model).__name__.lower(),
            env_id or UNKNOWN_ENV,
            name=self._name,
            seed=self.model.seed,
            total_timesteps=self._total,
            config={**_settings_of(self.model), "n_envs": self.training_env.num_envs, **as_settings(self._config)},
            runs_dir=self._runs_dir,
        )
        if problem is not None:
            run.warn(problem)
        self._output = _Output(run)
        self._attach(self.model.logger)
        self._watch = LearnWatch(self.model, self, self._end)
        run.on_tick, run.on_exit = self._watch.check, self._end_with_program

    def _observe(self) -> None:
        """Record a step once, since the library reports it in several ways."""
        run, sums, step = self._run, self._sums, self.model.num_timesteps
        if run is None or sums is None or self._watch is None or step == self._seen_step:
            return
        self._seen_step = step
        if self._logger is not self.model.logger:
            self._attach(self.model.logger)
        infos = self.locals.get("infos")
        for place, info in enumerate(infos if isinstance(infos, list | tuple) else ()):
            if COMPONENTS in info:
                self._sum_components(run, sums, place, info)
            if "episode" in info and (episode := read_finished_episode(info)) is not None:
                components = sums.take(place, episode.length)
                run.episode(step, episode.reward, episode.length, components=components)
        if self._videos is not None:
            self._videos.hand_over(run)

    def _sum_components(self, run: TrackedRun, sums: EpisodeSums, place: int, info: dict[str, Any]) -> None:
        try:
            sums.add(place, read_components(info[COMPONENTS]))
        except EnvironmentFaulty as error:
            if not self._has_odd_components:
                self._has_odd_components = True
                run.warn(f"The environment {error}. Components of the reward are not recorded for such an episode.")

    def _attach(self, logger: Logger) -> None:
        """Make ``logger`` also write into the run. A program can replace the model's logger during training."""
        self._detach()
        self._logger, self._formats = logger, logger.output_formats
        if self._output is not None:
            logger.output_formats = [*self._formats, self._output]

    def _detach(self) -> None:
        if (logger := self._logger) is None:
            return
        self._logger = None
        left = [one for one in logger.output_formats if one is not self._output]
        logger.output_formats = self._formats if left == list(self._formats) else left

    def _end(self, error: BaseException | None) -> None:
        """End the run after ``learn``, with ``error`` if it raised one."""
        watch, self._watch = self._watch, None
        run = self._run
        if run is None or run.is_closed:
            return
        if watch is not None:
            watch.close()
        step = self.model.num_timesteps
        with self._guard("Recording what was logged last"):
            if self._output is not None and self._logger is not None:  # values logged after the last row
                self._output.write(dict(self._logger.name_to_value), dict(self._logger.name_to_excluded), step)
        with self._guard("Leaving the logger"):
            self._detach()
        if self._videos is not None and error is None:
            with self._guard("Watching the folder of videos"):
                self._videos.hand_over(run, last=True)
        is_early = self._total is not None and step < self._total
        run.finish(error, ended_early=f"A callback ended training at step {step:,}." if is_early else None)

    def _end_with_program(self) -> None:
        """End the run with the program, which also stops a ``learn`` in another thread."""
        run, watch = self._run, self._watch
        if run is not None and watch is not None:
            watch.check(is_last=True)
            if watch.is_learning:
                run.end(StoppedData(attempt=1))

    def _warn(self, message: str) -> None:
        if self._run is not None:
            self._run.warn(message)
        print_to_stderr(message)


class _VideoFolder:
    """A folder in which videos appear. Each new one is added to the run once; earlier files are ignored."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known = set(folder.glob(_VIDEOS))
        self._next_poll = 0.0
        self._seen: dict[Path, int] = {}  # modification time of each new video at the last check

    def hand_over(self, run: TrackedRun, *, last: bool = False) -> None:
        """Add new videos to the run, at most once per second except for the ``last`` time. Incomplete ones wait."""
        now = time.monotonic()
        if now < self._next_poll and not last:
            return
        self._next_poll = now + _POLL_SECONDS
        for path in sorted(set(self._folder.glob(_VIDEOS)) - self._known):
            with suppress(OSError, ValueError):  # deleted or incomplete
                changed_at = path.stat().st_mtime_ns
                before, self._seen[path] = self._seen.get(path), changed_at
                if last or changed_at == before:
                    run.add_video(path)
                    self._known.add(path)


class _Output(KVWriter):
    """Records the numbers that the library logs, under their names; ignores text, pictures and histograms."""

    def __init__(self, run: TrackedRun) -> None:
        self._run = run

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Never raises."""
        with self._run.guard("Recording what was logged"):
            numbers = {name: number for name, value in key_values.items() if (number := to_number(value)) is not None}
            if numbers and not self._run.is_closed:
                self._run.log(step, numbers)

    def close(self) -> None:
        """Do nothing: a program can close its logger before ``learn`` ends, and the run ends with ``learn``."""


def _settings_of(model: BaseAlgorithm) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in _SETTINGS:
        with suppress(Exception):  # the model has none of that name
            found[name] = getattr(model, name)
    return found


def _id_of(envs: VecEnv) -> tuple[str | None, str | None]:
    """Return the id of the environments and a warning; both are None for unregistered environments."""
    unknown = "It is not known which environment this is ({}). Name it: RunCallback(env_id=…)."
    try:
        inner: Any = envs.unwrapped
        if hasattr(inner, "remotes"):
            if not inner.env_is_wrapped(SpecQuestion(), indices=[0])[0]:
                return None, unknown.format("its process cannot send its spec")
            [spec] = inner.get_attr("spec", indices=[0])
        else:
            spec = next(iter(envs.get_attr("spec")), None)
        found = getattr(spec, "id", None)
    except Exception as error:  # a simulator without single environments, for instance
        return None, unknown.format(summarize_error(error))
    return (found, None) if isinstance(found, str) else (None, None)
