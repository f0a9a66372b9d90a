"""Builds what surrounds a model in training: counters, snapshots, evaluations, recording and rules.

``TrainingComponents`` connects them, restores them from a snapshot, and rolls them back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from threading import Event

import torch
from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import RunFolderError
from rlviz.domain.registry import load
from rlviz.domain.rules import RollBack
from rlviz.domain.snapshots import Trigger
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.base import Hyperparameters
from rlviz.learning.algorithms.policy import make_playable
from rlviz.learning.environments.custom import find_environment
from rlviz.learning.environments.make import Env, make_environment
from rlviz.learning.exploration.bonuses import Exploring, exploration_of
from rlviz.learning.exploration.imitation import Imitation, make_imitation
from rlviz.learning.exploration.map_file import MapFile, PathKeeper
from rlviz.learning.training.anatomy import AnatomyJournal
from rlviz.learning.training.attempt import Attempt, describe_error
from rlviz.learning.training.callback import EpisodePlayer, PeriodicEvaluation, RunCallback, RunLogger
from rlviz.learning.training.checkpoint import Checkpoints, Filmstrip
from rlviz.learning.training.environment_faults import EnvironmentFaults
from rlviz.learning.training.guard import Guard
from rlviz.learning.training.journals import RunJournals
from rlviz.learning.training.knobs import Knobs
from rlviz.learning.training.live_weights import LiveWeights
from rlviz.learning.training.pausing import Pause
from rlviz.learning.training.rollback import Rollbacks, Target
from rlviz.learning.training.rules import Firing, read_active_rules
from rlviz.learning.training.run_recorder import RunRecorder
from rlviz.learning.training.snapshot.capture import Captured, Contents, Counter, Point, capture, environments_of
from rlviz.learning.training.snapshot.compatibility import describe_build, describe_origin
from rlviz.learning.training.snapshot.replay import ReplayTape, placed_rows
from rlviz.learning.training.snapshot.restore import Continuation, check_subject, refit, restore_contents
from rlviz.learning.training.snapshot.schedule import Snapshots, Subject
from rlviz.learning.training.steering import PastChanges, Steering, read_past_changes
from rlviz.learning.training.weighting import Weighting, weighting_of
from rlviz.rundir.folder import RunFolder


class TrainingComponents:
    """The parts around ``model``, restored to ``continuation`` if training continues from a snapshot.

    ``run_due_work`` is for the watcher's thread. Call ``close`` after use.
    """

    def __init__(
        self,
        folder: RunFolder,
        journals: RunJournals,
        attempt: Attempt,
        config: RunConfig,
        model: BaseAlgorithm,
        logger: RunLogger,
        continuation: Continuation | None,
        *,
        stop: Event,
        pause: Pause,
        live: LiveWeights,
        guard: Guard | None = None,
    ) -> None:
        self._folder, self._journals, self._attempt, self._config = folder, journals, attempt, config
        self._stop, self._pause, self._live = stop, pause, live
        self._guard = guard or Guard(journals.warn_now)
        self.faults = EnvironmentFaults(journals)
        self.faults.watch(environments_of(model), lambda: model.num_timesteps + model.n_envs)
        self.recorder = RunRecorder(folder, journals, config, self._guard)
        self._exploration = exploration_of(model)
        self._map = self._make_map()
        imitation = make_imitation(model, config)
        self.checkpoints = self._make_checkpoints()
        self.evaluation = self._make_evaluation(model)
        self.filmstrip = self._make_filmstrip()
        self._anatomy = self._open_anatomy()
        self.callback = RunCallback(
            journals,
            self.checkpoints,
            stop,
            self.evaluation,
            filmstrip=self.filmstrip,
            anatomy=self._anatomy,
            live=live,
            imitation=imitation,
            pause=pause,
            continuation=continuation,
            rollout_steps=self._hyperparameters.boundary_steps,
            training_end=self._short_end(),
            episodes=attempt.episodes,
            threshold=find_environment(config).reward_threshold,
            guard=self._guard,
        )
        past = self._past_changes(continuation)
        self.steering = self._make_steering(model, past)
        self._logger, self._tape = logger, continuation.make_tape() if continuation is not None else ReplayTape()
        self._counters = counters = collect_counters(
            self.callback,
            logger,
            self.checkpoints,
            self.steering,
            self.evaluation,
            exploration=self._exploration,
            weighting=weighting_of(model),
            imitation=imitation,
        )
        if continuation is not None:
            continuation.restore_counters(counters)
            if continuation.is_fork and config.parent is not None:
                self.steering.begin_fork(continuation.manifest.step, config.parent.changed)
            logger.iterations_before = self.callback.rollouts
        self.snapshots = self._make_snapshots(model)
        self.rollbacks = Rollbacks(folder, journals, self.snapshots, partial(self._prepare, model), been=past.been)
        self.callback.snapshots, self.callback.steering = self.snapshots, self.steering
        self.callback.rollbacks = self.rollbacks
        journals.watch(self._show_rules)

    def roll_back(self, model: BaseAlgorithm, target: Target) -> Continuation:
        """Restore ``model`` to ``target``. Call ``continue_from`` next, which restores the components."""
        self._journals.roll_back()
        self.faults.mute()
        continuation = restore_contents(model, self._config, self._folder, target.contents, target.placed)
        self.faults.unmute()
        return continuation

    def continue_from(self, continuation: Continuation, attempt: Attempt, by: Firing | None) -> None:
        """Restore the components to the snapshot and continue as ``attempt``.

        Args:
            by: The rule that rolled training back. None for a user.
        """
        self._attempt, self._tape = attempt, continuation.make_tape()
        self.steering.roll_back(continuation.manifest.step, by)
        continuation.restore_counters(self._counters)
        self._logger.iterations_before = self.callback.rollouts
        self.callback.roll_back(continuation)
        self.snapshots.roll_back(continuation.manifest.step, attempt.number)
        if self._anatomy is not None:
            self._anatomy.roll_back()

    def roll_back_for(self, error: Exception, model: BaseAlgorithm) -> None:
        """Raise GoBack if a rule rolls training back after ``error``, or because weights are not finite."""
        step = model.num_timesteps
        is_lost = not all(bool(torch.isfinite(weights).all()) for weights in model.policy.parameters())
        self.steering.handle_error(step, weights_are_lost=is_lost)
        if self.rollbacks.is_wanted:
            if not is_lost:
                self._journals.warn(step, f"Training raised an error and is rolled back. {describe_error(error)}")
            self.rollbacks.leave_if_wanted(step)

    def run_due_work(self) -> None:
        """Do what is due by the clock."""
        with self._guard("A checkpoint"):
            self.checkpoints.check_clock()
        with self._guard("A snapshot"):
            self.snapshots.check_clock()
        if self.filmstrip is not None:
            with self._guard("The filmstrip"):
                self.filmstrip.write()
        with self._guard("Recording"):
            self.recorder.read_choice()
        if self._anatomy is not None:
            with self._guard("The anatomy of updates"):
                self._anatomy.check_clock()
        with self._guard("A rule"):
            self.steering.check_clock()
        if self._map is not None:
            with self._guard("The map"):
                self._map.write_due()

    def take_last_snapshot(self, *, stopped: bool) -> None:
        """Take the attempt's last snapshot.

        A finished run is between two rollouts. A stopped one may be anywhere, so its newest rollout start is written.
        """
        if stopped or self.callback.ended_early is not None:
            self.snapshots.write_newest(Trigger.STOPPED)
        else:
            self.snapshots.take_last(Trigger.FINISHED)
        self.snapshots.flush()

    def close(self) -> None:
        if self.evaluation is not None:
            with self._guard("Closing the environments of evaluations"):
                self.evaluation.close()
        with self._guard("Recording"):
            self.recorder.close()
        if self._anatomy is not None:
            with self._guard("The anatomy of updates"):
                self._anatomy.close()
        if self._map is not None:
            with self._guard("The map"):
                self._map.close()
        with self._guard("A snapshot"):
            self.snapshots.close()

    def _show_rules(self, step: int, values: Mapping[str, float]) -> None:
        with self._guard("A rule"):
            self.steering.observe_row(step, values)

    @property
    def is_stopping(self) -> bool:
        return self._stop.is_set()

    @property
    def _hyperparameters(self) -> Hyperparameters:
        config = self._config
        return ALGORITHMS.get(config.algo).validate(config.hyperparameters, config.total_timesteps)

    def _make_checkpoints(self) -> Checkpoints:
        config, export = self._config, ALGORITHMS.get(self._config.algo).export
        return Checkpoints(
            self._folder,
            config.checkpoints,
            self._journals,
            answered=self._attempt.answered_request,
            export=partial(load(export), self._folder, config) if export is not None else None,
        )

    def _make_map(self) -> MapFile | None:
        exploration = self._exploration
        return (
            MapFile(self._folder, exploration) if exploration is not None and exploration.visits is not None else None
        )

    def _make_evaluation(self, model: BaseAlgorithm) -> PeriodicEvaluation | None:
        config = self._config
        if config.evaluation.every_steps is None:
            return None

        exploration, path = self._exploration, None
        if exploration is not None and exploration.world is not None:
            path = PathKeeper(exploration.world, exploration)

        def make() -> Env:
            made = make_environment(config, whole_episodes=True)
            if path is not None:
                made = path.watch(made)
            return self.faults.watch_evaluation(made, lambda: model.num_timesteps)

        with self._guard("An evaluation"):
            return PeriodicEvaluation(
                self._folder,
                config.evaluation,
                EpisodePlayer(make),
                self._journals,
                make_playable=partial(make_playable, ALGORITHMS.get(config.algo)),
                threshold=find_environment(config).reward_threshold,
                stopping=self._stop.is_set,
                recorder=self.recorder,
                path=path,
                first_update=self._hyperparameters.first_update,
                retests=self._attempt.evaluations,
                best=self._attempt.best,
            )
        return None

    def _make_filmstrip(self) -> Filmstrip | None:
        hyperparameters = self._hyperparameters
        with self._guard("The filmstrip"):
            return Filmstrip(
                self._folder,
                self._journals,
                end=hyperparameters.training_end(self._config.total_timesteps),
                count=self._config.checkpoints.film,
                first_update=hyperparameters.first_update,
                every=hyperparameters.rollout_steps,
            )
        return None

    def _short_end(self) -> float:
        """Return the step at which the last rollout ends if it may be shorter than the others, else infinity."""
        one = self._hyperparameters
        is_cut = one.boundary_steps > one.rollout_steps
        return one.training_end(self._config.total_timesteps) if is_cut else math.inf

    def _open_anatomy(self) -> AnatomyJournal | None:
        """Open the anatomy journal, if the run has one. If it cannot be written, warn and train without it."""
        if not self._config.anatomy:
            return None
        td_errors = ALGORITHMS.get(self._config.algo).td_errors
        with self._guard("The anatomy of updates"):
            try:
                return AnatomyJournal(self._folder, load(td_errors) if td_errors is not None else None)
            except (OSError, RunFolderError) as error:
                self._journals.warn(0, f"The anatomy of updates cannot be written: {error}")
        return None

    def _past_changes(self, continuation: Continuation | None) -> PastChanges:
        beyond = (0, 0) if self._attempt.is_repeated else None
        if continuation is not None and not self._attempt.rollback:
            beyond = continuation.taken_at
        return read_past_changes(self._folder, beyond)

    def _make_steering(self, model: BaseAlgorithm, past: PastChanges) -> Steering:
        return Steering(
            self._folder,
            self._journals,
            Knobs(model, self._config),
            read_active_rules(self._folder, self._config.rules, self._journals),
            _Targets(self, self._pause),
            past=past,
        )

    def _prepare(self, model: BaseAlgorithm, contents: Contents) -> Target:
        """Check that ``model`` can be rolled back to ``contents``, and read the replay rows it no longer has.

        Raises:
            SnapshotRefused: The snapshot does not fit.
        """
        check_subject(contents, self._config, self._folder, model)
        contents = refit(contents, self._config, self._folder, model)
        if (replay := contents.state["replay"]) is None:
            return Target(contents, ())
        held_from = self._tape.held_from(model)
        return Target(contents, tuple(placed_rows(model, self._folder, replay, contents.pieces, held_from)))

    def _make_snapshots(self, model: BaseAlgorithm) -> Snapshots:
        def take(point: Point) -> Captured:
            last_row = self._journals.last_row()
            return capture(model, self._counters, self._tape, point=point, last_row=last_row)

        config = self._config
        custom = config.custom_environment
        subject = Subject(
            self._folder.run_id,
            self._attempt.number,
            describe_build(config, model),
            describe_origin(config),
            custom.state_problem if custom is not None else None,
            config.parent.step if config.parent is not None else None,
        )
        return Snapshots(
            self._folder,
            config.snapshots,
            self._journals,
            take,
            subject,
            step=model.num_timesteps,
            first_update=self._hyperparameters.first_update,
            answered=self._attempt.answered_snapshot,
        )


def collect_counters(
    callback: RunCallback,
    logger: RunLogger,
    checkpoints: Checkpoints,
    steering: Steering | None,
    evaluation: PeriodicEvaluation | None,
    *,
    exploration: Exploring | None = None,
    weighting: Weighting | None = None,
    imitation: Imitation | None = None,
) -> dict[str, Counter]:
    """Return the parts whose state is in snapshots, by name. Not every run, or snapshot, has all of them."""
    counters: dict[str, Counter] = {"callback": callback, "logger": logger, "checkpoints": checkpoints}
    if steering is not None:
        counters["steering"] = steering
    if evaluation is not None:
        counters["evaluation"] = evaluation
    if exploration is not None:
        counters["exploration"] = exploration
    if weighting is not None:
        counters["weighting"] = weighting
    if imitation is not None:
        counters["imitation"] = imitation
    return counters


class _Targets:
    """Implements the actions of rules (see ``steering.Targets``)."""

    def __init__(self, components: TrainingComponents, pause: Pause) -> None:
        self._components, self._pause = components, pause

    def pause(self) -> None:
        self._pause.request()

    def evaluate(self) -> bool:
        if (evaluation := self._components.evaluation) is not None:
            evaluation.next_step = 0
        return evaluation is not None

    def snapshot(self, trigger: Trigger, message: str) -> None:
        self._components.snapshots.request(trigger, message)

    def roll_back(self, action: RollBack, firing: Firing) -> str | None:
        if self._components.is_stopping:
            return f"Skipped “{action.words}”: the run is being stopped."
        return self._components.rollbacks.choose_target(action, firing)
