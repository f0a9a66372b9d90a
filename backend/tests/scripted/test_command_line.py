"""The ``rlviz`` command in a separate process."""

from __future__ import annotations

import json
import os
import re
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from rlviz import __version__
from rlviz.cli import commands
from rlviz.cli.command_index import COMMANDS, load
from rlviz.cli.main import app, main
from rlviz.rundir.lock import RunsLock
from rlviz.settings import PREFIX, Settings
from tests.support.cli import shell as rlviz
from tests.support.run_folders import make_run


def test_config_shows_each_setting_with_its_value_and_source(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("RLVIZ_KEEP_EVAL_VIDEOS=7\n")
    result = rlviz(tmp_path, "config", port="1234")
    assert result.returncode == 0
    lines = result.stdout.splitlines()[1:]
    shown = {line.split()[0]: line.split(maxsplit=1)[1].rsplit("  ", 1) for line in lines}
    assert shown.keys() == {f"{PREFIX}{name}".upper() for name in Settings.model_fields}
    assert [part.strip() for part in shown["RLVIZ_PORT"]] == ["1234", "environment"]
    assert [part.strip() for part in shown["RLVIZ_KEEP_EVAL_VIDEOS"]] == ["7", ".env"]
    assert [part.strip() for part in shown["RLVIZ_HOST"]] == ["127.0.0.1", "default"]


def test_config_never_shows_the_token(tmp_path: Path) -> None:
    result = rlviz(tmp_path, "config", token="open-sesame-123")
    assert "open-sesame" not in result.stdout + result.stderr
    assert "RLVIZ_TOKEN" in result.stdout
    assert "********" in result.stdout


def test_an_invalid_setting_exits_with_2_and_one_clear_line(tmp_path: Path) -> None:
    result = rlviz(tmp_path, "serve", host="0.0.0.0")
    assert result.returncode == 2
    assert result.stderr.startswith("rlviz: Settings cannot be used.")
    assert "RLVIZ_TOKEN" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_port_in_use_exits_with_2_and_says_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = rlviz(tmp_path, "serve", port=str(port))
    assert result.returncode == 2
    assert f"Port {port} on 127.0.0.1 cannot be used" in result.stderr
    assert "RLVIZ_PORT" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("command", ["serve", "rebuild"])
def test_a_runs_folder_in_use_by_another_service_exits_with_4_and_names_its_process(
    tmp_path: Path, command: str
) -> None:
    runs_dir = tmp_path / "runs"
    runs_dir.mkdir()
    lock = RunsLock(runs_dir)
    lock.acquire()
    try:
        result = rlviz(tmp_path, command, port="0", runs_dir=str(runs_dir))
    finally:
        lock.release()
    assert result.returncode == 4
    [problem] = result.stderr.splitlines()
    assert f"process {os.getpid()}" in problem
    assert str(runs_dir) in problem
    assert "RLVIZ_RUNS_DIR" in problem


def test_an_invalid_runs_folder_exits_with_2_and_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("no folder")
    result = rlviz(tmp_path, "serve", port="0", runs_dir=str(tmp_path / "runs"))
    assert result.returncode == 2
    [problem] = result.stderr.splitlines()
    assert f"{tmp_path / 'runs'} cannot be used" in problem
    assert "RLVIZ_RUNS_DIR" in problem


def test_a_damaged_catalogue_exits_with_2_and_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "rlviz.db").write_bytes(bytes(range(256)) * 64)
    result = rlviz(tmp_path, "serve", port="0", runs_dir=str(tmp_path))
    assert result.returncode == 2
    [problem] = result.stderr.splitlines()
    assert "is damaged" in problem
    assert "rlviz rebuild" in problem


@pytest.mark.parametrize("host", ["no-such-host.invalid", "203.0.113.7"])
def test_a_host_that_is_not_of_this_machine_exits_with_2(tmp_path: Path, host: str) -> None:
    result = rlviz(tmp_path, "serve", host=host, token="open-sesame-123", port="0")
    assert result.returncode == 2
    assert host in result.stderr
    assert "Traceback" not in result.stderr


def test_rebuild_indexes_the_folders_and_names_unreadable_ones(tmp_path: Path) -> None:
    for number in range(3):
        make_run(tmp_path / "runs", f"run-{number}", rows=2, status="completed")
    result = rlviz(tmp_path, "rebuild")
    assert (result.returncode, result.stdout) == (0, "Indexed 3 runs and 0 evaluations.\n")
    assert (tmp_path / "runs" / "rlviz.db").exists()
    (tmp_path / "runs" / "run-1" / "config.json").write_text("{")
    result = rlviz(tmp_path, "rebuild")
    assert (result.returncode, result.stdout) == (1, "Indexed 3 runs and 0 evaluations.\n")
    assert "run-1" in result.stderr
    assert "config.json" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_run_of_a_newer_version_is_indexed_and_does_not_fail_a_rebuild(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "runs", "run-1", rows=2, status="completed")
    content = json.loads(folder.config_path.read_text())
    folder.config_path.write_text(json.dumps({**content, "schema_version": 9}))
    result = rlviz(tmp_path, "rebuild")
    assert (result.returncode, result.stdout) == (0, "Indexed 1 run and 0 evaluations.\n")
    assert "Read-only: " in result.stderr
    assert "newer version" in result.stderr
    assert "Skipped" not in result.stderr


def test_openapi_prints_the_document(tmp_path: Path) -> None:
    document = json.loads(rlviz(tmp_path, "openapi").stdout)
    assert document["info"] == {"title": "RL Gym Visualizer", "version": __version__}
    assert document["servers"] == [{"url": "/api"}]
    assert list(tmp_path.iterdir()) == [], "Describing the API touches nothing"


