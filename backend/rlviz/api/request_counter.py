"""RequestCounter: counts what the service answers, for ``/metrics``."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class RequestCounts:
    """``answered``: HTTP requests by the first digit of their status. Added to by the event loop alone."""

    def __init__(self) -> None:
        self.answered = dict.fromkeys((2, 3, 4, 5), 0)

    def add(self, status: int) -> None:
        self.answered[status // 100] = self.answered.get(status // 100, 0) + 1


class RequestCounter:
    """Counts an answer when it begins. One that failed before counts as 500, which is what the client is sent."""

    def __init__(self, app: ASGIApp, counts: RequestCounts) -> None:
        self._app, self._counts = app, counts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = False

        async def counting(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                self._counts.add(message["status"])
            await send(message)

        try:
            await self._app(scope, receive, counting)
        except Exception:
            if not has_begun:
                self._counts.add(500)
            raise
