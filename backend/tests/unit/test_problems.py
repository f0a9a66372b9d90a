"""Errors as problem+json. The tests of each endpoint check its responses."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import shutil
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.applications import Starlette
from starlette.requests import Request

from rlviz.domain.errors import ArtifactNotFound
from rlviz.server.problems import _field, _on_os_error
from rlviz.server.runs.routes import get_config
from tests.support.service import create, folder_of, service


def test_a_field_with_a_slash_or_a_tilde_is_escaped_as_in_rfc_6901() -> None:
    item = {"type": "extra_forbidden", "loc": ("body", "a/b~", 0), "msg": "Extra inputs are not permitted"}
    assert _field(item, {"a/b~": [1]}).pointer == "/a~1b~0/0"
    assert _field({**item, "loc": ("body",)}, {}).pointer == ""


@pytest.mark.parametrize(
    ("condition", "location", "pointer"),
    [
        ({"kind": "seconds", "seconds": 0}, ("when", "seconds", "seconds"), "/when/seconds"),
        ({"kind": "steps"}, ("when", "steps", "steps"), "/when/steps"),
        ({"kind": "full_moon"}, ("when",), "/when"),
        ("never", ("when", "kind"), "/when/kind"),
    ],
)
def test_the_model_chosen_for_an_object_is_not_part_of_the_pointer(
    condition: object, location: tuple[str, ...], pointer: str
) -> None:
    item = {"type": "greater_than", "loc": ("body", *location), "msg": "No"}
    assert _field(item, {"when": condition}).pointer == pointer


def test_a_missing_run_folder_is_reported_as_such(tmp_path: Path) -> None:
    with service(tmp_path) as app:
        run_id = create(app)
        shutil.rmtree(folder_of(app, run_id).path)
        with pytest.raises(ArtifactNotFound, match="folder"):
            get_config(run_id, app.runs, Request({"type": "http", "method": "GET", "headers": []}))
        with pytest.raises(ArtifactNotFound, match="folder"):
            app.runs.relabel(run_id, {"name": "Other"})
        assert app.runs.get(run_id).name != "Other"


@pytest.mark.parametrize(
    ("number", "status", "words"),
    [
        (errno.EROFS, 503, "Read-only file system"),
        (errno.EACCES, 503, "Permission denied"),
        (errno.EIO, 503, "can write to it"),
        (errno.ENOSPC, 507, "The disk is full"),
        (errno.EBADF, 500, "inside the service"),
    ],
)
def test_a_disk_error_is_reported_as_such(number: int, status: int, words: str) -> None:
    request = Request(
        {"type": "http", "method": "POST", "path": "/api/runs", "headers": [], "server": ("x", 1), "app": Starlette()}
    )
    answer = asyncio.run(cast(Any, _on_os_error(request, OSError(number, os.strerror(number), "/runs/.new"))))
    assert answer.status_code == status
    assert words in json.loads(answer.body)["detail"]
