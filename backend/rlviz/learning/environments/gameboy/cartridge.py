"""A Game Boy cartridge on disk, identified by its hash, with the addresses of its variables.

Importing this does not import PyBoy.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from rlviz.domain.errors import EnvironmentFaulty

SMALLEST = 0x8000
"""Bytes of a cartridge without banks."""


@dataclass(frozen=True)
class Cartridge:
    """A cartridge and its symbols: lines of ``bank:address name``, both hexadecimal."""

    rom: Path
    symbols: Path
    sha256: str

    def read(self) -> bytes:
        """Return its bytes. Raises EnvironmentFaulty if it is missing, or another one than its hash says."""
        try:
            content = self.rom.read_bytes()
        except OSError as error:
            raise EnvironmentFaulty(
                f"The cartridge {self.rom} cannot be read: {error.strerror}. Reinstall rlviz to restore it."
            ) from error
        if len(content) < SMALLEST:
            raise EnvironmentFaulty(
                f"{self.rom} is not a Game Boy cartridge: it has {len(content):,} bytes, and the smallest has "
                f"{SMALLEST:,}. Reinstall rlviz to restore it."
            )
        found = hashlib.sha256(content).hexdigest()
        if found != self.sha256:
            raise EnvironmentFaulty(
                f"{self.rom} is another cartridge: its SHA-256 is {found[:12]}…, and {self.sha256[:12]}… is expected. "
                "Reinstall rlviz to restore it."
            )
        return content

    def addresses(self) -> dict[str, int]:
        """Return the address of each named variable. Raises EnvironmentFaulty if the file is missing."""
        try:
            lines = self.symbols.read_text("utf-8").splitlines()
        except OSError as error:
            raise EnvironmentFaulty(
                f"The addresses {self.symbols} cannot be read: {error.strerror}. Reinstall rlviz to restore them."
            ) from error
        pairs = (line.split() for line in lines if line.strip() and not line.startswith(";"))
        return {name: int(address.partition(":")[2], 16) for address, name in pairs}
