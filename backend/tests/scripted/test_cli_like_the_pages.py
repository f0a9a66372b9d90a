"""Commands for the features of the pages other than training, against one service in this process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from rlviz.domain.rules import metric_label
from rlviz.rundir.journal import JournalWriter
from tests.support.cli import Ended, call
from tests.support.run_folders import make_run
from tests.support.service_process import Service, serving
from tests.support.waiting import eventually

BRIEF = ("--steps", "256", "--set", "n_steps=128", "--set", "batch_size=64")


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service with a trained and evaluated run, and one that was copied into its folder."""
    folder = tmp_path_factory.mktemp("cli")
    make_run(folder / "runs", "put-there", rows=30, status="completed")
    with serving(folder, launcher="scripted") as service:
        yield service


@pytest.fixture(scope="module")
def trained(warm: Service) -> str:
    """The id of a run that was trained with evaluations."""
    return done(warm, "run", *BRIEF, "--seed", "3", "--evaluate-every", "128", "--wait", "--json").json["id"]


@pytest.fixture(scope="module")
def created(warm: Service) -> str:
    """The id of a run that was created with every option and not started."""
    rules = ("--rule", "steps 200 -> snapshot", "--rule", "any not finite -> stop")
    words = ("--name", "Mine", "--tag", "a", "--tag", "b", "--notes", "Look at this.")
    ended = done(warm, "run", *BRIEF, *rules, *words, "--evaluate-every", "0", "--no-anatomy", "--no-start", "--json")
    return str(ended.json["id"])


def done(service: Service, *arguments: str, typed: str | None = None) -> Ended:
    """Run a command that must succeed."""
    ended = call(service.runs_dir, *arguments, typed=typed)
    assert ended.status == 0, ended.err
    return ended


def test_a_run_too_short_to_learn_raises_a_warning(warm: Service) -> None:
    """The API and the command line give the same sentence, also for several seeds."""
    short = ("run", "--algo", "ppo", "--steps", "100", "--set", "learning_rate_schedule=linear", "--no-start")
    says = "has only one round of updates, with a learning rate of 0, so it learns nothing."
    alone = done(warm, *short)
    run = warm.get(f"/runs/{alone.out.strip()}")
    assert says in run["length_note"]
    assert run["length_note"] in " ".join(alone.err.split())
    group = done(warm, *short, "--count", "2", "--json")
    assert group.json["length_note"] == run["length_note"]
    assert says in " ".join(group.err.split())
    whole = done(warm, "run", "--algo", "ppo", "--no-start")
    assert warm.get(f"/runs/{whole.out.strip()}")["length_note"] is None
    assert "learn" not in whole.err


def test_a_run_is_created_with_rules_tags_notes_and_a_plan_and_started_later(warm: Service, created: str) -> None:
    run = warm.get(f"/runs/{created}")
    assert (run["status"], run["name"], run["tags"], run["notes"]) == ("created", "Mine", ["a", "b"], "Look at this.")
    assert run["config"]["evaluation"]["every_steps"] is None
    assert len(run["config"]["rules"]) == 2
    told = done(warm, "run", *BRIEF, "--no-start")
    assert "not been started" in told.err
    later = told.out.strip()
    assert done(warm, "metrics", later).out == f"{later} has logged nothing yet.\n"
    assert "no events yet" in done(warm, "logs", later).err
    assert done(warm, "start", later, "--wait", "--json").json["status"] == "completed"
    assert call(warm.runs_dir, "start", later).status == 4


def test_the_name_tags_and_notes_of_a_run_are_edited(warm: Service, created: str) -> None:
    changed = done(warm, "edit", created, "--tag", "c", "--untag", "a", "--notes", "Better.", "--json").json
    assert (changed["name"], changed["tags"], changed["notes"]) == ("Mine", ["b", "c"], "Better.")
    assert done(warm, "edit", created, "--name", "Yours").out == f"{created} Yours (b, c)\nBetter.\n"
    assert done(warm, "edit", created).out == f"{created} Yours (b, c)\nBetter.\n"
    assert call(warm.runs_dir, "edit", created, "--untag", "zebra").status == 3


