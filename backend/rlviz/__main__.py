"""``python -m rlviz``."""

from __future__ import annotations

import sys

from rlviz.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
