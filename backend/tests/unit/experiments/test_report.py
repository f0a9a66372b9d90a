"""The report of an experiment as HTML, Markdown and LaTeX."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from rlviz.domain.evaluation import PolicyChoice
from rlviz.stats.experiments import ExperimentResults, LearningCurve, Setting, Trial, experiment_results
from rlviz.stats.experiments.report import (
    ReportHead,
    draw_curves,
    draw_forest,
    draw_profiles,
    draw_thresholds,
    each_seed,
    latex,
    markdown,
    report,
)
from rlviz.stats.experiments.trials import Paid
from rlviz.stats.number_text import NO_INTERVAL
from rlviz.stats.report_page import NARROW, WIDE, Scale, frame, stretches

HOSTILE = "<script>alert(\"1\")</script> & 'x' | 5 % _a_"


def results_of(label: str) -> ExperimentResults:
    curve = LearningCurve(np.array([100.0, 200.0]), np.array([1.0, 20.0]))
    trials = [
        Trial(variant, seed, f"{variant}-{seed}", score + seed, True, 200, reached, 3.0, Paid(3.0, 200), curve)
        for variant, score, reached in (("a", 10.0, 200.0), ("b", 0.0, None))
        for seed in range(5)
    ]
    names = {"a": label, "b": "plain"}
    return experiment_results(trials, Setting(names, dict.fromkeys(names, "CartPole-v1"), threshold=12.0))


def page(label: str = "PPO") -> str:
    head = ReportHead(f"Test {label}", "test-1", "2026-11-23 12:00 UTC", "1.0", f'{{"name": "</pre>{label}"}}')
    return report(head, results_of(label))


class Seen(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_report_states_the_verdict_and_draws_every_picture() -> None:
    seen = Seen(page())
    assert "PPO is better than plain with probability 1.00 [1.00, 1.00]." in seen.text
    for title in ("Scores", "Learning curves", "Probability of improvement", "Performance profiles", "Cost"):
        assert title in seen.text
    labels = [str(value) for name, value in seen.attributes if name == "aria-label"]
    pictures = ["Forest plot", "Learning curves", "Performance profiles", "Steps to threshold"]
    drawn = [label.split(" of ")[0] for label in labels if " variants" in label]
    assert drawn == [name for name in pictures for _ in ("wide", "narrow")]


def test_cost_is_in_whole_core_seconds_like_on_the_page() -> None:
    found = results_of("PPO")
    cost = found.cost.model_copy(
        update={
            "core_seconds": 226.6,
            "variants": [one.model_copy(update={"core_seconds": 175.7}) for one in found.cost.variants],
        }
    )
    head = ReportHead("Cost", "cost-1", "now", "1.0", "{}")
    text = Seen(report(head, found.model_copy(update={"cost": cost}))).text
    assert "227 core-seconds." in text
    assert "core-secondsenvironment stepstrialsPPO1761,0005" in text


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_pictures_draw_everything_within_their_width(width: float) -> None:
    found = results_of("A name that is longer than there is room for in a picture")
    places = {"a": 0, "b": 1}
    assert found.thresholds is not None
    for drawn in (
        draw_forest(found.forest, found.variants, places, width),
        draw_curves(found.curves, 12.0, places, width),
        draw_profiles(found.profiles, places, "return", width),
        draw_thresholds(found.thresholds, places, width),
    ):
        assert drawn.attrib["viewBox"].split()[2] == f"{width:g}"
        for text in drawn.iter("text"):
            shown = text[0].tail if len(text) else text.text
            written = 6.0 * len(shown or "")  # pixels, about
            x = float(text.attrib["x"])
            begin = x - written * {"start": 0.0, "middle": 0.5, "end": 1.0}[text.attrib.get("text-anchor", "start")]
            assert begin >= 0, shown
            assert begin + written <= width, shown


def test_times_to_threshold_have_the_band_of_greenwoods_formula() -> None:
    steps = (100.0, 200.0, 300.0)
    trials = [Trial("a", seed, f"a-{seed}", 1.0, True, 400, at) for seed, at in enumerate((*steps, None, None))]
    found = experiment_results(trials, Setting({"a": "A"}, {"a": "CartPole-v1"}, threshold=12.0))
    assert found.thresholds is not None
    (one,) = found.thresholds.variants
    drawn = draw_thresholds(found.thresholds, {"a": 0})
    (band,) = [shape for shape in drawn.iter("path") if "band" in shape.attrib["class"]]
    corners = [tuple(map(float, point.split())) for point in band.attrib["d"].strip("MZ").split("L")]
    box = frame((0.0, 400.0), (0.0, 1.0), WIDE)
    assert {x for x, _ in corners} == {round(box.x(step), 1) for step in (*steps, 400.0)}
    ends = [1 - share for share in (*one.low, *one.high) if share is not None]
    assert len(ends) == 2 * len(steps)
    assert {y for _, y in corners} == {round(box.y(end), 1) for end in ends}


def test_each_seed_has_a_row_with_its_score_and_its_steps() -> None:
    found = results_of("PPO")
    table = each_seed(found)
    assert table is not None
    rows = [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
    assert rows[0] == ["variant", "seed", "score", "trained for", "steps to threshold"]
    assert rows[1] == ["PPO", "0", "10.0", "200", "200"]
    assert rows[6] == ["plain", "0", "0", "200", "> 200"]
    assert len(rows) == 11
    trials = [Trial("a", seed, f"a-{seed}", float(seed), ended=True, steps=9) for seed in range(100)]
    many = each_seed(experiment_results(trials, Setting({"a": "A"}, {"a": "CartPole-v1"})))
    assert many is not None
    assert (many.tag, "open" in many.attrib) == ("details", False)


def test_a_caption_does_not_scroll_with_its_table() -> None:
    text = page()
    assert text.count("<figcaption>") == text.count("<table>") > 3
    assert "<caption>" not in text


def test_the_report_fetches_nothing_and_runs_nothing() -> None:
    seen = Seen(page(HOSTILE))
    assert not {"script", "link", "img", "iframe", "object", "embed", "base", "form"} & set(seen.tags)
    assert not [name for name, _ in seen.attributes if name.startswith("on") or name in {"src", "href", "style"}]
    assert "url(" not in page()
    assert "@import" not in page()


def test_names_are_escaped_everywhere() -> None:
    text = page(HOSTILE)
    assert "<script" not in text
    assert "</pre><" not in text.replace("</pre></details>", "")
    assert Seen(text).text.count(HOSTILE) > 5


def test_both_colour_schemes_give_every_series_a_colour() -> None:
    light, dark = page().split("prefers-color-scheme: dark", 1)
    for place in range(1, 11):
        assert f"--s{place}: #" in light
        assert f"--s{place}: #" in dark


def test_empty_results_also_have_a_report() -> None:
    found = experiment_results([Trial("a", 0, "", None, ended=False)], Setting({"a": "A"}, {"a": "CartPole-v1"}))
    text = report(ReportHead("Empty", "empty-1", "now", "1.0", "{}"), found)
    assert "No verdict yet: no trial has a score." in text


def test_markdown_has_a_row_for_each_variant_and_escapes_its_name() -> None:
    lines = markdown(results_of(HOSTILE)).splitlines()
    assert lines[0].startswith("| variant | seeds | IQM |")
    assert lines[2].startswith("| \\<\u200bscript\\>")
    assert r"\|" in lines[2]
    cells = re.split(r"(?<!\\)\|", lines[3])
    assert [cell.strip() for cell in cells[1:4]] == ["plain", "5", "2.00"]


def test_latex_commands_in_names_are_escaped() -> None:
    text = latex(results_of(r"50 % of a_b & \input{x}"))
    assert r"50 \% of a\_b \& \textbackslash{}input\{x\} & 5 & 12.0" in text
    assert text.count(r"\\") == 3


@pytest.mark.parametrize("name", ["[64, 64]", "*", "* [64]"])
def test_a_latex_row_is_never_read_as_an_argument_of_the_previous_line(name: str) -> None:
    assert f"    {{}}{name} & 5 & 12.0" in latex(results_of(name))
    assert "    a [64] & 5 & 12.0" in latex(results_of("a [64]"))


def test_ticks_are_round_and_within_the_scale() -> None:
    assert Scale(0, 100_000, 0, 1).ticks() == [0, 20_000, 40_000, 60_000, 80_000, 100_000]
    assert Scale(-0.3, 0.7, 0, 1).ticks() == [-0.2, 0.0, 0.2, 0.4, 0.6]
    assert Scale(5, 5, 0, 1).ticks() == [5]


def test_ticks_have_distinct_labels() -> None:
    assert [text for _, text in Scale(-1188, -1175, 0, 1).marks()] == ["-1,185", "-1,180", "-1,175"]
    assert next(text for _, text in Scale(-1200, -1150, 0, 1).marks()) == "-1.2k"
    for low in (-1188.4, 995.0, 12_345.0, 999_990.0, 7_654_321.0):
        for span in (2, 7, 40, 260, 5e4):
            marks = Scale(low, low + span, 0, 1).marks()
            assert len({text for _, text in marks}) == len(marks)


def test_a_gap_in_a_curve_stays_a_gap() -> None:
    assert stretches([1, 2, 3, 4], [5.0, None, 7.0, 8.0]) == [[(1, 5.0)], [(3, 7.0), (4, 8.0)]]


def test_with_one_seed_page_tables_and_verdict_say_that_there_is_no_interval() -> None:
    seeds = {"ppo": [92.0], "dqn": [80.0, 81.0, 82.0, 83.0, 84.0], "a2c": [70.0, 71.0, 72.0, 73.0, 74.0]}
    trials = [
        Trial(variant, seed, f"{variant}-{seed}", score, ended=True, steps=100, reached=50)
        for variant, scores in seeds.items()
        for seed, score in enumerate(scores)
    ]
    found = experiment_results(
        trials, Setting({one: one for one in seeds}, dict.fromkeys(seeds, "CartPole-v1"), threshold=90.0)
    )
    pair = next(one for one in found.improvements.pairs if "ppo" in (one.first, one.second))
    assert (pair.low, pair.high, pair.joint_low, pair.joint_high, pair.made.resamples) == (None,) * 5
    assert found.thresholds is not None
    assert (found.thresholds.variants[0].median_low, found.thresholds.variants[0].median_high) == (None, None)
    text = report(ReportHead("One", "one-1", "now", "1.0", "{}"), found)
    for shown in (text, markdown(found), latex(found), *found.verdict.reasons[:1]):
        assert NO_INTERVAL in shown
        assert "92.0, 92.0" not in shown
    assert f"1.00 {NO_INTERVAL}" in text


def test_differing_methods_of_figures_are_shown_in_a_collapsed_section() -> None:
    assert "How each figure was computed" not in page()
    trials = [
        Trial(variant, seed, f"{variant}-{seed}", 10.0 + seed, ended=True, steps=100, policy=policy)
        for variant, policy in (("a", PolicyChoice.BEST), ("b", PolicyChoice.LATEST))
        for seed in range(5)
    ]
    found = experiment_results(trials, Setting({"a": "A", "b": "B"}, dict.fromkeys("ab", "CartPole-v1")))
    text = report(ReportHead("Two", "two-1", "now", "1.0", "{}"), found)
    assert "<details><summary>How each figure was computed</summary>" in text


def test_every_list_starts_with_the_best_and_variants_keep_their_colours() -> None:
    trials = [
        Trial(variant, seed, f"{variant}-{seed}", score, True, 200, 200.0, 3.0, Paid(3.0, 200))
        for variant, score in (("a", None), ("b", 1.0), ("c", 20.0))
        for seed in range(2)
    ]
    names = {"a": "Nothing", "b": "Worse", "c": "Better"}
    found = experiment_results(trials, Setting(names, dict.fromkeys(names, "CartPole-v1"), threshold=12.0))
    text = report(ReportHead("Order", "order-1", "now", "1.0", "{}"), found)
    for title in ("Steps to threshold", "Each seed", "Cost"):
        section = Seen(text.split(f"<h2>{title}</h2>")[1].split("</section>")[0])
        places = [section.text.index(name) for name in ("Better", "Worse", "Nothing")]
        assert places == sorted(places), title
    steps = text.split("<h2>Steps to threshold</h2>")[1].split("</section>")[0]
    assert re.findall(r'class="line (s\d)"', steps.split('class="legend"')[1]) == ["s3", "s2", "s1"]
