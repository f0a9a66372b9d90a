"""Clips of a run folder: ``film/clips/<id>.json``, ``.mp4`` and ``.webp``, and what is wanted in ``wanted/``. Of a
value slice there are ``<id>.json`` and ``<id>.slice``, which is JSON and goes as videos go.

The service writes wishes, one worker a run answers them: the newest first, since that is what somebody looks at.
What is there may be taken away at any time; it is made again when it is asked for.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from rlviz.domain.clips import ClipRecord, ClipWish, check_clip_id, is_clip_id, is_slice_id
from rlviz.domain.errors import RunFolderError
from rlviz.domain.value_slice import ValueSlice
from rlviz.rundir.atomic import write_atomically
from rlviz.rundir.documents import read_document
from rlviz.rundir.files import files_in, is_file
from rlviz.rundir.folder import RunFolder

MAX_WISHES = 32
"""Older ones are forgotten: whoever scrubs along a curve waits for the newest only."""

MAX_RECORDS = 1_000
"""Clips that are remembered, with a thumbnail each, when their videos are gone."""


class Clips:
    """Those of ``folder``."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self.path = folder.film / "clips"
        self.wanted = self.path / "wanted"

    def record_path(self, clip_id: str) -> Path:
        return self.path / f"{check_clip_id(clip_id)}.json"

    def video_path(self, clip_id: str) -> Path:
        return self.path / f"{check_clip_id(clip_id)}.mp4"

    def slice_path(self, clip_id: str) -> Path:
        return self.path / f"{check_clip_id(clip_id)}.slice"

    def thumbnail_path(self, clip_id: str) -> Path:
        return self.path / f"{check_clip_id(clip_id)}.webp"

    def make_folders(self) -> None:
        for path in (self._folder.film, self.path, self.wanted):
            path.mkdir(exist_ok=True)

    # Wishes

    def wish(self, wish: ClipWish) -> None:
        """Ask for a clip. Raises OSError and RunFolderError."""
        self.make_folders()
        write_atomically(self._wish_path(wish.id), wish.model_dump_json().encode(), self._folder.path)
        for forgotten in self._wishes()[:-MAX_WISHES]:
            forgotten.unlink(missing_ok=True)

    def is_wanted(self, clip_id: str) -> bool:
        return is_file(self._wish_path(clip_id), self._folder.path)

    def has_wishes(self) -> bool:
        return bool(self._wishes())

    def newest_wish(self) -> ClipWish | None:
        """What is to be made next; what cannot be read is forgotten."""
        while wishes := self._wishes():
            try:
                return read_document(wishes[-1], ClipWish, self._folder.path)
            except FileNotFoundError:
                continue
            except RunFolderError:
                wishes[-1].unlink(missing_ok=True)
        return None

    def answer(self, record: ClipRecord) -> None:
        """What came of a wish, which is fulfilled by it."""
        content = record.model_dump_json(indent=2).encode()
        write_atomically(self.record_path(record.id), content, self._folder.path)
        self._wish_path(record.id).unlink(missing_ok=True)

    def refuse_all(self, cause: str) -> None:
        """Nobody will answer what is wanted."""
        while (wish := self.newest_wish()) is not None:
            try:
                self.answer(ClipRecord(id=wish.id, kind=wish.kind, seed=wish.seed, greedy=wish.greedy, cause=cause))
            except (OSError, RunFolderError):
                self._wish_path(wish.id).unlink(missing_ok=True)

    def _wish_path(self, clip_id: str) -> Path:
        return self.wanted / f"{check_clip_id(clip_id)}.json"

    def _wishes(self) -> list[Path]:
        """Oldest first."""
        return _by_age(self._files_in(self.wanted, ".json"))

    # What is there

    def records(self) -> list[ClipRecord]:
        """All that can be read, the one that was used last at the end."""
        found = map(self.find, (path.stem for path in _by_age(self._files_in(self.path, ".json"))))
        return [record for record in found if record is not None]

    def find(self, clip_id: str) -> ClipRecord | None:
        """What is known of a clip; None if nothing is, or if that cannot be read."""
        with suppress(FileNotFoundError, RunFolderError):
            record = read_document(self.record_path(clip_id), ClipRecord, self._folder.path)
            return record if record.id == clip_id else None
        return None

    def has_video(self, clip_id: str) -> bool:
        return is_file(self.video_path(clip_id), self._folder.path)

    def find_slice(self, slice_id: str) -> ValueSlice | None:
        """What was read; None if nothing was, or if that cannot be read."""
        with suppress(FileNotFoundError, RunFolderError):
            return read_document(self.slice_path(slice_id), ValueSlice, self._folder.path)
        return None

    def write_slice(self, slice_id: str, found: ValueSlice) -> None:
        write_atomically(self.slice_path(slice_id), found.model_dump_json().encode(), self._folder.path)

    def has_thumbnail(self, clip_id: str) -> bool:
        return is_file(self.thumbnail_path(clip_id), self._folder.path)

    def is_newer_than(self, clip_id: str, policy: Path) -> bool:
        """Whether the clip was made of the policy that ``policy`` holds now."""
        try:
            return self._made_path(clip_id).stat().st_mtime_ns >= policy.stat().st_mtime_ns
        except OSError:
            return False

    def touch(self, clip_id: str) -> None:
        """It was used just now, and is the last to go."""
        with suppress(OSError):
            os.utime(self.record_path(clip_id))

    def size(self) -> int:
        """Bytes of all there is."""
        return sum(map(_size, files_in(self.path, self._folder.path)))

    def retire(self, keep_bytes: int, spare: str) -> None:
        """Delete videos and slices until all is within ``keep_bytes``, those first that were not used for longest,
        but not that of clip ``spare``; and forget the oldest of very many clips."""
        records = [path.stem for path in _by_age(self._files_in(self.path, ".json")) if path.stem != spare]
        total = self.size()
        for clip_id in records:
            if total <= keep_bytes:
                break
            total -= _size(self._made_path(clip_id))
            self._made_path(clip_id).unlink(missing_ok=True)
        for clip_id in records[: max(0, len(records) - MAX_RECORDS)]:
            for path in (self._made_path(clip_id), self.thumbnail_path(clip_id), self.record_path(clip_id)):
                path.unlink(missing_ok=True)

    def _made_path(self, clip_id: str) -> Path:
        """What takes the room: a video, or the numbers of a slice."""
        return self.slice_path(clip_id) if is_slice_id(clip_id) else self.video_path(clip_id)

    def _files_in(self, path: Path, suffix: str) -> list[Path]:
        return [file for file in files_in(path, self._folder.path, f"*{suffix}") if is_clip_id(file.stem)]


def _by_age(paths: list[Path]) -> list[Path]:
    return sorted(paths, key=lambda path: (_changed_at(path), path.name))


def _changed_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
