"""The best policy's file: the policy and, within the same zip, its figures, so that they always belong together."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile
from zlib import error as ZlibError  # noqa: N812

from rlviz.domain.evaluation import BestPolicy
from rlviz.rundir.documents import parse_document, read_document
from rlviz.rundir.files import MAX_JSON_BYTES, damaged, open_file

FIGURES = "best_policy.json"
"""The member that Stable-Baselines3 passes over."""

_NO_ARCHIVE = (OSError, BadZipFile, ZlibError, EOFError, ValueError, RuntimeError, NotImplementedError)
"""What the standard library raises for an archive that is damaged, encrypted, or packed in a way it does not know."""


def with_figures(policy: bytes, best: BestPolicy) -> bytes:
    """A policy as the library saves it, with ``best`` added."""
    file = BytesIO(policy)
    with ZipFile(file, "a") as archive:
        archive.writestr(FIGURES, best.model_dump_json(indent=2))
    return file.getvalue()


def read_best(path: Path, folder: Path) -> BestPolicy | None:
    """What the policy file at ``path`` in the run folder ``folder`` says of its policy; None without a file or a word.

    Raises RunFolderError.
    """
    beside = path.with_suffix(".json")  # where it was said at first
    try:
        with open_file(path, folder) as file, ZipFile(file) as archive:
            if FIGURES in archive.namelist():
                return parse_document(_member(archive), BestPolicy, path, folder)
        return read_document(beside, BestPolicy, folder)
    except FileNotFoundError:
        return None
    except _NO_ARCHIVE as error:
        raise damaged(path, folder, f"It is not a policy as the app saves it ({error}).") from error


def _member(archive: ZipFile) -> bytes:
    with archive.open(FIGURES) as member:
        return member.read(MAX_JSON_BYTES)
