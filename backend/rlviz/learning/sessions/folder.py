"""The private folder of a session: its plan, the socket between worker and service, and the worker's log.

It is a temporary folder that only this user can read (mode 700), because a secret in a command line or an environment
variable is visible to others. The service imports this module, so it imports nothing heavy.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Annotated, BinaryIO, Literal

from pydantic import ConfigDict, Field, JsonValue

from rlviz.domain.config import Seed
from rlviz.domain.environment import CustomEnvironment
from rlviz.domain.errors import ArtifactNotFound, RunFolderError
from rlviz.domain.lazy_model import LazyModel
from rlviz.domain.sessions import SessionMode
from rlviz.rundir.files import open_to_append, read_small
from rlviz.rundir.process_identity import ProcessIdentity

PREFIX = "rlviz-session-"


class DescribedRom(LazyModel):
    """A ROM of the user's that is played to describe it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    sha256: str
    start_state: str | None = Field(
        None, description="File in the folder of the ROM to begin with, as `game.toml` names it; null: switch on."
    )


class RecordedStart(LazyModel):
    """A step of a recorded episode. It is reached by replaying the episode."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["episode"] = "episode"
    evaluation_id: str
    episode: int = Field(description="Its number in the evaluation, from 0.")
    index: int = Field(description="The step, from 0.")


class ArchivedStart(LazyModel):
    """The state of a cell in the archive of a snapshot."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["archive"] = "archive"
    snapshot: str
    cell: int


class SessionPlan(LazyModel):
    """What to play: a policy of a run in the run's environment, an environment without a policy, or a ROM."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mode: SessionMode
    env_id: str
    env_options: dict[str, JsonValue] = Field(default_factory=dict)
    custom_environment: CustomEnvironment | None = None
    rom: DescribedRom | None = None
    run_folder: Path | None = None
    policy: str | None = Field(
        None, description="File of the policy, relative to the run folder; null: always the newest."
    )
    ended_attempt: int | None = Field(
        None, description="The newest training attempt, if it has ended; null: it runs, or waits for its turn."
    )
    seed: Seed
    greedy: bool = True
    start: Annotated[RecordedStart | ArchivedStart, Field(discriminator="kind")] | None = Field(
        None, description="Where each episode begins; null: at the environment's own start."
    )
    secret: str = Field(description="Identifies the worker to the service.")
    service: str = Field(description="The process of the service. After it has ended, the folder can be removed.")


class SessionFolder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.socket_path = path / "socket"
        self.log_path = path / "worker.log"
        self._plan_path = path / "plan.json"

    @classmethod
    def create(cls, plan: SessionPlan) -> SessionFolder:
        """Create a new folder with ``plan``. Raises OSError."""
        folder = cls(Path(tempfile.mkdtemp(prefix=PREFIX)))
        folder._plan_path.write_text(plan.model_dump_json(), "utf-8")
        return folder

    def check(self) -> None:
        """Raise ArtifactNotFound if the folder is gone."""
        if not self.path.is_dir():
            raise ArtifactNotFound("The folder of the session is gone.")

    def read_plan(self) -> SessionPlan:
        return SessionPlan.model_validate_json(read_small(self._plan_path))

    def open_log(self) -> BinaryIO:
        return open_to_append(self.log_path)

    def log_tail(self, characters: int = 4_000) -> str:
        """Return the end of the worker's output."""
        try:
            return self.log_path.read_text("utf-8", "replace")[-characters:].strip()
        except OSError:
            return ""

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def remove_leftovers() -> None:
    """Remove the folders of sessions whose service was killed.

    A folder that cannot be read belongs to another user, or is being created.
    """
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        folder = SessionFolder(path)
        try:
            service = ProcessIdentity.parse(folder.read_plan().service)
        except (OSError, ValueError, RunFolderError):
            continue
        if service is None or not service.is_alive():
            folder.remove()
