"""Presets as data: one page (TOML) an environment, one an algorithm for everywhere else."""
