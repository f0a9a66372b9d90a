"""Use cases on sessions: create, list, find and end them."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from pydantic import JsonValue

from rlviz.domain.config import RunActor
from rlviz.domain.errors import (
    InvalidRequest,
    NothingToEvaluate,
    NothingToPlay,
    RlvizError,
    SessionNotFound,
    TooManySessions,
)
from rlviz.domain.ids import new_session_id
from rlviz.domain.limits import DEFAULT_EVALUATION_SEED
from rlviz.domain.sessions import ErrorMessage, SessionMode
from rlviz.domain.status import APP_ENDED, RunStatus
from rlviz.learning.environments.custom import find_environment
from rlviz.learning.environments.gameboy.game_file import BadGame
from rlviz.learning.sessions.folder import SessionFolder, SessionPlan
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.process_identity import ProcessIdentity
from rlviz.server.catalog.database import Database
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.runs import get_run
from rlviz.server.evaluations.film import choose_policy
from rlviz.server.games.service import GameService
from rlviz.server.runs.environments import EnvironmentService
from rlviz.server.runs.service import PlayedRuns
from rlviz.server.sessions.cells import CellService
from rlviz.server.sessions.live_session import LiveSession
from rlviz.server.supervisor.trust_guard import TrustGuard
from rlviz.server.supervisor.workers import SessionWorkers
from rlviz.settings import Settings


@dataclass(frozen=True)
class NewSession:
    """What to play: a run's policy, an environment without a run, or a ROM to describe."""

    mode: SessionMode
    run_id: str | None = None
    env_id: str | None = None
    rom: str | None = None
    env_options: Mapping[str, JsonValue] = field(default_factory=dict)
    checkpoint_step: int | None = None
    seed: int | None = None
    greedy: bool | None = None
    cell: int | None = None


PATIENCE_SECONDS = 3.0
"""Seconds that a new session waits for the place of another. A page that replaces a session by another closes the
first, which may arrive after the request for the second."""

_LOOK_SECONDS = 0.05


