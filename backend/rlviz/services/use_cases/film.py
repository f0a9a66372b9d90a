"""Use cases on a run's filmstrip: which policies are kept, and clips of what they do."""

from __future__ import annotations

from dataclasses import dataclass

from rlviz.catalog.models import RunRow
from rlviz.catalog.runs import get_run
from rlviz.domain.clips import ClipRecord, ClipStatus, ClipWish, clip_id, growth_id, is_slice_id
from rlviz.domain.errors import ArtifactNotFound, NothingToEvaluate
from rlviz.domain.policies import KeptPolicy
from rlviz.rundir.clips import Clips
from rlviz.rundir.folder import RunFolder
from rlviz.rundir.policies import kept_policies, policy_at
from rlviz.services.use_cases.base import RunUseCases

GROWTH_POLICIES = 6
"""In the video of how a run learned."""


@dataclass(frozen=True)
class Film:
    """``policies`` by step. Sizes in bytes."""

    policies: list[KeptPolicy]
    film_bytes: int
    clip_bytes: int
    clip_limit_bytes: int


@dataclass(frozen=True)
class FoundClip:
    """A clip and how it stands. ``step`` is that of its policy; None for a video of growth."""

    run_id: str
    record: ClipRecord
    status: ClipStatus
    step: int | None
    has_video: bool
    has_thumbnail: bool


class FilmService(RunUseCases):
    """Clips are no evaluations: they are made in the order of clicks, listed nowhere, and taken away for newer ones."""

    def policies(self, run_id: str) -> Film:
        """Raises RunNotFound."""
        run, folder = self._run(run_id)
        film = sum(path.stat().st_size for _, path in folder.film_files())
        return Film(kept_policies(folder, run.policy_step), film, Clips(folder).size(), int(self._settings.keep_clips))

    def clips(self, run_id: str) -> list[FoundClip]:
        """All that were made, the one that was watched last at the end. Raises RunNotFound."""
        _, folder = self._run(run_id)
        clips = Clips(folder)
        return [self._found(folder, clips, record) for record in clips.records() if record.kind != "slice"]

    def find(self, run_id: str, wanted_id: str) -> FoundClip:
        """Raises RunNotFound, or ArtifactNotFound for a clip that was neither made nor asked for."""
        _, folder = self._run(run_id)
        clips = Clips(folder)
        if is_slice_id(wanted_id):
            raise ArtifactNotFound(f"{wanted_id!r} is no clip, but a value slice. GET the run's value-slice.")
        if clips.is_wanted(wanted_id):
            self._supervisor.request_clips(run_id)  # a service that was restarted knows of none
        elif clips.find(wanted_id) is None:
            raise ArtifactNotFound(f"Clip {wanted_id[:80]!r} of run {run_id!r} was not made. POST to its clips.")
        return self._found(folder, clips, clips.find(wanted_id) or _asked(wanted_id))

    def clip(self, run_id: str, *, step: int, seed: int, greedy: bool) -> FoundClip:
        """The clip of the newest kept policy that is not beyond ``step``; it is made if it is not there.

        Raises RunNotFound, NothingToEvaluate or NotEnoughDisk.
        """
        run, folder = self._run(run_id)
        policy = choose_policy(run, folder, step)
        return self._make(folder, clip_id(policy.step, seed, greedy), "clip", seed, greedy, [policy])

    def growth_video(self, run_id: str, *, seed: int, greedy: bool) -> FoundClip:
        """The video of some policies from the first to the newest, all on the same seed; it is made if it is not there.

        Raises RunNotFound, NothingToEvaluate or NotEnoughDisk.
        """
        run, folder = self._run(run_id)
        policies = kept_policies(folder, run.policy_step)
        if len(policies) < 2:
            raise NothingToEvaluate(
                f"Run {run_id!r} keeps {len(policies)} policies; to show how it learned takes two at least."
            )
        last = len(policies) - 1
        count = min(GROWTH_POLICIES, len(policies))
        chosen = [policies[round(place * last / (count - 1))] for place in range(count)]
        return self._make(folder, growth_id(seed, greedy), "growth", seed, greedy, chosen)

    def _make(
        self, folder: RunFolder, wanted_id: str, kind: str, seed: int, greedy: bool, policies: list[KeptPolicy]
    ) -> FoundClip:
        clips = Clips(folder)
        record = clips.find(wanted_id)
        steps = [policy.step for policy in policies]
        if (
            record is not None
            and record.cause is None
            and [episode.step for episode in record.episodes] == steps
            and all(clips.is_newer_than(wanted_id, folder.path / policy.file) for policy in policies)
        ):
            clips.touch(wanted_id)
            return self._found(folder, clips, record)
        self._disk.check()
        wish = ClipWish.model_validate(
            {
                "id": wanted_id,
                "kind": kind,
                "seed": seed,
                "greedy": greedy,
                "steps": steps,
                "policies": [policy.file for policy in policies],
                "keep_bytes": int(self._settings.keep_clips),
            }
        )
        clips.wish(wish)
        self._supervisor.request_clips(folder.run_id)
        return self._found(folder, clips, _asked(wanted_id))

    def _run(self, run_id: str) -> tuple[RunRow, RunFolder]:
        with self._database.read() as session:
            run = get_run(session, run_id)
        folder = self._folder(run_id)
        folder.check()
        return run, folder

    def _found(self, folder: RunFolder, clips: Clips, record: ClipRecord) -> FoundClip:
        has_video = clips.has_video(record.id)
        if clips.is_wanted(record.id):
            status = ClipStatus.WAITING
        elif record.cause is not None:
            status = ClipStatus.FAILED
        else:
            status = ClipStatus.READY if has_video else ClipStatus.RETIRED
        step = int(record.id.split("_")[1]) if record.kind == "clip" else None
        return FoundClip(folder.run_id, record, status, step, has_video, clips.has_thumbnail(record.id))


def choose_policy(run: RunRow, folder: RunFolder, step: int) -> KeptPolicy:
    """Of all that are kept of ``run``, the newest that is not beyond ``step``. Raises NothingToEvaluate."""
    policies = kept_policies(folder, run.policy_step)
    if (policy := policy_at(policies, step)) is None:
        first = f"The first is of step {policies[0].step:,}." if policies else "None is."
        raise NothingToEvaluate(f"No policy of run {run.id!r} is kept from step {step:,} or before. {first}")
    return policy


def _asked(wanted_id: str) -> ClipRecord:
    """What is known of a clip that nobody has made yet."""
    kind, *_, seed, how = wanted_id.split("_")
    return ClipRecord.model_validate({"id": wanted_id, "kind": kind, "seed": int(seed), "greedy": how == "greedy"})
