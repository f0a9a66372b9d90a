"""Runs that other tools have logged, read into what a run folder holds."""
