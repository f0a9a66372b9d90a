"""``python -m rlviz``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress

from rlviz import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """The ``rlviz`` command. Ctrl-C while it is imported is Ctrl-C too."""
    if (sys.argv[1:] if arguments is None else list(arguments)) == ["--version"]:
        print(__version__)  # without the commands, which take ten times as long to import
        return 0
    with suppress(KeyboardInterrupt):
        from rlviz.cli.main import main as run

        return run(arguments)
    return 130


if __name__ == "__main__":
    from rlviz.importing import leave_working_folder

    leave_working_folder("rlviz")
    sys.exit(main())
