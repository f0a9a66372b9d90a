"""Records as a Minari dataset (https://minari.farama.org, version 0.5): a zip archive that holds its folder.

Written with PyArrow in Minari's Parquet format, so Minari itself is not needed here. Observations are those of records
0 … n of an episode, actions, rewards and ends those of records 1 … n.
"""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlviz.domain.errors import NotExportable
from rlviz.domain.space_layout import SpaceLayout
from rlviz.records.reader import Column, StepFile

MINARI_VERSION = "0.5.4"
_COLUMNS = ["observation", "action", "reward", "terminated", "truncated"]
_PIECE = 1 << 18


def minari_archive(file: StepFile, episode: int | None = None) -> Iterator[bytes]:
    """The archive in chunks, of ``episode`` alone if that is given. Raises NotExportable if observations are stored as
    hashes alone."""
    if file.about.observation.layout.is_hashed:
        raise NotExportable(
            "A Minari dataset holds what the agent saw, and of pictures only hashes are kept. "
            "Export NDJSON, CSV or Parquet instead."
        )
    with tempfile.TemporaryFile() as archive:
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as folder:
            _write(file, folder, range(len(file.about.episodes)) if episode is None else [episode])
        archive.seek(0)
        while piece := archive.read(_PIECE):
            yield piece


def dataset_id(file: StepFile) -> str:
    """A Minari id: ``namespace/name-vN``."""
    return f"rlviz/{file.about.run_id}-{file.about.evaluation_id}-v0"


def _write(file: StepFile, folder: zipfile.ZipFile, chosen: Sequence[int]) -> None:
    """Episodes are counted anew, as Minari wants it."""
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
    """One row per observation; actions and rewards of the last one are padding that Minari drops."""
    rows = len(columns["reward"].numbers)
    if rows < 2:  # the file was cut within its first step
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
    """Values that led to each record, moved to the record that they started from: one row up."""
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
    """A space in Minari's JSON; infinite bounds are Infinity, as Python's JSON has it."""
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
