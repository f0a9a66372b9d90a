"""Where workers run. One file a launcher, one line here; one contract suite for all.

Adding a launcher: docs/how-to-add/launcher.md.
"""

from typing import Protocol

from rlviz.domain.registry import Registry
from rlviz.launchers.base import Launcher


class LauncherFactory(Protocol):
    def __call__(self, *, warm: bool) -> Launcher:
        """``warm``: whether a worker may be kept ready that has imported everything and waits for a job."""


LAUNCHERS: Registry[LauncherFactory] = Registry(
    "launcher",
    {
        "process": "rlviz.launchers.process:ProcessLauncher",
        "thread": "rlviz.launchers.thread:ThreadLauncher",
    },
    pointer="/launcher",
)
