"""Connect a command to the service of the runs folder, or serve it in this process if none runs.

A runs folder always has one writer: the process with its lock serves it, and all others send HTTP requests.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from rlviz.cli.exits import Exit, Failure, Refused, exit_for
from rlviz.cli.output import waiting
from rlviz.domain.plain_text import typed_text

if TYPE_CHECKING:
    import httpx

    from rlviz.launchers.base import Launcher
    from rlviz.server.proxy import ServiceAddress
    from rlviz.settings import Settings

PATIENCE_SECONDS = 20.0
"""Timeout in seconds for an answer of the service."""

STARTING_SECONDS = 120.0
"""Seconds that a process with the lock may take to start or end its service. A start can take half a minute under
load."""

_LATE = f"Its service has not started within {STARTING_SECONDS:.0f} seconds."

_RETRY_SECONDS = 0.1
_ANSWER_SECONDS = 60.0


class Connection:
    """Sends requests to the service.

    If the service disappears, the next request finds another one or starts one in this process.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        starts_run: bool = False,
        starts_many_runs: bool = False,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Args:
        starts_run: The first request starts a run. A service in this process then starts a worker at once, which
            imports in parallel with it.
        starts_many_runs: Many runs will start. A service in this process then keeps warm workers.
        """
        self.settings, self._starts_run, self._starts_many_runs = settings, starts_run, starts_many_runs
        self._monotonic, self._sleep = monotonic, sleep
        self.is_own = False
        """Whether the service runs in this process and ends with it."""
        self.url = ""
        self._held = ExitStack()
        self._http: httpx.Client | None = None

    def open(self) -> None:
        """Find the service, or start it in this process. Raises Failure.

        Of several commands that start together, one takes the lock; the others wait until its service answers.
        """
        from rlviz.domain.errors import RunsFolderInUse
        from rlviz.server.proxy import read_address

        holder, since = 0, self._monotonic()
        launcher: Launcher | None = None
        with ExitStack() as unless_we_serve:
            while True:
                address = read_address(self.settings.runs_dir)
                if address is not None and address.is_alive and self._connect_to(address):
                    return
                if self._starts_run and launcher is None and self.settings.launcher == "process":
                    launcher = _with_first_worker(self.settings.niceness)
                    unless_we_serve.callback(launcher.close)
                try:
                    self._serve(launcher)
                except RunsFolderInUse as error:  # a service that is starting, ending or unresponsive
                    now = self._monotonic()
                    if error.pid != holder:
                        holder, since = error.pid, now
                    is_silent = address is not None and address.is_alive
                    if now - since > (PATIENCE_SECONDS if is_silent else STARTING_SECONDS):
                        where = f"Its address {address.url} does not answer." if address and is_silent else _LATE
                        raise Failure(Exit.UNREACHABLE, f"{error} {where}") from error
                    self._sleep(_RETRY_SECONDS)
                else:
                    unless_we_serve.pop_all()
                    return

    def close(self) -> None:
        self._held.close()
        self._http = None

    def get(self, path: str, **query: Any) -> Any:
        """Send a GET and return its JSON. Lists become repeated parameters; None is skipped. Raises Failure."""
        return self.request("GET", path, params=_drop_none(query)).json()

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send a POST and return its JSON. Raises Failure."""
        return self.request("POST", path, json=body).json()

    def download(self, link: str) -> bytes:
        """Return the content of a link from a response, such as ``/api/runs/…``. Raises Failure."""
        return self._send("GET", link).content

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Send a request to ``path`` of the API. Raises Failure."""
        return self._send(method, f"/api{path}", **options)

    def _send(self, method: str, address: str, **options: Any) -> httpx.Response:
        """Return the response to a successful request. Raises Failure with the service's message.

        A GET whose connection breaks is sent once more, since it changes nothing: a service under load may close a
        connection or answer late. If the service is gone, it belonged to another command that has ended; this finds
        the next service or starts one.
        """
        import httpx

        options = _make_encodable(options)
        deadline, breaks_off = self._monotonic() + STARTING_SECONDS, 0
        while True:
            assert self._http is not None, "open() comes first"
            try:
                answer = self._http.request(method, address, **options)
            except httpx.ConnectError as error:  # nothing was sent, so nothing can be done twice
                if self.is_own or self._monotonic() > deadline:
                    raise Failure(Exit.UNREACHABLE, f"The service at {self.url} does not answer ({error}).") from error
                self.close()
                self.open()
            except httpx.HTTPError as error:
                breaks_off += 1
                if breaks_off > 1 or method != "GET":
                    raise self._connection_broke(error) from error
            else:
                break
        if answer.is_success:
            return answer
        raise _read_refusal(answer)

    @contextmanager
    def lines(self, path: str, **query: Any) -> Iterator[Iterator[str]]:
        """Yield the lines of a response as they arrive, without keeping it in memory. Raises Failure."""
        import httpx

        assert self._http is not None, "open() comes first"
        try:
            with self._http.stream("GET", f"/api{path}", params=_make_encodable(_drop_none(query))) as answer:
                if not answer.is_success:
                    answer.read()
                    raise _read_refusal(answer)
                yield answer.iter_lines()
        except httpx.HTTPError as error:
            raise self._connection_broke(error) from error

    def _connection_broke(self, error: httpx.HTTPError) -> Failure:
        return Failure(
            Exit.UNREACHABLE,
            f"The connection to the service at {self.url} broke ({type(error).__name__}). Check with `rlviz status` "
            "whether the request was carried out, then try again.",
        )

    def _connect_to(self, address: ServiceAddress) -> bool:
        """Connect to a service and return whether it answers. Raises Failure if it denies access."""
        import logging
        import ssl

        import httpx

        cookies = {"rlviz_session": address.session} if address.session else None
        no_certificates = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # plain HTTP needs none; loading takes 30 ms
        http = httpx.Client(
            base_url=address.url,
            cookies=cookies,
            timeout=_ANSWER_SECONDS,
            trust_env=False,
            verify=no_certificates,
            limits=httpx.Limits(max_keepalive_connections=0),  # the service may close one just before its next use
        )
        try:
            answer = http.get("/api/health")
        except httpx.HTTPError:
            http.close()
            return False
        if not answer.is_success:
            http.close()
            raise Failure(Exit.UNREACHABLE, f"The service at {address.url} denies access: {_refusal_text(answer)}")
        self.url, self._http = address.url, http
        logging.getLogger(__name__).info("Talking to the service at %s", address.url)
        self._held.callback(http.close)
        return True

    def _serve(self, launcher: Launcher | None) -> None:
        """Start a service in this process. Raises RunsFolderInUse, and any error of its start.

        Args:
            launcher: Used instead of the launcher in the settings.
        """
        import logging

        own = {"host": "127.0.0.1", "port": 0, "on_exit": "leave", "warm_worker": self._starts_many_runs}
        settings = self.settings.model_copy(update=own)
        with waiting("Starting"):
            from rlviz.server.application import Application
            from rlviz.server.serve import served

            address = self._held.enter_context(served(Application(settings, launcher=launcher)))
        self.is_own = True
        logging.getLogger(__name__).info("No service runs, so this command serves %s", settings.runs_dir)
        if not self._connect_to(address):
            raise Failure(Exit.UNREACHABLE, f"This command started a service at {address.url}, but it does not answer.")


def _with_first_worker(niceness: int) -> Launcher:
    """Raises LauncherError."""
    from rlviz.launchers.process import FirstWorker, ProcessLauncher

    return ProcessLauncher(niceness=niceness, source=FirstWorker())


def _make_encodable(value: Any) -> Any:
    """Return a request value in which all text can be encoded as UTF-8."""
    if isinstance(value, str):
        return typed_text(value)
    if isinstance(value, list | tuple):
        return [_make_encodable(one) for one in value]
    if isinstance(value, dict):
        return {_make_encodable(name): _make_encodable(one) for name, one in value.items()}
    return value


def _drop_none(query: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in query.items() if value is not None}


def _refusal_text(answer: httpx.Response) -> str:
    return str(_read_refusal(answer))


def _read_refusal(answer: httpx.Response) -> Refused:
    """Return a problem+json response as an error: its detail, and each bad field that the detail does not name."""
    status = exit_for(answer.status_code)
    try:
        problem = answer.json()
        detail = str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        return Refused(status, f"The service answered {answer.status_code} {answer.reason_phrase}.", ())
    fields = [(str(field["pointer"]), str(field["detail"])) for field in problem.get("errors", ())]
    said = [
        f"  {pointer}: {reason}"
        for pointer, reason in fields
        if not reason.endswith(detail) and detail != f"{pointer}: {reason}"
    ]
    places = [field["position"] for field in problem.get("errors", ()) if field.get("position") is not None]
    said += [f"  The error is at character {place + 1}." for place in places]
    return Refused(status, "\n".join([detail, *said]), fields)
