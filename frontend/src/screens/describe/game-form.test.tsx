import { act, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { GameContent, GameDescription } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { FakeTimers } from "@/lib/testing/timers";
import { SessionClient } from "@/player/session/session-client";
import { FakeFrames, FakeSocket, helloOf } from "@/player/session/testing";
import { contentOf, draftFrom, readableTaps } from "./draft";
import { GameForm } from "./game-form";

const GAME = {
  ...{ name: "my-lamp", env_id: "GameBoy/MyLamp-v0", file: "/roms/my-lamp/game.toml" },
  ...{ content: null, digest: null, unreadable: null, defaults: {}, loss: null, problem: null },
} as unknown as GameDescription;

const TAPS = {
  taps: [
    { name: "room", address: 0xc001 },
    { name: "coins", address: 0xc010 },
  ],
} as unknown as GameContent;

test("a value stays at its tap while the row before it is removed", async () => {
  serve({ "POST /games/my-lamp/check": () => ({ body: { toml: "", problems: [] } }) });
  const socket = new FakeSocket("/x");
  const client = new SessionClient({
    create: async () => "/x",
    connect: () => socket,
    decode: async () => ({ width: 1, height: 1, close: () => {} }) as unknown as ImageBitmap,
    frames: new FakeFrames(),
    timers: new FakeTimers(),
    now: () => 0,
  });
  client.start();
  await new Promise((resolve) => setTimeout(resolve));
  socket.deliver(helloOf({ mode: "describe" }));
  const whole = draftFrom(TAPS);
  const draft = { ...whole, taps: whole.taps.slice(1) };
  renderWithQueries(
    <GameForm
      client={client}
      game={GAME}
      digest={null}
      draft={draft}
      content={contentOf(draft)}
      isEdited
      isConverted={false}
      asked={readableTaps(whole.taps)}
      onChange={() => {}}
      onSaved={() => {}}
      onOpen={() => {}}
    />,
  );
  act(() => socket.deliver({ type: "game_values", taps: [5, 7], expressions: {} }));
  expect(screen.getByLabelText("Value of coins now")).toHaveTextContent("7");
});
