import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { RunDetail, RunMap } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { MapCard } from "./map-card";

const run = { id: "a", status: "completed" } as RunDetail;
const map: RunMap = {
  ...{ run_id: "a", is_recorded: true, rooms: [], step: 2000, steps: [1000, 2000] },
  world: {
    ...{ columns: 2, rows: 2, rooms_across: 1, rooms_down: 1, rooms: [], marks: "SFHG", stages: 1 },
    ...{ across: null, down: null },
  },
  cells: [
    { id: 0, x: 0, y: 0, room: 0, visits: 9 },
    { id: 1, x: 1, y: 0, room: 0, visits: 3 },
  ],
  path: { step: 1500, cells: [0, 1] },
  frontier: [],
};

function show(answer: (query: URLSearchParams) => RunMap) {
  serve({ "GET /runs/a/map": (_body, query) => ({ body: answer(query) }) });
  return renderWithQueries(<MapCard run={run} />);
}

test("arrow keys read the cells of the map, and Escape leaves them", async () => {
  show(() => map);
  const canvas = await screen.findByRole("application", { name: /2 of 4 cells visited/ });
  canvas.focus();
  await userEvent.keyboard("{ArrowRight}");
  expect(screen.getByText("Column 2, row 1: 3 visits (25 %)")).toBeVisible();
  await userEvent.keyboard("{ArrowDown}");
  expect(screen.getByText("Goal, column 2, row 2: never visited")).toBeVisible();
  await userEvent.keyboard("{Escape}");
  expect(screen.getByText("2 of 4 cells visited up to step 2,000.")).toBeVisible();
  expect(screen.getByText(/evaluated policy of step 1,500/)).toBeVisible();
});

test("the slider requests an earlier map", async () => {
  const first = { ...map, step: 1000, cells: map.cells.slice(0, 1) };
  show((query) => (query.get("step") === "1000" ? first : map));
  (await screen.findByRole("slider", { name: "Map at step" })).focus();
  await userEvent.keyboard("{ArrowLeft}");
  expect(screen.getByText("step 2,000")).toBeVisible();
});

test.each([
  [{ ...map, is_recorded: false }, /does not count visits/],
  [{ ...map, step: null, steps: [], cells: [] }, /No visits were recorded/],
])("without a map the card says why", async (answer, text) => {
  show(() => answer);
  expect(await screen.findByText(text)).toBeVisible();
});

test("an environment without cells has no card", async () => {
  const { container } = show(() => ({ ...map, world: null }));
  await expect.poll(() => container.textContent).toBe("");
});

test("a legend explains the outlined cells, if there are any", async () => {
  const frontier = [{ id: 1, x: 1, y: 0, room: 0, visits: 3, weight: 0.6 }];
  show(() => ({ ...map, frontier }));
  expect(await screen.findByText(/Frontier of the archive/)).toBeVisible();
});
