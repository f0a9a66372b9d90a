"""All errors that RL Gym Visualizer raises on purpose, in one tree.

Each class carries the HTTP status of its response, so routers need no mapping. docs/api.md lists the errors by
status. ``Damage`` describes a file of a run folder that cannot be read, and how to fix it. ``validation_text`` turns
a pydantic error into a readable sentence.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import ConfigDict, Field, ValidationError
from pydantic_core import InitErrorDetails

from rlviz.domain.lazy_model import LazyModel


def error_at(problem: str, *at: str | int) -> ValidationError:
    """Return a validation error that points to one place inside the validated value.

    A plain ``ValueError`` would apply to the whole value.

    Args:
        problem: What is wrong, as a sentence.
        at: Path to the wrong part, relative to the validated value. Pydantic adds the path to that value in front.
    """
    details = InitErrorDetails(type="value_error", loc=at, input=None, ctx={"error": ValueError(problem)})
    return ValidationError.from_exception_data("", [details])


REPAIR = "Repair the run: readable parts are kept, and the damaged file is renamed beside them."
RESTORE_OR_DELETE = "It cannot be repaired: restore it from a copy, or delete the run."

DELETE_EXPERIMENT = "Restore it from a copy, or delete the experiment; its runs stay."

LOOK_ONLY = "You can view it; to continue it, install that version."


class Damage(LazyModel):
    """One problem with a file of a run folder, or a reason why the run cannot continue."""

    model_config = ConfigDict(frozen=True)

    file: str = Field(description="Path within the run folder; `.` is the folder itself.")
    line: int | None = Field(None, description="Line of the file, from 1; null: the whole file.")
    problem: str = Field(description="What is wrong, in one sentence.")
    remedy: str = Field(description="What you can do about it, in one sentence.")
    newer: bool = Field(
        default=False, description="The file is intact but a newer version wrote it, so the run is read-only."
    )

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{where}: {self.problem} {self.remedy}"


@dataclass(frozen=True)
class FieldError:
    """One invalid field of a request.

    Args:
        pointer: RFC 6901 JSON pointer into the request body, such as ``/seed``.
        detail: What is wrong, as a sentence.
        position: Index of the wrong character in the field's text, from 0; None if unknown.
    """

    pointer: str
    detail: str
    position: int | None = None


def pointer_to(*path: str | int) -> str:
    """Return the RFC 6901 JSON pointer to a value: ``("net_arch", 0)`` becomes ``/net_arch/0``."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def error_message(error: BaseException) -> str:
    """Return ``str(error)`` as text that every journal can store; empty if third-party code fails to format it."""
    try:
        message = str(error)
    except Exception:
        return ""
    return message.encode(errors="replace").decode()


def summarize_error(error: BaseException) -> str:
    """Return one line such as ``ValueError: not a zip file``: at most 300 characters, without a final period."""
    lines = error_message(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0].rstrip('.')[:300]}" if lines else type(error).__name__


class RlvizError(Exception):
    """Base of all errors; ``str(error)`` says what is wrong, what was expected and what to do."""

    status: ClassVar[int] = 500
    title: ClassVar[str] = "Internal error"


class InvalidRequest(RlvizError):
    status = 422
    title = "Invalid request"

    def __init__(self, detail: str, fields: Sequence[FieldError] = ()) -> None:
        super().__init__(detail)
        self.fields = tuple(fields)

    @classmethod
    def field(cls, pointer: str, detail: str) -> InvalidRequest:
        """Build the common case: exactly one invalid field."""
        return cls(detail, (FieldError(pointer, detail),))


class BundleRefused(InvalidRequest):
    title = "Bundle is damaged"


class ImportRefused(InvalidRequest):
    title = "Cannot be imported"


def install_command(extra: str) -> str:
    return f"pip install 'rlviz[{extra}]'"


class ExtraMissing(RlvizError):
    """An optional dependency is not installed."""

    status = 501
    title = "Not installed"

    def __init__(self, extra: str) -> None:
        super().__init__(f"This needs optional packages: {install_command(extra)}")


class SinkProblem(RlvizError):
    """A sink rejects a delivery. Nothing is lost: the service delivers it again later."""

    status = 503
    title = "Not delivered"


class UnknownName(InvalidRequest):
    title = "Unknown name"

    def __init__(self, kind: str, name: str, known: Iterable[str], pointer: str) -> None:
        known = sorted(known)
        nearest = difflib.get_close_matches(name.lower(), [k.lower() for k in known], 1, 0.4)
        match = next((k for k in known if nearest and k.lower() == nearest[0]), None)
        hint = f"Did you mean {match!r}? " if match else ""
        detail = f"Unknown {kind} {name[:80]!r}. {hint}Known: {', '.join(known)}."
        super().__init__(detail, (FieldError(pointer, detail),))
        self.nearest = match


