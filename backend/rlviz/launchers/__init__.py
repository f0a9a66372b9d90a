"""Where training runs. One file a launcher, one line here; one contract suite for all.

Adding a launcher: docs/how-to-add/launcher.md.
"""

from collections.abc import Callable

from rlviz.domain.registry import Registry
from rlviz.launchers.base import Launcher
from rlviz.launchers.processes import WorkerProcesses

LAUNCHERS: Registry[Callable[[WorkerProcesses], Launcher]] = Registry(
    "launcher",
    {
        "process": "rlviz.launchers.process:ProcessLauncher",
        "thread": "rlviz.launchers.thread:ThreadLauncher",
    },
    pointer="/launcher",
)
