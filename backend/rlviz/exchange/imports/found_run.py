"""FoundRun: a run from another tool's logs, with checked and bounded rows, before anything is written.

Also here: metric names of other tools, algorithm and settings from logs, and digests that detect repeated imports.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from rlviz.domain.errors import ImportRefused, RunFolderError
from rlviz.domain.ids import MAX_TIME
from rlviz.domain.metrics import EP_LEN_MEAN, EP_REW_MEAN, EPISODE_INDEX, EPISODE_LENGTH, EPISODE_REWARD, FPS, MAX_STEP
from rlviz.domain.naming import make_distinct, recorded_name, renames_text
from rlviz.domain.plain_text import escape_surrogates
from rlviz.exchange.export import CONFIGURATION
from rlviz.rundir.files import read_small
from rlviz.rundir.folder import run_folders

ALIASES = {
    # CleanRL
    "charts/episodic_return": EPISODE_REWARD,
    "charts/episodic_length": EPISODE_LENGTH,
    "charts/learning_rate": "train/learning_rate",
    "charts/SPS": FPS,
    "losses/value_loss": "train/value_loss",
    "losses/policy_loss": "train/policy_gradient_loss",
    "losses/approx_kl": "train/approx_kl",
    "losses/clipfrac": "train/clip_fraction",
    "losses/explained_variance": "train/explained_variance",
    "losses/actor_loss": "train/actor_loss",
    # OpenAI Baselines and Stable-Baselines 2
    "eprewmean": EP_REW_MEAN,
    "eplenmean": EP_LEN_MEAN,
    "explained_variance": "train/explained_variance",
    # RLlib
    "ray/tune/episode_reward_mean": EP_REW_MEAN,
    "ray/tune/episode_len_mean": EP_LEN_MEAN,
    "episode_reward_mean": EP_REW_MEAN,
    "episode_len_mean": EP_LEN_MEAN,
}


STEP_COLUMNS = (
    "time/total_timesteps",
    "time/total timesteps",
    "total_timesteps",
    "total timesteps",
    "misc/total_timesteps",
    "timesteps_total",
    "steps",
    "step",
    "global_step",
)
"""Columns of a progress file that count environment steps, most reliable first."""

LOG_STEP_COLUMNS = ("time/total_timesteps", "misc/total_timesteps", "timesteps_total")
"""The ones that only appear in logs: settings have a ``total_timesteps``, too."""

ELAPSED_COLUMNS = ("time/time_elapsed", "time_elapsed", "misc/time_elapsed", "time_total_s")
"""Columns that count seconds since the start of training."""

ALGORITHMS = frozenset(
    [
        "a2c",
        "acer",
        "acktr",
        "ars",
        "crossq",
        "ddpg",
        "dqn",
        "her",
        "ppo",
        "ppo1",
        "ppo2",
        "ppo_lstm",
        "recurrentppo",
        "maskableppo",
        "qrdqn",
        "sac",
        "td3",
        "tqc",
        "trpo",
    ]
)
"""Names of algorithms in paths of Stable-Baselines3 and the RL Zoo."""


MOST_VALUES = 5_000_000
VALUES_A_ROW = 3
"""Memory of a row besides its values, in values."""
MOST_METRICS = 1_000
MOST_WARNINGS = 50
MOST_WARNING_CHARACTERS = 1_000
MOST_PLACES = 5
"""Maximum lines that one warning names; further ones are only counted."""

NO_STEP = "It has no step. Steps must be whole numbers from 0."


class Row(NamedTuple):
    """A row of metrics. ``time`` in Unix seconds, None if unknown. A value of None means NaN or infinity."""

    step: int
    time: float | None
    values: dict[str, float | None]


class BeyondBounds(ImportRefused):
    """A run is too large: it is refused as a whole."""


def to_step(value: object) -> int | None:
    """Return a number as a step; None if it is not one."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_STEP:
        return None
    return int(value) if int(value) == value else None


@dataclass
class _LeftOut:
    """Places in a file that were skipped for the same reason."""

    file: str
    unit: str
    why: str
    places: list[int] = field(default_factory=list)
    count: int = 0

    def __str__(self) -> str:
        if self.count == 1:
            return f"{self.file}, {self.unit} {self.places[0]} was skipped. {self.why}"
        named = ", ".join(map(str, self.places))
        more = f" and {self.count - len(self.places):,} more" if self.count > len(self.places) else ""
        return f"{self.file}: {self.unit}s {named}{more} were skipped, all for this reason: {self.why}"


