"""Settings: config show, config check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rlviz.cli.options import AsJson, examples, read_settings
from rlviz.cli.output import print_json, print_table, say


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Settings, and where each of them comes from.", invoke_without_command=True)
    group.callback()(_show_by_default)
    group.command(epilog=examples("rlviz config show", "rlviz --config rlviz.yaml config show --json"))(show)
    group.command(epilog=examples("rlviz config check", "rlviz config check rlviz.yaml"))(check)
    app.add_typer(group, name="config")


def _show_by_default(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        show(context)


def show(context: typer.Context, as_json: AsJson = False) -> None:
    """Show every setting, its value, and which source won: flag, environment, .env, file, or default."""
    from rlviz.settings import PREFIX, Settings

    settings = read_settings(context)
    if as_json:
        print_json(
            {
                name: {"value": _plain(settings.shown(name)), "source": settings.source_of(name)}
                for name in Settings.model_fields
            }
        )
        return
    rows = [
        (f"{PREFIX}{name}".upper(), str(settings.shown(name)), settings.source_of(name))
        for name in Settings.model_fields
    ]
    print_table(("SETTING", "VALUE", "SOURCE"), rows, keep=2)


def check(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(help="A file of settings.", show_default="the one in use")] = None,
    as_json: AsJson = False,
) -> None:
    """Check the settings; exit status 2, with file, line and column, if they cannot be used."""
    settings = read_settings(context, config_file=file)
    given = [name for name in type(settings).model_fields if settings.source_of(name) != "default"]
    if as_json:
        print_json({"usable": True, "given": given})
    else:
        say(f"The settings can be used; {len(given)} differ from what they are by default.")


def _plain(value: object) -> object:
    """What JSON has for a setting: paths are text."""
    if isinstance(value, tuple):
        return list(value)
    return value if isinstance(value, bool | int | float | dict) or value is None else str(value)