class SessionService:
    """Creates and ends sessions. Use it only on the event loop; disk access happens in threads."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        workers: SessionWorkers,
        environments: EnvironmentService,
        played: PlayedRuns,
        games: GameService,
        cells: CellService,
        *,
        clock: Callable[[], float] = time.time,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        self._settings, self._database = settings, database
        self._patience, self._cells = patience, cells
        self._workers, self._environments, self._played = workers, environments, played
        self._games = games
        self._clock, self._trust = clock, TrustGuard(settings)
        self._recording: set[asyncio.Task[None]] = set()
        self._live: dict[str, LiveSession] = {}

    async def create(self, new: NewSession) -> LiveSession:
        """Create a session, which a client must attach to soon.

        Raises TooManySessions, RunNotFound, GameNotFound, NothingToPlay, RunFolderError, UnknownName or InvalidRequest.
        """
        await self.wait_for_room()
        plan = await asyncio.to_thread(self._plan, new)
        folder = await asyncio.to_thread(SessionFolder.create, plan)
        session_id = new_session_id()
        session = LiveSession(
            session_id,
            plan,
            folder,
            self._forget,
            on_played=self._record,
            run_id=new.run_id,
            created_at=self._clock(),
        )
        try:
            await self.wait_for_room()  # again, since others may have been created meanwhile
            await session.open()
        except BaseException:
            folder.remove()
            raise
        self._live[session_id] = session
        loop = asyncio.get_running_loop()

        def on_gone(cause: str) -> None:
            with suppress(RuntimeError):  # the service has ended
                loop.call_soon_threadsafe(session.worker_gone, cause)

        self._workers.launch(session_id, folder, on_gone)
        return session

    def get(self, session_id: str) -> LiveSession:
        """Raises SessionNotFound."""
        session = self._live.get(session_id)
        if session is None:
            raise SessionNotFound(f"There is no session {session_id[:80]!r}; it may have ended. Start a new one.")
        return session

    def list(self) -> list[LiveSession]:
        """Return active sessions, oldest first."""
        return list(self._live.values())

    def delete(self, session_id: str) -> None:
        """End a session. Raises SessionNotFound."""
        self.get(session_id).end("The session was ended.")

    def close(self) -> None:
        for session in self.list():
            session.end(APP_ENDED)

    def _record(self, session: LiveSession) -> None:
        """Create a run that stores what a person plays in ``session``."""

        async def begin() -> None:
            try:
                recording = await asyncio.to_thread(self._played.create_for_session, session.id, session.plan)
            except (RlvizError, OSError) as error:
                session.send_to_viewer(ErrorMessage(detail=f"Your episodes are not saved: {error}"))
            else:
                await session.send(recording)

        task = asyncio.get_running_loop().create_task(begin())
        self._recording.add(task)
        task.add_done_callback(self._recording.discard)

    def _forget(self, session: LiveSession) -> None:
        self._live.pop(session.id, None)
        self._workers.end(session.id)

    async def wait_for_room(self) -> None:
        """Make room for a session, and wait for a viewer that is just leaving. Raises TooManySessions."""
        give_up_at = time.monotonic() + self._patience
        while True:
            try:
                return self._make_room()
            except TooManySessions:
                if self._settings.max_sessions == 0 or time.monotonic() >= give_up_at:
                    raise
            await asyncio.sleep(_LOOK_SECONDS)

    def _make_room(self) -> None:
        """If there are too many sessions, end the oldest without a viewer, or else the oldest paused one.

        Raises TooManySessions.
        """
        limit = self._settings.max_sessions
        if len(self._live) < limit:
            return
        live = self._live.values()
        abandoned = next((session for session in live if session.is_abandoned), None)
        idle = next((session for session in live if session.is_idle), None)
        if limit == 0 or (abandoned is None and idle is None):
            raise TooManySessions(
                f"{len(self._live)} of at most {limit} sessions are active (RLVIZ_MAX_SESSIONS). Close one, then try "
                "again."
            )
        if abandoned is not None:
            abandoned.end("The session had no viewer, and another session started.")
        elif idle is not None:
            idle.end("The session was paused for a minute, and another session started.")

    def _plan(self, new: NewSession) -> SessionPlan:
        if (new.mode is SessionMode.DESCRIBE) != (new.rom is not None):
            raise InvalidRequest.field("/rom", "Mode describe plays a ROM. Give both, or neither.")
        if new.rom is None and (new.run_id is None) == (new.env_id is None):
            raise InvalidRequest.field("/run_id", "Give run_id, or env_id for an environment without a run.")
        seed = DEFAULT_EVALUATION_SEED if new.seed is None else new.seed
        common = {
            "mode": new.mode,
            "seed": seed,
            "greedy": new.greedy is not False,
            "secret": secrets.token_hex(32),
            "service": str(ProcessIdentity.current()),
        }
        if new.rom is not None:
            return self._plan_of_rom(new, new.rom, common)
        if new.run_id is None:
            if new.cell is not None:
                raise InvalidRequest.field("/cell", "Only a run has a map. Give run_id, or leave cell out.")
            return self._plan_of_environment(new, common)
        if new.env_options:
            raise InvalidRequest.field("/env_options", "A run brings its own options. Leave env_options out.")
        return self._plan_of_run(new, new.run_id, common)

    def _plan_of_rom(self, new: NewSession, name: str, common: Mapping[str, object]) -> SessionPlan:
        if new.run_id is not None or new.env_id is not None or new.env_options or new.checkpoint_step is not None:
            raise InvalidRequest.field("/rom", "A ROM is played without a run, an environment or its options.")
        game = self._games.find(name)
        if (problem := self._games.problem()) is not None:
            raise InvalidRequest.field("/rom", problem)
        try:
            rom = self._games.rom(game)
        except BadGame as error:
            raise InvalidRequest.field("/rom", str(error)) from error
        return SessionPlan.model_validate({**common, "env_id": game.env_id, "rom": rom})

    def _plan_of_environment(self, new: NewSession, common: Mapping[str, object]) -> SessionPlan:
        assert new.env_id is not None
        if new.checkpoint_step is not None:
            raise InvalidRequest.field("/checkpoint_step", "Only a run has policies. Give run_id, or leave this out.")
        environment = self._environments.get(new.env_id).resolve(new.env_options)
        _check_usable(environment.id, environment.hint)
        return SessionPlan.model_validate(
            {
                **common,
                "env_id": environment.id,
                "env_options": environment.chosen,
                "custom_environment": environment.custom,
            }
        )

    def _plan_of_run(self, new: NewSession, run_id: str, common: Mapping[str, object]) -> SessionPlan:
        with self._database.read() as session:
            run = get_run(session, run_id)
        folder = RunFolder(self._settings.runs_dir, run_id)
        folder.check()
        self._trust.admit(folder)
        config = folder.read_config()
        environment = find_environment(config)
        _check_usable(environment.id, environment.hint)
        policy = None
        if new.checkpoint_step is not None:
            policy = _policy_at(folder, run, new.checkpoint_step)
        elif run.actor is not RunActor.POLICY or not (run.state.has_worker or folder.newest_policy()):
            raise NothingToPlay(_why_nothing(run))
        return SessionPlan.model_validate(
            {
                **common,
                "greedy": config.evaluation.is_greedy if new.greedy is None else new.greedy,
                "env_id": config.env_id,
                "run_folder": folder.path,
                "policy": policy,
                "ended_attempt": run.attempt if run.state.is_final else None,
                "start": None if new.cell is None else self._cells.find_start(folder, config, new.cell),
            }
        )


def _check_usable(env_id: str, hint: str | None) -> None:
    if hint is not None:
        raise InvalidRequest.field("/env_id", f"{env_id} cannot be used here. {hint}")


def _policy_at(folder: RunFolder, run: RunRow, step: int) -> str:
    """Return the file of the newest saved policy at or before ``step``. Raises NothingToPlay."""
    try:
        return choose_policy(run, folder, step).file
    except NothingToEvaluate as error:
        raise NothingToPlay(f"{error} Leave checkpoint_step out.") from error


def _why_nothing(run: RunRow) -> str:
    if run.actor is RunActor.FOREIGN:
        return f"Another program writes run {run.id!r}, so its policy cannot be played here."
    if run.actor is not RunActor.POLICY:
        return f"Nothing learns in run {run.id!r}, so it has no policy. Give env_id instead of run_id."
    if run.state.is_final:
        return f"Run {run.id!r} ended before its first checkpoint. Create a new run."
    if run.state is RunStatus.QUEUED:
        return f"Run {run.id!r} is queued and has no policy yet. Wait until it trains."
    return f"Run {run.id!r} is {run.status!r} and has no policy yet. Start it."
