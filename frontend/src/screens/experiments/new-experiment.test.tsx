import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import type { CreateExperiment } from "@/api/types";
import { goTo, push } from "@/lib/testing/navigation";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { FIRST } from "./draft";
import { Experiments } from "./experiments";
import { NewExperiment } from "./new-experiment";

const preset = {
  ...{ id: "fast", title: "Fast", end_step: 1_000, total_timesteps: 1_000 },
  hyperparameters: {},
};
const schema = {
  ...{ name: "gamma", type: "number", default: 0.99, nullable: false, choices: null },
  ...{ minimum: 0, maximum: 1, help: "", needs: null },
};
const parameter = { kind: "float", low: 0.9, high: 0.999, log: false, step: null };
const algorithms = ["ppo", "dqn"].map((id) => ({
  ...{ id, name: id.toUpperCase(), actor: "policy", presets: [preset] },
  imitates: id === "ppo",
  ...{ hyperparameters: [schema], search: [{ name: "gamma", parameter, source: "RL Zoo" }] },
}));
const option = {
  ...{ name: "gravity", type: "number", default: 9.8, nullable: false, choices: null },
  ...{ minimum: 0, maximum: 20, help: "" },
};
const limits = {
  ...{
    run_name: { maximum: 120 },
    variant_name: { maximum: 100 },
    seed: { minimum: 0, maximum: 100 },
  },
  ...{ total_timesteps: { minimum: 100, maximum: 10_000_000 } },
  ...{ sweep_trials: { minimum: 1, maximum: 1_000 }, sweep_seeds: { minimum: 1, maximum: 20 } },
  ...{ scored_episodes: { minimum: 1, maximum: 1_000, default: 20 } },
  ...{ experiment_seeds: { minimum: 1, maximum: 1_000 } },
  ...{ experiment_parallel: { minimum: 1, maximum: 256 } },
  ...{ experiment_retries: { minimum: 1, maximum: 10, default: 1 } },
  ...{ periodic_every_steps: { minimum: 100, maximum: 10_000 } },
  ...{ coverage: { minimum: 0, maximum: 100, default: 0.1 } },
  ...{ novelty: { minimum: 0, maximum: 10, default: 0.5 } },
  ...{ archive: { minimum: 0, maximum: 1, default: 0.3 } },
  ...{ imitation: { minimum: 1, maximum: 100, default: 10 } },
  ...{ reward_weight: { minimum: -100, maximum: 100 }, reward_cap: { minimum: 0, maximum: 1e6 } },
};
const world = { rooms: [], cells: [] };
const engine = { name: "engine", label: "Engine", help: "" };
const environments = [
  {
    ...{ id: "CartPole-v1", name: "Cart Pole", available: true, variants: [], options: [option] },
    ...{ algorithms: ["ppo", "dqn"], presets: {}, world, reward_components: [engine] },
    ...{ observation_space: { is_real: true }, action_space: { kind: "Discrete" } },
  },
  {
    ...{ id: "Acrobot-v1", name: "Acrobot", available: true, variants: [], options: [] },
    ...{ algorithms: ["ppo", "dqn"], presets: {}, world: null, reward_components: [] },
    ...{ observation_space: { is_real: true }, action_space: { kind: "Discrete" } },
  },
];

/** As the service counts, for a grid with lists and for variants: a thousand steps each. */
function estimateOf(body: unknown) {
  const { grid = {}, variants = [], seeds } = body as CreateExperiment;
  const lists = Object.values(grid) as unknown[][];
  const settings = lists.reduce((product, values) => product * values.length, 1);
  const trials = (variants.length || settings) * (seeds as number);
  const steps = trials * 1_000;
  return {
    ...{ trials, total_timesteps: steps, least_timesteps: steps },
    ...{ core_seconds: null, length_note: "As typed." },
  };
}

type Answer = (body: unknown) => { status?: number; body?: unknown };

