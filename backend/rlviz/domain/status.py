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


def check_transition(source: RunStatus, target: RunStatus, *, next_attempt: bool = False) -> None:
    """Raise IllegalTransition, which names both states and the reason, unless ``source`` → ``target`` is allowed.

    Within an attempt, TRANSITIONS decides; with ``next_attempt``, RESUMES does.
    """
    if target in (RESUMES.get(source, ()) if next_attempt else TRANSITIONS[source]):
        return
    why_not = {_S.PAUSING: why_not_pause, _S.STOPPING: why_not_stop, _S.QUEUED: why_not_queue}.get(target)
    hint = why_not(source) if why_not else None
    if hint is None and source.is_final:
        hint = "It has ended. Resume it, or create a new run to train again."
    raise IllegalTransition(source, target, hint or "")


def why_not_pause(status: RunStatus) -> str | None:
    """Return why a run cannot be paused, as a sentence, or None if it can."""
    match status:
        case _S.STARTING | _S.RUNNING:
            return None
        case _S.CREATED:
            return "It was never started, so there is nothing to pause."
        case _S.QUEUED:
            return "It is waiting for a free slot. Stop it, and resume it when you want it to train."
        case _S.PAUSING:
            return "It is pausing already."
        case _S.STOPPING:
            return "It is about to stop. Resume it once it has stopped."
        case _:
            return "It is not training."


def why_not_stop(status: RunStatus) -> str | None:
    """Return why a run cannot be stopped, as a sentence, or None if it can."""
    match status:
        case _S.CREATED:
            return "It was never started, so there is nothing to stop."
        case _S.STOPPING:
            return "It is stopping already."
        case _S.PAUSED:
            return "It is paused: nothing trains."
        case _:
            return None if status.is_active else "It has ended."


def why_not_queue(status: RunStatus) -> str | None:
    """Return why a run cannot be resumed, as a sentence, or None if its status allows it.

    Whether there is a snapshot to resume from is another question.
    """
    match status:
        case _S.CREATED:
            return "It was not started."
        case _S.QUEUED:
            return "It is already waiting for a free slot."
        case _S.STARTING:
            return "It is already starting."
        case _S.RUNNING:
            return "It is already training."
        case _S.PAUSING:
            return "It is about to pause. Resume it once it is paused."
        case _S.STOPPING:
            return "It is about to stop. Resume it once it has stopped."
        case _S.COMPLETED:
            return "It has done all of its steps. Train it longer, or create a new run."
        case _:
            return None
