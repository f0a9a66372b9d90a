"""Runs to other programs, while they train and afterwards. docs/export.md says what goes where."""

from __future__ import annotations
