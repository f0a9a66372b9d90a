from rlviz import sb3 as sb3
from rlviz.library.tracking import TrackedRun as TrackedRun
from rlviz.library.tracking import track as track

__version__: str
__all__ = ["TrackedRun", "__version__", "sb3", "track"]
