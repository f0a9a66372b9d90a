"""Commands that list choices: environments, algorithms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from rlviz.cli.completion import complete_algorithm, complete_environment
from rlviz.cli.exits import Exit, Failure
from rlviz.cli.options import AsJson, connected, examples, unknown_name_text
from rlviz.cli.output import number, print_json, print_table, say


def register(app: typer.Typer) -> None:
    app.command(epilog=examples("rlviz environments", "rlviz environments CartPole-v1"))(environments)
    app.command(epilog=examples("rlviz algorithms", "rlviz algorithms ppo"))(algorithms)


def environments(
    context: typer.Context,
    env: Annotated[
        str | None,
        typer.Argument(metavar="ENV", help="Describe only this one, in full.", autocompletion=complete_environment),
    ] = None,
    family: Annotated[str | None, typer.Option(help="Only environments of this family.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the environments, or describe one. A description includes spaces, algorithms and presets."""
    with connected(context) as connection:
        every = connection.get("/environments")
    if env is not None:
        found = find_choice(every, env, "environment", "rlviz environments")
        print_json(found) if as_json else _show_environment(found)
        return
    families = sorted({one["family"] for one in every})
    if family is not None and family not in families:
        raise Failure(Exit.NOT_FOUND, f"There is no family {family[:80]!r}, only {', '.join(families)}.")
    shown = [one for one in every if family in (None, one["family"])]
    if as_json:
        print_json(shown)
        return
    rows = [
        (
            one["id"],
            one["family_title"],
            number(one["reward_threshold"]),
            "" if one["available"] else str(one["install_hint"]),
            one["summary"],
        )
        for one in shown
    ]
    print_table(("ENVIRONMENT", "FAMILY", "SOLVED AT", "MISSING", "IS"), rows, keep=1)


def algorithms(
    context: typer.Context,
    algo: Annotated[
        str | None,
        typer.Argument(metavar="ALGO", help="Describe only this one, in full.", autocompletion=complete_algorithm),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the algorithms, or show the hyperparameters of one."""
    with connected(context) as connection:
        every = connection.get("/algorithms")
    if algo is not None:
        found = find_choice(every, algo, "algorithm", "rlviz algorithms")
        print_json(found) if as_json else _show_algorithm(found)
    elif as_json:
        print_json(every)
    else:
        rows = [(one["id"], one["title"], ", ".join(one["action_spaces"]), one["summary"]) for one in every]
        print_table(("ALGORITHM", "NAME", "ACTIONS", "IS"), rows, keep=2)


def find_choice(every: Sequence[dict[str, Any]], wanted: str, kind: str, lister: str) -> dict[str, Any]:
    """Return the choice with the id ``wanted``. Raises Failure if there is none."""
    found = next((one for one in every if one["id"].lower() == wanted.lower()), None)
    if found is None:
        raise Failure(Exit.NOT_FOUND, unknown_name_text(kind, wanted, [one["id"] for one in every], lister))
    return found


def _show_environment(env: dict[str, Any]) -> None:
    say(f"{env['id']}: {env['summary']}")
    if not env["available"]:
        say(f"It is not installed: {env['install_hint']}")
    facts = {
        "observations": env["sees"],
        "actions": env["does"],
        "solved at": number(env["reward_threshold"]),
        "longest episode": number(env["max_episode_steps"]),
        "return of random actions": number((env["random_return"] or {}).get("mean")),
        "components of the reward": ", ".join(one["name"] for one in env["reward_components"]) or "–",
        "options": ", ".join(option["name"] for option in env["options"]) or "–",
    }
    for name, text in facts.items():
        say(f"{name}: {text}")
    rows = [
        (algo, preset["id"], str(preset["total_timesteps"]), preset["title"])
        for algo, presets in env["presets"].items()
        for preset in presets
    ]
    if rows:
        say()
        print_table(("ALGO", "PRESET", "STEPS", "TITLE"), rows, keep=3)


def _show_algorithm(algorithm: dict[str, Any]) -> None:
    say(f"{algorithm['title']}: {algorithm['summary']}")
    say(
        "`rlviz set` can change during training: "
        f"{', '.join(knob['name'] for knob in algorithm['knobs']) or 'nothing'}."
    )
    say()
    rows = [
        (field["name"], _plain(field["default"]), _range(field), field["help"])
        for field in algorithm["hyperparameters"]
    ]
    print_table(("HYPERPARAMETER", "DEFAULT", "MAY BE", "IS"), rows, keep=2)


def _range(field: dict[str, Any]) -> str:
    if field.get("choices"):
        return ", ".join(map(_plain, field["choices"]))
    low, high = field.get("minimum"), field.get("maximum")
    return "" if low is None and high is None else f"{number(low)} … {number(high)}"


def _plain(value: Any) -> str:
    if value is None:
        return "–"
    return number(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value).lower()
