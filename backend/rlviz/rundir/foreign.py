"""Foreign runs: their configuration, folder and heartbeat; also the lease by which a session requests current weights.

A foreign run is a run folder that a program of the user writes, or that was imported. The service cannot control it.
While it runs, its program holds ``worker.lock``, is named in the ``started`` event, and touches ``heartbeat`` every
HEARTBEAT_SECONDS. A session asks a training run for its current policy through ``watch/``.
"""

from __future__ import annotations

import math
import os
import reprlib
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from numbers import Integral
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from rlviz.domain.config import CheckpointPlan, RunActor, RunConfig
from rlviz.domain.errors import InvalidRequest, RunFolderError
from rlviz.domain.ids import new_run_id
from rlviz.domain.limits import LIMITS, to_number
from rlviz.domain.metrics import MAX_STEP
from rlviz.domain.naming import make_distinct
from rlviz.rundir.creation import new_folder
from rlviz.rundir.files import check_folders, open_in_place, open_to_append
from rlviz.rundir.folder import RunFolder

HEARTBEAT_SECONDS = 1.0

MAX_SETTINGS = 500
MAX_VALUE_CHARACTERS = 1_000
MAX_DEPTH = 4

_SHORT = reprlib.Repr()
_SHORT.maxother = _SHORT.maxstring = 100


def foreign_config(
    *,
    algo: str,
    env_id: str,
    name: str | None,
    now: datetime,
    seed: int = 0,
    total_timesteps: int | None = None,
    settings: Mapping[str, object] | None = None,
    versions: Mapping[str, str] | None = None,
) -> RunConfig:
    """Return the configuration of a foreign run. Algorithm and environment may be unknown here.

    Args:
        algo: Name of the algorithm.
        env_id: Name of the environment.
        name: Name of the run; None: made from algorithm and environment.
        now: Time of creation.
        seed: Seed of the run.
        total_timesteps: Planned steps; None if unknown.
        settings: Hyperparameters under any names; values that JSON cannot hold become text.
        versions: Installed version by package name.

    Raises:
        InvalidRequest: Names or numbers that no run can have; the message says what is allowed.
    """
    _check_number("/seed", seed, 0, MAX_STEP)
    if total_timesteps is not None:
        _check_number("/total_timesteps", total_timesteps, 1, MAX_STEP)
    algo, env_id = _checked_name("/algo", algo), _checked_name("/env_id", env_id)
    return RunConfig(
        run_id=new_run_id(algo if algo.isascii() else "run", env_id, now),
        name=_checked_name("/name", name) if name is not None else f"{algo} on {env_id}"[: LIMITS.run_name.maximum],
        created_at=now,
        actor=RunActor.FOREIGN,
        algo=algo,
        env_id=env_id,
        preset=None,
        seed=int(seed),
        total_timesteps=int(total_timesteps or 0),
        hyperparameters=_json_of_settings(settings or {}),
        checkpoints=CheckpointPlan(film=0),
        versions=dict(versions or {}),
    )


def create_foreign(runs_dir: Path, config: RunConfig, fill: Callable[[RunFolder], None]) -> RunFolder:
    """Create the folder of a foreign run; it appears with what ``fill`` wrote into it. Raises OSError.

    A service that starts at this moment may delete the draft as a leftover; then it is created again.
    """
    for last in (False, False, True):
        try:
            with new_folder(runs_dir, config, fill=fill) as appear:
                appear()
            break
        except FileNotFoundError:
            if last:
                raise
    return RunFolder(runs_dir, config.run_id)


def touch_heartbeat(folder: RunFolder) -> None:
    """Touch the heartbeat file: the program that writes the run is alive.

    A missing folder or a full disk is ignored. Anything else in place of the file is renamed.
    """
    with suppress(OSError, RunFolderError), open_in_place(folder.heartbeat_path) as file:
        os.utime(file.fileno())


def read_heartbeat(folder: RunFolder) -> int | None:
    """Return the time of the last heartbeat by the clock of the file system (nanoseconds); None if there was none."""
    try:
        return folder.heartbeat_path.lstat().st_mtime_ns
    except OSError:
        return None