function shown(create: Answer, page = <Opened />, run: Answer = () => ({ status: 404 })) {
  const asked = serve({
    "GET /algorithms": () => ({ body: algorithms }),
    "GET /environments": () => ({ body: environments }),
    "GET /limits": () => ({ body: limits }),
    "GET /health": () => ({ body: {} }),
    "GET /sinks": () => ({
      body: [{ kind: "mlflow", label: "MLflow", install: null, place: "mlflow.db", note: null }],
    }),
    "GET /runs/r": run,
    "GET /experiments": () => ({ body: { experiments: [], damaged: {}, total: 0 } }),
    "POST /experiments": create,
    "POST /experiments/estimate": (body) => ({ body: estimateOf(body) }),
  });
  renderWithQueries(page);
  return () => asked.filter(({ route }) => route === "POST /experiments").map(({ body }) => body);
}

/** The page of the form, which is open. */
function Opened() {
  const [draft, setDraft] = useState(FIRST);
  const [isOpen, setIsOpen] = useState(true);
  return isOpen ? (
    <NewExperiment
      run={null}
      draft={draft}
      onChange={setDraft}
      onStartOver={() => setDraft(FIRST)}
      onClose={() => setIsOpen(false)}
    />
  ) : (
    <button onClick={() => setIsOpen(true)}>Open again</button>
  );
}

/** Nothing can be started, for a reason that is there to be read. */
function expectNoStart(reason: string) {
  expect(screen.getByRole("button", { name: "Start" })).toHaveAttribute("aria-disabled", "true");
  expect(screen.getByRole("status")).toHaveTextContent(reason);
}

test("thousands of runs need a confirmation that shows their cost", async () => {
  const cost = "This would train 2,500 runs, 2,500,000 environment steps in total.";
  const detail = `${cost} Send \`confirm: true\` to start it.`;
  const sent = shown((body) =>
    (body as { confirm: boolean }).confirm
      ? { status: 201, body: { id: "exp-a" } }
      : { status: 422, body: { detail, errors: [{ pointer: "/confirm", detail: cost }] } },
  );
  await screen.findByRole("option", { name: "Cart Pole" });
  await userEvent.click(screen.getByRole("radio", { name: "Grid" }));
  expectNoStart("Add a hyperparameter to vary first.");
  await userEvent.click(screen.getByRole("button", { name: "Show it" }));
  const add = screen.getByRole("combobox", { name: /add a hyperparameter/ });
  expect(add).toHaveFocus();
  await userEvent.selectOptions(add, "gamma");
  await userEvent.clear(screen.getByLabelText("gamma"));
  await userEvent.type(screen.getByLabelText("gamma"), "0.9, 0.95, 0.99");
  expect(await screen.findByText("15 runs, 15k steps in total")).toBeVisible();
  expect(screen.getByText("As typed.")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  const asked = await screen.findByText(/^This would train 2,500 runs/);
  expect(asked).not.toHaveTextContent("confirm");
  expect(screen.getByRole("contentinfo")).toContainElement(asked);
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  expect(sent()).toHaveLength(1);
  await userEvent.click(screen.getByRole("button", { name: "Start anyway" }));
  await vi.waitFor(() => expect(push).toHaveBeenCalledWith("/experiments/view?id=exp-a"));
  expect(sent()).toMatchObject([{ confirm: false }, { confirm: true }]);
});

test("the space of a search can be changed before it starts", async () => {
  const sent = shown(() => ({ status: 201, body: { id: "exp-b" } }));
  await screen.findByRole("option", { name: "Cart Pole" });
  await userEvent.click(screen.getByRole("radio", { name: "Search" }));
  await userEvent.click(screen.getByText("1 hyperparameter searched"));
  const low = screen.getByLabelText("gamma: from");
  await userEvent.clear(low);
  expectNoStart("Fix the highlighted fields first.");
  await userEvent.type(low, "0.5");
  await userEvent.click(screen.getByLabelText("gamma: logarithmic"));
  await userEvent.clear(screen.getByLabelText("Trials"));
  await userEvent.type(screen.getByLabelText("Trials"), "8");
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  await vi.waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]).toMatchObject({
    base: { algo: "ppo", preset: "fast" },
    sweep: { trials: 8, space: { gamma: { low: 0.5, high: 0.999, log: true } } },
  });
});

