"""Commands on settings and configuration files: config show, set, unset, check, migrate."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rlviz.cli.completion import complete_run
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AsJson, connected, examples, match_folders, read_settings
from rlviz.cli.output import print_json, print_table, say, waiting

if TYPE_CHECKING:
    from rlviz.domain.versions import Drift
    from rlviz.rundir.folder import RunFolder
    from rlviz.settings import Settings

_SETTINGS = (".toml", ".yaml", ".yml")


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Settings with their sources; configuration files of runs.", invoke_without_command=True)
    group.callback()(_show_by_default)
    group.command(epilog=examples("rlviz config show", "rlviz --config rlviz.yaml config show --json"))(show)
    group.command(
        name="set",
        epilog=examples("rlviz config set max_concurrent_runs 4", "rlviz config set max_bytes 50GB"),
    )(set_value)
    group.command(epilog=examples("rlviz config unset max_concurrent_runs"))(unset)
    group.command(
        epilog=examples("rlviz config check", "rlviz config check rlviz.yaml", "rlviz config check last --json")
    )(check)
    group.command(epilog=examples("rlviz config migrate config.json", "rlviz config migrate config.json --write"))(
        migrate
    )
    app.add_typer(group, name="config")


def _show_by_default(context: typer.Context) -> None:
    if context.invoked_subcommand is None:
        show(context)


def show(context: typer.Context, as_json: AsJson = False) -> None:
    """Show every setting, its value and its source: flag, environment, .env, settings page, file, or default."""
    from rlviz.settings import PREFIX, Settings

    settings = read_settings(context)
    if as_json:
        print_json(settings_as_json(settings))
        return
    rows = [
        (f"{PREFIX}{name}".upper(), str(settings.shown(name)), settings.source_of(name))
        for name in Settings.model_fields
    ]
    print_table(("SETTING", "VALUE", "SOURCE"), rows, keep=2)


SettingName = Annotated[str, typer.Argument(metavar="NAME", help="The setting, for example max_concurrent_runs.")]


def set_value(
    context: typer.Context,
    name: SettingName,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="The value, as in an environment variable.")],
    as_json: AsJson = False,
) -> None:
    """Save a setting in the runs folder, as the Settings page does. Flags, variables and .env still override it."""
    _change_setting(context, name, _parse(value), as_json=as_json)


def unset(context: typer.Context, name: SettingName, as_json: AsJson = False) -> None:
    """Remove a setting saved in the runs folder."""
    _change_setting(context, name, None, as_json=as_json)


def _parse(value: str) -> Any:
    """Return an object given as JSON, or the text, which the service converts."""
    try:
        parsed = json.loads(value)
    except ValueError:
        return value
    return parsed if isinstance(parsed, dict) else value


def _change_setting(context: typer.Context, name: str, value: Any, *, as_json: bool) -> None:
    name = name.lower().removeprefix("rlviz_")
    with connected(context) as connection:
        settings = connection.request("PATCH", "/settings", json={name: value}).json()
    found = next(one for one in settings if one["name"] == name)
    if as_json:
        print_json(found)
        return
    applies = {
        "now": "",
        "new_runs": " It applies to new runs.",
        "restart": " It applies when the service starts again.",
    }[found["change"]["applies"]]
    change = found["change"]
    shown = change["otherwise"] if value is None else change["saved"]
    say(f"{found['variable']} is {shown} ({change['otherwise_source'] if value is None else 'saved'}).{applies}")


def check(
    context: typer.Context,
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE|RUN",
            help="A file of settings; a config.json, experiment.json or evaluation; or a run.",
            show_default="the settings in use",
            autocompletion=complete_run,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check settings, or compare a run's files and packages with those of this version.

    Invalid settings are reported with file, line and column, and end with status 2. A file that this version would
    read differently than it was written ends with status 1. Renamed keys, defaults and other package versions are
    reported but do not count as a failure.
    """
    if what is None or what.endswith(_SETTINGS):
        _check_settings(context, None if what is None else Path(what), as_json)
        return
    with waiting(f"Comparing {what}"):
        name, found = _find_drift(context, what)
    if as_json:
        print_json([one.model_dump(mode="json") for one in found])
    else:
        for one in found:
            say(f"{one.kind}: {one.file}{_place(one)}: {one.says}")
        if not found:
            say(f"{name} is exactly as this version writes it.")
    if not all(one.is_harmless for one in found):
        raise typer.Exit(Exit.FAILED)


