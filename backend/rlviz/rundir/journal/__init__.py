"""Append-only journals of JSON lines: one writer, any number of readers, in any processes.

Obligations of the writer: a line is appended whole or, if the process dies, left torn at the very
end; lines are never changed. Obligations of the readers: a torn last line is not there yet; a line
in the middle that is not JSON is handed over as broken, never dropped in silence.
"""

from rlviz.rundir.journal.lines import READ_BYTES, Line, Records, split_lines
from rlviz.rundir.journal.reader import JournalTail, last_lines, read_backwards, read_journal
from rlviz.rundir.journal.seek import is_line_start, line_number, offset_after, whole_size
from rlviz.rundir.journal.writer import FLUSH_SECONDS, JournalWriter

__all__ = [
    "FLUSH_SECONDS",
    "READ_BYTES",
    "JournalTail",
    "JournalWriter",
    "Line",
    "Records",
    "is_line_start",
    "last_lines",
    "line_number",
    "offset_after",
    "read_backwards",
    "read_journal",
    "split_lines",
    "whole_size",
]
