"""Runs: create, list, change, delete; their configuration, groups, families and presets."""