test("runs of the experiment are delivered to the selected sinks", async () => {
  const sent = shown(() => ({ status: 201, body: { id: "exp-c" } }));
  await screen.findByRole("option", { name: "Cart Pole" });
  await userEvent.click(screen.getByText("Sinks"));
  await userEvent.click(await screen.findByRole("checkbox", { name: "MLflow" }));
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  await vi.waitFor(() => expect(sent()).toMatchObject([{ sinks: ["mlflow"] }]));
});

test("name, seeds, environments and execution of an experiment are all sent", async () => {
  const sent = shown(() => ({ status: 201, body: { id: "exp-c" } }));
  await screen.findByRole("option", { name: "Cart Pole" });
  const type = (label: string, value: string) =>
    fireEvent.change(screen.getByLabelText(label), { target: { value } });
  type("gravity", "30");
  expect(screen.getByText("Must be 0 to 20")).toBeVisible();
  type("gravity", "12");
  await userEvent.selectOptions(screen.getByLabelText("Seeds of each"), "List");
  type("Seeds", "7, 8, 8");
  expect(screen.getByText(/^Seed 8 is listed twice/)).toBeVisible();
  expectNoStart("Fix the highlighted fields first.");
  type("Seeds", "7, 8, 11");
  type("Name", "Heavy poles");
  await userEvent.click(screen.getByText("Advanced"));
  type("Episodes of a score", "50");
  type("Evaluated every", "500");
  type("Parallel runs", "1");
  type("Retries", "3");
  type("Memory per worker (MB)", "64");
  type("Minutes", "1.5");
  type("Core-seconds", "7.2k");
  type("Steps together", "9k");
  expect(screen.getByText("8 changed")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  await vi.waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]).toEqual({
    name: "Heavy poles",
    base: {
      ...{ env_id: "CartPole-v1", total_timesteps: null, env_options: { gravity: 12 } },
      evaluation: { every_steps: 500 },
    },
    variants: [
      { name: "PPO Fast", changes: { algo: "ppo", preset: "fast" } },
      { name: "DQN Fast", changes: { algo: "dqn", preset: "fast" } },
    ],
    seeds: [7, 8, 11],
    score: { episodes: 50 },
    ...{ parallel: 1, retries: 3, memory_per_worker: 64_000_000 },
    limits: { seconds: 90, core_seconds: 7_200, steps: 9_000 },
    confirm: false,
  });
});

test("a refusal opens and focuses its field, and other messages appear next to the button", async () => {
  shown(() => ({
    status: 422,
    body: {
      detail: "Two things are wrong.",
      errors: [
        { pointer: "/limits/steps", detail: "Not even one trial fits this limit." },
        { pointer: "/variants/1/changes/algo", detail: "DQN does not fit." },
      ],
    },
  }));
  await screen.findByRole("option", { name: "Cart Pole" });
  expect(screen.getByLabelText("Steps together")).not.toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  expect(await screen.findByText("Not even one trial fits this limit.")).toBeVisible();
  expect(screen.getByLabelText("Steps together")).toBeInvalid();
  expect(screen.getByLabelText("Steps together")).toHaveFocus();
  const alert = within(screen.getByRole("contentinfo")).getByRole("alert");
  expect(alert).toHaveTextContent("Line 2: DQN does not fit.");
});

test("a refused name of a single variant is shown at its line", async () => {
  const detail = "String should have at most 100 characters";
  shown(() => ({
    status: 422,
    body: { detail, errors: [{ pointer: "/variants/1/name", detail }] },
  }));
  await screen.findByRole("option", { name: "Cart Pole" });
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  expect(await screen.findByText(detail)).toBeVisible();
  expect(screen.getByLabelText("Name of line 2")).toHaveFocus();
});

test("a refusal without a field is shown in words", async () => {
  const detail = "50,000 trials are too many: 10,000 are the most.";
  shown(() => ({ status: 422, body: { detail, errors: [{ pointer: "", detail }] } }));
  await screen.findByRole("option", { name: "Cart Pole" });
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  expect(await screen.findByRole("alert")).toHaveTextContent(detail);
});

test("the form restores its input until it is reset", async () => {
  shown(() => ({ status: 500 }));
  await screen.findByRole("option", { name: "Cart Pole" });
  expect(screen.queryByRole("button", { name: "Start over" })).toBeNull();
  await userEvent.type(screen.getByLabelText("Steps of each run"), "5k");
  await userEvent.keyboard("{Escape}");
  await userEvent.click(screen.getByRole("button", { name: "Open again" }));
  expect(await screen.findByLabelText("Steps of each run")).toHaveValue("5k");
  await userEvent.click(screen.getByRole("button", { name: "Start over" }));
  expect(screen.getByLabelText("Steps of each run")).toHaveValue("");
});