class Rows:
    """Rows of one run ordered by step, under this product's metric names."""

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._names: dict[str, str] = {}
        self._values = self._held = 0
        self._is_sorted = True
        self._messages: dict[str, None] = {}
        self._left_out: dict[tuple[str, str], _LeftOut] = {}
        self._more_warnings = 0
        self._faults: list[str] = []

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def warnings(self) -> list[str]:
        """Return the warnings about what could not be imported as it was, each once."""
        found = [*(escape_surrogates(str(one)) for one in self._left_out.values()), *self._messages]
        return [*found, f"There are {self._more_warnings:,} more warnings."] if self._more_warnings else found

    def add(self, step: int, time: float | None, values: Mapping[str, float]) -> None:
        """Add a row. Raises ImportRefused for an invalid step, and BeyondBounds."""
        if not 0 <= step <= MAX_STEP:
            raise ImportRefused(f"It has a row at step {step}. Steps must be whole numbers from 0.")
        if time is not None and not (math.isfinite(time) and 0 <= time <= MAX_TIME):
            time = None
        taken = {self._name(name): self._finite(name, value) for name, value in values.items()}
        self._values += len(taken) + VALUES_A_ROW
        self._check(self._values)
        if taken:
            self._is_sorted = self._is_sorted and (not self._rows or self._rows[-1].step <= step)
            self._rows.append(Row(step, time, taken))

    def hold(self, values: int) -> None:
        """Count values that a reader buffers before adding them. Raises BeyondBounds."""
        self._held += values
        self._check(self._held)

    def drop_from(self, step: int, first: int) -> int:
        """Drop the rows from the ``first``-th on whose step is at least ``step``; return how many."""
        before = len(self._rows)
        if self._is_sorted and first == 0:
            while self._rows and self._rows[-1].step >= step:
                self._rows.pop()
        else:
            self.hold(before - first)  # each call scans all of them
            self._rows[first:] = [row for row in self._rows[first:] if row.step < step]
        return before - len(self._rows)

    def warn(self, message: str) -> None:
        message = escape_surrogates(message[:MOST_WARNING_CHARACTERS])
        if message not in self._messages and len(self._messages) >= MOST_WARNINGS:
            self._more_warnings += 1
        else:
            self._messages[message] = None

    def leave_out_file(self, why: str) -> None:
        """Note that a file is unreadable, or from some place on. ``why`` is a sentence."""
        self._faults.append(why)
        self.warn(why)

    def leave_out(self, file: str, place: int, why: str, unit: str = "line") -> None:
        """Note that a line, or another ``unit`` of a file, cannot be used. ``why`` is a sentence."""
        if (file, why) not in self._left_out and len(self._left_out) >= MOST_WARNINGS:
            self._more_warnings += 1
            return
        noted = self._left_out.setdefault((file, why), _LeftOut(file, unit, why))
        noted.count += 1
        if len(noted.places) < MOST_PLACES:
            noted.places.append(place)

    def has(self, name: str) -> bool:
        return name in self._names.values()

    def finished(self, began: float) -> list[Row]:
        """Return the rows by step, with times (that of the previous row if unknown), and with counted episodes.

        ``began``: Unix seconds for rows before the first known time. Raises ImportRefused if there are no rows.
        """
        if not self._rows:
            reasons = [*self._faults, *self.warnings, "It contains no numbers to draw."]
            raise ImportRefused(reasons[0])
        known, episodes = began, 0
        counted = self.has(EPISODE_INDEX)
        found = []
        for row in sorted(self._rows, key=lambda row: row.step):
            known = known if row.time is None else row.time
            if EPISODE_REWARD in row.values and not counted:
                episodes += 1
                row.values[EPISODE_INDEX] = episodes
            found.append(row._replace(time=known))
        return found

    def _check(self, values: int) -> None:
        if values > MOST_VALUES:
            raise BeyondBounds(f"It has more than {MOST_VALUES:,} values. Import it in parts, or thin it out first.")

    def _name(self, logged: str) -> str:
        """Return the metric's name here; two metrics of a run never become one."""
        if (name := self._names.get(logged)) is None:
            if len(self._names) >= MOST_METRICS:
                raise BeyondBounds(f"It has more than {MOST_METRICS:,} metrics. Leave out those you do not need.")
            taken = set(self._names.values())
            name = ALIASES.get(logged, logged)
            if name in taken or name == logged:
                name = make_distinct(recorded_name(logged), taken)
            self._names[logged] = name
            if name not in (ALIASES.get(logged), logged):
                self.warn(renames_text({logged: name}, "A run"))
        return name

    def _finite(self, name: str, value: float) -> float | None:
        if math.isfinite(value):
            return value
        self.warn(f"{self._name(name)} has values that are not finite; they are gaps.")
        return None


