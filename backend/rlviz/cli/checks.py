"""The checks of ``rlviz doctor``. Each returns a finding with advice.

They cover disk, memory, service, lock, port, pages, packages, environments and clock, and the versions of run files,
packages and the catalogue.
"""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from rlviz.cli.output import counted
from rlviz.domain.byte_text import byte_text

if TYPE_CHECKING:
    from rlviz.machine import MemoryUse
    from rlviz.settings import Settings


_PACKAGES = ("torch", "stable_baselines3", "sb3_contrib", "gymnasium", "numpy", "fastapi", "uvicorn", "pyarrow")
_RELEASED = 1_760_000_000
"""Unix seconds in October 2025. A clock that shows an earlier time is wrong."""


@dataclass(frozen=True)
class Finding:
    """The result of a check. ``look``: it works, but read the advice. ``bad``: it does not work."""

    about: str
    state: Literal["ok", "look", "bad"]
    says: str
    to_do: str = ""


def check_all(settings: Settings) -> list[Finding]:
    from rlviz.machine import memory_use

    service = check_service(settings)
    checks = [
        check_folder(settings),
        check_disk(settings),
        check_free_memory(memory_use()),
        service,
        check_lock(settings),
    ]
    if "No service" in service.says:
        checks.append(check_port(settings))
    return [
        *checks,
        *check_versions(settings),
        check_reach(settings),
        check_pages(settings),
        check_packages(),
        *check_environments(settings),
        check_time(settings),
    ]


def check_folder(settings: Settings) -> Finding:
    """Check that files in the runs folder can be written and locked."""
    folder = settings.runs_dir.resolve()
    about = "runs folder"
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        return Finding(
            about,
            "bad",
            f"{folder} cannot be written.",
            "Give this user write access, or set RLVIZ_RUNS_DIR to another folder.",
        )
    if nearest != folder:
        return Finding(about, "ok", f"{folder} does not exist yet; the first run creates it.")
    try:
        from filelock import lock_descriptor

        with tempfile.TemporaryFile(dir=folder) as file:
            lock_descriptor(file.fileno(), blocking=False)
    except OSError as error:
        return Finding(
            about,
            "bad",
            f"Files in {folder} cannot be locked ({error.strerror}).",
            "Put the runs on a local disk: RLVIZ_RUNS_DIR.",
        )
    return Finding(about, "ok", f"{folder} can be written and locked.")


def check_disk(settings: Settings) -> Finding:
    from rlviz.rundir.usage import read_usage

    folder = settings.runs_dir.resolve()
    free = shutil.disk_usage(next(path for path in (folder, *folder.parents) if path.exists())).free
    says = f"{byte_text(free)} free; {byte_text(settings.min_free_disk)} must stay free (RLVIZ_MIN_FREE_DISK)."
    if settings.max_bytes is not None and (taken := read_usage(folder).total_bytes) > 0.8 * settings.max_bytes:
        state: Literal["look", "bad"] = "bad" if taken > settings.max_bytes else "look"
        says = f"The runs take {byte_text(taken)} of the {byte_text(settings.max_bytes)} of RLVIZ_MAX_BYTES."
        return Finding(
            "disk",
            state,
            says,
            "`rlviz prune --dry-run` shows what takes space and what the storage rules would remove.",
        )
    if free < settings.min_free_disk:
        return Finding("disk", "bad", says, "No run can start. `rlviz prune` empties the trash.")
    if free < 4 * settings.min_free_disk:
        return Finding("disk", "look", says, "`rlviz prune --dry-run` shows what takes space.")
    return Finding("disk", "ok", says)


def check_free_memory(use: MemoryUse) -> Finding:
    return Finding("memory", "look" if use.level else "ok", f"{use.words[:-1]} ({use.share:.0%}).", use.to_do)


