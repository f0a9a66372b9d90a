"""Imports a user's own class from ``module:Class`` or ``path/to/file.py:Class``.

A module may lie in the working folder, or below it. That is looked through last, so that nothing there takes the place
of an installed module, and only for an environment that the user's settings or a trusted run name.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any


def split_entry_point(entry_point: str) -> tuple[str, str]:
    """Split into module or file, and class. Raises ValueError for anything else."""
    source, colon, name = entry_point.strip().rpartition(":")
    if not (colon and source and name.isidentifier()):
        raise ValueError(f"{entry_point!r} is not of the form module:Class or path/to/file.py:Class.")
    return source, name


def absolute(entry_point: str) -> str:
    """``entry_point`` with the path of its file made absolute; a module stays as it is."""
    source, name = split_entry_point(entry_point)
    return f"{Path(source).expanduser().resolve()}:{name}" if source.endswith(".py") else f"{source}:{name}"


def load_class(entry_point: str) -> Any:
    """The class. Runs the user's module; raises whatever that raises, or AttributeError if it has no such class."""
    source, name = split_entry_point(entry_point)
    return getattr(_load_file(Path(source)) if source.endswith(".py") else _load_module(source), name)


def _load_module(name: str) -> ModuleType:
    if (folder := os.getcwd()) not in sys.path:  # noqa: PTH109  (as text)
        sys.path.append(folder)
        importlib.invalidate_caches()
    return importlib.import_module(name)


def missing_source(entry_point: str) -> str | None:
    """Return the file or the package of a class that is not on this machine; None if it is there. Runs no code."""
    try:
        source, _ = split_entry_point(entry_point)
    except ValueError:
        return entry_point
    if source.endswith(".py"):
        return None if Path(source).is_file() else source
    package = source.partition(".")[0]
    try:
        found = importlib.util.find_spec(package) or PathFinder.find_spec(package, [os.getcwd()])  # noqa: PTH109
    except (ImportError, ValueError):  # a module without a specification, as __main__ is
        return None
    return None if found is not None else package


def sources_of(entry_point: str) -> tuple[str, ...]:
    """The files of a class that was loaded: its own, and those beside it or below that were imported too.

    Packages that are installed are left out.
    """
    loaded = load_class(entry_point)
    own = getattr(sys.modules.get(loaded.__module__), "__file__", None)
    if own is None:
        return ()
    folder = Path(own).resolve().parent
    files = {Path(own).resolve()}
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if file and not _is_installed(Path(file)) and Path(file).resolve().is_relative_to(folder):
            files.add(Path(file).resolve())
    return tuple(sorted(map(str, files)))


def _is_installed(path: Path) -> bool:
    return any(part in ("site-packages", "dist-packages") for part in path.parts)


def _load_file(path: Path) -> ModuleType:
    """Import a file as a module of its own name; it may import files beside it."""
    if not path.is_file():
        raise FileNotFoundError(f"There is no file {path}.")
    name = f"rlviz_own_{path.stem}"
    if name in sys.modules and getattr(sys.modules[name], "__file__", None) == str(path):
        return sys.modules[name]
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
