"""Commands on the rules of a run: rules list, add, remove, try."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AsJson, RunName, connected, examples, find_run
from rlviz.cli.output import print_json, print_table, say
from rlviz.cli.rule_text import HELP, read_rules

RuleTexts = Annotated[list[str] | None, typer.Argument(metavar="RULE", help="WHEN -> DO, in quotation marks, or JSON.")]
RuleFile = Annotated[
    Path | None, typer.Option("--file", metavar="FILE", help="Rules in JSON or YAML; they come before the others.")
]


def register(app: typer.Typer) -> None:
    group = typer.Typer(help="Rules that act on a run automatically.", no_args_is_help=True)
    group.command("list", epilog=examples("rlviz rules list last", "rlviz rules list last --json"))(list_)
    group.command(
        help=f"Add rules to a run, after its existing ones. They take effect at once, also while it trains.\n\n{HELP}",
        epilog=examples(
            "rlviz rules add last 'rollout/ep_rew_mean >= 475 for 5 -> stop and notify'",
            "rlviz rules add last 'any not finite -> roll back, learning_rate *= 0.5, at most 3'",
            "rlviz rules add last --file rules.yaml",
        ),
    )(add)
    group.command(epilog=examples("rlviz rules remove last 2", "rlviz rules remove last --all"))(remove)
    group.command("try", epilog=examples("rlviz rules try last 'rollout/ep_rew_mean falls 30% -> stop'"))(try_)
    app.add_typer(group, name="rules")


def list_(context: typer.Context, run: RunName, as_json: AsJson = False) -> None:
    """List the rules of a run."""
    with connected(context) as connection:
        found = connection.get(f"/runs/{find_run(connection, run)}/rules")
    _show(found, as_json)


def add(
    context: typer.Context, run: RunName, rules: RuleTexts = None, file: RuleFile = None, as_json: AsJson = False
) -> None:
    new = read_rules(rules, file)
    if not new:
        raise Failure(Exit.BAD_INPUT, "Give a rule as WHEN -> DO, for instance 'steps 50000 -> pause'.")
    with connected(context) as connection:
        path = f"/runs/{find_run(connection, run)}/rules"
        given = {"rules": [*connection.get(path)["rules"], *new]}
        _show(connection.request("PUT", path, json=given).json(), as_json)


def remove(
    context: typer.Context,
    run: RunName,
    numbers: Annotated[
        list[int] | None, typer.Argument(metavar="NUMBER", help="Numbers of the rules, as in `rlviz rules list`.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Remove all rules.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove rules from a run."""
    if every == bool(numbers):
        raise Failure(Exit.BAD_INPUT, "Name the numbers of the rules, or give --all.")
    with connected(context) as connection:
        path = f"/runs/{find_run(connection, run)}/rules"
        had = connection.get(path)["rules"]
        if unknown := next((number for number in numbers or () if not 1 <= number <= len(had)), None):
            raise Failure(Exit.NOT_FOUND, f"There is no rule {unknown}: the run has {len(had)}.")
        left = [] if every else [rule for number, rule in enumerate(had, 1) if number not in (numbers or ())]
        _show(connection.request("PUT", path, json={"rules": left}).json(), as_json)


def try_(
    context: typer.Context, run: RunName, rules: RuleTexts = None, file: RuleFile = None, as_json: AsJson = False
) -> None:
    """Show where rules would have fired on the logged metrics of a run. Without rules, try the run's own."""
    new = read_rules(rules, file)
    with connected(context) as connection:
        path = f"/runs/{find_run(connection, run)}/rules"
        tried = connection.post(f"{path}/dry-run", {"rules": new or connection.get(path)["rules"]})
    if as_json:
        print_json(tried)
        return
    rows = [
        (str(one["step"]), str(one["rule"]), "; ".join([*one["done"], *one["not_done"]]), one["says"])
        for one in tried["firings"]
    ]
    if rows:
        print_table(("STEP", "RULE", "WOULD", "SINCE"), rows, keep=2)
    say(f"They would have fired {tried['total']} times." if tried["total"] != 1 else "They would have fired once.")
    for number in tried["unknown"]:
        say(f"Rule {number} cannot be tried: the logged metrics contain neither disk space nor errors.")


def _show(found: dict[str, Any], as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    for number, words in enumerate(found["words"], 1):
        say(f"{number}. {words}.")
    if not found["words"]:
        say("It has no rules.")
