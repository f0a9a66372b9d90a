"""Fuzzing with more values for every parameter than in ``make test``."""

from __future__ import annotations

import pytest

from tests.real.test_api_fuzz import OPERATIONS, send_hostile_values
from tests.support.service_process import Service


@pytest.mark.parametrize(("method", "path"), OPERATIONS, ids=lambda value: value)
def test_no_value_of_any_parameter_breaks_the_service(service: Service, method: str, path: str) -> None:
    send_hostile_values(service, method, path, times=40)
