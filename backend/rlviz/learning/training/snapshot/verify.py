"""Verifies a snapshot: restores it, captures the state again, and compares the two part by part.

The run is not changed: the parts that count are built in a temporary folder. ``first_difference`` compares values read
from pickles, such as arrays, generators, or the objects of an environment.
"""

from __future__ import annotations

import pickle
import tempfile
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import RlvizError, SnapshotDamaged, SnapshotRefused, summarize_error
from rlviz.domain.evaluation import VerificationStatus
from rlviz.domain.rules import RollBack, Rule
from rlviz.domain.snapshots import SnapshotVerification, Trigger, VerifiedPart
from rlviz.learning.environments.make import make_environment
from rlviz.learning.environments.state import read_state
from rlviz.learning.exploration.bonuses import exploration_of
from rlviz.learning.exploration.imitation import make_imitation
from rlviz.learning.training.builder import build_model
from rlviz.learning.training.callback import EpisodePlayer, JournalOutput, PeriodicEvaluation, RunCallback, RunLogger
from rlviz.learning.training.checkpoint import Checkpoints
from rlviz.learning.training.components import collect_counters
from rlviz.learning.training.journals import RunJournals
from rlviz.learning.training.knobs import Knobs
from rlviz.learning.training.rules import Firing
from rlviz.learning.training.snapshot.capture import Captured, Contents, Counter, capture, read_archive
from rlviz.learning.training.snapshot.replay import find_replay_difference
from rlviz.learning.training.snapshot.restore import restore
from rlviz.learning.training.steering import Steering
from rlviz.learning.training.weighting import weighting_of
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import write_snapshot_verification

_IDENTITIES = (type, FunctionType, BuiltinFunctionType, ModuleType)
"""Objects pickled by name, so that there is only one of each."""

SHOWN = 60
"""Characters shown of a value."""


def first_difference(was: Any, now: Any) -> str | None:
    """Return the path of the first difference to the last bit, with both values there, or None."""
    return next(_differences(was, now, "", set()), None)


def _differences(was: Any, now: Any, path: str, seen: set[tuple[int, int]]) -> Iterator[str]:
    if was is now or (id(was), id(now)) in seen:
        return
    if type(was) is not type(now):
        yield _said(path, type(was).__name__, type(now).__name__)
    elif isinstance(was, torch.Tensor):
        yield from _differences(was.detach().numpy(), now.detach().numpy(), path, seen)
    elif isinstance(was, np.ndarray):
        yield from _of_arrays(was, now, path, seen)
    elif isinstance(was, float | np.generic):
        if np.asarray(was).tobytes() != np.asarray(now).tobytes():  # bytes tell 0.0 from -0.0, and NaN equals NaN
            yield _said(path, was, now)
    elif was is None or isinstance(was, bool | int | complex | str | bytes | bytearray | set | frozenset | range):
        if was != now:
            yield _said(path, was, now)
    elif isinstance(was, _IDENTITIES):
        yield _said(path, was, now)
    else:
        seen.add((id(was), id(now)))  # an environment may contain itself
        yield from _of_containers(was, now, path, seen)


def _of_arrays(was: np.ndarray[Any, Any], now: np.ndarray[Any, Any], path: str, seen: set[tuple[int, int]]) -> Any:
    if (was.shape, was.dtype) != (now.shape, now.dtype):
        yield _said(path, f"{was.dtype} {was.shape}", f"{now.dtype} {now.shape}")
    elif was.dtype.hasobject:
        yield from _of_items(enumerate(was.flat), list(now.flat), path, seen)
    elif was.tobytes() != now.tobytes():
        for place in np.ndindex(was.shape):
            if was[place].tobytes() != now[place].tobytes():
                where = "".join(f"[{index}]" for index in place)
                yield _said(f"{path}{where}", was[place], now[place])
                return


