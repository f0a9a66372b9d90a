"""Text from outside stays text: what a name, a note or a message of an error may hold, and where it must not act.

A bundle from elsewhere may name a run. A terminal, a spreadsheet, a paper and a chat show such a name as it is, and
obey nothing in it. HTML is escaped by what builds it.

Text that came from elsewhere as bytes, in an encoding that nobody has named.

Several names in one text, separated by commas. A name may have any characters in it.
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
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # but tabs and ends of lines
    "\u2028\u2029"  # ends of lines for some programs
    "\u200e\u200f\u202a-\u202e\u2066-\u2069"  # change the direction, so that text reads as another
    "\ud800-\udfff"  # bytes that were no text
    "]"
)
_FORMULA = ("=", "+", "-", "@", "\t", "\n")
_NOTHING = "\u200b"
"""A space without width, which parts what a chat would understand."""


def visible(text: str) -> str:
    r"""``text`` with control characters spelled out (``\x1b``), but for tabs and ends of lines."""
    return _CONTROLS.sub(_spelled, text)


def one_line(text: str) -> str:
    r"""The same on one line: tabs and ends of lines are spelled out, too."""
    return visible(text).replace("\n", r"\n").replace("\t", r"\t")


def json_text(value: Any, *, indent: int | None = None, ascii_only: bool = False) -> str:
    """JSON in which control characters are escaped. It reads as the same value."""
    return _CONTROLS.sub(_escaped, json.dumps(value, indent=indent, ensure_ascii=ascii_only))


def csv_text(value: Any) -> Any:
    """A cell of CSV: text that a spreadsheet would run as a formula begins with an apostrophe, and its lines end in one
    way, since not every writer puts quotes around the other.

    Numbers and other values stay as they are (OWASP, CSV injection).
    """
    if not isinstance(value, str):
        return value
    text = value.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if text.lstrip("'").startswith(_FORMULA) else text


def csv_original(cell: str) -> str:
    """What ``csv_text`` has made this cell of, but for the ends of its lines."""
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(_FORMULA) else cell


def chat_text(text: str) -> str:
    """For a message of a chat service: mentions, links and pictures in it are shown and not obeyed."""
    return re.sub(r"[@<]|\](?=\()", rf"\g<0>{_NOTHING}", visible(text))


def _spelled(found: re.Match[str]) -> str:
    number = ord(found[0])
    return rf"\x{number:02x}" if number < 0x100 else rf"\u{number:04x}"


def _escaped(found: re.Match[str]) -> str:
    return rf"\u{ord(found[0]):04x}"


_WINDOWS = "rlviz-windows-1252"


def decode(content: bytes) -> str:
    """Return bytes as text: UTF-8, and where they are none, Windows-1252, which has the letters of Latin-1 in the same
    places."""
    return content.decode("utf-8", _WINDOWS)


def typed_text(text: str) -> str:
    """Return an argument of the command line, or the name of a file, as text that has an encoding.

    Python keeps bytes that its own encoding does not know as halves of characters, which nothing can be written with.
    """
    return text if _is_encodable(text) else decode(os.fsencode(text))


def encodable(text: str) -> str:
    """Return ``text`` with its halves of characters escaped, as ``\\\\udce9``."""
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
    r"""Return the names in ``text`` without repetitions, in their order.

    Spaces around a name count only as ``\ ``; a comma within one is ``\,`` and a backslash before one of these ``\\``.
    """
    pieces = (match[1] for match in _PIECES.finditer(text))
    names = (_ESCAPED.sub(r"\1", _stripped(piece)) for piece in pieces)
    return list(dict.fromkeys(filter(None, names)))


def join_names(names: Iterable[str]) -> str:
    """Return names as ``split_names`` reads them."""
    return ",".join(_TO_ESCAPE.sub(lambda match: f"\\{match[0]}", name) for name in names)


def _stripped(piece: str) -> str:
    """Return a piece without spaces around it, but for an escaped one at its end."""
    bare = piece.strip(" ")
    backslashes = len(bare) - len(bare.rstrip("\\"))
    return f"{bare} " if backslashes % 2 and piece.endswith(" ") else bare
