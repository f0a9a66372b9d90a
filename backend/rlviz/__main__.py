"""``python -m rlviz``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from rlviz import __version__
from rlviz.domain.disk_full import is_disk_full
from rlviz.standard_streams import discard_output, output_error, settle


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the ``rlviz`` command. Ctrl-C ends it with status 130, even during imports."""
    try:
        settle()
        status = _run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        refused = output_error()
        discard_output()
        if isinstance(refused or error, BrokenPipeError):  # the reader closed it
            return 0
        if refused is None and not is_disk_full(error):
            raise
        what = "The answer could not be written to standard output" if refused is not None else "The disk is full"
        sys.stderr.write(f"rlviz: {what} ({(refused or error).strerror}).\n")
        return 1
    return status


def _run(arguments: Sequence[str] | None) -> int:
    if (sys.argv[1:] if arguments is None else list(arguments)) == ["--version"]:
        print(__version__)  # without importing the commands, which takes ten times as long
        return 0
    from rlviz.cli.main import main as run

    return run(arguments)


if __name__ == "__main__":
    from rlviz.importing import leave_working_folder

    leave_working_folder("rlviz")
    sys.exit(main())
