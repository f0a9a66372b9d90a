"""Bundles of run folders, with the members of a hostile or broken one."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

from rlviz.exchange.bundle import MANIFEST, write_bundle
from rlviz.rundir.folder import RunFolder

POLICY = b"PK\x03\x04 a policy"


def bundle_of(folder: RunFolder, path: Path) -> Path:
    """Return a bundle of the run with all its files."""
    with path.open("wb") as file:
        write_bundle(folder, file, policies=True, snapshots=True)
    return path


def with_members(bundle: Path, members: Mapping[str, bytes | None], run_id: str | None = None) -> Path:
    """Return the bundle with other members and a matching manifest. A member that is None is left out. ``run_id``
    replaces the id in the manifest and in the configuration.
    """
    with zipfile.ZipFile(bundle) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(held.pop(MANIFEST))
    held = {name: content for name, content in {**held, **members}.items() if content is not None}
    if run_id is not None:
        manifest["run_id"] = run_id
        held["config.json"] = json.dumps({**json.loads(held["config.json"]), "run_id": run_id}).encode()
    manifest["files"] = [
        {"path": name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in held.items()
    ]
    with zipfile.ZipFile(bundle, "w") as archive:
        for name, content in {**held, MANIFEST: json.dumps(manifest).encode()}.items():
            archive.writestr(name, content)
    return bundle


def changed_config(folder: RunFolder, **changes: object) -> bytes:
    """Return the run's ``config.json`` with other values."""
    return json.dumps({**json.loads(folder.config_path.read_bytes()), **changes}).encode()
