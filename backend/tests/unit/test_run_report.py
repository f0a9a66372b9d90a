"""The report of a run as one self-contained file."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from rlviz.domain.clips import ClipRecord, KeptPolicy, PlayedEpisode, PolicyKind, clip_id
from rlviz.domain.config import EvaluationPlan, ExplorationPlan
from rlviz.domain.errors import RunNotFound
from rlviz.domain.evaluation import VideoFacts
from rlviz.domain.limits import DEFAULT_EVALUATION_SEED
from rlviz.domain.reward_plan import RewardPlan
from rlviz.rundir.clips import Clips
from rlviz.rundir.folder import Labels, RunFolder
from rlviz.server.application import Application
from rlviz.server.exchange.report.film import FILMED, MOST_CELLS, Moment, base64_size, choose_moments, spread_policies
from rlviz.server.exchange.report.page import SCRIPT, draw_curve, header_policy, page_policy, write_page
from rlviz.server.exchange.report.service import MOST_BYTES, RunReportService, value_text
from rlviz.server.exchange.report.story import Cell, Curve, Film, Mark
from rlviz.server.runs.configuration import NewRun, resolve_config
from rlviz.settings import Settings
from rlviz.stats.report_page import NARROW, WIDE
from tests.support.run_folders import append_rows, journal, make_run

HOSTILE = "</script><img src=x onerror=alert(1)>"
WEBP, MP4 = b"RIFF....WEBP", b"....ftypisom"


class Seen(HTMLParser):
    """The tags, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


@contextmanager
def opened(root: Path) -> Iterator[Application]:
    app = Application(Settings(_env_file=None, runs_dir=root, warm_worker=False))  # type: ignore[call-arg]
    app.rebuild()
    with closing(app.database):
        yield app


def report_of(root: Path, run_id: str, *, film: bool = True) -> str:
    with opened(root) as app:
        return app.run_report.report(run_id, film=film)


def text_of(root: Path, run_id: str, *, film: bool = True) -> str:
    return Seen(report_of(root, run_id, film=film)).text


def put_clip(folder: RunFolder, step: int, figure: float, *, video: bytes | None = MP4, greedy: bool = True) -> None:
    """Write a clip of the policy of ``step``, as the worker that films leaves it."""
    clips, name = Clips(folder), clip_id(step, DEFAULT_EVALUATION_SEED, greedy)
    clips.requests.make_folders()
    clips.thumbnail_path(name).write_bytes(WEBP)
    if video is not None:
        clips.video_path(name).write_bytes(video)
    episode = PlayedEpisode(
        **{"step": step, "episode_return": figure, "episode_length": int(figure), "first_frame": 0},
        **{"terminated": True, "truncated": False, "cut": False},
    )
    facts = VideoFacts(file="x.mp4", width=600, height=428, fps=50, frames=50, duration=1.0, size_bytes=len(MP4))
    record = ClipRecord(id=name, seed=DEFAULT_EVALUATION_SEED, greedy=greedy, episodes=[episode], video=facts)
    clips.record_path(name).write_text(record.model_dump_json())


def film_data(page: str) -> list[dict[str, Any]]:
    found = re.search(r'<script type="application/json" id="film">(.*?)</script>', page, re.DOTALL)
    return [] if found is None else json.loads(found[1])


def test_the_report_says_what_the_page_of_the_run_says(tmp_path: Path) -> None:
    make_run(
        tmp_path,
        "a",
        rows=120,
        status="completed",
        name="The run",
        versions={"rlviz": "0.2.0", "gymnasium": "1.4.0"},
        hyperparameters={"gamma": 0.9, "learning_rate": 0.0003},
        evaluation=EvaluationPlan(every_steps=5_000),
    )
    page = report_of(tmp_path, "a")
    text = Seen(page).text
    for said in (
        "The run",
        "It ended after all of its steps.",
        "Not known to be solved: solving it takes a return of 475.0.",
        "Return in training70.5120 episodes, mean of the last 100",
        "What differs from the defaults of PPO.settingthis rundefaults of PPOgamma0.90.99",
        "Training finished after 120 steps.",
        "rlviz0.2.0gymnasium1.4.0",
        "It has no film, because none of its policies was filmed.",
    ):
        assert said in text, said
    assert (
        "rlviz run --env CartPole-v1 --algo ppo --preset none --seed 1 --steps 100000 --set gamma=0.9 "
        "--evaluate-every 5000 --evaluate-episodes 10"
    ) in text
    config = re.search(r'href="data:application/json;base64,([^"]*)"', page)
    assert config is not None
    assert json.loads(base64.b64decode(config[1]))["hyperparameters"]["gamma"] == 0.9


