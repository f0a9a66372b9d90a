"""Requests for clips, in ``film/clips/wanted`` of a run folder: a file each, there until its result is.

The service writes requests, and one worker for each run answers them: the newest first, since that is what somebody
watches, and thumbnails after everything else.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from rlviz.domain.clips import ClipRecord, ClipRequest, check_clip_id, is_clip_id
from rlviz.domain.errors import RunFolderError
from rlviz.rundir.atomic import write_atomically
from rlviz.rundir.documents import read_document
from rlviz.rundir.files import files_in, is_file, open_descriptor
from rlviz.rundir.folder import RunFolder

MAX_REQUESTS = 32
"""Older ones are dropped: somebody who scrubs along a curve waits only for the newest."""


class ClipRequests:
    """Those of the run folder ``folder``, whose results are in the folder ``records``."""

    def __init__(self, folder: RunFolder, records: Path) -> None:
        self._folder, self._records = folder, records
        self.path = records / "wanted"

    def make_folders(self) -> None:
        for path in (self._folder.film, self._records, self.path):
            path.mkdir(exist_ok=True)

    def add(self, request: ClipRequest) -> None:
        """Ask for a clip. Raises OSError and RunFolderError."""
        self.make_folders()
        write_atomically(self._path_of(request.id), request.model_dump_json().encode(), self._folder.path)
        for forgotten in self._files()[:-MAX_REQUESTS]:
            forgotten.unlink(missing_ok=True)

    def has(self, clip_id: str) -> bool:
        return is_file(self._path_of(clip_id), self._folder.path)

    def has_any(self) -> bool:
        return bool(self._files())

    def next(self) -> ClipRequest | None:
        """The request to answer next: the newest that is for more than a thumbnail, or else the newest.

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
        """Whether something is wanted that shall not wait until ``request``, which is being answered, is done: of a
        thumbnail anything else, of a video another one that was asked for later."""
        following = self.next()
        if following is None or following.picture_only:
            return False
        return request.picture_only or (following.id != request.id and following.kind in ("clip", "growth"))

    def answer(self, record: ClipRecord) -> None:
        """Write the result of a request and delete the request; on a full disk the file of the request becomes that of
        the result, so that whoever asks finds one of them at any time. Raises OSError and RunFolderError.
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
        """Answer the requests of this moment with ``cause``, since no worker can.

        One that comes meanwhile, from somebody who has read the answer and asks again, is left to the next worker.
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
        """Files of requests, oldest first."""
        return by_age([file for file in files_in(self.path, self._folder.path, "*.json") if is_clip_id(file.stem)])


def by_age(paths: Iterable[Path]) -> list[Path]:
    """The one that was changed longest ago first."""
    return sorted(paths, key=lambda path: (_changed_at(path), path.name))


def _changed_at(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
