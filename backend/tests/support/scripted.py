"""A service in this process whose workers replay recordings, and its API without a socket."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from rlviz.rundir.folder import RunFolder
from rlviz.server.app import create_api
from rlviz.server.application import Application
from rlviz.settings import Settings
from rlviz.testing.scripted import Cue, Fault, Script, ScriptedLauncher
from tests.support.waiting import eventually

ENDLESS = 1_000_000


class Api:
    """The HTTP API of a service in this process, without a socket."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self._app = create_api(application)

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        async def send() -> httpx.Response:
            transport = httpx.ASGITransport(app=self._app)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
                return await client.request(method, path, **options)

        return asyncio.run(send())

    def get(self, path: str, **options: Any) -> Any:
        """Return the JSON of a successful GET."""
        answer = self.ask("GET", path, **options)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def send(self, method: str, path: str, body: object = None) -> Any:
        """Return the JSON of a successful request, or None for an empty response."""
        answer = self.ask(method, path, json=body)
        assert answer.is_success, answer.text
        return answer.json() if answer.content else None

    def start(self, **wishes: Any) -> str:
        """Create and start a run, and return its id."""
        new = {"algo": "ppo", "env_id": "CartPole-v1", "seed": 1, "total_timesteps": ENDLESS, "start": True, **wishes}
        run_id: str = self.send("POST", "/runs", new)["id"]
        return run_id

    def becomes(self, run_id: str, *statuses: str) -> dict[str, Any]:
        """Wait until the run has one of ``statuses``, and return it."""
        return self.once(f"/runs/{run_id}", lambda run: run["status"] in statuses)

    def reaches(self, run_id: str, step: int) -> dict[str, Any]:
        """Wait until the run has trained the given number of steps, and return it."""
        return self.once(f"/runs/{run_id}", lambda run: (run["step"] or 0) >= step)

    def once(self, path: str, holds: Callable[[Any], bool]) -> Any:
        """Return the response of ``path`` as soon as ``holds`` accepts it."""
        seen: list[Any] = [None]

        def look() -> bool:
            seen[0] = self.get(path)
            return holds(seen[0])

        try:
            eventually(look, path)
        except AssertionError as error:
            raise AssertionError(f"{error}: {seen[0]}") from error
        return seen[0]

    def folder(self, run_id: str) -> RunFolder:
        return RunFolder(self.application.settings.runs_dir, run_id)


@contextmanager
def scripted_api(runs_dir: Path, script: Script | None = None, **settings: Any) -> Iterator[Api]:
    """A running service that trains by ``script``; without one, recordings are replayed instantly."""
    given = Settings(_env_file=None, **{"runs_dir": runs_dir, "warm_worker": False, **settings})  # type: ignore[call-arg]
    application = Application(given, launcher=ScriptedLauncher(script=script or Script()))
    application.open()
    try:
        yield Api(application)
    finally:
        application.close()


def cued(*faults: tuple[int, Fault], **options: Any) -> Script:
    """Return a script in which ``faults`` happen at their steps."""
    return Script(cues=tuple(Cue(at_step=step, do=fault, **options) for step, fault in faults))
