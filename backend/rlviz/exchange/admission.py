"""Which files of a bundle an import accepts, and what it changes in them.

A file is accepted if a run folder has a place for it (``rlviz.rundir.contents``) and its first bytes fit its type.
Policies and snapshots are accepted, but not loaded before the user trusts the run. Orders are left out, because they
were given on another machine. docs/export.md lists files and fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rlviz.domain.errors import BundleRefused, RunFolderError
from rlviz.domain.evaluation import EvaluationRecord, VerificationStatus
from rlviz.domain.ids import is_evaluation_id, is_run_id
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import LIMITS
from rlviz.rundir.contents import Place, Role, find_place, is_policy_file
from rlviz.rundir.control import Control, Desired
from rlviz.rundir.files import MAX_JSON_BYTES, list_files, parse_document, read_document, read_small, write_atomically
from rlviz.rundir.folder import RunFolder, attempts_of

NOT_TRUSTED_YET = "(left out until the run is trusted)"
"""Replaces a custom environment; names no file or module."""

MOST_ATTEMPTS = 2_000
"""Maximum attempts of a run, because run lists name each of them."""

HEAD_BYTES = 64

Note = Callable[[str, str], None]
"""Called with the path of each rejected file, and the reason."""

_ORDER = "It requests an action on the machine where it was made."
_LOCAL = "It is specific to the machine where it was made, or can be made again."
_NO_PLACE = "It is not a file of a run folder."

_OF_A_PARENT = ("config.json", "events.jsonl", "metrics.jsonl", "rules.json", "control.json")
"""Files of the parent that a fork still has to train again (``rlviz.rundir.snapshots``)."""

_BEGINNINGS: dict[str, tuple[bytes, ...]] = {
    ".json": (b"{", b"["),
    ".jsonl": (b"{",),
    ".zst": (b"\x28\xb5\x2f\xfd",),
    ".zip": (b"PK\x03\x04", b"PK\x05\x06"),
    ".parquet": (b"PAR1",),
    ".seg": (b"RLVIZ replay ",),
    ".log": (b"",),
}
"""First bytes of a file by extension; text may have leading white space."""


def rejection_reason(path: str) -> str | None:
    """Return why a file is rejected by its path alone; None if it may be accepted."""
    place = _place(path)
    if place is None:
        return _NO_PLACE
    if place.role is Role.ORDER and not path.startswith("parent/"):
        return _ORDER
    return _LOCAL if place.role is Role.LOCAL else None


def matches_type(path: str, head: bytes) -> bool:
    """Whether a file that starts with ``head`` (its first HEAD_BYTES bytes) fits its path."""
    ending = Path(path).suffix
    if ending == ".mp4":
        return head[4:8] == b"ftyp"
    if ending in (".json", ".jsonl"):
        head = head.lstrip()
        if ending == ".jsonl" and not head:  # nothing logged yet
            return True
    return ending in _BEGINNINGS and head.startswith(_BEGINNINGS[ending])


def _place(path: str) -> Place | None:
    """Return the place of a file; ``behind`` and ``parent`` contain run folders of their own."""
    first, _, rest = path.partition("/")
    number, _, inner = rest.partition("/")
    if first == "behind" and number.isdecimal():
        found = find_place(inner)
        return found if found is not None and found.role is Role.CODE and not found.is_folder else None
    if first == "parent" and is_run_id(number):
        return find_place(inner) if inner in _OF_A_PARENT else None
    found = find_place(path)
    return None if found is None or found.is_folder else found


def neutralize_draft(draft: RunFolder, left_out: Note) -> dict[str, str]:
    """Change the accepted files in ``draft`` so that no work is pending and nothing refers to files outside.

    Returns:
        The environments that were removed from configurations, by the path of the configuration.

    Raises:
        BundleRefused: The run exceeds a limit.
        RunFolderError: A file cannot be read.
        OSError: A file cannot be read or written.
    """
    entry_points = dict(_neutralize_configs(draft))
    _neutralize_labels(draft, left_out)
    _neutralize_evaluations(draft, left_out)
    _neutralize_verifications(draft, left_out)
    _neutralize_control(draft)
    return entry_points


def _neutralize_configs(draft: RunFolder) -> Iterator[tuple[str, str]]:
    """Yield each configuration with the environment that was removed from it."""
    bundled = _document(draft.config_path, draft)
    there = bundled.get("run_id")
    changed = {**bundled, "run_id": draft.run_id}
    if changed.get("group_id") == there:
        changed["group_id"] = draft.run_id
    for folder, document in [(draft, changed), *((one, _document(one.config_path, one)) for one in _parents(draft))]:
        _check_limits(document)
        for name, value in document.items():
            if name.endswith("environment") and isinstance(value, dict) and isinstance(value.get("entry_point"), str):
                yield folder.config_path.relative_to(draft.path).as_posix(), value["entry_point"]
                document[name] = {**value, "entry_point": NOT_TRUSTED_YET}
        if document != _document(folder.config_path, folder):
            write_atomically(folder.config_path, json.dumps(document, indent=2).encode(), folder.path)


def restore_entry_points(folder: RunFolder, entry_points: Mapping[str, str]) -> None:
    """Put back the environments that ``neutralize_draft`` removed. Raises OSError and RunFolderError."""
    for name, entry_point in entry_points.items():
        path = folder.path / name
        document = _document(path, folder)
        for key, value in document.items():
            if isinstance(value, dict) and value.get("entry_point") == NOT_TRUSTED_YET:
                document[key] = {**value, "entry_point": entry_point}
        write_atomically(path, json.dumps(document, indent=2).encode(), folder.path)


def _check_limits(config: Mapping[str, Any]) -> None:
    """Check that texts shown in lists are as short as those of runs created here. Raises BundleRefused."""
    for name in ("algo", "env_id", "preset", "group_id"):
        value = config.get(name)
        if isinstance(value, str) and len(value) > LIMITS.run_name.maximum:
            raise BundleRefused(
                f"Its {name} has {len(value):,} characters; at most {LIMITS.run_name.maximum} are allowed."
            )
    for name in ("env_options", "parent"):
        if len(json.dumps(config.get(name))) > LIMITS.notes.maximum:
            raise BundleRefused(f"Its {name} is longer than {LIMITS.notes.maximum:,} characters.")


def _neutralize_labels(draft: RunFolder, left_out: Note) -> None:
    if not draft.labels_path.exists():
        return
    try:
        labels = draft.read_labels()  # applies the limits
    except RunFolderError as error:
        left_out(draft.labels_path.name, f"It cannot be read: {error.damage.problem}")
        draft.labels_path.unlink()
    else:
        draft.write_labels(labels)


def _neutralize_evaluations(draft: RunFolder, left_out: Note) -> None:
    for path in list_files(draft.evaluations.path, draft.path, "eval_*.json"):
        if not is_evaluation_id(path.stem):
            continue
        try:
            content = read_small(path, draft.path)
            record = parse_document(content, EvaluationRecord, path, draft.path)
        except RunFolderError as error:
            _drop_evaluation(draft, path.stem, left_out, f"It cannot be read: {error.damage.problem}")
            continue
        if record.id != path.stem:
            _drop_evaluation(draft, path.stem, left_out, f"It belongs to evaluation {record.id[:80]!r}.")
            continue
        if not record.status.is_final:
            _drop_evaluation(draft, path.stem, left_out, _ORDER)
            continue
        document = json.loads(content)
        changed = {**document, "run_id": draft.run_id}
        if not is_policy_file(str(changed.get("checkpoint"))):
            changed["checkpoint"] = None
        if isinstance(summary := changed.get("summary"), dict):
            changed["summary"] = _with_own_files(summary, path.stem)
        if changed != document:
            write_atomically(path, json.dumps(changed, indent=2).encode(), draft.path)


def _with_own_files(summary: Mapping[str, Any], evaluation_id: str) -> dict[str, Any]:
    """Return ``summary`` without files that do not belong to the evaluation."""
    found = dict(summary)
    for name in ("video", "steps", "pictures"):
        facts = found.get(name)
        if isinstance(facts, dict) and not str(facts.get("file", "")).startswith(f"eval/{evaluation_id}."):
            found[name] = None
    return found


def _drop_evaluation(draft: RunFolder, evaluation_id: str, left_out: Note, why: str) -> None:
    for path in list_files(draft.evaluations.path, draft.path, f"{evaluation_id}.*"):
        left_out(path.relative_to(draft.path).as_posix(), why)
        path.unlink()


class _Verified(LazyModel):
    """Common fields of the verifications of evaluations and snapshots."""

    status: VerificationStatus


def _neutralize_verifications(draft: RunFolder, left_out: Note) -> None:
    for folder in (draft.evaluations.path, draft.snapshots):
        for path in list_files(folder, draft.path, "*.verify.json"):
            try:
                is_over = read_document(path, _Verified, draft.path).status is not VerificationStatus.RUNNING
            except RunFolderError:
                is_over = False
            if not is_over:
                left_out(path.relative_to(draft.path).as_posix(), _ORDER)
                path.unlink()


def _neutralize_control(draft: RunFolder) -> None:
    """Reset the control file to idle, with the number of attempts and the length that the events report."""
    newest, total, starts = attempts_of(draft)
    if starts > MOST_ATTEMPTS:
        raise BundleRefused(f"It was started {starts:,} times; at most {MOST_ATTEMPTS:,} are allowed.")
    control = Control(desired=Desired.IDLE, attempt=newest, total_timesteps=total)
    if control != Control():
        draft.write_control(control)
    for parent in _parents(draft):
        found = parent.read_control()
        parent.write_control(Control(attempt=found.attempt, resume_from=found.resume_from))


def _parents(draft: RunFolder) -> list[RunFolder]:
    """Return the folder of the parent that a fork still has to train again, if there is one."""
    names = [path.name for path in draft.parent.iterdir()] if draft.parent.is_dir() else []
    return [RunFolder(draft.parent, name) for name in sorted(names)]


def _document(path: Path, folder: RunFolder) -> dict[str, Any]:
    """Return a JSON object. Raises BundleRefused for anything else."""
    try:
        found = json.loads(read_small(path, folder.path, MAX_JSON_BYTES))
    except (FileNotFoundError, RunFolderError, ValueError, RecursionError) as error:
        raise BundleRefused(f"It contains no readable run: {error}") from error
    if not isinstance(found, dict):
        raise BundleRefused(f"It contains no readable run: {path.name} is not a JSON object.")
    return found