test("variants are compared in several environments, and a grid in one", async () => {
  const sent = shown(() => ({ status: 201, body: { id: "exp-d" } }));
  await screen.findByRole("option", { name: "Cart Pole" });
  await userEvent.click(screen.getByRole("button", { name: "Another environment" }));
  expect(screen.getByLabelText("Environment 2")).toHaveValue("Acrobot-v1");
  expect(screen.queryByRole("button", { name: "Another environment" })).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole("radio", { name: "Grid" }));
  expect(screen.queryByLabelText("Environment 2")).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole("radio", { name: "Variants" }));
  await userEvent.selectOptions(screen.getByLabelText("Environment 2"), "CartPole-v1");
  expect(screen.getByText("It is listed twice")).toBeVisible();
  expectNoStart("Fix the highlighted fields first.");
  await userEvent.selectOptions(screen.getByLabelText("Environment 2"), "Acrobot-v1");
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  await vi.waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]).toMatchObject({
    variants: ["PPO Fast", "DQN Fast"].flatMap((name) => [
      { name: `${name} on CartPole-v1` },
      { name: `${name} on Acrobot-v1`, changes: { env_id: "Acrobot-v1" } },
    ]),
  });
});

test("exploration and reward are set for all, and changed or switched off in a line", async () => {
  const sent = shown(() => ({ status: 201, body: { id: "exp-e" } }));
  await screen.findByRole("option", { name: "Cart Pole" });
  await userEvent.click(screen.getByText("Exploration"));
  await userEvent.click(screen.getByRole("switch", { name: "Reward coverage" }));
  const coverage = screen.getByLabelText("Reward for a new cell");
  await userEvent.clear(coverage);
  expectNoStart("Fix the highlighted fields first.");
  await userEvent.type(coverage, "0.2");
  await userEvent.click(screen.getByText("Reward"));
  await userEvent.type(screen.getByLabelText("Weight of Engine"), "0.5");
  expect(screen.getByText("Engine × 0.5")).toBeVisible();

  await userEvent.selectOptions(screen.getByLabelText("Exploration in line 1"), "Off");
  await userEvent.selectOptions(
    screen.getByLabelText("Exploration in line 2"),
    "Only for this line",
  );
  const second = within(screen.getByRole("group", { name: "Exploration of line 2" }));
  expect(second.queryByRole("switch", { name: "Imitate the best episodes" })).toBeNull();
  await userEvent.click(second.getByRole("switch", { name: "Reward novelty" }));
  await userEvent.selectOptions(screen.getByLabelText("Reward in line 1"), "Only for this line");
  const first = within(screen.getByRole("group", { name: "Reward of line 1" }));
  await userEvent.type(first.getByLabelText("Cap of Engine"), "3");
  await userEvent.selectOptions(screen.getByLabelText("Reward in line 2"), "Off");
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  await vi.waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]).toMatchObject({
    base: {
      exploration: { map: false, coverage: 0.2, novelty: null },
      reward: { weights: { engine: 0.5 }, caps: {} },
    },
    variants: [
      {
        name: "PPO Fast, no exploration, Engine within ±3",
        changes: { algo: "ppo", exploration: {}, reward: { weights: {}, caps: { engine: 3 } } },
      },
      {
        name: "DQN Fast, novelty 0.5, reward unchanged",
        changes: {
          algo: "dqn",
          ...{ exploration: { map: false, coverage: null, novelty: 0.5 }, reward: {} },
        },
      },
    ],
  });
});