class QueryRefused(InvalidRequest):
    title = "Query cannot be answered"

    def __init__(self, detail: str, position: int | None = None) -> None:
        super().__init__(detail, (FieldError("/sql", detail, position),))


class NotFound(RlvizError):
    status = 404
    title = "Not found"


class RunNotFound(NotFound):
    title = "Run not found"

    def __init__(self, run_id: str) -> None:
        super().__init__(f"There is no run {run_id[:80]!r}. GET /api/runs lists all runs.")


class EvaluationNotFound(NotFound):
    title = "Evaluation not found"


class ArtifactNotFound(NotFound):
    title = "Artifact not found"


class ExperimentNotFound(NotFound):
    title = "Experiment not found"

    def __init__(self, experiment_id: str) -> None:
        super().__init__(f"There is no experiment {experiment_id[:80]!r}.")


class HintNotFound(NotFound):
    title = "Hint not found"


class SearchNotFound(NotFound):
    title = "Search not found"


class PresetNotFound(NotFound):
    title = "Preset not found"

    def __init__(self, preset_id: str) -> None:
        super().__init__(f"You have no preset {preset_id[:80]!r}. GET /presets lists them.")


class CurveNotFound(NotFound):
    title = "Curve not found"

    def __init__(self, curve_id: str) -> None:
        super().__init__(
            f"There is no measured curve {curve_id[:80]!r}. GET /environments lists the curve of each preset."
        )


class SpecificationNotFound(NotFound):
    title = "Specification not found"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is no specification {name[:80]!r}. GET /environments lists that of each measured preset."
        )


class SessionNotFound(NotFound):
    title = "Session not found"


class GameNotFound(NotFound):
    title = "Game not found"

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no game {name[:80]!r} in the folder of ROMs. GET /api/games lists all games.")


class StepsNotFound(NotFound):
    title = "Step records not found"


class PicturesNotFound(NotFound):
    title = "Pictures not found"


class Conflict(RlvizError):
    status = 409
    title = "Conflict with the current state"


class ExperimentConflict(Conflict):
    """The experiment has ended, so it can neither be stopped nor resumed."""

    title = "Experiment is over"


class IllegalTransition(Conflict):
    title = "Illegal status transition"

    def __init__(self, source: str, target: str, hint: str = "") -> None:
        detail = f"A run that is '{source}' cannot become '{target}'."
        super().__init__(f"{detail} {hint}".rstrip())
        self.source, self.target = source, target


class RunIsActive(Conflict):
    title = "Run is active"


class NotControlled(Conflict):
    title = "Run is not controlled from here"


class NotTrusted(Conflict):
    """The run came from elsewhere and may contain code, which does not run before the user trusts it."""

    title = "Run is not trusted"

    def __init__(self, run_id: str) -> None:
        super().__init__(
            f"Run {run_id!r} was made elsewhere, and its files can run programs on this machine. You can view "
            f"it. If you trust its authors, run `rlviz trust {run_id}` or choose Trust on its page."
        )


class EnvironmentMissing(Conflict):
    """A file or package of a run's custom environment is not on this machine.

    Args:
        env_id: Environment of the run.
        entry_point: Class of the custom environment.
        missing: The missing file (ends in ``.py``) or package.
    """

    title = "Environment is missing"

    def __init__(self, env_id: str, entry_point: str, missing: str) -> None:
        is_file = missing.endswith(".py")
        what, remedy = ("file", "Put the file there") if is_file else ("package", "Install it")
        super().__init__(
            f"{env_id}, the environment of this run, is the custom class {entry_point}, but this machine has no {what} "
            f"{missing}. {remedy}, then try again. New runs load the class from RLVIZ_ENVIRONMENTS."
        )


class GameChanged(EnvironmentMissing):
    """The ROM or the start state of a run is missing, or another one."""

    title = "Game is not the one of the run"

    def __init__(self, problem: str) -> None:
        Conflict.__init__(self, problem)


class GameFileChanged(Conflict):
    """A ``game.toml`` is another one than the one that was edited, or saving it would lose something."""

    title = "Game file was not replaced"


class NothingToEvaluate(Conflict):
    title = "Nothing to evaluate yet"


class EvaluationInProgress(Conflict):
    title = "An evaluation is in progress"


class NothingToPlay(Conflict):
    title = "Nothing to play yet"


class NotTraining(Conflict):
    title = "Run is not training"


