"""An environment as a user writes it: the one that ``docs/how-to-add/environment.md`` shows, word for word."""

from __future__ import annotations

import re
from pathlib import Path

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "how-to-add" / "environment.md"


def write_custom_environment(path: Path) -> None:
    """The first Python of the guide: a class named ``Lights``."""
    example = re.search(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    assert example, f"{GUIDE} has no example"
    path.write_text(example.group(1))
