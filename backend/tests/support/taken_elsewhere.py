"""Helpers of tests that move runs as bundles, exports and imports."""

from __future__ import annotations

from pathlib import Path


def there(tmp_path: Path) -> Path:
    """The runs folder to which runs are moved."""
    path = tmp_path / "there"
    path.mkdir(parents=True, exist_ok=True)
    return path


def files(root: Path) -> set[str]:
    """Return the files below a folder as relative paths."""
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
