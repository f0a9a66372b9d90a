"""Snapshots: the complete state of training at a moment, from which it continues bit for bit.

The state has five parts: ``model`` (the library's algorithm), ``generators`` (of random numbers), ``environments``,
``replay`` (the buffer of past transitions) and ``counters`` (our own). ``capture`` copies them in the training thread
and reads and writes their file, ``compatibility`` says which snapshots fit, ``restore`` brings a newly built model to a
snapshot, and ``schedule`` decides when snapshots are taken.
"""

from __future__ import annotations
