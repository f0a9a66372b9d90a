"""Pydantic models that are built on first use."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel
from sqlmodel import SQLModel

import rlviz.worker  # noqa: F401
from rlviz.domain.lazy_model import LazyModel, build_all, lazily_built
from rlviz.server.app import create_api
from rlviz.settings import Settings


class Inner(LazyModel):
    number: int


class Outer(LazyModel):
    inner: Inner


def _below(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for one in model.__subclasses__():
        yield one
        yield from _below(one)


def test_every_model_of_ours_is_built_on_first_use() -> None:
    create_api()
    ours = [one for one in _below(BaseModel) if one.__module__.startswith("rlviz.")]
    eager = [one for one in ours if not issubclass(one, LazyModel | SQLModel | Settings)]
    assert len(ours) > 300
    assert eager == []


def test_a_model_is_built_on_first_use_or_together_with_all_others() -> None:
    assert not Outer.__pydantic_complete__
    assert Outer.model_validate({"inner": {"number": 1}}).inner == Inner(number=1)
    assert Outer.__pydantic_complete__

    build_all()
    assert all(one.__pydantic_complete__ for one in _below(LazyModel))


def test_models_of_other_packages_are_built_on_first_use_if_imported_lazily() -> None:
    with lazily_built():

        class Late(BaseModel):
            number: int

    class Early(BaseModel):
        late: Late

    assert Early.__pydantic_complete__
    assert not Late.__pydantic_complete__
    assert Early(late=Late(number=1)).late.number == 1
    assert Late.__pydantic_complete__
