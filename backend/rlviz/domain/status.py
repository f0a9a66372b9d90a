"""The status of a run, and the one table of allowed transitions.

created ─▶ queued ─▶ starting ─▶ running ─▶ completed
              │          │        │   │ ╲
              │          ▼        ▼   │  ╲─▶ failed, interrupted
              ╰─────▶ stopped ◀─ stopping
                                  ▲   ▼
                                 pausing ─▶ paused

A run that is starting can be paused or stopped, and can end, like a running one. A pausing run can still be stopped,
and ends like a running one if it finishes first.
The diagram shows one training attempt. After an attempt ends, the same run can be queued for the next one: "final"
statuses end an attempt. See ``docs/decisions/016-attempts.md``.
"""

from __future__ import annotations

from enum import StrEnum

from rlviz.domain.errors import IllegalTransition


class RunStatus(StrEnum):
    CREATED = "created"  # configured, not started
    QUEUED = "queued"  # waiting for a free slot
    STARTING = "starting"  # a worker was launched and loads its imports; it does not train yet
    RUNNING = "running"  # a worker is training it
    PAUSING = "pausing"  # a pause was requested; the worker continues until it can take a snapshot
    PAUSED = "paused"  # a snapshot holds the complete training state; no worker
    STOPPING = "stopping"  # a stop was requested; the worker is saving the model
    COMPLETED = "completed"  # all timesteps done, model saved
    STOPPED = "stopped"  # ended on request, model saved if training had begun
    FAILED = "failed"  # training raised an error; cause and traceback are kept
    INTERRUPTED = "interrupted"  # the worker disappeared; the cause says how

    @property
    def is_active(self) -> bool:
        """Whether the run waits for a worker or has one."""
        return self in ACTIVE

    @property
    def has_worker(self) -> bool:
        return self in WITH_WORKER

    @property
    def is_final(self) -> bool:
        """Whether the newest training attempt has ended."""
        return not TRANSITIONS[self]

    @property
    def has_ended(self) -> bool:
        """Whether training is over. A paused run waits to resume."""
        return self.is_final and self is not RunStatus.PAUSED


_S = RunStatus
_ENDINGS = frozenset({_S.COMPLETED, _S.STOPPED, _S.FAILED, _S.INTERRUPTED})
_ASKED = frozenset({_S.PAUSING, _S.STOPPING})

TRANSITIONS: dict[RunStatus, frozenset[RunStatus]] = {
    _S.CREATED: frozenset({_S.QUEUED}),
    _S.QUEUED: frozenset({_S.STARTING, _S.STOPPED, _S.FAILED}),
    _S.STARTING: frozenset({_S.RUNNING}) | _ASKED | _ENDINGS,
    _S.RUNNING: _ASKED | _ENDINGS,
    _S.PAUSING: frozenset({_S.STOPPING, _S.PAUSED}) | _ENDINGS,
    _S.STOPPING: _ENDINGS | {_S.PAUSED},  # a full disk had no room for the policy, but has a snapshot
    _S.PAUSED: frozenset(),
    _S.COMPLETED: frozenset(),
    _S.STOPPED: frozenset(),
    _S.FAILED: frozenset(),
    _S.INTERRUPTED: frozenset(),
}

RESUMES: dict[RunStatus, frozenset[RunStatus]] = {ending: frozenset({_S.QUEUED}) for ending in _ENDINGS | {_S.PAUSED}}
"""Transitions from a final status, which start the next attempt."""

WITH_WORKER = frozenset({_S.STARTING, _S.RUNNING}) | _ASKED
ACTIVE = WITH_WORKER | {_S.QUEUED}

APP_ENDED = "The app was ended."
"""Cause of a run that was stopped or paused because the app ended, not because the user requested it."""

_HINTS = {
    (_S.CREATED, _S.STOPPING): "It was never started, so there is nothing to stop.",
    (_S.QUEUED, _S.QUEUED): "It is already waiting for a free slot.",
    (_S.STARTING, _S.QUEUED): "It is already starting.",
    (_S.RUNNING, _S.QUEUED): "It is already training.",
    (_S.PAUSING, _S.QUEUED): "It is about to pause. Resume it once it is paused.",
    (_S.STOPPING, _S.QUEUED): "It is about to stop. Resume it once it has stopped.",
    (_S.CREATED, _S.PAUSING): "It was never started, so there is nothing to pause.",
    (_S.QUEUED, _S.PAUSING): "It is waiting for a free slot. Stop it, and resume it when you want it to train.",
    (_S.STOPPING, _S.PAUSING): "It is about to stop. Resume it once it has stopped.",
}


def check_transition(source: RunStatus, target: RunStatus, *, next_attempt: bool = False) -> None:
    """Raise IllegalTransition, which names both states, unless ``source`` → ``target`` is allowed.

    Within an attempt, TRANSITIONS decides; with ``next_attempt``, RESUMES does.
    """
    if target in (RESUMES.get(source, ()) if next_attempt else TRANSITIONS[source]):
        return
    hint = _HINTS.get((source, target), "")
    if not hint and source.is_final and target is _S.PAUSING:
        hint = "It is not training."
    elif not hint and source.is_final:
        hint = "It has ended. Resume it, or create a new run to train again."
    raise IllegalTransition(source, target, hint)
