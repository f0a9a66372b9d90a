import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { RunDetail } from "@/lib/api";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { FamilyCard } from "./family-card";
import { ForkedFrom } from "./forked-from";

const relative = (run_id: string, change: object = {}) => ({
  ...{ run_id, deleted: false, name: `Run ${run_id}`, status: "completed" },
  ...{ best_moving_average: 200, forked_at: 512 },
  changes: [{ name: "gamma", before: 0.99, after: 0.9 }],
  ...change,
});
const gone = { deleted: true, name: null, status: null, best_moving_average: null };
const run = { id: "a", parent: { run_id: "p", step: 512 } } as RunDetail;
const family = (change: object) =>
  serve({
    "GET /runs/a/family": () => ({
      body: { own: relative("a"), parent: null, siblings: [], children: [], ...change },
    }),
  });

test("each relative is a link with what it changed", async () => {
  family({
    parent: relative("p", { forked_at: null }),
    siblings: [relative("s")],
    children: [relative("c")],
  });
  renderWithQueries(<FamilyCard run={run} />);
  const links = await screen.findAllByRole("link", { name: /^Run/ });
  expect(links.map((link) => link.textContent)).toEqual(["Run p", "Run c", "Run s"]);
  expect(screen.getByText("Run a")).toHaveAttribute("aria-current", "page");
  expect(screen.getAllByText("forked at step 512, gamma 0.99 → 0.9")).toHaveLength(3);
});

test("a parent that is deleted is said as such", async () => {
  family({ parent: relative("p", { ...gone, forked_at: null, changes: [] }) });
  renderWithQueries(
    <>
      <ForkedFrom run={run} />
      <FamilyCard run={run} />
    </>,
  );
  expect(await screen.findByText(/forked from a run that is deleted at step 512/)).toBeVisible();
  expect(await screen.findByText(/^A run that is deleted/)).toBeVisible();
});

test("a run without relatives shows nothing", async () => {
  family({});
  const { container } = renderWithQueries(<FamilyCard run={run} />);
  await Promise.resolve();
  expect(container).toBeEmptyDOMElement();
});
