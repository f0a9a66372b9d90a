"""The wheel, installed into an empty environment: commands train with it, and it serves the pages, without Node."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import httpx
import pytest

from rlviz.api.address import read_address
from tests.support.http import environment, wait_for

BACKEND = Path(__file__).parents[2]
BUILT_PAGES = BACKEND.parent / "frontend" / "out"

WITHOUT_NODE = {"PATH": "/usr/bin/none"}


@pytest.fixture(scope="module")
def bin_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``bin`` of an environment with the wheel; what the wheel depends on is that of this environment."""
    if not (BUILT_PAGES / "404.html").is_file():
        pytest.skip("The pages are not built; `make test` builds them first.")
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    build = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(BACKEND)]
    subprocess.run(build, check=True, timeout=100)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder / "venv")], check=True, timeout=100)
    venv = folder / "venv" / "bin"
    (wheel,) = folder.glob("rlviz-*.whl")
    # A path in a .pth file brings the packages that lie there, and no editable installation among them.
    (site,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    install = [*pip, "--python", str(venv / "python"), "install", "--no-deps", "--force-reinstall", str(wheel)]
    subprocess.run(install, check=True, timeout=100)
    return venv


def ask(bin_folder: Path, folder: Path, *command: str) -> str:
    """What a program of the environment prints, in a folder with no checkout around it."""
    given = environment() | WITHOUT_NODE
    given.pop("PYTHONPATH", None)
    done = subprocess.run(
        [str(bin_folder / command[0]), *command[1:]],
        cwd=folder,
        env=given,
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_runs_is_the_wheel(bin_folder: Path, tmp_path: Path) -> None:
    there = ask(bin_folder, tmp_path, "python", "-c", "import rlviz; print(rlviz.__file__)")
    assert Path(there.strip()).is_relative_to(bin_folder.parent)


def test_a_run_is_trained_and_its_page_loads(bin_folder: Path, tmp_path: Path) -> None:
    trained = ask(bin_folder, tmp_path, "rlviz", "run", "--env", "CartPole-v1", "--steps", "256", "--follow", "--json")
    run_id = json.loads(trained)["id"]
    assert (tmp_path / "runs" / run_id / "model.zip").is_file()

    given = environment(port="0") | WITHOUT_NODE
    given.pop("PYTHONPATH", None)
    with (tmp_path / "log").open("w") as log:
        service = subprocess.Popen(
            [str(bin_folder / "rlviz"), "serve"], cwd=tmp_path, env=given, stdout=log, stderr=log
        )
    try:
        address = wait_for(lambda: read_address(tmp_path / "runs"), "The service's address")
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
    finally:
        service.terminate()
        service.wait(30)


def test_the_doctor_finds_the_pages_in_the_package(bin_folder: Path, tmp_path: Path) -> None:
    findings = {one["about"]: one for one in json.loads(ask(bin_folder, tmp_path, "rlviz", "doctor", "--json"))}
    assert findings["pages"]["state"] == "ok", findings
    assert str(bin_folder.parent) in findings["pages"]["says"]


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


def test_type_checkers_read_the_hints_of_the_library(bin_folder: Path, tmp_path: Path) -> None:
    skipped = "torch.*,stable_baselines3.*,gymnasium.*,pydantic.*,numpy.*"
    (tmp_path / "mypy.ini").write_text(f"[mypy]\nstrict = True\n[mypy-{skipped}]\nfollow_imports = skip\n")
    (tmp_path / "mine.py").write_text(SNIPPET)
    check = [sys.executable, "-m", "mypy", "--python-executable", str(bin_folder / "python"), "mine.py"]
    checked = subprocess.run(check, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    wrong = [number for number, line in enumerate(SNIPPET.splitlines(), 1) if "# wrong" in line]
    assert [int(line.split(":")[1]) for line in checked.stdout.splitlines() if ": error:" in line] == wrong, checked