@pytest.mark.parametrize("greedy", [True, False])
def test_the_film_consists_of_clips_that_play_as_the_run_evaluates_and_says_how(tmp_path: Path, greedy: bool) -> None:
    plan = EvaluationPlan(every_steps=5_000, deterministic=greedy)
    folder = make_run(tmp_path, "a", rows=40, status="completed", evaluation=plan)
    for step in (0, 20):
        path = folder.film_path(step)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"policy")
        put_clip(folder, step, 10.0 + step, greedy=True)
        put_clip(folder, step, 50.0 + step, greedy=False)
    page = report_of(tmp_path, "a")
    first, last = (10, 30) if greedy else (50, 70)
    says = [cell["says"] for cell in film_data(page)]
    assert says == [f"return {first}.0 in {first} steps", f"return {last}.0 in {last} steps"]
    how = "plays greedily" if greedy else "samples its actions"
    assert f"Every policy {how} and starts from the same seed." in Seen(page).text


def test_the_report_says_solved_when_the_catalogue_does(tmp_path: Path) -> None:
    make_run(tmp_path, "a", rows=560, status="completed")
    text = text_of(tmp_path, "a", film=False)
    assert "Solved at step 5,250" in text
    assert "mean of 100 ≥ 475.0" in text


@pytest.mark.parametrize("film", [False, True])
def test_names_notes_and_tags_are_text_and_nothing_is_fetched(tmp_path: Path, film: bool) -> None:
    folder = make_run(tmp_path, "a", rows=30, status="completed", env_options={})
    folder.write_labels(Labels(name=HOSTILE, tags=[HOSTILE], notes=f"{HOSTILE}\n'\"&"))
    with journal(folder.events_path) as events:
        events.append({"event": "warning", "step": 3, "data": {"message": HOSTILE}})
    put_clip(folder, 10, 100.0)
    page = report_of(tmp_path, "a", film=film)
    seen = Seen(page)
    assert seen.text.count(HOSTILE) >= 4
    assert seen.tags.count("script") == (2 if film else 0)
    assert not {"link", "iframe", "object", "embed", "base", "form"} & set(seen.tags)
    assert not [name for name, _ in seen.attributes if name.startswith("on")]
    addresses = [value or "" for name, value in seen.attributes if name in ("src", "href", "action", "poster")]
    assert all(address.startswith("data:") for address in addresses)
    assert "url(" not in page
    assert "@import" not in page


