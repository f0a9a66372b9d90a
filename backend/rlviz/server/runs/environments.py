"""Look up environments: those of the registry and the user's own.

An own environment is probed in a separate process, since it may hang, print or crash: when the service starts, and
again when its files change. ``EnvironmentService`` waits for a probe only when a caller needs that environment.
"""

from __future__ import annotations

import json
import logging
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import BoundedSemaphore, Lock, Thread
from typing import IO

from rlviz.child_environment import child_environment
from rlviz.domain.environment import ProbedEnvironment
from rlviz.domain.errors import UnknownName
from rlviz.importing import module_command
from rlviz.learning.environments import ENVIRONMENTS
from rlviz.learning.environments.base import Environment, Family, absolute, split_entry_point
from rlviz.learning.environments.custom import FAMILY, custom_environment, unknown_environment
from rlviz.learning.environments.gameboy.family import FAMILY as GAMES
from rlviz.learning.environments.gameboy.game_file import FILE as GAME_FILE
from rlviz.learning.environments.gameboy.game_file import ROMS as ROM_FILES
from rlviz.learning.environments.gameboy.own import PREFIX
from rlviz.learning.presets.catalog import presets_tuned_for

log = logging.getLogger(__name__)


TIME_LIMIT_SECONDS = 60.0
"""Seconds, without the time that the process waits for a processor; enough to import a large library."""

POLL_SECONDS = 0.2
"""Seconds between checks for a process that takes too long."""

TAIL_BYTES = 20_000
"""Bytes of standard error that are kept, for a process that ends without an answer."""

_DRAIN_SECONDS = 1.0


@dataclass(frozen=True)
class ProbeFailure:
    """Why an environment cannot be used and how to fix it, written for the author of its class."""

    message: str


class Prober:
    """Runs ``python -m rlviz.learning.environments.probe``. Thread-safe. After ``close`` it probes nothing."""

    def __init__(self, time_limit: float = TIME_LIMIT_SECONDS, *, hang_seconds: float | None = None) -> None:
        """``time_limit``: seconds for each environment. ``hang_seconds``: the part of them for random steps."""
        self._time_limit = time_limit
        self._options = [] if hang_seconds is None else ["--hang-seconds", str(hang_seconds)]
        self._running: set[_Probe] = set()
        self._closed = False
        self._lock = Lock()

    def probe(self, entry_point: str) -> ProbedEnvironment | ProbeFailure:
        """Probe the class and describe it. Returns the last answer if it hung or crashed after one."""
        with tempfile.TemporaryDirectory(prefix="rlviz-probe-") as folder:
            answers = Path(folder) / "answers"
            with self._lock:
                if self._closed:
                    return ProbeFailure("The service stopped before it was probed.")
                probe = _Probe(entry_point, answers, self._options)
                self._running.add(probe)
            try:
                status = probe.wait(self._time_limit)
            finally:
                with self._lock:
                    self._running.discard(probe)
            answer = _last_answer(answers)
        if answer is not None:
            return answer
        if status is None:
            advice = (
                "Check its start state."
                if entry_point.rpartition(":")[0].endswith(GAME_FILE)
                else "Keep the code at the top level of its module short."
            )
            return ProbeFailure(f"It was not ready within {self._time_limit:g} seconds. {advice}")
        return ProbeFailure(f"Its process ended with status {status}: {probe.last_line()}")

    def close(self) -> None:
        with self._lock:
            self._closed = True
            for probe in self._running:
                probe.kill()


