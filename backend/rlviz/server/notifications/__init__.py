"""Notifications to users who do not watch the app: which events cause one, and how it is sent."""

from __future__ import annotations
