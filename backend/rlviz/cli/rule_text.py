"""Parse rules that are typed as text, such as ``train/approx_kl > 0.1 for 3 -> stop``, or in the API's JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from rlviz.cli.exits import Exit, Failure
from rlviz.regular_file import NotRegular, read_regular

MOST_FILE_BYTES = 1 << 20
"""Maximum size of a file of rules."""

HELP = """\b
WHEN is one of
  METRIC > NUMBER     or >=, <, <=
  METRIC > NUMBER for ROWS
  METRIC not finite
  any not finite
  METRIC plateau STEPS
  METRIC falls PERCENT%
  METRIC best
  seconds NUMBER
  steps NUMBER
  disk BYTES
  error (training raises one)

\b
DO is one of, or several with commas
  stop, stop and notify
  stop without saving
  any of these, within NUMBER seconds
  pause, snapshot, evaluate
  roll back, roll back to best
  notify, notify TEXT
  KNOB = NUMBER, KNOB *= FACTOR
  at most TIMES"""

_NUMBER = r"[-+]?[\d.]+(?:e[-+]?\d+)?"
_SIDES = {">": "above", ">=": "at_least", "<": "below", "<=": "at_most"}
_CONDITIONS = {
    "metric": rf"(?P<metric>\S+) *(?P<side>>=|<=|>|<) *(?P<value>{_NUMBER})(?: +for +(?P<rows>\d+)(?: rows?)?)?",
    "not_finite": r"(?P<metric>\S+) +not +finite",
    "plateau": rf"(?P<metric>\S+) +plateau +(?P<steps>{_NUMBER})",
    "fall": rf"(?P<metric>\S+) +falls +(?P<share>{_NUMBER}) *%",
    "new_best": r"(?P<metric>\S+) +best",
    "seconds": rf"seconds +(?P<seconds>{_NUMBER})",
    "steps": rf"steps +(?P<steps>{_NUMBER})",
    "disk": rf"disk +(?P<bytes>{_NUMBER})",
    "error": r"error",
}
_WORDS: dict[str, dict[str, Any]] = {
    "stop": {"kind": "stop"},
    "stop and notify": {"kind": "stop", "then": "report"},
    "stop without saving": {"kind": "stop", "then": "abort"},
    "pause": {"kind": "pause"},
    "snapshot": {"kind": "snapshot"},
    "evaluate": {"kind": "evaluate"},
    "notify": {"kind": "notify"},
    "roll back": {"kind": "roll_back", "to": "newest"},
    "roll back to best": {"kind": "roll_back", "to": "best"},
}


def read_rules(texts: list[str] | None, file: Path | None = None) -> list[dict[str, Any]]:
    """Return the rules in ``file``, a list in JSON or YAML, followed by those in ``texts``. Raises Failure."""
    return [*(_read_file(file) if file is not None else []), *(parse_rule(text) for text in texts or ())]


def parse_rule(text: str) -> dict[str, Any]:
    """Return the rule as JSON for ``POST /runs``, which validates it. Raises Failure if ``text`` is no rule."""
    if text.lstrip().startswith("{"):
        try:
            return dict(json.loads(text))
        except ValueError as error:
            raise Failure(Exit.BAD_INPUT, f"This rule is not valid JSON: {error}.") from error
    when, arrow, actions = text.partition("->")
    if not arrow:
        raise Failure(Exit.BAD_INPUT, f"A rule is WHEN -> DO, for instance `steps 50000 -> pause`, not {text!r}.")
    rule: dict[str, Any] = {"when": _condition(when.strip()), "do": []}
    for action in filter(None, map(str.strip, actions.split(","))):
        if times := re.fullmatch(r"at +most +(\d+)(?: times?)?", action):
            rule["at_most"] = int(times[1])
        else:
            rule["do"].append(_action(action))
    return rule


def _condition(text: str) -> dict[str, Any]:
    for kind, pattern in _CONDITIONS.items():
        if found := re.fullmatch(pattern, text):
            given = {name: value for name, value in found.groupdict().items() if value is not None}
            return {"kind": kind, **{name: _convert(name, value) for name, value in given.items()}}
    raise Failure(Exit.BAD_INPUT, f"{text!r} is not a condition. `rlviz rules add --help` lists the conditions.")


def _convert(name: str, value: str) -> Any:
    if name == "metric":
        return None if value == "any" else value
    if name == "side":
        return _SIDES[value]
    try:
        if name in ("rows", "steps", "bytes"):
            return int(float(value))
        return float(value) / 100 if name == "share" else float(value)
    except (ValueError, OverflowError) as error:
        raise Failure(Exit.BAD_INPUT, f"{value!r} is not a number.") from error


def _action(text: str) -> dict[str, Any]:
    if grace := re.fullmatch(rf"(stop\b.*?) +within +({_NUMBER}) *(s|seconds?|min|minutes?)", " ".join(text.split())):
        seconds = _convert("grace_seconds", grace[2]) * (60 if grace[3].startswith("m") else 1)
        if found := _WORDS.get(grace[1]):
            return {**found, "grace_seconds": seconds}
    if words := _WORDS.get(" ".join(text.split())):
        return words
    if message := re.fullmatch(r"notify +(.+)", text):
        return {"kind": "notify", "message": message[1]}
    return parse_change(text, f"{text!r} is not an action of a rule. `rlviz rules add --help` lists the actions.")


def parse_change(text: str, otherwise: str) -> dict[str, Any]:
    """Parse ``learning_rate = 1e-4`` or ``ent_coef *= 0.5`` into a change of a knob.

    Raises Failure with the message ``otherwise`` if ``text`` is neither.
    """
    found = re.fullmatch(rf" *(\w+) *(\*?)= *({_NUMBER}) *", text)
    try:
        if found is not None:
            value = float(found[3])
            change = {"kind": "scale_knob", "factor": value} if found[2] else {"kind": "set_knob", "value": value}
            return {**change, "knob": found[1]}
    except ValueError:  # 1.2.3, for instance
        pass
    raise Failure(Exit.BAD_INPUT, otherwise)


def _read_file(path: Path) -> list[dict[str, Any]]:
    import yaml

    try:
        found = yaml.safe_load(read_regular(path, MOST_FILE_BYTES).decode())
    except NotRegular as error:
        raise Failure(Exit.BAD_INPUT, f"{path} cannot be read: {error.strerror}.") from error
    except OSError as error:
        raise Failure(Exit.NOT_FOUND, f"{path} cannot be read ({error.strerror}).") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise Failure(Exit.BAD_INPUT, f"{path} cannot be parsed: {error}") from error
    found = found.get("rules") if isinstance(found, dict) else found
    if not isinstance(found, list) or not all(isinstance(rule, dict) for rule in found):
        raise Failure(Exit.BAD_INPUT, f"{path} contains no list of rules. docs/rules.md shows the format.")
    return found
