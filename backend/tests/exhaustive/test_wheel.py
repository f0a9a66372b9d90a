"""The wheel, installed in a separate environment: commands train, and the pages are served without Node.

With ``RLVIZ_TEST_EMPTY=1``, which ``make test-wheel`` and continuous integration set, that environment is empty at
first and gets the dependencies of the wheel. Otherwise it sees the packages of this one, which takes seconds instead of
minutes.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import httpx
import pytest

from rlviz.server.proxy import read_address
from tests.support.run_folders import make_run
from tests.support.service_process import environment
from tests.support.waiting import eventually

BACKEND = Path(__file__).parents[2]
BUILT_PAGES = BACKEND.parent / "frontend" / "out"

WITHOUT_NODE = {"PATH": "/usr/bin/none"}

IS_EMPTY = os.environ.get("RLVIZ_TEST_EMPTY") == "1"
PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]

RUN = "made-up"
NEEDS = {
    "wandb": ("export", RUN, "--to", "wandb"),
    "mlflow": ("export", RUN, "--to", "mlflow"),
    "trackio": ("export", RUN, "--to", "trackio"),
    "postgres": ("ingest", "--to", "postgresql:///research"),
}
"""Of each extra a command that needs it."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (BUILT_PAGES / "404.html").is_file():
        missing = "The pages are not built; `make test` builds them first."
        pytest.fail(missing) if IS_EMPTY else pytest.skip(missing)
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [*PIP, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(BACKEND)], check=True
    )
    (built,) = folder.glob("rlviz-*.whl")
    return built


