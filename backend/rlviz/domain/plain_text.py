"""Text from outside stays text: escapes names, notes and messages for the places that would interpret them.

A bundle from elsewhere may contain a run name that controls a terminal, is a formula in a spreadsheet, or mentions
people in a chat. HTML is escaped where it is built. Also here: decoding bytes of unknown encoding, and lists of
names in one text.
"""

from __future__ import annotations

import codecs
import json
import os
import re
from collections.abc import Iterable
from typing import Any

_CONTROLS = re.compile(
    "["
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # except tabs and line ends
    "\u2028\u2029"  # line ends for some programs
    "\u200e\u200f\u202a-\u202e\u2066-\u2069"  # change the text direction, so that text looks like other text
    "\ud800-\udfff"  # bytes that are not text
    "]"
)
_FORMULA = ("=", "+", "-", "@", "\t", "\n")
_NOTHING = "\u200b"
"""A zero-width space, which separates characters that a chat would interpret."""


def visible(text: str) -> str:
    r"""Return ``text`` with control characters escaped (``\x1b``), except tabs and line ends."""
    return _CONTROLS.sub(_spelled, text)


def one_line(text: str) -> str:
    r"""Return ``text`` on one line: tabs and line ends are escaped, too."""
    return visible(text).replace("\n", r"\n").replace("\t", r"\t")


def json_text(value: Any, *, indent: int | None = None, ascii_only: bool = False) -> str:
    """Return JSON with control characters escaped. It parses to the same value."""
    return _CONTROLS.sub(_escaped, json.dumps(value, indent=indent, ensure_ascii=ascii_only))


def csv_text(value: Any) -> Any:
    """Return a value for a CSV cell.

    Text that a spreadsheet would run as a formula gets a leading apostrophe (OWASP, CSV injection). Line ends
    become newlines, because not every writer quotes the others. Numbers and other values stay as they are.
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if text.lstrip("'").startswith(_FORMULA) else text


def parse_csv_text(cell: str) -> str:
    """Undo ``csv_text``, except for line ends."""
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(_FORMULA) else cell


def chat_text(text: str) -> str:
    """Return text for a chat message: mentions, links and pictures in it are shown, not interpreted."""
    return re.sub(r"[@<]|\](?=\()", rf"\g<0>{_NOTHING}", visible(text))


def _spelled(found: re.Match[str]) -> str:
    number = ord(found[0])
    return rf"\x{number:02x}" if number < 0x100 else rf"\u{number:04x}"


def _escaped(found: re.Match[str]) -> str:
    return rf"\u{ord(found[0]):04x}"


_WINDOWS = "rlviz-windows-1252"


def decode_text(content: bytes) -> str:
    """Return bytes as text: UTF-8 if valid, else Windows-1252, which includes the letters of Latin-1."""
    return content.decode("utf-8", _WINDOWS)


def typed_text(text: str) -> str:
    """Return a command-line argument or file name as text that can be encoded.

    Python keeps bytes outside its own encoding as surrogates, which cannot be written anywhere.
    """
    return text if _is_encodable(text) else decode_text(os.fsencode(text))


def escape_surrogates(text: str) -> str:
    """Return ``text`` with surrogates escaped, such as ``\\\\udce9``."""
    return text.encode(errors="backslashreplace").decode()


def _is_encodable(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _as_windows(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    found = error.object[error.start : error.end]
    return found.decode("cp1252", "replace"), error.end


codecs.register_error(_WINDOWS, _as_windows)


_ESCAPED = re.compile(r"\\([\\, ])")
_TO_ESCAPE = re.compile(r"\\(?=[\\, ])|\\\Z|,|^ | \Z")
_PIECES = re.compile(r"((?:\\[\\, ]|[^,])*)(?:,|\Z)")


def split_names(text: str) -> list[str]:
    r"""Return the names in a comma-separated ``text``, in order and without repetitions.

    Spaces around a name count only as ``\ ``; a comma within a name is ``\,``, and a backslash before one of these
    is ``\\``.
    """
    pieces = (match[1] for match in _PIECES.finditer(text))
    names = (_ESCAPED.sub(r"\1", _stripped(piece)) for piece in pieces)
    return list(dict.fromkeys(filter(None, names)))


def join_names(names: Iterable[str]) -> str:
    """Return names as one text that ``split_names`` can read."""
    return ",".join(_TO_ESCAPE.sub(lambda match: f"\\{match[0]}", name) for name in names)


def _stripped(piece: str) -> str:
    """Return a piece without surrounding spaces, except for an escaped one at its end."""
    bare = piece.strip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return f"{bare} " if backslashes % 2 and piece.endswith(" ") else bare
