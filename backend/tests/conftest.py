"""Configuration and fixtures that all tests share."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator

import pytest

# Before torch is imported: two threads of a test that wait for each other take very long on cores that others want too.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# The user of the tests has a configuration of their own, and runs that a test writes by hand count as theirs.
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp(prefix="rlviz-tests-config-")
os.environ.setdefault("RLVIZ_TRUST_RUNS_DIR", "true")

from tests.support.run_folders import make_run
from tests.support.service_process import Service, serving
from tests.support.template import SOCKET, template_address
from tests.support.workers import kill_workers_below

atexit.register(shutil.rmtree, os.environ["XDG_CONFIG_HOME"], ignore_errors=True)

for number in (signal.SIGINT, signal.SIGHUP):  # nohup, or a shell's background, had them ignored by all our children
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


def pytest_configure(config: pytest.Config) -> None:
    """Start one template for all processes of pytest-xdist."""
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        os.environ[SOCKET] = template_address()


def pytest_collection_finish() -> None:
    """Freeze the collected tests, so that the garbage collector does not scan them again."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def no_worker_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Kill the workers that the services of a module leave training when they end."""
    yield
    kill_workers_below(tmp_path_factory.getbasetemp())


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service for all tests that leave it unchanged, with one ended run, ``ended-run``.

    Whatever the tests did to it, its log holds no traceback.
    """
    folder = tmp_path_factory.mktemp("service")
    make_run(folder / "runs", "ended-run", rows=100, status="completed")
    with serving(folder, max_concurrent_runs="1") as service:
        yield service
        assert "Traceback" not in service.log, service.log
