"""The scheduling priority of a worker and of its session."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

AUTOGROUP = Path("/proc/self/autogroup")

LOWERED = f"""
import os
from rlviz.machine import lower_priority

lower_priority(7)
print(os.nice(0), open("{AUTOGROUP}").read().split()[-1])
"""

SHARES_AMONG_SESSIONS = AUTOGROUP.exists() and bool(AUTOGROUP.read_text().strip())
"""Also false in a container whose control group shares the processor itself: the file is empty there."""

pytestmark = pytest.mark.skipif(not SHARES_AMONG_SESSIONS, reason="This system shares among processes, not sessions")


def niceness_of(*, leads_a_session: bool) -> tuple[int, int]:
    """Return the niceness of a process that has lowered its priority, and of its session."""
    command = [sys.executable, "-c", LOWERED]
    done = subprocess.run(command, capture_output=True, text=True, check=True, start_new_session=leads_a_session)
    own, session = map(int, done.stdout.split())
    return own, session


def test_a_session_leader_also_lowers_the_priority_of_its_session() -> None:
    lowered = min(os.nice(0) + 7, 19)
    assert niceness_of(leads_a_session=True) == (lowered, lowered)


def test_the_session_of_another_process_is_left_unchanged() -> None:
    session = int(AUTOGROUP.read_text().split()[-1])
    assert niceness_of(leads_a_session=False) == (min(os.nice(0) + 7, 19), session)