def test_the_rules_of_a_run_are_listed_added_tried_and_removed(warm: Service, created: str) -> None:
    label = metric_label("episode/reward")
    assert done(warm, "rules", "list", created).out.splitlines() == [
        "1. When 200 steps are done: take a snapshot.",
        "2. When any metric is not a number: stop.",
    ]
    added = done(warm, "rules", "add", created, "episode/reward > 20 -> pause").out
    assert added.splitlines()[-1] == f"3. When {label} is above 20: pause."
    assert len(done(warm, "rules", "remove", created, "1", "3", "--json").json["rules"]) == 1
    assert call(warm.runs_dir, "rules", "remove", created, "7").status == 3
    assert done(warm, "rules", "remove", created, "--all").out == "It has no rules.\n"
    tried = done(warm, "rules", "try", "put-there", "episode/reward > 20 -> notify")
    assert "They would have fired once." in tried.out
    assert done(warm, "rules", "try", "put-there", "episode/reward > 99 -> notify", "--json").json["total"] == 0
    assert "Rule 1 cannot be tried" in done(warm, "rules", "try", "put-there", "error -> roll back").out
    refused = call(warm.runs_dir, "rules", "add", created, "disk 5 -> stop")
    assert (refused.status, "greater than or equal to 1000000" in refused.err) == (2, True), refused.err


def test_hyperparameters_are_changed_while_a_run_trains(warm: Service) -> None:
    run_id = done(warm, "run", "--steps", "200000", "--algo", "ppo").out.strip()
    eventually(lambda: warm.get(f"/runs/{run_id}")["status"] == "running", "it to train")
    listed = done(warm, "set", run_id).out
    assert "learning_rate" in listed
    done(warm, "set", run_id, "learning_rate=1e-5", "ent_coef*=2")

    def changed() -> bool:
        knobs = {knob["name"]: knob for knob in done(warm, "set", run_id, "--json").json["knobs"]}
        return bool(knobs["learning_rate"]["changed"]) and knobs["learning_rate"]["changed"]["after"] == 1e-5

    eventually(changed, "the change to be taken up")
    assert call(warm.runs_dir, "set", run_id, "learning_rate").status == 2
    assert call(warm.runs_dir, "set", run_id, "beauty=3").status == 2
    done(warm, "stop", run_id)
    assert call(warm.runs_dir, "set", run_id, "learning_rate=1e-5").status == 4


def test_several_seeds_form_one_group_and_more_can_be_added(warm: Service) -> None:
    group = done(warm, "run", *BRIEF, "--seed", "5", "--count", "2", "--tag", "seeds", "--wait", "--json").json
    assert [(run["seed"], run["status"]) for run in group["runs"]] == [(5, "completed"), (6, "completed")]
    assert warm.get(f"/runs/{group['runs'][1]['id']}")["tags"] == ["seeds"]
    more = done(warm, "seeds", group["runs"][0]["id"], "--seed", "9", "--wait").out
    assert "completed" in more
    assert warm.get("/runs", params={"group": group["group_id"]})["total"] == 3
    assert call(warm.runs_dir, "seeds", group["group_id"]).status == 2
    assert call(warm.runs_dir, "run", "--count", "2", "--follow").status == 2


def test_storage_rules_and_quotas_are_written_and_applied_by_prune(warm: Service) -> None:
    assert "There are no storage rules" in done(warm, "storage", "show").out
    assert "up to 5 MB." in done(warm, "storage", "quota", "videos", "5MB").out
    rule = ("--kind", "videos", "--keep", "1", "--after-days", "30", "--family", "atari", "--over-quota")
    told = done(warm, "storage", "add", "keep-newest", *rule).out
    assert told.startswith("Rule 1: ")
    assert "atari" in told.lower()
    assert done(warm, "storage", "add", "compress", "--json").json["rules"][1] == {
        "after_days": 7,
        "do": "compress",
        "families": [],
        "over_quota_only": False,
    }
    assert "Rule 2: Compress" in done(warm, "prune", "--dry-run").out
    assert call(warm.runs_dir, "storage", "quota", "videos", "none").status == 2, "a rule waits for it"
    assert call(warm.runs_dir, "storage", "quota", "beauty", "5e6").status == 2
    assert call(warm.runs_dir, "storage", "remove", "3").status == 3
    done(warm, "storage", "remove", "1")
    done(warm, "storage", "remove", "1")
    assert done(warm, "storage", "quota", "videos", "none", "--json").json["rules"] == []


