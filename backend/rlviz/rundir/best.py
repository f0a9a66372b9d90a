"""``best_model.zip``: the best policy and its evaluation results in one file, so that they always belong together."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile, ZipFile
from zlib import error as ZlibError  # noqa: N812

from rlviz.domain.evaluation import BestPolicy
from rlviz.rundir.documents import parse_document, read_document
from rlviz.rundir.files import MAX_JSON_BYTES, damaged, open_file

FIGURES = "best_policy.json"
"""Name of the member with the results, which Stable-Baselines3 ignores."""

_NO_ARCHIVE = (OSError, BadZipFile, ZlibError, EOFError, ValueError, RuntimeError, NotImplementedError)
"""What the standard library raises for an archive that is damaged, encrypted, or compressed in an unknown way."""


def with_figures(policy: bytes, best: BestPolicy) -> bytes:
    """A policy as the library saves it, with ``best`` added."""
    file = BytesIO(policy)
    with ZipFile(file, "a") as archive:
        archive.writestr(FIGURES, best.model_dump_json(indent=2))
    return file.getvalue()


def read_best(path: Path, folder: Path) -> BestPolicy | None:
    """The results in the policy file at ``path`` in the run folder ``folder``; None without a file or results.

    Raises RunFolderError.
    """
    beside = path.with_suffix(".json")  # the former place of the results
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
