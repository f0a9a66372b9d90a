"""RL Gym Visualizer: train reinforcement-learning agents and watch them learn.

The library is in ``rlviz.library``; each of its names is imported when it is first used. docs/library.md has examples.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.2.0"

_HOMES = {
    "track": "rlviz.library.tracking",
    "TrackedRun": "rlviz.library.tracking",
    "Run": "rlviz.library.runs",
    "load_policy": "rlviz.library.runs",
    "runs": "rlviz.library.runs",
    "train": "rlviz.library.runs",
    "sb3": "rlviz",
}

__all__ = ["Run", "TrackedRun", "__version__", "load_policy", "runs", "sb3", "track", "train"]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'rlviz' has no attribute {name!r}. It has: {', '.join(__all__)}.")
    found: object = import_module(f"rlviz.{name}") if home == "rlviz" else getattr(import_module(home), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
