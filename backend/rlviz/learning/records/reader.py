"""Reads the step records of an evaluation, column by column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.spaces import SpaceLayout
from rlviz.learning.records.about import METADATA, RecordsAbout
from rlviz.rundir.files import damage_error, open_file


@dataclass(frozen=True, eq=False)
class Column:
    """A column of n rows.

    ``numbers``: shape (n,), or (n, k) for a list; texts have type object. ``present``: shape (n,), False where the
    record has null; ``numbers`` is meaningless there.
    """

    numbers: NDArray[Any]
    present: NDArray[np.bool_]

    def __getitem__(self, rows: Any) -> Column:
        return Column(self.numbers[rows], self.present[rows])


class StepFile:
    """A file of step records, open within the block. Raises FileNotFoundError, or RunFolderError for other content."""

    def __init__(self, path: Path, folder: Path) -> None:
        """``folder`` is the run folder that contains ``path``."""
        self._arrow = _arrow()
        self._file = open_file(path, folder)
        try:
            self._parquet = self._arrow.parquet.ParquetFile(self._file)
            self.about = RecordsAbout.model_validate_json(self._parquet.metadata.metadata[METADATA])
        except (ValueError, KeyError, TypeError, OSError) as error:
            self._file.close()
            raise damage_error(path, folder, "It is not a complete file of step records.") from error
        self._schema = self._parquet.schema_arrow
        self.names: list[str] = list(self._schema.names)
        self.rows: int = self._parquet.metadata.num_rows

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def layout(self, name: str) -> SpaceLayout | None:
        """Return the layout of the space whose elements are in the column ``name``, or None for other columns."""
        return {"observation": self.about.observation.layout, "action": self.about.action.layout}.get(name)

    def is_number(self, name: str) -> bool:
        kind = self._schema.field(name).type
        return bool(self._arrow.types.is_floating(kind) or self._arrow.types.is_integer(kind))

    def is_flag(self, name: str) -> bool:
        return bool(self._arrow.types.is_boolean(self._schema.field(name).type))

    def is_list(self, name: str) -> bool:
        return bool(self._arrow.types.is_list(self._schema.field(name).type))

    def groups(self, episode: int | None = None) -> list[int]:
        """Return the row groups that may have records of ``episode``, or all if it is None."""
        metadata = self._parquet.metadata
        every = range(metadata.num_row_groups)
        if episode is None:
            return list(every)
        place = self.names.index("episode")
        spans = [metadata.row_group(group).column(place).statistics for group in every]
        return [group for group in every if (span := spans[group]) is None or span.min <= episode <= span.max]

    def read(self, names: list[str], groups: list[int]) -> dict[str, Column]:
        """Return the given columns of some row groups. Raises ValueError if the file is damaged there."""
        try:
            table = self._parquet.read_row_groups(groups, columns=names, use_threads=False)
        except OSError as error:
            raise ValueError(str(error)) from error
        return {name: self._column(name, table.column(name).combine_chunks()) for name in names}

    def table(self, group: int) -> Any:
        """Return a row group as a PyArrow table. Raises ValueError if the file is damaged there."""
        try:
            return self._parquet.read_row_group(group, use_threads=False)
        except OSError as error:
            raise ValueError(str(error)) from error

    @property
    def schema(self) -> Any:
        """The PyArrow schema of the file."""
        return self._schema

    def by_group(self, names: list[str]) -> Iterator[dict[str, Column]]:
        """Yield the file in one batch for each row group, so that only one is in memory."""
        for group in self.groups():
            yield self.read(names, [group])

    def _column(self, name: str, array: Any) -> Column:
        types = self._arrow.types
        if isinstance(array, self._arrow.ChunkedArray):  # a batch without rows
            array = self._arrow.array([], array.type)
        present = array.is_valid().to_numpy(zero_copy_only=False)
        if types.is_list(array.type):
            numbers = array.flatten().to_numpy(zero_copy_only=False)
            kept = int(present.sum())
            layout = self.layout(name)
            width = layout.numbers if layout is not None else len(numbers) // max(1, kept)
            whole = np.zeros((len(array), width), numbers.dtype)
            whole[present] = numbers.reshape(kept, width)
            return Column(whole, present)
        if types.is_fixed_size_binary(array.type):
            return Column(np.array([value and value.hex() for value in array.to_pylist()], dtype=object), present)
        if types.is_string(array.type):
            return Column(np.array(array.to_pylist(), dtype=object), present)
        if array.null_count:
            array = array.fill_null(False if types.is_boolean(array.type) else 0)
        return Column(array.to_numpy(zero_copy_only=False), present)


def _arrow() -> Any:
    """Return PyArrow, which is imported on first use so that the service starts without it."""
    import pyarrow
    import pyarrow.parquet

    return pyarrow
