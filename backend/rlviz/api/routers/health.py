"""Health: what is asked first, and again and again. It imports little, so that the service answers soon."""

import shutil
from dataclasses import asdict

from rlviz import __version__
from rlviz.api.dependencies import App
from rlviz.api.router import Router
from rlviz.api.schemas.service import Health, StorageProfileInfo, WebhookInfo
from rlviz.domain.recording import Detail
from rlviz.domain.storage_profile import DEFAULT_PROFILES, StorageProfile
from rlviz.environments.custom import families

router = Router(tag="service")


@router.get("/health")
def health(app: App) -> Health:
    """Whether the service is up, and how busy it is."""
    active, queued = app.runs.load()
    titles = families()
    return Health(
        version=__version__,
        launcher=app.settings.launcher,
        active_runs=active,
        queued_runs=queued,
        max_concurrent_runs=app.supervisor.limit,
        max_sessions=app.settings.max_sessions,
        free_disk_bytes=shutil.disk_usage(app.settings.runs_dir).free,
        storage_warnings=app.storage.warnings(),
        webhook=WebhookInfo(**asdict(webhook.state)) if (webhook := app.notifier.webhook) is not None else None,
        storage={family: _profile(titles[family], app.settings.storage_profile(family)) for family in DEFAULT_PROFILES},
    )


def _profile(title: str, profile: StorageProfile) -> StorageProfileInfo:
    keeps = {detail: profile.keeps(detail) for detail in Detail}
    return StorageProfileInfo(title=title, keeps=keeps, **profile.model_dump())
