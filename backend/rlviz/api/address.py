"""ServiceAddress: where the service of a runs folder answers, in ``service.json`` beside the runs.

Other programs of the same user find the service by it, the command line above all. Only that user may read the file,
since with RLVIZ_TOKEN set it holds what stands for the token. It is removed when the service ends. One that a killed
service has left names a process that is gone, and counts for nothing.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from rlviz.launchers.process_identity import ProcessIdentity

NAME = "service.json"


@dataclass(frozen=True)
class ServiceAddress:
    """``url`` leads there from this machine. ``process`` identifies the service's process; ``session`` is the value of
    the cookie that it admits, empty without a token; ``host`` is what it listens on."""

    url: str
    process: str
    session: str = ""
    host: str = ""

    @property
    def pid(self) -> int:
        """Of the service's process; 0 if the file does not say."""
        identity = ProcessIdentity.parse(self.process)
        return identity.pid if identity else 0

    @property
    def is_alive(self) -> bool:
        """Whether the very process that wrote it still runs."""
        identity = ProcessIdentity.parse(self.process)
        return identity is not None and identity.is_alive()

    def write(self, runs_dir: Path) -> None:
        """Replace the file in one step; nobody but this user may read it."""
        temporary = runs_dir / f".{NAME}.{os.getpid()}"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as file:
            json.dump(asdict(self), file)
        temporary.replace(runs_dir / NAME)

    def remove(self, runs_dir: Path) -> None:
        """Remove the file, unless it is another service's by now."""
        if read_address(runs_dir) == self:
            with suppress(OSError):
                (runs_dir / NAME).unlink()


def read_address(runs_dir: Path) -> ServiceAddress | None:
    """What the file says, true or stale; None if there is none, or nothing that could be one."""
    try:
        found = json.loads((runs_dir / NAME).read_bytes())
        address = ServiceAddress(**found)
    except (OSError, ValueError, TypeError):
        return None
    return address if all(isinstance(value, str) for value in asdict(address).values()) else None
