import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Hint, RunDetail, RunSnapshots } from "@/api/types";
import { push } from "@/lib/testing/navigation";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { list, run, snapshot } from "./fixtures";
import { placeToTry, TryChange } from "./try-change";

const change = { name: "learning_rate", value: 0.0005 };
const hint = { from_step: 5_000, changes: [change] } as unknown as Hint;
const parent = run({
  ...{ algo: "ppo", name: "First", seed: 7, status: "completed" },
  config: {
    ...{ algo: "ppo", env_id: "CartPole-v1", preset: "fast", seed: 7, total_timesteps: 10_240 },
    hyperparameters: { learning_rate: 0.001, gamma: 0.9 },
  },
} as unknown as Partial<RunDetail>);
const algorithm = {
  ...{ id: "ppo", seed: { minimum: 0, maximum: 99 } },
  total_timesteps: { minimum: 1, maximum: 1e9, default: 10 },
  hyperparameters: [{ name: "learning_rate", type: "number", help: "", default: 0.001 }],
};

function show(found: RunSnapshots) {
  const asked = serve({
    "GET /runs/a/snapshots": () => ({ body: found }),
    "GET /algorithms": () => ({ body: [algorithm] }),
    "GET /environments": () => ({ body: [] }),
    "GET /runs/a/fork": () => ({
      body: {
        ...{ run_id: "a", in_force: {} },
        at: { snapshot: "2048", step: found.snapshots[0]?.step, trained_again_from: null },
        changes: [{ name: "learning_rate", effect: "fits", why: null }],
        env_options: [],
      },
    }),
    "GET /runs/a/sinks": () => ({
      body: { run_id: "a", sinks: [{ kind: "mlflow", label: "MLflow", live: true }] },
    }),
    "POST /runs": () => ({ status: 201, body: run({ id: "anew" }) }),
    "POST /runs/a/fork": () => ({ status: 201, body: run({ id: "child" }) }),
  });
  renderWithQueries(<TryChange run={parent} hint={hint} change={change} onClose={() => {}} />);
  return asked;
}

test("starts where the finding starts, or at the first usable snapshot", () => {
  const behind = snapshot(4_096, { behind: true });
  const all = list(snapshot(1_024), snapshot(2_048), behind, snapshot(8_192));
  expect(placeToTry(all, 5_000)).toBe(5_000);
  expect(placeToTry(all, 500)).toMatchObject({ step: 1_024 });
  expect(placeToTry(list(behind), 5_000)).toBeUndefined();
  const inherited = snapshot(1_024, { inherited: true });
  expect(placeToTry(list(inherited), 5_000), "of a fork that has none of its own yet").toBe(5_000);
});

test("fills in the change, forks and opens the comparison with the parent", async () => {
  const asked = show(list(snapshot(2_048), snapshot(8_192)));
  expect(await screen.findByRole("textbox", { name: "learning_rate" })).toHaveValue("0.0005");
  await userEvent.click(screen.getByRole("button", { name: "Fork and start" }));
  await vi.waitFor(() => expect(push).toHaveBeenCalledWith("/compare?runs=a,child"));
  expect(asked.find(({ route }) => route.startsWith("POST"))?.body).toEqual({
    ...{ step: 5_000, hyperparameters: { learning_rate: 0.0005 } },
    ...{ total_timesteps: 10_240, start: true },
  });
});

test("after the end of training the fork trains for the same length again", async () => {
  show(list(snapshot(10_240)));
  expect(await screen.findByRole("textbox", { name: "Timesteps" })).toHaveValue("20480");
});

test("a run without a snapshot is repeated with the change and compared", async () => {
  const asked = show(list());
  const rate = await screen.findByRole("textbox", { name: "learning_rate" });
  expect(rate).toHaveValue("0.0005");
  expect(screen.getByText(/no snapshot that a fork could begin from/)).toBeVisible();
  await userEvent.clear(rate);
  expect(screen.getByRole("button", { name: "Start a new run" })).toBeDisabled();
  await userEvent.type(rate, "0.0002");
  await userEvent.click(screen.getByRole("button", { name: "Start a new run" }));
  await vi.waitFor(() => expect(push).toHaveBeenLastCalledWith("/compare?runs=a,anew"));
  expect(asked.find(({ route }) => route === "POST /runs")?.body).toMatchObject({
    ...{ algo: "ppo", env_id: "CartPole-v1", preset: "fast", seed: 7, start: true },
    ...{ name: "First, learning_rate 0.0002", total_timesteps: 10_240 },
    hyperparameters: { learning_rate: 0.0002, gamma: 0.9 },
    evaluation: { deterministic: true },
    sinks: ["mlflow"],
  });
});