def test_the_trash_is_listed_and_emptied_run_by_run(warm: Service) -> None:
    assert done(warm, "trash", "list").out == "The trash is empty.\n"
    gone = [done(warm, "run", *BRIEF, "--no-start").out.strip() for _ in range(2)]
    done(warm, "delete", *gone)
    assert {run["id"] for run in done(warm, "trash", "list", "--json").json["runs"]} == set(gone)
    assert gone[0] in done(warm, "trash", "list").out
    assert call(warm.runs_dir, "trash", "empty", gone[0]).status == 2, "nobody could be asked"
    assert call(warm.runs_dir, "trash", "empty", "nobody", "--yes").status == 3
    assert done(warm, "trash", "empty", gone[0], typed="y\n").out.endswith("kB.\n")
    assert done(warm, "trash", "empty", "--yes", "--json").json == {"removed": [gone[1]]}


def test_prune_reports_in_json_what_it_did_and_not_only_what_it_would_do(warm: Service) -> None:
    assert done(warm, "prune", "--yes", "--json").json["done"] is None
    gone = done(warm, "run", *BRIEF, "--no-start").out.strip()
    done(warm, "delete", gone)
    refused = call(warm.runs_dir, "prune", "--json")
    assert (refused.status, refused.out, "--yes" in refused.err) == (2, "", True)
    pruned = done(warm, "prune", "--yes", "--json").json
    assert ([run["id"] for run in pruned["trash"]["runs"]], pruned["done"]["error_message"]) == ([gone], "")
    assert done(warm, "trash", "list", "--json").json["runs"] == []


def test_available_choices_are_listed_and_shown(warm: Service) -> None:
    assert "CartPole-v1" in done(warm, "environments").out
    one = done(warm, "environments", "cartpole-V1").out
    assert "solved at: 475" in one
    assert any(line.split()[:2] == ["ppo", "fast"] for line in one.splitlines())
    assert {env["family"] for env in done(warm, "environments", "--family", "toy-text", "--json").json} == {"toy-text"}
    assert call(warm.runs_dir, "environments", "CartPol").status == 3
    assert "toy-text" in call(warm.runs_dir, "environments", "--family", "toys").err
    assert "PPO" in done(warm, "algorithms").out
    assert any(line.startswith("learning_rate ") for line in done(warm, "algorithms", "ppo").out.splitlines())
    assert done(warm, "algorithms", "dqn", "--json").json["id"] == "dqn"


def test_policies_are_listed_and_filmed(warm: Service, trained: str, tmp_path: Path) -> None:
    assert any("latest" in line for line in done(warm, "film", "list", trained).out.splitlines())
    video = tmp_path / "clip.mp4"
    told = done(warm, "film", "clip", trained, "--step", "256", "--seed", "7", "-o", str(video))
    assert told.out.startswith("step 0: return "), "nothing is learned before a rollout ends"
    assert b"ftyp" in video.read_bytes()[:12]
    growth = done(warm, "film", "growth", trained, "--json").json
    assert growth["status"] == "ready"
    assert (
        call(warm.runs_dir, "film", "clip", trained, "--step", "256", "-o", str(tmp_path / "no" / "x.mp4")).status == 2
    )
    assert call(warm.runs_dir, "film", "clip", "put-there", "--step", "256").status in (3, 4)


