"""Fill a runs folder with synthetic runs, so that tests need not train.

    seed.py FOLDER               runs of every status, none of them trained, and two experiments that are over
    seed.py FOLDER --live N      and N that seem to train, for as long as this process lives
    seed.py FOLDER --experiments also experiments in all other states, one of 40 variants with 10 seeds each
    seed.py FOLDER --empty       none at all
    seed.py FOLDER … --serve N   the same in FOLDER/0 to FOLDER/N-1, with a service over each (settings from the
                                 environment), at RLVIZ_PORT and the ports after it; prints "ready" when all answer

What is where is written to seeded.json in the folder: run ids by purpose, and the live ones in a list. lights.py beside
it is an environment of a user's own, which the services offer.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import time
import urllib.request
from pathlib import Path
from typing import NoReturn

from seeding.experiments import write_ended_experiments, write_experiments
from seeding.film import remove_films
from seeding.live import create_live, keep_alive
from seeding.own import write_custom_environment
from seeding.story import Author, write_story
from seeding.trained import write_trained

from rlviz.rundir.folder import RunFolder

SEEDED = "seeded.json"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--live", type=int, default=0, metavar="N")
    parser.add_argument("--experiments", action="store_true")
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("--serve", type=int, default=0, metavar="N")
    wanted = parser.parse_args()
    if wanted.serve:
        serve(wanted)
    write(wanted.folder, wanted)
    if folders := add_live(wanted.folder, wanted.live):
        start_live(wanted.folder, folders)
        os.wait()


def write(folder: Path, wanted: argparse.Namespace) -> None:
    """Write all runs except those that appear to train."""
    folder.mkdir(parents=True, exist_ok=True)
    seeded: dict[str, object] = {}
    if not wanted.empty:
        seeded |= write_story(folder) | write_ended_experiments(folder) | write_trained(Author(folder))
    if wanted.experiments:
        seeded |= write_experiments(folder)
    (folder / SEEDED).write_text(json.dumps(seeded, indent=2))
    write_custom_environment(folder / "lights.py")
    remove_films()


def add_live(folder: Path, count: int) -> list[RunFolder]:
    """Add runs that will appear to train."""
    folders = create_live(folder, count)
    seeded = json.loads((folder / SEEDED).read_text())
    seeded["live"] = [run.run_id for run in folders]
    (folder / SEEDED).write_text(json.dumps(seeded, indent=2))
    return folders


def start_live(folder: Path, folders: list[RunFolder]) -> None:
    """Let them appear to train in separate processes, as long as this one lives."""
    ready = folder / ".live-ready"
    if os.fork() == 0:
        keep_alive(folders, ready)
        os._exit(0)
    while not ready.exists():
        time.sleep(0.01)


def serve(wanted: argparse.Namespace) -> NoReturn:
    """Write the runs once, copy them for each service, and wait until the services have ended.

    Their process group gets the signal to end.
    """
    places = [wanted.folder / str(number) for number in range(wanted.serve)]
    first_port = int(os.environ["RLVIZ_PORT"])
    write(places[0], wanted)
    for place in places[1:]:
        shutil.copytree(places[0], place)
    signal.signal(signal.SIGTERM, lambda *_: None)
    services = {fork_service(place, wanted.live, first_port + number) for number, place in enumerate(places)}
    silent = {first_port + number for number in range(wanted.serve)}
    while services:
        pid, _ = os.waitpid(-1, os.WNOHANG if silent else 0)
        services.discard(pid)
        if pid and silent:
            for other in services:
                os.kill(other, signal.SIGTERM)
            sys.exit("A service ended before all had begun.")
        if silent:
            silent = {port for port in silent if not answers(port)}
            if not silent:
                print("ready", flush=True)
            time.sleep(0.1)
    sys.exit(0)


def fork_service(folder: Path, live: int, port: int) -> int:
    """Start the service of ``folder`` in a separate process beside its live runs, and return the process id."""
    if (pid := os.fork()) != 0:
        return pid
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if folders := add_live(folder, live):
        start_live(folder, folders)
    environment = {
        "RLVIZ_TRUST_RUNS_DIR": "true",
        **os.environ,
        "RLVIZ_ENVIRONMENTS": f"{folder / 'lights.py'}:Lights",
        "RLVIZ_RUNS_DIR": str(folder),
        "RLVIZ_PORT": str(port),
    }
    os.execve(sys.executable, [sys.executable, "-m", "rlviz", "serve"], environment)


def answers(port: int) -> bool:
    """Return whether the service at ``port`` responds."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


if __name__ == "__main__":
    main()
