"""Find the software versions that a run is trained with."""

from __future__ import annotations

import platform
import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rlviz import __version__
from rlviz.domain.plain_text import decode_text

_PACKAGES = ("stable-baselines3", "gymnasium", "torch", "numpy", "ale-py", "pyboy", "Box2D", "pygame-ce")


@cache
def package_versions() -> dict[str, str]:
    """Return installed versions by package name, without importing the packages."""
    versions = {"rlviz": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


@cache
def git_revision() -> str | None:
    """Return the commit of this code, with ``+dirty`` if files have changed; None outside a git checkout."""
    here = Path(__file__).parent
    try:
        _git(
            here, "ls-files", "--error-unmatch", Path(__file__).name
        )  # otherwise the checkout is that of another project
        commit = _git(here, "rev-parse", "--short=12", "HEAD")
        changed = _git(here, "status", "--porcelain", "--untracked-files=no", "--", ".")
    except (OSError, subprocess.SubprocessError):
        return None
    return f"{commit}+dirty" if changed else commit


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return decode_text(subprocess.run(command, check=True, capture_output=True, timeout=2).stdout).strip()
