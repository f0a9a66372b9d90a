"""Runs to other programs, while they train and afterwards. docs/sinks.md says what goes where."""