def test_the_policy_allows_only_its_own_script_and_none_without_a_film() -> None:
    digest = base64.b64encode(hashlib.sha256(SCRIPT.read_bytes()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page_policy(film=True)
    assert "script-src" not in page_policy(film=False)
    assert "</script" not in SCRIPT.read_text()
    for film in (False, True):
        assert page_policy(film=film).startswith("default-src 'none'")
        assert "frame-ancestors" not in page_policy(film=film), "browsers refuse it in a page"
        assert "sandbox allow-scripts allow-downloads" in header_policy(film=film)


def test_the_script_in_the_file_matches_the_hash_in_the_policy(tmp_path: Path) -> None:
    put_clip(make_run(tmp_path, "a", rows=5, status="completed"), 10, 9.0)
    page = report_of(tmp_path, "a")
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"sha256-{digest}" in page


def test_the_film_shows_policies_by_step_with_their_returns(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "a", rows=30, status="completed")
    for step, figure in ((300, 500.0), (0, 9.0), (100, 164.0)):
        put_clip(folder, step, figure)
    put_clip(folder, 200, 200.0, video=None)
    page = report_of(tmp_path, "a")
    cells = film_data(page)
    assert [cell["title"] for cell in cells] == [f"After {step} steps" for step in (0, 100, 200, 300)]
    assert [cell["share"] for cell in cells] == [0.0, pytest.approx(1 / 3), pytest.approx(2 / 3), 1.0]
    assert cells[1]["says"] == "return 164.0 in 164 steps"
    assert base64.b64decode(cells[3]["video"]) == MP4
    assert cells[2]["video"] is None
    seen = Seen(page)
    assert [value for name, value in seen.attributes if name == "data-cell"] == ["0", "1", "2", "3"]
    assert film_data(report_of(tmp_path, "a", film=False)) == []


def test_a_film_that_is_too_large_is_reduced_evenly_and_says_so(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "a", rows=30, status="completed")
    for step in range(0, 330, 30):
        put_clip(folder, step, float(step), video=b"x" * 1_500_000)
    page = report_of(tmp_path, "a")
    assert len(page.encode()) <= MOST_BYTES
    assert [cell["title"] for cell in film_data(page)] == [f"After {step} steps" for step in (0, 90, 210, 300)]
    assert "It shows 4 of 11 policies, evenly chosen, so that the file stays below 10 MB." in Seen(page).text


def test_a_video_that_alone_is_too_large_is_replaced_by_its_picture(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "a", rows=30, status="completed")
    put_clip(folder, 10, 1.0)
    put_clip(folder, 20, 2.0, video=b"x" * 9_000_000)
    page = report_of(tmp_path, "a")
    assert len(page.encode()) <= MOST_BYTES
    assert [cell["video"] is None for cell in film_data(page)] == [False, True]
    assert "1 of them has only a picture, because the video would be too large." in Seen(page).text


def moment(folder: Path, step: int, size: int) -> Moment:
    video = folder / f"{step}.mp4"
    video.write_bytes(b"x" * size)
    return Moment(Cell(step, "", None, ""), folder, video=video)


@pytest.mark.parametrize("room", [0, 100, 2_000, 5_000, 100_000])
def test_chosen_moments_fit_and_include_the_newest(tmp_path: Path, room: int) -> None:
    moments = [moment(tmp_path, step, 600) for step in range(40)]
    chosen = choose_moments(moments, room)
    assert sum(one.size() for one in chosen) <= room
    assert len(chosen) == min(MOST_CELLS, room // base64_size(600) if room >= 2 * base64_size(600) else 0)
    if chosen:
        assert chosen[-1].cell.step == 39
        assert chosen == sorted(chosen, key=lambda one: one.cell.step or 0)


def test_policies_are_spread_over_the_steps_with_the_best_one() -> None:
    steps = [*range(10), 20, 40, 60, 80, 93, 100]
    policies = [
        KeptPolicy(step=step, kinds=[PolicyKind.BEST] if step == 93 else [], file="x", size_bytes=1) for step in steps
    ]
    chosen = [policy.step for policy in spread_policies(policies, FILMED)]
    assert chosen == [0, 9, 20, 40, 60, 80, 93, 100]
    assert spread_policies([], FILMED) == []


def test_changes_by_the_user_and_by_rules_are_numbered_in_the_curve_and_in_the_list(tmp_path: Path) -> None:
    folder = make_run(tmp_path, "a", rows=30)
    change = {"kind": "set_knob", "knob": "learning_rate", "value": 0.2}
    changed = {"name": "learning_rate", "before": 0.1, "after": 0.2, "by": "person", "change": change}
    with journal(folder.events_path) as events:
        events.append({"event": "started", "step": 0, "data": {"worker": "process:1:0.0:"}})
        events.append({"event": "checkpoint", "step": 10, "data": {"path": "checkpoints/step_10.zip"}})
        events.append({"event": "hyperparameter_changed", "step": 100, "data": changed})
        events.append(
            {"event": "error", "step": 300, "data": {"type": "ValueError", "message": "NaN", "traceback": ""}}
        )
    with opened(tmp_path) as app:
        story = app.run_report.story("a")
    assert [(mark.number, mark.step) for mark in story.curve.marks] == [(1, 100.0)]
    assert [(event.number, event.level) for event in story.events.rows] == [
        (None, "info"),
        (1, "info"),
        (None, "error"),
    ]
    assert story.head.ended.startswith("It failed. ")
    assert story.head.tone == "bad"


def test_seeds_have_each_figure_and_its_usual_interval(tmp_path: Path) -> None:
    for seed in (1, 2, 3):
        make_run(tmp_path, f"run-{seed}", rows=30, status="completed", seed=seed, group_id="run-1")
    with opened(tmp_path) as app:
        story = app.run_report.story("run-2")
        (group,) = app.groups.find(["run-1"])
    assert story.seeds is not None
    assert [(row.seed, row.is_own) for row in story.seeds.rows] == [("1", False), ("2", True), ("3", False)]
    assert story.seeds.says.endswith("interquartile mean of 3 of 3 seeds: 15.5 [15.5, 15.5].")
    assert story.seeds.made == [group.definition]


LAMPLIGHTER = resolve_config(NewRun("ppo", "GameBoy/Lamplighter-v0", "fast"), 0.0)
SAMPLED = {"evaluation": EvaluationPlan(every_steps=5_000, deterministic=False)}
OF_PRESET: dict[str, Any] = {
    name: getattr(LAMPLIGHTER, name)
    for name in ("env_id", "env_options", "preset", "total_timesteps", "hyperparameters", "evaluation", "exploration")
}


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"actor": "foreign", "algo": "my-own", "total_timesteps": 0}, "Another program wrote this run"),
        ({"actor": "human", "algo": "human", "hyperparameters": {}}, "A person played this run"),
        ({"actor": "random", "algo": "random", "hyperparameters": {}}, "rlviz run --env CartPole-v1 --algo random"),
        ({"env_id": "Gone-v1"}, "Gone-v1"),
        ({"preset": "no-such-preset"}, "defaults of PPO"),
        (
            {"env_id": "Pendulum-v1", "reward": RewardPlan(weights={"torque": 0.0}, caps={"speed": 50.0})},
            "--reward-weight torque=0.0 --reward-cap speed=50.0",
        ),
        (
            {"exploration": ExplorationPlan(map=True, novelty=0.5, imitation=10)},
            "--steps 100000 --map --novelty 0.5 --imitation 10",
        ),
        (OF_PRESET, "--steps 1200000 --evaluate-every"),
        (
            SAMPLED,
            "--evaluate-every 5000 --evaluate-episodes 10 --evaluate-sampled",
        ),
        (
            SAMPLED,
            "Best evaluation with sampled actions",
        ),
        (OF_PRESET, "--evaluate-every 100000 --evaluate-episodes 5"),
        (
            {**OF_PRESET, "evaluation": EvaluationPlan(every_steps=9_000)},
            "--evaluate-every 9000 --evaluate-episodes 10 --evaluate-greedy",
        ),
        ({**OF_PRESET, "evaluation": EvaluationPlan(deterministic=False)}, "--evaluate-every 0"),
        ({"evaluation": EvaluationPlan(deterministic=False)}, "--evaluate-every 0 --evaluate-sampled"),
        ({**OF_PRESET, "exploration": None}, "--steps 1200000 --no-exploration --evaluate-every"),
        (
            {**OF_PRESET, "exploration": ExplorationPlan(coverage=0.1)},
            "--steps 1200000 --no-exploration --coverage 0.1 --evaluate-every",
        ),
        ({"parent": {"run_id": "b", "snapshot": "5", "step": 5}}, "Forked from b at step 5."),
    ],
)
def test_every_kind_of_run_has_a_report(tmp_path: Path, config: dict[str, Any], said: str) -> None:
    make_run(tmp_path, "a", rows=10, status="completed", **config)
    text = text_of(tmp_path, "a")
    assert said in text
    differs = "--evaluate-sampled" in said or "--evaluate-greedy" in said
    assert differs or ("--evaluate-sampled" not in text and "--evaluate-greedy" not in text) or said.startswith("Best")