def check_service(settings: Settings) -> Finding:
    """Check that the service of the runs folder, if there is one, answers."""
    from rlviz.server.proxy import read_address

    address = read_address(settings.runs_dir)
    if address is None:
        return Finding("service", "ok", "No service runs; commands serve the runs folder themselves.")
    if not address.is_alive:
        return Finding(
            "service",
            "look",
            f"No service runs. The last one, process {address.pid}, ended without removing its address.",
            "You need not do anything: the next service continues with its runs.",
        )
    import httpx

    try:
        cookies = {"rlviz_session": address.session} if address.session else None
        answer = httpx.get(f"{address.url}/api/health", cookies=cookies, timeout=10, trust_env=False)
        answer.raise_for_status()
    except httpx.HTTPError as error:
        return Finding(
            "service",
            "bad",
            f"Process {address.pid} serves the runs folder, but {address.url} does not answer ({error}).",
            f"Read its output, or end it: kill {address.pid}.",
        )
    return Finding("service", "ok", f"Process {address.pid} answers at {address.url}.")


def check_lock(settings: Settings) -> Finding:
    """Check that the process with the lock of the runs folder is the service."""
    from filelock import lock_descriptor

    from rlviz.server.proxy import read_address

    about = "lock"
    try:
        file = (settings.runs_dir / "rlviz.lock").open("r+")
    except OSError:
        return Finding(about, "ok", "No process has used the runs folder yet.")
    with file:
        if lock_descriptor(file.fileno(), blocking=False):
            return Finding(about, "ok", "It is free for the next command.")
        pid = file.read().strip() or "unknown"
    address = read_address(settings.runs_dir)
    if address is not None and str(address.pid) == pid:
        return Finding(about, "ok", f"The service, process {pid}, holds it.")
    return Finding(
        about,
        "look",
        f"Process {pid} holds it but has published no address. It may be starting, ending or rebuilding, "
        "or the disk is full.",
        f"Wait for it. If it hangs, find out what it is (ps -p {pid}) before you end it.",
    )


def check_reach(settings: Settings) -> Finding:
    """Tell which browsers can reach the running service, or the one that these settings would start."""
    from rlviz.server.proxy import read_address
    from rlviz.settings import is_loopback

    about, host, port = "browsers", settings.host, settings.port
    below = f"{settings.root_path}/" if settings.root_path else ""
    address = read_address(settings.runs_dir)
    if address is not None and address.is_alive:
        host, port = address.host or host, urlsplit(address.url).port or port
    if is_loopback(host):
        return Finding(
            about,
            "ok",
            f"Only browsers on this machine can open http://{host}:{port}{below}. For another machine: run "
            f"`ssh -L {port}:127.0.0.1:{port}` to this one there, or set RLVIZ_HOST=0.0.0.0 and RLVIZ_TOKEN.",
        )
    name = socket.gethostname() if host in ("0.0.0.0", "::") else host
    try:
        socket.getaddrinfo(name, port)
    except OSError:
        return Finding(
            about,
            "look",
            f"Other machines may connect with the token, but the name of this machine, {name}, cannot be resolved.",
            "Open the pages by IP address, or add the name to DNS or the hosts file.",
        )
    return Finding(about, "ok", f"Browsers on other machines can open http://{name}:{port}{below} with the token.")


def check_port(settings: Settings) -> Finding:
    with socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as error:
            return Finding(
                "port",
                "look",
                f"Port {settings.port} on {settings.host} cannot be used ({error.strerror}).",
                "Choose another port for `rlviz serve`: --port or RLVIZ_PORT.",
            )
    return Finding("port", "ok", f"Port {settings.port} on {settings.host} is free.")


def check_pages(settings: Settings) -> Finding:
    if (settings.frontend_dir / "index.html").is_file():
        return Finding("pages", "ok", f"They are built, in {settings.frontend_dir}.")
    return Finding(
        "pages",
        "look",
        "They are not built. Commands and the API work without them.",
        "`make run` builds them; the wheel contains them.",
    )


def check_packages() -> Finding:
    """Check that the packages that train and serve are installed. Importing them would take seconds."""
    missing, versions = [], [f"Python {sys.version.split()[0]}"]
    for name in _PACKAGES:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    if missing:
        return Finding(
            "packages",
            "bad",
            f"Not installed: {', '.join(missing)}.",
            "Reinstall rlviz: `pip install rlviz`, or `make run` in a source checkout.",
        )
    return Finding("packages", "ok", ", ".join(versions) + ".")


