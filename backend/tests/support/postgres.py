"""A temporary PostgreSQL server on a socket in a temporary folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

_PLACES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


@dataclass
class Cluster:
    """A PostgreSQL server. ``stop`` ends it like a crash: connections are cut."""

    folder: Path
    programs: Path

    @property
    def url(self) -> str:
        return f"postgresql:///postgres?host={self.folder}&user=tester"

    def start(self) -> None:
        options = f"-c listen_addresses='' -c unix_socket_directories={self.folder} -c fsync=off"
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-o", options, "-l", f"{self.folder}/log", "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "-w", "stop")

    def make(self) -> None:
        self._run("initdb", "-D", f"{self.folder}/data", "-U", "tester", "-A", "trust", "--no-sync")

    def _run(self, program: str, *arguments: str) -> None:
        user = "postgres" if os.geteuid() == 0 else None  # it refuses to run as root
        command = [str(self.programs / program), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, user=user, cwd="/")


def programs() -> Path | None:
    """Return the folder of PostgreSQL's programs, or None if it is not installed."""
    found = shutil.which("initdb")
    folder = Path(found).resolve().parent if found else next(iter(_PLACES), None)
    return folder if folder is not None and (folder / "pg_ctl").exists() else None


@contextmanager
def cluster(programs: Path) -> Iterator[Cluster]:
    folder = Path(tempfile.mkdtemp(prefix="rlviz-pg-"))  # a socket's path is short
    made = Cluster(folder, programs)
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        made.make()
        made.start()
        yield made
        made.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def postgres() -> Iterator[Cluster]:
    """A PostgreSQL server; skips the test if it is not installed (`apt-get install postgresql`)."""
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install 'rlviz[postgres]'")
    if (found := programs()) is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    with cluster(found) as made:
        yield made
