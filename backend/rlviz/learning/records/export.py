"""Exports step records as NDJSON (a record per line), CSV (a number per cell) or Minari (a dataset).

A Minari dataset (https://minari.farama.org, version 0.5) is a zip archive of its folder, written in Minari's Parquet
format with PyArrow, so Minari is not needed. Observations are those of records 0 … n of an episode; actions, rewards
and ends those of records 1 … n.
"""

from __future__ import annotations

import csv
import io
import json
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from rlviz.domain.errors import NotExportable
from rlviz.domain.export_formats import StepsFormat
from rlviz.domain.plain_text import csv_text
from rlviz.domain.recording import PolicyReading, StepRecord
from rlviz.domain.spaces import SpaceLayout
from rlviz.learning.records.about import COMPONENT, METADATA, READING, Components
from rlviz.learning.records.query import Selection, cells
from rlviz.learning.records.reader import Column, StepFile

MINARI_VERSION = "0.5.4"
_COLUMNS = ["observation", "action", "reward", "terminated", "truncated"]
_PIECE = 1 << 18


def minari_archive(file: StepFile, episode: int | None = None) -> Iterator[bytes]:
    """Yield the archive in chunks, with only ``episode`` if given.

    Raises NotExportable if only hashes of the observations are stored.
    """
    if file.about.observation.layout.is_hashed:
        raise NotExportable(
            "A Minari dataset needs the agent's observations, but only hashes are stored for images. "
            "Export NDJSON, CSV or Parquet instead."
        )
    with tempfile.TemporaryFile() as archive:
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as folder:
            _write(file, folder, range(len(file.about.episodes)) if episode is None else [episode])
        archive.seek(0)
        while piece := archive.read(_PIECE):
            yield piece


def dataset_id(file: StepFile) -> str:
    """Return a Minari id: ``namespace/name-vN``."""
    return f"rlviz/{file.about.run_id}-{file.about.evaluation_id}-v0"


def _write(file: StepFile, folder: zipfile.ZipFile, chosen: Sequence[int]) -> None:
    """Write the dataset. Episodes are numbered from 0, as Minari requires."""
    arrow = _arrow()
    data = f"{dataset_id(file)}/data"
    steps, bytes_written, episodes = 0, 0, 0
    for place in chosen:
        number = episodes
        table = _table(arrow, file, number, _episode(file, place))
        if table is None:
            continue
        sink = arrow.BufferOutputStream()
        arrow.parquet.write_table(table, sink, row_group_size=max(1, table.num_rows))
        content = sink.getvalue().to_pybytes()
        folder.writestr(f"{data}/{number}/part-0.parquet", content)
        metadata = {"id": number, "total_steps": table.num_rows - 1, "seed": file.about.episodes[place].seed}
        folder.writestr(f"{data}/{number}/metadata.json", json.dumps(metadata))
        steps, bytes_written, episodes = steps + table.num_rows - 1, bytes_written + len(content), episodes + 1
    folder.writestr(
        f"{data}/metadata.json",
        json.dumps(
            {
                "dataset_id": dataset_id(file),
                "total_episodes": episodes,
                "total_steps": steps,
                "data_format": "parquet",
                "jpeg_encoding": False,
                "observation_space": json.dumps(_space(file.about.observation.layout)),
                "action_space": json.dumps(_space(file.about.action.layout)),
                "dataset_size": round(bytes_written / 1e6, 1),
                "minari_version": MINARI_VERSION,
                "algorithm_name": file.about.run_id,
                "description": f"{file.about.env_id}, played by RL Gym Visualizer.",
                "requirements": [f"{name}=={version}" for name, version in file.about.versions.items()],
            }
        ),
    )


def _episode(file: StepFile, number: int) -> dict[str, Column]:
    columns = file.read(["episode", *_COLUMNS], file.groups(number))
    mine = np.flatnonzero(columns["episode"].numbers == number)
    return {name: columns[name][mine] for name in _COLUMNS}


