"""Run one test with many cases, and report each case that fails.

``pytest.mark.parametrize`` makes a separate test of each case, which takes longer than most cases do. Use it where
cases are slow or need their own fixtures.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any

import pytest


def cases(
    names: str | Sequence[str], values: Iterable[Any], *, ids: Callable[[Any], object] | Iterable[object] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with each of ``values``, like ``pytest.mark.parametrize``, but as one test.

    Every case runs. Those that fail are raised together, each with a note that names it. All cases share the fixtures
    of the test, so these must be the same after a case as before it.

    Args:
        names: Parameters of the test, as a sequence or separated by commas.
        values: A value for each case, or with several names a sequence of values.
        ids: What a case is called in the report: a name for each case, or a function of a value.
    """
    parameters = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [(value,) if len(parameters) == 1 else tuple(value) for value in values]
    assert rows, f"no cases for {names}"
    called = None if ids is None or callable(ids) else [str(one) for one in ids]

    def label(place: int) -> str:
        if called is not None:
            return called[place]
        name = ids if callable(ids) else repr
        return ", ".join(f"{parameter}={name(value)}" for parameter, value in zip(parameters, rows[place], strict=True))

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @wraps(test)
        def every_case(**fixtures: Any) -> None:
            failed: list[Exception] = []
            skipped: list[BaseException] = []
            for place, row in enumerate(rows):
                try:
                    test(**fixtures, **dict(zip(parameters, row, strict=True)))
                except pytest.skip.Exception as skip:
                    skipped.append(skip)
                except pytest.fail.Exception as failure:
                    failed.append(_noted(AssertionError(str(failure)), label(place)))
                except Exception as error:
                    failed.append(_noted(error, label(place)))
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(rows)} cases failed", failed)
            if len(skipped) == len(rows):
                raise skipped[0]

        del every_case.__wrapped__  # pytest would take the parameters of the test for fixtures
        remaining = [one for name, one in signature.parameters.items() if name not in parameters]
        every_case.__signature__ = signature.replace(parameters=remaining)  # type: ignore[attr-defined]
        return every_case

    return decorate


def _noted(error: Exception, case: str) -> Exception:
    error.add_note(f"Case: {case[:400]}")
    return error
