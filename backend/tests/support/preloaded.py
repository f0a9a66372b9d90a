"""The imports of the process that ``forked_process`` forks: everything that a command or a service imports at its
start or first request. Only that process imports this module, as its last import.
"""

from __future__ import annotations

import gc
import tempfile
from contextlib import closing
from importlib import import_module
from pathlib import Path

from rlviz.cli.command_index import COMMANDS
from rlviz.server.catalog.database import Database

MODULES = (
    *("rlviz.server.serve", "rlviz.cli.main", "rlviz.server.application", "tests.support.template"),
    *sorted({f"rlviz.cli.commands.{entry.module}" for entry in COMMANDS.values()}),
    *("rlviz.cli.connection", "rlviz.cli.delivering", "rlviz.cli.attending", "rlviz.cli.files", "rlviz.cli.follow"),
    *("rlviz.server.catalog.migrations.run", "sqlalchemy.dialects.sqlite", "alembic.autogenerate"),
    *(
        "rlviz.learning.environments.atari",
        "rlviz.learning.environments.box2d",
        "rlviz.learning.environments.classic_control",
    ),
    *("rlviz.learning.environments.toy_text", "rlviz.learning.algorithms.ppo"),
    *("uvicorn.lifespan.on", "uvicorn.loops.uvloop", "uvicorn.protocols.websockets.websockets_sansio_impl"),
    *("httpx", "httpcore", "anyio._backends._asyncio", "encodings.idna", "rich.live", "rich.progress", "rich.table"),
)

for module in MODULES:
    import_module(module)

with tempfile.TemporaryDirectory() as folder, closing(Database(Path(folder) / "rlviz.db")) as database:
    database.migrate()  # the first time takes several times as long
tempfile.tempdir = None  # or forks would have the folder of this process, whatever their TMPDIR says

gc.collect()
gc.freeze()  # or the first collection of each fork would copy all of the memory that it shares
