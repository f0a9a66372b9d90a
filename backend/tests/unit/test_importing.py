"""Imports without the collection of garbage."""

import gc
from collections.abc import Iterator

import pytest

from rlviz.importing import without_collection


@pytest.fixture(autouse=True)
def unfrozen() -> Iterator[None]:
    yield
    gc.unfreeze()


def test_nothing_is_collected_within_and_what_is_left_never_is() -> None:
    with without_collection():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0


def test_collection_is_on_again_after_an_import_that_fails() -> None:
    with pytest.raises(ModuleNotFoundError), without_collection():
        raise ModuleNotFoundError("no such module")
    assert gc.isenabled()


def test_one_within_another_leaves_it_off() -> None:
    with without_collection():
        with without_collection():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