class NotQueued(Conflict):
    """The run does not wait, so it has no place in the queue."""

    title = "Run is not queued"


class NothingToResume(Conflict):
    title = "Nothing to resume from"


class NotSliceable(Conflict):
    title = "No value slice could be read"


class NoSaliency(Conflict):
    title = "No saliency map could be made"


class NoOtherFuture(Conflict):
    title = "No other future could be played"


class TooManySessions(Conflict):
    title = "Too many sessions"


class NewerVersion(Conflict):
    """A newer version wrote the document; this version would ignore unknown settings."""

    title = "Written by a newer version"


class SnapshotRefused(Conflict):
    title = "Training cannot continue from this snapshot"


class SnapshotDamaged(SnapshotRefused):
    title = "Snapshot is damaged"


class VerificationInProgress(Conflict):
    title = "A verification is in progress"


class SettingLocked(Conflict):
    """A flag, a variable or the .env file sets the value, and overrides what would be saved."""

    title = "Setting is set elsewhere"


class StorageRulesUnusable(Conflict):
    title = "Storage rules cannot be used"


class PruningInProgress(Conflict):
    title = "The rules are being applied"


class NotExportable(Conflict):
    title = "Cannot be exported in this format"


class TooMuchToRead(Conflict):
    """A file from elsewhere needs more memory or time than a reader may use."""

    title = "Too much to read"


class GameFileNotWritten(RlvizError):
    """A ``game.toml`` is a link or a folder, which are not replaced, or the folder of the game cannot be written to."""

    status = 503
    title = "Game file cannot be written"


class Unauthorized(RlvizError):
    status = 401
    title = "Unauthorized"


class Forbidden(RlvizError):
    status = 403
    title = "Forbidden"


class RequestTimeout(RlvizError):
    status = 408
    title = "Request timeout"


class TooManyLoginAttempts(RlvizError):
    status = 429
    title = "Too many wrong tokens"


class HeadTooLarge(RlvizError):
    status = 431
    title = "Request headers too large"


class NotEnoughDisk(RlvizError):
    status = 507
    title = "Not enough free disk"


class PayloadTooLarge(RlvizError):
    status = 413
    title = "Request body too large"


class EvaluationFailed(RlvizError):
    title = "Evaluation failed"


class CheckpointUnusable(EvaluationFailed):
    title = "Checkpoint cannot be used"


class EpisodeUnusable(EvaluationFailed):
    title = "Episode cannot be used"


class VideoNotWritten(EvaluationFailed):
    title = "Video was not written"


class EnvironmentFaulty(RlvizError):
    """A custom environment does something that prevents learning. The message addresses the author of its class."""

    title = "Environment cannot be used"


class RunFolderError(RlvizError):
    status = 409
    title = "Run is damaged"
    noun = "Run"

    def __init__(self, run_id: str, damage: Damage) -> None:
        super().__init__(f"{self.noun} {run_id[:80]!r} is damaged. {damage}")
        self.run_id, self.damage = run_id, damage

    def __reduce__(self) -> tuple[type[RunFolderError], tuple[str, Damage]]:
        """Pickle the constructor's arguments, because errors travel between processes."""
        return type(self), (self.run_id, self.damage)


class ExperimentFolderError(RunFolderError):
    """The folder of an experiment cannot be read; ``run_id`` is the experiment's id."""

    title = "Experiment is damaged"
    noun = "Experiment"


class ForeignRunFolder(RunFolderError):
    """The folder holds the configuration of another run: it was copied or renamed."""


class CatalogueUnusable(RlvizError):
    status = 503
    title = "Catalogue cannot be used"


class CatalogueDamaged(CatalogueUnusable):
    title = "Catalogue is damaged"


class AnalyticsUnusable(RlvizError):
    status = 503
    title = "Analytics cannot be used"


class AnalyticsBusy(AnalyticsUnusable):
    title = "Analytics is busy"


class RunsFolderInUse(RlvizError):
    """Another process uses the runs folder. ``pid`` is that process; 0 if unknown."""

    title = "Runs folder is in use"

    def __init__(self, detail: str, pid: int = 0) -> None:
        super().__init__(detail)
        self.pid = pid


class RunsFolderUnusable(RlvizError):
    title = "Runs folder cannot be used"


class LauncherError(RlvizError):
    title = "Worker could not be started"


_WORDS = {"extra_forbidden": "This key does not exist", "missing": "This value is required"}


def validation_text(item: Mapping[str, Any]) -> str:
    """Return a sentence for one item of ``ValidationError.errors()``, without a final period, like pydantic's own."""
    text: str = _WORDS.get(item["type"]) or item["msg"].removeprefix("Value error, ")
    return text
