"""``rlviz.sb3``: a callback for Stable-Baselines3 scripts of the user's own."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from numbers import Real
from pathlib import Path
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter

from rlviz.library.tracking import TrackedRun, track

_WATCHED = "_rlviz_watched"

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
    """``model.learn(10_000, callback=RunCallback())``: the run appears in the app with its curves and its episodes.

    Algorithm, environment, seed, steps and the usual hyperparameters are those of the model; ``name``, ``config`` and
    ``runs_dir`` as for ``rlviz.track``. ``videos``: a folder into which ``VecVideoRecorder`` or ``RecordVideo`` films;
    what comes into it while ``learn`` runs is handed over to the run once it is whole. The run ends with ``learn``, and
    where that raises it is ``failed``, with the traceback; ``stopped`` for Ctrl-C.
    """

    def __init__(
        self,
        *,
        name: str | None = None,
        config: dict[str, object] | None = None,
        runs_dir: str | os.PathLike[str] | None = None,
        videos: str | os.PathLike[str] | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(verbose)
        self._videos = None if videos is None else _VideoFolder(Path(videos).expanduser())
        self._name, self._config, self._runs_dir = name, config or {}, runs_dir
        self.run: TrackedRun | None = None
        """The run that is written; None before ``learn`` begins."""

    def _on_training_start(self) -> None:
        model, envs = self.model, self.training_env
        spec = next(iter(envs.get_attr("spec")), None)
        given = {name: getattr(model, name) for name in _SETTINGS if hasattr(model, name)}
        self.run = track(
            type(model).__name__.lower(),
            spec.id if spec is not None else "unknown",
            name=self._name,
            seed=model.seed or 0,
            total_timesteps=model._total_timesteps,
            config={**given, "n_envs": envs.num_envs, **self._config},
            runs_dir=self._runs_dir,
        )
        self.logger.output_formats.append(_Output(self.run))
        _end_with(model, self._end)

    def _on_step(self) -> bool:
        if self.run is not None:
            for info in self.locals.get("infos", ()):
                if (episode := info.get("episode")) is not None:
                    self.run.episode(self.num_timesteps, float(episode["r"]), int(episode["l"]))
            if self._videos is not None:
                self._videos.hand_over(self.run)
        return True

    def _on_training_end(self) -> None:
        self.logger.dump(self.num_timesteps)
        if self._videos is not None and self.run is not None:
            self._videos.hand_over(self.run, last=True)
        self._end(None)

    def _end(self, error: BaseException | None) -> None:
        if self.run is not None:
            _end_without(self.model)
            self.logger.output_formats[:] = [one for one in self.logger.output_formats if not isinstance(one, _Output)]
            self.run.finish(error)


class _VideoFolder:
    """A folder in which videos appear, each of which is handed over once. What lies there before is left alone."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known = set(folder.glob(_VIDEOS))
        self._next_poll = 0.0

    def hand_over(self, run: TrackedRun, *, last: bool = False) -> None:
        """Hand over what is new, at most once a second but for the ``last`` time. What may still be written waits."""
        now = time.time()
        if now < self._next_poll and not last:
            return
        self._next_poll = now + _POLL_SECONDS
        for path in sorted(set(self._folder.glob(_VIDEOS)) - self._known):
            with suppress(OSError, ValueError):  # gone meanwhile, or not whole yet
                if last or path.stat().st_mtime < now - _POLL_SECONDS:
                    run.video(path)
                    self._known.add(path)


def _end_with(model: BaseAlgorithm, end: Callable[[BaseException], None]) -> None:
    """Call ``end`` with what ``learn`` raises, until ``_end_without``.

    The library tells callbacks nothing of errors. What ``learn`` calls is therefore watched in a class of the model's
    own, and not in its attributes, which ``model.save`` would write.
    """
    kind = type(model)

    def watched(name: str) -> Callable[..., Any]:
        method = getattr(kind, name)

        @wraps(method)
        def call(*arguments: Any, **options: Any) -> Any:
            try:
                return method(*arguments, **options)
            except BaseException as error:
                end(error)
                raise

        return call

    methods = {name: watched(name) for name in ("collect_rollouts", "train")}
    model.__class__ = type(kind.__name__, (kind,), {**methods, "__module__": kind.__module__, _WATCHED: True})


def _end_without(model: BaseAlgorithm) -> None:
    if _WATCHED in vars(type(model)):
        model.__class__ = type(model).__mro__[1]


class _Output(KVWriter):
    """The numbers that the library logs, under its own names; text, pictures and histograms are left to others."""

    def __init__(self, run: TrackedRun) -> None:
        self._run = run

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        numbers = {name: float(value) for name, value in key_values.items() if isinstance(value, Real)}
        if numbers and not self._run.is_finished:
            self._run.log(step, numbers)
