"""Commands of the service: serve, rebuild, openapi."""

from __future__ import annotations

import logging
from typing import Annotated

import typer

from rlviz.cli.exits import Exit
from rlviz.cli.options import AsJson, examples, read_settings
from rlviz.cli.output import counted, note, print_json, progress, say, warn
from rlviz.importing import without_collection
from rlviz.log_format import log_as, log_at_least


def register(app: typer.Typer) -> None:
    app.command(epilog=examples("rlviz serve", "rlviz serve --port 8001", "rlviz --runs-dir /data/runs serve"))(serve)
    app.command(epilog=examples("rlviz rebuild"))(rebuild)
    app.command(epilog=examples("rlviz openapi > openapi.json"))(openapi)


def serve(
    context: typer.Context,
    host: Annotated[str | None, typer.Option(help="Address to listen on (RLVIZ_HOST).")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 for any free port (RLVIZ_PORT).")] = None,
) -> None:
    """Serve the app until interrupted."""
    if not context.find_root().params["quiet"]:
        log_at_least(logging.INFO)
    with without_collection():
        from rlviz.domain.lazy_model import lazily_built

        settings = read_settings(context, host=host, port=port)
        log_as(settings.log_format)

        with lazily_built():  # defers the models of an OpenAPI document, which FastAPI imports
            import fastapi  # noqa: F401
        from rlviz.server.application import Application
        from rlviz.server.serve import serve as run

        application = Application(settings)
    raise typer.Exit(run(application))


def rebuild(context: typer.Context, as_json: AsJson = False) -> None:
    """Rebuild the catalogue from the run folders. No service may be running."""
    from rlviz.server.application import Application

    application = Application(read_settings(context))
    try:
        with progress("Indexing run folders") as advance:
            result = application.rebuild(advance)
    finally:
        application.database.close()
    if as_json:
        unreadable = [str(problem) for problem in result.unreadable]
        found = {"runs": result.runs, "evaluations": result.evaluations}
        print_json({**found, "unreadable": unreadable, "newer": result.newer})
    else:
        say(f"Indexed {counted(result.runs, 'run')} and {counted(result.evaluations, 'evaluation')}.")
        for problem in result.newer:
            note(f"Read-only: {problem}")
        for problem in result.unreadable:
            warn(f"Skipped: {problem}")
    if result.unreadable:
        raise typer.Exit(Exit.FAILED)


def openapi() -> None:
    """Print the API's OpenAPI document."""
    import json

    from rlviz.server.app import create_api

    say(json.dumps(create_api().openapi(), indent=2))
