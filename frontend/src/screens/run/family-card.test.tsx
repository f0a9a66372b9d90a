import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import type { RunDetail } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { FamilyCard } from "./family-card";
import { ForkedFrom } from "./header/run-header";

const relative = (run_id: string, parent_id: string | null, change: object = {}) => ({
  ...{ run_id, parent_id, deleted: false, name: `Run ${run_id}`, status: "completed" },
  ...{ best_moving_average: 200, forked_at: parent_id === null ? null : 512 },
  changes: [{ name: "gamma", before: 0.99, after: 0.9, in_parent: false }],
  ...change,
});
const gone = { deleted: true, name: null, status: null, best_moving_average: null };
const run = {
  ...{ id: "a", name: "Run a", status: "running", best_moving_average: 321 },
  parent: { run_id: "p", step: 512 },
} as RunDetail;
const family = (...members: object[]) =>
  serve({ "GET /runs/a/family": () => ({ body: { run_id: "a", members, whole: true } }) });

test("each relative links to its run with its changes, below its parent", async () => {
  family(
    ...[relative("r", null), relative("p", "r"), relative("a", "p"), relative("c", "a")],
    ...[relative("s", "p"), relative("n", "s")],
  );
  renderWithQueries(<FamilyCard run={run} />);
  const links = await screen.findAllByRole("link", { name: /^Run/ });
  expect(links.map((link) => link.textContent)).toEqual([
    "Run r",
    "Run p",
    "Run c",
    "Run s",
    "Run n",
  ]);
  expect(screen.getByText("Run a")).toHaveAttribute("aria-current", "page");
  const depth = (name: string) => {
    let [found, at] = [0, screen.getByText(name).closest("ul")?.parentElement];
    for (; at; at = at.closest("ul")?.parentElement) found += 1;
    return found;
  };
  expect(["Run r", "Run p", "Run a", "Run c", "Run s", "Run n"].map(depth)).toEqual([
    1, 2, 3, 4, 3, 4,
  ]);
  expect(screen.getAllByText("forked at step 512, gamma 0.99 → 0.9")).toHaveLength(5);
  expect(screen.getByText("best average 321.0"), "of the run itself, what is newest").toBeVisible();
});

test("changes inherited from the parent are distinguished from those of the fork", async () => {
  const longer = { name: "total_timesteps", before: 2_000_000, after: 40_000, in_parent: false };
  const inherited = { name: "learning_rate", before: 0.001, after: 0.0005, in_parent: true };
  family(relative("p", null), relative("a", "p", { changes: [longer, inherited] }));
  renderWithQueries(<FamilyCard run={run} />);
  expect(
    await screen.findByText(
      /total_timesteps 2,000,000 → 40,000; as changed in its parent: learning_rate 0.001 → 0.0005/,
    ),
  ).toBeVisible();
});

test("a deleted parent is shown as such", async () => {
  family(relative("p", null, { ...gone, changes: [] }), relative("a", "p"));
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
  family(relative("a", null));
  const { container } = renderWithQueries(<FamilyCard run={run} />);
  await Promise.resolve();
  expect(container).toBeEmptyDOMElement();
});