def _check_number(pointer: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= int(value) <= most:
        raise InvalidRequest.field(pointer, f"{pointer[1:]} must be a whole number from {least:,} to {most:,}.")


def _checked_name(pointer: str, value: str) -> str:
    most = LIMITS.run_name.maximum
    if not isinstance(value, str) or not value.strip() or len(value) > most or not value.isprintable():
        raise InvalidRequest.field(pointer, f"{pointer[1:]} must be text of 1 to {most} characters on one line.")
    return value.strip()


def _json_of_settings(settings: Mapping[Any, object]) -> dict[str, JsonValue]:
    if len(settings) > MAX_SETTINGS:
        raise InvalidRequest.field(
            "/config", f"config has {len(settings):,} settings; at most {MAX_SETTINGS} are allowed."
        )
    return _named(settings, 1)


def _named(settings: Mapping[object, object], depth: int) -> dict[str, JsonValue]:
    """Return settings by the text of their names; two names with the same text stay two."""
    found: dict[str, JsonValue] = {}
    for name, value in settings.items():
        found[make_distinct(setting_text(name), found)] = _json_of(value, depth)
    return found


def _json_of(value: object, depth: int = 1) -> JsonValue:
    """Return ``value`` if JSON can represent it, otherwise its text."""
    if value is None or isinstance(value, bool):
        return value
    if (number := to_number(value)) is not None:
        if isinstance(value, Integral) and not isinstance(number, int):
            return setting_text(value)  # JSON readers would lose digits
        return number if math.isfinite(number) else str(number)
    if isinstance(value, Mapping | list | tuple):
        if depth == MAX_DEPTH or len(value) > MAX_SETTINGS:
            return setting_text(value)
        if isinstance(value, Mapping):
            return _named(value, depth + 1)
        return [_json_of(one, depth + 1) for one in value]
    return setting_text(value)


def setting_text(value: object) -> str:
    """Return at most MAX_VALUE_CHARACTERS of text for a name or value of a hyperparameter. Only the beginning of a long
    collection is read."""
    try:
        text = _SHORT.repr(value) if isinstance(value, Mapping | list | tuple | set | frozenset) else str(value)
    except Exception:  # third-party code may raise anything
        text = f"<{type(value).__name__}>"
    return text.encode(errors="replace").decode()[:MAX_VALUE_CHARACTERS]


RENEW_SECONDS = 1.0
LEASE_SECONDS = 5.0
"""Seconds after which a lease expires if it is not renewed."""


class Lease:
    """The session's side of a lease. Call ``renew`` at any rate, and ``end`` at the end of the session."""

    def __init__(self, folder: RunFolder, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._folder, self._monotonic = folder, monotonic
        self._renew_at = float("-inf")

    def renew(self) -> None:
        """Keep the lease fresh. If a file cannot be written, retry a second later; meanwhile the session plays the
        newest checkpoint."""
        now = self._monotonic()
        if now < self._renew_at:
            return
        self._renew_at = now + RENEW_SECONDS
        with suppress(OSError, RunFolderError):
            check_folders(self._folder.path, self._folder.path)
            self._folder.watch.mkdir(exist_ok=True)
            with open_to_append(self._folder.lease_path, self._folder.path) as file:
                os.utime(file.fileno())

    def end(self) -> None:
        """End the lease. Another session of the same run recreates it within a second."""
        with suppress(OSError):
            self._folder.lease_path.unlink(missing_ok=True)


class LeaseWatch:
    """The trainer's side of a lease. Only the trainer's clock measures its age, because another host's clock may
    differ."""

    def __init__(self, path: Path, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._path, self._monotonic = str(path), monotonic
        self._seen: int | None = None
        self._renewed_at = float("-inf")

    def is_held(self) -> bool:
        """Whether there is a fresh lease. Takes one system call."""
        try:
            renewed = os.lstat(self._path).st_mtime_ns  # avoids building a Path
        except OSError:
            self._seen = None
            return False
        now = self._monotonic()
        if renewed != self._seen:
            self._seen, self._renewed_at = renewed, now
        return now - self._renewed_at < LEASE_SECONDS
