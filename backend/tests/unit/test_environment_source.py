"""Import path of the class of a custom environment."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import rlviz
from rlviz.importing import leave_working_folder, module_command
from rlviz.learning.environments.base import load_class


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder that is not on the module path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path not in ("", str(Path.cwd()))])


def test_a_module_of_the_working_folder_is_found_last(tmp_path: Path) -> None:
    (tmp_path / "only_here_f1.py").write_text("class Env: pass\n")
    (tmp_path / "numpy.py").write_text("raise RuntimeError('not this one')\n")
    assert load_class("only_here_f1:Env").__name__ == "Env"
    assert sys.path[-1] == str(tmp_path)
    assert load_class("numpy:ndarray").__module__ == "numpy"


def test_the_folder_in_which_python_started_is_removed_from_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    leave_working_folder("rlviz")
    assert str(tmp_path) not in sys.path
    (tmp_path / "rlviz").mkdir()
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    leave_working_folder("rlviz")
    assert sys.path[0] == "", "the package itself lies there"


def test_processes_of_the_app_do_not_import_from_the_working_folder() -> None:
    assert module_command("rlviz.worker") == [sys.executable, "-P", "-m", "rlviz.worker"]


def test_every_process_of_the_app_is_started_through_that_command() -> None:
    package = Path(rlviz.__file__).parent
    starting = [path for path in package.rglob("*.py") if "sys.executable" in path.read_text()]
    assert starting == [package / "importing.py"]
