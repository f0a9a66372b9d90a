"""Verification of a snapshot: training is built, brought to it, captured again, and compared part by part with
the file.

Nothing of the run is changed: what counts while training goes on is built in a folder of its own.
"""

from __future__ import annotations

import pickle
import tempfile
import traceback
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from threading import Event
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import RlvizError, SnapshotDamaged, SnapshotRefused, brief
from rlviz.domain.rules import RollBack, Rule
from rlviz.domain.snapshot import Trigger
from rlviz.domain.snapshot_verification import SnapshotVerification, VerifiedPart
from rlviz.domain.verification import VerificationStatus
from rlviz.environments.make import make_environment
from rlviz.environments.state import read_state
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.snapshots import write_snapshot_verification
from rlviz.training.builder import build_model
from rlviz.training.callback import RunCallback
from rlviz.training.checkpoint import Checkpoints
from rlviz.training.components import counters_of
from rlviz.training.greedy import GreedyPlayer
from rlviz.training.journals import RunJournals
from rlviz.training.knobs import Knobs
from rlviz.training.logger import RunLogger
from rlviz.training.logger_output import JournalOutput
from rlviz.training.periodic_evaluation import PeriodicEvaluation
from rlviz.training.rules.engine import Firing
from rlviz.training.snapshot.archive import Contents, read_archive
from rlviz.training.snapshot.capture import Captured, Counter, capture
from rlviz.training.snapshot.differences import first_difference
from rlviz.training.snapshot.replay import replay_difference
from rlviz.training.snapshot.restore import restore
from rlviz.training.steering import Steering


def verify_snapshot(folder: RunFolder, name: str) -> SnapshotVerification:
    """Verify, and write the result; a refusal and a failure are written too."""
    try:
        found = _verify(folder, name)
    except SnapshotRefused as error:
        found = _refused(folder, name, error)
    except Exception as error:
        traceback.print_exc()
        cause = str(error) if isinstance(error, RlvizError) else f"{brief(error)}; the traceback is in worker.log."
        found = SnapshotVerification(status=VerificationStatus.FAILED, cause=cause)
    write_snapshot_verification(folder, name, found)
    return found


def _refused(folder: RunFolder, name: str, error: SnapshotRefused) -> SnapshotVerification:
    """A file that can be read is whole: what it is of is refused."""
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
        raise SnapshotRefused(f"Snapshot {name} is of run {manifest.run_id[:80]}, which this one was forked from.")
    with ExitStack() as stack:
        model = build_model(config)
        stack.callback(_close, model)
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rlviz-verify-")))
        continuation = restore(model, config, folder, name)
        counters = _counters(stack, RunFolder(scratch, folder.run_id), model, config, contents)
        continuation.restore_counters(counters)
        model._setup_learn(1, callback=None, reset_num_timesteps=False)  # which the library begins with
        continuation.settle(model, continuation.point)
        again = capture(model, counters, continuation.tape(), point=continuation.point, last_row=continuation.last_row)
        parts = _compare(contents, again)
        if (replay := contents.state["replay"]) is not None:
            parts["replay"] = parts["replay"] or replay_difference(model, folder, replay, continuation.replay_pieces)
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
    """Where each part that was captured again differs from the file."""
    was, now = (
        _parts(state, tensors)
        for state, tensors in (
            (contents.state, contents.tensors),
            (pickle.loads(captured.state), captured.tensors),
        )
    )
    return {name: first_difference(part, now[name]) for name, part in was.items()}


def _parts(state: Mapping[str, Any], tensors: Mapping[str, Any]) -> dict[str, Any]:
    """Without what a clock says, and without an optimizer's settings, which are the configuration's and the knobs'."""
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
    """Those that the snapshot knows, as the trainer has them."""
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
            GreedyPlayer(lambda: make_environment(config, whole_episodes=True)),
            journals,
            as_played=_never,
            threshold=None,
            stopping=lambda: False,
        )
    return counters_of(RunCallback(journals, checkpoints, Event()), logger, checkpoints, steering, evaluation)


class _NoTargets:
    """Rules that are only counted act on nothing."""

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
