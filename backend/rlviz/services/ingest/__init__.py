"""Runs into a central PostgreSQL, from one machine or several. docs/analytics.md says what is there."""