def _table(arrow: Any, file: StepFile, number: int, columns: dict[str, Column]) -> Any:
    """Return one row per observation; the action and reward of the last row are padding that Minari drops."""
    rows = len(columns["reward"].numbers)
    if rows < 2:  # the file was cut in its first step
        return None
    return arrow.table(
        {
            "episode_id": arrow.array(np.full(rows, number, np.int32)),
            "observations": _encoded(arrow, file.about.observation.layout, columns["observation"].numbers),
            "actions": _encoded(arrow, file.about.action.layout, _ahead(columns["action"].numbers)),
            "rewards": arrow.array(_ahead(columns["reward"].numbers)),
            "terminations": arrow.array(_ahead(columns["terminated"].numbers)),
            "truncations": arrow.array(_ahead(columns["truncated"].numbers)),
        }
    )


def _ahead(values: NDArray[Any]) -> NDArray[Any]:
    """Move values up by one row: from the record that they led to, to the record that they started from."""
    return np.concatenate([values[1:], np.zeros_like(values[:1])])


def _encoded(arrow: Any, layout: SpaceLayout, numbers: NDArray[Any]) -> Any:
    if layout.parts:
        arrays, start = [], 0
        for part in layout.parts:
            arrays.append(_encoded(arrow, part, numbers[:, start : start + part.numbers]))
            start += part.numbers
        names = [part.key or str(place) for place, part in enumerate(layout.parts)]
        return arrow.StructArray.from_arrays(arrays, names=names)
    values = np.ascontiguousarray(numbers, dtype=layout.dtype)
    if layout.kind == "Discrete":
        return arrow.array(values[:, 0])
    kind = arrow.list_(arrow.from_numpy_dtype(values.dtype), values.shape[1])
    return arrow.FixedSizeListArray.from_arrays(arrow.array(values.ravel()), type=kind)


def _space(layout: SpaceLayout) -> dict[str, Any]:
    """Return a space in Minari's JSON; infinite bounds are Infinity, as in Python's JSON."""
    shape = list(layout.shape)
    match layout.kind:
        case "Dict":
            return {"type": "Dict", "subspaces": {part.key: _space(part) for part in layout.parts}}
        case "Tuple":
            return {"type": "Tuple", "subspaces": [_space(part) for part in layout.parts]}
        case "Box":
            low, high = (np.reshape(bound or [], shape).tolist() for bound in (layout.low, layout.high))
            return {"type": "Box", "dtype": layout.dtype, "shape": shape, "low": low, "high": high}
        case "Discrete":
            return {
                "type": "Discrete",
                "dtype": "int64",
                "start": (layout.starts or [0])[0],
                "n": (layout.counts or [0])[0],
            }
        case "MultiDiscrete":
            counts, starts = (np.reshape(values or [], shape).tolist() for values in (layout.counts, layout.starts))
            return {"type": "MultiDiscrete", "dtype": layout.dtype, "nvec": counts, "start": starts}
        case "MultiBinary":
            return {"type": "MultiBinary", "n": shape[0] if len(shape) == 1 else shape}
    raise NotExportable(f"Minari has no {layout.kind} spaces. Export NDJSON, CSV or Parquet instead.")


def _arrow() -> Any:
    import pyarrow
    import pyarrow.parquet

    return pyarrow


def export(
    file: StepFile, kind: StepsFormat, *, episode: int | None = None, where: Sequence[str] = ()
) -> Iterator[bytes]:
    """Yield the records of ``episode``, or of all, for which the conditions ``where`` hold, in chunks.

    Needs the memory of one row group; for Minari, of one episode. Raises InvalidRequest, and NotExportable if the
    format cannot hold the records.
    """
    selection = Selection(file, episode, where)
    match kind:
        case StepsFormat.NDJSON:
            yield from _as_ndjson(file, selection)
        case StepsFormat.CSV:
            yield from _as_csv(file, selection)
        case StepsFormat.PARQUET:
            yield from _as_parquet(file, selection)
        case StepsFormat.MINARI:
            if selection.has_conditions:
                raise NotExportable(
                    "A Minari dataset has whole episodes. Leave the conditions out, or export NDJSON, CSV or Parquet."
                )
            yield from minari_archive(file, episode)


