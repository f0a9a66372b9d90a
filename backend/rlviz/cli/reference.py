"""Generate ``docs/cli.md``, the reference of all commands, from the commands themselves.

``python -m rlviz.cli.reference`` prints it, ``make cli-docs`` writes it, and ``make lint`` checks that it is current.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer
from typer.main import get_command

from rlviz.cli.exits import Exit
from rlviz.cli.help import plain_usage
from rlviz.cli.main import app

_HEAD = """# The command line

This page is generated from the commands by `make cli-docs`. For a tour, see
[A session in a terminal](cli-session.md).

`rlviz` does everything that the pages do. If a service runs for the runs folder, commands send their requests to it;
they find its address in the folder's `service.json`. If no service runs, the command starts its own service on a local
port and stops it when it has finished. Training runs in separate processes and continues after the command; the next
command or `rlviz serve` connects to these processes again. A runs folder therefore always has one writer: if two
commands run at once, the second sends its requests to the first
([decision 039](decisions/039-the-command-line.md)).

- Name a **run** or an **experiment** by its id, the start or end of its id, its name, or `last` for the newest.
- **`--json`** prints the API's response ([api.md](api.md)). Messages go to standard error, so that `| jq` works.
- **Verbosity**: before the command's name, `-v` logs what the command does, `-vv` also logs each request, and `-q`
  prints only results and errors. `--log-file FILE` appends the log to a file; it works for `rlviz serve` too.
- **Colours** appear only on a terminal, and not if `NO_COLOR` is set. A closed pipe (`rlviz runs | head`) is not an
  error.
- **Ctrl-C** never leaves a run half-written. With `--follow` on a terminal, the command asks what to do with the run.
  Without a terminal, `RLVIZ_ON_EXIT` decides what happens to the run if the command runs its own service; if another
  service runs, the run continues.
- **Completion**: `rlviz --install-completion` installs it for your shell.

In this repository the command is `backend/.venv/bin/rlviz`.

## Settings

A flag overrides an environment variable, which overrides the `.env` file, which overrides the settings file:
`--config FILE`, or else `rlviz.toml` or `rlviz.yaml` in the current folder, or else in `~/.config/rlviz`. In a settings
file, write the names of the [variables](settings.md) in lower case and without `RLVIZ_`. `rlviz config show` shows
where each value comes from; `rlviz config check` reports errors with file, line and column.

```toml
runs_dir = "/data/runs"
max_concurrent_runs = 4
```
"""


def document() -> str:
    """Return the whole document."""
    parts = [_HEAD, "## Exit status\n", "| status | meaning |\n| --- | --- |"]
    parts += [f"| `{status.value}` | {status.meaning} |" for status in Exit]
    parts.append("\n## Commands\n\n| command | description |\n| --- | --- |")
    commands = list(_commands(get_command(app), typer.Context(get_command(app), info_name="rlviz")))
    parts += [f"| [`{path}`](#{path.replace(' ', '-')}) | {_summary(command)} |" for path, command, _ in commands]
    parts += [_section(path, command, context) for path, command, context in commands]
    return "\n".join(parts) + "\n"


def _commands(group: Any, context: Any) -> Iterator[tuple[str, Any, Any]]:
    """Yield each command with its full name; the commands of a group replace the group."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        inner = typer.Context(command, info_name=name, parent=context)
        if hasattr(command, "list_commands"):
            yield from _commands(command, inner)
        else:
            yield inner.command_path, command, inner


def _summary(command: Any) -> str:
    return str(command.help).split("\n\n")[0].replace("\n", " ")


def _section(path: str, command: Any, context: Any) -> str:
    words = plain_usage(" ".join(str(piece) for piece in command.collect_usage_pieces(context)))
    lines = [f"\n### {path}\n", f"`{path} {words}`\n", _described(command)]
    parameters = [parameter.get_help_record(context) for parameter in command.get_params(context)]
    rows = [record for record in parameters if record is not None and "--help" not in record[0]]
    if rows:
        lines.append("\n| argument or option | meaning |\n| --- | --- |")
        lines += [f"| `{_cell(name)}` | {_cell(text)} |" for name, text in rows]
    if command.epilog:
        shown = [line.strip() for line in command.epilog.replace("\b", "").strip().splitlines()[1:]]
        lines += ["\n```sh", *shown, "```"]
    return "\n".join(lines)


def _described(command: Any) -> str:
    """Return the help of a command, with preformatted paragraphs as text blocks."""
    paragraphs = [paragraph.strip("\n") for paragraph in str(command.help).split("\n\n")]
    return "\n\n".join(_as_it_stands(one[1:]) if one.startswith("\b") else one for one in paragraphs).strip()


def _as_it_stands(text: str) -> str:
    return f"```text\n{text.strip()}\n```"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    print(document(), end="")