def _of_containers(was: Any, now: Any, path: str, seen: set[tuple[int, int]]) -> Iterator[str]:
    if isinstance(was, dict):
        if was.keys() != now.keys():
            yield _said(path, f"has {_names(was.keys() - now.keys())}", f"has {_names(now.keys() - was.keys())}")
        else:
            yield from _of_items(was.items(), now, path, seen)
    elif isinstance(was, list | tuple):
        if len(was) != len(now):
            yield _said(path, f"{len(was)} values", f"{len(now)} values")
        else:
            yield from _of_items(enumerate(was), now, path, seen)
    else:
        yield from _of_objects(was, now, path, seen)


def _of_objects(was: Any, now: Any, path: str, seen: set[tuple[int, int]]) -> Iterator[str]:
    """Compare objects by what pickle would store of them."""
    for one, other in zip(_kept(was), _kept(now), strict=True):
        yield from _differences(one, other, path, seen)


def _kept(value: Any) -> list[Any]:
    """Return the constructor's arguments, the state, the items of a list, and the pairs of a dictionary."""
    kept = value.__reduce_ex__(4)
    if isinstance(kept, str):  # a name in its module
        return [kept, None, None, None]
    _, arguments, state, items, pairs = (*kept, None, None, None)[:5]
    return [arguments, state, items and list(items), pairs and list(pairs)]


def _of_items(was: Iterable[tuple[Any, Any]], now: Any, path: str, seen: set[tuple[int, int]]) -> Iterator[str]:
    for key, value in was:
        step = f".{key}" if isinstance(key, str) and key.isidentifier() else f"[{key!r}]"
        yield from _differences(value, now[key], f"{path}{step}", seen)


def _names(keys: Iterable[Any]) -> str:
    return ", ".join(sorted(map(str, keys))) or "nothing else"


def _said(path: str, was: Any, now: Any) -> str:
    return f"{path.removeprefix('.') or 'all of it'}: {str(was)[:SHOWN]} in the file, {str(now)[:SHOWN]} restored"


def verify_snapshot(folder: RunFolder, name: str) -> SnapshotVerification:
    """Verify a snapshot and write the result, also when it is refused or fails."""
    try:
        found = _verify(folder, name)
    except SnapshotRefused as error:
        found = _refused(folder, name, error)
    except Exception as error:
        traceback.print_exc()
        cause = (
            str(error)
            if isinstance(error, RlvizError)
            else f"{summarize_error(error)}; the traceback is in worker.log."
        )
        found = SnapshotVerification(status=VerificationStatus.FAILED, cause=cause)
    write_snapshot_verification(folder, name, found)
    return found


def _refused(folder: RunFolder, name: str, error: SnapshotRefused) -> SnapshotVerification:
    """Return the result for a refused snapshot. It is whole if its file can be read."""
    try:
        read_archive(folder, name)
        whole = not isinstance(error, SnapshotDamaged)
    except RlvizError:
        whole = False
    return SnapshotVerification(
        status=VerificationStatus.COMPLETED, whole=whole, exact=False, reasons=[str(error)], cause=str(error)
    )


def _verify(folder: RunFolder, name: str) -> SnapshotVerification:
    contents, config = read_archive(folder, name), folder.read_config()
    manifest = contents.manifest
    if manifest.run_id != folder.run_id:
        raise SnapshotRefused(f"Snapshot {name} belongs to run {manifest.run_id[:80]}, the parent of this one.")
    with ExitStack() as stack:
        model = build_model(config)
        stack.callback(_close, model)
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rlviz-verify-")))
        continuation = restore(model, config, folder, name)
        counters = _counters(stack, RunFolder(scratch, folder.run_id), model, config, contents)
        continuation.restore_counters(counters)
        model._setup_learn(1, callback=None, reset_num_timesteps=False)  # as at the start of the library's learn
        continuation.settle(model, continuation.point)
        again = capture(
            model, counters, continuation.make_tape(), point=continuation.point, last_row=continuation.last_row
        )
        parts = _compare(contents, again)
        if (replay := contents.state["replay"]) is not None:
            parts["replay"] = parts["replay"] or find_replay_difference(
                model, folder, replay, continuation.replay_pieces
            )
    unable = [manifest.not_exact_because or "It was not captured exactly."] if not manifest.exact else []
    reasons = list(dict.fromkeys([*unable, *continuation.not_exact_because]))
    found = [VerifiedPart(name=part, identical=how is None, first_difference=how) for part, how in parts.items()]
    return SnapshotVerification(
        status=VerificationStatus.COMPLETED,
        whole=True,
        identical=all(part.identical for part in found),
        parts=found,
        first_difference=next((f"{part}: {how}" for part, how in parts.items() if how is not None), None),
        exact=not reasons and all(part.identical for part in found),
        reasons=reasons,
    )


