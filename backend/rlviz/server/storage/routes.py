"""HTTP endpoints of disk use and storage rules."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query
from pydantic import ValidationError

from rlviz.domain.errors import InvalidRequest, PruningInProgress, StorageRulesUnusable, validation_text
from rlviz.domain.ids import utc
from rlviz.domain.storage_rules import StorageRules, StoredKind
from rlviz.rundir.usage import Usage
from rlviz.server.dependencies import provided
from rlviz.server.lanes import Lane
from rlviz.server.problems import documented
from rlviz.server.router import Router
from rlviz.server.storage.models import (
    PruneBody,
    Storage,
    StoragePruning,
    StorageRulesBody,
    StoredKindInfo,
    StoredRun,
)
from rlviz.server.storage.pruner import Pruning
from rlviz.server.storage.service import StorageService
from rlviz.settings import Settings

SettingsAccess = Annotated[Settings, Depends(provided(Settings))]
StorageAccess = Annotated[StorageService, Depends(provided(StorageService))]

router = Router(prefix="/storage", tag="storage", lane=Lane.READS)

DEFAULT_RUNS = 50
RunCount = Annotated[int, Query(ge=0, le=1_000, description="How many of the largest runs to list.")]


@router.get("")
def get_storage(storage: StorageAccess, settings: SettingsAccess, runs: RunCount = DEFAULT_RUNS) -> Storage:
    """Return disk use by the last measurement. If that is older than a minute, a new one starts in the background."""
    return _storage(storage, settings, runs)


@router.post("/measure", status_code=202)
def measure_storage(storage: StorageAccess, settings: SettingsAccess) -> Storage:
    """Start a measurement now."""
    storage.measure()
    return _storage(storage, settings, DEFAULT_RUNS)


@router.put("/rules", responses=documented(InvalidRequest))
def put_storage_rules(body: StorageRulesBody, storage: StorageAccess, settings: SettingsAccess) -> Storage:
    """Replace the rules and quotas. They are applied within the hour, or by `POST /storage/prune`."""
    try:
        rules = StorageRules(quotas=body.quotas, rules=tuple(body.rules))
    except ValidationError as error:
        raise InvalidRequest.field("/rules", validation_text(error.errors()[0])) from error
    storage.change(rules)
    return _storage(storage, settings, DEFAULT_RUNS)


@router.post("/prune", status_code=202, responses=documented(PruningInProgress, StorageRulesUnusable))
def prune_storage(body: PruneBody, storage: StorageAccess, settings: SettingsAccess) -> Storage:
    """Start to apply the rules, or to report what they would do. `pruning` of `GET /storage` has the progress."""
    storage.prune(dry_run=body.dry_run)
    return _storage(storage, settings, DEFAULT_RUNS)


def _storage(storage: StorageService, settings: Settings, runs: int) -> Storage:
    state = storage.get_state(runs)
    measured = state.measured
    usage = measured.usage if measured else Usage()
    kinds = [
        StoredKindInfo(
            kind=kind,
            words=kind.words,
            bytes=usage.kinds[kind],
            files=usage.files[kind],
            quota=state.rules.quotas.get(kind),
        )
        for kind in StoredKind
    ]
    return Storage(
        measured_at=utc(measured.at) if measured else None,
        measuring=state.is_measuring,
        measured_in_seconds=measured.seconds if measured else None,
        total_bytes=usage.total_bytes,
        free_bytes=state.free_bytes,
        disk_bytes=state.disk_bytes,
        max_bytes=settings.max_bytes,
        kinds=sorted(kinds, key=lambda one: -one.bytes),
        runs=[
            StoredRun(
                id=run_id,
                name=row.name if row else run_id,
                algo=row.algo if row else None,
                env_id=row.env_id if row else None,
                status=row.status if row else None,
                bytes=usage.runs[run_id].total(),
                kinds=dict(usage.runs[run_id].most_common()),
            )
            for run_id, row in state.largest
        ],
        run_count=len(usage.runs),
        warnings=state.warnings,
        rules=list(state.rules.rules),
        words=[rule.words for rule in state.rules.rules],
        rules_problem=state.rules_problem,
        trash_days=settings.trash_days,
        pruning=_pruning(state.pruning) if state.pruning else None,
        log=list(state.log),
    )


def _pruning(pruning: Pruning) -> StoragePruning:
    return StoragePruning(
        dry_run=pruning.dry_run,
        began_at=utc(pruning.began_at),
        ended_at=utc(pruning.ended_at) if pruning.ended_at is not None else None,
        done=pruning.done,
        bytes=pruning.bytes,
        actions=list(pruning.actions),
        error_message=pruning.error_message,
    )
