"""Measuring presets, one experiment each, so that as little as possible is lost when it is stopped."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from measuring.figures import Figures
from measuring.specification import Measurement, Specification
from rlviz.stats.experiments import ExperimentResults

POLL_SECONDS = 2.0


class Service(Protocol):
    """What is asked of the service that trains: ``rlviz.cli.connection.Connection``."""

    def get(self, path: str, **query: Any) -> Any: ...

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any: ...


class Measuring:
    """``report`` is given a line for each preset that is begun or has ended; ``again``: train also what an experiment
    that has ended shows already."""

    def __init__(
        self,
        service: Service,
        figures: Figures,
        *,
        again: bool = False,
        report: Callable[[str], None] = print,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._service, self._figures, self._again = service, figures, again
        self._report, self._sleep = report, sleep
        self._problems: dict[str, str] = {}

    def stop_others(self, wanted: Iterable[Measurement], known: Iterable[Specification]) -> None:
        """Stop experiments that an earlier invocation left running and that are not ``wanted`` now, so that they take
        no time from those that are; they can be gone on with later. ``known``: all specifications."""
        names = {one.name for one in wanted}
        ours = tuple(f"{one.title_of(variant)}, " for one in known for variant in one.spec.variants)
        for experiment in list(self._experiments()):
            name = experiment["name"]
            if experiment["status"] == "running" and name not in names and name.startswith(ours):
                self._service.post(f"/experiments/{experiment['id']}/stop")

    def measure(self, wanted: Sequence[Measurement]) -> list[str]:
        """Measure these, in order, and write each down as it ends; the sentences are those that could not be.

        The next one begins when the last seeds of one leave a core free. When this is interrupted, what runs is
        stopped where it is, and the next invocation goes on with it.
        """
        waiting, running, problems = deque(wanted), dict[str, Measurement](), list[str]()
        try:
            while waiting or running:
                states = [self._service.get(f"/experiments/{experiment_id}") for experiment_id in running]
                for state in states:
                    self._tell_problem(state)
                    if state["status"] != "running":
                        problems += self._end(running.pop(state["id"]), state)
                going = [state for state in states if state["id"] in running]
                if waiting and not any(state["counts"].get("waiting") for state in going):
                    one = waiting.popleft()
                    running[self._begin(one)] = one
                else:
                    self._sleep(POLL_SECONDS if running else 0.0)
        except BaseException:
            for experiment_id in running:
                self._service.post(f"/experiments/{experiment_id}/stop")
            raise
        return problems

    def rewrite(self, wanted: Sequence[Measurement]) -> list[str]:
        """Train nothing: write down again what experiments show that have ended. The sentences are those of presets
        of which no such experiment is there."""
        problems = []
        for one in wanted:
            known = self._ended(one)
            if known is None:
                problems.append(f"{one.name} has no experiment that has ended with a score of each seed")
            else:
                problems += self._end(one, self._service.get(f"/experiments/{known['id']}"))
        return problems

    def _begin(self, one: Measurement) -> str:
        """The id of an experiment of exactly this preset and these seeds, whether it was cut off, has ended or is
        new."""
        for known in self._experiments_of(one):
            if known["status"] == "stopped":
                self._service.post(f"/experiments/{known['id']}/resume")
            if known["status"] in ("running", "stopped"):
                self._report(f"{one.name}: goes on")
                return str(known["id"])
        ended = None if self._again else self._ended(one)
        if ended is not None:
            return str(ended["id"])
        self._report(f"{one.name}: begins, {one.seeds} seeds")
        body = one.spec.model_dump(mode="json", exclude_unset=True)
        return str(self._service.post("/experiments", {**body, "confirm": True})["id"])

    def _end(self, one: Measurement, state: dict[str, Any]) -> list[str]:
        """Write it down, or else say why not."""
        scored = state["counts"].get("scored", 0)
        if state["status"] != "completed" or scored < one.seeds:
            cause = f": {state['cause']}" if state["cause"] else ""
            outcome = (
                f"{one.name} is {state['status']} with {scored} of {one.seeds} scores, and was not written down{cause}"
            )
            self._report(outcome)
            return [outcome]
        results = ExperimentResults.model_validate(self._service.get(f"/experiments/{state['id']}/results"))
        found = self._figures.write(one, results)
        self._report(f"{one.name}: {found}, {state['core_seconds']:.0f} core-seconds together")
        return []

    def _ended(self, one: Measurement) -> dict[str, Any] | None:
        """The newest that has ended with a score of each seed."""
        return next((known for known in self._experiments_of(one) if known["counts"].get("scored") == one.seeds), None)

    def _experiments_of(self, one: Measurement) -> list[dict[str, Any]]:
        """Those of exactly this preset and as many seeds, newest first."""
        wanted = (one.name, one.seeds)
        return [known for known in self._experiments(one.digest) if (known["name"], known["trials"]) == wanted]

    def _tell_problem(self, state: dict[str, Any]) -> None:
        """What holds it up, such as a full disk, once."""
        problem = state["problem"] or ""
        if problem != self._problems.get(state["id"], ""):
            self._problems[state["id"]] = problem
            self._report(f"{state['name']}: {problem or 'goes on'}")

    def _experiments(self, text: str | None = None) -> Iterator[dict[str, Any]]:
        """With ``text`` in their names, newest first."""
        cursor = None
        while True:
            page = self._service.get("/experiments", q=text, limit=500, cursor=cursor)
            yield from page["experiments"]
            cursor = page["next_cursor"]
            if cursor is None:
                return
