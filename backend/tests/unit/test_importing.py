"""Imports with garbage collection disabled."""

import gc
from collections.abc import Iterator

import pytest

from rlviz.importing import without_collection


@pytest.fixture(autouse=True)
def unfrozen() -> Iterator[None]:
    yield
    gc.unfreeze()


def test_garbage_collection_is_off_during_an_import_and_its_objects_are_frozen() -> None:
    with without_collection():
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0


def test_garbage_collection_is_on_again_after_a_failed_import() -> None:
    with pytest.raises(ModuleNotFoundError), without_collection():
        raise ModuleNotFoundError("no such module")
    assert gc.isenabled()


def test_a_nested_block_leaves_garbage_collection_off() -> None:
    with without_collection():
        with without_collection():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