def test_a_hint_is_tested_and_reports_its_outcome(warm: Service) -> None:
    begun = ("run", "--algo", "ppo", "--preset", "none", "--steps", "10000", "--set", "n_steps=64", "--no-start")
    run_id = done(warm, *begun, "--json").json["id"]
    metrics = JournalWriter(warm.folder(run_id).metrics_path)
    for step in range(100, 9_900, 20):
        metrics.append({"step": step, "values": {"episode/reward": 20.0, "eval/mean_reward": 20.0}})
    metrics.flush()
    metrics.close()
    assert "--test reward-flat" in done(warm, "hints", run_id).out
    assert call(warm.runs_dir, "hints", run_id, "--test", "reward-flat").status == 2, "it asks first"
    assert call(warm.runs_dir, "hints", run_id, "--change", "gamma").status == 2
    told = done(warm, "hints", run_id, "--test", "reward-flat", "--yes", "--wait").out
    assert "completed: 6 of 6 trials scored" in told
    assert "paired seeds" in told
    [experiment] = [one["id"] for one in warm.get("/experiments")["experiments"]]
    assert "Test of the hint “Nothing was learned yet”" in done(warm, "experiment", "show", experiment).out
    assert "Tested once on CartPole-v1 with PPO" in done(warm, "hints", run_id).out


def test_hints_episodes_and_relatives_are_printed(warm: Service, trained: str) -> None:
    assert done(warm, "hints", trained, "--json").json["rules"]
    assert done(warm, "hints", trained).out
    done(warm, "evaluate", trained, "--episodes", "2", "--no-video")
    found = done(warm, "episodes", trained, "--sort", "-return").out
    assert "2 of 2 episodes in 1 evaluation." in found
    assert len(done(warm, "episodes", trained, "--where", "return > 1e6", "--json").json["episodes"]) == 0
    assert "%: " in done(warm, "episodes", trained, "--endings").out
    forked = done(warm, "fork", trained, "--set", "learning_rate=1e-5", "--wait", "--json").json["id"]
    family = done(warm, "family", forked).out
    first, second = [line for line in family.splitlines() if "ppo-cartpole" in line][:2]
    assert first.startswith(f"{trained} ")
    assert second.startswith(f"  {forked} (this run)")
    assert "learning_rate 0.001 → 1e-05" in family


def test_a_damaged_run_is_repaired(warm: Service) -> None:
    journal = make_run(warm.runs_dir, "damaged", rows=3, status="completed").metrics_path
    journal.write_bytes(b"nothing\n" + journal.read_bytes())
    assert warm.api("POST", "/runs/damaged/take-up").is_success
    assert done(warm, "repair", "damaged").out.startswith("damaged completed")
    assert [json.loads(line)["seq"] for line in journal.read_text().splitlines()] == [1, 2, 3]


@pytest.mark.parametrize(
    ("arguments", "explores"),
    [
        ((), {"map": False, "coverage": 0.3, "novelty": None, "archive": 0.5}),
        (("--preset", "none", "--steps", "1000"), None),
        (("--coverage", "0.1"), {"map": False, "coverage": 0.1, "novelty": None, "archive": 0.5}),
        (("--option", "observation=pixels", "--map"), {"map": True, "coverage": 0.3, "novelty": None, "archive": 0.5}),
        (("--algo", "ppo", "--preset", "stable", "--imitation", "5"),
         {"map": False, "coverage": 0.3, "novelty": None, "archive": 0.5, "imitation": 5}),
        (("--algo", "dqn", "--coverage", "0.1"), {"map": False, "coverage": 0.1, "novelty": None}),
        (("--no-exploration",), None),
        (("--no-exploration", "--archive", "0.2"), {"map": False, "coverage": None, "novelty": None, "archive": 0.2}),
    ],
)  # fmt: skip
def test_options_of_exploration_override_those_of_the_preset_one_by_one(
    warm: Service, arguments: tuple[str, ...], explores: dict[str, object] | None
) -> None:
    run_id = done(warm, "run", "--env", "GameBoy/Lamplighter-v0", *arguments, "--no-start").out.strip()
    assert warm.get(f"/runs/{run_id}")["config"].get("exploration") == explores
