"""The custom environment of ``docs/how-to-add/environment.md``, word for word."""

from __future__ import annotations

import re
from pathlib import Path

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "how-to-add" / "environment.md"


def write_custom_environment(path: Path) -> None:
    """Return the first Python block of the guide, the class ``Lights``."""
    example = re.search(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert example, f"{GUIDE} has no example"
    path.write_text(example.group(1))
