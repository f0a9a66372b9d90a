"""The whole job of a session, as a worker process runs it."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial

import torch

from rlviz.domain.errors import RlvizError, brief
from rlviz.domain.session_messages import EndedMessage, ErrorMessage, RecordedMessage, SessionMode
from rlviz.environments import ENVIRONMENTS
from rlviz.environments.base import Environment
from rlviz.environments.conforming import Fault, listen
from rlviz.environments.custom import custom_environment, environment_of
from rlviz.environments.make import make
from rlviz.environments.observed import FaultKind
from rlviz.machine import kill_children
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.lease import Lease
from rlviz.sessions.camera import Camera
from rlviz.sessions.folder import SessionFolder, SessionPlan
from rlviz.sessions.link import Link, ServiceGone
from rlviz.sessions.played_run import PlayedRun
from rlviz.sessions.player import SessionPlayer
from rlviz.sessions.policies import FixedPolicy, NewestPolicy, NoPolicy, PolicySource
from rlviz.sessions.stage import Stage
from rlviz.sessions.watchdog import Watchdog

OPENING_SECONDS = 60.0
"""How long it may take to import and make an environment, or to read a policy."""


def play_session(folder: SessionFolder) -> None:
    """Play what the plan in ``folder`` says, until the service ends the connection: then the process ends at once.

    Returns when playing failed, and the service knows why. Raises OSError if there is no service.
    """
    plan = folder.read_plan()
    with ExitStack() as at_the_end:

        def leave() -> None:
            at_the_end.close()
            kill_children()
            os._exit(0)

        link = Link.connect(str(folder.socket_path), plan.secret, leave)
        signal.signal(signal.SIGTERM, lambda *_: link.leave())
        played: PlayedRun | None = None
        faults: SessionFaults | None = None

        def kept(run_id: str, episodes: int) -> None:
            with suppress(ServiceGone):  # the last episodes are kept when nobody can be told any more
                link.send(RecordedMessage(run_id=run_id, episodes=episodes))

        def end(cause: str) -> None:
            if played is not None:
                played.close(cause)
            at_the_end.close()
            with suppress(OSError):
                link.send(EndedMessage(cause=cause))

        watchdog = Watchdog(lambda line: end(f"The environment did not return, and was ended. It hung here: {line}"))
        watchdog.alive(OPENING_SECONDS)
        try:
            policies = _policies(plan, before_load=lambda: watchdog.alive(OPENING_SECONDS))
            at_the_end.callback(policies.close)
            stage = _stage(plan, policies)
            faults = SessionFaults(lambda why: link.send(ErrorMessage(detail=why)))
            listen(stage.env, faults.hear)
            fps = float(stage.environment.render_fps)
            camera = Camera(folder.path, fps=fps, always=plan.mode is SessionMode.PLAY)
            played = PlayedRun(
                stage.env,
                camera,
                link.ask_for_recording,
                kept,
                lambda why: link.send(ErrorMessage(detail=why)),
            )
            at_the_end.callback(played.close)
            player = SessionPlayer(stage, link, sinks=[played], on_recording=played.open, alive=watchdog.alive)
            while True:
                player.turn()
                watchdog.alive()  # what follows may wait for a disk
                played.tick()
        except ServiceGone:  # noticed here before the thread that reads has: it ends this process
            link.await_end()
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            cause = faults.cause if faults is not None else None
            end(_cause(error) if cause is None else f"{cause} {_cause(error)}")


class SessionFaults:
    """Tells the person who watches what is odd about the environment, once of each kind."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell, self._told = tell, set[FaultKind]()
        self.cause: str | None = None
        """The first number that was not finite, in a sentence."""

    def hear(self, fault: Fault) -> None:
        if fault.kind.is_not_finite and self.cause is None:
            self.cause = fault.words()
        if fault.kind not in self._told:
            self._told.add(fault.kind)
            self._tell(fault.sentence())


def _policies(plan: SessionPlan, before_load: Callable[[], None]) -> PolicySource:
    if plan.run_folder is None:
        return NoPolicy()
    folder = RunFolder.at(plan.run_folder)
    config = folder.read_config()
    if plan.policy is not None:
        return FixedPolicy(folder, config.algo, plan.policy, before_load=before_load)
    return NewestPolicy(folder, config.algo, Lease(folder), ended_attempt=plan.ended_attempt, before_load=before_load)


def _stage(plan: SessionPlan, policies: PolicySource) -> Stage:
    if plan.run_folder is None:
        environment, run_id = _environment(plan), None
    else:
        config = RunFolder.at(plan.run_folder).read_config()
        environment, run_id = environment_of(config), config.run_id
        torch.set_num_threads(config.torch_threads)
    make_env = partial(make, environment, render=True, whole_episodes=True)
    return Stage(
        mode=plan.mode,
        environment=environment,
        env=make_env(),
        make_env=make_env,
        policies=policies,
        run_id=run_id,
        seed=plan.seed,
        greedy=plan.greedy,
    )


def _environment(plan: SessionPlan) -> Environment:
    if plan.custom_environment is not None:
        return custom_environment(plan.env_id, plan.custom_environment)
    return ENVIRONMENTS.get(plan.env_id).resolve(plan.env_options)


def _cause(error: Exception) -> str:
    """One sentence for who looked."""
    if isinstance(error, RlvizError):
        return str(error)
    return f"Playing failed with {brief(error)}. The service's log has the traceback."
