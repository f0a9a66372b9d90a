import { fireEvent, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { push } from "@/lib/testing/navigation";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { FIRST } from "./draft";
import { NewExperiment } from "./new-experiment";

const preset = { id: "fast", title: "Fast", end_step: 1_000, total_timesteps: 1_000 };
const schema = {
  ...{ name: "gamma", type: "number", default: 0.99, nullable: false, choices: null },
  ...{ minimum: 0, maximum: 1, help: "", needs: null },
};
const parameter = { kind: "float", low: 0.9, high: 0.999, log: false, step: null };
const algorithms = ["ppo", "dqn"].map((id) => ({
  ...{ id, name: id.toUpperCase(), actor: "policy", presets: [preset] },
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
};
const environments = [
  {
    ...{ id: "CartPole-v1", name: "Cart Pole", available: true, variants: [], options: [option] },
    ...{ algorithms: ["ppo", "dqn"], presets: {} },
    ...{ observation_space: { is_real: true }, action_space: { kind: "Discrete" } },
  },
  {
    ...{ id: "Acrobot-v1", name: "Acrobot", available: true, variants: [], options: [] },
    ...{ algorithms: ["ppo", "dqn"], presets: {} },
    ...{ observation_space: { is_real: true }, action_space: { kind: "Discrete" } },
  },
];

const counts = { trials: 15, total_timesteps: 15_000, least_timesteps: 15_000 };

function shown(create: (body: unknown) => { status?: number; body?: unknown }) {
  const asked = serve({
    "GET /algorithms": () => ({ body: algorithms }),
    "GET /environments": () => ({ body: environments }),
    "GET /limits": () => ({ body: limits }),
    "GET /health": () => ({ body: {} }),
    "GET /sinks": () => ({
      body: [{ kind: "mlflow", label: "MLflow", install: null, place: "mlflow.db", note: null }],
    }),
    "POST /experiments": create,
    "POST /experiments/estimate": () => ({ body: { ...counts, length_note: "As typed." } }),
  });
  renderWithQueries(<Opened />);
  return () => asked.filter(({ route }) => route === "POST /experiments").map(({ body }) => body);
}

/** The page of the form, which is open. */
function Opened() {
  const [draft, setDraft] = useState(FIRST);
  const [isOpen, setIsOpen] = useState(true);
  return isOpen ? (
    <NewExperiment draft={draft} onChange={setDraft} onClose={() => setIsOpen(false)} />
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
  expect(screen.getByLabelText("Name 2")).toHaveFocus();
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
