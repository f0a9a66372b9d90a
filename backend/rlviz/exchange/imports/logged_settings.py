"""What logs say of a run's algorithm, environment and hyperparameters."""

from __future__ import annotations

import json
from typing import Any

from rlviz.domain.records import MAX_STEP
from rlviz.exchange.imports.found_run import FoundRun
from rlviz.exchange.tensorboard import CONFIGURATION

MOST_TEXT = 1_000_000
MOST_SETTINGS = 500


def take_text(tag: str, text: str, found: FoundRun) -> None:
    """Settings: the configuration of this product's own files, or the table that CleanRL logs."""
    if len(text) > MOST_TEXT:
        return
    if tag == CONFIGURATION:
        _take_configuration(text, found)
    elif tag in ("hyperparameters", "config", "args"):
        _take_table(text, found)


def _take_configuration(text: str, found: FoundRun) -> None:
    try:
        config: Any = json.loads(text.strip().removeprefix("```json").removesuffix("```"))
    except (ValueError, RecursionError):
        return
    if not isinstance(config, dict):
        return
    take_names(config, found)
    found.name = config["name"] if isinstance(config.get("name"), str) else found.name
    if isinstance(settings := config.get("hyperparameters"), dict):
        found.settings.update(settings)


def _take_table(text: str, found: FoundRun) -> None:
    """``|name|value|`` in each line, after a head."""
    pairs = [line.strip().strip("|").split("|", 1) for line in text.splitlines()[2 : MOST_SETTINGS + 2]]
    table = {name.strip(): _plain(value.strip()) for name, value in (pair for pair in pairs if len(pair) == 2)}
    take_names(table, found)
    found.settings.update(table)


def take_names(settings: dict[str, Any], found: FoundRun) -> None:
    """Algorithm, environment, seed and steps, as tools call them."""
    for name in ("env_id", "env", "env_name"):
        if isinstance(value := settings.get(name), str) and value:
            found.env_id = value
            break
    if isinstance(value := settings.get("algo"), str) and value:
        found.algo = value
    if type(value := settings.get("seed")) is int:
        take_seed(value, found)
    for name in ("total_timesteps", "n_timesteps"):
        if isinstance(steps := settings.get(name), int | float) and 1 <= steps <= MAX_STEP:
            found.total_timesteps = int(steps)


def take_seed(seed: int, found: FoundRun) -> None:
    """Note the seed of a run. A seed that cannot be recorded becomes a warning."""
    if 0 <= seed <= MAX_STEP:
        found.seed = seed
    else:
        found.rows.warn(f"Its seed is {seed:,}. A run can have a seed from 0 to {MAX_STEP:,}; 0 is recorded.")


def _plain(value: str) -> Any:
    try:
        plain = json.loads(value)
    except (ValueError, RecursionError):
        return {"True": True, "False": False, "None": None}.get(value, value)
    return plain
