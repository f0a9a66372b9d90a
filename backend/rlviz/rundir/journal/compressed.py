"""Compressed journals: ``metrics.jsonl.zst`` in the place of ``metrics.jsonl``, read at any position as if it were not.

Such a file is in Zstandard's seekable format, so that ``zstd -d`` reads it too: frames of BLOCK_BYTES of the journal
each, with a checksum, and a table of their sizes at the end, in a frame that other programs skip.

Where both files are there, the uncompressed one is the truth and the other is left over: whoever compresses deletes the
journal last, and whoever expands writes it whole before the compressed one goes. So at whatever moment a process is
killed, the journal can be read. Both are for whoever holds the run's lock, when nobody else writes the journal.
"""

from __future__ import annotations

import io
import os
import struct
from bisect import bisect_right
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO

from rlviz.domain.errors import RunFolderError
from rlviz.rundir.atomic import atomic_write, temporary_name
from rlviz.rundir.files import damaged, open_descriptor, open_file

BLOCK_BYTES = 1 << 20
"""Bytes of the journal in a frame: what is expanded to read any one of them, some 1 ms."""

_LEVEL = 9
_MAGIC_SKIPPED, _MAGIC_TABLE = 0x184D2A5E, 0x8F92EAB1
_HEAD, _ENTRY, _FOOT = struct.Struct("<II"), struct.Struct("<II"), struct.Struct("<IBI")
_MOST_FRAMES = 1 << 17
_MOST_FRAME_BYTES = 2 * BLOCK_BYTES
_BUFFER_BYTES = 1 << 17

MOST_RATIO, FREE_BYTES = 1_000, 1 << 24
"""A journal of more than FREE_BYTES is at most MOST_RATIO times as long as its compressed form.

That bounds the time that a small file from elsewhere can take. A journal that compresses better stays as it is.
"""


def compressed_path(journal: Path) -> Path:
    return journal.with_name(f"{journal.name}.zst")


def open_journal(path: Path, folder: Path | None = None) -> BinaryIO:
    """The journal at ``path``, open for reading, compressed or not; ``folder`` as for ``open_file``.

    Its descriptor tells the time of change, not the size: seek to the end for that. Raises FileNotFoundError and
    RunFolderError.
    """
    try:
        return open_file(path, folder)
    except FileNotFoundError:
        pass
    try:
        return io.BufferedReader(_Expanding(compressed_path(path), folder), _BUFFER_BYTES)
    except FileNotFoundError:
        return open_file(path, folder)  # expanded just now, or in neither form


def journal_size(path: Path) -> int:
    """Bytes of the journal at ``path``, uncompressed. Raises FileNotFoundError and RunFolderError."""
    with open_journal(path) as file:
        return file.seek(0, os.SEEK_END)


def is_compressed(path: Path) -> bool:
    """Whether the journal at ``path`` is there in compressed form alone."""
    return not os.path.lexists(path) and os.path.lexists(compressed_path(path))


@dataclass(frozen=True)
class Prepared:
    """A compressed copy of a journal that lies beside it under a temporary name: ``size`` bytes of the journal's
    ``journal_size``."""

    journal: Path
    temporary: Path
    size: int
    journal_size: int

    def put_in_place(self) -> bool:
        """Have it replace the journal; False if that has grown or gone meanwhile. Raises OSError, RunFolderError."""
        with suppress(FileNotFoundError):
            with open_file(self.journal) as file:
                unchanged = os.fstat(file.fileno()).st_size == self.journal_size
            if unchanged:
                status = self.journal.stat()
                os.utime(self.temporary, ns=(status.st_atime_ns, status.st_mtime_ns))
                self.temporary.replace(compressed_path(self.journal))
                _sync_folder(self.journal.parent)
                self.journal.unlink()
                return True
        self.discard()
        return False

    def discard(self) -> None:
        self.temporary.unlink(missing_ok=True)


