"""Exit statuses of commands, and the errors that carry them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum


class Exit(IntEnum):
    """Exit statuses that scripts can rely on. ``meaning`` documents each of them."""

    meaning: str

    OK = 0, "success"
    FAILED = (
        1,
        "the command ran, but a run, an experiment or an evaluation failed, a record is not identical, or a check "
        "found a problem",
    )
    BAD_INPUT = 2, "a command, a value or a setting is invalid; the message says what is allowed"
    NOT_FOUND = 3, "there is no such run, experiment, evaluation, snapshot or file"
    CONFLICT = (
        4,
        "the current state does not allow it: for instance, the run has already ended, or the runs folder is in use",
    )
    UNREACHABLE = 5, "the service does not answer, or denies access"
    NO_LOGIN = 6, "runs were not delivered, because you are not logged in to the sink"
    INTERRUPTED = 130, "interrupted with Ctrl-C, also while the command waits for an answer"

    def __new__(cls, value: int, meaning: str) -> Exit:
        status = int.__new__(cls, value)
        status._value_ = value
        status.meaning = meaning
        return status


class Failure(Exception):
    """Ends the command with ``status``. The message says what is wrong and what to do."""

    def __init__(self, status: Exit, message: str) -> None:
        super().__init__(message)
        self.status = status


class Refused(Failure):
    """A request that the service refuses. ``fields``: pointer and reason of each bad value."""

    def __init__(self, status: Exit, message: str, fields: Sequence[tuple[str, str]]) -> None:
        super().__init__(status, message)
        self.fields = fields


FLAGS = {
    **{
        name: f"--{name}"
        for name in ("algo", "count", "episodes", "seed", "sort", "status", "threshold", "window", "x")
    },
    "checkpoint_step": "--step",
    "env_id": "--env",
    "env_options": "--option",
    "evaluation/episodes": "--evaluate-episodes",
    "evaluation/every_steps": "--evaluate-every",
    "evaluation/stop_after": "--stop-after",
    "every_seconds": "--every-minutes",
    "every_steps": "--every-steps",
    "hyperparameters": "--set",
    "reward": "--reward-weight",
    "reward/caps": "--reward-cap",
    "reward/weights": "--reward-weight",
    "snapshots/every_seconds": "--snapshot-every-minutes",
    "snapshots/every_steps": "--snapshot-every-steps",
    "snapshots/keep": "--snapshot-keep",
    "snapshots/max_bytes": "--snapshot-max-size",
    "tags": "--tag",
    "total_timesteps": "--steps",
}
"""Flags for request fields that have the same flag in all commands."""


def replace_pointers_with_flags(refused: Refused) -> str:
    """Return the service's message with flags instead of JSON pointers."""
    message = str(refused)
    for pointer, _ in refused.fields:
        message = message.replace(f"{pointer}: ", f"{_flag_of(pointer)}: ")
    return message


def _flag_of(pointer: str) -> str:
    """Return the flag of a field, such as ``--set gamma`` for ``/hyperparameters/gamma``; the pointer if there is
    none."""
    parts = pointer.strip("/").split("/")
    for length in (2, 1):
        if flag := FLAGS.get("/".join(parts[:length])):
            return " ".join([flag, *(part for part in parts[length:] if not part.isdigit())])
    return pointer


def exit_for(http_status: int) -> Exit:
    """Return the exit status for a response with ``http_status``."""
    if http_status in (404, 410):
        return Exit.NOT_FOUND
    if http_status == 409:
        return Exit.CONFLICT
    if http_status in (401, 403, 429, 503):
        return Exit.UNREACHABLE
    return Exit.BAD_INPUT if 400 <= http_status < 500 else Exit.FAILED
