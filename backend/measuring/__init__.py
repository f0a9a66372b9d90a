"""Measuring the presets by experiments; see ``__main__``."""
