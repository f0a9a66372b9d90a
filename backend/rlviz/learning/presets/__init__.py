"""Presets as data: one TOML file for each environment, and one for each algorithm on any other environment."""

from __future__ import annotations