def test_the_version_and_the_help_import_no_heavy_module(tmp_path: Path) -> None:
    loaded = "import sys; from rlviz.cli.main import main; main(['--help']); print(*sys.modules)"
    result = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True, timeout=60)
    modules = set(result.stdout.splitlines()[-1].split())
    assert not modules & {"torch", "fastapi", "pydantic", "httpx", "numpy", "rich", "logging", "json", "rlviz.settings"}


@pytest.mark.parametrize(
    "typed",
    [["run", "--help"], ["run", "--nonsense"], ["rules", "add", "--help"], ["rules", "--nonsense"], ["nonsense"], []],
)
def test_the_help_of_a_command_and_an_unknown_flag_import_no_heavy_module(typed: list[str]) -> None:
    """Imports take most of their time. Both must appear within 150 ms."""
    loaded = f"import sys; from rlviz.__main__ import main; main({typed}); print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout
    modules = set(told.splitlines()[-1].split())
    assert not modules & {"torch", "fastapi", "pydantic", "httpx", "numpy", "rich", "rlviz.settings"}


def test_quiet_and_verbose_flags_control_the_output(tmp_path: Path) -> None:
    make_run(tmp_path / "runs", "made-up", rows=2, status="completed")
    usual = rlviz(tmp_path, "run", "--no-start", "--algo", "random")
    quiet = rlviz(tmp_path, "-q", "run", "--no-start", "--algo", "random")
    assert (usual.returncode, quiet.returncode, "not been started" in usual.stderr, quiet.stderr) == (0, 0, True, "")
    assert len(quiet.stdout.splitlines()) == 1
    assert "is no run" in rlviz(tmp_path, "-q", "status", "nobody").stderr
    verbose = rlviz(tmp_path, "-v", "runs")
    assert "INFO rlviz.cli.connection: No service runs, so this command serves runs" in verbose.stderr
    assert "GET http" not in verbose.stderr
    assert "GET http" in rlviz(tmp_path, "-vv", "runs").stderr
    assert verbose.stdout == rlviz(tmp_path, "runs").stdout


def test_the_log_is_also_appended_to_a_file(tmp_path: Path) -> None:
    file = tmp_path / "rlviz.log"
    file.write_text("before\n")
    assert rlviz(tmp_path, "--quiet", "--log-file", str(file), "runs").stderr == ""
    before, *lines = file.read_text().splitlines()
    assert (before, "No service runs" in lines[0]) == ("before", True)
    refused = rlviz(tmp_path, "--log-file", str(tmp_path), "runs")
    assert (refused.returncode, "Traceback" in refused.stderr) == (2, False)
    assert f"The log file {tmp_path} cannot be written" in refused.stderr


def test_an_unknown_command_exits_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fly"]) == 2
    assert "No such command 'fly'" in capsys.readouterr().err


def test_flags_of_serve_take_precedence_over_the_environment(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = rlviz(tmp_path, "serve", "--port", port, port="1")
    assert result.returncode == 2
    assert f"Port {port} on 127.0.0.1 cannot be used" in result.stderr


def test_the_version_is_printed_without_importing_the_commands() -> None:
    loaded = "import sys; from rlviz.__main__ import main; main(['--version']); print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout
    version, modules = told.splitlines()
    assert version == __version__
    assert "typer" not in modules.split()


def test_the_help_imports_no_command_and_uses_each_commands_own_summary() -> None:
    loaded = "import sys; from rlviz.cli.main import main; main(['--help']); print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True).stdout
    ours = {name.removeprefix("rlviz.cli.") for name in told.splitlines()[-1].split() if name.startswith("rlviz.")}
    assert ours == {"rlviz.cli", "completion", "exits", "help", "command_index", "main", "options"}
    group = get_command(app)
    for name, entry in COMMANDS.items():
        command = group.get_command(typer.Context(group), name)  # type: ignore[attr-defined]
        assert " ".join(str(command.help).split("\n\n")[0].split()) == entry.summary


def test_every_command_file_is_in_the_index_and_lists_all_its_commands() -> None:
    files = {path.stem for path in Path(commands.__file__).parent.glob("*.py")} - {"__init__"}
    assert {entry.module for entry in COMMANDS.values()} == files
    registered = {name for module in files for name in load(module)}
    assert registered == set(COMMANDS)


def test_every_command_with_a_result_can_print_json() -> None:
    def without(group: Any, path: str) -> list[str]:
        found: list[str] = []
        for name, command in ((name, group.get_command(None, name)) for name in group.list_commands(None)):
            if hasattr(command, "list_commands"):
                found += without(command, f"{path}{name} ")
            elif not any("--json" in parameter.opts for parameter in command.params):
                found.append(path + name)
        return found

    assert without(get_command(app), "") == ["serve", "openapi"], "which prints JSON alone"


def test_a_misspelt_command_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["exprt"]) == 2
    assert "Did you mean 'export'" in capsys.readouterr().err


def test_each_command_shows_valid_examples() -> None:
    def every(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
        for name in group.list_commands(None):
            command = group.get_command(None, name)
            if hasattr(command, "list_commands"):
                yield from every(command, (*path, name))
            else:
                yield (*path, name), command

    commands = dict(every(get_command(app)))
    for path, command in commands.items():
        examples = [line.strip() for line in str(command.epilog).splitlines() if line.strip().startswith("rlviz ")]
        typed = [shlex.split(re.split(r" [|>] ", example)[0])[1:] for example in examples]
        behind = [words[words.index(path[0]) :] for words in typed if path[0] in words]
        assert len(behind) == len(typed) > 0, path
        for words in behind:
            assert tuple(words[: len(path)]) == path, words
            command.make_context(path[-1], words[len(path) :])
