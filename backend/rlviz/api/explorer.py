"""A page at /api/docs to read and try the API. It loads nothing from other hosts."""

from pathlib import Path

from fastapi import APIRouter
from starlette.responses import FileResponse, Response

from rlviz.api.headers import EXPLORER, POLICY

router = APIRouter(include_in_schema=False)

_FOLDER = Path(__file__).parent / "static"


@router.get("/docs")
def explorer() -> Response:
    return FileResponse(_FOLDER / "explorer.html", headers={POLICY: EXPLORER})


@router.get("/docs/explorer.js")
def script() -> Response:
    return FileResponse(_FOLDER / "explorer.js")


@router.get("/docs/explorer.css")
def style() -> Response:
    return FileResponse(_FOLDER / "explorer.css")
