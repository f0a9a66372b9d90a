"""Videos of two evaluations side by side, with synthetic frames and a real ffmpeg."""

from __future__ import annotations
