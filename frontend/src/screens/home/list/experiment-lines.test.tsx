import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { ExperimentCell } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { ExperimentLines } from "./experiment-lines";

const cell = (trial: number, change: Partial<ExperimentCell>) =>
  ({
    trial,
    variant: "v",
    seed: trial,
    status: "scored",
    run_id: `run-${trial}`,
    ...change,
  }) as ExperimentCell;
const experiment = {
  id: "exp-a",
  name: "Learning rates",
  trials: 4,
  progress: 0.75,
  status: "running",
  best_return: 481.5,
};

test("an experiment is one row with progress and best score, and expands to its trials, best first", async () => {
  serve({
    "GET /experiments": () => ({ body: { experiments: [experiment], next_cursor: null } }),
    "GET /experiments/exp-a": () => ({
      body: {
        ...experiment,
        counts: {},
        variants: [{ id: "v", label: "lr 0.01" }],
        cells: [
          cell(0, { score: 20 }),
          cell(1, { status: "training", score: null, progress: 0.5 }),
          cell(2, { score: 480 }),
          cell(3, { status: "waiting", score: null, run_id: null }),
        ],
      },
    }),
  });
  renderWithQueries(<ExperimentLines />);
  expect(await screen.findByRole("link", { name: "Learning rates" })).toBeVisible();
  expect(screen.getByText("4 trials")).toBeVisible();
  expect(screen.getByText("75%")).toBeVisible();
  expect(screen.getByText("481.5")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Trials of Learning rates" }));
  const trials = await screen.findByRole("list", { name: "Trials of Learning rates" });
  const lines = within(trials)
    .getAllByRole("listitem")
    .map(({ textContent }) => textContent);
  expect(lines).toEqual([
    "lr 0.01 · seed 2score 480.0",
    "lr 0.01 · seed 0score 20.0",
    "lr 0.01 · seed 1training, 50%",
    "lr 0.01 · seed 3waiting",
  ]);
});
