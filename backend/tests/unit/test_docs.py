"""The documentation covers every endpoint, setting, command and status, and its examples work.

A failure names what is missing; add it to the document, not to this file.
"""

from __future__ import annotations

import itertools
import json
import re
import shlex
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import typer
from fastapi.routing import APIRoute
from pydantic import BaseModel
from sqlmodel import SQLModel
from typer.main import get_command

import rlviz.server.catalog.models  # noqa: F401  (fills the metadata)
from measuring import document
from rlviz import server
from rlviz.cli import reference
from rlviz.cli.main import app
from rlviz.domain import config, evaluation, events, storage_rules
from rlviz.domain import events as event_lines
from rlviz.domain import metrics as records
from rlviz.domain.errors import RlvizError
from rlviz.domain.events import EventKind
from rlviz.domain.status import RESUMES, TRANSITIONS, RunStatus
from rlviz.launchers import LAUNCHERS
from rlviz.learning.algorithms import ALGORITHMS
from rlviz.rundir import control, folder
from rlviz.rundir.folder import RunFolder
from rlviz.server.app import create_api
from rlviz.server.stream.models import STREAM_EVENTS
from rlviz.settings import PREFIX, Settings
from rlviz.stats import hints
from rlviz.stats import judging as query
from rlviz.stats.hints.registry import RETURN_RULES, RULES
from tests.support.cases import cases
from tests.support.described_api import described_api

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
DOCUMENTS = sorted(path.relative_to(ROOT).as_posix() for path in DOCS.rglob("*.md"))
ROUTES = [route for route in create_api().routes if isinstance(route, APIRoute) and route.include_in_schema]
OPERATIONS = [(method, route.path_format) for route in ROUTES for method in route.methods]
SERVER = Path(server.__path__[0])
SCHEMAS = [
    import_module(f"rlviz.server.{path.parent.name}.{path.stem}")
    for path in sorted(SERVER.glob("*/*.py"))
    if path.stem in ("models", "choices")
]
MODELS: dict[str, type[BaseModel]] = {
    name: value
    for module in (config, evaluation, event_lines, events, records, storage_rules, control, folder, *SCHEMAS)
    for name, value in vars(module).items()
    if isinstance(value, type) and issubclass(value, BaseModel)
}


def read(name: str) -> str:
    return (ROOT / name).read_text()


def section(text: str, heading: str) -> str:
    """Return the text below a heading, up to the next one of the same or a higher level."""
    match = re.search(rf"^(#+) {re.escape(heading)}$", text, re.MULTILINE)
    assert match, f"no heading {heading!r}"
    rest = text[match.end() :]
    end = re.search(rf"^#{{1,{len(match[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def table(text: str) -> dict[str, list[str]]:
    """Return the rows of the first table by the code in their first cell."""
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]
    return {row[0].strip("`"): row[1:] for row in cells}


# The API


def test_every_endpoint_is_listed() -> None:
    listed = re.findall(r"^\| `([A-Z]+) (/[^`]*)` \|", section(read("docs/api.md"), "Endpoints"), re.MULTILINE)
    assert sorted(listed) == sorted(OPERATIONS)


def test_the_served_reference_describes_every_endpoint() -> None:
    described = [(method.upper(), path) for path, methods in described_api()["paths"].items() for method in methods]
    assert sorted(described) == sorted(OPERATIONS)


@cases(("method", "path"), OPERATIONS, ids=lambda value: value)
def test_the_served_reference_describes_every_endpoint_and_parameter(method: str, path: str) -> None:
    operation = described_api()["paths"][path][method.lower()]
    assert operation.get("description"), f"{method} {path} has no description"
    for parameter in operation.get("parameters", []):
        described = parameter.get("description") or parameter["schema"].get("description")
        assert parameter["in"] == "path" or described or explained(parameter["name"]), parameter["name"]


@pytest.mark.parametrize(
    "name",
    ["RunCreate", "RunPatch", "EvaluationCreate", "ClipCreate", "GrowthVideoCreate", "ForkCreate", "SessionCreate"],
)
def test_the_served_reference_describes_every_field_of_a_request(name: str) -> None:
    for field, schema in described_api()["components"]["schemas"][name]["properties"].items():
        assert schema.get("description") or explained(field), field


def explained(name: str) -> bool:
    """Return whether the name is self-explanatory or documented in docs/api.md."""
    return name in {"algo", "env_id", "name", "notes", "start", "tags"} or f"`{name}`" in read("docs/api.md")


def test_the_api_document_is_short_enough_to_read() -> None:
    assert len(read("docs/api.md").splitlines()) <= 500


def test_every_term_of_the_episode_search_is_documented() -> None:
    text = section(read("docs/episodes.md"), "Searching")
    fields, flags = text.split("Flags, which are true or false:")
    assert table(fields).keys() == query.FIELDS.keys()
    assert table(flags).keys() == query.FLAGS.keys()


