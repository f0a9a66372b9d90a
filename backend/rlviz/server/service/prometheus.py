"""``/metrics``: metrics of the service in Prometheus' text format.

Runs are only counted by status, because their names would be an unbounded number of labels. If a token is set, this
address needs it too.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping
from functools import partial

import psutil
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from rlviz import __version__
from rlviz.domain.storage_rules import StoredKind
from rlviz.server.application import Application
from rlviz.server.request_filter import RequestCounts

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


def prometheus_route(application: Application, counts: RequestCounts) -> Route:
    began = time.monotonic()

    def figures(_request: Request) -> PlainTextResponse:
        families = [*_of_process(time.monotonic() - began, counts), *_families(application)]
        return PlainTextResponse("".join(families), media_type=MEDIA_TYPE)

    return Route("/metrics", figures)


def _of_process(uptime: float, counts: RequestCounts) -> Iterator[str]:
    answered = {_labels(status=f"{digit}xx"): count for digit, count in counts.answered.items()}
    yield _family("uptime_seconds", "Seconds since the service started.", {"": int(uptime)})
    yield _family("memory_bytes", "Resident memory of the service's process.", {"": psutil.Process().memory_info().rss})
    yield _counter("requests_total", "HTTP requests that were answered, by status.", answered)
    yield _counter("errors_total", "HTTP requests that failed inside the service.", {"": counts.answered[5]})


def _families(app: Application) -> Iterator[str]:
    disk = shutil.disk_usage(app.settings.runs_dir)
    active, queued = app.runs.load()
    info = _labels(version=__version__, launcher=app.settings.launcher)
    by_status = {_labels(status=status): count for status, count in app.runs.status_counts().items()}
    yield _family("info", "The service, by version and launcher.", {info: 1})
    yield _family("runs", "Runs, by status.", by_status)
    yield _family("runs_active", "Runs that have a worker.", {"": active})
    yield _family("runs_queued", "Runs that wait for a slot.", {"": queued})
    yield _family("run_slots", "Runs that may train at the same time.", {"": app.supervisor.limit})
    workers = {_labels(does=what): count for what, count in app.supervisor.worker_counts().items()}
    yield _family("workers", "Live workers, by what they do.", workers)
    deliveries = {_labels(state=state): count for state, count in app.deliveries.counts().items()}
    yield _family("sink_deliveries", "Open deliveries of a run to a sink, by state.", deliveries)
    yield _family("streams", "Open event streams.", {"": app.broadcast.subscriptions})
    yield _family("sessions", "Active sessions.", {"": len(app.sessions.list())})
    yield _family("session_slots", "Maximum number of sessions at the same time.", {"": app.settings.max_sessions})
    yield _family("disk_free_bytes", "Free space on the disk of the runs folder.", {"": disk.free})
    yield _family("disk_size_bytes", "Size of the disk of the runs folder.", {"": disk.total})
    if (measured := app.meter.known) is not None:
        kinds = {_labels(kind=kind): measured.usage.kinds[kind] for kind in StoredKind}
        yield _family("storage_bytes", "Size of the runs folder by kind of file, as last measured.", kinds)


def _family(name: str, text: str, samples: Mapping[str, int], *, kind: str = "gauge") -> str:
    """Return the lines of one metric. ``samples``: values by formatted labels; an empty text for no labels."""
    lines = [f"# HELP rlviz_{name} {text}", f"# TYPE rlviz_{name} {kind}"]
    lines += [f"rlviz_{name}{f'{{{labels}}}' if labels else ''} {value}" for labels, value in samples.items()]
    return "\n".join(lines) + "\n"


def _labels(**values: str) -> str:
    """Return formatted labels with escaped values; see prometheus.io/docs/instrumenting/exposition_formats."""
    return ",".join(f'{name}="{str(value).translate(_LABEL_ESCAPES)}"' for name, value in values.items())


_LABEL_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})

_counter = partial(_family, kind="counter")
