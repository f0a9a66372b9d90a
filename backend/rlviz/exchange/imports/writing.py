"""Writes a run that was found into the runs folder: whole, or not at all."""

from __future__ import annotations

from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path

from rlviz.domain.errors import ImportRefused
from rlviz.domain.event_lines import event_line
from rlviz.domain.events import FinishedData, StartedData, WarningData
from rlviz.domain.limits import LIMITS
from rlviz.exchange.imports.earlier import FIELD, digest_of
from rlviz.exchange.imports.found_run import FoundRun, Row
from rlviz.rundir.folder import Labels, RunFolder
from rlviz.rundir.foreign import MAX_SETTINGS, create_foreign, foreign_config
from rlviz.rundir.journal import JournalWriter

UNKNOWN_ALGO, UNKNOWN_ENV = "custom", "unknown"

TAG = "imported"
"""That such a run has at first, by which they are found in the list."""


def write_run(found: FoundRun, rows: list[Row], runs_dir: Path) -> RunFolder:
    """Make the folder of a foreign run that has ended. Its times are those of its finished ``rows``.

    Raises ImportRefused for what no run can hold, InvalidRequest for names that none can have, and OSError.
    """
    if len(found.settings) > MAX_SETTINGS:
        found.rows.warn(f"Of its {len(found.settings):,} settings the first {MAX_SETTINGS} are taken.")
    times = [row.time for row in rows if row.time is not None]
    began, ended = min(times), max(times)
    config = foreign_config(
        algo=_fitting(found.algo, UNKNOWN_ALGO),
        env_id=_fitting(found.env_id, UNKNOWN_ENV),
        name=_fitting(found.name, "imported"),
        now=datetime.fromtimestamp(began, UTC),
        seed=found.seed or 0,
        total_timesteps=found.total_timesteps,
        settings=dict(list(found.settings.items())[:MAX_SETTINGS]),
    ).model_copy(update={"imported_from": found.source, FIELD: digest_of(rows)})

    def fill(folder: RunFolder) -> None:
        folder.write_labels(Labels(name=config.name, tags=[TAG]))
        with ExitStack() as held:
            metrics = held.enter_context(closing(JournalWriter(folder.metrics_path)))
            for row in rows:
                metrics.append({"step": row.step, "values": row.values}, at=row.time)
            events = held.enter_context(closing(JournalWriter(folder.events_path)))
            events.append(event_line(0, StartedData(attempt=1)), at=began)
            for message in found.rows.warnings:
                events.append(event_line(rows[-1].step, WarningData(message=message)), at=ended)
            events.append(event_line(rows[-1].step, FinishedData(attempt=1)), at=ended)

    try:
        return create_foreign(runs_dir, config, fill)
    except ValueError as error:  # a row that is longer than a line of a journal
        raise ImportRefused(f"{found.name!r} cannot be written as a run: {error}") from error


def _fitting(name: str | None, otherwise: str) -> str:
    """What a run may be called: on one line, and not too long."""
    printable = "".join(character if character.isprintable() else " " for character in name or "")
    return printable.strip()[: LIMITS.run_name.maximum].strip() or otherwise
