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

MOST_RECORDINGS = 50
"""Evaluations whose step records are searched for a cell, the newest ones."""

SEARCH_SECONDS = 10.0
"""Seconds after which a search returns what it has found so far."""


@dataclass(frozen=True)
class _Known:
    """What a run knows of a cell.

    Attributes:
        visits: The run's map.
        start: Where episodes begin that begin there; None if none can.
        why_not: Why none can, as sentences.
        is_certain: Whether the state of ``start`` is known to exist.
    """

    visits: VisitMap | None
    start: RecordedStart | ArchivedStart | None = None
    why_not: str | None = None
    is_certain: bool = True


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
            start=None
            if start is None
            else CellStart.model_validate({**start.model_dump(exclude={"cell"}), "is_certain": known.is_certain}),
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
        if (why := world.why_never_begins(cell)) is not None:
            return _Known(visits, why_not=why)
        was_visited = visits is not None and visits.visits[cell] > 0
        if visits is not None and not was_visited and (visits.path is None or cell not in visits.path.cells):
            return _Known(visits, why_not=_NEVER_VISITED)
        recorded = self._recorded(folder, cell)
        if recorded.first is not None:
            return _Known(visits, RecordedStart(**asdict(recorded.first)))
        if visits is not None and cell in visits.archive:
            return _archived(folder, visits, cell)
        keeps_states = config.exploration is not None and config.exploration.archive is not None
        return _Known(visits, why_not=_why_unknown(recorded, was_visited=was_visited, keeps_states=keeps_states))

    def _recorded(self, folder: RunFolder, cell: int) -> CellVisits:
        files = folder.evaluations
        paths = {name: files.steps_path(name) for name in files.ids()[::-1]}
        newest = {name: path for name, path in paths.items() if is_file(path, folder.path)}
        searched = dict(list(newest.items())[:MOST_RECORDINGS])
        with suppress(TooMuchToRead):
            found: CellVisits = self._confined.call(
                "rlviz.learning.records.confined_reading:find_cell", searched, folder.path, cell, SEARCH_SECONDS
            )
            return found
        return CellVisits(None, ends=False, is_cut=True)


def _archived(folder: RunFolder, visits: VisitMap, cell: int) -> _Known:
    """Return how an episode begins in a cell that the archive has now.

    The newest snapshot may be older than the map, and lack the cell.
    """
    snapshot = newest_usable_snapshot(folder)
    if snapshot is None:
        return _Known(visits, why_not=_NO_SNAPSHOT)
    after, by = _first_visit(visits, cell)
    step = snapshot.manifest.step
    if after is not None and step <= after:
        return _Known(
            visits,
            why_not=f"The archive has a state of this cell, but the newest snapshot, of step {step:,}, is older than "
            "that. Take a snapshot, or wait for the next one.",
        )
    start = ArchivedStart(snapshot=snapshot.name, cell=cell)
    return _Known(visits, start, is_certain=by is not None and by <= step)


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


_NO_SNAPSHOT = (
    "The archive has a state of this cell, but the run has no snapshot that can be used. Take a snapshot, or wait for "
    "the next one."
)
_NEVER_VISITED = "Training was never in this cell, so recorded episodes were not searched for it."


def _why_unknown(recorded: CellVisits, *, was_visited: bool, keeps_states: bool) -> str:
    """Return why no state is known of a cell that the archive lacks, and what helps."""
    if recorded.is_cut:
        seen = "Not all recorded episodes could be searched for this cell, since that takes too long or too much memory"
    elif recorded.ends:
        seen = "Each recorded episode that reached this cell ended there"
    elif was_visited:
        seen = "Training was in this cell, but no recorded episode was"
    else:
        seen = "No recorded episode was in this cell"
    if keeps_states:
        archive = ", and the archive has no state of it: episodes may end here."
        return f"{seen}{archive} An evaluation that passes through it makes it known."
    return (
        f"{seen}. An evaluation that passes through it makes it known; a run with the archive switched on keeps a "
        "state of each cell."
    )
