"""What a session plays: one stored policy, or the newest policy of a run in training.

Also defines ``Outlet``, the interface of the viewer's connection.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.errors import CheckpointUnusable, RunFolderError
from rlviz.domain.recording import StepRecord
from rlviz.domain.sessions import ClientMessage, Line, ServerMessage, SessionMode
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.learning.algorithms.policy import TrainedPolicy, replace_weights
from rlviz.learning.environments.base import Environment
from rlviz.learning.playing.evaluate import load_policy
from rlviz.learning.playing.rollout import Env, Episode, Start, Step
from rlviz.learning.playing.seen import Seen
from rlviz.learning.sessions.packets import Presence, Recording
from rlviz.rundir.files import is_file, open_file
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.foreign import Lease

POLL_SECONDS = 0.1
"""How often a run in training is checked for newer weights."""


class PolicySource(Protocol):
    """A source of policies. Call ``find_newer`` often; it is cheap while nothing has changed.

    The same policy object may have newer weights afterwards.
    """

    def find_newer(self) -> TrainedPolicy | None:
        """Return the policy to play from now on if it is new, else None. Raises CheckpointUnusable."""

    def close(self) -> None: ...


class NoPolicy:
    """For environments without a run."""

    def find_newer(self) -> None:
        return None

    def close(self) -> None:
        """Do nothing: nothing is open."""


class FixedPolicy:
    """One stored policy, named by its file in the run folder. ``before_load`` is as for ``NewestPolicy``."""

    def __init__(
        self, folder: RunFolder, algo: str, name: str, *, before_load: Callable[[], None] = lambda: None
    ) -> None:
        self._folder, self._algo, self._before_load = folder, algo, before_load
        self._name: str | None = name

    def find_newer(self) -> TrainedPolicy | None:
        if self._name is None:
            return None
        name, self._name = self._name, None
        self._before_load()
        return load_policy(self._folder, self._algo, name)

    def close(self) -> None:
        """Do nothing: nothing is open."""


class NewestPolicy:
    """The newest policy in the run folder. With ``lease``, the trainer is asked to write its current weights.

    Args:
        ended_attempt: Number of an attempt that has ended; the lease is not taken until a later one is requested, so
            that nothing is written into the folder of a run that does not train. None if an attempt is running.
        before_load: Called before a policy is read, which takes long on a busy machine.
    """

    def __init__(
        self,
        folder: RunFolder,
        algo: str,
        lease: Lease,
        *,
        ended_attempt: int | None = None,
        before_load: Callable[[], None] = lambda: None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder, self._algorithm, self._lease = folder, ALGORITHMS.get(algo), lease
        self._ended_attempt, self._before_load, self._monotonic = ended_attempt, before_load, monotonic
        self._control: tuple[int, int, Path] | None = None
        self._look_at = float("-inf")
        self._seen: tuple[int, int, Path] | None = None
        self._policy: TrainedPolicy | None = None
        self._ask()  # early, because making the environment takes time

    def find_newer(self) -> TrainedPolicy | None:
        now = self._monotonic()
        if now < self._look_at:
            return None
        self._look_at = now + POLL_SECONDS
        self._ask()
        found = filter(None, map(self._version, self._candidates()))
        newest = max(found, default=None)
        if newest is None or newest == self._seen:
            return None
        self._seen = newest
        self._before_load()
        try:
            self._policy = self._load(newest[2])
        except CheckpointUnusable:
            if self._policy is None and is_file(newest[2], self._folder.path):
                raise
            return None  # a newer file has just replaced it; or the current policy keeps playing
        return self._policy

    def close(self) -> None:
        if self._ended_attempt is None:
            self._lease.end()

    def _ask(self) -> None:
        if self._ended_attempt is not None and self._is_resumed(self._ended_attempt):
            self._ended_attempt = None
        if self._ended_attempt is None:
            self._lease.renew()

    def _is_resumed(self, ended_attempt: int) -> bool:
        """Return whether a later attempt is requested. The control file is read when it was replaced."""
        control = self._version(self._folder.control_path)
        if control == self._control:
            return False
        self._control = control
        try:
            return self._folder.read_control().attempt > ended_attempt
        except RunFolderError:  # damaged, or just removed
            return False

    def _candidates(self) -> list[Path]:
        found = [self._folder.live_weights_path, self._folder.model_path]
        if self._policy is None:
            kept = (*self._folder.checkpoint_files()[-1:], *self._folder.film_files()[-1:])
            found += [path for _, path in kept]
        return found

    def _load(self, path: Path) -> TrainedPolicy:
        if self._policy is not None and path == self._folder.live_weights_path:
            try:
                with open_file(path, self._folder.path) as file:
                    replace_weights(self._policy, file)
            except (
                OSError,
                RuntimeError,
                RunFolderError,
            ):  # of another architecture, or just removed: read the complete file
                pass
            else:
                return self._policy
        return load_policy(self._folder, self._algorithm.id, path.relative_to(self._folder.path).as_posix())

    def _version(self, path: Path) -> tuple[int, int, Path] | None:
        """Identify the version of the regular file at ``path``; None if there is none."""
        if not is_file(path, self._folder.path):
            return None
        try:
            status = path.lstat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_ino, path


SessionInput = ClientMessage | Presence | Recording
"""Input of a session: messages of the viewer, and two kinds that the service sends itself."""

Sink = Callable[[Episode, Step, StepRecord, NDArray[np.uint8]], None]
"""Called with every step of an episode, its record and its frame (height, width, 3). A lower step number than before
means that the viewer went back. The frame may be overwritten after the call, so copy what you keep."""


@dataclass(frozen=True)
class Stage:
    """What is played, where, and from which seed. ``make_env`` makes another environment of the same kind.

    With ``start``, episodes begin there. They do not go to the sinks, since their returns cannot be compared with those
    of whole episodes.
    """

    mode: SessionMode
    environment: Environment
    env: Env
    make_env: Callable[[], Env]
    policies: PolicySource
    run_id: str | None
    seed: int
    greedy: bool
    start: Start | None = None


class Outlet(Protocol):
    """The connection to the viewer."""

    def send(self, message: ServerMessage) -> None: ...

    def show(
        self, record: StepRecord, frame: NDArray[np.uint8], seen: Seen | None = None, line: Line = Line.PLAYED
    ) -> None: ...

    def wait(self, seconds: float) -> SessionInput | None:
        """Return the next input, or None if there is none within ``seconds``."""
