"""The ``rlviz`` command."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Callable, Sequence

from rlviz import __version__
from rlviz.domain.errors import RlvizError
from rlviz.settings import PREFIX, Settings, read_settings

log = logging.getLogger("rlviz")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="rlviz", description="Train reinforcement-learning agents and watch them.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, function in COMMANDS.items():
        commands.add_parser(name, help=(function.__doc__ or "").splitlines()[0])
    options = parser.parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("alembic").setLevel(logging.WARNING)
    try:
        return COMMANDS[options.command]()
    except RlvizError as error:
        print(f"rlviz: {error}", file=sys.stderr)
        return 2


def serve() -> int:
    """Serve the app until interrupted."""
    from rlviz.api.server import serve as run
    from rlviz.services.application import Application

    return run(Application(read_settings()))


def config() -> int:
    """Show every setting, its value, and where the value came from."""
    settings = read_settings()
    for name in Settings.model_fields:
        print(f"{PREFIX}{name.upper():22} {settings.shown(name)!s:30} {settings.source_of(name)}")
    return 0


def rebuild() -> int:
    """Make the catalogue again from the run folders."""
    from rlviz.services.application import Application

    application = Application(read_settings())
    try:
        result = application.rebuild()
    finally:
        application.database.close()
    print(f"Indexed {result.runs} runs and {result.evaluations} evaluations.")
    for problem in result.unreadable:
        print(f"Not read: {problem}", file=sys.stderr)
    return 1 if result.unreadable else 0


def openapi() -> int:
    """Print the API's OpenAPI document."""
    from rlviz.api.app import create_api

    print(json.dumps(create_api().openapi(), indent=2))
    return 0


COMMANDS: dict[str, Callable[[], int]] = {
    "serve": serve,
    "config": config,
    "rebuild": rebuild,
    "openapi": openapi,
}

if __name__ == "__main__":
    sys.exit(main())
