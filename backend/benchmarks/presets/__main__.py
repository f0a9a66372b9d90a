"""python -m benchmarks.presets --docs-only"""

from benchmarks.presets.document import DOCUMENT, document

DOCUMENT.write_text(document())