def prepare(journal: Path, block_bytes: int = BLOCK_BYTES) -> Prepared | None:
    """A compressed copy of the journal at ``journal``, on the disk and read back.

    None if it would not be smaller, or so much smaller that it would not be read (MOST_RATIO).

    Raises FileNotFoundError, RunFolderError, and OSError, with no copy left: a full disk, say, or one that gives back
    something else than what was written.
    """
    compressor = _zstandard().ZstdCompressor(level=_LEVEL, write_checksum=True)
    target = compressed_path(journal)
    temporary = temporary_name(target)
    with open_file(journal) as source:
        size = os.fstat(source.fileno()).st_size
        digest, table, left = blake2b(), bytearray(), size
        try:
            with os.fdopen(open_descriptor(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
                while left > 0 and (block := source.read(min(block_bytes, left))):
                    left -= len(block)
                    digest.update(block)
                    frame = compressor.compress(block)
                    file.write(frame)
                    table += _ENTRY.pack(len(frame), len(block))
                count = len(table) // _ENTRY.size
                file.write(_HEAD.pack(_MAGIC_SKIPPED, len(table) + _FOOT.size))
                file.write(table)
                file.write(_FOOT.pack(count, 0, _MAGIC_TABLE))
                file.flush()
                os.fsync(file.fileno())
                taken = file.tell()
            if taken >= size or _is_too_dense(size, taken):
                temporary.unlink()
                return None
            _verify(temporary, digest.digest(), journal)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    return Prepared(journal, temporary, taken, size)


def _is_too_dense(size: int, compressed_size: int) -> bool:
    return size > FREE_BYTES and size > MOST_RATIO * compressed_size


def expand(path: Path, *, skip_damaged: bool = False) -> None:
    """Bring the journal at ``path`` back into its uncompressed form, if it is not. Raises OSError and RunFolderError.

    ``skip_damaged``: leave out the parts that cannot be expanded, for a repair.
    """
    compressed = compressed_path(path)
    if is_compressed(path):
        source = _Expanding(compressed)
        with source, atomic_write(path) as file:
            for number in range(source.count):
                try:
                    file.write(source.block(number))
                except RunFolderError:
                    if not skip_damaged:
                        raise
    if os.path.lexists(path):
        compressed.unlink(missing_ok=True)


class _Expanding(io.RawIOBase):
    """A compressed journal as the file that it was. Holds the one block that was read last."""

    def __init__(self, path: Path, folder: Path | None = None) -> None:
        """Raises FileNotFoundError and RunFolderError."""
        super().__init__()
        self._path, self._folder, self._position = path, folder or path.parent, 0
        self._expander = _zstandard().ZstdDecompressor()
        self._file = open_file(path, folder)
        try:
            frames, blocks = self._read_table()
        except BaseException:
            self._file.close()
            raise
        self._frames = list(accumulate(frames, initial=0))
        self._blocks = list(accumulate(blocks, initial=0))
        self._held = (-1, b"")

    @property
    def count(self) -> int:
        """Of blocks."""
        return len(self._blocks) - 1

    def block(self, number: int) -> bytes:
        """Raises RunFolderError if it is damaged."""
        if self._held[0] != number:
            self._file.seek(self._frames[number])
            frame = self._file.read(self._frames[number + 1] - self._frames[number])
            size = self._blocks[number + 1] - self._blocks[number]
            try:
                if _zstandard().frame_content_size(frame) > size:  # it would be expanded all the same
                    raise self._damaged(f"Its part {number + 1} of {self.count} is longer than its table says.")
                content = self._expander.decompress(frame, max_output_size=size)
            except _zstandard().ZstdError as error:
                raise self._damaged(f"Its part {number + 1} of {self.count} cannot be expanded.") from error
            if len(content) != size:
                raise self._damaged(f"Its part {number + 1} of {self.count} is not as long as it was.")
            self._held = number, content
        return self._held[1]

    def fileno(self) -> int:
        return self._file.fileno()

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        begin = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._blocks[-1]}[whence]
        self._position = max(0, begin + offset)
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: Any) -> int:
        if self._position >= self._blocks[-1]:
            return 0
        number = bisect_right(self._blocks, self._position) - 1
        within = self._position - self._blocks[number]
        part = self.block(number)[within : within + len(buffer)]
        buffer[: len(part)] = part
        self._position += len(part)
        return len(part)

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()

    def _read_table(self) -> tuple[list[int], list[int]]:
        """Sizes of the frames, and of what each holds."""
        size = self._file.seek(0, os.SEEK_END)
        self._file.seek(max(0, size - _FOOT.size))
        foot = self._file.read(_FOOT.size)
        if len(foot) < _FOOT.size:
            raise self._damaged("It is empty.")
        count, flags, magic = _FOOT.unpack(foot)
        begin = size - _FOOT.size - count * _ENTRY.size
        if magic != _MAGIC_TABLE or flags != 0 or count > _MOST_FRAMES or begin < _HEAD.size:
            raise self._damaged("It is cut, or no compressed journal.")
        self._file.seek(begin)
        entries = list(_ENTRY.iter_unpack(self._file.read(count * _ENTRY.size)))
        frames, blocks = [frame for frame, _ in entries], [block for _, block in entries]
        if (
            sum(frames) + _HEAD.size != begin
            or max(blocks, default=0) > BLOCK_BYTES
            or max(frames, default=0) > _MOST_FRAME_BYTES
        ):
            raise self._damaged("Its table of contents is damaged.")
        if _is_too_dense(sum(blocks), size):
            raise self._damaged(f"It would expand to {sum(blocks):,} bytes, more than {MOST_RATIO:,} times its size.")
        return frames, blocks

    def _damaged(self, problem: str) -> RunFolderError:
        return damaged(self._path, self._folder, problem)


def _verify(compressed: Path, digest: bytes, journal: Path) -> None:
    """Raises OSError if ``compressed`` does not hold what has that digest."""
    found = blake2b()
    with _Expanding(compressed) as source:
        for number in range(source.count):
            found.update(source.block(number))
    if found.digest() != digest:
        raise OSError(f"The compressed copy of {journal.name} is not what was written. Is the disk sound?")


def _sync_folder(path: Path) -> None:
    """So that the new name is on the disk before the old file goes; where folders can be synced."""
    with suppress(OSError):
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _zstandard() -> Any:
    """Imported when the first compressed journal is met."""
    import zstandard

    return zstandard
