from rlviz import sb3 as sb3
from rlviz.library.runs import Run as Run
from rlviz.library.runs import load_policy as load_policy
from rlviz.library.runs import runs as runs
from rlviz.library.runs import train as train
from rlviz.library.tracking import TrackedRun as TrackedRun
from rlviz.library.tracking import track as track

__version__: str
__all__ = ["Run", "TrackedRun", "__version__", "load_policy", "runs", "sb3", "track", "train"]
