import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { RunDetail } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import PpoGuide from "./guides/ppo";
import { HintsPanel } from "./hints-panel";

const ID = "ppo-cartpole-1";
const run = {
  id: ID,
  name: "Pole",
  algo: "ppo",
  env_id: "CartPole-v1",
  preset: "fast",
  status: "completed",
} as RunDetail;
const hint = {
  id: "kl-spikes",
  severity: "warning",
  title: "Some updates changed the policy too much",
  metric: "train/approx_kl",
  from_step: 2_000,
  to_step: 8_000,
  evidence: "approx_kl is above 0.3 in 7 of 47 updates.",
  suggestion: "Set target_kl to 0.03.",
  ...{
    changes: [{ name: "target_kl", value: 0.03 }],
    testable: ["target_kl"],
    record: null,
    tests: [],
  },
  learn: "failure-modes",
  looked_at: {
    ...{ metric: "train/approx_kl", from_step: 1_000, to_step: 9_000, points: 47 },
    unit: "updates",
  },
};
const rules = [
  {
    ...{ id: "clip-fraction-high", looks_for: "most updates run into the clip range" },
    ...{ metrics: [], state: "waiting", points: 12 },
    minimum: { points: 20, unit: "updates", progress: 0, ended: false },
  },
];

const preset = (id: string, clip: number) => ({
  id,
  title: id,
  summary: "",
  tradeoff: "",
  source: "",
  measured: null,
  total_timesteps: 100_000,
  hyperparameters: { clip_range: clip, n_envs: 8, n_steps: 32, batch_size: 256, n_epochs: 20 },
});

const environment = {
  id: "CartPole-v1",
  family_title: "Classic control",
  algorithms: ["ppo"],
  variants: [],
  presets: { ppo: [preset("fast", 0.2), preset("stable", 0.1)] },
};

const begin = { environment: null, preset: null };

function answer(hints: object[]) {
  serve({
    [`GET /runs/${ID}/hints`]: () => ({ body: { run_id: ID, hints, rules } }),
    [`GET /runs/${ID}/metrics/curves`]: () => ({ body: { series: {} } }),
    "GET /algorithms": () => ({ body: [] }),
    "GET /environments": () => ({ body: [environment] }),
  });
}

test("a hint of a run states its curve, its position and what to try, and links to the reason", async () => {
  answer([hint]);
  renderWithQueries(
    <>
      <HintsPanel run={run} />
      <PpoGuide {...begin} />
    </>,
  );
  const found = await screen.findByRole("region", { name: "Hints" });
  expect(await within(found).findByText(/steps 2,000 to 8,000/)).toBeVisible();
  expect(within(found).getByText("train/approx_kl")).toBeVisible();
  expect(within(found).getByText("Based on 47 updates, from step 1,000 to 9,000.")).toBeVisible();
  await userEvent.click(within(found).getByText("Checks"));
  expect(within(found).getByText("12 updates so far; needs 20 updates")).toBeVisible();
  expect(within(found).getByText("Set target_kl to 0.03.")).toBeVisible();
  expect(within(found).getByRole("link", { name: "See the run's chart" })).toHaveAttribute(
    "href",
    `/runs/view?id=${ID}&chart=train%2Fapprox_kl&from=2000&to=8000`,
  );
  await screen.findByRole("heading", { name: "How runs fail" });
  await userEvent.click(within(found).getByRole("link", { name: "Why this happens" }));
  expect(window.location.hash).toBe("#kl-spikes");
  expect(document.querySelector(window.location.hash)).toHaveTextContent("approx_kl spikes");
});

test.each([
  ["stuck-in-a-cell", "explored/cells", "The agent stays where it begins"],
  ["exploration-ended", "explored/total_cells", "Exploration has ended"],
  ["tap-never-changes", "taps/coins", "A tap of your own game never changes"],
])("the hint %s leads to its failure mode", async (id, metric, title) => {
  answer([{ ...hint, id, metric }]);
  renderWithQueries(
    <>
      <HintsPanel run={run} />
      <PpoGuide {...begin} />
    </>,
  );
  await screen.findByRole("heading", { name: "How runs fail" });
  await userEvent.click(await screen.findByRole("link", { name: "Why this happens" }));
  expect(window.location.hash).toBe(`#${id}`);
  const mode = document.getElementById(id)!;
  expect(within(mode).getByRole("heading", { name: title })).toBeVisible();
});

test("a run without problems says so", async () => {
  answer([]);
  renderWithQueries(<HintsPanel run={run} />);
  expect(await screen.findByText("No hints")).toBeVisible();
});

test("the guide shows the numbers of the chosen preset in the picture and the table", async () => {
  answer([]);
  renderWithQueries(<PpoGuide {...begin} />);
  const clip = await screen.findByRole("slider", { name: "Clip range" });
  expect(clip).toHaveAttribute("aria-valuetext", "0.20");
  await userEvent.click(screen.getByRole("radio", { name: "stable" }));
  expect(screen.getByRole("slider", { name: "Clip range" })).toHaveAttribute(
    "aria-valuetext",
    "0.10",
  );
  expect(screen.getByText("8 × 32 steps")).toBeVisible();
  const knob = screen.getByRole("heading", { name: "clip_range" }).closest("li");
  expect(knob).toHaveTextContent("fast0.2stable0.1");
});
