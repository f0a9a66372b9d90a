"""Format: how one kind of file has changed from version to version, and how an older one is brought up to date."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

KEY = "schema_version"

Document = Mapping[str, Any]


class UnknownVersion(ValueError):
    """What stands for the version of a document is no version."""


@dataclass(frozen=True)
class Migration:
    """One step, from a version to the next.

    ``step`` is pure: it returns a new document and leaves the given one as it is. Files were written between releases
    too, so it also takes a document that has the newer shape already, and changes nothing then.
    """

    says: str
    """What has changed, a sentence."""
    step: Callable[[Document], Document]
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Keys that are deprecated since, with what they are called now."""


@dataclass(frozen=True)
class Reading:
    """A document brought up to date, in memory. ``found``: the version that it was written in."""

    document: Document
    found: int
    applied: tuple[Migration, ...]
    is_newer: bool
    """Written by a newer version than this one: the document is as it was found."""


@dataclass(frozen=True)
class Format:
    """One kind of file. Version 1 is the first; each migration leads to the next."""

    name: str
    about: str
    """What holds it, for people."""
    migrations: tuple[Migration, ...] = ()

    @property
    def current(self) -> int:
        """The version that is written."""
        return 1 + len(self.migrations)

    def version_of(self, document: Document) -> int:
        """A document that carries no version is of the first. Raises UnknownVersion."""
        version = document.get(KEY, 1)
        if type(version) is not int or version < 1:
            raise UnknownVersion(f"{KEY} is {str(version)[:40]!r}, which is no version: versions are counted from 1.")
        return version

    def read(self, document: Document) -> Reading:
        """Bring ``document`` up to date. Raises UnknownVersion."""
        found = self.version_of(document)
        if found > self.current:
            return Reading(document, found, (), is_newer=True)
        steps = self.migrations[found - 1 :]
        for migration in steps:
            document = migration.step(document)
        return Reading({**document, KEY: self.current}, found, steps, is_newer=False)

    def newer(self, found: int) -> str:
        """What there is to say of a document of the newer version ``found``."""
        return f"It was written by a newer version of RL Gym Visualizer: schema {found}, this one knows {self.current}."
