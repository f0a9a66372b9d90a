"""Run folders as training would leave them, written in a moment."""