test("one press fills the lines with and without exploration, and the preview counts them", async () => {
  const sent = shown(() => ({ status: 201, body: { id: "exp-f" } }));
  await screen.findByRole("option", { name: "Cart Pole" });
  await userEvent.click(screen.getByRole("button", { name: "With and without exploration" }));
  const names = ["coverage", "archive", "novelty", "imitation", "together", "without"];
  for (const [at, name] of names.entries()) {
    expect(screen.getByLabelText(`Name of line ${at + 1}`)).toHaveValue(name);
  }
  expect(await screen.findByText("36 runs, 36k steps in total")).toBeVisible();
  expect(screen.getByLabelText("Seeds of each")).toHaveDisplayValue("6");
  await userEvent.selectOptions(screen.getByLabelText("Algorithm 4"), "DQN");
  expect(screen.getByLabelText("Exploration in line 4")).toHaveValue("");
  expect(screen.getByLabelText("Name of line 4")).toHaveValue("");
  await userEvent.click(screen.getByRole("button", { name: "Remove line 4" }));
  expect(await screen.findByText("30 runs, 30k steps in total")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  await vi.waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]).toMatchObject({ seeds: 6, variants: { length: 5 } });
});

const explored = {
  ...{ id: "r", name: "Polly", algo: "ppo", env_id: "CartPole-v1" },
  config: {
    ...{ algo: "ppo", env_id: "CartPole-v1", preset: "fast", total_timesteps: 2_000 },
    ...{ hyperparameters: { gamma: 0.9 }, env_options: {} },
    ...{ evaluation: null, exploration: { map: false, coverage: 0.2, novelty: null } },
  },
};

test("a run's page opens the form with the run, with and without its exploration", async () => {
  goTo("/experiments?explored=r");
  const sent = shown(
    () => ({ status: 201, body: { id: "exp-g" } }),
    <Experiments />,
    () => ({ body: explored }),
  );
  expect(await screen.findByText("Polly")).toBeVisible();
  expect(screen.getByLabelText("Name of line 1")).toHaveValue("coverage");
  expect(screen.getByLabelText("Name of line 2")).toHaveValue("without");
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  await vi.waitFor(() => expect(sent()).toHaveLength(1));
  const same = { algo: "ppo", preset: "fast", hyperparameters: { gamma: 0.9 } };
  expect(sent()[0]).toMatchObject({
    ...{ base: { total_timesteps: 2_000 }, seeds: 5 },
    variants: [
      { name: "coverage", changes: { ...same, exploration: { coverage: 0.2 } } },
      { name: "without", changes: { ...same, exploration: {} } },
    ],
  });
});

test("closing the form or starting over leaves the run", async () => {
  goTo("/experiments?explored=r");
  shown(
    () => ({ status: 500 }),
    <Experiments />,
    () => ({ body: explored }),
  );
  await screen.findByText("Polly");
  await userEvent.click(screen.getByRole("button", { name: "Start over" }));
  await vi.waitFor(() => expect(window.location.search).toBe(""));
  expect(await screen.findByLabelText("Algorithm 2")).toHaveValue("dqn");
  expect(screen.queryByText("Polly")).toBeNull();
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a run that cannot be repeated opens the usual form, and a missing one says so", async () => {
  goTo("/experiments?explored=r");
  const gone = { ...explored, config: { ...explored.config, algo: "sac" } };
  shown(
    () => ({ status: 500 }),
    <Experiments />,
    () => ({ body: gone }),
  );
  expect(await screen.findByText("This run cannot be repeated here")).toBeVisible();
  expect(screen.getByLabelText("Algorithm 2")).toHaveValue("dqn");
  cleanup();
  goTo("/experiments?explored=r");
  shown(
    () => ({ status: 500 }),
    <Experiments />,
    () => ({ status: 404, body: { title: "No run r" } }),
  );
  expect(await screen.findByText(/No run r/)).toBeVisible();
});

test("a refusal of a line's exploration opens the line at that field", async () => {
  const detail = "PPO cannot do this.";
  shown(() => ({
    status: 422,
    body: {
      detail,
      errors: [{ pointer: "/variants/3/changes/exploration/imitation", detail }],
    },
  }));
  await screen.findByRole("option", { name: "Cart Pole" });
  await userEvent.click(screen.getByRole("button", { name: "With and without exploration" }));
  const field = () =>
    within(screen.getByRole("group", { name: "Exploration of line 4" })).getByLabelText(
      "Episodes to keep",
    );
  expect(field()).not.toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  expect(await screen.findByText(detail)).toBeVisible();
  expect(field()).toHaveFocus();
});
