"""``docs/cli.md``: what every command does and takes, from the commands themselves.

``python -m rlviz.cli.reference`` prints it; ``make cli-docs`` writes it, and ``make lint`` compares.
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

Made from the commands by `make cli-docs`. [A session in a terminal](cli-session.md) shows them at work.

`rlviz` does what the pages do. It talks to the service of the runs folder if one runs, found by `service.json` in that
folder. Where none runs, the command serves the folder itself, on a port of this machine alone, for as long as it needs
to; what trains goes on in processes of its own, and the next command or `rlviz serve` takes it up. So there is one
writer of a runs folder, always: of two commands at once the second talks to the first
([decision 039](decisions/039-the-command-line.md)).

- A **run** is named by its id, its beginning or end, its name, or `last`: the newest. So is an
  **experiment**.
- **`--json`** prints what the API answers ([api.md](api.md)); messages go to standard error, so that `| jq` works.
- **How much is said**: `-v` before the command's name says what is done, `-vv` every request too; `-q` says only
  answers and what went wrong; `--log-file FILE` has the log at the end of a file, too, that of `rlviz serve` as well.
- **Colours** are used on a terminal alone, and not with `NO_COLOR` set. A closed pipe (`rlviz runs | head`) is no
  error.
- **Ctrl-C** leaves nothing half-done. While `--follow` shows a run it asks what to do; where there is no terminal, a
  run that only this command serves is treated as `RLVIZ_ON_EXIT` says, and any other goes on.
- **Completion**: `rlviz --install-completion` installs it for your shell.

In this repository the command is `backend/.venv/bin/rlviz`.

## Settings

A flag counts before the environment, that before a `.env` file, and that before a settings file: `--config FILE`, or
`rlviz.toml` or `rlviz.yaml` in the folder that the command is started in. Names are those of the
[variables](../README.md#settings) without `RLVIZ_`, in lower case. `rlviz config show` says which source won,
`rlviz config check` names file, line and column of what cannot be used.

```toml
runs_dir = "/data/runs"
max_concurrent_runs = 4
```
"""


def document() -> str:
    """The whole document."""
    parts = [_HEAD, "## Exit status\n", "| status | means |\n| --- | --- |"]
    parts += [f"| `{status.value}` | {status.meaning} |" for status in Exit]
    parts.append("\n## Commands\n\n| command | does |\n| --- | --- |")
    commands = list(_commands(get_command(app), typer.Context(get_command(app), info_name="rlviz")))
    parts += [f"| [`{path}`](#{path.replace(' ', '-')}) | {_summary(command)} |" for path, command, _ in commands]
    parts += [_section(path, command, context) for path, command, context in commands]
    return "\n".join(parts) + "\n"


def _commands(group: Any, context: Any) -> Iterator[tuple[str, Any, Any]]:
    """Each command with its full name, those of groups in their place."""
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
        lines.append("\n| takes | is |\n| --- | --- |")
        lines += [f"| `{_cell(name)}` | {_cell(text)} |" for name, text in rows]
    if command.epilog:
        shown = [line.strip() for line in command.epilog.replace("\b", "").strip().splitlines()[1:]]
        lines += ["\n```sh", *shown, "```"]
    return "\n".join(lines)


def _described(command: Any) -> str:
    """Its help; paragraphs whose lines may not be wrapped are text as it stands."""
    paragraphs = [paragraph.strip("\n") for paragraph in str(command.help).split("\n\n")]
    return "\n\n".join(_as_it_stands(one[1:]) if one.startswith("\b") else one for one in paragraphs).strip()


def _as_it_stands(text: str) -> str:
    return f"```text\n{text.strip()}\n```"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    print(document(), end="")
