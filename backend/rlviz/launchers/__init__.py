"""The registry of launchers, which start workers: one file for each, one line here, one contract suite for all.

Adding a launcher: docs/how-to-add/launcher.md.
"""

from typing import Protocol

from rlviz.domain.registry import Registry
from rlviz.launchers.base import Launcher


class LauncherFactory(Protocol):
    def __call__(self, *, warm: bool, niceness: int) -> Launcher:
        """``warm``: whether to keep prewarmed workers, which have imported everything and wait for a job.
        ``niceness``: of workers that are processes, from 0 to 19."""


LAUNCHERS: Registry[LauncherFactory] = Registry(
    "launcher",
    {
        "process": "rlviz.launchers.process:ProcessLauncher",
        "thread": "rlviz.launchers.thread:ThreadLauncher",
        "scripted": "rlviz.testing.scripted:ScriptedLauncher",
    },
    pointer="/launcher",
)
