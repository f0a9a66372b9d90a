"""What ``import rlviz`` offers to programs of the user's own; see docs/library.md."""
