"""What every model of the API is built on."""

from pydantic import BaseModel, ConfigDict


class Wire(BaseModel):
    model_config = ConfigDict(frozen=True)


class Body(BaseModel):
    """A request body: unknown fields are an error, not ignored."""

    model_config = ConfigDict(frozen=True, extra="forbid")
