import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ComponentType } from "react";
import { expect, test } from "vitest";
import type { RunConfig } from "@/api/types";
import { renderWithQueries, serve } from "@/lib/testing/service";
import type { GuideProps } from "./guide-page";
import A2cGuide from "./guides/a2c";
import DqnGuide from "./guides/dqn";
import PpoGuide from "./guides/ppo";
import QLearningGuide from "./guides/q-learning";
import QrdqnGuide from "./guides/qrdqn";
import SacGuide from "./guides/sac";
import Td3Guide from "./guides/td3";
import TrpoGuide from "./guides/trpo";

const RUN = "run-1";
const begin = { environment: "CartPole-v1", preset: null, runId: RUN };

const preset = {
  ...{ id: "fast", title: "fast", summary: "", tradeoff: "", source: "", measured: null },
  ...{ total_timesteps: 100_000, hyperparameters: { clip_range: 0.2, n_steps: 32 } },
};

/** What the service answers of an environment that `algo` trains on, and of a run. */
function answer(algo: string, ofRun: Record<string, object>) {
  const environment = {
    ...{ id: "CartPole-v1", family_title: "Classic control", variants: [], options: [] },
    ...{ algorithms: [algo], presets: { [algo]: [preset] } },
  };
  serve({
    "GET /algorithms": () => ({ body: [] }),
    "GET /environments": () => ({ body: [environment] }),
    [`GET /runs/${RUN}`]: () => ({
      body: { id: RUN, status: "completed", env_options: { is_slippery: false } },
    }),
    ...Object.fromEntries(
      Object.entries(ofRun).map(([path, body]) => [`GET /runs/${RUN}/${path}`, () => ({ body })]),
    ),
  });
}

test("the settings of a run are listed with the presets and shown first", async () => {
  answer("ppo", { anatomy: { run_id: RUN, updates: [] } });
  const config = { total_timesteps: 5_000, hyperparameters: { clip_range: 0.35, n_steps: 64 } };
  renderWithQueries(<PpoGuide {...begin} config={config as unknown as RunConfig} />);
  const clip = () => screen.getByRole("slider", { name: "Clip range" });
  expect(await screen.findByRole("radio", { name: "This run" })).toBeChecked();
  expect(clip()).toHaveAttribute("aria-valuetext", "0.35");
  const knob = screen.getByRole("heading", { name: "clip_range" }).closest("li");
  expect(knob).toHaveTextContent("This run0.35fast0.2");
  await userEvent.click(screen.getByRole("radio", { name: "fast" }));
  expect(clip()).toHaveAttribute("aria-valuetext", "0.20");
});

const histogram = { low: -2, high: 2, counts: [1, 3, 2], mean: 0.5, std: 0.25 };

test.each([
  ["ppo", PpoGuide, "ratios", /Grey: the probability ratios .* at step 4,096/],
  ["a2c", A2cGuide, "advantages", /Grey: the advantages .* at step 4,096/],
  ["td3", Td3Guide, "td_errors", /Grey: the errors .* at step 4,096: 0\.5000 ± 0\.2500/],
] as const)(
  "the picture of %s is drawn from the newest recorded update",
  async (algo, Guide, figure, said) => {
    const update = { seq: 1, time: 1, step: 4_096, [figure]: histogram };
    answer(algo, { anatomy: { run_id: RUN, updates: [update] } });
    renderWithQueries(<Guide {...begin} />);
    expect(await screen.findByText(said)).toBeVisible();
  },
);

test.each<[string, ComponentType<GuideProps>, string, number, RegExp]>([
  [
    "dqn",
    DqnGuide,
    "rollout/exploration_rate",
    0.25,
    /ε as this run has logged it, 0.250 at step 2,000/,
  ],
  [
    "trpo",
    TrpoGuide,
    "train/kl_divergence_loss",
    0.0123,
    /Grey line: the KL divergence .* 0.0123 at step 2,000/,
  ],
  [
    "trpo",
    TrpoGuide,
    "train/kl_divergence_loss",
    0,
    /0.0000 at step 2,000: the line search found no step/,
  ],
  ["sac", SacGuide, "train/ent_coef", 0.05, /temperature α of this run, 0.0500 at step 2,000/],
])(
  "the picture of %s uses the logged values of the run",
  async (algo, Guide, metric, last, said) => {
    const series = { [metric]: { x: [1_000, 2_000, 3_000], y: [0.5, last, null], count: 3 } };
    answer(algo, { "metrics/curves": { run_id: RUN, series } });
    renderWithQueries(<Guide {...begin} />);
    expect(await screen.findByText(said)).toBeVisible();
  },
);

test("the picture of QR-DQN uses the quantiles of the newest recorded evaluation", async () => {
  const evaluation = { id: "e", status: "completed", has_steps: true, checkpoint_step: 7_000 };
  const quantiles = [
    [10, 20],
    [30, 50],
  ];
  answer("qrdqn", {
    evaluations: [{ id: "f", status: "completed", has_steps: false }, evaluation],
    "evaluations/e/steps": {
      info: { action: { kind: "Discrete", labels: ["left", "right"] }, squashed: false },
      ...{ total: 9, start: 0, stop: 2 },
      columns: { index: [0, 1], action: [null, 1], "reading.quantiles": [quantiles, quantiles] },
    },
  });
  renderWithQueries(<QrdqnGuide {...begin} />);
  expect(await screen.findByText(/this run.s policy at step 7,000/)).toBeVisible();
  const learned = screen.getByRole("region", { name: "Quantiles of the return" });
  expect(within(learned).getByText("left")).toBeVisible();
  expect(learned).toHaveTextContent("From 10.0 to 50.0");
});

test("the lake is shown with the table of a run on the same lake", async () => {
  const q = Array.from({ length: 16 }, () => [0, 0.5, 0, 0]);
  const map = ["SFFF", "FHFH", "FFFH", "HFFG"];
  answer("q-learning", { "artifacts/q_table.json": { step: 9_000, map, q } });
  renderWithQueries(<QLearningGuide {...begin} />);
  const said = "The Q-table of this run, at step 9,000, on ice that is not slippery.";
  expect(await screen.findByText(said)).toBeVisible();
  expect(screen.getAllByRole("img", { name: /^The frozen lake/ })).toHaveLength(2);
});

const everywhere = ["stuck-in-a-cell", "exploration-ended"];
const inGames = [...everywhere, "tap-never-changes"];

test.each<[string, ComponentType<GuideProps>, readonly string[]]>([
  ["ppo", PpoGuide, inGames],
  ["a2c", A2cGuide, inGames],
  ["trpo", TrpoGuide, inGames],
  ["dqn", DqnGuide, inGames],
  ["qrdqn", QrdqnGuide, inGames],
  ["q-learning", QLearningGuide, everywhere],
  ["sac", SacGuide, everywhere],
  ["td3", Td3Guide, everywhere],
])(
  "the guide to %s explains each hint about the world that its runs can get",
  async (algo, Guide, ids) => {
    answer(algo, {});
    renderWithQueries(<Guide environment="CartPole-v1" preset={null} />);
    await screen.findByRole("heading", { name: "How runs fail" });
    const shown = inGames.filter((id) => document.getElementById(id));
    expect(shown.toSorted()).toEqual([...ids].toSorted());
    for (const id of ids) {
      const terms = within(document.getElementById(id)!).getAllByRole("term");
      expect(terms.map(({ textContent }) => textContent)).toEqual(["You see", "Why", "Try"]);
    }
  },
);
