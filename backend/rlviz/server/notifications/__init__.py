"""Telling a person who looks elsewhere: what is worth it, and how it reaches them."""

from __future__ import annotations
