"""List a run's saved policies (its filmstrip), and film clips and growth videos of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from rlviz.domain.clips import (
    ClipRecord,
    ClipRequest,
    ClipStatus,
    KeptPolicy,
    clip_id,
    growth_id,
    is_future_id,
    is_reading_id,
)
from rlviz.domain.errors import ArtifactNotFound, NothingToEvaluate, RunFolderError
from rlviz.rundir.clips import Clips
from rlviz.rundir.files import read_size
from rlviz.rundir.folder import RunFolder, kept_policies, policy_at, select_learning_steps
from rlviz.server.catalog.models import RunRow
from rlviz.server.catalog.runs import get_run, run_load
from rlviz.server.evaluations.models import Clip, Policies
from rlviz.server.proxy import link
from rlviz.server.use_case import RunUseCases

GROWTH_POLICIES = 6
"""Number of policies in a growth video."""


class FilmService(RunUseCases):
    """Requests clips from a worker, which makes them in order. Newer clips replace old ones."""

    def policies(self, run_id: str) -> Policies:
        """Return the saved policies and the sizes of policies and clips. Raises RunNotFound."""
        run, folder = self._run(run_id)
        film = sum(read_size(path) for _, path in folder.film_files())
        return Policies(
            policies=kept_policies(folder, run.policy_step),
            greedy=_is_greedy(folder),
            film_bytes=film,
            clip_bytes=Clips(folder).size(),
            clip_limit_bytes=int(self._settings.keep_clips),
            has_idle_time=self._has_idle_time(),
        )

    def clips(self, run_id: str) -> list[Clip]:
        """Return all clips, least recently watched first. Raises RunNotFound."""
        run, folder = self._run(run_id)
        clips, files = Clips(folder), _files_by_step(kept_policies(folder, run.policy_step))
        return [
            self._view(folder, clips, files, record) for record in clips.records() if record.kind in ("clip", "growth")
        ]

    def find(self, run_id: str, wanted_id: str) -> Clip:
        """Return a clip. Raises RunNotFound, or ArtifactNotFound if it was not requested."""
        run, folder = self._run(run_id)
        clips, files = Clips(folder), _files_by_step(kept_policies(folder, run.policy_step))
        if is_reading_id(wanted_id):
            raise ArtifactNotFound(f"{wanted_id!r} is not a clip. GET its value slice or saliency map.")
        if is_future_id(wanted_id):
            raise ArtifactNotFound(f"{wanted_id!r} is not a clip. GET it from futures.")
        if clips.requests.has(wanted_id):
            self._supervisor.request_clips(run_id)  # a restarted service has no workers
            return self._view(folder, clips, files, clips.find(wanted_id) or _requested(wanted_id), waiting=True)
        if (record := clips.find(wanted_id)) is None:
            raise ArtifactNotFound(f"Clip {wanted_id[:80]!r} of run {run_id!r} was not made. POST to its clips.")
        return self._view(folder, clips, files, record)

    def clip(self, run_id: str, *, step: int, seed: int, greedy: bool | None, picture_only: bool = False) -> Clip:
        """Return the clip of the newest saved policy at or before ``step``; request it if it does not exist.

        Args:
            greedy: Take the most likely action instead of sampling; None: as the run evaluates during training.
            picture_only: Only its thumbnail is needed.

        Raises RunNotFound, NothingToEvaluate or NotEnoughDisk.
        """
        run, folder = self._run(run_id)
        greedy = _is_greedy(folder) if greedy is None else greedy
        policy = choose_policy(run, folder, step)
        wanted_id, clips = clip_id(policy.step, seed, greedy), Clips(folder)
        if picture_only and (clips.requests.has(wanted_id) or clips.shows(wanted_id, folder.path / policy.file)):
            return self.find(run_id, wanted_id)
        return self._request(folder, wanted_id, "clip", seed, greedy, [policy], picture_only=picture_only)

    def steps_path(self, run_id: str, wanted_id: str) -> tuple[RunFolder, Path]:
        """Return the run folder and path of a clip's step records. Raises RunNotFound or ArtifactNotFound."""
        folder = RunFolder(self._settings.runs_dir, self.find(run_id, wanted_id).run_id)
        return folder, Clips(folder).steps_path(wanted_id)

    def growth_video(self, run_id: str, *, seed: int, greedy: bool | None) -> Clip:
        """Return the growth video; request it if it does not exist.

        It shows policies from the first to the best (or the newest, if no best is known), all with the same seed.
        ``greedy`` is as in ``clip``. Raises RunNotFound, NothingToEvaluate or NotEnoughDisk.
        """
        run, folder = self._run(run_id)
        greedy = _is_greedy(folder) if greedy is None else greedy
        policies = kept_policies(folder, run.policy_step)
        if len(policies) < 2:
            raise NothingToEvaluate(
                f"Run {run_id!r} keeps {len(policies)} policies; a video of how it learned needs at least two."
            )
        chosen = select_learning_steps(policies, GROWTH_POLICIES)
        return self._request(folder, growth_id(seed, greedy), "growth", seed, greedy, chosen)

    def _request(
        self,
        folder: RunFolder,
        wanted_id: str,
        kind: str,
        seed: int,
        greedy: bool,
        policies: list[KeptPolicy],
        *,
        picture_only: bool = False,
    ) -> Clip:
        clips, files = Clips(folder), _files_by_step(policies)
        record = clips.find(wanted_id)
        steps = [policy.step for policy in policies]
        if (
            record is not None
            and (found := self._view(folder, clips, files, record)).status is ClipStatus.READY
            and [episode.step for episode in record.episodes] == steps
            and all(clips.is_newer_than(wanted_id, folder.path / policy.file) for policy in policies)
        ):
            clips.touch(wanted_id)
            return found
        self._disk.check()
        self._trust.admit(folder)
        request = ClipRequest.model_validate(
            {
                "id": wanted_id,
                "kind": kind,
                "seed": seed,
                "greedy": greedy,
                "steps": steps,
                "policies": [policy.file for policy in policies],
                "keep_bytes": int(self._settings.keep_clips),
                "picture_only": picture_only,
            }
        )
        clips.requests.add(request)
        self._supervisor.request_clips(folder.run_id)
        return self._view(folder, clips, files, _requested(wanted_id), waiting=True)

    def _has_idle_time(self) -> bool:
        with self._database.read() as session:
            training, _ = run_load(session)
        return training < (os.cpu_count() or 1)

    def _run(self, run_id: str) -> tuple[RunRow, RunFolder]:
        with self._database.read() as session:
            run = get_run(session, run_id)
        folder = self._folder(run_id)
        folder.check()
        return run, folder

    def _view(
        self,
        folder: RunFolder,
        clips: Clips,
        files: Mapping[int, Path],
        record: ClipRecord,
        *,
        waiting: bool = False,
    ) -> Clip:
        """Return a clip with its status.

        ``files``: policy files by step. ``waiting``: the request existed before ``record`` was read. It may have been
        answered since.
        """
        has_video = clips.has_video(record.id)
        is_whole = has_video and (record.kind == "growth" or clips.has_steps(record.id))
        if waiting or clips.requests.has(record.id):
            status = ClipStatus.WAITING
        elif record.cause is not None:
            status = ClipStatus.FAILED
        else:
            status = ClipStatus.READY if is_whole else ClipStatus.RETIRED
        step = int(record.id.split("_")[1]) if record.kind == "clip" else None
        policy = None if step is None else files.get(step)
        file = link(f"/api/runs/{folder.run_id}/artifacts/film/clips/{record.id}")
        return Clip(
            **record.model_dump(exclude={"schema_version", "future", "outcome"}),
            run_id=folder.run_id,
            status=status,
            step=step,
            video_url=f"{file}.mp4" if has_video else None,
            thumbnail_url=f"{file}.webp" if clips.has_thumbnail(record.id) else None,
            is_current=policy is not None and clips.shows(record.id, folder.path / policy),
        )


def _is_greedy(folder: RunFolder) -> bool:
    """Return whether evaluations during training take the most likely actions; true for a damaged configuration."""
    try:
        return folder.read_config().evaluation.is_greedy
    except (OSError, RunFolderError):
        return True


def _files_by_step(policies: Iterable[KeptPolicy]) -> dict[int, Path]:
    """Return the files of policies by step, relative to the run folder."""
    return {policy.step: Path(policy.file) for policy in policies}


def choose_policy(run: RunRow, folder: RunFolder, step: int) -> KeptPolicy:
    """Return the newest saved policy of ``run`` at or before ``step``. Raises NothingToEvaluate."""
    policies = kept_policies(folder, run.policy_step)
    if (policy := policy_at(policies, step)) is None:
        first = f"The first is of step {policies[0].step:,}." if policies else "None is."
        raise NothingToEvaluate(f"Run {run.id!r} keeps no policy of step {step:,} or earlier. {first}")
    return policy


def _requested(wanted_id: str) -> ClipRecord:
    """Return the record of a clip that is not made yet."""
    kind, *_, seed, how = wanted_id.split("_")
    return ClipRecord.model_validate({"id": wanted_id, "kind": kind, "seed": int(seed), "greedy": how == "greedy"})
