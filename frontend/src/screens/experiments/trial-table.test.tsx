import { fireEvent, render, screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import type { Experiment } from "@/api/types";
import { push } from "@/lib/testing/navigation";
import { TrialTable } from "./experiment-trials";

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

test("a cell has its status, its score and its returns over the trained share", () => {
  render(<TrialTable experiment={experiment} />);
  const [ppo, dqn] = ["PPO", "DQN"].map((name) => {
    const row = screen.getByRole("rowheader", { name }).closest("tr")!;
    return within(row).getAllByRole("cell");
  });
  expect(within(ppo![0]!).getByRole("link", { name: "487.3 scored" })).toHaveAttribute(
    "href",
    expect.stringMatching("run-a"),
  );
  expect(within(ppo![1]!).getByRole("link", { name: "50% training" })).toBeVisible();
  expect(dqn![0]).toHaveTextContent("failed");
  expect(dqn![0]).toHaveAttribute("title", "It snapped.");
  expect(dqn![1]).toHaveTextContent("waiting");

  const path = (cell: HTMLElement) => cell.querySelector("path")!.getAttribute("d")!;
  const last = (cell: HTMLElement) => path(cell).split("L").at(-1)!.split(" ").map(Number);
  expect(last(ppo![0]!)[0]).toBeGreaterThan(60);
  expect(last(ppo![1]!)[0]).toBeLessThan(33);
  expect(last(ppo![1]!)[1]).toBe(9); // half of the highest return of the table
  expect(dqn![1]!.querySelector("path")).toBeNull();
});

test("a clicked trial opens within the app, and with a modifier key as in the browser", () => {
  render(<TrialTable experiment={experiment} />);
  const trial = screen.getByRole("link", { name: "487.3 scored" });
  const left: boolean[] = [];
  const note = (event: Event) => {
    left.push(!event.defaultPrevented);
    event.preventDefault(); // nothing can be opened here
  };
  document.addEventListener("click", note);
  fireEvent.click(trial, { ctrlKey: true });
  expect(push).not.toHaveBeenCalled();
  fireEvent.click(trial);
  document.removeEventListener("click", note);
  expect(left).toEqual([true, false]);
  expect(push).toHaveBeenCalledExactlyOnceWith("/runs/view?id=run-a");
  fireEvent.click(screen.getByText("failed"));
  expect(push).toHaveBeenCalledOnce();
});

test("a thousand trials need only a few elements each", () => {
  const seeds = Array.from({ length: 1_000 }, (_, seed) => seed);
  const many = {
    ...experiment,
    variants: experiment.variants.slice(0, 1),
    ...{ seeds, cells: seeds.map((seed) => ({ ...experiment.cells[0]!, trial: seed, seed })) },
  };
  const { container } = render(<TrialTable experiment={many} />);
  expect(container.querySelectorAll("td *").length).toBeLessThanOrEqual(3_000);
});
