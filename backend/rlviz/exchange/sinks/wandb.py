"""WandbSink: sends a run to Weights & Biases or, without a login, to a local offline folder."""

from __future__ import annotations

import netrc
import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from rlviz.domain.errors import ExtraMissing, SinkProblem
from rlviz.domain.naming import WANDB
from rlviz.exchange.sinks.sink import PROJECT, DeliveryStart, Destination, Row, RunToDeliver

STEP = "global_step"
"""The x axis of charts. W&B's own step is the row's ``seq``, which identifies duplicate rows."""

STATUSES = {"completed": 0, "stopped": 0}
"""Exit status in W&B by status of the run; any other is 1: crashed."""

BEGIN_SECONDS = 60

LATE_SECONDS, LOOK_SECONDS = 5.0, 0.5
"""Seconds to wait until the server counts accepted rows, and between checks."""

MODES = {"online": True, "run": True, "shared": True, "offline": False, "dryrun": False, "disabled": False}
"""Values of WANDB_MODE, and whether data is sent then."""

USUAL_SERVER = "https://api.wandb.ai"


class WandbSink:
    """Sends a run to W&B.

    W&B uploads in the background and confirms only when a run is finished, so finishing confirms rows. A run that
    continues is reopened with the same id; only then does W&B report which rows it has. Because its client derives
    that from the summary, the sink also asks the server for the number of rows.
    """

    confirm_seconds = 120.0
    naming = WANDB

    @staticmethod
    def destination(runs_dir: Path) -> Destination:
        server = os.environ.get("WANDB_BASE_URL") or USUAL_SERVER
        if (mode := os.environ.get("WANDB_MODE")) is not None and mode not in MODES:
            return Destination(f"{server}, project {_project()}", _advice("mode", mode, f"one of {', '.join(MODES)}"))
        if is_logged_in(server):
            return Destination(f"{server}, project {_project()}")
        return Destination(
            f"an offline folder in {_files(runs_dir) / 'wandb'}",
            "You are not logged in. After “wandb login”, “rlviz sync” sends what is in the folder.",
        )

    def __init__(self, run: RunToDeliver, runs_dir: Path, own_folder: Path) -> None:
        os.environ.setdefault("WANDB_SILENT", "true")
        os.environ.setdefault("WANDB_ERROR_REPORTING", "false")
        try:
            import wandb
        except ImportError as error:
            raise ExtraMissing("wandb") from error
        self._wandb, self._run = wandb, run
        self._files = _files(runs_dir)
        self._open: Any = None
        self._sent = -1  # seq of the newest sent row
        self._count = 0  # rows on the server once everything has arrived
        try:
            settings = wandb.setup().settings
        except ValidationError as error:
            raise SinkProblem(_settings_advice(error)) from error
        self._offline = not is_logged_in(str(settings.base_url))

    def begin(self) -> DeliveryStart:
        if self._offline:
            for old in (self._files / "wandb").glob(f"offline-run-*-{self._run.id}"):
                shutil.rmtree(old)
        opened = self._opened()
        if self._offline:
            return DeliveryStart(self._run.id, str(Path(opened.dir).parent), from_seq=0, offline=True)
        before = self._run.rows_before(_next_seq(opened))
        self._count = self._lines(opened, before) if before else 0
        if self._count < before:
            self._finish(0)
            self._open = opened = self._init(None)
            self._count = 0
        return DeliveryStart(self._run.id, str(opened.url or ""), from_seq=_next_seq(opened))

    def send(self, rows: Sequence[Row]) -> None:
        opened = self._opened()
        for row in rows:
            opened.log({**row.values, STEP: row.step, "_timestamp": row.time}, step=row.seq)
            self._sent = row.seq
            self._count += 1

    def confirm(self) -> None:
        if self._open is None or self._offline:  # reopening a folder would start over
            return
        self._finish(0)
        opened = self._opened()
        if _next_seq(opened) <= self._sent or self._lines(opened, self._count) < self._count:
            raise SinkProblem("W&B accepted rows but does not have them. They are sent again.")

    def describe(self, run: RunToDeliver) -> None:
        opened = self._opened()
        opened.tags = [tag[:64] for tag in run.tags]
        opened.notes = run.notes
        opened.name = run.name
        opened.summary.update({f"rlviz/{name}": value for name, value in run.summary.items()})
        if run.video is not None:
            video = self._wandb.Artifact(f"video-{run.id}", type="video")
            video.add_file(str(run.video))
            logged = opened.log_artifact(video)
            if not self._offline:
                logged.wait()  # raises if the upload failed, which finishing the run does not report
        if run.has_ended or not self._offline:
            self._finish(STATUSES.get(run.status, 1) if run.has_ended else 0)

    def close(self) -> None:
        if self._open is not None and self._offline:
            self._finish(0)

    def _opened(self) -> Any:
        """Return the run, reopened if it was finished."""
        if self._open is None:
            self._open = self._init(None if self._offline else "allow")
        return self._open

    def _init(self, resume: str | None) -> Any:
        """Open the run. ``resume``: "allow" to continue an existing run with that id; None to replace it from the
        start."""
        run, wandb = self._run, self._wandb
        self._files.mkdir(parents=True, exist_ok=True)
        opened = wandb.init(
            project=_project(),
            id=run.id,
            name=run.name,
            group=run.group,
            config=dict(run.settings),
            notes=run.notes,
            dir=str(self._files),
            mode="offline" if self._offline else "online",
            resume=resume,
            settings=wandb.Settings(
                init_timeout=float(os.environ.get("WANDB_INIT_TIMEOUT") or BEGIN_SECONDS),
                console="off",
                disable_git=True,
                disable_code=True,
                x_disable_stats=True,
                x_disable_meta=True,
            ),
        )
        opened.define_metric(STEP)
        opened.define_metric("*", step_metric=STEP)
        return opened

    def _lines(self, opened: Any, expected: int) -> int:
        """Return how many rows the server has; if it does not say, the ``expected`` number."""
        deadline = time.monotonic() + LATE_SECONDS
        while True:
            try:
                asked = self._wandb.Api(overrides={"entity": opened.entity}).run(opened.path)
            except (self._wandb.errors.CommError, ValueError):
                return expected
            count = int(asked.historyLineCount or 0)
            if count >= expected or time.monotonic() > deadline:
                return count
            time.sleep(LOOK_SECONDS)

    def _finish(self, exit_status: int) -> None:
        opened, self._open = self._open, None
        opened.finish(exit_code=exit_status)


