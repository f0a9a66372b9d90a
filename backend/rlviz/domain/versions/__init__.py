"""Versions of the files that outlive a version of this product, and the registry of what brings older ones up to date.

``registry.py`` lists the formats; each that has changed has its steps in a file of its own.
"""

from rlviz.domain.versions.document import VersionedDocument, read_versioned, version_field
from rlviz.domain.versions.format import Format, Migration, Reading, UnknownVersion
from rlviz.domain.versions.registry import CONFIG, EVALUATION, EVENTS, EXPERIMENT, FORMATS, METRICS, SNAPSHOT, TRIALS

__all__ = [
    "CONFIG",
    "EVALUATION",
    "EVENTS",
    "EXPERIMENT",
    "FORMATS",
    "METRICS",
    "SNAPSHOT",
    "TRIALS",
    "Format",
    "Migration",
    "Reading",
    "UnknownVersion",
    "VersionedDocument",
    "read_versioned",
    "version_field",
]
