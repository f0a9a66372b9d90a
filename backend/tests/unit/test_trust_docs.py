"""docs/trust.md names every file and field of a bundle and how an import treats it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rlviz.domain.config import RunConfig
from rlviz.domain.evaluation import EvaluationRecord
from rlviz.rundir.contents import PLACES, Place
from rlviz.settings import HARMLESS, HARMLESS_TO_OWN_RUNS, Settings
from tests.support.cases import cases

TEXT = (Path(__file__).parents[3] / "docs" / "trust.md").read_text()


def roles(heading: str) -> dict[str, str]:
    """Return the role that the table below ``heading`` gives each file or field in its first column."""
    found: dict[str, str] = {}
    for row in TEXT.split(heading, 1)[1].split("\n\n", 1)[0].splitlines()[2:]:
        names, role, *_ = (cell.strip() for cell in row.strip("|").split("|"))
        found |= dict.fromkeys(re.findall("`([^`]+)`", names), role)
    return found


FILES = roles("| file | role | starts with | what an import changes |")


@cases("place", PLACES, ids=lambda place: place.path)
def test_each_path_of_a_run_folder_has_its_role(place: Place) -> None:
    folders = {name: role for name, role in FILES.items() if name.endswith("/")}
    said = FILES.get(place.path) or FILES.get(f"{place.path}/")
    within = next((role for name, role in folders.items() if place.path.startswith(name)), None)
    files_below = [name for name in FILES if name.startswith(f"{place.path}/")]
    if place.is_folder and said is None and files_below:
        return  # a folder is what its files are
    assert (said or within) == place.role.value, place.path


def test_the_table_lists_only_files_that_a_run_folder_can_have() -> None:
    known = {place.path for place in PLACES} | {f"{place.path}/" for place in PLACES if place.is_folder}
    below = {"parent/<run id>/"}
    assert FILES.keys() - below <= known


@pytest.mark.parametrize(
    ("heading", "model"),
    [("| field of `config.json` |", RunConfig), ("| field of `eval/eval_*.json` |", EvaluationRecord)],
)
def test_each_field_has_its_role(heading: str, model: type[RunConfig] | type[EvaluationRecord]) -> None:
    assert roles(heading).keys() == model.model_fields.keys()


def test_each_setting_that_needs_trust_is_named_unless_it_only_affects_runs_of_the_folder() -> None:
    assert Settings.model_fields.keys() >= HARMLESS | HARMLESS_TO_OWN_RUNS
    need_trust = Settings.model_fields.keys() - HARMLESS - HARMLESS_TO_OWN_RUNS
    for name in need_trust - {"trust_runs_dir"}:
        assert f"`{name}`" in TEXT, name
