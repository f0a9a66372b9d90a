"""How ``config.json`` has changed."""

from __future__ import annotations

from rlviz.domain.versions.format import Document, Migration


def _name_custom_environments(document: Document) -> Document:
    if "own_environment" not in document:
        return document
    values = {key: value for key, value in document.items() if key != "own_environment"}
    return {"custom_environment": document["own_environment"], **values}


MIGRATIONS = (
    Migration(
        "`own_environment` is called `custom_environment`.",
        _name_custom_environments,
        {"own_environment": "custom_environment"},
    ),
)
