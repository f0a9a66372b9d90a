import { act, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { GameContent, GameDescription } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { contentOf, draftFrom, type GameDraft, readableTaps, type TapDraft } from "./draft";
import { GameForm } from "./game-form";
import { describingSession, LIMITS } from "./testing";

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

/** The form of a draft, with a session that shows the values of the taps `asked`. */
async function show(draft: GameDraft, asked: readonly TapDraft[]) {
  serve({ "POST /games/my-lamp/check": () => ({ body: { toml: "", problems: [] } }) });
  const { client, socket } = await describingSession();
  renderWithQueries(
    <GameForm
      client={client}
      game={GAME}
      limits={LIMITS}
      digest={null}
      draft={draft}
      content={contentOf(draft)}
      isEdited
      isConverted={false}
      asked={readableTaps(asked, LIMITS)}
      onChange={() => {}}
      onSaved={() => {}}
      onOpen={() => {}}
    />,
  );
  return (taps: number[], expressions: Record<string, number>) =>
    act(() => socket.deliver({ type: "game_values", taps, expressions }));
}

test("a value stays at its tap while the row before it is removed", async () => {
  const whole = draftFrom(TAPS);
  const deliver = await show({ ...whole, taps: whole.taps.slice(1) }, whole.taps);
  deliver([5, 7], {});
  expect(screen.getByLabelText("Value of coins now")).toHaveTextContent("7");
});

test("the stage of progress has its value now beside it", async () => {
  const draft = draftFrom({ ...TAPS, cell: { stage: "coins // 10", stages: 3 } });
  const deliver = await show(draft, draft.taps);
  deliver([5, 27], { "/cell/stage": 2 });
  expect(screen.getByLabelText("Stage of progress")).toHaveValue("coins // 10");
  expect(screen.getByLabelText("Number of stages")).toHaveValue("3");
  const values = screen.getAllByLabelText("Value now").map(({ textContent }) => textContent);
  expect(values.filter(Boolean)).toEqual(["2"]);
});
