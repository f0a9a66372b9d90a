"""Finds how a session can begin in a cell of a run's map, and describes the cell."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass

from rlviz.confined import Confined
from rlviz.domain.config import RunConfig
from rlviz.domain.errors import InvalidRequest, NothingToPlay, TooMuchToRead
from rlviz.domain.visits import VisitMap
from rlviz.learning.environments.cells import World
from rlviz.learning.environments.custom import find_environment
from rlviz.learning.records.confined_reading import CellVisits
from rlviz.learning.sessions.folder import ArchivedStart, RecordedStart
from rlviz.rundir.files import is_file
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import newest_usable_snapshot
from rlviz.server.metrics.service import read_visits, visit_frames
from rlviz.server.sessions.models import CellStart, MapCellDetails

_ENDS = ("H", "G")
"""Marks of cells in which episodes end."""

MOST_RECORDINGS = 50
"""Evaluations whose step records are searched for a cell, the newest ones."""


@dataclass(frozen=True)
class _Known:
    """What a run knows of a cell. ``start`` is None if no episode can begin there, and ``why_not`` says why."""

    visits: VisitMap | None
    start: RecordedStart | ArchivedStart | None
    why_not: str | None


class CellService:
    def __init__(self, confined: Confined) -> None:
        """``confined``: reads step records."""
        self._confined = confined

    def describe(self, folder: RunFolder, cell: int) -> MapCellDetails:
        """Describe a cell of the run's map.

        Raises InvalidRequest for an unknown cell or environment, and RunFolderError.
        """
        config = folder.read_config()
        world = _world_of(config, cell)
        known = self._find(folder, config, world, cell)
        visits, start = known.visits, known.start
        after, by = _first_visit(visits, cell)
        return MapCellDetails(
            run_id=folder.run_id,
            id=cell,
            x=cell % world.columns,
            y=cell // world.columns,
            room=world.room_of(cell),
            visits=visits.visits[cell] if visits is not None else 0,
            episodes=visits.episodes[cell] if visits is not None else 0,
            first_visit_after=after,
            first_visit_by=by,
            is_archived=visits is not None and cell in visits.archive,
            start=None if start is None else CellStart.model_validate(start.model_dump(exclude={"cell"})),
            why_no_start=known.why_not,
        )

    def find_start(self, folder: RunFolder, config: RunConfig, cell: int) -> RecordedStart | ArchivedStart:
        """Return where episodes begin that begin in ``cell``.

        Raises NothingToPlay if that is not known, InvalidRequest for an unknown cell, and RunFolderError.
        """
        known = self._find(folder, config, _world_of(config, cell), cell)
        if known.start is None:
            raise NothingToPlay(known.why_not or "")
        return known.start

    def _find(self, folder: RunFolder, config: RunConfig, world: World, cell: int) -> _Known:
        visits = read_visits(folder, world)
        recorded = self._recorded(folder, cell)
        if recorded.first is not None:
            return _Known(visits, RecordedStart(**asdict(recorded.first)), None)
        is_archived = visits is not None and cell in visits.archive
        if is_archived and (snapshot := newest_usable_snapshot(folder)) is not None:
            return _Known(visits, ArchivedStart(snapshot=snapshot.name, cell=cell), None)
        was_visited = visits is not None and visits.visits[cell] > 0
        keeps_states = config.exploration is not None and config.exploration.archive is not None
        ends = recorded.ends or world.marks[cell : cell + 1] in _ENDS
        why = _why_unknown(ends=ends, was_visited=was_visited, is_archived=is_archived, keeps_states=keeps_states)
        return _Known(visits, None, why)

    def _recorded(self, folder: RunFolder, cell: int) -> CellVisits:
        files = folder.evaluations
        paths = {name: files.steps_path(name) for name in files.ids()[::-1]}
        newest = {name: path for name, path in paths.items() if is_file(path, folder.path)}
        searched = dict(list(newest.items())[:MOST_RECORDINGS])
        with suppress(TooMuchToRead):
            found: CellVisits = self._confined.call(
                "rlviz.learning.records.confined_reading:find_cell", searched, folder.path, cell
            )
            return found
        return CellVisits(None, ends=False)


def _world_of(config: RunConfig, cell: int) -> World:
    """Return the world of a run's environment, which has ``cell``. Raises InvalidRequest."""
    environment = find_environment(config)
    if environment.world is None:
        raise InvalidRequest.field("/cell", f"{environment.id} has no cells.")
    if not 0 <= cell < environment.world.cells:
        raise InvalidRequest.field(
            "/cell", f"{environment.id} has {environment.world.cells:,} cells, from 0. There is no cell {cell}."
        )
    return environment.world


def _first_visit(visits: VisitMap | None, cell: int) -> tuple[int | None, int | None]:
    """Return the steps of the last map without a visit to ``cell`` and of the first one with it, if there are any."""
    if visits is None or not visits.visits[cell]:
        return None, None
    steps = [frame.step for frame in visit_frames(visits) if not frame.visits[cell]]
    by = min(frame.step for frame in visit_frames(visits) if frame.visits[cell])
    return max((step for step in steps if step < by), default=None), by


def _why_unknown(*, ends: bool, was_visited: bool, is_archived: bool, keeps_states: bool) -> str:
    if is_archived:
        return (
            "The archive has a state of this cell, but the run has no snapshot that can be used. Take a snapshot, or "
            "wait for the next one."
        )
    if ends:
        return "Episodes end in this cell, so none can begin here."
    if not was_visited:
        return "Neither training nor a recorded episode was in this cell, so no state of it is known."
    if keeps_states:
        return (
            "Training was in this cell, but no recorded episode was, and the archive has no state of it: episodes may "
            "end here. An evaluation that reaches it makes it known."
        )
    return (
        "Training was in this cell, but no recorded episode was. An evaluation that reaches it makes it known; a run "
        "with the archive switched on keeps a state of each cell."
    )
