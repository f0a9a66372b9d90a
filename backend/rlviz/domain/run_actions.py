"""What can be done with a run: one table by actor and status, with a sentence for each action that is not possible.

The service refuses with these sentences, and the OpenAPI document contains the whole table as ``x-run-actions``. From
it, the browser's copy is generated, so a page offers exactly what the service accepts.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from rlviz.domain.config import RunActor
from rlviz.domain.status import RunStatus, why_not_pause, why_not_queue, why_not_stop

_S = RunStatus


class RunAction(StrEnum):
    START = "start"
    PAUSE = "pause"
    RESUME = "resume"
    EXTEND = "extend"  # train a completed run for more steps
    STOP = "stop"
    SNAPSHOT = "snapshot"
    ROLLBACK = "rollback"
    FORK = "fork"
    EVALUATE = "evaluate"
    DUPLICATE = "duplicate"
    COMPARE = "compare"
    RENAME = "rename"
    DELETE = "delete"
    RESTORE = "restore"


_A = RunAction

TRAINING = frozenset({_A.PAUSE, _A.RESUME, _A.EXTEND, _A.SNAPSHOT, _A.ROLLBACK, _A.FORK})
"""Actions on runs in which a policy learns, and on no others."""

STEERING = frozenset({_A.START, _A.STOP, _A.DUPLICATE, _A.EVALUATE})
"""Actions that the service cannot carry out while a person plays or another program trains."""

USING = TRAINING | {_A.START, _A.EVALUATE}
"""Actions that use the run's policy or code. A run that you can only view allows none of them."""

NEWER = "A newer version of the app wrote this run: you can only view it here."
UNTRUSTED = "This run was imported or copied here: you can only view it until you trust it."

DELETED = "deleted"
"""Stands for a status in the table: the run is in the trash."""


def suits(action: RunAction, actor: RunActor) -> bool:
    """Return whether ``action`` makes sense for runs of ``actor``. Others are not offered."""
    if action in TRAINING:
        return actor is RunActor.POLICY
    return not actor.is_guest or action not in STEERING


def why_not(action: RunAction, actor: RunActor, status: RunStatus | None, *, has_policy: bool) -> str | None:
    """Return why ``action`` is not possible now, as a sentence, or None if it is possible.

    Args:
        action: What the user wants to do.
        actor: Who acts in the run.
        status: The run's status; None if the run is in the trash.
        has_policy: Whether a checkpoint was saved.
    """
    if action is _A.RESTORE:
        return None if status is None else "It is not in the trash."
    if status is None:
        return "It is in the trash. Restore it first."
    if not suits(action, actor):
        return _why_not_suited(action, actor)
    match action:
        case _A.START:
            return None if status is _S.CREATED else "It was started already."
        case _A.PAUSE:
            return why_not_pause(status)
        case _A.RESUME:
            return why_not_queue(status)
        case _A.EXTEND:
            return None if status is _S.COMPLETED else "It has not done all of its steps yet."
        case _A.STOP:
            return why_not_stop(status)
        case _A.SNAPSHOT:
            return _why_no_snapshot(status)
        case _A.ROLLBACK:  # in the worker of a run that trains; a completed run goes back before it continues
            return None if status in (_S.RUNNING, _S.COMPLETED) else why_not_queue(status)
        case _A.EVALUATE:
            return None if has_policy or actor is not RunActor.POLICY else _why_no_policy(status)
        case _A.DELETE:
            return _why_not_delete(actor) if status.is_active else None
        case _:
            return None


def action_table() -> dict[str, Any]:
    """Return the table for other programs.

    ``reasons[actor][status][action]`` is the number of a sentence in ``sentences``; an action without a number is
    possible. ``without_policy[actor][status]`` is the same for ``evaluate`` while no checkpoint was saved.
    """
    sentences: list[str] = []

    def number(sentence: str) -> int:
        if sentence not in sentences:
            sentences.append(sentence)
        return sentences.index(sentence)

    states = {**{status.value: status for status in RunStatus}, DELETED: None}
    reasons: dict[str, dict[str, dict[str, int]]] = {}
    without_policy: dict[str, dict[str, int]] = {}
    for actor in RunActor:
        reasons[actor.value] = {
            name: {
                action.value: number(sentence)
                for action in RunAction
                if (sentence := why_not(action, actor, status, has_policy=True)) is not None
            }
            for name, status in states.items()
        }
        without_policy[actor.value] = {
            name: number(sentence)
            for name, status in states.items()
            if (sentence := why_not(_A.EVALUATE, actor, status, has_policy=False)) is not None
        }
    return {
        "actions": [action.value for action in RunAction],
        "sentences": sentences,
        "reasons": reasons,
        "without_policy": without_policy,
        "unsuited": {
            actor.value: [action.value for action in RunAction if not suits(action, actor)] for actor in RunActor
        },
        "look_only": {
            "actions": [action.value for action in RunAction if action in USING],
            "newer": NEWER,
            "untrusted": UNTRUSTED,
        },
    }


def _why_not_suited(action: RunAction, actor: RunActor) -> str:
    if actor is RunActor.FOREIGN:
        return "An external program writes this run. You can watch it here, but only that program can control it."
    if actor is RunActor.HUMAN and action not in TRAINING:
        return "A person plays this run: it begins and ends on the Play page."
    return "Nothing learns in this run."


def _why_not_delete(actor: RunActor) -> str:
    if actor is RunActor.FOREIGN:
        return "A program writes it. End that program first."
    return "It is being played. Leave the Play page first." if actor is RunActor.HUMAN else "Stop it first."


def _why_no_snapshot(status: RunStatus) -> str | None:
    if status in (_S.STARTING, _S.RUNNING):
        return None
    if status in (_S.PAUSING, _S.STOPPING):
        return "It is taking its last snapshot now."
    return "A snapshot can be taken while the run trains."


def _why_no_policy(status: RunStatus) -> str | None:
    match status:
        case _S.RUNNING | _S.PAUSING | _S.STOPPING:  # a checkpoint can be requested
            return None
        case _S.CREATED:
            return "Start the run first: there is no policy to evaluate yet."
        case _S.QUEUED:
            return "The run waits in the queue: there is no policy yet."
        case _S.STARTING:
            return "The run is starting: there is no policy yet."
        case _:
            return "This run ended before its first checkpoint."
