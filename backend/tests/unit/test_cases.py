"""The ``cases`` decorator, which runs many cases in one test."""

from __future__ import annotations

import pytest

from tests.support.cases import cases


def test_every_case_runs_and_failures_are_raised_together() -> None:
    ran = []

    @cases("number, word", [(1, "one"), (2, "two"), (3, "three")])
    def odd(number: int, word: str) -> None:
        ran.append(word)
        assert number % 2

    with pytest.raises(ExceptionGroup, match="1 of 3 cases failed") as caught:
        odd()
    assert ran == ["one", "two", "three"]
    assert caught.value.exceptions[0].__notes__ == ["Case: number=2, word='two'"]


def test_a_test_is_skipped_only_if_all_its_cases_are() -> None:
    @cases("number", [1, 2])
    def below(number: int, least: int) -> None:
        if number < least:
            pytest.skip("too small")

    below(least=2)
    with pytest.raises(pytest.skip.Exception):
        below(least=3)


@cases("number", [1, 2, 3], ids=["a", "b", "c"])
@cases("factor", [10, 100])
def test_decorators_stack_and_fixtures_are_passed(
    number: int, factor: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert number * factor in {10, 20, 30, 100, 200, 300}
    assert tmp_path_factory
