"""Answer errors as problem+json (RFC 9457), and document them in OpenAPI."""

from __future__ import annotations

import errno
import json
import logging
from collections.abc import Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import Field
from sqlalchemy.exc import DatabaseError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import Response

from rlviz.domain.disk_full import DISK_FULL, is_disk_full
from rlviz.domain.errors import InvalidRequest, RlvizError, pointer_to, validation_text
from rlviz.server.catalog.database import explain_error
from rlviz.server.supervisor.disk_guard import MAKE_ROOM, how_to_make_room
from rlviz.server.wire import Wire

log = logging.getLogger(__name__)


class ProblemField(Wire):
    pointer: str = Field(description="JSON pointer to the invalid field, such as /seed.")
    detail: str
    position: int | None = Field(
        None, description="Index of the character, from 0, at which its text is invalid; null: unknown."
    )


class Problem(Wire):
    """RFC 9457, sent as application/problem+json."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    errors: list[ProblemField] = Field(default=[])


MEDIA_TYPE = "application/problem+json"
PROBLEM = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
"""The content of an error, in OpenAPI."""

_KINDS = ("kind", "type", "do")
"""Discriminator fields: they say which kind an object is."""


def problem_response(problem: Problem, headers: dict[str, str] | None = None) -> Response:
    """Return the response for a problem. It is ASCII, since the detail may quote text that UTF-8 cannot encode."""
    content = {"type": problem.type, **problem.model_dump(exclude_defaults=True)}
    return Response(json.dumps(content), problem.status, headers, MEDIA_TYPE)


def documented(*errors: type[RlvizError]) -> dict[int | str, dict[str, Any]]:
    """Return the ``responses`` argument for an endpoint that may raise ``errors``."""
    found: dict[int | str, dict[str, Any]] = {}
    for error in errors:
        entry = found.setdefault(error.status, {"description": "", "content": PROBLEM})
        entry["description"] = "; ".join(filter(None, (entry["description"], error.title)))
    return found


def answer_with_problems(app: Starlette) -> None:
    """Register the exception handlers."""
    app.add_exception_handler(RlvizError, _on_rlviz_error)
    app.add_exception_handler(RequestValidationError, _on_validation_error)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(DatabaseError, _on_database_error)
    app.add_exception_handler(OSError, _on_os_error)
    app.add_exception_handler(Exception, _on_unexpected)


def as_problem(error: RlvizError) -> Problem:
    """Return the problem that describes an error."""
    fields = error.fields if isinstance(error, InvalidRequest) else ()
    return Problem(
        title=error.title,
        status=error.status,
        detail=str(error),
        errors=[ProblemField(pointer=one.pointer, detail=one.detail, position=one.position) for one in fields],
    )


async def _on_rlviz_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RlvizError)
    return problem_response(as_problem(error))


async def _on_validation_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    fields = [_field(item, error.body) for item in error.errors() if not _follows_from_others(item)]
    detail = "; ".join(f"{field.pointer or 'body'}: {field.detail}" for field in fields[:5])
    return problem_response(Problem(title="Invalid request", status=422, detail=detail, errors=fields))


def _follows_from_others(item: dict[str, Any]) -> bool:
    """Return whether a list is too short only because some items are invalid, which have errors of their own."""
    return item["type"] == "too_short" and bool(len(item["input"]) >= item["ctx"]["min_length"])


def _field(item: dict[str, Any], body: Any) -> ProblemField:
    if item["type"] == "json_invalid":
        reason = item.get("ctx", {}).get("error", "not JSON")
        return ProblemField(pointer="", detail=f"The body is not valid JSON ({reason}).")
    path = _path_within(body, item["loc"][1:]) if item["loc"][0] == "body" else item["loc"][1:]
    return ProblemField(pointer=pointer_to(*path), detail=validation_text(item))


def _path_within(body: Any, location: Sequence[str | int]) -> list[str | int]:
    """Return ``location`` without the kinds that pydantic inserts for discriminated unions; the body lacks them."""
    path: list[str | int] = []
    at, is_after_kind = body, False
    for key in location:
        if isinstance(at, dict) and not is_after_kind and key in [at.get(name) for name in _KINDS]:
            is_after_kind = True
            continue
        path.append(key)
        is_after_kind = False
        try:
            at = at[key]
        except (KeyError, IndexError, TypeError):
            at = None
    return path


async def _on_http_error(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if (
        error.status_code == HTTPStatus.BAD_REQUEST
    ):  # FastAPI's own error: JSON nested too deeply, a number that is too long, or not UTF-8
        return problem_response(as_problem(InvalidRequest.field("", "The body is not JSON that can be read.")))
    title = HTTPStatus(error.status_code).phrase
    problem = Problem(title=title, status=error.status_code, detail=str(error.detail))
    return problem_response(problem, dict(error.headers or {}))


async def _on_database_error(request: Request, error: Exception) -> Response:
    """Answer with the reason why the catalogue cannot be used: it is locked, full, read-only or damaged."""
    assert isinstance(error, DatabaseError)
    log.error("%s %s: %s", request.method, request.url.path, error.orig)
    return problem_response(as_problem(explain_error(Path("The catalogue"), str(error.orig))))


_UNUSABLE = (errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)
"""Errors of a disk that is read-only, belongs to another user, or fails."""


async def _on_os_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, OSError)
    if error.errno in _UNUSABLE:
        log.error("%s %s: %s", request.method, request.url.path, error)
        what = f"The runs folder cannot be used ({error.strerror})."
        detail = f"{what} Make sure that this user can write to it, then try again."
        return problem_response(Problem(title="Runs folder cannot be used", status=503, detail=detail))
    if not is_disk_full(error):
        return await _on_unexpected(request, error)
    log.error("%s %s: %s", request.method, request.url.path, error)
    application = getattr(request.app.state, "application", None)
    what = how_to_make_room(application.settings.runs_dir) if application is not None else MAKE_ROOM
    detail = f"{DISK_FULL}. {what} Then try again."
    return problem_response(Problem(title="Not enough free disk", status=507, detail=detail))


async def _on_unexpected(request: Request, error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    detail = "Something went wrong inside the service. Its log has the details."
    return problem_response(Problem(title="Internal error", status=500, detail=detail))
