"""The lock files pin exactly what pyproject.toml requires."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.cases import cases

BACKEND = Path(__file__).parents[2]
PROJECT = tomllib.loads((BACKEND / "pyproject.toml").read_text())["project"]

INSTALLS_THE_PACKAGE = ["hatchling", "editables"]
ONLY_WITH_CUDA = ("nvidia-", "cuda-", "triton")
"""What PyTorch's wheels for graphics cards bring: which of them there are depends on the user's index."""


def pins(name: str) -> dict[str, str]:
    """Return the version of each package in a lock file; each line that is no comment and no ``-r`` is one pin."""
    lines = (BACKEND / name).read_text().splitlines()
    pinned = [Requirement(line) for line in lines if line and not line.startswith(("#", "-r "))]
    assert all(len(pin.specifier) == 1 and str(pin.specifier).startswith("==") and not pin.url for pin in pinned)
    return {canonicalize_name(pin.name): str(pin.specifier).removeprefix("==") for pin in pinned}


def needed(requirements: Iterable[str]) -> set[str]:
    """Return the packages that these requirements need on this machine, with all their dependencies."""
    found: set[tuple[str, frozenset[str]]] = set()
    todo = [asked for asked in map(Requirement, requirements) if _applies(asked, {""})]
    while todo:
        wanted = todo.pop()
        name, extras = canonicalize_name(wanted.name), frozenset(wanted.extras)
        if (name, extras) in found or name.startswith(ONLY_WITH_CUDA):
            continue
        found.add((name, extras))
        brought = map(Requirement, distribution(name).requires or [])
        todo += [one for one in brought if _applies(one, {"", *extras})]
    return {name for name, _ in found}


def _applies(requirement: Requirement, extras: set[str]) -> bool:
    return requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in extras)


ALSO_INSTALLED = PROJECT["optional-dependencies"]["gameboy"]
"""The extra that `make run` installs as well."""

RUN = needed([*PROJECT["dependencies"], *ALSO_INSTALLED, *INSTALLS_THE_PACKAGE])
DEVELOP = needed(PROJECT["optional-dependencies"]["dev"]) - RUN


@pytest.mark.parametrize(("lock", "packages"), [("requirements.lock", RUN), ("requirements-dev.lock", DEVELOP)])
def test_a_lock_pins_exactly_what_is_needed(lock: str, packages: set[str]) -> None:
    assert set(pins(lock)) == packages


def test_the_development_lock_starts_with_the_runtime_one() -> None:
    assert "-r requirements.lock" in (BACKEND / "requirements-dev.lock").read_text().splitlines()


@cases("asked", [*PROJECT["dependencies"], *ALSO_INSTALLED])
def test_pinned_versions_satisfy_the_requirements_of_the_wheel(asked: str) -> None:
    wanted = Requirement(asked)
    assert wanted.specifier.contains(pins("requirements.lock")[canonicalize_name(wanted.name)])
    bounds = {bound.operator for bound in wanted.specifier}
    assert bounds == {">=", "<"}, "a wheel is installed long after it was made: say what it was made for"
