"""``best_model.zip``: the best policy and its evaluation results in one file, so that they always belong together."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

from rlviz.domain.evaluation import BestPolicy
from rlviz.rundir.archives import open_archive, read_member
from rlviz.rundir.documents import parse_document, read_document
from rlviz.rundir.files import MAX_JSON_BYTES

FIGURES = "best_policy.json"
"""Name of the member with the results, which Stable-Baselines3 ignores."""


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
        with open_archive(path, folder, "It is not a policy as the app saves it.") as archive:
            if FIGURES in archive.namelist():
                return parse_document(read_member(archive, FIGURES, MAX_JSON_BYTES), BestPolicy, path, folder)
        return read_document(beside, BestPolicy, folder)
    except FileNotFoundError:
        return None
