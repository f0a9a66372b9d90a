"""The registry of launchers, which start workers: one file and one line for each, one contract suite for all.

To add a launcher, see docs/how-to-add/launcher.md.
"""

from typing import Protocol

from rlviz.domain.registry import Registry
from rlviz.launchers.base import Launcher


class LauncherFactory(Protocol):
    def __call__(self, *, warm: bool, niceness: int) -> Launcher:
        """Make the launcher.

        Args:
            warm: Whether to keep workers that have imported everything and wait for a job.
            niceness: Niceness of worker processes, from 0 to 19.
        """


LAUNCHERS: Registry[LauncherFactory] = Registry(
    "launcher",
    {
        "process": "rlviz.launchers.process:ProcessLauncher",
        "thread": "rlviz.launchers.thread:ThreadLauncher",
        "scripted": "rlviz.testing.scripted:ScriptedLauncher",
    },
    pointer="/launcher",
)