def test_a_run_that_has_not_started_and_a_training_one_have_a_current_report(tmp_path: Path) -> None:
    make_run(tmp_path, "new")
    text = text_of(tmp_path, "new")
    assert "It was not started yet." in text
    assert "No episode has ended yet, so there is no curve." in text
    folder = make_run(tmp_path, "live")
    with journal(folder.metrics_path) as metrics:
        append_rows(metrics, 3)
    with opened(tmp_path) as app:
        with app.database.write() as session:
            row = session.get(type(app.runs.get("live")), "live")
            assert row is not None
            row.status = "running"
        assert "This report shows the run as it is now." in app.run_report.report("live", film=True)
        with pytest.raises(RunNotFound):
            app.run_report.report("no-such-run", film=True)


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_curve_stays_within_its_picture(width: float) -> None:
    curve = Curve(
        end=100.0,
        episodes=[(0.0, -5.0), (100.0, 7.0)],
        mean=[(0.0, -5.0), (100.0, 1.0)],
        threshold=9.0,
        random=-6.0,
        solved=100.0,
        forked=20.0,
        marks=[Mark(1, 0.0, "first"), Mark(2, 100.0, "last")],
    )
    drawn = draw_curve(curve, width, cursor=True)
    assert drawn.attrib["viewBox"].split()[2] == f"{width:g}"
    for shape in drawn.iter():
        for name in ("x", "x1", "x2", "cx"):
            assert 0 <= float(shape.attrib.get(name, 0)) <= width


def test_settings_are_formatted_for_people() -> None:
    values = [None, True, 3, 0.00030000000001, [64, 64], [], "linear", {"a": 1}]
    texts = ["none", "true", "3", "0.0003", "64, 64", "none", "linear", '{"a": 1}']
    assert [value_text(value) for value in values] == texts


def test_a_page_without_a_film_says_why(tmp_path: Path) -> None:
    make_run(tmp_path, "a", rows=3, status="completed")
    with opened(tmp_path) as app:
        service: RunReportService = app.run_report
        story = service.story("a", Film(notes=["It has no film."]))
    assert "It has no film." in Seen(write_page(story)).text
