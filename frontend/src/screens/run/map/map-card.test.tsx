import { act, fireEvent, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { MapCellDetails, RunDetail, RunMap } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { ChartGroup } from "@/charts/chart-group";
import { firstVisit, sourceOf } from "./cell-panel";
import { FilmMap } from "./film-map";
import { MapCard } from "./map-card";

const run = {
  ...{ id: "a", status: "completed", actor: "policy", step: 2000, standing: "own" },
  ...{ seed: 1, checkpoints: 1 },
} as unknown as RunDetail;
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

const cell: MapCellDetails = {
  ...{ run_id: "a", id: 1, x: 1, y: 0, room: 0, visits: 3, episodes: 2, is_archived: true },
  ...{ first_visit_after: 1000, first_visit_by: 2000, why_no_start: null },
  start: {
    ...{ kind: "episode", evaluation_id: "eval_1", episode: 0, index: 12, snapshot: null },
    is_certain: true,
  },
};
const steps = { info: {}, total: 3, start: 0, stop: 3, columns: { cell: [0, 0, 1] } };
const evaluation = {
  ...{ id: "eval_1", has_steps: true, checkpoint_step: 1500, status: "completed" },
  summary: { episodes: [{ index: 1, episode_return: 0.5 }] },
};

interface Served {
  details?: Partial<MapCellDetails>;
  /** Steps of the kept policies. */
  policies?: number[];
  /** The answer to the request for the steps of an episode. */
  recorded?: { status?: number; body: unknown };
}

function show(
  answer: (query: URLSearchParams) => RunMap,
  { details = {}, policies = [], recorded = { body: steps } }: Served = {},
) {
  const group = new ChartGroup();
  const seen = serve({
    "GET /runs/a/map": (_body, query) => ({ body: answer(query) }),
    "GET /runs/a/map/cells/1": () => ({ body: { ...cell, ...details } }),
    "GET /runs/a/map/cells/3": () => ({ body: { ...cell, id: 3, x: 1, y: 1, ...details } }),
    "GET /runs/a/evaluations": (_body, query) => ({
      body: query.has("by_run") ? [] : [evaluation],
    }),
    "GET /runs/a/evaluations/eval_1/steps": () => recorded,
    "GET /runs/a/policies": () => ({
      body: {
        ...{ run_id: "a", film_bytes: 0, has_idle_time: true },
        policies: policies.map((step) => ({ step })),
      },
    }),
    "GET /runs/a/clips": () => ({ body: [] }),
  });
  return { ...renderWithQueries(<MapCard run={run} group={group} />), group, seen };
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
  expect(screen.getByText(/^2 of 4 cells visited up to step 2,000/)).toBeVisible();
  expect(screen.getByText(/evaluated policy of step 1,500/)).toBeVisible();
});

test("Enter opens the cell, where watching and playing begin, and Escape leads back", async () => {
  const scrolled = vi.spyOn(Element.prototype, "scrollIntoView");
  show(() => map);
  const canvas = await screen.findByRole("application");
  canvas.focus();
  await userEvent.keyboard("{ArrowRight}{Enter}");
  const panel = screen.getByRole("group", { name: "Cell: Column 2, row 1" });
  expect(scrolled.mock.contexts).toContain(panel);
  expect(panel).toHaveTextContent("between step 1,000 and 2,000");
  expect(await screen.findByText(/where a recorded episode was after 12 steps/)).toBeVisible();
  expect(screen.getByRole("button", { name: "Watch from here" })).toHaveFocus();
  expect(screen.getByRole("link", { name: "Play from here" })).toHaveAttribute(
    "href",
    "/play?run=a&cell=1",
  );
  await userEvent.click(screen.getByRole("button", { name: "Watch from here" }));
  expect(window.location.search).toBe("?view=live&cell=1");
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("group", { name: /^Cell/ })).toBeNull();
  expect(canvas).toHaveFocus();
});

test("a cell without a known state says what helps, and begins nothing", async () => {
  show(() => map, { details: { start: null, why_no_start: "No evaluation reached it." } });
  const canvas = await screen.findByRole("application");
  canvas.focus();
  await userEvent.keyboard("{ArrowRight}{Enter}");
  expect(await screen.findByText("No evaluation reached it.")).toBeVisible();
  expect(screen.getByRole("button", { name: "Watch from here" })).toHaveAttribute("aria-disabled");
  expect(screen.getByRole("button", { name: "Play from here" })).toHaveAttribute("aria-disabled");
  const fork = screen.getByRole("button", { name: "Fork from here…" });
  expect(fork, "training may still find it").not.toHaveAttribute("aria-disabled");
});

test("no fork begins in a goal, because episodes end there", async () => {
  show(() => map, { details: { start: null, why_no_start: "Episodes end in this cell." } });
  const canvas = await screen.findByRole("application");
  canvas.focus();
  await userEvent.keyboard("{ArrowRight}{ArrowDown}{Enter}");
  expect(await screen.findByText("Episodes end in this cell.")).toBeVisible();
  expect(screen.getByRole("button", { name: "Fork from here…" })).toHaveAttribute("aria-disabled");
});

