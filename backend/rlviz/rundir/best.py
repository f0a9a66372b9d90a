"""The best policy's file: the policy and, within the same zip, its figures, so that they always belong together."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from pydantic import ValidationError

from rlviz.domain.errors import RunFolderError
from rlviz.domain.evaluation import BestPolicy

FIGURES = "best_policy.json"
"""The member that Stable-Baselines3 passes over."""


def with_figures(policy: bytes, best: BestPolicy) -> bytes:
    """A policy as the library saves it, with ``best`` added."""
    file = BytesIO(policy)
    with ZipFile(file, "a") as archive:
        archive.writestr(FIGURES, best.model_dump_json(indent=2))
    return file.getvalue()


def read_best(path: Path) -> BestPolicy | None:
    """What the policy file at ``path`` says of its policy; None without a file or a word. Raises RunFolderError."""
    beside = path.with_suffix(".json")  # where it was said at first
    try:
        with ZipFile(path) as archive:
            if FIGURES in archive.namelist():
                return BestPolicy.model_validate_json(archive.read(FIGURES))
        return BestPolicy.model_validate_json(beside.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, BadZipFile, ValidationError) as error:
        raise RunFolderError(f"{path} does not say how good its policy is: {error}") from error
