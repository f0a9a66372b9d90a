"""Snapshots: everything that training is at a moment, so that it goes on from there bit for bit.

The state is taken apart into nouns, one a file: ``model`` (the library's algorithm), ``generators``, ``environments``,
``replay`` (the buffer of past transitions), ``counters`` (this product's own). ``capture`` copies all of it in the
training thread, ``archive`` makes a file of that and reads it, ``compatibility`` says what refuses to go on, and
``restore`` brings a model that was built from the configuration there. ``Snapshots`` says when.
"""

from __future__ import annotations
