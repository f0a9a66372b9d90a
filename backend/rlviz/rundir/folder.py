"""RunFolder: the paths of a run's files, and access to its small documents.

Also here: ``EvaluationFiles``, the files of evaluations; the policies of a run, and which one to play for a step;
the files that may be downloaded; requesting a checkpoint; and what the events say about attempts. ``best_model.zip``
holds the best policy together with its evaluation results, so that they always match.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Container, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar
from zipfile import ZipFile

from pydantic import BaseModel, ConfigDict, Field

from rlviz.domain.clips import KeptPolicy, PolicyKind
from rlviz.domain.config import RunConfig, RunName, SnapshotPlan
from rlviz.domain.errors import ArtifactNotFound, ForeignRunFolder, InvalidRequest, NewerVersion, RunFolderError
from rlviz.domain.evaluation import BestPolicy, EvaluationRecord, Verification
from rlviz.domain.events import DivergedData, Ending, RollbackData, StartedData, parse_event
from rlviz.domain.ids import check_evaluation_id, check_run_id, is_evaluation_id, is_run_id
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.limits import LIMITS
from rlviz.domain.recording import FrameReason
from rlviz.domain.rules import Rule, RulesDocument
from rlviz.domain.snapshots import check_snapshot_name
from rlviz.domain.storage_profile import RecordingChoice
from rlviz.rundir.archives import open_archive, read_member
from rlviz.rundir.control import Control, Desired, read_control, write_control
from rlviz.rundir.files import (
    MAX_JSON_BYTES,
    check_folders,
    damage_error,
    is_file,
    list_files,
    list_names,
    may_be_file,
    open_file,
    open_in_place,
    parse_document,
    read_document,
    read_existing,
    remove_leftovers,
    write_atomically,
)
from rlviz.rundir.journal import compressed_path, journal_lines

FIGURES = "best_policy.json"
"""Member of the archive that holds the results; Stable-Baselines3 ignores it."""


def add_results(policy: bytes, best: BestPolicy) -> bytes:
    """Return a policy file, as the library saves it, with the results ``best`` added."""
    file = BytesIO(policy)
    with ZipFile(file, "a") as archive:
        archive.writestr(FIGURES, best.model_dump_json(indent=2))
    return file.getvalue()


def read_best(path: Path, folder: Path) -> BestPolicy | None:
    """Return the results in the policy file at ``path`` in the run folder ``folder``; None without a file or results.

    Raises RunFolderError.
    """
    beside = path.with_suffix(".json")  # where older versions stored the results
    try:
        with open_archive(path, folder, "It is not a policy saved by the app.") as archive:
            if FIGURES in archive.namelist():
                return parse_document(read_member(archive, FIGURES, MAX_JSON_BYTES), BestPolicy, path, folder)
        return read_document(beside, BestPolicy, folder)
    except FileNotFoundError:
        return None


@dataclass(frozen=True)
class KeptFrame:
    """A frame kept as a picture. ``episode`` and ``index`` (its step) count from 0; ``reason`` says why it is kept."""

    episode: int
    index: int
    reason: FrameReason


def frame_name(episode: int, index: int, reason: FrameReason) -> str:
    """Return the frame's name inside the archive."""
    return f"{episode}-{index}-{reason.value}.jpg"


def parse_frame_name(name: str) -> KeptFrame | None:
    if (match := _FRAME.fullmatch(name)) is None:
        return None
    return KeptFrame(int(match[1]), int(match[2]), FrameReason(match[3]))


_FRAME = re.compile(rf"(\d{{1,9}})-(\d{{1,9}})-({'|'.join(FrameReason)})\.jpg")