class StepOrder:
    """Notes once per run that the steps of a log decrease."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._last: dict[str, int] = {}
        self._has_warned = False

    def check(self, file: str, place: int, step: int, metric: str = "", unit: str = "line") -> None:
        """Check a step. ``metric``: for tools that log each metric at its own steps; ``unit``: what ``place``
        counts."""
        last = self._last.get(metric, 0)
        self._last[metric] = step
        if step < last and not self._has_warned:
            self._has_warned = True
            what = f" of {metric}" if metric else ""
            self._rows.warn(
                f"{file}, {unit} {place:,}: steps{what} go back from {last:,} to {step:,}, as if training continued "
                "from an earlier step or restarted. All rows are sorted by step."
            )

    def restart(self, step: int) -> None:
        """Discard what was logged at ``step`` and later."""
        self._last = {metric: min(last, step) for metric, last in self._last.items()}


@dataclass
class FoundRun:
    """A run read from logs. ``source``: its origin in words. None means unknown."""

    source: str
    name: str
    began: float
    """Unix seconds, used if its rows have no times."""
    rows: Rows = field(default_factory=Rows)
    algo: str | None = None
    env_id: str | None = None
    seed: int | None = None
    total_timesteps: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)

    @contextmanager
    def reading(self, path: Path) -> Iterator[None]:
        """Read one file of the run in the block: an unreadable file becomes a warning. Raises BeyondBounds."""
        try:
            yield
        except BeyondBounds:
            raise
        except ImportRefused as error:
            self.rows.leave_out_file(str(error))
        except OSError as error:
            self.rows.leave_out_file(f"{path.name} cannot be read ({error.strerror or error}).")


FIELD = "imported_digest"


def curves_digest(rows: Iterable[Row]) -> str:
    """Return the hash of the curves only (steps and values, not file names or times), 64 hexadecimal digits."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(json.dumps([row.step, sorted(row.values.items())]).encode())
    return digest.hexdigest()


def find_imported(runs_dir: Path) -> dict[str, str]:
    """Return the ids of imported runs by digest; of several, the first. Unreadable runs are ignored."""
    found: dict[str, str] = {}
    sign = f'"{FIELD}": "'.encode()
    for folder in run_folders(runs_dir):
        with suppress(OSError, RunFolderError, ValueError):
            written = read_small(folder.config_path, folder.path)
            if sign in written and isinstance(digest := json.loads(written).get(FIELD), str):
                found.setdefault(digest, folder.run_id)
    return found


MOST_TEXT = 1_000_000
MOST_SETTINGS = 500


def apply_text(tag: str, text: str, found: FoundRun) -> None:
    """Read settings from a text: our own configuration, or the table that CleanRL logs."""
    if len(text) > MOST_TEXT:
        return
    if tag == CONFIGURATION:
        _apply_configuration(text, found)
    elif tag in ("hyperparameters", "config", "args"):
        _apply_table(text, found)


def _apply_configuration(text: str, found: FoundRun) -> None:
    try:
        config: Any = json.loads(text.strip().removeprefix("```json").removesuffix("```"))
    except (ValueError, RecursionError):
        return
    if not isinstance(config, dict):
        return
    apply_settings(config, found)
    found.name = config["name"] if isinstance(config.get("name"), str) else found.name
    if isinstance(settings := config.get("hyperparameters"), dict):
        found.settings.update(settings)


def _apply_table(text: str, found: FoundRun) -> None:
    """Read lines of the form ``|name|value|`` after a header."""
    pairs = [line.strip().strip("|").split("|", 1) for line in text.splitlines()[2 : MOST_SETTINGS + 2]]
    table = {name.strip(): _plain(value.strip()) for name, value in (pair for pair in pairs if len(pair) == 2)}
    apply_settings(table, found)
    found.settings.update(table)


def apply_settings(settings: dict[str, Any], found: FoundRun) -> None:
    """Read algorithm, environment, seed and steps from settings, under the names that tools use."""
    for name in ("env_id", "env", "env_name"):
        if isinstance(value := settings.get(name), str) and value:
            found.env_id = value
            break
    if isinstance(value := settings.get("algo"), str) and value:
        found.algo = value
    if type(value := settings.get("seed")) is int:
        record_seed(value, found)
    for name in ("total_timesteps", "n_timesteps"):
        if isinstance(steps := settings.get(name), int | float) and 1 <= steps <= MAX_STEP:
            found.total_timesteps = int(steps)


def record_seed(seed: int, found: FoundRun) -> None:
    """Record the seed of a run; an invalid one becomes a warning."""
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
