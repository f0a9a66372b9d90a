"""Wording of validation errors."""

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from rlviz.domain.errors import validation_text


class Plan(BaseModel):
    model_config = ConfigDict(extra="forbid")

    steps: int
    name: str = ""

    @field_validator("name")
    @classmethod
    def _check(cls, name: str) -> str:
        if " " in name:
            raise ValueError("A name has no spaces")
        return name


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"steps": 1, "sed": 2}, "This key does not exist"),
        ({}, "This value is required"),
        ({"steps": 1, "name": "a b"}, "A name has no spaces"),
        ({"steps": 0.5}, "Input should be a valid integer, got a number with a fractional part"),
    ],
)
def test_validation_errors_are_readable_sentences(document: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Plan.model_validate(document)
    assert [validation_text(item) for item in refused.value.errors()] == [said]
