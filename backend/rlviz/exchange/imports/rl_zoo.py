"""Reads folders of the RL Baselines3 Zoo: ``args.yml``, ``config.yml``, ``evaluations.npz``. Nothing in them is
executed: of Python objects in YAML, only plain content is used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import yaml

from rlviz.domain.errors import ImportRefused
from rlviz.domain.metrics import EVAL_EP_LENGTH, EVAL_REWARD, EVAL_REWARD_STD
from rlviz.exchange.bundle import open_bounded_archive
from rlviz.exchange.imports.found_run import NO_STEP, FoundRun, apply_settings, to_step

ARGUMENTS, CONFIGURATION, EVALUATIONS = "args.yml", "config.yml", "evaluations.npz"

MOST_YAML_BYTES = 1 << 20
MOST_YAML_VALUES = 2_000
MOST_NPZ_BYTES = 100_000_000


def read_settings(folder: Path, found: FoundRun) -> None:
    """Read names and hyperparameters of one run. Raises ImportRefused and OSError."""
    if (folder / CONFIGURATION).is_file():
        found.settings.update(_mapping(folder / CONFIGURATION))
    if (folder / ARGUMENTS).is_file():
        arguments = _mapping(folder / ARGUMENTS)
        apply_settings({name: value for name, value in arguments.items() if not _is_unset(name, value)}, found)
    if found.total_timesteps is None:
        apply_settings({"n_timesteps": found.settings.get("n_timesteps")}, found)


def _is_unset(name: str, value: object) -> bool:
    """Whether an option was not set: the Zoo writes -1."""
    return name in ("n_timesteps", "seed") and value == -1


def _mapping(path: Path) -> dict[str, Any]:
    """Return a file's mapping, or the list of pairs that the Zoo writes for an ordered one."""
    if path.stat().st_size > MOST_YAML_BYTES:
        raise ImportRefused(f"{path.name} has more than {MOST_YAML_BYTES:,} bytes. The Zoo's have a few hundred.")
    pass  # not at the start of the service, which reads no YAML

    try:
        plain = _Bounded(path.name).plain(load_plain(path.read_bytes()))
    except (ValueError, TypeError, RecursionError) as error:
        said = " ".join(str(error).split())[:200]
        raise ImportRefused(f"{path.name} cannot be read as YAML: {said or type(error).__name__}.") from None
    if isinstance(plain, list) and len(plain) == 1:  # the argument of OrderedDict
        plain = plain[0]
    if isinstance(plain, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in plain):
        plain = {str(name): value for name, value in plain}
    if not isinstance(plain, dict):
        raise ImportRefused(f"{path.name} does not contain names and values like files of the Zoo.")
    return plain


class _Bounded:
    """Copies parsed YAML, and refuses values that grow beyond limits by references to themselves."""

    def __init__(self, name: str) -> None:
        self._name, self._left = name, MOST_YAML_VALUES

    def plain(self, value: Any, depth: int = 0) -> Any:
        """Return a plain copy. Raises ImportRefused."""
        self._left -= 1
        if self._left < 0 or depth > 20:
            raise ImportRefused(f"{self._name} has more than {MOST_YAML_VALUES:,} values, or refers to itself.")
        if isinstance(value, dict):
            return {str(name): self.plain(one, depth + 1) for name, one in value.items()}
        if isinstance(value, list | tuple | set):
            return [self.plain(one, depth + 1) for one in value]
        return value


def read_evaluations(path: Path, found: FoundRun) -> None:
    """Read means and spread of the evaluations saved by ``EvalCallback``. Raises ImportRefused and OSError."""
    if found.rows.has(EVAL_REWARD):
        return
    arrays = _arrays(path)
    steps, results, lengths = arrays["timesteps"], arrays["results"], arrays.get("ep_lengths")
    if steps.ndim != 1 or results.ndim != 2 or len(results) != len(steps) or not results.shape[1]:
        raise ImportRefused(f"{path.name} does not hold a row of returns for each of its timesteps.")
    if lengths is not None and lengths.shape != results.shape:
        raise ImportRefused(f"{path.name} does not hold a length for each of its returns.")
    with np.errstate(over="ignore", invalid="ignore"):  # the result is a gap
        columns = {EVAL_REWARD: results.mean(axis=1), EVAL_REWARD_STD: results.std(axis=1)}
        if lengths is not None:
            columns[EVAL_EP_LENGTH] = lengths.mean(axis=1)
    for index, value in enumerate(steps.tolist()):
        if (step := to_step(value)) is None:
            found.rows.leave_out(path.name, index + 1, NO_STEP, "evaluation")
            continue
        found.rows.add(step, None, {name: float(column[index]) for name, column in columns.items()})


def _arrays(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    def refusal(why: object) -> ImportRefused:
        said = " ".join(str(why).split())[:200]
        return ImportRefused(f"{path.name} cannot be read as arrays of numbers: {said}.")

    with open_bounded_archive(path, refusal) as archive:
        if sum(member.file_size for member in archive.infolist()) > MOST_NPZ_BYTES:
            raise ImportRefused(f"{path.name} would take more than {MOST_NPZ_BYTES:,} bytes.")
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in ("timesteps", "results", "ep_lengths") if name in file}
        except (ValueError, KeyError, SyntaxError, TypeError, OverflowError, MemoryError) as error:  # from its headers
            raise refusal(error) from None
    if missing := [name for name in ("timesteps", "results") if name not in arrays]:
        raise ImportRefused(f"{path.name} has no {', '.join(missing)}.")
    if any(array.dtype.kind not in "fiu" for array in arrays.values()):
        raise ImportRefused(f"{path.name} holds something other than numbers.")
    return arrays


_PYTHON = "tag:yaml.org,2002:python/"


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """A loader that looks up no name from the file."""


def _construct_plain(loader: _Loader, _suffix: str, node: yaml.Node) -> Any:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)


_Loader.add_multi_constructor(_PYTHON, _construct_plain)


def load_plain(content: bytes) -> Any:
    """Parse a document. Raises ValueError, TypeError or RecursionError if it is not YAML."""
    try:
        return yaml.load(content, Loader=_Loader)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
