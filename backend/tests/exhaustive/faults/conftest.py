"""Fixtures of fault tests."""

from tests.support.fault_fixtures import figures, no_worker_left_by_a_test, small_disk

__all__ = ["figures", "no_worker_left_by_a_test", "small_disk"]