class EvaluationFiles:
    """``eval/`` of a run: for each evaluation a record, and optionally a video, step records, pictures and a policy.

    Path methods raise EvaluationNotFound for an invalid evaluation id.
    """

    def __init__(self, run: Path) -> None:
        """``run`` is the folder of the run; its name is the run's id."""
        self._run = run
        self.path = run / "eval"

    def ids(self) -> list[str]:
        """Return the ids of all evaluations, oldest first."""
        names = {name.removesuffix(".json") for name in list_names(self.path, self._run, "eval_*.json")}
        return sorted(filter(is_evaluation_id, names))

    def record_path(self, evaluation_id: str) -> Path:
        return self._path(evaluation_id, ".json")

    def video_path(self, evaluation_id: str) -> Path:
        return self._path(evaluation_id, ".mp4")

    def steps_path(self, evaluation_id: str) -> Path:
        return self._path(evaluation_id, ".steps.parquet")

    def pictures_path(self, evaluation_id: str) -> Path:
        """Return the path of the zip archive with strips of what the agent saw, named by ``strip_name``."""
        return self._path(evaluation_id, ".pictures.zip")

    def frames_path(self, evaluation_id: str) -> Path:
        """Return the path of the zip archive with frames kept as pictures, named by ``frame_name``."""
        return self._path(evaluation_id, ".frames.zip")

    def frames(self, evaluation_id: str) -> list[KeptFrame]:
        """Return the frames in the archive, in the order played. Raises FileNotFoundError and RunFolderError."""
        path = self.frames_path(evaluation_id)
        with self._open_frames(path) as archive:
            found = filter(None, map(parse_frame_name, archive.namelist()))
            return sorted(found, key=lambda frame: (frame.episode, frame.index))

    def read_frame(self, evaluation_id: str, episode: int, index: int) -> bytes:
        """Return a frame as JPEG. Raises FileNotFoundError, also for a frame that was not kept, and RunFolderError."""
        path = self.frames_path(evaluation_id)
        with self._open_frames(path) as archive:
            for name in archive.namelist():
                frame = parse_frame_name(name)
                if frame is not None and (frame.episode, frame.index) == (episode, index):
                    return read_member(archive, name)
        raise FileNotFoundError(path)

    def _open_frames(self, path: Path) -> AbstractContextManager[ZipFile]:
        return open_archive(path, self._run, "It is not a complete archive of frames.")

    def verification_path(self, evaluation_id: str) -> Path:
        return self._path(evaluation_id, ".verify.json")

    def evaluated_policy_path(self, evaluation_id: str) -> Path:
        """Return the path of the policy that played, kept together with pictures of what it saw."""
        return self._path(evaluation_id, ".policy.zip")

    def pinned_policy_path(self, evaluation_id: str) -> Path:
        """Return the path of the policy that an evaluation will play; it stays when checkpoints are deleted."""
        return self.path / f".{check_evaluation_id(evaluation_id)}.zip.tmp"

    def pin_policy(self, evaluation_id: str, policy: Path) -> None:
        """Keep ``policy`` for an evaluation. Raises FileNotFoundError if it was deleted, and RunFolderError."""
        pinned = self.pinned_policy_path(evaluation_id)
        check_folders(self.path, self._run)
        check_folders(policy.parent, self._run)
        pinned.unlink(missing_ok=True)
        try:
            os.link(policy, pinned, follow_symlinks=False)
        except FileNotFoundError:
            raise
        except (OSError, NotImplementedError):  # a file system without hard links
            with open_file(policy, self._run) as source, pinned.open("wb") as copy:
                shutil.copyfileobj(source, copy)

    def keep_pinned_policy(self, evaluation_id: str) -> None:
        """Keep the pinned policy of an evaluation, if there is one, for saliency maps on request."""
        with suppress(FileNotFoundError):
            self.pinned_policy_path(evaluation_id).replace(self.evaluated_policy_path(evaluation_id))

    def read(self, evaluation_id: str) -> EvaluationRecord:
        """Return the record. Raises RunFolderError if it is missing or unreadable."""
        path = self.record_path(evaluation_id)
        record = read_existing(path, EvaluationRecord, self._run)
        if (record.run_id, record.id) != (self._run.name, evaluation_id):
            raise damage_error(
                path, self._run, f"It belongs to evaluation {record.id[:80]!r} of run {record.run_id[:80]!r}."
            )
        return record

    def write(self, record: EvaluationRecord) -> None:
        """Write a record. Creates the folder if missing, because copy tools may skip empty folders."""
        check_folders(self._run, self._run)
        with suppress(FileExistsError):
            self.path.mkdir()
        write_atomically(self.record_path(record.id), record.model_dump_json(indent=2).encode(), self._run)

    def read_verification(self, evaluation_id: str) -> Verification | None:
        """Return the verification; None if none was requested. Raises RunFolderError if it is unreadable."""
        try:
            return read_document(self.verification_path(evaluation_id), Verification, self._run)
        except FileNotFoundError:
            return None

    def write_verification(self, evaluation_id: str, verification: Verification) -> None:
        content = verification.model_dump_json(indent=2).encode()
        write_atomically(self.verification_path(evaluation_id), content, self._run)

    def _path(self, evaluation_id: str, suffix: str) -> Path:
        return self.path / f"{check_evaluation_id(evaluation_id)}{suffix}"


