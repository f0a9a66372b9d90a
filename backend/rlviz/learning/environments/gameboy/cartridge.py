"""Game Boy cartridges on disk, identified by their hash: the one that comes with the app, and ROMs of the user's.

Importing this does not import PyBoy.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from rlviz.domain.errors import EnvironmentFaulty
from rlviz.regular_file import NotRegular, read_regular

SMALLEST = 0x8000
"""Bytes of a cartridge without banks."""
LARGEST = 0x80_0000
"""Bytes of the largest cartridge."""


class Cartridge(Protocol):
    """What an emulator runs."""

    @property
    def rom(self) -> Path: ...

    @property
    def sha256(self) -> str: ...

    def read(self) -> bytes:
        """Return its bytes. Raises EnvironmentFaulty if it is missing, or another one than its hash says."""

    def addresses(self) -> dict[str, int]:
        """Return the address of each named variable."""


@dataclass(frozen=True)
class BuiltCartridge:
    """A cartridge of the app and its symbols: lines of ``bank:address name``, both hexadecimal."""

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


@dataclass(frozen=True)
class OwnCartridge:
    """A ROM of the user's."""

    rom: Path
    sha256: str

    def read(self) -> bytes:
        """Return its bytes. Raises EnvironmentFaulty if it is missing, or another one than its hash says."""
        content = read_rom(self.rom)
        check_same("ROM", self.rom, content, self.sha256)
        return content

    def addresses(self) -> dict[str, int]:
        return {}


def check_same(what: str, path: Path, content: bytes, sha256: str) -> None:
    """Raise EnvironmentFaulty if a file is not the one that a run was made with."""
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise EnvironmentFaulty(
            f"{path} is another {what} than this run was made with: its SHA-256 is {found[:12]}…, and {sha256[:12]}… "
            f"is expected. Put the {what} of the run back, or create a new run."
        )


def read_rom(path: Path) -> bytes:
    """Return the bytes of a ROM. Raises EnvironmentFaulty if it is missing, or no ROM of a Game Boy."""
    content = read_game_file("ROM", path)
    if len(content) < SMALLEST:
        raise EnvironmentFaulty(
            f"{path} is not a Game Boy ROM: it has {len(content):,} bytes, and the smallest has {SMALLEST:,}. Copy the "
            "game again."
        )
    if hashlib.sha256(content[0x104:0x134]).hexdigest() != _LOGO_SHA256:
        raise EnvironmentFaulty(
            f"{path} is not a Game Boy ROM: its header has no logo. Give the ROM itself, not an archive that contains "
            "it."
        )
    checksum = -sum(byte + 1 for byte in content[0x134:0x14D]) & 0xFF
    if checksum != content[0x14D]:
        raise EnvironmentFaulty(
            f"{path} is damaged: the checksum of its header is {content[0x14D]:02X}, and {checksum:02X} is expected. "
            "Copy the game again; a game that you have built is repaired by rgbfix -v or makebin -Z."
        )
    header = read_header(content)
    if len(content) < header.size:
        raise EnvironmentFaulty(
            f"{path} is cut off: its header says {header.size:,} bytes, and it has {len(content):,}. Copy the game "
            "again."
        )
    return content


def read_game_file(what: str, path: Path) -> bytes:
    """Return the bytes of a file that belongs to a game. Raises EnvironmentFaulty if it cannot be read."""
    try:
        return read_regular(path, LARGEST)
    except FileNotFoundError as error:
        raise EnvironmentFaulty(f"The {what} {path} is missing. Put the file there.") from error
    except NotRegular as error:
        raise EnvironmentFaulty(f"The {what} {path} cannot be used: {error.strerror}.") from error
    except OSError as error:
        raise EnvironmentFaulty(f"The {what} {path} cannot be read: {error.strerror}.") from error


class Header(NamedTuple):
    """What the header of a ROM says. ``size``: bytes of the ROM. ``has_battery``: its RAM outlives the game.
    ``has_clock``: it tells the time of day."""

    size: int
    has_battery: bool
    has_clock: bool


def read_header(content: bytes) -> Header:
    """Return the facts in the header of a ROM (https://gbdev.io/pandocs/The_Cartridge_Header.html)."""
    kind = content[0x147]
    return Header(SMALLEST << min(content[0x148], 8), kind in _WITH_BATTERY, kind in (0x0F, 0x10))


_LOGO_SHA256 = "daf4cabdc852baa0291849203f0b41fd0b4ecd58e0d7aff4a509f5de4d7f9a2e"
"""Of the 48 bytes that a Game Boy compares before it starts a cartridge."""

_WITH_BATTERY = frozenset({0x03, 0x06, 0x09, 0x0D, 0x0F, 0x10, 0x13, 0x1B, 0x1E, 0x22, 0xFC, 0xFF})
