"""Store what the user of this machine trusts, in the user's configuration folder.

    ~/.config/rlviz/key                              the secret that marks this user's runs
    ~/.config/rlviz/trust/folders/<digest>.json      a trusted working folder, by its path
    ~/.config/rlviz/trust/runs/<content hash>.json   a trusted run from elsewhere, by its content

It is outside of runs folders and projects, so downloaded or imported files cannot bring their own trust.
``XDG_CONFIG_HOME`` moves the folder; on Windows it is ``%APPDATA%\\rlviz``.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KEY, TRUST = "key", "trust"
KEY_BYTES = 32
_FOLDERS, _RUNS = "folders", "runs"
_MAX_BYTES = 1 << 16


def user_folder() -> Path:
    """Return the user's configuration folder, which may not exist. Raises FileNotFoundError for a user without a
    home."""
    if sys.platform == "win32" and (roaming := os.environ.get("APPDATA")):
        return Path(roaming) / "rlviz"
    if configured := os.environ.get("XDG_CONFIG_HOME"):
        return Path(configured) / "rlviz"
    try:
        return Path.home() / ".config" / "rlviz"
    except RuntimeError as error:
        raise FileNotFoundError(f"This user has no folder for their configuration ({error}).") from error


@dataclass(frozen=True)
class Trusted:
    """A trusted folder or run. ``what``: its path or id; ``at``: when it was trusted, Unix seconds."""

    name: str
    what: str
    at: float


class TrustStore:
    """Reads the disk on every call, so that all processes see a change at once.

    Methods that change it raise OSError; unreadable entries are not trusted.
    """

    def __init__(self, folder: Path | None = None, clock: Callable[[], float] = time.time) -> None:
        """``folder``: defaults to the user's configuration folder."""
        self._given, self._clock = folder, clock

    def key(self) -> bytes:
        """Return the user's secret, and create it if there is none. Raises OSError."""
        path = self._folder() / KEY
        for _ in range(2):
            with suppress(FileNotFoundError):
                if len(key := path.read_bytes()[: KEY_BYTES + 1]) == KEY_BYTES:
                    return key
                path.unlink()  # a crash may have left an empty file
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            draft = path.with_name(f".{KEY}.{os.getpid()}-{secrets.token_hex(4)}.tmp")
            try:
                with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                    file.write(secrets.token_bytes(KEY_BYTES))
                    file.flush()
                    os.fsync(file.fileno())
                _link_or_rename(draft, path)
            finally:
                draft.unlink(missing_ok=True)
        return path.read_bytes()

    def trusts_folder(self, folder: Path) -> bool:
        return self._has(_FOLDERS, _name_of(folder))

    def add_folder(self, folder: Path) -> None:
        self._add(_FOLDERS, _name_of(folder), str(folder.resolve()))

    def remove_folder(self, folder: Path) -> bool:
        """Remove the trust. Returns whether it existed."""
        return self._remove(_FOLDERS, _name_of(folder))

    def folders(self) -> list[Trusted]:
        """By path."""
        return self._all(_FOLDERS)

    def trusts_run(self, content_hash: str) -> bool:
        return self._has(_RUNS, content_hash)

    def add_run(self, content_hash: str, run_id: str) -> None:
        self._add(_RUNS, content_hash, run_id)

    def remove_run(self, content_hash: str) -> bool:
        """Remove the trust. Returns whether it existed."""
        return self._remove(_RUNS, content_hash)

    def runs(self) -> list[Trusted]:
        """Return the trusted runs by id."""
        return self._all(_RUNS)

    def _has(self, kind: str, name: str) -> bool:
        try:
            return self._path(kind, name).is_file()
        except OSError:
            return False

    def _add(self, kind: str, name: str, what: str) -> None:
        path = self._path(kind, name)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = path.with_suffix(f".{os.getpid()}.tmp")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
            json.dump({"what": what, "at": round(self._clock(), 3)}, file)
        draft.replace(path)

    def _remove(self, kind: str, name: str) -> bool:
        try:
            self._path(kind, name).unlink()
        except FileNotFoundError:
            return False
        return True

    def _all(self, kind: str) -> list[Trusted]:
        found = []
        with suppress(OSError):
            for path in (self._folder() / TRUST / kind).glob("*.json"):
                with suppress(OSError, ValueError, KeyError, TypeError):
                    found.append(_read(path))
        return sorted(found, key=lambda entry: (entry.what, entry.name))

    def _path(self, kind: str, name: str) -> Path:
        return self._folder() / TRUST / kind / f"{name}.json"

    def _folder(self) -> Path:
        return self._given if self._given is not None else user_folder()


def _link_or_rename(draft: Path, path: Path) -> None:
    """Rename ``draft`` to ``path``, unless another process was first."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        draft.replace(path)


def _read(path: Path) -> Trusted:
    """Read an entry. Raises OSError, ValueError, KeyError or TypeError if it is malformed."""
    with path.open("rb") as file:
        document: dict[str, Any] = json.loads(file.read(_MAX_BYTES))
    return Trusted(path.stem, str(document["what"]), float(document["at"]))


def _name_of(folder: Path) -> str:
    return hashlib.sha256(str(folder.resolve()).encode(errors="surrogateescape")).hexdigest()
