"""Append-only journals of JSON lines: one writer, any number of readers, in any processes.

Obligations of the writer: it appends whole lines (or, if the process dies, leaves a torn one at the very end) and never
changes a line. Obligations of readers: a torn last line does not exist yet; a line in the middle that is not JSON is
reported as broken, never skipped silently.
"""

from rlviz.rundir.journal.compressed import (
    compressed_path,
    expand,
    is_compressed,
    journal_size,
    open_journal,
    prepare,
)
from rlviz.rundir.journal.lines import READ_BYTES, Line, Records, block_lines, blocks, parse_block, split_lines
from rlviz.rundir.journal.reader import JournalTail, journal_lines, last_lines, read_backwards, read_journal
from rlviz.rundir.journal.seek import is_line_start, last_newline, line_number, offset_after, whole_size
from rlviz.rundir.journal.writer import FLUSH_SECONDS, JournalWriter

__all__ = [
    "FLUSH_SECONDS",
    "READ_BYTES",
    "JournalTail",
    "JournalWriter",
    "Line",
    "Records",
    "block_lines",
    "blocks",
    "compressed_path",
    "expand",
    "is_compressed",
    "is_line_start",
    "journal_lines",
    "journal_size",
    "last_lines",
    "last_newline",
    "line_number",
    "offset_after",
    "open_journal",
    "parse_block",
    "prepare",
    "read_backwards",
    "read_journal",
    "split_lines",
    "whole_size",
]