def test_every_hint_is_documented() -> None:
    rules = "".join(path.read_text() for path in Path(hints.__file__).parent.glob("*.py"))
    known = {name for line in re.findall(r"^ +id=(.*)$", rules, re.MULTILINE) for name in re.findall('"(.+?)"', line)}
    assert table(section(read("docs/figures.md"), "Hints")).keys() == known


def test_every_hint_of_a_rule_is_explained_as_a_failure_mode() -> None:
    guides = "".join(path.read_text() for path in (ROOT / "frontend/src/screens/explain/guides").glob("*.ts*"))
    explained = set(re.findall(r'^ +id: "(.+?)",$', guides, re.MULTILINE))
    assert {rule.id for rule in (*RULES, *RETURN_RULES)} <= explained


def test_every_event_of_a_stream_is_documented() -> None:
    assert table(section(read("docs/api.md"), "Events")).keys() == STREAM_EVENTS.keys()


def test_every_status_is_documented_with_its_transitions() -> None:
    rows = table(section(read("docs/api.md"), "Status of a run"))
    assert rows.keys() == {status.value for status in RunStatus}
    for status in RunStatus:
        targets = TRANSITIONS[status] | RESUMES.get(status, frozenset())
        assert set(re.findall(r"`([a-z]+)`", rows[status.value][1])) == {target.value for target in targets}


def test_every_error_is_documented_with_its_status() -> None:
    def tree(error: type[RlvizError]) -> Iterator[type[RlvizError]]:
        for kind in error.__subclasses__():
            if kind.__module__ == "rlviz.domain.errors":
                yield kind
                yield from tree(kind)

    text = section(read("docs/api.md"), "Errors")
    for error in tree(RlvizError):
        assert f"`{error.status}`" in text, error.__name__
        if error.status < 500 and not error.__subclasses__():
            assert error.title in text, error.__name__


# Settings and commands


@cases("name", Settings.model_fields)
def test_every_setting_is_documented(name: str) -> None:
    assert f"{PREFIX}{name}".upper() in table(read("docs/settings.md"))


def test_no_nonexistent_setting_is_documented() -> None:
    documented = table(read("docs/settings.md")).keys()
    assert documented == {f"{PREFIX}{name}".upper() for name in Settings.model_fields}


def test_the_command_line_document_matches_the_commands() -> None:
    assert read("docs/cli.md") == reference.document(), "Run 'make cli-docs'."


@cases("name", [*DOCUMENTS, "README.md"])
def test_every_command_in_a_document_exists_with_its_options(name: str) -> None:
    for line in commands_in(name):
        command: Any = commands()
        options = {"-h", "--help", *options_of(command)}
        words = shlex.split(line, comments=True)
        for before, word in itertools.pairwise(words):
            if word in ("|", ">", "&&", "&"):
                break
            if re.fullmatch("--[a-z].*|-[a-z]", word):
                assert word in options, f"{line}: {word}"
            elif hasattr(command, "get_command"):
                below = command.get_command(typer.Context(command), word)
                assert below or before.startswith("-"), f"{line}: {word}"
                command = below or command
                options |= options_of(command)
        assert not hasattr(command, "get_command") or {"--help", "--version"} & {*words}, f"{line}: no command"


@cache
def commands() -> Any:
    """All commands of ``rlviz``: building them takes longer than to look one up."""
    return get_command(app)


def options_of(command: Any) -> set[str]:
    return {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}


def commands_in(name: str) -> list[str]:
    """Return the lines of shell blocks that call ``rlviz``, without what precedes its name."""
    blocks = re.findall(r"^```(?:sh|bash)\n(.*?)^```$", read(name), re.MULTILINE | re.DOTALL)
    lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
    return [match[1] for line in lines if (match := re.match(r"(?:[A-Z_]+=\S+ +)*(?:\S*/)?(rlviz .*)", line))]


@pytest.mark.parametrize("name", LAUNCHERS.names())
def test_every_launcher_is_documented(name: str) -> None:
    assert f"`{name}`" in table(read("docs/settings.md"))["RLVIZ_LAUNCHER"][1]


# Storage


@pytest.mark.parametrize("name", SQLModel.metadata.tables)
def test_every_column_and_index_is_documented(name: str) -> None:
    model = SQLModel.metadata.tables[name]
    text = section(read("docs/storage.md"), f"Table `{name}`")
    assert table(text).keys() == {column.name for column in model.columns}
    for index in model.indexes:
        columns = ", ".join(f"`{column.name}`" for column in index.columns)
        assert f"`{index.name}` on {columns}" in text, index.name


