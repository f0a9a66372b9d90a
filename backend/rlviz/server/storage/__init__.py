"""What takes space in the runs folder, and the rules by which it is made room in."""

from __future__ import annotations