def _compare(contents: Contents, captured: Captured) -> dict[str, str | None]:
    """Return the first difference of each part, or None."""
    was, now = (
        _parts(state, tensors)
        for state, tensors in (
            (contents.state, contents.tensors),
            (pickle.loads(captured.state), captured.tensors),
        )
    )
    return {name: first_difference(part, now[name]) for name, part in was.items()}


def _parts(state: Mapping[str, Any], tensors: Mapping[str, Any]) -> dict[str, Any]:
    """Split the state into parts, without clock times and without optimizer settings, which the configuration has."""
    model = {key: value for key, value in state["model"].items() if key != "elapsed_ns"}
    counters = {name: dict(counter) for name, counter in state["counters"].items()}
    counters.get("steering", {}).pop("seconds", None)
    optimizers, weights = {}, {}
    for name, values in tensors["states"].items():
        if "param_groups" in values:
            groups = [group["params"] for group in values["param_groups"]]
            optimizers[name] = {"state": values["state"], "params": groups}
        else:
            weights[name] = dict(values)
    replay = {} if state["replay"] is None else {"replay": state["replay"]}
    environments = state["environments"]
    each = [read_state(one) if one is not None else None for one in environments["each"]]
    return {
        "model": {**model, "weights": weights, "variables": tensors["variables"]},
        "optimizers": optimizers,
        "generators": state["generators"],
        "environments": {**environments, "each": each},
        **replay,
        "counters": counters,
    }


def _counters(
    stack: ExitStack, scratch: RunFolder, model: BaseAlgorithm, config: RunConfig, contents: Contents
) -> dict[str, Counter]:
    """Build the counters that the snapshot has, as the trainer builds them."""
    scratch.path.mkdir()
    journals = RunJournals(scratch)
    stack.callback(journals.close)
    logger = RunLogger(JournalOutput(journals))
    model.set_logger(logger)
    checkpoints = Checkpoints(scratch, config.checkpoints, journals)
    known, steering, evaluation = contents.state["counters"], None, None
    if "steering" in known:
        rules = [Rule.model_validate_json(rule) for rule in known["steering"]["rules"]]
        steering = Steering(scratch, journals, Knobs(model, config), rules, _NoTargets())
    if "evaluation" in known:
        evaluation = PeriodicEvaluation(
            scratch,
            config.evaluation,
            EpisodePlayer(lambda: make_environment(config, whole_episodes=True)),
            journals,
            make_playable=_never,
            threshold=None,
            stopping=lambda: False,
        )
    callback = RunCallback(journals, checkpoints, Event())
    imitation = make_imitation(model, config) if "imitation" in known else None
    return collect_counters(
        callback,
        logger,
        checkpoints,
        steering,
        evaluation,
        exploration=exploration_of(model),
        weighting=weighting_of(model),
        imitation=imitation,
    )


class _NoTargets:
    """Targets of rules whose actions are not applied."""

    def pause(self) -> None: ...

    def evaluate(self) -> bool:
        return False

    def snapshot(self, trigger: Trigger, message: str) -> None: ...

    def roll_back(self, action: RollBack, firing: Firing) -> str | None: ...


def _never(_: BaseAlgorithm) -> Any:
    raise AssertionError("nothing is evaluated while a snapshot is verified")


def _close(model: BaseAlgorithm) -> None:
    environments = model.get_env()
    if environments is not None:
        environments.close()
