"""The status of a run and the one table of what may follow what.

created ─▶ queued ─▶ starting ─▶ running ─▶ completed
              │          │        │   │ ╲
              │          ▼        ▼   │  ╲─▶ failed, interrupted
              ╰─────▶ stopped ◀─ stopping
                                  ▲   ▼
                                 pausing ─▶ paused

A run that is starting may be asked to pause or to stop, and may end, as one that is running. One that is pausing may be
asked to stop instead, and ends as one that is running if that comes first.
That is one attempt to train the run. A run whose attempt has ended may be queued for another one, and is the same run:
the final statuses end an attempt. See ``docs/decisions/016-attempts.md``.
"""

from __future__ import annotations

from enum import StrEnum

from rlviz.domain.errors import IllegalTransition


class RunStatus(StrEnum):
    CREATED = "created"  # configured; nobody asked to start it
    QUEUED = "queued"  # waits for a free slot
    STARTING = "starting"  # a worker was launched; it imports what it needs, and has not begun to train
    RUNNING = "running"  # a worker trains it
    PAUSING = "pausing"  # a pause was asked for; the worker goes on to where a snapshot can be taken
    PAUSED = "paused"  # a snapshot holds all that training was, and the worker is gone
    STOPPING = "stopping"  # a stop was asked for; the worker is saving the model
    COMPLETED = "completed"  # all timesteps done, model saved
    STOPPED = "stopped"  # ended on request, model saved if training had begun
    FAILED = "failed"  # training raised an error; cause and traceback are kept
    INTERRUPTED = "interrupted"  # the worker went away; the cause says how

    @property
    def is_active(self) -> bool:
        """Whether the run waits for, or has, a worker."""
        return self in ACTIVE

    @property
    def has_worker(self) -> bool:
        return self in WITH_WORKER

    @property
    def is_final(self) -> bool:
        """Whether the newest attempt to train the run has ended."""
        return not TRANSITIONS[self]

    @property
    def has_ended(self) -> bool:
        """Whether training is over. A paused run waits to go on."""
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
    _S.STOPPING: _ENDINGS,
    _S.PAUSED: frozenset(),
    _S.COMPLETED: frozenset(),
    _S.STOPPED: frozenset(),
    _S.FAILED: frozenset(),
    _S.INTERRUPTED: frozenset(),
}

RESUMES: dict[RunStatus, frozenset[RunStatus]] = {ending: frozenset({_S.QUEUED}) for ending in _ENDINGS | {_S.PAUSED}}
"""What may follow a final status, with the next attempt."""

WITH_WORKER = frozenset({_S.STARTING, _S.RUNNING}) | _ASKED
ACTIVE = WITH_WORKER | {_S.QUEUED}

APP_ENDED = "The app was ended."
"""Cause of a run that was stopped or paused because the app ended, and not because somebody wanted it to."""

_HINTS = {
    (_S.CREATED, _S.STOPPING): "It was never started; there is nothing to stop.",
    (_S.QUEUED, _S.QUEUED): "It was started already and waits for a free slot.",
    (_S.STARTING, _S.QUEUED): "It was started already, and is about to train.",
    (_S.RUNNING, _S.QUEUED): "It is training already.",
    (_S.PAUSING, _S.QUEUED): "It is about to pause. Resume it once it is paused.",
    (_S.STOPPING, _S.QUEUED): "It is about to stop. Resume it once it has stopped.",
    (_S.CREATED, _S.PAUSING): "It was never started; there is nothing to pause.",
    (_S.QUEUED, _S.PAUSING): "It waits for a free slot. Stop it, and resume it when it shall train.",
    (_S.STOPPING, _S.PAUSING): "It is about to stop. Resume it once it has stopped.",
}


def check_transition(source: RunStatus, target: RunStatus, *, next_attempt: bool = False) -> None:
    """Raise IllegalTransition, naming both states, unless ``source`` → ``target`` is allowed.

    Within one attempt, that is what TRANSITIONS says; with ``next_attempt`` it is what RESUMES says.
    """
    if target in (RESUMES.get(source, ()) if next_attempt else TRANSITIONS[source]):
        return
    hint = _HINTS.get((source, target), "")
    if not hint and source.is_final and target is _S.PAUSING:
        hint = "It does not train now."
    elif not hint and source.is_final:
        hint = "It has ended. Resume it, or create a new run to train again."
    raise IllegalTransition(source, target, hint)
