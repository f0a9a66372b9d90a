"""FoundRun: a run as another tool has logged it, its rows bounded and checked, before anything is written.

What other tools call what this product has a name for. All other scalars keep their names.

Which runs were imported before, so that the same logs do not become a second run unasked.

What logs say of a run's algorithm, environment and hyperparameters.
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
from rlviz.domain.naming import distinct, recorded_name, renames_text
from rlviz.domain.plain_text import encodable
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
"""Columns of a progress file that count environment steps, the surest first."""

LOG_STEP_COLUMNS = ("time/total_timesteps", "misc/total_timesteps", "timesteps_total")
"""Those that stand in logs alone: settings have a ``total_timesteps`` too."""

ELAPSED_COLUMNS = ("time/time_elapsed", "time_elapsed", "misc/time_elapsed", "time_total_s")
"""Columns that count the seconds since training began."""

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
"""Names of algorithms in the paths of Stable-Baselines3 and its Zoo."""


MOST_VALUES = 5_000_000
VALUES_A_ROW = 3
"""A row takes memory beside its values: as much as so many."""
MOST_METRICS = 1_000
MOST_WARNINGS = 50
MOST_WARNING_CHARACTERS = 1_000
MOST_PLACES = 5
"""Lines that one warning names; of further ones it tells how many there are."""

NO_STEP = "It has no step: a whole number of steps, 0 or more, is needed."


class Row(NamedTuple):
    """``time`` in Unix seconds; None: not known. None among ``values`` stands for NaN or infinity."""

    step: int
    time: float | None
    values: dict[str, float | None]


class BeyondBounds(ImportRefused):
    """There is more in a run than is read: it is refused as a whole."""


def as_step(value: object) -> int | None:
    """Return the step that a number is; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MAX_STEP:
        return None
    return int(value) if int(value) == value else None


@dataclass
class _LeftOut:
    """Places in a file that were left out for one reason."""

    file: str
    unit: str
    why: str
    places: list[int] = field(default_factory=list)
    count: int = 0

    def __str__(self) -> str:
        if self.count == 1:
            return f"{self.file}, {self.unit} {self.places[0]} is left out. {self.why}"
        named = ", ".join(map(str, self.places))
        more = f" and {self.count - len(self.places):,} more" if self.count > len(self.places) else ""
        return f"{self.file}: {self.unit}s {named}{more} are left out, each for this: {self.why}"


class Rows:
    """Rows of one run in the order of their steps, under this product's names."""

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
        """What the run has to say of what could not be taken as it was; each once."""
        found = [*(encodable(str(one)) for one in self._left_out.values()), *self._messages]
        return [*found, f"There are {self._more_warnings:,} more warnings."] if self._more_warnings else found

    def add(self, step: int, time: float | None, values: Mapping[str, float]) -> None:
        """Raises ImportRefused for a step that is none, and BeyondBounds."""
        if not 0 <= step <= MAX_STEP:
            raise ImportRefused(f"It has a row at step {step}. Steps are whole numbers, 0 or more.")
        if time is not None and not (math.isfinite(time) and 0 <= time <= MAX_TIME):
            time = None
        taken = {self._name(name): self._finite(name, value) for name, value in values.items()}
        self._values += len(taken) + VALUES_A_ROW
        self._check(self._values)
        if taken:
            self._is_sorted = self._is_sorted and (not self._rows or self._rows[-1].step <= step)
            self._rows.append(Row(step, time, taken))

    def hold(self, values: int) -> None:
        """Count values that a reader holds before it adds them. Raises BeyondBounds."""
        self._held += values
        self._check(self._held)

    def drop_from(self, step: int, first: int) -> int:
        """Drop the rows at ``step`` and beyond of those from the ``first``-th on; return how many those were."""
        before = len(self._rows)
        if self._is_sorted and first == 0:
            while self._rows and self._rows[-1].step >= step:
                self._rows.pop()
        else:
            self.hold(before - first)  # each time all of them are gone through
            self._rows[first:] = [row for row in self._rows[first:] if row.step < step]
        return before - len(self._rows)

    def warn(self, message: str) -> None:
        message = encodable(message[:MOST_WARNING_CHARACTERS])
        if message not in self._messages and len(self._messages) >= MOST_WARNINGS:
            self._more_warnings += 1
        else:
            self._messages[message] = None

    def leave_out_file(self, why: str) -> None:
        """Note that a file cannot be read, or no further. ``why``: a sentence."""
        self._faults.append(why)
        self.warn(why)

    def leave_out(self, file: str, place: int, why: str, unit: str = "line") -> None:
        """Note that a line, or another ``unit`` of a file, cannot be taken. ``why``: a sentence."""
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
        """By step, each with a time, that of the row before where it has none; episodes are counted where they are not.

        ``began``: Unix seconds, of rows before the first that has a time. Raises ImportRefused if there are none.
        """
        if not self._rows:
            reasons = [*self._faults, *self.warnings, "There is no number in it that could be drawn."]
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
        """Return the name of a metric here: no two of a run become one."""
        if (name := self._names.get(logged)) is None:
            if len(self._names) >= MOST_METRICS:
                raise BeyondBounds(f"It has more than {MOST_METRICS:,} metrics. Leave out those you do not need.")
            taken = set(self._names.values())
            name = ALIASES.get(logged, logged)
            if name in taken or name == logged:
                name = distinct(recorded_name(logged), taken)
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
    """Notes it, once a run, where the steps of a log go back."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._last: dict[str, int] = {}
        self._has_warned = False

    def check(self, file: str, place: int, step: int, metric: str = "", unit: str = "line") -> None:
        """``metric``: of tools that log each metric at steps of its own; ``unit``: what ``place`` counts."""
        last = self._last.get(metric, 0)
        self._last[metric] = step
        if step < last and not self._has_warned:
            self._has_warned = True
            what = f" of {metric}" if metric else ""
            self._rows.warn(
                f"{file}, {unit} {place:,}: steps{what} go back from {last:,} to {step:,}, as where training went on "
                "from an earlier step or began again. Rows from before and after it are in the order of their steps."
            )

    def restart(self, step: int) -> None:
        """What was logged at ``step`` and beyond does not count any more."""
        self._last = {metric: min(last, step) for metric, last in self._last.items()}


@dataclass
class FoundRun:
    """``source``: where it came from, in words. What is None is not known."""

    source: str
    name: str
    began: float
    """Unix seconds, where its rows have no times."""
    rows: Rows = field(default_factory=Rows)
    algo: str | None = None
    env_id: str | None = None
    seed: int | None = None
    total_timesteps: int | None = None
    settings: dict[str, Any] = field(default_factory=dict)

    @contextmanager
    def reading(self, path: Path) -> Iterator[None]:
        """A block that reads one file of the run: a file that cannot be read becomes a warning. Raises BeyondBounds."""
        try:
            yield
        except BeyondBounds:
            raise
        except ImportRefused as error:
            self.rows.leave_out_file(str(error))
        except OSError as error:
            self.rows.leave_out_file(f"{path.name} cannot be read ({error.strerror or error}).")


FIELD = "imported_digest"


def digest_of(rows: Iterable[Row]) -> str:
    """Of the curves alone: steps and values, whatever the names of files and their times are. 64 hexadecimal digits."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(json.dumps([row.step, sorted(row.values.items())]).encode())
    return digest.hexdigest()


def imported_before(runs_dir: Path) -> dict[str, str]:
    """Ids of the runs that were imported, by digest; of several the first. One that cannot be read is none of them."""
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
