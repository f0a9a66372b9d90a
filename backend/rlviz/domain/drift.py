"""Drift: where a file, or what is installed, differs from what this version expects."""

from enum import StrEnum

from pydantic import ConfigDict, Field

from rlviz.domain.lazy_model import LazyModel


class DriftKind(StrEnum):
    NEWER = "newer"
    """A newer version wrote it."""
    DEPRECATED = "deprecated"
    """A key has another name by now; it is read as that."""
    UNKNOWN = "unknown"
    """No version that is known has this key."""
    MISSING = "missing"
    """A key without which the file says too little."""
    DEFAULTED = "defaulted"
    """A key that is newer than the file, and has its default."""
    WRONG = "wrong"
    """A value of another type, or out of bounds."""
    PACKAGE = "package"
    """A package that trained the run has another version here."""


class Drift(LazyModel):
    """One difference."""

    model_config = ConfigDict(frozen=True)

    kind: DriftKind
    file: str
    key: str = Field(default="", description="JSON pointer, or the name of the package; empty: the file as a whole.")
    says: str = Field(description="A sentence.")

    @property
    def is_harmless(self) -> bool:
        """Whether the file is read as it was meant in spite of it."""
        return self.kind in (DriftKind.DEPRECATED, DriftKind.DEFAULTED, DriftKind.PACKAGE)
