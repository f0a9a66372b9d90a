"""Measures in a real browser, with the scripts in ``frontend/e2e/bench``."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

FRONTEND = Path(__file__).parents[2] / "frontend"
TIMEOUT_SECONDS = 300


def measure(script: str, *arguments: str) -> dict[str, Any]:
    """Run ``script`` and return its last line of output as JSON. Raises CalledProcessError, with the output."""
    done = subprocess.run(
        ["node", str(FRONTEND / "e2e" / "bench" / f"{script}.mjs"), *arguments],
        cwd=FRONTEND,
        timeout=TIMEOUT_SECONDS,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
