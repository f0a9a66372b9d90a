import { render, screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Experiment } from "@/lib/api";
import { TrialTable } from "./trial-table";

const cell = {
  ...{ variant: "v0", run_id: null, attempt: 1, score: null, cause: null },
  ...{ progress: 0, trained: 0, sparkline: [] },
};
const experiment = {
  variants: [
    { id: "v0", label: "PPO", env_id: "CartPole-v1" },
    { id: "v1", label: "DQN", env_id: "CartPole-v1" },
  ],
  seeds: [0, 1],
  cells: [
    {
      ...{ ...cell, trial: 0, seed: 0, status: "scored", score: 487.25, run_id: "run-a" },
      ...{ progress: 1, trained: 1, sparkline: [0, 500] },
    },
    {
      ...{ ...cell, trial: 1, seed: 1, status: "training", run_id: "run-b" },
      ...{ progress: 0.5, trained: 0.5, sparkline: [0, 250] },
    },
    {
      ...{ ...cell, trial: 2, variant: "v1", seed: 0, status: "failed", cause: "It snapped." },
      ...{ progress: 1, trained: 0.25, sparkline: [100, 100] },
    },
    { ...cell, trial: 3, variant: "v1", seed: 1, status: "waiting" },
  ],
} as unknown as Experiment;

test("a cell has its status, its score and its returns over the share that it has trained", () => {
  render(<TrialTable experiment={experiment} />);
  const [ppo, dqn] = ["PPO", "DQN"].map((name) => {
    const row = screen.getByRole("rowheader", { name }).closest("tr")!;
    return within(row).getAllByRole("cell");
  });
  expect(ppo![0]).toHaveTextContent("487.3 scored");
  expect(within(ppo![0]!).getByRole("link")).toHaveAttribute(
    "href",
    expect.stringMatching("run-a"),
  );
  expect(ppo![1]).toHaveTextContent("50% training");
  expect(dqn![0]).toHaveTextContent("failed");
  expect(dqn![0]).toHaveAttribute("title", "It snapped.");
  expect(dqn![1]).toHaveTextContent("waiting");

  const path = (cell: HTMLElement) => cell.querySelector("path")!.getAttribute("d")!;
  const last = (cell: HTMLElement) => path(cell).split("L").at(-1)!.split(" ").map(Number);
  expect(last(ppo![0]!)[0]).toBeGreaterThan(60);
  expect(last(ppo![1]!)[0]).toBeLessThan(33);
  expect(last(ppo![1]!)[1]).toBe(9); // half of the highest return of the table
  expect(path(dqn![1]!)).toBe("");
});
