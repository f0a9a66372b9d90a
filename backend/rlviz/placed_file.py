"""Read TOML and YAML files with the line and column of every key, for error messages."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from rlviz.domain.errors import InvalidRequest, pointer_to
from rlviz.regular_file import NotRegular, read_regular

MAX_BYTES = 1 << 20
_MOST_PLACES = 100_000
_TOML_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")
_KEY = r"(?:\"[^\"\n]*\"|'[^'\n]*'|[A-Za-z0-9_-]+)"
_DOTTED = rf"{_KEY}(?:[ \t]*\.[ \t]*{_KEY})*"
_TOML_LINE = re.compile(
    rf"^[ \t]*(?:(?P<many>\[\[)[ \t]*(?P<element>{_DOTTED})|\[[ \t]*(?P<table>{_DOTTED})|(?P<name>{_DOTTED})[ \t]*=)",
    re.MULTILINE,
)

Place = tuple[int, int]
"""Line and column, from 1."""


@dataclass(frozen=True)
class PlacedFile:
    """The content of a file. ``places``: line and column of keys and elements by JSON pointer; within one line of TOML
    only that of the line's key."""

    path: Path
    values: dict[str, Any]
    places: dict[str, Place]
    text: str = ""

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")

    def find(self, pointer: str) -> Place:
        """Return line and column of ``pointer``, or of the innermost known key around it."""
        while pointer and pointer not in self.places:
            pointer = pointer.rpartition("/")[0]
        return self.places.get(pointer, (1, 1))

    def find_in(self, pointer: str, value: str, position: int) -> Place:
        """Return line and column of a character of the text ``value`` of ``pointer``, or those of its key if the text
        is not written out in its line."""
        line, column = self.places.get(pointer, (0, 1))
        written = self._lines[line - 1] if line else ""
        start = written.find(value, column - 1 + len(pointer.rpartition("/")[2]))
        if "\n" in value or start < 0:
            return self.find(pointer)
        return line, start + position + 1

    def place(self, pointer: str) -> str:
        """Return the place of ``pointer``, as ``find`` finds it, such as ``rlviz.toml:3:1``."""
        return self.name_place(self.find(pointer))

    def name_place(self, place: Place) -> str:
        """Return a place of this file as text, such as ``rlviz.toml:3:1``."""
        line, column = place
        return f"{self.path}:{line}:{column}"


def read_placed_file(path: Path, what: str) -> PlacedFile:
    """Read a file. ``what`` names its content in messages. Raises InvalidRequest with line and column of the error."""
    try:
        text = read_regular(path, MAX_BYTES).decode("utf-8-sig")
    except NotRegular as error:
        raise InvalidRequest(f"{path} is not a file of {what}: {error.strerror}.") from error
    except OSError as error:
        raise InvalidRequest(f"The file of {what} {path} cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise InvalidRequest(f"{path}:{line}:1: This is not UTF-8 text.") from error
    match path.suffix.lower():
        case ".toml":
            return parse_toml(path, text)
        case ".yaml" | ".yml":
            return _read_yaml(path, text, what)
    raise InvalidRequest(f"{path} must end in .toml, .yaml or .yml.")


def parse_toml(path: Path, text: str) -> PlacedFile:
    """Parse the text of a TOML file. Raises InvalidRequest with line and column of the error."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _TOML_PLACE.search(str(error))  # else it says "(at end of document)"
        end = (text.count("\n") + 1, len(text) - text.rfind("\n"))
        line, column = match.groups() if match else end
        raise InvalidRequest(f"{path}:{line}:{column}: {str(error).partition(' (at ')[0]}.") from error
    except RecursionError as error:
        raise InvalidRequest(f"{path}:1:1: It has too many lists or tables within each other.") from error
    except ValueError as error:
        raise InvalidRequest(f"{path}:1:1: It has a number with too many digits.") from error
    places: dict[str, Place] = {}
    line, line_start, counted = 1, 0, 0
    for pointer, start in _toml_pointers(text):  # in the order of the text
        line += text.count("\n", counted, start)
        line_start = max(line_start, text.rfind("\n", counted, start) + 1)
        counted = start
        places.setdefault(pointer, (line, start - line_start + 1))
    return PlacedFile(path, values, places, text)


def _toml_pointers(text: str) -> Iterator[tuple[str, int]]:
    """Yield the pointer and the position of each key at the start of a line."""
    elements: defaultdict[str, int] = defaultdict(int)
    table = ""

    def within(parent: str, dotted: str) -> str:
        """Return the pointer of a dotted key; a key in an array of tables belongs to its last element."""
        for key in re.findall(_KEY, dotted):
            parent += f"/{elements[parent] - 1}" if parent in elements else ""
            parent += pointer_to(key.strip("\"'"))
        return parent

    for found in _TOML_LINE.finditer(text):
        if (name := found["name"]) is not None:
            yield within(f"{table}/{elements[table] - 1}" if table in elements else table, name), found.start("name")
            continue
        table = within("", found["element"] or found["table"])
        if found["many"]:
            elements[table] += 1
            yield f"{table}/{elements[table] - 1}", found.start("element")
        yield table, found.start("element" if found["many"] else "table")


def _read_yaml(path: Path, text: str, what: str) -> PlacedFile:
    import yaml

    places: dict[str, Place] = {}
    try:
        node = yaml.compose(text, Loader=_yaml_loader())
        for pointer, mark in _yaml_pointers("", node):
            if pointer in places:
                raise InvalidRequest(
                    f"{path}:{mark.line + 1}:{mark.column + 1}: {pointer.rpartition('/')[2]} is defined twice."
                )
            places[pointer] = (mark.line + 1, mark.column + 1)
            if len(places) > _MOST_PLACES:
                raise InvalidRequest(f"{path} is not a file of {what}: it has more than {_MOST_PLACES} keys.")
        values = yaml.load(text, Loader=_yaml_loader())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
        raise InvalidRequest(f"{path}:{line}:{column}: {(error.problem or 'not YAML').capitalize()}.") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InvalidRequest(f"{path}:1:1: This is not valid YAML: {error}.") from error
    if values is None:
        return PlacedFile(path, {}, {})
    if not isinstance(values, dict):
        raise InvalidRequest(f"{path}:1:1: {what.capitalize()} must be written as `name: value`, one per line.")
    return PlacedFile(path, {str(name): value for name, value in values.items()}, places, text)


def _yaml_pointers(pointer: str, node: Any) -> Iterator[tuple[str, Any]]:
    """Yield the pointer of each key and element, and the mark where it starts."""
    if node is None or isinstance(node.value, str):
        return
    for place, item in enumerate(node.value):
        key, value = item if isinstance(item, tuple) else (None, item)
        inner = pointer + pointer_to(place if key is None else str(key.value))
        yield inner, (value if key is None else key).start_mark
        yield from _yaml_pointers(inner, value)


@cache
def _yaml_loader() -> Any:
    """Return PyYAML's safe loader, changed to read 1e-4 as a number, as in YAML 1.2."""
    import yaml

    loader: Any = type("Loader", (yaml.SafeLoader,), {})
    loader.add_implicit_resolver(
        "tag:yaml.org,2002:float", re.compile(r"^[-+]?\d+(\.\d*)?[eE][-+]?\d+$"), list("-+0123456789")
    )
    return loader
