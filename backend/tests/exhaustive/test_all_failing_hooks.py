"""Each hook, failing at every call, changes nothing about training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.real.test_failing_hooks import hooks, train_with_failing_watcher, undisturbed

__all__ = ["undisturbed"]


@pytest.mark.parametrize("name", hooks())
def test_a_hook_that_fails_at_every_call_does_not_change_training(
    tmp_path: Path,
    name: str,
    undisturbed: dict[str, Any],
) -> None:
    train_with_failing_watcher(tmp_path, name, undisturbed)
