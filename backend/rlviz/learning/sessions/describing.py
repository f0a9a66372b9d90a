"""Plays a ROM of the user's by hand, to find out what its memory means: the session in which a game is described.

It shows the values of taps and expressions after each step, searches the memory, and saves start states beside the ROM.
Imports PyBoy, so only the worker of such a session may import it.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from rlviz.domain.environment import Binding, Controls
from rlviz.domain.errors import EnvironmentFaulty
from rlviz.domain.expressions import BadExpression, Expression, Values, parse_expression
from rlviz.domain.games import Tap
from rlviz.domain.limits import DEFAULT_FRAME_SKIP
from rlviz.domain.recording import Actor, StepRecord
from rlviz.domain.sessions import (
    BeginSearch,
    ClientMessage,
    EpisodeMessage,
    ErrorMessage,
    Forward,
    GameValuesMessage,
    Hello,
    LoadStartState,
    NarrowSearch,
    Pause,
    Play,
    Rate,
    Reset,
    SaveStartState,
    SearchCandidate,
    SearchMessage,
    SessionMode,
    ShowGameValues,
    StartStateMessage,
    StateMessage,
    TakeAction,
    UndoNarrowing,
)
from rlviz.domain.spaces import Space, box
from rlviz.learning.environments.base import add_letter_keys
from rlviz.learning.environments.gameboy.cartridge import Cartridge, read_game_file
from rlviz.learning.environments.gameboy.emulator import HEIGHT, WIDTH, Emulator
from rlviz.learning.environments.gameboy.game_file import BUTTONS, BadGame, is_readable, start_path
from rlviz.learning.environments.gameboy.own import KEYS, LABELS
from rlviz.learning.environments.gameboy.ram_search import REGIONS, RamSearch
from rlviz.learning.playing.recording import as_png
from rlviz.learning.sessions.actions import Pace, TimeShare
from rlviz.learning.sessions.packets import Presence
from rlviz.learning.sessions.player import LONGEST_WAIT_SECONDS
from rlviz.learning.sessions.stage import Outlet, SessionInput
from rlviz.regular_file import create_regular

PICTURES_A_SECOND = 30.0
FRAMES_A_PICTURE = 2
"""Frames from one picture to the next while the game runs at its own speed."""

MOST_CANDIDATES = 200
"""Candidates of a search that are shown."""

VALUES_SECONDS, SEARCH_SECONDS = 0.1, 0.25
"""Least time between two messages with values, and with the state of the search, while the game runs."""

STATES = tuple("start.state" if number == 1 else f"start-{number}.state" for number in range(1, 101))
"""Names of the start states that are saved in the folder of a game."""

MOST_STEPS = 60
"""Steps that are taken at once."""


class GameDescriber:
    """Plays a cartridge for a viewer; call ``run_once`` in a loop. Nothing is played without a viewer.

    Args:
        cartridge: The ROM.
        folder: The folder of the game, in which start states are saved.
        env_id: The environment that the game is or becomes.
        start: Name of the start state to begin with; None: switch on.
        alive: Called before anything slow, and at least every ``LONGEST_WAIT_SECONDS``.
    """

    def __init__(
        self,
        cartridge: Cartridge,
        folder: Path,
        env_id: str,
        start: str | None,
        outlet: Outlet,
        *,
        alive: Callable[[], None] = lambda: None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder, self._env_id, self._outlet = folder, env_id, outlet
        self._alive, self._monotonic = alive, monotonic
        self._emulator = _switch_on(cartridge)
        self._switched_on = self._emulator.save()
        self._pace = Pace(PICTURES_A_SECOND, monotonic, playing=False)
        self._pressed: tuple[str, ...] = ()
        self._tapped: tuple[str, ...] = ()
        self._has_viewer = False
        self._episode, self._pictures, self._frames = 0, 0, 0
        self._readings = _Readings(self._emulator)
        self._search: RamSearch | None = None
        self._values_share = TimeShare(0.5, monotonic, every=VALUES_SECONDS)
        self._search_share = TimeShare(0.5, monotonic, every=SEARCH_SECONDS)
        self._sent_values: GameValuesMessage | None = None
        self._sent_search: SearchMessage | None = None
        self._start: StartStateMessage | None = None
        self._problem: str | None = None
        if start is not None:
            try:
                self._load(start)
            except ValueError as error:
                self._problem = str(error)

    def run_once(self) -> None:
        """Handle one message, play to the next picture if it is due, or wait briefly for either."""
        self._alive()
        can_play = self._has_viewer and self._pace.wants_steps
        wait = self._pace.seconds_left if can_play else LONGEST_WAIT_SECONDS
        arrived = self._outlet.wait(min(wait, LONGEST_WAIT_SECONDS))
        if arrived is not None:
            self._handle_input(arrived)
        elif can_play and not self._pace.seconds_left:
            self._advance()

    def _advance(self) -> None:
        """Play to the next picture, or by one step if steps are requested one by one."""
        frames = FRAMES_A_PICTURE if self._pace.playing else self._readings.frames_left
        held = self._pressed or self._tapped
        self._tapped = ()
        while frames:
            part = min(frames, self._readings.frames_left)
            frames -= part
            self._emulator.hold(held, part, render=not frames)
            self._readings.pass_frames(part)
        self._pace.step_taken(None)
        self._show()

    def _show(self) -> None:
        """Send the screen, and the values and candidates if they are due."""
        record = StepRecord(
            episode=self._episode,
            index=self._pictures,
            actor=Actor.PERSON,
            elapsed_ms=round(self._pictures * 1_000 / PICTURES_A_SECOND, 1),
        )
        self._pictures += 1
        self._outlet.show(record, self._emulator.screen()[:, :, :3].copy())
        hurried = self._pace.playing
        if not hurried or self._values_share.is_due:
            with self._values_share.spent():
                self._send_values()
        if not hurried or self._search_share.is_due:
            with self._search_share.spent():
                self._send_search()

    def _handle_input(self, arrived: SessionInput) -> None:
        if isinstance(arrived, Presence):
            self._has_viewer = arrived.looks
            self._pressed = self._tapped = ()
            if arrived.looks:
                self._introduce()
            return
        refusal = None
        try:
            self._do(arrived)
        except ValueError as error:
            refusal = str(error)
        if not isinstance(arrived, TakeAction | ShowGameValues):
            self._send_state()
        if refusal is not None:
            self._outlet.send(ErrorMessage(detail=refusal))

    def _do(self, arrived: ClientMessage | object) -> None:
        match arrived:
            case Play():
                self._pace.play()
            case Pause():
                self._pace.pause()
                self._send_values()  # those of the last picture, which may not have been due
                self._send_search()
            case Forward(n=n):
                self._pace.pause(owed=min(n, MOST_STEPS))
            case Rate(fps=fps):
                self._pace.change(fps)
            case TakeAction(value=value):
                self._pressed = _buttons(value)
                self._tapped = self._pressed or self._tapped
            case Reset():
                self._emulator.load(self._switched_on)
                self._begin()
            case ShowGameValues(taps=taps, expressions=expressions, frame_skip=frame_skip):
                self._readings.choose(taps, expressions, frame_skip)
                self._send_values()
            case BeginSearch(width=width):
                self._search = None if width is None else RamSearch(width, self._memory())
                self._send_search()
            case NarrowSearch(test=test, number=number):
                search = self._current_search()
                search.narrow(test, number)
                self._send_search()
            case UndoNarrowing():
                self._current_search().undo()
                self._send_search()
            case SaveStartState():
                self._save()
            case LoadStartState(name=name):
                self._load(name)
                self._begin()
            case _:
                raise ValueError("This is not possible while a game is described.")

    def _begin(self) -> None:
        """Show the moment that the emulator was brought to."""
        self._episode, self._pictures = self._episode + 1, 0
        self._readings.begin()
        self._outlet.send(EpisodeMessage(episode=self._episode, seed=0))
        if self._start is not None:
            self._outlet.send(self._start)
        self._show()

    def _introduce(self) -> None:
        """Send everything that a new viewer needs."""
        self._outlet.send(
            Hello(
                mode=SessionMode.DESCRIBE,
                env_id=self._env_id,
                run_id=None,
                fps=PICTURES_A_SECOND,
                actor=Actor.PERSON,
                actors=(Actor.PERSON,),
                greedy=True,
                action_space=Space("MultiBinary", shape=(len(BUTTONS),), n=len(BUTTONS), labels=BUTTONS, dtype="int8"),
                observation_space=box(shape=(HEIGHT, WIDTH, 3), dtype="uint8"),
                action_bounds=None,
                controls=controls(),
            )
        )
        self._sent_values = self._sent_search = None
        self._send_state()
        self._begin()
        if self._problem is not None:
            self._outlet.send(ErrorMessage(detail=self._problem))
        self._pace.hurry()

    def _send_state(self) -> None:
        self._outlet.send(StateMessage(playing=self._pace.playing, fps=self._pace.fps, actor=Actor.PERSON, greedy=True))

    def _send_values(self) -> None:
        found = self._readings.message()
        if found != self._sent_values:
            self._sent_values = found
            self._outlet.send(found)

    def _send_search(self) -> None:
        found = SearchMessage(width=None)
        if self._search is not None:
            self._search.update(self._memory())
            shown = self._search.candidates(MOST_CANDIDATES)
            found = SearchMessage(
                width=self._search.width,
                total=self._search.total,
                narrowings=self._search.narrowings,
                candidates=tuple(SearchCandidate(**one._asdict()) for one in shown),
            )
        if found != self._sent_search:
            self._sent_search = found
            self._outlet.send(found)

    def _current_search(self) -> RamSearch:
        """Return the search with the memory of this moment. Raises ValueError if there is none."""
        if self._search is None:
            raise ValueError("There is no search. Begin one first.")
        self._search.update(self._memory())
        return self._search

    def _memory(self) -> bytes:
        return b"".join(bytes(self._emulator.read_at(first, last - first + 1)) for first, last in REGIONS)

    def _save(self) -> None:
        """Save this moment in a new file. Raises ValueError with a sentence if that is not possible."""
        self._emulator.hold((), 1)  # with no button held
        self._readings.pass_frames(1)
        try:
            path = create_regular([self._folder / name for name in STATES], self._emulator.save().saved)
        except FileExistsError as error:
            raise ValueError(
                f"{self._folder} has {len(STATES)} start states. Remove those that no run needs."
            ) from error
        except OSError as error:
            raise ValueError(
                f"The start state cannot be saved in {self._folder}: {error.strerror}. Make sure that you can write "
                "there, and save again."
            ) from error
        self._start = StartStateMessage(name=path.name, picture=self._picture(), saved=True)
        self._outlet.send(self._start)
        self._start = self._start.model_copy(update={"saved": False})
        self._show()

    def _load(self, name: str) -> None:
        """Continue from a start state of the folder. Raises ValueError with a sentence if it cannot be loaded."""
        now = self._emulator.save()
        try:
            self._emulator.load_bytes(read_game_file("start state", start_path(name, self._folder)))
            self._emulator.hold((), 1)  # draws it
        except (BadGame, EnvironmentFaulty) as error:
            raise ValueError(str(error)) from error
        except Exception as error:
            self._emulator.load(now)
            raise ValueError(
                f"PyBoy cannot load the start state {name}: {error}. Another ROM or another version of PyBoy saved it. "
                "Save a new one."
            ) from error
        self._start = StartStateMessage(name=name, picture=self._picture(), saved=False)

    def _picture(self) -> str:
        png = as_png(self._emulator.screen()[:, :, :3].copy(), level=9)
        return "data:image/png;base64," + base64.b64encode(png).decode()


def _switch_on(cartridge: Cartridge) -> Emulator:
    """Return an emulator after its first frame: PyBoy restores the screen only after a drawn one.

    Raises EnvironmentFaulty if PyBoy cannot run the cartridge.
    """
    try:
        emulator = Emulator(cartridge)
        emulator.hold((), 1)
    except EnvironmentFaulty:
        raise
    except Exception as error:
        raise EnvironmentFaulty(f"PyBoy cannot run {cartridge.rom}: {error}") from error
    return emulator


class _Readings:
    """The taps and expressions that a viewer wants to see, and their values after the newest step."""

    def __init__(self, emulator: Emulator) -> None:
        self._emulator = emulator
        self._taps: Sequence[Tap] = ()
        self._expressions: Mapping[str, Expression | None] = {}
        self._frame_skip, self._passed = DEFAULT_FRAME_SKIP, 0
        self._now: Sequence[int | None] = ()
        self._before: Sequence[int | None] = ()

    @property
    def frames_left(self) -> int:
        """Frames until the end of this step."""
        return self._frame_skip - self._passed

    def choose(self, taps: Sequence[Tap], expressions: Mapping[str, str], frame_skip: int) -> None:
        self._frame_skip, self._passed = frame_skip, min(self._passed, frame_skip - 1)
        if tuple(taps) != tuple(self._taps):
            self._taps = taps
            self.begin()
        names = [tap.name for tap in self._taps if is_readable(tap)]
        self._expressions = {key: _parsed(text, names) for key, text in expressions.items()}

    def begin(self) -> None:
        """Read the values of the first moment, in which nothing has changed."""
        self._passed = 0
        self._now = self._before = self._read()

    def pass_frames(self, frames: int) -> None:
        """Count frames, at most ``frames_left``, and read the values at the end of a step."""
        self._passed += frames
        if self._passed >= self._frame_skip:
            self._passed = 0
            self._before, self._now = self._now, self._read()

    def message(self) -> GameValuesMessage:
        now = [float(value) for value in self._now if value is not None]
        before = [float(value) for value in self._before if value is not None]
        values = {key: _value(one, now, before) for key, one in self._expressions.items()}
        return GameValuesMessage(taps=tuple(self._now), expressions=values)

    def _read(self) -> list[int | None]:
        read = self._emulator.read_at
        return [tap.decode(read(tap.address, tap.length)) if is_readable(tap) else None for tap in self._taps]


def _parsed(text: str, names: Sequence[str]) -> Expression | None:
    try:
        return parse_expression(text, names)
    except BadExpression:
        return None


def _value(one: Expression | None, now: Values, before: Values) -> float | None:
    try:
        return None if one is None else one.evaluate(now, before)
    except ArithmeticError:
        return None


def _buttons(value: object) -> tuple[str, ...]:
    """Return the buttons that an action holds: a number for each of ``BUTTONS``. Raises ValueError for other values."""
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) != len(BUTTONS) or any(one not in (0, 1) for one in value):
        raise ValueError(f"An action is a list of {len(BUTTONS)} numbers, 0 or 1.")
    return tuple(button for button, held in zip(BUTTONS, value, strict=True) if held)


def controls() -> Controls:
    """Return a key for each button."""
    bindings = [
        Binding((KEYS[button],), 1.0, place, LABELS.get(button, button)) for place, button in enumerate(BUTTONS)
    ]
    return Controls(add_letter_keys(bindings), (0.0,) * len(BUTTONS))
