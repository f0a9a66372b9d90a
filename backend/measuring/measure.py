"""Measures presets, one experiment each, so that little is lost when it is stopped."""

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
    """The requests to the service that trains; see ``rlviz.cli.connection.Connection``."""

    def get(self, path: str, **query: Any) -> Any: ...

    def post(self, path: str, body: dict[str, Any] | None = None) -> Any: ...


class Measuring:
    """Measures presets through a service.

    Args:
        service: The service that trains.
        figures: Where results are written.
        again: Whether to train again if an experiment has ended already.
        report: Called with a line when a preset starts or ends.
        sleep: Waits for the given seconds.
    """

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
        """Stop experiments that an earlier call left running and that are not ``wanted`` now.

        They can be resumed later. ``known`` are all specifications.
        """
        names = {one.name for one in wanted}
        ours = tuple(f"{one.title_of(variant)}, " for one in known for variant in one.spec.variants)
        for experiment in list(self._experiments()):
            name = experiment["name"]
            if experiment["status"] == "running" and name not in names and name.startswith(ours):
                self._service.post(f"/experiments/{experiment['id']}/stop")

    def measure(self, wanted: Sequence[Measurement]) -> list[str]:
        """Measure presets in order, write each result when it ends, and return a sentence for each failure.

        The next preset starts when the last seeds of the one before leave a core free. An interruption stops the
        running experiments, and the next call resumes them.
        """
        waiting, running, problems = deque(wanted), dict[str, Measurement](), list[str]()
        try:
            while waiting or running:
                states = [self._service.get(f"/experiments/{experiment_id}") for experiment_id in running]
                for state in states:
                    self._report_problem(state)
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
        """Write the results of ended experiments again, without training.

        Returns a sentence for each preset without such an experiment.
        """
        problems = []
        for one in wanted:
            known = self._ended(one)
            if known is None:
                problems.append(f"{one.name} has no ended experiment with a score for each seed")
            else:
                problems += self._end(one, self._service.get(f"/experiments/{known['id']}"))
        return problems

    def _begin(self, one: Measurement) -> str:
        """Resume, find or start the experiment of exactly this preset and these seeds, and return its id."""
        for known in self._experiments_of(one):
            if known["status"] == "stopped":
                self._service.post(f"/experiments/{known['id']}/resume")
            if known["status"] in ("running", "stopped"):
                self._report(f"{one.name}: resumed")
                return str(known["id"])
        ended = None if self._again else self._ended(one)
        if ended is not None:
            return str(ended["id"])
        self._report(f"{one.name}: started with {one.seeds} seeds")
        body = one.spec.model_dump(mode="json", exclude_unset=True)
        return str(self._service.post("/experiments", {**body, "confirm": True})["id"])

    def _end(self, one: Measurement, state: dict[str, Any]) -> list[str]:
        """Write the results, or return why that is not possible."""
        scored = state["counts"].get("scored", 0)
        if state["status"] != "completed" or scored < one.seeds:
            cause = f": {state['cause']}" if state["cause"] else ""
            outcome = (
                f"{one.name} is {state['status']} with {scored} of {one.seeds} scores, so it was not written{cause}"
            )
            self._report(outcome)
            return [outcome]
        results = ExperimentResults.model_validate(self._service.get(f"/experiments/{state['id']}/results"))
        found = self._figures.write(one, results)
        self._report(f"{one.name}: {found}, {state['core_seconds']:.0f} core-seconds together")
        return []

    def _ended(self, one: Measurement) -> dict[str, Any] | None:
        """Return the newest ended experiment with a score for each seed."""
        return next((known for known in self._experiments_of(one) if known["counts"].get("scored") == one.seeds), None)

    def _experiments_of(self, one: Measurement) -> list[dict[str, Any]]:
        """Return the experiments of exactly this preset and number of seeds, newest first."""
        wanted = (one.name, one.seeds)
        return [known for known in self._experiments(one.digest) if (known["name"], known["trials"]) == wanted]

    def _report_problem(self, state: dict[str, Any]) -> None:
        """Report once what holds an experiment up, such as a full disk."""
        problem = state["problem"] or ""
        if problem != self._problems.get(state["id"], ""):
            self._problems[state["id"]] = problem
            self._report(f"{state['name']}: {problem or 'continues'}")

    def _experiments(self, text: str | None = None) -> Iterator[dict[str, Any]]:
        """Yield the experiments with ``text`` in their names, newest first."""
        cursor = None
        while True:
            page = self._service.get("/experiments", q=text, limit=500, cursor=cursor)
            yield from page["experiments"]
            cursor = page["next_cursor"]
            if cursor is None:
                return
