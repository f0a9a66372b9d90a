"""``python -m rlviz``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress


def main(arguments: Sequence[str] | None = None) -> int:
    """The ``rlviz`` command. Ctrl-C while it is imported is Ctrl-C too."""
    with suppress(KeyboardInterrupt):
        from rlviz.cli.main import main as run

        return run(arguments)
    return 130


if __name__ == "__main__":
    sys.exit(main())
