"""Clips of a run folder, and the requests for them.

A clip is ``film/clips/<id>.json`` with ``.mp4``, ``.steps.parquet``, ``.webp`` and, if the agent sees pictures,
``.pictures.zip``. A value slice is ``<id>.json`` with ``<id>.slice``, a saliency map ``<id>.json`` with
``<id>.saliency``; both are JSON. Another future is ``<id>.json`` with ``<id>.mp4``. All of these may be deleted at any
time, and are made again on request. A request is a file in ``film/clips/wanted`` that exists until its result does.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from rlviz.domain.clips import (
    ClipRecord,
    ClipRequest,
    StepSaliency,
    ValueSlice,
    check_clip_id,
    is_clip_id,
    is_reading_id,
)
from rlviz.domain.errors import RunFolderError
from rlviz.rundir.files import is_file, list_files, open_descriptor, read_document, read_size, write_atomically
from rlviz.rundir.folder import RunFolder

MAX_REQUESTS = 32
"""Maximum pending requests. Older ones are dropped: a user who moves along a curve only waits for the newest."""


class ClipRequests:
    """Requests in the run folder ``folder``, with results in the folder ``records``."""

    def __init__(self, folder: RunFolder, records: Path) -> None:
        self._folder, self._records = folder, records
        self.path = records / "wanted"

    def make_folders(self) -> None:
        for path in (self._folder.film, self._records, self.path):
            path.mkdir(exist_ok=True)

    def add(self, request: ClipRequest) -> None:
        """Request a clip. Raises OSError and RunFolderError."""
        self.make_folders()
        write_atomically(self._path_of(request.id), request.model_dump_json().encode(), self._folder.path)
        for forgotten in self._files()[:-MAX_REQUESTS]:
            forgotten.unlink(missing_ok=True)

    def has(self, clip_id: str) -> bool:
        return is_file(self._path_of(clip_id), self._folder.path)

    def find(self, clip_id: str) -> ClipRequest | None:
        """Return a waiting request; None if there is none, or if it is unreadable."""
        with suppress(FileNotFoundError, RunFolderError):
            return read_document(self._path_of(clip_id), ClipRequest, self._folder.path)
        return None

    def has_any(self) -> bool:
        return bool(self._files())

    def next(self) -> ClipRequest | None:
        """Return the next request to answer: the newest that is for more than a thumbnail, else the newest.

        Unreadable requests are deleted.
        """
        newest = None
        for path in reversed(self._files()):
            try:
                request = read_document(path, ClipRequest, self._folder.path)
            except FileNotFoundError:
                continue
            except RunFolderError:
                path.unlink(missing_ok=True)
                continue
            if not request.picture_only:
                return request
            newest = newest or request
        return newest

    def is_overtaken(self, request: ClipRequest) -> bool:
        """Whether a more urgent request waits while ``request`` is being answered: anything else if it is a thumbnail,
        a newer video if it is a video."""
        following = self.next()
        if following is None or following.picture_only:
            return False
        return request.picture_only or (following.id != request.id and following.kind in ("clip", "growth", "future"))

    def answer(self, record: ClipRecord) -> None:
        """Write the result of a request, then delete the request.

        On a full disk, the file of the request becomes the file of the result, so clients always find one of them.
        Raises OSError and RunFolderError.
        """
        path, request = self._records / f"{check_clip_id(record.id)}.json", self._path_of(record.id)
        content = record.model_dump_json(indent=2).encode()
        try:
            write_atomically(path, content, self._folder.path)
        except OSError:
            with os.fdopen(open_descriptor(request, os.O_WRONLY, self._folder.path), "wb") as file:
                file.write(content)
            request.replace(path)
        else:
            request.unlink(missing_ok=True)

    def refuse_all(self, cause: str) -> None:
        """Answer all current requests with ``cause``, because no worker can run.

        A request that arrives meanwhile, from a user who saw the failure and retries, is left to the next worker.
        """
        for path in self._files():
            try:
                request = read_document(path, ClipRequest, self._folder.path)
                self.answer(
                    ClipRecord(id=request.id, kind=request.kind, seed=request.seed, greedy=request.greedy, cause=cause)
                )
            except (OSError, RunFolderError):
                path.unlink(missing_ok=True)

    def _path_of(self, clip_id: str) -> Path:
        return self.path / f"{check_clip_id(clip_id)}.json"

    def _files(self) -> list[Path]:
        """Return the request files, oldest first."""
        return sort_by_age(
            [file for file in list_files(self.path, self._folder.path, "*.json") if is_clip_id(file.stem)]
        )


def sort_by_age(paths: Iterable[Path]) -> list[Path]:
    """Sort by time of change, oldest first."""
    return sorted(paths, key=lambda path: (_changed_at(path), path.name))


def _changed_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


MAX_RECORDS = 1_000
"""Maximum number of clips that keep their record and thumbnail after the video is deleted."""


class Clips:
    """The clips of the run folder ``folder``."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self.path = folder.film / "clips"
        self.requests = ClipRequests(folder, self.path)

    def record_path(self, clip_id: str) -> Path:
        return self.path / f"{check_clip_id(clip_id)}.json"

    def video_path(self, clip_id: str) -> Path:
        return self.path / f"{check_clip_id(clip_id)}.mp4"

    def steps_path(self, clip_id: str) -> Path:
        return self.path / f"{check_clip_id(clip_id)}.steps.parquet"

    def pictures_path(self, clip_id: str) -> Path:
        """Return the path of the strips of what the agent saw, as for an evaluation."""
        return self.path / f"{check_clip_id(clip_id)}.pictures.zip"

    def slice_path(self, clip_id: str) -> Path:
        return self.path / f"{check_clip_id(clip_id)}.slice"

    def saliency_path(self, clip_id: str) -> Path:
        return self.path / f"{check_clip_id(clip_id)}.saliency"

    def thumbnail_path(self, clip_id: str) -> Path:
        return self.path / f"{check_clip_id(clip_id)}.webp"

    def records(self) -> list[ClipRecord]:
        """Return all readable clips, least recently used first."""
        found = map(self.find, (path.stem for path in sort_by_age(self._record_files())))
        return [record for record in found if record is not None]

    def find(self, clip_id: str) -> ClipRecord | None:
        """Return the record of a clip; None if it is missing or unreadable."""
        with suppress(FileNotFoundError, RunFolderError):
            record = read_document(self.record_path(clip_id), ClipRecord, self._folder.path)
            return record if record.id == clip_id else None
        return None

    def has_video(self, clip_id: str) -> bool:
        return is_file(self.video_path(clip_id), self._folder.path)

    def has_steps(self, clip_id: str) -> bool:
        return is_file(self.steps_path(clip_id), self._folder.path)

    def find_slice(self, slice_id: str) -> ValueSlice | None:
        """Return the value slice; None if it is missing or unreadable."""
        with suppress(FileNotFoundError, RunFolderError):
            return read_document(self.slice_path(slice_id), ValueSlice, self._folder.path)
        return None

    def write_slice(self, slice_id: str, found: ValueSlice) -> None:
        write_atomically(self.slice_path(slice_id), found.model_dump_json().encode(), self._folder.path)

    def find_saliency(self, saliency_id: str) -> StepSaliency | None:
        """Return the saliency map; None if it is missing or unreadable."""
        with suppress(FileNotFoundError, RunFolderError):
            return read_document(self.saliency_path(saliency_id), StepSaliency, self._folder.path)
        return None

    def write_saliency(self, saliency_id: str, found: StepSaliency) -> None:
        write_atomically(self.saliency_path(saliency_id), found.model_dump_json().encode(), self._folder.path)

    def has_thumbnail(self, clip_id: str) -> bool:
        return is_file(self.thumbnail_path(clip_id), self._folder.path)

    def shows(self, clip_id: str, policy: Path) -> bool:
        """Whether the thumbnail, and with it the return, was made with the current content of the policy file."""
        try:
            return self.thumbnail_path(clip_id).stat().st_mtime_ns >= policy.stat().st_mtime_ns
        except OSError:
            return False

    def is_newer_than(self, clip_id: str, policy: Path) -> bool:
        """Whether the clip was made with the current content of the policy file ``policy``."""
        try:
            times = [path.stat().st_mtime_ns for path in self._made(clip_id) if path.exists()]
            return bool(times) and min(times) >= policy.stat().st_mtime_ns
        except OSError:
            return False

    def touch(self, clip_id: str) -> None:
        """Mark the clip as just used, so that it is deleted last."""
        with suppress(OSError):
            os.utime(self.record_path(clip_id))

    def size(self) -> int:
        """Return the bytes of all clips."""
        return sum(map(read_size, list_files(self.path, self._folder.path)))

    def retire(self, keep_bytes: int, spare: str) -> None:
        """Delete large files until all clips fit into ``keep_bytes``, least recently used first, but not those of clip
        ``spare``. Also delete the oldest records beyond the maximum."""
        records = [path.stem for path in sort_by_age(self._record_files()) if path.stem != spare]
        total = self.size()
        for clip_id in records:
            if total <= keep_bytes:
                break
            total -= sum(map(read_size, self._made(clip_id)))
            self.remove_made(clip_id)
        for clip_id in records[: max(0, len(records) - MAX_RECORDS)]:
            self.remove_made(clip_id)
            for path in (self.thumbnail_path(clip_id), self.record_path(clip_id)):
                path.unlink(missing_ok=True)

    def remove_made(self, clip_id: str) -> None:
        """Delete the large files of a clip; its record and thumbnail stay."""
        for path in self._made(clip_id):
            path.unlink(missing_ok=True)

    def _made(self, clip_id: str) -> tuple[Path, ...]:
        """Return the large files of a clip: video, step records and pictures, or a slice or map."""
        if is_reading_id(clip_id):
            return self.slice_path(clip_id), self.saliency_path(clip_id)
        return self.video_path(clip_id), self.steps_path(clip_id), self.pictures_path(clip_id)

    def _record_files(self) -> list[Path]:
        return [file for file in list_files(self.path, self._folder.path, "*.json") if is_clip_id(file.stem)]
