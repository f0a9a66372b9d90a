"""Readers for the logs of other tools, which produce what a run folder holds."""