async function openAtMoment(policies: number[]) {
  const { group } = show(() => map, { policies });
  const canvas = await screen.findByRole("application");
  act(() => group.moment.set(1700));
  canvas.focus();
  await userEvent.keyboard("{ArrowRight}{Enter}");
  await screen.findByText(/where a recorded episode was after 12 steps/);
}

test("the policy that was kept at the chosen step plays, and is named", async () => {
  await openAtMoment([1200, 1900]);
  await userEvent.click(await screen.findByRole("button", { name: "Watch policy of step 1,200" }));
  expect(new URLSearchParams(window.location.search).get("policy")).toBe("1200");
});

test("without a kept policy none plays at the chosen step", async () => {
  await openAtMoment([]);
  const watch = await screen.findByRole("button", { name: "Watch from here" });
  await expect.poll(() => watch.title).toMatch(/No policy of this run was kept/);
  expect(watch).toHaveAttribute("aria-disabled");
});

test("a path without cells says so", async () => {
  show(() => ({ ...map, path: { step: 1500, cells: [] } }));
  expect(
    await screen.findByText("The path of the evaluated policy of step 1,500 contains no cells."),
  ).toBeVisible();
});

test("steps that were recorded without cells have no path", async () => {
  show(() => map, { recorded: { status: 422, body: { title: "No column", fields: [] } } });
  const choice = await screen.findByRole("combobox", { name: "Path" });
  await screen.findByRole("option", { name: "Step 1,500, return 0.5000" });
  await userEvent.selectOptions(choice, "Step 1,500, return 0.5000");
  expect(
    await screen.findByText("The recorded steps of this episode contain no cells."),
  ).toBeVisible();
});

test("the small map is live only while no moment is chosen", async () => {
  const { group } = show(() => map);
  renderWithQueries(<FilmMap run={{ ...run, status: "running" }} group={group} />);
  expect(await screen.findByText(/^Live: .* up to step 2,000$/)).toBeVisible();
  act(() => group.moment.set(2000));
  expect(await screen.findByText(/^\d+ of \d+ cells visited up to step 2,000$/)).toBeVisible();
});

test("the slider and the moment of the charts are one", async () => {
  const first = { ...map, step: 1000, cells: map.cells.slice(0, 1) };
  const { group } = show((query) => (query.get("step") === "1000" ? first : map));
  const slider = await screen.findByRole("slider", { name: "Map at step" });
  fireEvent.change(slider, { target: { value: "0" } });
  expect(group.moment.get()).toBe(1000);
  expect(await screen.findByText("step 1,000")).toBeVisible();
  fireEvent.change(slider, { target: { value: "1" } });
  expect(group.moment.get()).toBeNull();
  act(() => group.moment.set(1700));
  expect(await screen.findByText("step 1,000")).toBeVisible();
});

test("the path of a recorded episode is drawn on request", async () => {
  show(() => map);
  const choice = await screen.findByRole("combobox", { name: "Path" });
  expect(choice).toHaveValue("newest");
  await screen.findByRole("option", { name: "Step 1,500, return 0.5000" });
  await userEvent.selectOptions(choice, "Step 1,500, return 0.5000");
  expect(await screen.findByText(/the path of the recorded episode, from the open/)).toBeVisible();
  await userEvent.selectOptions(choice, "Policy at this step");
  expect(
    await screen.findByText("No policy of this run was kept, so none can play."),
  ).toBeVisible();
  await userEvent.selectOptions(choice, "No path");
  expect(screen.queryByText(/path of/)).toBeNull();
});

test.each([
  [{ first_visit_after: null, first_visit_by: null }, "never"],
  [{ first_visit_after: null, first_visit_by: 2000 }, "by step 2,000"],
])("the first visit is as exact as the kept maps", (visit, text) => {
  expect(firstVisit(visit)).toBe(text);
});

test("the source of a state is said", () => {
  const archived = { kind: "archive", snapshot: "2048", is_certain: true } as NonNullable<
    MapCellDetails["start"]
  >;
  expect(sourceOf({ start: archived })).toMatch(/kept in snapshot 2,048\.$/);
  expect(sourceOf({ start: { ...archived, is_certain: false } })).toMatch(/It may have none yet/);
  const first = { kind: "episode", index: 0 } as MapCellDetails["start"];
  expect(sourceOf({ start: first })).toBe("Recorded episodes begin in this cell.");
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

test("the focus follows to the panel of another cell", async () => {
  show(() => map);
  const canvas = await screen.findByRole("application");
  for (const keys of ["{ArrowRight}{Enter}", "{ArrowLeft}{Enter}"]) {
    canvas.focus();
    await userEvent.keyboard(keys);
    expect(screen.getByRole("button", { name: "Watch from here" })).toHaveFocus();
  }
});
