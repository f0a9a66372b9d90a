"""A run as one file: a zip archive of its folder with a manifest of hashes, to be opened on another machine.

``manifest.json`` lists every other member with its size and SHA-256. Each file is read once, from the file that was
opened, and its hash is that of the bytes that were copied; the manifest is written last. So a run may be bundled while
it trains: a journal is taken up to the size that it has when it is opened, and a file that is replaced or deleted
meanwhile is taken whole, or not at all.
"""

from rlviz.exchange.bundle.manifest import MANIFEST, Manifest
from rlviz.exchange.bundle.reader import DEFAULT_MOST_BYTES, RunIsThere, check_bundle, read_bundle
from rlviz.exchange.bundle.writer import stamps, write_bundle

__all__ = [
    "DEFAULT_MOST_BYTES",
    "MANIFEST",
    "Manifest",
    "RunIsThere",
    "check_bundle",
    "read_bundle",
    "stamps",
    "write_bundle",
]
