"""Fill a runs folder with runs that no test has to train.

    seed.py FOLDER               runs of every status, none of them trained, and two experiments that are over
    seed.py FOLDER --live N      and N that seem to train, for as long as this process lives
    seed.py FOLDER --experiments also experiments in all other states, one of 40 variants with 10 seeds each
    seed.py FOLDER --empty       none at all
    seed.py FOLDER … --serve     then be the service (settings from the environment)

What is where is written to FOLDER/seeded.json: run ids by purpose, and the live ones in a list. FOLDER/lights.py is an
environment of a user's own, for whoever names it in RLVIZ_ENVIRONMENTS.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from pathlib import Path

from seeding.experiments import write_ended_experiments, write_experiments
from seeding.film import remove_films
from seeding.live import create_live, keep_alive
from seeding.own import write_custom_environment
from seeding.story import write_story


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--live", type=int, default=0, metavar="N")
    parser.add_argument("--experiments", action="store_true")
    parser.add_argument("--empty", action="store_true")
    parser.add_argument("--serve", action="store_true")
    wanted = parser.parse_args()
    wanted.folder.mkdir(parents=True, exist_ok=True)
    seeded: dict[str, object] = {}
    if not wanted.empty:
        seeded |= write_story(wanted.folder) | write_ended_experiments(wanted.folder)
    if wanted.experiments:
        seeded |= write_experiments(wanted.folder)
    folders = create_live(wanted.folder, wanted.live)
    seeded["live"] = [folder.run_id for folder in folders]
    (wanted.folder / "seeded.json").write_text(json.dumps(seeded, indent=2))
    write_custom_environment(wanted.folder / "lights.py")
    ready = wanted.folder / ".live-ready"
    if folders and os.fork() == 0:
        keep_alive(folders, ready)
        os._exit(0)
    while folders and not ready.exists():
        time.sleep(0.01)
    if wanted.serve:
        environment = {"RLVIZ_TRUST_RUNS_DIR": "true", **os.environ, "RLVIZ_RUNS_DIR": str(wanted.folder)}
        remove_films()
        os.execve(sys.executable, [sys.executable, "-m", "rlviz", "serve"], environment)
    if folders:
        os.wait()


if __name__ == "__main__":
    main()
