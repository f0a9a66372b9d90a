"""ExchangeService: exports runs as files, and imports runs from files."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from rlviz.confined import Confined
from rlviz.domain.errors import ArtifactNotFound, Conflict, ImportRefused, TooMuchToRead
from rlviz.domain.export_formats import RunsFormat, TableFormat
from rlviz.exchange import export as tensorboard
from rlviz.exchange.bundle import write_bundle
from rlviz.exchange.export import metrics_table, write_runs, write_table, zip_folder
from rlviz.exchange.import_runs import ImportOptions, ImportOutcome
from rlviz.rundir.creation import DRAFTS
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.metric_rows import all_rows
from rlviz.server.catalog.models import RunRow
from rlviz.server.evaluations.videos import SideBySideVideos
from rlviz.server.runs.service import RunAdoptionService, RunService
from rlviz.server.supervisor.disk_guard import DiskGuard
from rlviz.settings import Settings

NAME_CHARACTERS = 60


@dataclass(frozen=True)
class Imported:
    """The result of an import.

    ``refused``: place and reason of each log that could not be imported. ``known``: place of each log that was imported
    before, and the run with the same curves. ``warnings``: by run id.
    """

    runs: list[RunRow]
    refused: list[tuple[str, str]]
    known: list[tuple[str, RunRow]]
    warnings: Mapping[str, Sequence[str]]


class ExchangeService:
    """Exports and imports runs. Temporary files lie in the drafts of the runs folder, which every start empties."""

    def __init__(
        self,
        settings: Settings,
        runs: RunService,
        adoption: RunAdoptionService,
        videos: SideBySideVideos,
        confined: Confined,
    ) -> None:
        """``confined``: the process that reads imported files."""
        self._settings, self._runs, self._adoption, self._videos = settings, runs, adoption, videos
        self._confined = confined
        self._disk = DiskGuard(settings)

    def bundle(self, run_id: str, *, policies: bool, snapshots: bool) -> BinaryIO:
        """Return a run as one file, open at its end. Closing the file deletes it.

        Raises RunNotFound, RunFolderError, NotEnoughDisk and OSError.
        """
        folder = self._folder(run_id)
        with self._packing() as file:
            write_bundle(folder, file, policies=policies, snapshots=snapshots)
        return file

    def event_files(self, run_id: str) -> BinaryIO:
        """Return a zip archive with a folder of TensorBoard event files, with every row of the journal.

        Raises the same errors as ``bundle``.
        """
        folder = self._folder(run_id)
        configuration = folder.read_config().model_dump_json(indent=1)
        with self._packing() as file, self._room() as room:
            tensorboard.write_event_files(all_rows(folder), configuration, room)
            zip_folder(room, run_id, file)
        return file

    def table(self, run_id: str, form: TableFormat) -> BinaryIO:
        """Return all rows of a run's metrics as a table. Raises the same errors as ``bundle``."""
        folder = self._folder(run_id)
        with self._packing() as file:
            write_table(metrics_table(folder), form, file)
        return file

    def archive_runs(self, run_ids: Sequence[str], form: RunsFormat, name: str) -> BinaryIO:
        """Return runs as one zip archive, with everything in the folder ``name``.

        Raises ArtifactNotFound if ``run_ids`` is empty, and the same errors as ``bundle``.
        """
        if not run_ids:
            raise ArtifactNotFound("There is no run to export yet.")
        folders = [self._folder(run_id) for run_id in run_ids]
        with self._packing() as file, self._room() as room:
            write_runs(folders, form, room)
            zip_folder(room, name, file)
        return file

    def side_by_side(self, first: str, second: str) -> BinaryIO:
        """Return one video of two runs or evaluations. Raises the same errors as ``SideBySideVideos.write``,
        NotEnoughDisk and OSError."""
        with self._packing() as file, self._room() as room:
            self._videos.write(first, second, room / "video.mp4")
            with (room / "video.mp4").open("rb") as video:
                shutil.copyfileobj(video, file)
        return file

    @contextmanager
    def upload(self, name: str) -> Iterator[Path]:
        """Yield a path for an uploaded file, with ``name`` as far as it is a valid file name. The file is removed at
        the end of the block.

        Raises NotEnoughDisk and OSError.
        """
        last = name.replace("\\", "/").rpartition("/")[2]
        plain = "".join(character for character in last if character.isprintable())[-NAME_CHARACTERS:].strip(". ")
        with self._room() as room:
            yield room / (plain or "upload")

    def import_file(self, path: Path, options: ImportOptions) -> Imported:
        """Import the runs at ``path`` and add them to the catalogue.

        Raises BundleRefused or ImportRefused if nothing can be imported, Conflict if a bundle's run already exists, and
        OSError.
        """
        try:
            outcome: ImportOutcome = self._confined.call(
                "rlviz.exchange.confined_import:import_file", path, self._settings.runs_dir, options
            )
        except FileExistsError as error:
            raise Conflict(str(error)) from error
        except TooMuchToRead as error:
            raise ImportRefused(f"{path.name} cannot be imported. {error}") from error
        runs = [self._adoption.adopt_run(folder.run_id) for folder in outcome.runs]
        known = [(place, self._adoption.adopt_run(run_id)) for place, run_id in outcome.known]
        return Imported(runs, outcome.refused, known, outcome.warnings)

    def _folder(self, run_id: str) -> RunFolder:
        folder = self._runs.folder(run_id)
        folder.check()
        return folder

    def _drafts(self) -> Path:
        self._disk.check()
        drafts = self._settings.runs_dir / DRAFTS
        drafts.mkdir(parents=True, exist_ok=True)
        return drafts

    @contextmanager
    def _packing(self) -> Iterator[BinaryIO]:
        """Yield a temporary file without a name. It is closed only if the block raises."""
        file = tempfile.TemporaryFile(dir=self._drafts())  # noqa: SIM115  (the response closes it)
        try:
            yield file
        except BaseException:
            file.close()
            raise

    @contextmanager
    def _room(self) -> Iterator[Path]:
        room = Path(tempfile.mkdtemp(prefix="exchange-", dir=self._drafts()))
        try:
            yield room
        finally:
            shutil.rmtree(room, ignore_errors=True)