class _Probe:
    """One probing process."""

    def __init__(self, entry_point: str, answers: Path, options: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            [*module_command("rlviz.learning.environments.probe"), entry_point, "--answer", str(answers), *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=child_environment(SDL_VIDEODRIVER="dummy", SDL_AUDIODRIVER="dummy", PYTHONIOENCODING="utf-8:replace"),
            start_new_session=True,
        )
        self._tail = b""
        assert self._process.stderr is not None
        self._drain = Thread(target=self._keep_tail, args=(self._process.stderr,), name="probe-output", daemon=True)
        self._drain.start()

    def wait(self, seconds: float) -> int | None:
        """Wait for the process and kill what it started. Returns its exit status, or None if it exceeded
        ``seconds``."""
        began = time.monotonic()
        try:
            while time.monotonic() - began - queued_seconds(self._process.pid) < seconds:
                with suppress(subprocess.TimeoutExpired):
                    return self._process.wait(min(POLL_SECONDS, seconds))
            return None
        finally:
            self.kill()
            self._process.wait()
            self._drain.join(_DRAIN_SECONDS)

    def kill(self) -> None:
        """Kill it with all processes that it started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def last_line(self) -> str:
        """Return the last line that it wrote to standard error."""
        lines = self._tail.decode(errors="replace").strip().splitlines()
        return lines[-1][:300] if lines else "it said nothing."

    def _keep_tail(self, pipe: IO[bytes]) -> None:
        with pipe:
            while piece := pipe.read1(TAIL_BYTES):  # type: ignore[attr-defined]
                self._tail = (self._tail + piece)[-TAIL_BYTES:]


def queued_seconds(pid: int) -> float:
    """Return the seconds that a process has waited for a processor: the maximum over its threads.

    Read from the second field of Linux's ``schedstat`` (Documentation/scheduler/sched-stats.rst); 0 elsewhere.
    """
    longest = 0
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError, IndexError, ValueError):  # it has ended meanwhile
                longest = max(longest, int((task / "schedstat").read_text().split()[1]))
    return longest / 1e9


def _last_answer(path: Path) -> ProbedEnvironment | ProbeFailure | None:
    """Return the answer in the last complete line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return None
    for line in reversed(lines):
        with suppress(ValueError):  # a truncated line
            answer = json.loads(line)
            reason = answer.get("unavailable_reason")
            return ProbeFailure(reason) if reason is not None else ProbedEnvironment.model_validate(answer)
    return None


AT_ONCE = max(2, os.cpu_count() or 1)
"""Number of environments that are probed at the same time."""

Version = tuple[tuple[str, int, int], ...]
"""For each file: path, modification time in nanoseconds, and size in bytes."""


class EnvironmentService:
    """Registered and own environments. ``start`` probes own ones in the background; methods wait for those they
    need."""

    def __init__(
        self, entry_points: Iterable[str] = (), prober: Prober | None = None, *, roms: Path | None = None
    ) -> None:
        """``roms``: the folder with the user's games; None for none."""
        self._roms = roms
        self._games: dict[str, _OwnEnvironment] = {}
        """The games that are in the folder of ROMs now, by the name of their folder."""
        self._scanning = Lock()
        self._prober = prober or Prober()
        self._places = BoundedSemaphore(AT_ONCE)
        self._own: dict[str, _OwnEnvironment] = {}
        for entry_point in dict.fromkeys(entry_points):
            env_id = self._free_id(entry_point)
            self._own[env_id] = _OwnEnvironment(env_id, entry_point, self._prober, self._places)
        self._is_started = False

    def start(self) -> None:
        self._is_started = True
        for own in self._own.values():
            own.start()
        self._current_games()

    def close(self) -> None:
        self._prober.close()

    def all(self) -> list[Environment]:
        return [*ENVIRONMENTS, *self.own()]

    def own(self) -> list[Environment]:
        """Return the user's own environments: classes, and games."""
        return [own.current().environment for own in self._started()]

    def games(self) -> dict[str, str]:
        """Return the environment of each game in the folder of ROMs, by the name of its folder."""
        self._current_games()
        return {name: own.env_id for name, own in self._games.items()}

    def problem_with_roms(self) -> str | None:
        """Return why the folder of ROMs cannot be read, as a sentence; None if it can, or if there is none."""
        try:
            list(self._game_folders())
        except OSError as error:
            return f"The folder of ROMs {self._roms} cannot be read: {error.strerror}."
        return None

    def unnamable_games(self) -> list[str]:
        """Return the folders of games that are left out, because their names are not UTF-8; the wrong bytes are
        escaped, as in ``b\\xff``."""
        if self._roms is None:
            return []
        with suppress(OSError):
            names = (folder.name for folder in self._roms.iterdir() if _is_of_game(folder))
            return sorted(os.fsencode(name).decode(errors="backslashreplace") for name in names if not _is_text(name))
        return []

    def get(self, env_id: str) -> Environment:
        """Return the environment. Raises UnknownName, which suggests the closest name."""
        if env_id in ENVIRONMENTS.names():
            return ENVIRONMENTS.get(env_id)
        own = {one.env_id: one for one in self._started()}
        if env_id not in own:
            raise UnknownName("environment", env_id, [*ENVIRONMENTS.names(), *own], "/env_id")
        return own[env_id].current().environment

    def still(self, env_id: str) -> bytes | None:
        """Return a small picture of an own environment (WebP), made by its probe; None if there is none."""
        found = next((one for one in self._started() if one.env_id == env_id), None)
        return None if found is None else found.current().still

    def _started(self) -> list[_OwnEnvironment]:
        return [*self._own.values(), *self._current_games()] if self._is_started else []

    def _current_games(self) -> list[_OwnEnvironment]:
        """Return the games in the folder of ROMs. A new one appears without a restart; each is probed once."""
        with self._scanning:
            try:
                folders = list(self._game_folders())
            except OSError as error:
                log.warning("The folder of ROMs %s cannot be read: %s", self._roms, error)
                return []
            games: dict[str, _OwnEnvironment] = {}
            taken = {*ENVIRONMENTS.names(), *self._own}
            for folder in folders:
                name = _name_of_game(folder.name)
                ids = (f"{PREFIX}{name}{number}-v0" for number in ("", *range(2, len(taken) + 3)))
                env_id = next(one for one in ids if one not in taken)
                taken.add(env_id)
                known = self._games.get(folder.name)
                if known is None or known.env_id != env_id:
                    file = folder.absolute() / GAME_FILE
                    known = _OwnEnvironment(env_id, f"{file}:{name}", self._prober, self._places, GAMES)
                    known.start()
                games[folder.name] = known
            self._games = games
            return list(games.values())

    def _game_folders(self) -> Iterable[Path]:
        """Return the folders of games, by name. Raises OSError if the folder of ROMs cannot be read."""
        if self._roms is None:
            return ()
        found = (folder for folder in self._roms.iterdir() if not folder.name.startswith("."))
        return sorted(folder for folder in found if _is_text(folder.name) and _is_of_game(folder))

    def _free_id(self, entry_point: str) -> str:
        """Return the name of the class, with a number if another environment has that id."""
        try:
            name = split_entry_point(entry_point)[1]
        except ValueError:
            name = entry_point[:80]
        taken = {*ENVIRONMENTS.names(), *self._own}
        candidates = (name, *(f"{name}-{number}" for number in range(2, len(taken) + 3)))
        return next(candidate for candidate in candidates if candidate not in taken)


@dataclass(frozen=True)
class _Found:
    """The result of a probe, and the version of the files that it was read from."""

    environment: Environment
    still: bytes | None
    sources: tuple[str, ...]
    version: Version


class _OwnEnvironment:
    """An own environment. A thread probes it, and again when its files change."""

    def __init__(
        self, env_id: str, entry_point: str, prober: Prober, places: BoundedSemaphore, family: Family = FAMILY
    ) -> None:
        self.env_id, self._entry_point, self._family = env_id, entry_point, family
        self._prober, self._places = prober, places
        self._lock = Lock()
        self._probing: Thread | None = None
        self._found: _Found | None = None

    def start(self) -> None:
        """Start a probe, unless one is running."""
        with self._lock:
            if self._probing is None:
                self._probing = Thread(target=self._probe, name=f"probe-{self.env_id}", daemon=True)
                self._probing.start()

    def current(self) -> _Found:
        """Return the result for the current files; waits for the probe."""
        if self._probing is None and self._found is not None and _version(self._found.sources) != self._found.version:
            self.start()
        if (probing := self._probing) is not None:
            probing.join()
        assert self._found is not None
        return self._found

    def _probe(self) -> None:
        with self._places:
            found = self._probe_now()
        with self._lock:
            self._found, self._probing = found, None

    def _probe_now(self) -> _Found:
        try:
            entry_point = absolute(self._entry_point)
        except (ValueError, RuntimeError) as error:  # RuntimeError: links that lead back to themselves
            return self._unusable(str(error), (), ())
        file = split_entry_point(entry_point)[0]
        watched = _watched(Path(file))
        before = _version(watched)
        try:
            found = self._prober.probe(entry_point)
        except OSError as error:
            found = ProbeFailure(f"Its probe could not be started: {error}.")
        if isinstance(found, ProbeFailure):
            return self._unusable(found.message, watched, before)
        sources = found.sources or watched
        changed = _version(watched) != before  # during the probe: the result may describe either version
        return _Found(
            custom_environment(self.env_id, found.environment),
            found.still,
            sources,
            () if changed else _version(sources),
        )

    def _unusable(self, reason: str, sources: tuple[str, ...], version: Version) -> _Found:
        log.info("Environment %s cannot be used: %s", self._entry_point, reason)  # the page and `rlviz doctor` show it
        return _Found(
            unknown_environment(self.env_id, f"Your own, from {self._entry_point}.", reason, self._family),
            None,
            sources,
            version,
        )


def _is_text(name: str) -> bool:
    """Return whether a file name is text that answers can contain: bytes that are not UTF-8 become surrogates."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def _is_of_game(folder: Path) -> bool:
    with suppress(OSError):
        return any((folder / name).exists() for name in (GAME_FILE, *ROM_FILES))
    return False


def _watched(file: Path) -> tuple[str, ...]:
    """Return the paths whose change may make an environment usable: its file; for a game also its folder and ROM."""
    if file.name != GAME_FILE:
        return (str(file),)
    return tuple(map(str, (file, file.parent, *(file.parent / name for name in ROM_FILES))))


def _name_of_game(folder: str) -> str:
    """Return the name in the id of the game in ``folder``: ``my-game 2`` becomes ``MyGame2``."""
    words = re.findall(r"[A-Za-z0-9]+", folder)
    name = "".join(word[:1].upper() + word[1:] for word in words)[:40]
    return name if name[:1].isalpha() else f"Game{name}"


def _version(paths: Iterable[str]) -> Version:
    """Return the version of the files that exist; a module's name is not a file."""
    found = []
    for path in paths:
        try:
            status = Path(path).stat()
        except OSError:
            continue
        found.append((path, status.st_mtime_ns, status.st_size))
    return tuple(found)


def variants(environment: Environment) -> list[Environment]:
    """Return a variant of the environment for each combination of the options that matter.

    An option matters if it has few values and one of them changes spaces, threshold, limits or presets.
    """
    names = [name for name in type(environment.options).model_fields if _matters(environment, name)]
    return list(environment.variants(*names)) if names else []


def _matters(environment: Environment, name: str) -> bool:
    if any(name in preset.when for preset in presets_tuned_for(environment.id)):
        return True
    return any(variant.facts() != environment.facts() for variant in environment.variants(name))
