"""The ``rlviz`` command: global options, and the exit status of every command."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from rlviz import __version__
from rlviz.cli.command_index import COMMANDS, SECTIONS, LazyCommands
from rlviz.cli.exits import Exit, Failure, Refused, replace_pointers_with_flags
from rlviz.cli.help import FittingContext, pass_on_defaults
from rlviz.cli.options import examples

if TYPE_CHECKING:
    from rlviz.domain.errors import RlvizError


class Commands(TyperGroup):
    """Imports each command on first use, and turns its errors into a message and an exit status."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**{**attributes, "commands": LazyCommands()})
        self.context_class = FittingContext

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands from the index, without importing any command."""
        widest = max(map(len, COMMANDS))
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                room = formatter.width - widest - 6
                outline = {name: TyperCommand(name, help=entry.summary) for name, entry in commands.items()}
                rows = [(name.ljust(widest), command.get_short_help_str(room)) for name, command in outline.items()]
                formatter.write_dl(rows)

    def get_params(self, ctx: Any) -> Any:
        return pass_on_defaults(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        _set_up(**{name: ctx.params[name] for name in ("verbose", "quiet", "log_file")})
        try:
            value = super().invoke(ctx)
            sys.stdout.flush()
        except Refused as error:
            raise _exit_with(error.status, replace_pointers_with_flags(error)) from error
        except Failure as error:
            raise _exit_with(error.status, str(error)) from error
        except BrokenPipeError:
            raise _exit_after_closed_pipe() from None
        except (KeyboardInterrupt, typer.Abort):
            raise _exit_with(Exit.INTERRUPTED, "Interrupted.") from None
        except typer.Exit:
            raise
        except Exception as error:
            # If nothing imported the module, none of its errors was raised. A wrong flag then fails without the import.
            errors = sys.modules.get("rlviz.domain.errors")
            if errors is None or not isinstance(error, errors.RlvizError):
                raise
            raise _exit_with(_exit_status_of(error), str(error)) from error
        return value


app = typer.Typer(
    name="rlviz",
    cls=Commands,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=examples(
        "rlviz run --env CartPole-v1 --algo ppo --follow",
        "rlviz runs",
        "rlviz evaluate last",
        "rlviz serve",
    ),
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(__version__)
        raise typer.Exit


@app.callback()
def rlviz(
    context: typer.Context,
    runs_dir: Annotated[
        Path | None, typer.Option("--runs-dir", metavar="FOLDER", help="Folder of the runs (RLVIZ_RUNS_DIR).")
    ] = None,
    config_file: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="Settings, in TOML or YAML (RLVIZ_CONFIG_FILE).")
    ] = None,
    verbose: Annotated[
        int, typer.Option("--verbose", "-v", count=True, help="Log what the command does; -vv also logs each request.")
    ] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only results and errors.")] = False,
    log_file: Annotated[
        Path | None, typer.Option("--log-file", metavar="FILE", help="Also append the log to this file.")
    ] = None,
    _version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version.")
    ] = False,
) -> None:
    """Train reinforcement-learning agents and watch them learn.

    If a service runs for the runs folder, commands send their requests to it. Otherwise each command serves the folder
    itself until it is done. Training runs in separate processes and continues after the command.
    """
    context.obj = {"runs_dir": runs_dir, "config_file": config_file}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status, a value of ``Exit``."""
    replace_unencodable_characters()
    signal.signal(signal.SIGTERM, _raise_interrupt)
    try:
        app(args=arguments, prog_name="rlviz")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else Exit.OK
    return Exit.OK


def replace_unencodable_characters() -> None:
    """Print a replacement for each character that the encoding of the terminal or pipe lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a closed stream is None
            with suppress(OSError):  # raised if the stream cannot be flushed
                stream.reconfigure(errors="replace")


def _set_up(verbose: int, quiet: bool, log_file: Path | None) -> None:
    """Start logging as the flags say. Raises typer.Exit.

    Help and completion skip this: importing ``logging`` would take a tenth of their time.
    """
    import logging

    from rlviz.cli.output import be_quiet
    from rlviz.log_format import start_log

    be_quiet(quiet)
    level = logging.ERROR if quiet else (logging.WARNING, logging.INFO, logging.DEBUG)[min(verbose, 2)]
    try:
        start_log(level, log_file)
    except OSError as error:
        raise _exit_with(Exit.BAD_INPUT, f"The log file {log_file} cannot be written ({error.strerror}).") from error


def _raise_interrupt(_number: int, _frame: FrameType | None) -> None:
    """Treat SIGTERM like Ctrl-C, so that the command closes its service."""
    raise KeyboardInterrupt


def _exit_status_of(error: RlvizError) -> Exit:
    """Return the exit status for an error that the command itself raised, not the service."""
    from rlviz.domain.errors import Conflict, NotFound, RunsFolderInUse

    if isinstance(error, Conflict | RunsFolderInUse):
        return Exit.CONFLICT
    return Exit.NOT_FOUND if isinstance(error, NotFound) else Exit.BAD_INPUT


def _exit_with(status: Exit, message: str) -> typer.Exit:
    from rlviz.domain.plain_text import visible

    for line in message.splitlines():
        shown = visible(line)
        sys.stderr.write(f"rlviz: {shown}\n" if not line.startswith(" ") else f"{shown}\n")
    return typer.Exit(status)


def _exit_after_closed_pipe() -> typer.Exit:
    """Exit with success after the reader of our output, such as `head`, closed the pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
    return typer.Exit(Exit.OK)