def migrate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A config.json, experiment.json or evaluation.")],
    write: Annotated[bool, typer.Option("--write", help="Replace the file; the original is kept as FILE.bak.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the changes as JSON.")] = False,
) -> None:
    """Print a file as this version would write it. This is optional: older files are read as they are."""
    from rlviz.cli.files import replace_file
    from rlviz.domain.versions import UnknownVersion
    from rlviz.rundir.contents import document_model, drift_of_document

    model = document_model(file)
    if not file.exists():
        raise Failure(Exit.NOT_FOUND, f"There is no file {file}.")
    if model is None:
        raise Failure(
            Exit.BAD_INPUT, f"{file.name} has no format version. Name a config.json, experiment.json or eval_*.json."
        )
    content = _read(file)
    try:
        document = json.loads(content)
        reading = model.format.read(document)
    except (ValueError, AttributeError) as error:
        said = error if isinstance(error, UnknownVersion) else "It is not a JSON object."
        raise Failure(Exit.BAD_INPUT, f"{file}: {said}") from error
    if reading.is_newer:
        raise Failure(Exit.CONFLICT, f"{file}: {model.format.newer(reading.found)} Install that version.")
    if wrong := [one for one in drift_of_document(content, model, str(file)) if not one.is_harmless]:
        raise Failure(Exit.BAD_INPUT, "\n".join(f"{one.file}{_place(one)}: {one.says}" for one in wrong))
    migrated = json.dumps(dict(reading.document), indent=2, ensure_ascii=False) + "\n"
    backup = file.with_name(f"{file.name}.bak") if write and reading.applied else None
    if backup is not None:
        if backup.exists() and _read(backup) != content:  # an identical backup was left by an interrupted migration
            raise Failure(Exit.CONFLICT, f"{backup} already exists. Move it away first. Nothing was changed.")
        replace_file(backup, lambda target: target.write(content))
        replace_file(file, lambda target: target.write(migrated.encode()))
    if as_json:
        steps = [migration.says for migration in reading.applied]
        versions = {"path": str(file), "was": reading.found, "version": model.format.current, "migrations": steps}
        print_json({**versions, "backup": None if backup is None else str(backup)})
    elif not write:
        say(migrated.rstrip("\n"))
    elif backup is None:
        say(f"{file} already has the current format version, {reading.found}.")
    else:
        say(
            f"{file} now has version {model.format.current}. The original, of version {reading.found}, is in "
            f"{backup.name}."
        )
        for migration in reading.applied:
            say(f"  {migration.says}")


def settings_as_json(settings: Settings) -> dict[str, Any]:
    """Return every setting with its source, without secrets."""
    names = type(settings).model_fields
    return {name: {"value": settings.as_json(name), "source": settings.source_of(name)} for name in names}


def _check_settings(context: typer.Context, file: Path | None, as_json: bool) -> None:
    if file is not None and not file.exists():
        raise Failure(Exit.NOT_FOUND, f"There is no file {file}.")
    settings = read_settings(context, config_file=file)
    given = [name for name in type(settings).model_fields if settings.source_of(name) != "default"]
    if as_json:
        print_json({"usable": True, "given": given})
    else:
        differ = "1 differs" if len(given) == 1 else f"{len(given)} differ"
        say(f"The settings are valid; {differ} from the default.")


def _find_drift(context: typer.Context, what: str) -> tuple[str, list[Drift]]:
    """Return the differences of a file or run, with its name. Raises Failure, or RunFolderError."""
    from rlviz.provenance import package_versions
    from rlviz.rundir.contents import document_model, drift_of_document, drift_of_run
    from rlviz.rundir.folder import RunFolder

    path = Path(what)
    if path.is_file():
        if (model := document_model(path)) is None:
            raise Failure(
                Exit.BAD_INPUT,
                f"{path.name} is neither a file of settings (.toml, .yaml) nor a config.json, experiment.json or "
                "eval_*.json.",
            )
        try:
            return str(path), drift_of_document(_read(path), model, path.name)
        except ValueError as error:
            raise Failure(Exit.FAILED, f"{path} is not a JSON object.") from error
    folder = RunFolder.at(path) if path.is_dir() else _run_named(context, what)
    try:
        return folder.run_id, drift_of_run(folder, package_versions())
    except FileNotFoundError as error:
        raise Failure(Exit.FAILED, f"Run {folder.run_id} has no config.json. Put it back, or delete it.") from error


def _run_named(context: typer.Context, text: str) -> RunFolder:
    """Return the folder of the run that ``text`` refers to, without a service. Raises Failure."""
    from rlviz.rundir.folder import run_folders

    meant = match_folders(text, list(run_folders(read_settings(context).runs_dir)))
    if len(meant) == 1:
        return meant[0]
    if meant:
        ids = ", ".join(folder.run_id for folder in meant[:5])
        raise Failure(Exit.BAD_INPUT, f"{text!r} matches {len(meant)} runs: {ids}. Give more of the id.")
    raise Failure(Exit.NOT_FOUND, f"There is no file and no run {text[:80]!r}. `rlviz runs` lists all runs.")


def _read(path: Path) -> bytes:
    from rlviz.regular_file import read_regular
    from rlviz.rundir.experiment_folder import MOST_BYTES

    try:
        return read_regular(path, MOST_BYTES)
    except OSError as error:
        status = Exit.NOT_FOUND if isinstance(error, FileNotFoundError) else Exit.BAD_INPUT
        raise Failure(status, f"{path} cannot be read ({error.strerror}).") from error


def _place(one: Drift) -> str:
    return f" {one.key}" if one.key else ""