@cases("kind", EventKind)
def test_every_event_of_a_journal_has_an_example(kind: EventKind) -> None:
    text = section(read("docs/storage.md"), "events.jsonl")
    assert kind.value in table(text)
    assert f'"event":"{kind.value}"' in text


def test_every_file_of_a_run_folder_is_documented() -> None:
    text = section(read("docs/storage.md"), "The folder of a run")
    run = RunFolder(Path(), "a-run")
    for path in (value for value in vars(run).values() if isinstance(value, Path) and value != run.path):
        assert f"`{path.name}" in text, path.name


# Presets and hyperparameters


def test_the_preset_document_matches_their_pages_schemas_and_figures() -> None:
    assert read("docs/presets.md") == document.document(), "Run 'make presets ARGS=--docs-only'."


# Quality


def test_every_requirement_is_traced_and_every_named_test_exists() -> None:
    text = read("docs/qa.md")
    numbers = [*range(1, 19), *range(20, 29), *range(30, 34), 40, 41, *range(50, 57)]
    assert re.findall(r"^\| (R\d\d) \|", text, re.MULTILINE) == [f"R{number:02}" for number in numbers]
    text += read("docs/reliability.md")
    named = re.findall(r"`((?:unit|scripted|real|exhaustive)/[\w/]+\.py)(?:::(\w+))?`", text)
    assert len(named) > 50
    for file, test in named:
        path = ROOT / "backend" / "tests" / file
        assert path.exists(), file
        assert not test or f"def {test}(" in path.read_text(), test
    for file in re.findall(r"`((?:e2e|src)/[^`]+\.tsx?)`", text):
        assert (ROOT / "frontend" / file).exists(), file


# Examples


def examples_in(name: str) -> list[tuple[str, str]]:
    """Return the model name and text of the code blocks that are marked as examples of a model."""
    return re.findall(r"^```json ([A-Za-z]+)\n(.*?)^```$", read(name), re.MULTILINE | re.DOTALL)


EXAMPLES = [(name, model, text) for name in DOCUMENTS for model, text in examples_in(name)]


@cases(("name", "model", "text"), EXAMPLES)
def test_each_example_matches_its_declared_model(name: str, model: str, text: str) -> None:
    is_journal = model in ("MetricRecord", "EventRecord")
    for piece in text.splitlines() if is_journal else [text]:
        example = json.loads(piece)
        assert partly(example, MODELS[model].model_validate(example).model_dump(mode="json")), piece


def partly(example: Any, whole: Any) -> bool:
    """Return whether ``whole`` contains everything in ``example``; 1 and 1.0 are equal."""
    if isinstance(example, dict):
        return isinstance(whole, dict) and all(
            key in whole and partly(value, whole[key]) for key, value in example.items()
        )
    if isinstance(example, list):
        return isinstance(whole, list) and len(example) == len(whole) and all(map(partly, example, whole))
    return bool(example == whole)


def test_examples_of_a_stream_are_events_in_the_form_the_service_sends() -> None:
    blocks = re.findall(r"^```text\n((?:id|event|data|:).*?)^```$", read("docs/api.md"), re.MULTILINE | re.DOTALL)
    seen = set()
    for block in "\n\n".join(blocks).split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.strip().splitlines() if not line.startswith(":"))
        if fields:
            kind = fields["event"]
            STREAM_EVENTS[kind].model_validate_json(fields["data"])
            assert ("id" in fields) == (kind == "metrics")
            seen.add(kind)
    assert seen == STREAM_EVENTS.keys()


def test_every_curl_example_calls_an_endpoint_that_exists() -> None:
    calls = re.findall(r"curl [^\n]*?/api(/[^\s'\"?]*)", read("docs/api.md").replace("\\\n", " "))
    patterns = [re.sub(r"\{[^}]+\}", "[^/]+", path) for _, path in OPERATIONS]
    assert len(calls) > 5
    for call in calls:
        assert any(re.fullmatch(pattern, call) for pattern in patterns) or call.startswith("/runs/$RUN/artifacts/"), (
            call
        )


@cases("name", [*DOCUMENTS, "README.md"])
def test_no_link_is_broken(name: str) -> None:
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", read(name)):
        if "://" in target:
            continue
        path = (ROOT / name).parent / target if target else ROOT / name
        assert path.exists(), f"{name} links to {target}"
        if anchor:
            assert anchor in anchors(path.read_text()), f"{name} links to {target}#{anchor}"


def anchors(text: str) -> set[str]:
    """Return the anchor names that GitHub gives to the headings of a document."""
    outside = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)$", outside, re.MULTILINE)
    }


@cases("name", ALGORITHMS.names())
def test_every_algorithm_has_a_guide(name: str) -> None:
    guides = ROOT / "frontend/src/screens/explain/guides"
    assert (guides / f"{name}.tsx").is_file()
    assert f'import("./{name}")' in (guides / "registry.ts").read_text()
