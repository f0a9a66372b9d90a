import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Experiment, ExperimentCell, SearchedTrial, SearchResults } from "@/api/types";
import { push } from "@/lib/testing/navigation";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { SearchView } from "./search-view";

const trialOf = (number: number, changes: Partial<SearchedTrial> = {}): SearchedTrial => ({
  ...{ number, variant: `trial-${number}` },
  values: { learning_rate: 10 ** -(number + 2), activation: number % 2 ? "relu" : "tanh" },
  ...{ state: "complete", objective: 100 + number, cause: null },
  ...{ best_so_far: 100 + number, is_best_so_far: true },
  ...changes,
});

const trials = [
  trialOf(0),
  trialOf(1, { state: "pruned", objective: null, is_best_so_far: false }),
  trialOf(2),
  trialOf(3, { state: "failed", objective: null, is_best_so_far: false, cause: "it snapped" }),
];

const search: SearchResults = {
  ...{ sampler: "tpe", pruner: "median", wanted: 6, seeds_per_trial: 1 },
  counts: { running: 0, complete: 2, pruned: 1, failed: 1 },
  ...{ best: trials[2]!, trials, caution: "Each trial has one seed." },
  importances: [
    { name: "learning_rate", share: 0.75 },
    { name: "activation", share: 0.25 },
  ],
  slices: [],
  coordinates: {
    axes: [
      { name: "learning_rate", log: true, low: 1e-4, high: 1e-2, choices: null },
      { name: "activation", log: false, low: null, high: null, choices: ["tanh", "relu"] },
    ],
    lines: [
      { number: 0, objective: 100, places: [1, 0] },
      { number: 2, objective: 102, places: [0, 0] },
    ],
  },
  made: {},
};

const cell = (number: number): ExperimentCell => ({
  ...{ trial: number, variant: `trial-${number}`, seed: 0, status: "scored", attempt: 1 },
  ...{ run_id: `ppo-run-${number}`, score: 1, cause: null, progress: 1, trained: 1 },
  sparkline: [0, number],
});
const experiment = {
  ...{ id: "exp-a", status: "running", searches: true, seeds: [0, 1] },
  specification: {
    base: { algo: "ppo", env_id: "CartPole-v1", preset: "fast", total_timesteps: 5_000 },
    score: { episodes: 20, policy: "best" },
  },
  cells: [cell(0), cell(1), cell(2), cell(3)],
  variants: [{ id: "trial-2", total_timesteps: 5_000 }],
} as unknown as Experiment;

const shown = (found: SearchResults = search, keep?: () => { status?: number; body?: unknown }) => {
  const asked = serve({
    "GET /experiments/exp-a": () => ({ body: experiment }),
    "GET /experiments/exp-a/search": () => ({ body: found }),
    ...(keep && { "POST /experiments/exp-a/keep-as-preset": keep }),
  });
  renderWithQueries(<SearchView id="exp-a" />);
  return asked;
};

test("the best trial is shown first with its actions", async () => {
  shown();
  const best = await screen.findByRole("region", { name: "Trial 2" });
  expect(best).toHaveTextContent(/the best so far.*102/);
  expect(within(best).getByRole("link", { name: "Open its run" })).toHaveAttribute(
    "href",
    "/runs/view?id=ppo-run-2",
  );
  expect(within(best).getByRole("link", { name: "Watch" })).toBeVisible();
  expect(screen.getByText(/2 of 6 trials complete, 1 pruned, 1 failed/)).toBeVisible();
  expect(screen.getByText("Each trial has one seed.")).toBeVisible();
});

test("every objective states its method", async () => {
  const objective = { definition: "Interquartile mean.", n: 1, source: "docs/experiments.md" };
  shown({ ...search, made: { objective } });
  const text = "Interquartile mean. (n = 1; source: docs/experiments.md)";
  const best = await screen.findByRole("region", { name: "Trial 2" });
  expect(
    within(best).getByRole("button", { name: "What is its objective?" }),
  ).toHaveAccessibleDescription(text);
  for (const name of ["Parallel coordinates", "Slices", "Trials, best first"]) {
    const card = screen.getByRole("region", { name });
    const help = within(card).getByRole("button", { name: /^What is the objective / });
    expect(help).toHaveAccessibleDescription(text);
  }
  expect(screen.getByRole("cell", { name: "102.0" })).toHaveAttribute("title", text);
});

test("each state has its own shape in the history", async () => {
  shown();
  const history = await screen.findByRole("img", { name: /the best is trial 2 with 102/ });
  const states = [...history.querySelectorAll("[data-trial]")].map((mark) =>
    mark.getAttribute("data-state"),
  );
  expect(states).toEqual(["complete", "pruned", "complete", "failed"]);
});

test("a selected trial is compared with the best and says why it failed", async () => {
  shown();
  await userEvent.click(await screen.findByRole("button", { name: "3" }));
  const failed = screen.getByRole("region", { name: "Trial 3" });
  expect(failed).toHaveFocus();
  expect(failed).toHaveTextContent("it snapped");
  expect(within(failed).getByRole("link", { name: "Compare with the best" })).toHaveAttribute(
    "href",
    "/compare?runs=ppo-run-3,ppo-run-2",
  );
  expect(within(failed).queryByRole("button", { name: "Keep as preset" })).toBeNull();
});

