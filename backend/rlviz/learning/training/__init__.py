"""The training thread: Stable-Baselines3, made interruptible, writing into a run folder."""

from __future__ import annotations
