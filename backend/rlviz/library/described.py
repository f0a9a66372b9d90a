"""Turn a program's description of its run into a configuration. Nothing here raises, since training is about to
start."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from itertools import islice

from rlviz.domain.config import RunConfig
from rlviz.domain.errors import summarize_error
from rlviz.domain.limits import LIMITS, to_number
from rlviz.domain.metrics import MAX_STEP
from rlviz.provenance import package_versions
from rlviz.rundir.foreign import MAX_SETTINGS, foreign_config, setting_text

UNNAMED_ALGO = "custom"
UNKNOWN_ENV = "unknown"


def describe_run(
    *,
    algo: object,
    env_id: object,
    name: object,
    now: datetime,
    seed: object,
    total_timesteps: object,
    settings: object,
) -> tuple[RunConfig, list[str]]:
    """Return the configuration of a foreign run, and a warning for each part of the description that is changed or
    dropped."""
    warnings: list[str] = []
    kept = _mapping(settings, warnings)
    number, length = to_number(seed), steps_of(total_timesteps)
    if seed is not None and not (isinstance(number, int | float) and 0 <= number <= MAX_STEP and number == int(number)):
        warnings.append(
            f"The seed {setting_text(seed)} is not a whole number from 0 to {MAX_STEP:,}. It is recorded as text "
            "among the hyperparameters."
        )
        kept.setdefault("seed", setting_text(seed))
        number = None
    if total_timesteps is not None and to_number(total_timesteps) is None:
        warnings.append(f"total_timesteps is {setting_text(total_timesteps)}: not a number. It is ignored.")
    described = partial(
        foreign_config,
        algo=_name("algo", algo, warnings) or UNNAMED_ALGO,
        env_id=_name("env_id", env_id, warnings) or UNKNOWN_ENV,
        name=None if name is None else _name("name", name, warnings),
        seed=int(number or 0),
        total_timesteps=length,
        now=now,
        versions=package_versions(),
    )
    try:
        return described(settings=kept), warnings
    except Exception as error:  # an unreadable mapping of the program
        warnings.append(f"The hyperparameters cannot be recorded ({summarize_error(error)}).")
        return described(), warnings


def steps_of(total_timesteps: object) -> int | None:
    """Return the planned number of steps; None if unknown, also for infinity and ``sys.maxsize``."""
    number = to_number(total_timesteps)
    if number is None or not 0 < number <= MAX_STEP:
        return None
    return math.ceil(number)


def as_settings(config: object) -> Mapping[str, object]:
    """Return hyperparameters as a mapping. ``config`` is a mapping, an object with attributes (``argparse``), or
    None."""
    if config is None:
        return {}
    if isinstance(config, Mapping):
        return config
    return vars(config) if hasattr(config, "__dict__") else {"config": config}


def _mapping(config: object, warnings: list[str]) -> dict[str, object]:
    """Return at most MAX_SETTINGS settings."""
    try:
        settings = as_settings(config)
        if len(settings) > MAX_SETTINGS:
            warnings.append(f"config has {len(settings):,} settings; the first {MAX_SETTINGS} are recorded.")
        return dict(islice(settings.items(), MAX_SETTINGS))
    except Exception as error:  # an unreadable mapping of the program
        warnings.append(f"The hyperparameters cannot be recorded ({summarize_error(error)}).")
        return {}


def _name(what: str, given: object, warnings: list[str]) -> str | None:
    """Return ``given`` on one line, cut if it is long; None if it is empty."""
    most = LIMITS.run_name.maximum
    text = given if isinstance(given, str) else setting_text(given)
    clean = "".join(one if one.isprintable() else " " for one in text).strip()
    if len(clean) > most:
        clean = clean[: most - 1].rstrip() + "…"
    if not clean:
        warnings.append(f"{what} is {text!r}: it must be a string of 1 to {most} characters. The default is used.")
    elif clean != text.strip():
        warnings.append(f"{what} is recorded as {clean!r}: 1 to {most} characters on one line are allowed.")
    return clean or None
