import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { aRun } from "./fixtures";
import { TrainSeeds } from "./train-seeds";

const CAUTION = "One seed each: with other seeds it may come out differently.";
const pair = (change = {}) => ["a", "b"].map((id) => aRun(id, { group_id: id, ...change }));

test("the caution of single seeds is a button that trains those that are missing", async () => {
  const asked = serve({
    "GET /health": () => ({ body: {} }),
    "GET /limits": () => ({ body: { verdict_seeds: { minimum: 5 } } }),
    "POST /runs/a/seeds": () => ({ status: 201, body: { runs: [{ id: "a2" }] } }),
    "POST /runs/b/seeds": () => ({ status: 201, body: { runs: [{ id: "b2" }] } }),
  });
  const started = vi.fn();
  renderWithQueries(<TrainSeeds runs={pair()} caution={CAUTION} onStarted={started} />);
  await userEvent.click(
    await screen.findByRole("button", {
      name: `${CAUTION} Train up to 5 seeds of each (8 runs)`,
    }),
  );
  await vi.waitFor(() => expect(started).toHaveBeenCalledWith(["a2", "b2"]));
  const posted = asked.filter(({ route }) => route.endsWith("/seeds"));
  expect(posted.map(({ body }) => body)).toMatchObject([{ count: 4 }, { count: 4 }]);
});

test("where no other seed can be trained the caution is a sentence", () => {
  const parent = { run_id: "x", snapshot: "s", step: 1 };
  renderWithQueries(
    <TrainSeeds runs={pair({ parent })} caution={CAUTION} onStarted={() => undefined} />,
  );
  expect(screen.getByText(CAUTION)).toBeVisible();
  expect(screen.queryByRole("button")).toBeNull();
});
