"""Snapshots and what they allow: resume, fork, roll back, rules, repair."""
