"""Child processes of the service do not inherit its secrets."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

import rlviz
from rlviz.child_environment import SECRETS, child_environment, forget_secrets
from rlviz.launchers.thread import ThreadLauncher
from rlviz.settings import PREFIX, Settings, read_settings

PACKAGE = Path(rlviz.__file__).parent
STARTERS = ("launchers", "server")
"""Packages whose code runs in the service."""


@pytest.fixture(autouse=True)
def with_secrets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    os.environ.update(
        RLVIZ_TOKEN="open-sesame-123",
        rlviz_webhook_url="https://hooks.example/secret",
        RLVIZ_HOST="0.0.0.0",
        RLVIZ_ALLOWED_HOSTS="rl.example.org",
        RLVIZ_RUNS_DIR="here",
        WANDB_API_KEY="of the user",
    )


def test_the_settings_mark_which_variables_are_secret() -> None:
    marked = {name for name, field in Settings.model_fields.items() if field.json_schema_extra == {"secret": True}}
    assert {f"{PREFIX}{name}".upper() for name in marked} == SECRETS
    for name in marked:
        given = Settings(_env_file=None, **{name: "https://hooks.example/secret"})  # type: ignore[call-arg, arg-type]
        assert "secret" not in str(given.shown(name)), f"{name} is shown"


def test_a_child_process_gets_all_variables_except_the_secrets() -> None:
    variables = child_environment(OMP_NUM_THREADS="1")
    assert "hooks.example" not in str(variables)
    assert "open-sesame" not in str(variables)
    assert (variables["RLVIZ_RUNS_DIR"], variables["WANDB_API_KEY"]) == ("here", "of the user")
    assert variables["OMP_NUM_THREADS"] == "1"
    assert os.environ["RLVIZ_TOKEN"] == "open-sesame-123"


def test_code_in_a_worker_reads_valid_settings() -> None:
    forget_secrets()
    assert "open-sesame" not in str(os.environ)
    os.environ.update(child_environment())
    settings = read_settings()
    assert (settings.token, settings.host, settings.runs_dir) == (None, "127.0.0.1", Path("here"))


def test_without_secrets_the_environment_is_unchanged() -> None:
    for name in [name for name in os.environ if name.upper() in SECRETS]:
        del os.environ[name]
    assert child_environment() == os.environ


def test_every_process_started_by_the_service_gets_that_environment() -> None:
    started, wrong = 0, []
    for package in STARTERS:
        for path in sorted((PACKAGE / package).rglob("*.py")):
            for call in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)):
                if ast.unparse(call.func) not in ("subprocess.Popen", "subprocess.run", "_LastingProcess"):
                    continue
                started += 1
                given = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
                if "environment" not in given.get("env", ""):
                    wrong.append(f"{path.relative_to(PACKAGE)}:{call.lineno}")
    assert started >= 6
    assert wrong == [], "these start a process without env=child_environment()"


def test_a_service_that_trains_in_a_thread_forgets_its_secrets() -> None:
    ThreadLauncher(warm=False)
    assert "open-sesame" not in str(os.environ)