M = TypeVar("M", bound=BaseModel)

_STEP = re.compile(r"step_(\d{1,15})\.zip")

_SEGMENT = re.compile(r"\d{1,15}-\d{1,15}-[0-9a-f]{16}\.seg")

_SIGNS = ("config.json", "metrics.jsonl", "events.jsonl")
"""A folder that contains one of these is, or was, a run folder."""


class Labels(LazyModel):
    """``labels.json``: what the user can change about a run at any time."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: RunName
    tags: list[str] = Field(default_factory=list)
    notes: str = ""

    def within_limits(self) -> Labels:
        """Return the labels cut to the limits, because any program may have written the file."""
        whole = (tag.strip()[: LIMITS.tag.maximum] for tag in islice(self.tags, LIMITS.tags.maximum))
        return Labels(
            name=self.name,
            tags=list(dict.fromkeys(filter(None, whole))),
            notes=self.notes[: LIMITS.notes.maximum],
        )


class RunFolder:
    """The folder of one run in ``root``. Raises RunNotFound for an invalid run id."""

    def __init__(self, root: Path, run_id: str) -> None:
        self.run_id = check_run_id(run_id)
        self.path = root / self.run_id
        self.config_path = self.path / "config.json"
        self.control_path = self.path / "control.json"
        self.labels_path = self.path / "labels.json"
        self.rules_path = self.path / "rules.json"
        self.recording_path = self.path / "recording.json"
        self.metrics_path = self.path / "metrics.jsonl"
        self.events_path = self.path / "events.jsonl"
        self.log_path = self.path / "worker.log"
        self.lock_path = self.path / "worker.lock"
        self.heartbeat_path = self.path / "heartbeat"
        self.model_path = self.path / "model.zip"
        self.best_model_path = self.path / "best_model.zip"
        self.anatomy_path = self.path / "anatomy.jsonl"
        self.map_path = self.path / "map.json"
        self.q_table_path = self.path / "q_table.json"
        self.checkpoints = self.path / "checkpoints"
        self.evaluations = EvaluationFiles(self.path)
        self.film = self.path / "film"
        self.snapshots = self.path / "snapshots"
        self.replay = self.path / "replay"
        self.sealed = self.path / "sealed"
        self.parent = self.path / "parent"
        self.sinks = self.path / "sinks"
        self.watch = self.path / "watch"
        self.lease_path = self.watch / "lease"
        self.live_weights_path = self.watch / "weights.zip"

    @classmethod
    def at(cls, path: Path) -> RunFolder:
        """Return the run folder at ``path``. A link is not resolved; using it fails."""
        path = Path(os.path.abspath(path))  # noqa: PTH100  (``resolve`` would follow that link)
        return cls(path.parent, path.name)

    def check(self) -> None:
        """Raise ArtifactNotFound if the folder is missing, RunFolderError if a link or file is in its place."""
        try:
            check_folders(self.path, self.path)
        except FileNotFoundError as error:
            raise folder_gone(self.run_id) from error

    def is_there(self) -> bool:
        """Whether the folder exists. Also true if a disk or share error makes it impossible to tell, because that must
        not end a run."""
        try:
            return stat.S_ISDIR(self.path.lstat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError:
            return True

    def create(self, config: RunConfig) -> None:
        """Create the folder with its configuration. Raises FileExistsError if it exists."""
        self.path.mkdir(parents=True)
        self.checkpoints.mkdir()
        self.evaluations.path.mkdir()
        write_atomically(self.config_path, config.model_dump_json(indent=2).encode())

    def read_config(self) -> RunConfig:
        """Return the configuration. Raises RunFolderError if it is missing, unreadable or of another run."""
        config = read_existing(self.config_path, RunConfig, self.path)
        if config.run_id != self.run_id:
            problem = f"It belongs to run {config.run_id[:80]!r}."
            raise ForeignRunFolder(self.run_id, damage_error(self.config_path, self.path, problem).damage)
        return config

    def config_to_go_on(self) -> RunConfig:
        """Return the configuration of a run that will be trained, changed, evaluated or repeated.

        Raises RunFolderError, and NewerVersion for a run of a newer version, which is read-only.
        """
        config = self.read_config()
        if config.is_newer:
            raise NewerVersion(
                f"Run {self.run_id!r} is read-only here. {config.format.newer(config.schema_version)} Install "
                "that version to continue it."
            )
        return config

    def read_control(self) -> Control:
        return read_control(self.control_path)

    def change_control(self, **changes: object) -> Control:
        """Change fields of the control file and return the new content; a damaged file is replaced."""
        try:
            control = self.read_control()
        except RunFolderError:
            control = Control()
        control = control.model_copy(update=changes)
        self.write_control(control)
        return control

    def write_control(self, control: Control) -> None:
        write_control(self.control_path, control)

    def read_labels(self) -> Labels:
        """Return the labels, within the limits; by default the name in the configuration. Raises RunFolderError."""
        try:
            return read_document(self.labels_path, Labels).within_limits()
        except FileNotFoundError:
            return Labels(name=self.read_config().name)

    def write_labels(self, labels: Labels) -> None:
        write_atomically(self.labels_path, labels.model_dump_json(indent=2).encode())

    def read_rules(self) -> RulesDocument | None:
        """Return the rules as the user changed them; None: those of the configuration apply. Raises RunFolderError."""
        try:
            return read_document(self.rules_path, RulesDocument)
        except FileNotFoundError:
            return None

    def rules(self, config: RunConfig) -> tuple[Rule, ...]:
        """Return the rules that apply now. Raises RunFolderError."""
        changed = self.read_rules()
        return config.rules if changed is None else changed.rules

    def write_rules(self, document: RulesDocument) -> None:
        write_atomically(self.rules_path, document.model_dump_json(indent=2).encode())

    def read_recording(self) -> RecordingChoice | None:
        """Return how the run is recorded; None: the default of its family. Raises RunFolderError."""
        try:
            return read_document(self.recording_path, RecordingChoice)
        except FileNotFoundError:
            return None

    def write_recording(self, choice: RecordingChoice) -> None:
        write_atomically(self.recording_path, choice.model_dump_json(indent=2).encode())

    def snapshot_plan(self, config: RunConfig) -> SnapshotPlan:
        """Return the snapshot plan that applies now. Raises RunFolderError."""
        return self.read_control().snapshots or config.snapshots

    def open_log(self) -> BinaryIO:
        """Open ``worker.log`` for appending; anything else in its place is renamed.

        Raises FileNotFoundError without a folder, and RunFolderError.
        """
        return open_in_place(self.log_path)

    def tidy(self) -> None:
        """Delete temporary files that a killed trainer left. Only for a run that has ended."""
        for path in (self.path, self.checkpoints, self.film, self.watch, self.snapshots, self.replay):
            remove_leftovers(path, self.path)

    # Policies

    def checkpoint_path(self, step: int) -> Path:
        return self.checkpoints / f"step_{step}.zip"

    def checkpoint_files(self) -> list[tuple[int, Path]]:
        """Return checkpoints as (step, path), oldest first."""
        return self._policies_in(self.checkpoints)

    def film_path(self, step: int) -> Path:
        return self.film / f"step_{step}.zip"

    def film_files(self) -> list[tuple[int, Path]]:
        """Return policies of the filmstrip as (step, path), oldest first."""
        return self._policies_in(self.film)

    def _policies_in(self, path: Path) -> list[tuple[int, Path]]:
        found = (
            (int(match[1]), file)
            for file in list_files(path, self.path, "step_*.zip")
            if (match := _STEP.fullmatch(file.name))
        )
        return sorted(found)

    def newest_policy(self) -> Path | None:
        """Return the final model, else the last checkpoint, else None."""
        if is_file(self.model_path):
            return self.model_path
        checkpoints = self.checkpoint_files()
        return checkpoints[-1][1] if checkpoints else None

    def best_policy(self) -> BestPolicy | None:
        """Return the evaluation results of the best policy; None if there is none. Raises RunFolderError."""
        return read_best(self.best_model_path, self.path)

    # Snapshots

    def snapshot_path(self, name: str) -> Path:
        """Return the path of the snapshot ``name``. Raises InvalidRequest for an invalid name."""
        return self.snapshots / f"{name if name.isdecimal() and name.isascii() else check_snapshot_name(name)}.zip"

    def segment_path(self, file: str) -> Path:
        """Return the path of a replay buffer segment. Raises InvalidRequest for an invalid name."""
        if _SEGMENT.fullmatch(file) is None:
            raise InvalidRequest(f"There is no segment {file[:80]!r}.")
        return self.replay / file


def folder_gone(run_id: str) -> ArtifactNotFound:
    return ArtifactNotFound(f"The folder of run {run_id!r} is missing. Delete the run, or restore its folder.")


def run_folders(root: Path, known: Container[str] = ()) -> Iterator[RunFolder]:
    """Yield every run folder in ``root`` except those in ``known``."""
    for path in sorted(root.iterdir() if root.is_dir() else ()):
        if path.name not in known and is_run_folder(path):
            yield RunFolder(root, path.name)


def linked_folders(root: Path) -> list[Path]:
    """Return links in ``root`` to folders elsewhere that would otherwise be run folders."""
    return sorted(path for path in root.iterdir() if is_run_id(path.name) and path.is_symlink() and path.is_dir())


def is_run_folder(path: Path) -> bool:
    """Whether ``path`` is a run folder, in any condition, and not a link."""
    is_folder = is_run_id(path.name) and path.is_dir() and not path.is_symlink()
    return is_folder and any(os.path.lexists(path / name) for name in _SIGNS)


def strip_name(number: int) -> str:
    return f"{number}.png"


def kept_policies(folder: RunFolder, final_step: int | None = None) -> list[KeptPolicy]:
    """Return all policies by step. ``final_step`` is the step of the final model, if known.

    An unreadable best policy is left out; inspection reports it.
    """
    found: dict[int, tuple[list[PolicyKind], Path]] = {}
    for step, kind, path in _files(folder, final_step):
        kinds, _ = found.setdefault(step, ([], path))
        if kind is not None:
            kinds.append(kind)
    if found:
        found[max(found)][0].insert(0, PolicyKind.LATEST)
    policies = []
    for step, (kinds, path) in sorted(found.items()):
        with suppress(FileNotFoundError):  # a checkpoint that was deleted meanwhile
            file = path.relative_to(folder.path).as_posix()
            policies.append(KeptPolicy(step=step, kinds=kinds, file=file, size_bytes=path.stat().st_size))
    return policies


def evaluated_policy(
    folder: RunFolder, evaluation_id: str, step: int | None, final_step: int | None = None
) -> KeptPolicy | None:
    """Return the policy that played in an evaluation; None if it no longer exists.

    Args:
        folder: Folder of the run.
        evaluation_id: Id of the evaluation.
        step: Training step of the policy; None if unknown.
        final_step: Step of the final model, as for ``kept_policies``.
    """
    path = folder.evaluations.evaluated_policy_path(evaluation_id)
    if step is not None and is_file(path, folder.path):
        with suppress(FileNotFoundError):  # deleted meanwhile
            name = path.relative_to(folder.path).as_posix()
            return KeptPolicy(step=step, kinds=[], file=name, size_bytes=path.stat().st_size)
    return next((policy for policy in kept_policies(folder, final_step) if policy.step == step), None)


def policy_at(policies: Sequence[KeptPolicy], step: int) -> KeptPolicy | None:
    """Return the newest of ``policies`` (sorted by step) up to ``step``; None if there is none."""
    return next((policy for policy in reversed(policies) if policy.step <= step), None)


def select_learning_steps(policies: Sequence[KeptPolicy], count: int) -> list[KeptPolicy]:
    """Return at most ``count`` of ``policies`` (sorted by step), evenly spaced from the first to the best one.

    Ends at the newest policy if the best one is unknown or the first.
    """
    best = next((place for place, policy in enumerate(policies) if PolicyKind.BEST in policy.kinds), 0)
    last = best or len(policies) - 1
    places = {round(place * last / (count - 1)) for place in range(count)}
    return [policies[place] for place in sorted(places)]


def _files(folder: RunFolder, final_step: int | None) -> Iterator[tuple[int, PolicyKind | None, Path]]:
    """Yield policy files, most permanent kind first. The final model only has the kind ``latest``."""
    for step, path in folder.film_files():
        yield step, PolicyKind.FILM, path
    with suppress(RunFolderError):
        if (best := folder.best_policy()) is not None:
            yield best.step, PolicyKind.BEST, folder.best_model_path
    if final_step is not None and is_file(folder.model_path):
        yield final_step, None, folder.model_path
    for step, path in folder.checkpoint_files():
        yield step, PolicyKind.CHECKPOINT, path


def find_artifact(folder: RunFolder, name: str) -> Path:
    """Return the regular file ``name`` in ``folder``. A journal may exist in compressed form only.

    Raises ArtifactNotFound for everything else: absolute names, ``..``, backslashes, NUL, hidden and temporary
    files, folders, pipes and links.
    """
    missing = ArtifactNotFound(f"Run {folder.run_id!r} has no file {name[:120]!r}.")
    parts = name.split("/")
    if any(part in ("", ".", "..") or part.startswith(".") for part in parts):
        raise missing
    if any(character in name for character in "\\\0:"):
        raise missing
    path = folder.path.joinpath(*parts)
    if not may_be_file(path, folder.path) and not may_be_file(compressed_path(path), folder.path):
        raise missing
    return path


def request_checkpoint(folder: RunFolder, *, stopping: bool, now: datetime) -> int:
    """Request a checkpoint from the trainer; return the number that its ``checkpoint`` event will repeat.

    A damaged control file is replaced: the run keeps running or ``stopping``, and numbers continue from the clock's
    milliseconds, which exceed all earlier numbers.
    """
    try:
        control = folder.read_control()
    except RunFolderError:
        desired = Desired.STOP if stopping else Desired.RUN
        control = Control(desired=desired, checkpoint_request=int(now.timestamp() * 1000))
    number = control.checkpoint_request + 1
    folder.write_control(control.model_copy(update={"checkpoint_request": number}))
    return number


class Attempts(NamedTuple):
    """Attempts of a run, according to its events.

    Attributes:
        newest: Number of the newest attempt that started or ended; 1 if none did.
        total_timesteps: Steps it was to train for; None: as configured.
        begun: How often an attempt started or replaced existing rows.
    """

    newest: int
    total_timesteps: int | None
    begun: int


def attempts_of(folder: RunFolder) -> Attempts:
    """Return the attempts of a run. Raises RunFolderError if the journal is not a file."""
    newest, total, begun = 1, None, 0
    for line in journal_lines(folder.events_path):
        event = parse_event(line.record)
        match event.data if event is not None else None:
            case StartedData() as started:
                newest, total, begun = max(newest, started.attempt), started.total_timesteps, begun + 1
            case RollbackData() | DivergedData():
                begun += 1
            case Ending() as ending:
                newest = max(newest, ending.attempt or 1)
    return Attempts(newest, total, begun)
