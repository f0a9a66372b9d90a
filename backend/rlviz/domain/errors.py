"""Every error that RL Gym Visualizer raises on purpose.

Each carries the HTTP status that it is answered with, so that routers need no mapping of their own. docs/api.md lists
them by status.

What a validator raises that knows where in its value the problem is: ``ValueError`` says it of the whole
value.

A full disk: the error that it raises, and the words by which a cause tells of it.

Damage: what cannot be read in a run folder, and what can be done about it.

What a validation by pydantic found wrong, in words for people: the one place that words it.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import ConfigDict, Field, ValidationError
from pydantic_core import InitErrorDetails

from rlviz.domain.lazy_model import LazyModel


def placed_error(problem: str, *at: str | int) -> ValidationError:
    """``at``: the path to what is wrong, within what is validated. Pydantic puts the path to that before it."""
    details = InitErrorDetails(type="value_error", loc=at, input=None, ctx={"error": ValueError(problem)})
    return ValidationError.from_exception_data("", [details])


REPAIR = "Repair the run: what can be read is kept, and the damaged file is put beside it."
RESTORE_OR_DELETE = "Nothing can be made of it: put it back from a copy, or delete the run."

DELETE_EXPERIMENT = "Put it back from a copy, or delete the experiment: its runs stay."

LOOK_ONLY = "It can be looked at; to go on with it, install that version."


class Damage(LazyModel):
    """One thing that is wrong with a file of a run folder, or that keeps the run from going on."""

    model_config = ConfigDict(frozen=True)

    file: str = Field(description="Path within the run folder; `.` is the folder itself.")
    line: int | None = Field(None, description="Line of the file, from 1; null where the whole file is meant.")
    problem: str = Field(description="What is wrong with it; a sentence.")
    remedy: str = Field(description="What can be done about it; a sentence.")
    newer: bool = Field(
        default=False, description="Nothing is damaged: a newer version wrote it, and the run can only be looked at."
    )

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{where}: {self.problem} {self.remedy}"


@dataclass(frozen=True)
class FieldError:
    """One bad field: ``pointer`` is an RFC 6901 JSON pointer into the request body ("/seed"). ``position``: the
    character of its text, from 0, at which it is wrong; None where that is not known."""

    pointer: str
    detail: str
    position: int | None = None


def pointer_to(*path: str | int) -> str:
    """The RFC 6901 JSON pointer to a value: ``("net_arch", 0)`` is ``/net_arch/0``."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def message_of(error: BaseException) -> str:
    """``str(error)``; empty for an exception of someone else's that cannot be printed. Every journal can store it."""
    try:
        message = str(error)
    except Exception:
        return ""
    return message.encode(errors="replace").decode()


def brief(error: BaseException) -> str:
    """For instance ``ValueError: not a zip file``: the first line, at most 300 characters, without its full stop."""
    lines = message_of(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0].rstrip('.')[:300]}" if lines else type(error).__name__


class RlvizError(Exception):
    """Base of all errors; ``str(error)`` says what was wrong, what was expected and what to do."""

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
        """The common case of exactly one bad field."""
        return cls(detail, (FieldError(pointer, detail),))


class BundleRefused(InvalidRequest):
    title = "Not a sound bundle"


class ImportRefused(InvalidRequest):
    title = "Cannot be imported"


def install_command(extra: str) -> str:
    return f"pip install 'rlviz[{extra}]'"


class ExtraMissing(RlvizError):
    """An optional part of the product is not installed."""

    status = 501
    title = "Not installed"

    def __init__(self, extra: str) -> None:
        super().__init__(f"This needs more packages: {install_command(extra)}")


class SinkProblem(RlvizError):
    """A sink does not take what is delivered to it. Nothing is lost: it is delivered again later."""

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
        super().__init__(f"There is no run {run_id[:80]!r}. GET /api/runs lists the runs there are.")


class EvaluationNotFound(NotFound):
    title = "Evaluation not found"


class ArtifactNotFound(NotFound):
    title = "Artifact not found"


class ExperimentNotFound(NotFound):
    title = "Experiment not found"

    def __init__(self, experiment_id: str) -> None:
        super().__init__(f"There is no experiment {experiment_id[:80]!r}.")


class SearchNotFound(NotFound):
    title = "Search not found"


class PresetNotFound(NotFound):
    title = "Preset not found"

    def __init__(self, preset_id: str) -> None:
        super().__init__(f"There is no preset {preset_id[:80]!r} of your own. GET /presets lists them.")


class CurveNotFound(NotFound):
    title = "Curve not found"

    def __init__(self, curve_id: str) -> None:
        super().__init__(
            f"There is no measured curve {curve_id[:80]!r}. Presets in the answer of GET /environments name theirs."
        )


