import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test } from "vitest";
import type { Run } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { compared, comparison } from "./fixtures";
import type { PoliciesView } from "./comparison";
import { SideBySide } from "./side-by-side";

const runs = ["a", "b", "c"].map(
  (id) =>
    ({
      ...{ id, name: `Run ${id}`, env_id: "X", actor: "policy", status: "completed" },
      ...{ step: 5, policy_step: 5 },
    }) as Run,
);

const figures = comparison(
  runs.map(({ id }) => compared(id, 0)),
  { environments: [] },
);

function Policies() {
  const [view, onView] = useState<PoliciesView>("videos");
  const comparison = figures;
  return <SideBySide {...{ runs, comparison, view, onView }} seriesStyles={new Map()} />;
}

test("as many runs play live as the service allows, and the user can choose which", async () => {
  serve({
    "GET /health": () => ({ body: { max_sessions: 2 } }),
    ...Object.fromEntries(
      runs.map(({ id }) => [`GET /runs/${id}/evaluations`, () => ({ body: [] })]),
    ),
  });
  renderWithQueries(<Policies />);
  await userEvent.click(screen.getByRole("radio", { name: "Live" }));
  const tiles = await screen.findByRole("list", { name: "Live, in step" });
  const names = () =>
    within(tiles)
      .getAllByRole("listitem")
      .map((tile) => tile.getAttribute("aria-label"));
  expect(names()).toEqual(["Run a", "Run b"]);
  expect(screen.getByText(/2 of 3 runs play.*2 sessions/)).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Run c", pressed: false }));
  expect(names()).toEqual(["Run b", "Run c"]);
  await userEvent.click(screen.getByRole("button", { name: "Run b", pressed: true }));
  expect(names()).toEqual(["Run c"]);
});

test("the policies at the same step are requested only when the view is opened", async () => {
  const asked = serve({
    "GET /health": () => ({ body: { max_sessions: 2 } }),
    ...Object.fromEntries(
      runs.flatMap(({ id }) => [
        [`GET /runs/${id}/evaluations`, () => ({ body: [] })],
        [`GET /runs/${id}/policies`, () => ({ body: { policies: [] } })],
        [`GET /runs/${id}/clips`, () => ({ body: [] })],
      ]),
    ),
  });
  renderWithQueries(<Policies />);
  expect(await screen.findAllByText("Not evaluated yet.")).toHaveLength(3);
  expect(asked.filter(({ route }) => /policies|clips/.test(route))).toEqual([]);
  await userEvent.click(screen.getByRole("radio", { name: "Same step" }));
  await waitFor(() =>
    expect(screen.getAllByText("No policy of this run was kept.")).toHaveLength(3),
  );
});
