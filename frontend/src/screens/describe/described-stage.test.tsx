import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { FakeTimers } from "@/lib/testing/timers";
import { SessionClient } from "@/player/session/session-client";
import { FakeFrames, FakeSocket, helloOf } from "@/player/session/testing";
import { DescribedStage } from "./described-stage";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function stage() {
  const sockets: FakeSocket[] = [];
  const timers = new FakeTimers();
  const client = new SessionClient({
    create: async () => `/session-${sockets.length}`,
    connect: (path) => {
      const socket = new FakeSocket(path);
      sockets.push(socket);
      return socket;
    },
    decode: async () => ({ width: 1, height: 1, close: () => {} }) as unknown as ImageBitmap,
    frames: new FakeFrames(),
    timers,
    now: () => 0,
    random: () => 0.5,
  });
  client.pause();
  return { client, sockets, timers };
}

const greet = (socket: FakeSocket) =>
  act(() => socket.deliver(helloOf({ mode: "describe", actor: "person" })));

function show(visibility: DocumentVisibilityState) {
  vi.spyOn(document, "visibilityState", "get").mockReturnValue(visibility);
  act(() => void document.dispatchEvent(new Event("visibilitychange")));
}

test("a hidden page keeps its session, paused", async () => {
  vi.useFakeTimers();
  const { client, sockets } = stage();
  render(<DescribedStage client={client} label="my-lamp" />);
  await act(() => vi.advanceTimersByTimeAsync(0));
  greet(sockets[0]!);
  act(() => client.play());
  show("hidden");
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(sockets[0]!.sent.at(-1)).toEqual({ type: "pause" });
  show("visible");
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(sockets).toHaveLength(1);
  expect(sockets[0]!.closed).toBe(false);
  expect(client.state.get()).toMatchObject({ phase: "live", playing: false });
});

test("a page that is opened hidden begins its session when it is seen", async () => {
  vi.useFakeTimers();
  show("hidden");
  const { client, sockets } = stage();
  render(<DescribedStage client={client} label="my-lamp" />);
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(sockets).toHaveLength(0);
  show("visible");
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(sockets).toHaveLength(1);
});

test("a session that was lost and replaced is reported until the notice is closed", async () => {
  const { client, sockets, timers } = stage();
  render(<DescribedStage client={client} label="my-lamp" />);
  await act(async () => {});
  greet(sockets[0]!);
  act(() => sockets[0]!.drop());
  act(() => timers.advance(60_000));
  greet(sockets[1]!);
  expect(screen.queryByText("The game was started again")).toBeNull(); // the same session
  act(() => sockets[1]!.drop());
  act(() => timers.advance(60_000));
  act(() => sockets[2]!.drop()); // it is gone
  await act(async () => timers.advance(60_000));
  greet(sockets.at(-1)!);
  expect(sockets.at(-1)!.path).not.toBe(sockets[0]!.path);
  expect(screen.getByText("The game was started again")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Close" }));
  expect(screen.queryByText("The game was started again")).toBeNull();
});
