"""The outbox of a session: all records in order, and only the newest frames."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from rlviz.domain.clips import Score, SeenPictures
from rlviz.domain.environment import Controls
from rlviz.domain.recording import StepRecord
from rlviz.domain.sessions import (
    SERVER_MESSAGE,
    Actor,
    EndedMessage,
    ErrorMessage,
    Hello,
    PolicyMessage,
    SessionMode,
    StepMessage,
)
from rlviz.domain.spaces import Space
from rlviz.learning.sessions.folder import SessionFolder, SessionPlan
from rlviz.learning.sessions.packets import HEAD, Kind, PackedStep, pack_step, parse_head, unpack_step
from rlviz.server.sessions.live_session import (
    IDLE_SECONDS,
    MAX_ERRORS,
    MAX_FRAMES,
    MAX_WAITING,
    TOO_SLOW,
    LiveSession,
    Outbox,
    OutboxItem,
)

HELLO = (
    Hello(
        mode=SessionMode.WATCH,
        env_id="CartPole-v1",
        run_id=None,
        fps=50.0,
        actor=Actor.RANDOM,
        actors=(Actor.RANDOM,),
        greedy=True,
        action_space=Space("Discrete", n=2),
        observation_space=Space("Box", shape=(4,)),
        action_bounds=None,
        controls=Controls(bindings=(), neutral=(None,)),
    )
    .model_dump_json()
    .encode()
)


def step(index: int, frame: bytes = b"frame") -> OutboxItem:
    return OutboxItem(StepRecord(episode=0, index=index).model_dump_json().encode(), frame, is_step=True)


async def taken(outbox: Outbox) -> list[OutboxItem]:
    return [item async for item in outbox.items()]


def read(items: list[OutboxItem]) -> list[StepMessage]:
    messages = [SERVER_MESSAGE.validate_json(item.message()) for item in items]
    return [message for message in messages if isinstance(message, StepMessage)]


def test_a_record_is_sent_in_the_form_its_message_describes() -> None:
    record = StepRecord(episode=1, index=2, observation=[0.5], action=1, reward=1.0)
    for frame in (b"", b"jpeg"):
        item = OutboxItem(record.model_dump_json().encode(), frame, is_step=True)
        assert item.message() == StepMessage(record=record, frame_follows=bool(frame)).model_dump_json()


def test_a_viewer_that_reads_nothing_loses_the_oldest_frames_and_no_record() -> None:
    outbox = Outbox()
    for index in range(100):
        outbox.put(step(index))
    outbox.put_message(EndedMessage(cause="Over."))
    outbox.close()
    items = asyncio.run(taken(outbox))
    messages = read(items)
    assert [message.record.index for message in messages] == list(range(100))
    assert [message.record.index for message in messages if message.frame_follows] == [98, 99]
    assert outbox.dropped_frames == 100 - MAX_FRAMES
    assert items[-1].message() == '{"type":"ended","cause":"Over."}'


def seen_step(index: int) -> OutboxItem:
    record = StepRecord(episode=0, index=index).model_dump_json().encode()
    about = SeenPictures(pictures=4, score=Score.Q).model_dump_json().encode()
    return OutboxItem.of_step(PackedStep(record, b"frame", about, b"pictures"))


def test_agent_observations_follow_their_frame_and_are_lost_with_it() -> None:
    outbox = Outbox()
    for index in range(5):
        outbox.put(seen_step(index))
    outbox.close()
    items = asyncio.run(taken(outbox))
    messages = read(items)
    assert [message.seen for message in messages] == [None] * 3 + [SeenPictures(pictures=4, score=Score.Q)] * 2
    assert [item.binaries for item in items] == [[]] * 3 + [[b"frame", b"pictures"]] * 2


def test_a_step_round_trips_through_its_packet() -> None:
    step = PackedStep(b"{}", b"frame", b"", b"pictures")
    packet = pack_step(step)
    kind, length = parse_head(packet[:5])
    assert (kind, length) == (Kind.STEP, len(packet) - 5)
    assert unpack_step(packet[5:]) == step
    with pytest.raises(ValueError, match="shorter"):
        unpack_step(packet[5:-1])


def test_only_the_newest_waiting_slice_is_sent() -> None:
    outbox = Outbox()
    for number in range(3):
        outbox.put(OutboxItem(b"%d" % number, is_slice=True))
        outbox.put(step(number))
    outbox.close()
    assert [item.text for item in asyncio.run(taken(outbox)) if item.is_slice] == [b"2"]


def test_only_the_first_waiting_errors_are_sent_and_nothing_else_is_lost() -> None:
    async def look() -> None:
        outbox = Outbox()
        items = outbox.items()
        for part in range(2):  # as many may wait again once those were read
            for number in range(MAX_WAITING + 1):
                outbox.put_message(ErrorMessage(detail=f"{part}, {number}"))
            outbox.put(step(part))
            read = [SERVER_MESSAGE.validate_json((await anext(items)).message()) for _ in range(MAX_ERRORS + 1)]
            assert read[:-1] == [ErrorMessage(detail=f"{part}, {number}") for number in range(MAX_ERRORS)]
            assert isinstance(read[-1], StepMessage)

    asyncio.run(look())


def test_errors_of_a_worker_are_bounded_like_those_of_the_service(tmp_path: Path) -> None:
    async def look() -> None:
        plan = SessionPlan(mode=SessionMode.WATCH, env_id="CartPole-v1", seed=0, secret="", service="")
        session = LiveSession("session_0", plan, SessionFolder(tmp_path), lambda _: None)
        outbox = await session.attach()
        for _ in range(MAX_WAITING + 1):
            session._receive(Kind.MESSAGE, ErrorMessage(detail="Too many messages.").model_dump_json().encode())
        session.send_to_viewer(ErrorMessage(detail="Not understood."))
        outbox.close()
        assert len(await taken(outbox)) == MAX_ERRORS

    asyncio.run(look())


def test_a_new_viewer_gets_nothing_that_was_sent_to_the_previous_one(tmp_path: Path) -> None:
    async def attach_while_messages_are_on_their_way() -> list[bytes]:
        plan = SessionPlan(mode=SessionMode.WATCH, env_id="CartPole-v1", seed=0, secret="", service="")
        session = LiveSession("session_0", plan, SessionFolder(tmp_path), lambda _: None)
        await session.attach()
        outbox = await session.attach()
        session._receive(Kind.MESSAGE, PolicyMessage(step=1).model_dump_json().encode())
        session._receive(Kind.STEP, pack_step(PackedStep(b"{}"))[HEAD.size :])
        session._receive(Kind.MESSAGE, ErrorMessage(detail="No such action.").model_dump_json().encode())
        session._receive(Kind.MESSAGE, HELLO)
        session._receive(Kind.MESSAGE, PolicyMessage(step=2).model_dump_json().encode())
        outbox.close()
        return [item.text for item in await taken(outbox)]

    error, hello, policy = asyncio.run(attach_while_messages_are_on_their_way())
    assert b"No such action." in error
    assert hello == HELLO
    assert policy == PolicyMessage(step=2).model_dump_json().encode()


@pytest.mark.parametrize(("mode", "makes_room"), [(SessionMode.WATCH, True), (SessionMode.PLAY, False)])
def test_an_idle_session_may_be_replaced_unless_a_person_plays(
    mode: SessionMode, makes_room: bool, tmp_path: Path
) -> None:
    async def is_idle_over_time() -> list[bool]:
        now = 0.0
        plan = SessionPlan(mode=mode, env_id="CartPole-v1", seed=0, secret="", service="")
        session = LiveSession("session_0", plan, SessionFolder(tmp_path), lambda _: None, monotonic=lambda: now)
        found = [session.is_idle]
        now = IDLE_SECONDS
        found.append(session.is_idle)
        session._receive(Kind.STEP, pack_step(PackedStep(b"{}"))[HEAD.size :])
        found.append(session.is_idle)
        now = 2 * IDLE_SECONDS
        await session.attach()
        return [*found, session.is_idle]

    assert asyncio.run(is_idle_over_time()) == [False, makes_room, False, False]


def test_a_viewer_that_keeps_up_loses_nothing() -> None:
    async def look() -> list[bool]:
        outbox, found = Outbox(), []
        items = outbox.items()
        for index in range(20):
            outbox.put(step(index))
            found.append(bool((await anext(items)).frame))
        return found

    assert all(asyncio.run(look()))


def test_a_viewer_that_never_reads_is_disconnected_with_the_cause_and_uses_no_more_memory() -> None:
    outbox = Outbox()
    for index in range(3 * MAX_WAITING):
        outbox.put(step(index))
    [last] = asyncio.run(taken(outbox))
    assert SERVER_MESSAGE.validate_json(last.message()) == EndedMessage(cause=TOO_SLOW)


def test_messages_after_the_end_are_not_sent() -> None:
    outbox = Outbox()
    outbox.close()
    outbox.put(step(0))
    assert asyncio.run(taken(outbox)) == []
