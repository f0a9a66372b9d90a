"""Presets as data: one TOML file for each environment, and one for each algorithm on other environments."""

from __future__ import annotations
