"""``rlviz.sb3``: a callback for Stable-Baselines3 scripts of the user's own."""

from __future__ import annotations

import os
from numbers import Real
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter

from rlviz.library.tracking import TrackedRun, track

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
    ``runs_dir`` as for ``rlviz.track``. The run ends with ``learn``; where that raises, it ends with the program, and
    says why.
    """

    def __init__(
        self,
        *,
        name: str | None = None,
        config: dict[str, object] | None = None,
        runs_dir: str | os.PathLike[str] | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(verbose)
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

    def _on_step(self) -> bool:
        if self.run is not None:
            for info in self.locals.get("infos", ()):
                if (episode := info.get("episode")) is not None:
                    self.run.episode(self.num_timesteps, float(episode["r"]), int(episode["l"]))
        return True

    def _on_training_end(self) -> None:
        if self.run is not None:
            self.logger.dump(self.num_timesteps)
            self.logger.output_formats[:] = [one for one in self.logger.output_formats if not isinstance(one, _Output)]
            self.run.finish()


class _Output(KVWriter):
    """The numbers that the library logs, under its own names; text, pictures and histograms are left to others."""

    def __init__(self, run: TrackedRun) -> None:
        self._run = run

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        numbers = {name: float(value) for name, value in key_values.items() if isinstance(value, Real)}
        if numbers and not self._run.is_finished:
            self._run.log(step, numbers)
