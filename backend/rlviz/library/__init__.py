"""The Python library behind ``import rlviz``, for your own programs; see docs/library.md."""
