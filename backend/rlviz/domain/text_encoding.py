"""Text that came from elsewhere as bytes, in an encoding that nobody has named."""

from __future__ import annotations

import codecs
import os

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