def _as_parquet(file: StepFile, selection: Selection) -> Iterator[bytes]:
    """Yield a Parquet file like the original, including its metadata."""
    arrow = _arrow()
    sink = _Pieces()
    with arrow.parquet.ParquetWriter(sink, file.schema, compression="zstd") as writer:
        writer.add_key_value_metadata({METADATA: file.about.model_dump_json().encode()})
        for group, rows, _ in selection.by_group([]):
            if len(rows):
                writer.write_table(file.table(group).take(arrow.array(rows)))
            yield sink.take_written()
    yield sink.take_written()


class _Pieces:
    """A file object that PyArrow writes to, and whose content is taken piece by piece."""

    closed = False

    def __init__(self) -> None:
        self._waiting: list[bytes] = []
        self._written = 0

    def write(self, content: Any) -> int:
        self._waiting.append(bytes(content))
        self._written += len(content)
        return len(content)

    def tell(self) -> int:
        return self._written

    def flush(self) -> None:
        """Do nothing: there is no buffer."""

    def take_written(self) -> bytes:
        taken, self._waiting = b"".join(self._waiting), []
        return taken


def _as_ndjson(file: StepFile, selection: Selection) -> Iterator[bytes]:
    """Yield lines with the fields of ``StepRecord``. Values that are not finite are null."""
    blank = StepRecord(episode=0, index=0).model_dump(mode="json")
    unread = PolicyReading().model_dump(mode="json", exclude={"places"}) | {"squashed": file.about.squashed}
    for _, _, columns in selection.by_group(file.names):
        values = {name: cells(file, name, column) for name, column in columns.items()}
        lines = []
        for row in zip(*values.values(), strict=True):
            found = dict(zip(values, row, strict=True))
            reading = {name.removeprefix(READING): found.pop(name) for name in values if name.startswith(READING)}
            parts = {name.removeprefix(COMPONENT): found.pop(name) for name in values if name.startswith(COMPONENT)}
            grouped = {"reading": unread | reading if reading else None}
            if parts and found["index"]:
                grouped["reward_components"] = parts
            lines.append(orjson.dumps(blank | found | grouped))
        yield b"\n".join([*lines, b""]) if lines else b""


def _as_csv(file: StepFile, selection: Selection) -> Iterator[bytes]:
    """Yield a header of names, with units in brackets, and a line for each record; null is an empty cell."""
    header: list[str] | None = None
    widths: dict[str, int] = {}
    for _, _, columns in selection.by_group(file.names):
        text = io.StringIO()
        writer = csv.writer(text)
        if header is None:  # readings may stop at some row, but they start at the first
            widths = {name: one.numbers.shape[1] if one.numbers.ndim > 1 else 0 for name, one in columns.items()}
            header = [cell for name in file.names for cell in _headings(file, name, widths[name])]
            writer.writerow(map(csv_text, header))
        cells_by_column = [
            _flat(columns[name].numbers.tolist(), columns[name].present, widths[name]) for name in file.names
        ]
        for row in zip(*cells_by_column, strict=True):
            writer.writerow([csv_text(cell) for part in row for cell in part])
        yield text.getvalue().encode()


def _headings(file: StepFile, name: str, width: int) -> list[str]:
    if not width:
        return [name]
    components = {"observation": file.about.observation, "action": file.about.action}.get(name)
    names = [_name_of(components, place) for place in range(width)]
    return [name] if width == 1 and names == ["0"] else [f"{name}.{part}" for part in names]


def _name_of(components: Components | None, place: int) -> str:
    """Return a name such as ``pole angle [rad]``, or the index if there is no name."""
    if components is None or components.layout.kind == "Discrete" or place >= len(components.labels):
        return str(place)
    unit = components.units[place] if place < len(components.units) else ""
    return f"{components.labels[place]} [{unit}]" if unit else components.labels[place]


def _flat(values: list[Any], present: Any, width: int) -> Iterator[list[Any]]:
    for value, there in zip(values, present.tolist(), strict=True):
        if not there:
            yield [None] * max(1, width)
        else:
            yield value if width else [value]
