"""Standing: whether a run or experiment was made here, is trusted, was found here, or came from elsewhere.

    .made-here    in its folder: `own`, or `trusted <content hash>`, signed with the user's key

Data from elsewhere may contain code: pickled policies and snapshots, the name of a Python file to import, an order to
train. None of it is used before the user trusts it. The mark is not part of a bundle, and a copied mark is worthless on
another machine, because the key differs.
"""

from __future__ import annotations

import hashlib
import hmac
import logging
import re
from collections.abc import Iterator
from contextlib import suppress
from enum import StrEnum
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path

from rlviz.domain.errors import NotTrusted, RunFolderError
from rlviz.domain.origin import ORIGIN
from rlviz.rundir.files import read_small, write_atomically
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import KEY_FILE, snapshot_key
from rlviz.trust_store import TrustStore

log = logging.getLogger(__name__)

MARK = ".made-here"
_MARK = re.compile(r"(?P<says>own|trusted (?P<content>[0-9a-f]{64})) (?P<signature>[0-9a-f]{64})")
_MAX_BYTES = 300


class Standing(StrEnum):
    OWN = "own"  # made by this user, with this installation
    TRUSTED = "trusted"  # made elsewhere, and trusted by the user
    FOUND = "found"  # in the runs folder without a mark: made by an earlier version, or copied there
    UNTRUSTED = "untrusted"  # made elsewhere; read-only

    @property
    def may_run(self) -> bool:
        """Whether workers may start in it, also automatically."""
        return self in (Standing.OWN, Standing.TRUSTED)

    @property
    def is_usable(self) -> bool:
        """Whether it may be used on request. Using a found run makes it the user's own."""
        return self is not Standing.UNTRUSTED


def mark_own(folder: Path, runs_dir: Path, name: str | None = None) -> None:
    """Sign that the run or experiment in ``folder`` was made here. ``name`` is its id, if the folder still has another
    name. Raises OSError and RunFolderError."""
    _write(folder, runs_dir, name or folder.name, "own")


def mark_trusted(folder: Path, runs_dir: Path, content_hash: str) -> None:
    """Record that the user trusts the content of ``folder``, which has that hash. Raises OSError and RunFolderError."""
    TrustStore().add_run(content_hash, folder.name)
    _write(folder, runs_dir, folder.name, f"trusted {content_hash}")


def forget_trust(folder: Path) -> bool:
    """Remove trust from ``folder``; return whether it was trusted. Own runs stay own. Raises OSError."""
    match = _read(folder)
    return match is not None and match["content"] is not None and TrustStore().remove_run(match["content"])


def standing_of(folder: Path, runs_dir: Path | None = None, *, trusts_runs_dir: bool = False) -> Standing:
    """Return the standing of the run or experiment in ``folder``; ``runs_dir`` defaults to its parent.

    With ``trusts_runs_dir`` (``RLVIZ_TRUST_RUNS_DIR``), everything in the runs folder counts as the user's own,
    except imports, which are trusted one by one.
    """
    match = _read(folder)
    if match is not None and any(
        hmac.compare_digest(match["signature"], _signature(key, folder.name, match["says"]))
        for key in _keys(runs_dir or folder.parent)
    ):
        if match["content"] is None:
            return Standing.OWN
        return Standing.TRUSTED if TrustStore().trusts_run(match["content"]) else Standing.UNTRUSTED
    if (folder / ORIGIN).exists():
        return Standing.UNTRUSTED
    if trusts_runs_dir:
        return Standing.OWN
    return Standing.UNTRUSTED if _brings_code(folder, runs_dir or folder.parent) else Standing.FOUND


def _brings_code(folder: Path, runs_dir: Path) -> bool:
    """Whether the environment of a run is a file or module in the runs folder or working folder, so that it may have
    arrived together with the run."""
    if not (folder / "config.json").exists():
        return False
    try:
        custom = RunFolder.at(folder).read_config().custom_environment
    except (RunFolderError, OSError):
        return True
    if custom is None or not custom.has_code:
        return False
    source = custom.entry_point.rpartition(":")[0]
    if source.endswith(".py"):
        return not Path(source).is_absolute() or Path(source).resolve().is_relative_to(runs_dir.resolve())
    package = source.partition(".")[0]
    return PathFinder.find_spec(package, [str(Path.cwd()), str(runs_dir)]) is not None


def check_trusted(folder: RunFolder, *, trusts_runs_dir: bool = False) -> None:
    """Raise NotTrusted for a run that came from elsewhere and is not trusted."""
    if not standing_of(folder.path, trusts_runs_dir=trusts_runs_dir).is_usable:
        raise NotTrusted(folder.run_id)


def _read(folder: Path) -> re.Match[str] | None:
    with suppress(OSError, RunFolderError, UnicodeDecodeError):
        return _MARK.fullmatch(read_small(folder / MARK, folder, _MAX_BYTES).decode().strip())
    return None


def _write(folder: Path, runs_dir: Path, name: str, says: str) -> None:
    key = next(_keys(runs_dir, make=True))
    write_atomically(folder / MARK, f"{says} {_signature(key, name, says)}\n".encode(), folder)


def _keys(runs_dir: Path, *, make: bool = False) -> Iterator[bytes]:
    """Yield the user's key. If the user cannot have one (no home, or not writable), yield that of the runs folder."""
    try:
        yield TrustStore().key()
    except OSError as error:
        _warn_once(f"Your configuration folder cannot be used ({error}): using the key of the runs folder instead.")
        if make or (runs_dir / KEY_FILE).is_file():
            yield snapshot_key(runs_dir)


@cache
def _warn_once(message: str) -> None:
    log.warning(message)


def _signature(key: bytes, name: str, says: str) -> str:
    return hmac.new(key, f"rlviz mark\0{name}\0{says}".encode(), hashlib.sha256).hexdigest()
