import { act, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { RunDetail } from "@/api/types";
import { createStore } from "@/lib/store";
import { renderWithQueries, serve } from "@/lib/testing/service";
import type { SessionClient } from "@/player/session/session-client";
import { recordOf } from "@/player/session/testing";
import { announceSession } from "@/player/session/watch-session";
import { QTableCard } from "./q-table-card";

const file = {
  ...{ env_id: "FrozenLake-v1", step: 9, states: 2, shape: [1, 2], map: ["SF"] },
  ...{ actions: ["Left", "Right"], terminal: [] },
  q: [
    [0.2, 0.5],
    [0, 1],
  ],
};

test("the square of the agent is marked while it is watched", async () => {
  serve({ "GET /runs/a/artifacts/q_table.json": () => ({ body: file }) });
  renderWithQueries(<QTableCard run={{ id: "a", status: "running" } as RunDetail} />);
  expect(await screen.findByRole("button", { name: /^State 1/ })).not.toHaveAccessibleName(
    /agent is here/,
  );
  const moment = createStore({ record: recordOf(3, { observation: 1 }) });
  let leave = () => {};
  act(() => void (leave = announceSession("a", { moment } as unknown as SessionClient)));
  expect(screen.getByRole("button", { name: /^State 1.*agent is here/ })).toBeVisible();
  act(() => moment.set({ record: recordOf(4, { observation: 0 }) }));
  expect(screen.getByRole("button", { name: /^State 0.*agent is here/ })).toBeVisible();
  act(leave);
  expect(screen.queryByRole("button", { name: /agent is here/ })).not.toBeInTheDocument();
});
