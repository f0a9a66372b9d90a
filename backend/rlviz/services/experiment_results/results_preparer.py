"""ResultsPreparer: makes what results need while experiments train, so that nobody waits for it who asks later."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Condition, Thread
from time import monotonic

log = logging.getLogger(__name__)

BETWEEN_SECONDS = 10.0
"""Between two looks at experiments that go on."""


class ResultsPreparer:
    """A thread of its own, begun when it is first needed. ``consider`` is for every thread."""

    def __init__(self, prepare: Callable[[str], None], *, between: float = BETWEEN_SECONDS) -> None:
        """``prepare``: what is done for an experiment, by its id; what it raises is logged."""
        self._prepare, self._between = prepare, between
        self._changed = Condition()
        self._over: list[str] = []
        self._training: set[str] = set()
        self._next_look = 0.0
        self._closing = False
        self._thread: Thread | None = None

    def consider(self, experiment_id: str, *, is_over: bool) -> None:
        """Cheap. Something of the experiment has changed; one that is over is prepared at once."""
        with self._changed:
            if self._closing:
                return
            self._training.discard(experiment_id)
            if is_over:
                self._over.append(experiment_id)
            else:
                self._training.add(experiment_id)
            if self._thread is None:
                self._thread = Thread(target=self._loop, name="results", daemon=True)
                self._thread.start()
            self._changed.notify()

    def close(self) -> None:
        """Prepare nothing more; what is being prepared is finished."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread is not None:
            self._thread.join()

    def _loop(self) -> None:
        while (wanted := self._next()) is not None:
            for experiment_id in wanted:
                try:
                    self._prepare(experiment_id)
                except Exception as error:  # deleted meanwhile, or damaged: whoever asks for the results is told
                    log.info("Results of experiment %s were not prepared: %s", experiment_id, error)

    def _next(self) -> list[str] | None:
        """Waits. None when it closes."""
        with self._changed:
            while not self._closing:
                if self._over:
                    found, self._over = self._over, []
                    return found
                if self._training and monotonic() >= self._next_look:
                    self._next_look = monotonic() + self._between
                    going, self._training = sorted(self._training), set()
                    return going
                self._changed.wait(max(0.0, self._next_look - monotonic()) if self._training else None)
            return None