test("the keyboard moves the end of an axis and filters the trials", async () => {
  shown();
  const from = await screen.findByRole("slider", { name: "learning_rate, from" });
  from.focus();
  await userEvent.keyboard("{ArrowUp}");
  expect(screen.getByText(/1 of 2 complete trials match/)).toBeVisible();
  expect(from).toHaveAttribute("aria-valuetext", "1.259e-4");
  expect(screen.queryByRole("button", { name: /^2/ })).toBeNull();
  await userEvent.keyboard("{Escape}");
  expect(screen.getByRole("button", { name: "2 best" })).toBeVisible();
});

test("a trial is saved as a preset under the given name", async () => {
  const asked = shown(search, () => ({
    status: 201,
    body: { title: "Mine", environment: "CartPole-v1" },
  }));
  await userEvent.click(await screen.findByRole("button", { name: "Keep as preset" }));
  const title = screen.getByLabelText("Title");
  await userEvent.clear(title);
  await userEvent.type(title, "Mine");
  await userEvent.click(screen.getByRole("button", { name: "Keep" }));
  expect(await screen.findByText(/“Mine” is kept/)).toBeVisible();
  expect(asked.find(({ route }) => route.startsWith("POST"))?.body).toEqual({
    variant: "trial-2",
    title: "Mine",
  });
});

test("a refused title is reported at its field until another is typed", async () => {
  const detail = "A built-in preset is named 'Fast'. Choose another title.";
  shown(search, () => ({
    status: 422,
    body: { detail, errors: [{ pointer: "/title", detail }] },
  }));
  await userEvent.click(await screen.findByRole("button", { name: "Keep as preset" }));
  const title = screen.getByLabelText("Title");
  await userEvent.clear(title);
  await userEvent.type(title, "Fast");
  await userEvent.click(screen.getByRole("button", { name: "Keep" }));
  await vi.waitFor(() => expect(title).toBeInvalid());
  expect(title).toHaveAccessibleDescription(detail);
  await userEvent.type(title, "er");
  expect(title).toBeValid();
});

test("a trial is trained again with new seeds, next to the base of the search", async () => {
  const asked = serve({
    "GET /experiments/exp-a": () => ({ body: experiment }),
    "GET /experiments/exp-a/search": () => ({ body: search }),
    "GET /limits": () => ({ body: { verdict_seeds: { minimum: 5, maximum: 1_000 } } }),
    "GET /health": () => ({ body: {} }),
    "POST /experiments": () => ({ status: 201, body: { id: "exp-b" } }),
  });
  renderWithQueries(<SearchView id="exp-a" />);
  const again = await screen.findByRole("button", { name: "Train with 5 other seeds" });
  expect(again).toHaveAccessibleDescription("10 runs, 50k steps in total");
  await userEvent.click(again);
  await vi.waitFor(() => expect(push).toHaveBeenCalledWith("/experiments/view?id=exp-b"));
  const { base, score } = experiment.specification;
  expect(asked.find(({ route }) => route === "POST /experiments")?.body).toEqual({
    ...{ base, score, seeds: [2, 3, 4, 5, 6] },
    variants: [
      { name: "Trial 2", changes: { hyperparameters: trials[2]!.values } },
      { name: "PPO Fast", changes: {} },
    ],
  });
});

test("a trial with queued runs is not shown as running", async () => {
  const running = { state: "running", objective: null, is_best_so_far: false } as const;
  const proposed = [trialOf(0), trialOf(1, running), trialOf(2, running)];
  const waiting = { status: "waiting", run_id: null, progress: 0, sparkline: [] } as const;
  const training = { status: "training", progress: 0.5 } as const;
  const cells = [cell(0), { ...cell(1), ...training }, { ...cell(2), ...waiting }];
  serve({
    "GET /experiments/exp-a": () => ({ body: { ...experiment, seeds: [0], cells } }),
    "GET /experiments/exp-a/search": () => ({
      body: { ...search, best: proposed[0], trials: proposed, counts: { running: 2, complete: 1 } },
    }),
  });
  renderWithQueries(<SearchView id="exp-a" />);
  expect(await screen.findByText(/^1 of 6 trials complete, 1 running, 1 waiting\./)).toBeVisible();
  const table = screen.getByRole("region", { name: "Trials" });
  expect(within(table).getByRole("row", { name: /^1 running 50%/ })).toBeVisible();
  expect(within(table).getByRole("row", { name: /^2( best)? waiting waiting/ })).toBeVisible();
});

test("a search of an ended experiment is refreshed until none of its trials is running", async () => {
  const before = {
    ...search,
    trials: [trialOf(0, { state: "running", objective: null })],
    best: null,
  };
  let asked = 0;
  serve({
    "GET /experiments/exp-a": () => ({ body: { ...experiment, status: "completed" } }),
    "GET /experiments/exp-a/search": () => ({ body: asked++ === 0 ? before : search }),
  });
  renderWithQueries(<SearchView id="exp-a" />);
  expect(await screen.findByText("No trial is complete yet")).toBeVisible();
  expect(await screen.findByText(/^Best: 102/, {}, { timeout: 10_000 })).toBeVisible();
  expect(asked).toBe(2);
}, 15_000);

test("a search without proposals says so", async () => {
  const nothing = { ...search, trials: [], best: null, coordinates: { axes: [], lines: [] } };
  shown(nothing);
  expect(await screen.findByText("No trial yet")).toBeVisible();
});