def check_environments(settings: Settings) -> list[Finding]:
    """Check the user's own environments by creating each once, in a separate process."""
    if not settings.environments and settings.roms is None:
        return []
    from rlviz.server.runs.environments import EnvironmentService

    service = EnvironmentService(settings.environments, roms=settings.roms)
    service.start()
    try:
        own = service.own()
    finally:
        service.close()
    about = "environment"
    to_do = "Fix the class or the game.toml, or remove it from RLVIZ_ENVIRONMENTS or RLVIZ_ROMS."
    problem = service.problem_with_roms()
    unread = [Finding(about, "bad", problem, "Change RLVIZ_ROMS.")] if problem is not None else []
    return unread + [
        Finding(about, "ok", f"{one.id} can be used.")
        if one.unavailable_reason is None
        else Finding(about, "bad", f"{one.id} cannot be used: {one.unavailable_reason}", to_do)
        for one in own
    ]


def check_time(settings: Settings) -> Finding:
    """Check that the clock is plausible and that the disk of the runs folder dates files by the same time."""
    now = time.time()
    if now < _RELEASED:
        return Finding("time", "bad", f"The clock says {time.ctime(now)}.", "Set the clock: it dates the runs.")
    if not settings.runs_dir.is_dir():
        return Finding("time", "ok", f"{time.ctime(now)}.")
    try:
        with tempfile.NamedTemporaryFile(dir=settings.runs_dir, prefix=".clock-") as file:
            apart = abs(os.fstat(file.fileno()).st_mtime - time.time())
    except OSError:
        return Finding("time", "ok", f"{time.ctime(now)}.")
    if apart > 5:
        return Finding(
            "time",
            "look",
            f"File times on the disk of the runs folder differ by {apart:.0f} s from this machine's clock.",
            "Synchronise both clocks over the network (NTP).",
        )
    return Finding("time", "ok", f"{time.ctime(now)}, also on the disk.")


MOST_RUNS = 1_000
"""Number of newest runs to check."""


def check_versions(settings: Settings) -> list[Finding]:
    return [check_files(settings), check_catalogue(settings)]


def check_files(settings: Settings) -> Finding:
    """Check that this version reads the files of runs as they were written."""
    from rlviz.domain.errors import RunFolderError
    from rlviz.provenance import package_versions
    from rlviz.rundir.contents import drift_of_run
    from rlviz.rundir.folder import run_folders

    folders = sorted(run_folders(settings.runs_dir), key=lambda folder: folder.path.stat().st_ctime)[-MOST_RUNS:]
    runs: Counter[str] = Counter()
    unread: list[str] = []
    for folder in folders:
        try:
            found = drift_of_run(folder, package_versions())
        except (OSError, RunFolderError):
            unread.append(folder.run_id)
            continue
        runs.update({one.kind.value for one in found})
        if not all(one.is_harmless for one in found):
            unread.append(folder.run_id)
    counts = ", ".join(f"{count} with {_WORDS[kind]}" for kind, count in sorted(runs.items()))
    says = f"Checked {counted(len(folders), 'run')}{': ' + counts if counts else ''}."
    if unread:
        return Finding("versions", "look", says, f"`rlviz config check {unread[-1]}` shows the details of one of them.")
    return Finding("versions", "ok", says)


_WORDS = {
    "newer": "files of a newer version",
    "deprecated": "keys that were renamed since",
    "unknown": "unknown keys",
    "missing": "missing keys",
    "defaulted": "keys left at their default",
    "wrong": "values of a wrong type",
    "package": "packages in other versions than installed here",
}


def check_catalogue(settings: Settings) -> Finding:
    """Check the catalogue for damage, and its tables against the models."""
    from rlviz.domain.errors import CatalogueUnusable
    from rlviz.server.catalog import maintenance
    from rlviz.server.catalog.database import Database
    from rlviz.server.wiring import CATALOGUE

    path = settings.runs_dir / CATALOGUE
    if not path.is_file():
        return Finding("catalogue", "ok", "There is none yet; the first command creates it.")
    database = Database(path)
    try:
        found = maintenance.check(database)
    except CatalogueUnusable as error:
        return Finding("catalogue", "bad", str(error))
    finally:
        database.close()
    if found.problems:
        return Finding("catalogue", "look", " ".join(found.problems), "`rlviz rebuild` recreates it from the runs.")
    if found.pending_migrations:
        return Finding(
            "catalogue", "ok", f"It is at revision {found.revision}; the next start upgrades it to {found.head}."
        )
    return Finding("catalogue", "ok", f"It is undamaged, and its tables match the models ({found.head}).")