class SpecificationNotFound(NotFound):
    title = "Specification not found"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is no specification {name[:80]!r}. Measured presets in the answer of GET /environments name theirs."
        )


class SessionNotFound(NotFound):
    title = "Session not found"


class StepsNotFound(NotFound):
    title = "Step records not found"


class PicturesNotFound(NotFound):
    title = "Pictures not found"


class Conflict(RlvizError):
    status = 409
    title = "Conflict with the current state"


class ExperimentConflict(Conflict):
    """It is over, so that it cannot be stopped or go on."""

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
    """It came from elsewhere: what it holds may be code, which nothing runs before the user says so."""

    title = "Run is not trusted"

    def __init__(self, run_id: str) -> None:
        super().__init__(
            f"Run {run_id!r} was made elsewhere, and what it holds can run programs on this machine. You can look at "
            f"it. If you trust the people it comes from, say so with `rlviz trust {run_id}`, or with Trust on its page."
        )


class EnvironmentMissing(Conflict):
    """``entry_point``: the class of a run's own environment; ``missing``: its file or package, which is not here."""

    title = "Environment is missing"

    def __init__(self, env_id: str, entry_point: str, missing: str) -> None:
        is_file = missing.endswith(".py")
        what, remedy = ("file", "Put the file there") if is_file else ("package", "Install it")
        super().__init__(
            f"{env_id}, the environment of this run, is your own class {entry_point}, and this machine has no {what} "
            f"{missing}. {remedy}, then try again. New runs take the class from where RLVIZ_ENVIRONMENTS says."
        )


class NothingToEvaluate(Conflict):
    title = "Nothing to evaluate yet"


class EvaluationInProgress(Conflict):
    title = "An evaluation is in progress"


class NothingToPlay(Conflict):
    title = "Nothing to play yet"


class NotTraining(Conflict):
    title = "Run does not train"


class NothingToResume(Conflict):
    title = "Nothing to resume from"


class NotSliceable(Conflict):
    title = "No value slice could be read"


class NoSaliency(Conflict):
    title = "No saliency map could be made"


class TooManySessions(Conflict):
    title = "Too many sessions"


class NewerVersion(Conflict):
    """A newer version wrote it: what it says beyond what is known here could not be kept to."""

    title = "Written by a newer version"


class SnapshotRefused(Conflict):
    title = "Training cannot go on from this snapshot"


class SnapshotDamaged(SnapshotRefused):
    title = "Snapshot is damaged"


class VerificationInProgress(Conflict):
    title = "A verification is in progress"


class StorageRulesUnusable(Conflict):
    title = "Storage rules cannot be used"


class PruningInProgress(Conflict):
    title = "The rules are being applied"


class NotExportable(Conflict):
    title = "Cannot be exported so"


class TooMuchToRead(Conflict):
    """A file from elsewhere needs more memory or time to be read than it gets."""

    title = "Too much to read"


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
    """A custom environment did what nothing can be learned from. The message is for the author of its class."""

    title = "Environment cannot be used"


class RunFolderError(RlvizError):
    status = 409
    title = "Run is damaged"
    noun = "Run"

    def __init__(self, run_id: str, damage: Damage) -> None:
        super().__init__(f"{self.noun} {run_id[:80]!r} is damaged. {damage}")
        self.run_id, self.damage = run_id, damage

    def __reduce__(self) -> tuple[type[RunFolderError], tuple[str, Damage]]:
        """Pickled, as another process hands it over, by what it was made of and not by its message."""
        return type(self), (self.run_id, self.damage)


class ExperimentFolderError(RunFolderError):
    """The folder of an experiment cannot be read; ``run_id`` is the experiment's id."""

    title = "Experiment is damaged"
    noun = "Experiment"


class ForeignRunFolder(RunFolderError):
    """The configuration in the folder is another run's: somebody copied or renamed it."""


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
    """``pid``: the process that uses it; 0 if that is not known."""

    title = "Runs folder is in use"

    def __init__(self, detail: str, pid: int = 0) -> None:
        super().__init__(detail)
        self.pid = pid


class RunsFolderUnusable(RlvizError):
    title = "Runs folder cannot be used"


class LauncherError(RlvizError):
    title = "Worker could not be started"


_WORDS = {"extra_forbidden": "There is no such key", "missing": "It is needed, and has no default"}


def validation_text(item: Mapping[str, Any]) -> str:
    """``item`` is one of ``ValidationError.errors()``. The last sentence has no full stop, as those of pydantic."""
    text: str = _WORDS.get(item["type"]) or item["msg"].removeprefix("Value error, ")
    return text
