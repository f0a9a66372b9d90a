"""Puts the built pages into the wheel, from where `rlviz serve` hands them out without Node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INTO = "rlviz/pages"
"""Where `rlviz.settings` looks for them."""


class Pages(BuildHookInterface):
    """Adds the export of the front end to a wheel. An editable installation serves it from where it is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        export = Path(self.root).parent / "frontend" / "out"
        if not (export / "404.html").is_file():
            raise SystemExit(f"There are no built pages in {export} to put into the wheel. `make wheel` builds both.")
        build_data["force_include"][str(export)] = INTO