@pytest.fixture(scope="module")
def bin_folder(wheel: Path) -> Path:
    """The ``bin`` folder of an environment with the wheel and its dependencies."""
    venv = wheel.parent / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    install = [*PIP, "--python", str(venv / "bin" / "python"), "install"]
    if IS_EMPTY:
        install += ["--constraint", str(BACKEND / "requirements.lock"), str(wheel)]
    else:
        # A path in a .pth file brings the packages that lie there, and no editable installation among them.
        (site,) = (venv / "lib").glob("python*/site-packages")
        (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
        install += ["--no-deps", "--force-reinstall", str(wheel)]
    subprocess.run(install, check=True)
    return venv / "bin"


def asked(bin_folder: Path, folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a program of the environment in a folder without a checkout, and return how it ended."""
    given = environment() | WITHOUT_NODE
    given.pop("PYTHONPATH", None)
    program = [str(bin_folder / command[0]), *command[1:]]
    return subprocess.run(program, cwd=folder, env=given, capture_output=True, text=True, check=False)


def ask(bin_folder: Path, folder: Path, *command: str) -> str:
    """Run a program that must succeed, and return its output."""
    done = asked(bin_folder, folder, *command)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_installed_package_comes_from_the_wheel(bin_folder: Path, tmp_path: Path) -> None:
    there = ask(bin_folder, tmp_path, "python", "-c", "import rlviz; print(rlviz.__file__)")
    assert Path(there.strip()).is_relative_to(bin_folder.parent)


def test_a_run_trains_and_its_page_loads(bin_folder: Path, tmp_path: Path) -> None:
    trained = ask(bin_folder, tmp_path, "rlviz", "run", "--env", "CartPole-v1", "--steps", "500", "--follow", "--json")
    run_id = json.loads(trained)["id"]
    assert (tmp_path / "runs" / run_id / "model.zip").is_file()

    given = environment(port="0") | WITHOUT_NODE
    given.pop("PYTHONPATH", None)
    with (tmp_path / "log").open("w") as log:
        service = subprocess.Popen(
            [str(bin_folder / "rlviz"), "serve"], cwd=tmp_path, env=given, stdout=log, stderr=log
        )
    try:
        address = eventually(lambda: read_address(tmp_path / "runs"), "The service's address")
        with httpx.Client(base_url=address.url, follow_redirects=True) as client:
            assert client.get(f"/api/runs/{run_id}").json()["status"] == "completed"
            page = client.get(f"/runs/{run_id}")
            assert page.status_code == 200
            parts = set(re.findall(r'(?:src|href)="(/_next/[^"]+)"', page.text))
            assert any(part.endswith(".js") for part in parts), page.text[:500]
            for part in parts:
                loaded = client.get(part)
                assert loaded.status_code == 200, part
                assert loaded.content == (BUILT_PAGES / part.removeprefix("/").partition("?")[0]).read_bytes()
        load = ["node", "scripts/load-page.mjs", f"{address.url}/runs/view?id={run_id}", "completed"]
        loaded_page = subprocess.run(load, cwd=BUILT_PAGES.parent, capture_output=True, text=True, check=False)
        assert loaded_page.returncode == 0, loaded_page.stderr
    finally:
        service.terminate()
        service.wait(30)


def test_the_doctor_finds_the_pages_in_the_package(bin_folder: Path, tmp_path: Path) -> None:
    findings = {one["about"]: one for one in json.loads(ask(bin_folder, tmp_path, "rlviz", "doctor", "--json"))}
    assert findings["pages"]["state"] == "ok", findings
    assert str(bin_folder.parent) in findings["pages"]["says"]


@pytest.mark.skipif(not IS_EMPTY, reason="The extras are there; `make test-wheel` has an environment without.")
def test_each_missing_extra_is_named_with_its_install_command(bin_folder: Path, tmp_path: Path) -> None:
    make_run(tmp_path / "runs", RUN, rows=2, status="completed")
    for extra, command in NEEDS.items():
        done = asked(bin_folder, tmp_path, "rlviz", *command)
        assert done.returncode != 0, command
        assert f"pip install 'rlviz[{extra}]'" in done.stderr, done.stderr
        assert "Traceback" not in done.stderr, done.stderr


def test_tensorboard_event_files_need_no_extra(bin_folder: Path, tmp_path: Path) -> None:
    make_run(tmp_path / "runs", RUN, rows=2, status="completed")
    done = asked(bin_folder, tmp_path, "rlviz", "export", RUN, "--format", "tensorboard", "--output", "logs")
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "logs").iterdir())


@pytest.mark.skipif(not IS_EMPTY, reason="It asks the index for every package; `make test-wheel` does.")
def test_every_extra_can_be_installed_with_the_others(bin_folder: Path, wheel: Path) -> None:
    install = [*PIP, "--python", str(bin_folder / "python"), "install", "--dry-run", "--report", "-", f"{wheel}[all]"]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    wanted = {one["metadata"]["name"].lower() for one in json.loads(done.stdout)["install"]}
    extras = {"optuna-dashboard", "minari", "mlflow-skinny", "psycopg", "pyboy", "tensorboard", "trackio", "wandb"}
    assert extras <= wanted


SNIPPET = """
import rlviz
from rlviz.sb3 import RunCallback

run = rlviz.train("ppo", total_timesteps=100)
run.metrics()["step"].mean()
with rlviz.track("mine", "Own-v0") as tracked:
    tracked.log(1, loss=0.5)
RunCallback(name="mine")

tracked.log("now", loss=0.5)  # wrong
rlviz.runs(1.5)  # wrong
rlviz.fly()  # wrong
"""


def test_type_checkers_read_the_type_hints_of_the_library(bin_folder: Path, tmp_path: Path) -> None:
    skipped = "torch.*,stable_baselines3.*,gymnasium.*,pydantic.*,numpy.*"
    (tmp_path / "mypy.ini").write_text(f"[mypy]\nstrict = True\n[mypy-{skipped}]\nfollow_imports = skip\n")
    (tmp_path / "mine.py").write_text(SNIPPET)
    check = [sys.executable, "-m", "mypy", "--python-executable", str(bin_folder / "python"), "mine.py"]
    checked = subprocess.run(check, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    wrong = [number for number, line in enumerate(SNIPPET.splitlines(), 1) if "# wrong" in line]
    assert [int(line.split(":")[1]) for line in checked.stdout.splitlines() if ": error:" in line] == wrong, checked
