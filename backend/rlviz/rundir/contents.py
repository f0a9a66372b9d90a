"""What a run folder holds: the one table of its places, what belongs there, and how a document there is read.

Inspection and repair go through it, storage is counted by it, imports take only what has a place in it, and the tests
that damage run folders take their files from it. A new file of a run is one line here.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path

from rlviz.domain.damage import Damage
from rlviz.domain.errors import RunFolderError
from rlviz.domain.ids import is_evaluation_id
from rlviz.domain.origin import ORIGIN, Origin
from rlviz.domain.sink_record import SinkPlan, SinkRecord
from rlviz.domain.sinks import SinkKind
from rlviz.domain.snapshot_verification import SnapshotVerification
from rlviz.domain.storage_rules import StoredKind
from rlviz.domain.verification import Verification
from rlviz.rundir.documents import read_document
from rlviz.rundir.files import damaged, entries_in, problem_of_entry
from rlviz.rundir.folder import Labels, RunFolder
from rlviz.rundir.snapshots import check_snapshot

Reader = Callable[[RunFolder, Path], object]
"""Reads the document at a path of a run folder. Raises FileNotFoundError or RunFolderError."""


class Role(StrEnum):
    """What a file does to the machine that reads it. It decides what an import does with the file."""

    DATA = "data"  # is read, and never more than that
    CODE = "code"  # holds pickled Python objects, which run when they are loaded
    ORDER = "order"  # tells a service or a worker to do something
    LOCAL = "local"  # is of the machine that trains, or can be made again


@dataclass(frozen=True)
class Place:
    """``path``: below the run folder; its last part may be a pattern. ``kind``: what it counts as, and everything below
    it that is in no other place. ``read``: None for what is not read as a whole. ``role``: of the file; of a folder, of
    everything below it that is in no other place."""

    path: str
    kind: StoredKind = StoredKind.OTHER
    is_folder: bool = False
    read: Reader | None = None
    role: Role = Role.DATA


def _evaluation(folder: RunFolder, path: Path) -> object:
    return folder.evaluations.read(path.stem) if is_evaluation_id(path.stem) else None


PLACES = (
    Place("config.json"),
    Place("events.jsonl", StoredKind.METRICS),
    Place("metrics.jsonl", StoredKind.METRICS),
    Place("metrics.jsonl.zst", StoredKind.METRICS),
    Place("control.json", read=lambda folder, _: folder.read_control(), role=Role.ORDER),
    Place(ORIGIN, read=lambda folder, path: read_document(path, Origin, folder.path), role=Role.LOCAL),
    Place("labels.json", read=lambda folder, path: read_document(path, Labels, folder.path)),
    Place("rules.json", read=lambda folder, _: folder.read_rules()),
    Place("recording.json", read=lambda folder, _: folder.read_recording()),
    Place("model.zip", StoredKind.POLICIES, role=Role.CODE),
    Place("best_model.zip", StoredKind.POLICIES, read=lambda folder, _: folder.best_policy(), role=Role.CODE),
    Place("best_model.json"),
    Place("q_table.json"),
    Place("anatomy.jsonl", StoredKind.METRICS),
    Place("anatomy.jsonl.zst", StoredKind.METRICS),
    Place("worker.log", StoredKind.LOGS),
    Place("worker.lock", role=Role.LOCAL),
    Place("heartbeat", role=Role.LOCAL),
    Place("checkpoints", StoredKind.POLICIES, is_folder=True),
    Place("checkpoints/step_*.zip", StoredKind.POLICIES, role=Role.CODE),
    Place("eval", is_folder=True),
    Place("eval/*.verify.json", read=lambda folder, path: read_document(path, Verification, folder.path)),
    Place("eval/eval_*.json", read=_evaluation),
    Place("eval/*.mp4", StoredKind.VIDEOS),
    Place("eval/*.pictures.zip", StoredKind.VIDEOS),
    Place("eval/*.policy.zip", StoredKind.VIDEOS, role=Role.CODE),
    Place("eval/*.steps.parquet", StoredKind.RECORDS),
    Place("eval/*.frames.zip", StoredKind.RECORDS),
    Place("film", StoredKind.FILM, is_folder=True),
    Place("film/step_*.zip", StoredKind.FILM, role=Role.CODE),
    Place("film/clips", StoredKind.CLIPS, is_folder=True, role=Role.LOCAL),
    Place("film/clips/wanted", StoredKind.CLIPS, is_folder=True, role=Role.ORDER),
    Place("snapshots", StoredKind.SNAPSHOTS, is_folder=True),
    Place(
        "snapshots/*.verify.json",
        StoredKind.SNAPSHOTS,
        read=lambda folder, path: read_document(path, SnapshotVerification, folder.path),
    ),
    Place("snapshots/*.zip", StoredKind.SNAPSHOTS, read=check_snapshot, role=Role.CODE),
    Place("replay", StoredKind.REPLAY, is_folder=True),
    Place("replay/*.seg", StoredKind.REPLAY),
    Place("behind", StoredKind.POLICIES, is_folder=True, role=Role.CODE),
    Place("parent", StoredKind.SNAPSHOTS, is_folder=True),
    Place("sealed", StoredKind.SEALED, is_folder=True, role=Role.LOCAL),
    Place("sealed/*.parquet", StoredKind.SEALED, role=Role.LOCAL),
    Place("watch", is_folder=True, role=Role.LOCAL),
    Place("watch/lease", role=Role.LOCAL),
    Place("watch/weights.zip", role=Role.LOCAL),
    Place("sinks", StoredKind.SINKS, is_folder=True, role=Role.LOCAL),
    Place(
        "sinks/plan.json",
        StoredKind.SINKS,
        read=lambda folder, path: read_document(path, SinkPlan, folder.path),
        role=Role.ORDER,
    ),
    *(
        Place(
            f"sinks/{kind}.json",
            StoredKind.SINKS,
            read=lambda folder, path: read_document(path, SinkRecord, folder.path),
            role=Role.LOCAL,
        )
        for kind in SinkKind
    ),
    *(Place(f"sinks/{kind}.lock", StoredKind.SINKS, role=Role.LOCAL) for kind in SinkKind),
    *(Place(f"sinks/{kind}", StoredKind.SINKS, is_folder=True, role=Role.LOCAL) for kind in SinkKind),
)
"""The most important first; of two that fit a name, the first holds."""

_WITHIN: defaultdict[str, list[tuple[str, Place]]] = defaultdict(list)
for _place in PLACES:
    _parent, _, _name = _place.path.rpartition("/")
    _WITHIN[_parent].append((_name, _place))
_NAMED = {place.path: place for place in PLACES if "*" not in place.path}
_ORDER = {place: number for number, place in enumerate(PLACES)}


def contents(folder: RunFolder) -> list[tuple[Place, os.DirEntry[str]]]:
    """What lies in the places of ``folder``, in the order of the table.

    A folder that is missing, or in whose place something else lies, holds nothing.
    """
    found = [
        (place, entry)
        for parent in _WITHIN
        for entry in entries_in(folder.path / parent, folder.path)
        if (place := place_of(f"{parent}/{entry.name}" if parent else entry.name)) is not None
    ]
    return sorted(found, key=lambda one: (_ORDER[one[0]], one[1].name))


def damage_at(folder: RunFolder, place: Place, entry: os.DirEntry[str]) -> Damage | None:
    """What is wrong with what lies in a place of ``folder``. Nothing is of the configuration, which has a remedy of its
    own."""
    if place.path == folder.config_path.name:
        return None
    if (problem := problem_of_entry(entry, is_folder=place.is_folder)) is not None:
        return damaged(Path(entry.path), folder.path, problem).damage
    try:
        if place.read is not None:
            place.read(folder, Path(entry.path))
    except FileNotFoundError:  # deleted just now
        return None
    except RunFolderError as error:
        return error.damage
    return None


def place_of(path: str) -> Place | None:
    """The place of the file or folder with that path below a run folder; None if it is in none."""
    if (named := _NAMED.get(path)) is not None:
        return named
    parent, _, name = path.rpartition("/")
    return next((place for pattern, place in _WITHIN.get(parent, ()) if fnmatchcase(name, pattern)), None)


def kind_of(path: str) -> StoredKind:
    """What the file with that path below a run folder, its parts joined by ``/``, counts as."""
    return kind_in_run(tuple(path.split("/")))


def kind_in_run(parts: tuple[str, ...]) -> StoredKind:
    """What the file with that path, in parts, below a run folder counts as."""
    for length in range(len(parts), 0, -1):
        if (place := place_of("/".join(parts[:length]))) is not None:
            return place.kind
    return StoredKind.OTHER


def role_of(path: str) -> Role:
    """Role of the file with that path below a run folder: that of its place, or of the nearest folder around it."""
    while path:
        if (place := place_of(path)) is not None:
            return place.role
        path = path.rpartition("/")[0]
    return Role.DATA


def is_policy_file(path: str) -> bool:
    """Whether a file with that path below a run folder is one that the run keeps a policy in."""
    place = place_of(path)
    if place is None or place.is_folder:
        return False
    return place.path == "watch/weights.zip" or (place.role is Role.CODE and place.kind is not StoredKind.SNAPSHOTS)
