"""``python -m rlviz``."""

from __future__ import annotations

import sys
from contextlib import suppress


def main() -> int:
    """The ``rlviz`` command. Ctrl-C while it is imported is Ctrl-C too."""
    with suppress(KeyboardInterrupt):
        from rlviz.cli.main import main as run

        return run()
    return 130


if __name__ == "__main__":
    sys.exit(main())