def _next_seq(opened: Any) -> int:
    """Return W&B's step of the next row. For a resumed run, ``step`` is 0 before anything is logged."""
    return max(int(opened.starting_step), int(opened.step))


def _files(runs_dir: Path) -> Path:
    return Path(os.environ.get("WANDB_DIR") or runs_dir)


def _project() -> str:
    return os.environ.get("WANDB_PROJECT") or PROJECT


def _settings_advice(error: ValidationError) -> str:
    """Return what to do about a setting that W&B rejects."""
    first = error.errors()[0]
    return _advice(str(first["loc"][0]) if first["loc"] else "…", first["input"], first["msg"])


def _advice(setting: str, value: object, wanted: str) -> str:
    variable = f"WANDB_{setting.upper()}"
    found = "set, but empty" if value == "" else f"{value!r}"
    return f"{variable} is {found}. W&B does not accept that: {wanted}. Set it to a valid value, or remove it."


def is_logged_in(base_url: str) -> bool:
    """Whether there is a key for W&B's server at ``base_url``, and offline mode is not requested."""
    if not MODES.get(os.environ.get("WANDB_MODE", "online"), False):
        return False
    if os.environ.get("WANDB_API_KEY"):
        return True
    try:
        keys = netrc.netrc(os.environ.get("NETRC") or None)
    except (OSError, netrc.NetrcParseError):
        return False
    return keys.authenticators(urlsplit(base_url).hostname or "") is not None
