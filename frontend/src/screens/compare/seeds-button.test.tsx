import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { beforeEach, expect, test, vi } from "vitest";
import type { Run } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { aRun } from "./fixtures";
import { SeedsButton } from "./seeds-button";

const CAUTION = "One seed each: other seeds may give a different result.";
const LIMITS = { verdict_seeds: { minimum: 5 }, compared_runs: { maximum: 100 } };

let stored: Run[];
let answers: boolean;
let limits: object;
const add = (group: string, ...ids: string[]) =>
  ids.map((id) => {
    const run = aRun(id, { group_id: group });
    stored.push(run);
    return run;
  });

const repeat = (group: string) => (body: unknown) => {
  const { count } = body as { count: number };
  const ids = Array.from({ length: count }, (_, place) => `${group}-new${place}`);
  return { status: 201, body: { runs: add(group, ...ids) } };
};

/** The service with the runs that are `stored`. */
const service = () =>
  serve({
    "GET /health": () => ({ body: {} }),
    "GET /limits": () => ({ body: limits }),
    "GET /runs": (_, query) =>
      answers
        ? { body: { runs: stored.filter((run) => query.getAll("group").includes(run.group_id)) } }
        : { status: 500, body: { title: "Not now", detail: "The catalogue is locked." } },
    "POST /runs/a/seeds": repeat("a"),
    "POST /runs/b/seeds": repeat("b"),
  });

/** Compare, as far as the button knows it: what is added is compared. */
function Compared({ first, onAdd }: { first: string[]; onAdd?: (ids: readonly string[]) => void }) {
  const [chosen, setChosen] = useState(first);
  return (
    <SeedsButton
      runs={stored.filter(({ id }) => chosen.includes(id))}
      {...{ chosen, caution: CAUTION }}
      onAdd={(ids) => {
        setChosen((before) => [...before, ...ids]);
        onAdd?.(ids);
      }}
    />
  );
}

const button = (what: string, state = {}) =>
  screen.findByRole("button", { name: `${CAUTION} ${what}`, ...state });

beforeEach(() => {
  stored = [];
  answers = true;
  limits = LIMITS;
});

test("existing seeds are added without starting a run", async () => {
  add("a", "a", "a2", "a3", "a4", "a5");
  add("b", "b", "b2", "b3", "b4", "b5");
  const asked = service();
  const added = vi.fn();
  renderWithQueries(<Compared first={["a", "b"]} onAdd={added} />);
  await userEvent.click(await button("Add 8 existing seeds"));
  expect(added).toHaveBeenCalledWith(["a2", "a3", "a4", "a5", "b2", "b3", "b4", "b5"]);
  expect(screen.queryByRole("button")).toBeNull();
  expect(screen.getByText(CAUTION)).toBeVisible();
  expect(asked.filter(({ route }) => route.startsWith("POST"))).toEqual([]);
});

test("seeds missing in fully compared groups are trained", async () => {
  add("a", "a", "a2");
  add("b", "b");
  const asked = service();
  const added = vi.fn();
  renderWithQueries(<Compared first={["a", "b"]} onAdd={added} />);
  await userEvent.dblClick(await button("Add 1 existing seed"));
  const train = await button("Train 7 more seeds, up to 5 of each");
  expect(asked.filter(({ route }) => route.startsWith("POST"))).toEqual([]);
  await userEvent.click(train);
  await vi.waitFor(() => expect(screen.queryByRole("button")).toBeNull());
  const posted = asked.filter(({ route }) => route.startsWith("POST"));
  expect(posted).toMatchObject([
    { route: "POST /runs/a/seeds", body: { count: 3 } },
    { route: "POST /runs/b/seeds", body: { count: 4 } },
  ]);
  expect(added).toHaveBeenLastCalledWith(stored.slice(3).map(({ id }) => id));
});

test("the button is disabled until the seeds are looked up, and a failure can be retried", async () => {
  add("a", "a");
  add("b", "b");
  answers = false;
  service();
  renderWithQueries(<Compared first={["a", "b"]} />);
  await button("Looking for other seeds", { busy: true });
  const again = await button("Look for other seeds again");
  expect(screen.getByRole("alert")).toHaveTextContent("Not now. The catalogue is locked.");
  answers = true;
  await userEvent.click(again);
  await button("Train 8 more seeds, up to 5 of each");
  expect(screen.queryByRole("alert")).toBeNull();
});

test("seeds that could not be compared are not trained", async () => {
  add("a", "a");
  add("b", "b");
  limits = { ...LIMITS, compared_runs: { maximum: 9 } };
  const asked = service();
  renderWithQueries(<Compared first={["a", "b"]} />);
  const train = await button("Train 8 more seeds, up to 5 of each");
  expect(train).toHaveAttribute("title", "Compare takes up to 9 runs");
  await userEvent.click(train);
  expect(asked.filter(({ route }) => route.startsWith("POST"))).toEqual([]);
});

test("without trainable seeds the caution is plain text", async () => {
  const parent = { run_id: "x", snapshot: "s", step: 1 };
  stored = ["a", "b"].map((id) => aRun(id, { group_id: id, parent } as Partial<Run>));
  const asked = service();
  renderWithQueries(<Compared first={["a", "b"]} />);
  await button("Looking for other seeds");
  await vi.waitFor(() => expect(screen.queryByRole("button")).toBeNull());
  expect(screen.getByText(CAUTION)).toBeVisible();
  expect(asked.filter(({ route }) => route === "GET /runs")).toHaveLength(1);
});
