"""ControlRequests: what ``control.json`` asks of what trains, besides to end."""

from __future__ import annotations

from contextlib import suppress
from threading import Lock
from typing import Protocol

from rlviz.domain.errors import RunFolderError
from rlviz.rundir.control import Control
from rlviz.rundir.folder import RunFolder
from rlviz.training.checkpoint import Checkpoints
from rlviz.training.guard import Guard
from rlviz.training.snapshot.schedule import Snapshots
from rlviz.training.steering import Steering


class RollbackTarget(Protocol):
    def request(self, name: str) -> None:
        """Go back to the snapshot of that name at the next step."""


class Controlled(Protocol):
    """The parts of a training that ``control.json`` can change."""

    @property
    def snapshots(self) -> Snapshots: ...
    @property
    def checkpoints(self) -> Checkpoints: ...
    @property
    def steering(self) -> Steering: ...
    @property
    def rollbacks(self) -> RollbackTarget: ...


class ControlRequests:
    """Passes on each request once; what was asked for before there are components waits in the file for them.

    A part that fails to take its request costs a warning and that request. The other requests are passed on.
    """

    def __init__(self, folder: RunFolder, guard: Guard) -> None:
        self._folder, self._guard = folder, guard
        self._components: Controlled | None = None
        self._rules_number = self._went_back_for = 0
        self._lock = Lock()

    def attach(self, components: Controlled, rules_number: int) -> None:
        """From now on ``components`` train, with the rules of that number."""
        with self._lock:
            self._components, self._rules_number = components, rules_number
            with suppress(RunFolderError):  # a damaged control file asks for nothing
                self._pass_on(self._folder.read_control(), components)

    def detach(self) -> None:
        with self._lock:
            self._components = None

    def hear(self, control: Control) -> None:
        """The file says ``control`` now. From any thread."""
        with self._lock:
            if self._components is not None:
                self._pass_on(control, self._components)

    def _pass_on(self, control: Control, components: Controlled) -> None:
        with self._guard("A snapshot"):
            components.snapshots.asked.hear(control.snapshot_requests)
        with self._guard("A checkpoint"):
            components.checkpoints.request(control.checkpoint_request)
        if control.snapshots is not None:
            with self._guard("A snapshot"):
                components.snapshots.renew(control.snapshots)
        with self._guard("A change of a hyperparameter"):
            components.steering.request(control.knob_requests)
        if control.rules_number > self._rules_number:
            self._rules_number = control.rules_number
            with self._guard("A rule"), suppress(RunFolderError):  # the rules of before go on
                if (changed := self._folder.read_rules()) is not None:
                    components.steering.renew_rules(changed.rules)
        back = control.rollback_request
        if back is not None and back.number > self._went_back_for:
            self._went_back_for = back.number
            with self._guard("A rollback"):
                components.rollbacks.request(back.snapshot)
