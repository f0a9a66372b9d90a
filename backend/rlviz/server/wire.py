"""Base classes of the API models."""

from __future__ import annotations

from pydantic import ConfigDict

from rlviz.domain.lazy_model import LazyModel


class Wire(LazyModel):
    model_config = ConfigDict(frozen=True)


class Body(LazyModel):
    """A request body: unknown fields are an error, not ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid")
