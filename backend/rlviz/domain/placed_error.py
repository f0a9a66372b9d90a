"""What a validator raises that knows where in its value the problem is: ``ValueError`` says it of the whole value."""

from __future__ import annotations

from pydantic import ValidationError
from pydantic_core import InitErrorDetails


def placed_error(problem: str, *at: str | int) -> ValidationError:
    """``at``: the path to what is wrong, within what is validated. Pydantic puts the path to that before it."""
    details = InitErrorDetails(type="value_error", loc=at, input=None, ctx={"error": ValueError(problem)})
    return ValidationError.from_exception_data("", [details])
