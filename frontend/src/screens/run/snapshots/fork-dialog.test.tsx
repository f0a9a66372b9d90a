import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { RunDetail } from "@/api/types";
import { push } from "@/lib/testing/navigation";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { list, run, snapshot } from "./fixtures";
import { ForkDialog } from "./fork-dialog";
import { SnapshotsPanel } from "./snapshots-panel";

const algorithm = {
  ...{ id: "ppo", seed: { minimum: 0, maximum: 99 } },
  total_timesteps: { minimum: 1, maximum: 1e9, default: 10 },
  hyperparameters: [
    { name: "learning_rate", type: "number", help: "Step size.", default: 0.001, maximum: 1 },
    { name: "net_arch", type: "array", help: "Layers.", default: [64] },
    { name: "n_steps", type: "integer", help: "Steps.", default: 1, minimum: 1, maximum: 100 },
  ],
};
const lake = {
  id: "FrozenLake-v1",
  options: [
    { name: "is_slippery", type: "boolean", help: "On ice.", default: true },
    { name: "map_name", type: "string", choices: ["4x4", "8x8"], help: "Size.", default: "4x4" },
  ],
};
const FORKING = {
  "GET /algorithms": () => ({ body: [algorithm] }),
  "GET /environments": () => ({ body: [lake] }),
  "GET /runs/a/fork": () => ({
    body: {
      ...{ run_id: "a", in_force: { learning_rate: 0.0002 } },
      at: { snapshot: "before-lr", step: 2_048, trained_again_from: null },
      changes: [
        { name: "learning_rate", effect: "fits", why: null, note: "The pace is another one." },
        { name: "net_arch", effect: "refused", why: "The weights are of another network." },
        { name: "n_steps", effect: "fits", why: null },
      ],
      env_options: [
        { name: "is_slippery", effect: "anew", why: null },
        { name: "map_name", effect: "refused", why: "The lake has other squares." },
      ],
    },
  }),
};
const parent = run({
  ...{ algo: "ppo", env_id: "FrozenLake-v1", name: "First", seed: 7 },
  config: {
    hyperparameters: { learning_rate: 0.0003, net_arch: [64, 64] },
    env_options: { is_slippery: true, map_name: "4x4" },
  },
} as unknown as Partial<RunDetail>);

function show(routes: Parameters<typeof serve>[0]) {
  const asked = serve({ ...FORKING, ...routes });
  const at = snapshot(2_048, { name: "before-lr", is_named: true });
  renderWithQueries(<ForkDialog run={parent} at={at} onClose={() => {}} />);
  return () => asked.filter(({ route }) => !route.startsWith("GET"));
}

test("a fork offers possible changes, explains impossible ones and opens the child", async () => {
  const create = { "POST /runs/a/fork": () => ({ status: 201, body: run({ id: "child" }) }) };
  const asked = show(create);
  const rate = await screen.findByRole("textbox", { name: "learning_rate" });
  expect(rate).toHaveValue("0.0002");
  expect(screen.getByText(/Changed while this run trained: it began with 0.0003/)).toBeVisible();
  expect(screen.getByText(/The pace is another one\./)).toBeVisible();
  expect(screen.queryByRole("textbox", { name: "net_arch" })).not.toBeInTheDocument();
  expect(screen.getByText("The weights are of another network.")).toBeInTheDocument();
  await userEvent.clear(rate);
  await userEvent.type(rate, "2");
  expect(screen.getByRole("button", { name: "Fork and start" })).toBeDisabled();
  await userEvent.clear(rate);
  await userEvent.type(rate, "1e-4");
  await userEvent.click(screen.getByRole("button", { name: "Fork and start" }));
  const body = { snapshot: "before-lr", hyperparameters: { learning_rate: 0.0001 } };
  expect(asked()).toEqual([
    { route: "POST /runs/a/fork", body: { ...body, total_timesteps: 10_240, start: true } },
  ]);
  expect(push).toHaveBeenCalledWith("/runs/view?id=child");
});

test("an option that did not exist when the parent was created has its default", async () => {
  const create = { "POST /runs/a/fork": () => ({ status: 201, body: run({ id: "child" }) }) };
  const asked = show(create);
  const steps = await screen.findByRole("textbox", { name: "n_steps" });
  expect(steps).toHaveValue("1");
  await userEvent.clear(steps);
  await userEvent.type(steps, "3");
  await userEvent.click(screen.getByRole("button", { name: "Fork and start" }));
  expect(asked()[0]?.body).toMatchObject({ hyperparameters: { n_steps: 3 } });
});

test("a fork can change environment options that keep the spaces", async () => {
  const create = { "POST /runs/a/fork": () => ({ status: 201, body: run({ id: "child" }) }) };
  const asked = show(create);
  const environment = within(await screen.findByRole("group", { name: /^Environment/ }));
  expect(environment.queryByRole("combobox", { name: "map_name" })).not.toBeInTheDocument();
  expect(screen.getByText("The lake has other squares.")).toBeInTheDocument();
  await userEvent.selectOptions(
    environment.getByRole("combobox", { name: "is_slippery" }),
    "false",
  );
  expect(screen.getByText("1 setting changed")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Fork" }));
  expect(asked()[0]?.body).toMatchObject({ env_options: { is_slippery: false } });
});

test("a fork inherits the sinks of its parent unless they are removed", async () => {
  const sinks = [
    { kind: "mlflow", label: "MLflow", live: true, state: "delivered", next_try_at: null },
    { kind: "trackio", label: "Trackio", live: false, state: "delivered", next_try_at: null },
  ];
  const asked = show({
    "GET /runs/a/sinks": () => ({ body: { run_id: "a", sinks } }),
    "POST /runs/a/fork": () => ({ status: 500, body: { title: "No" } }),
  });
  const wanted = await screen.findByRole("checkbox", { name: /^Send the fork to MLflow/ });
  expect(wanted).toBeChecked();
  await userEvent.click(screen.getByRole("button", { name: "Fork" }));
  await userEvent.click(wanted);
  await userEvent.click(screen.getByRole("button", { name: "Fork" }));
  await expect.poll(asked).toHaveLength(2);
  expect(asked()[0]?.body).not.toHaveProperty("sinks");
  expect(asked()[1]?.body).toMatchObject({ sinks: [] });
});

test("a fork refused by the service reports it at the field", async () => {
  const errors = [{ pointer: "/hyperparameters/learning_rate", detail: "Too small." }];
  const refuse = () => ({ status: 422, body: { title: "Invalid request", detail: "", errors } });
  show({ "POST /runs/a/fork": refuse });
  await userEvent.click(await screen.findByRole("button", { name: "Fork" }));
  expect(await screen.findByText("Too small.")).toBeVisible();
  expect(screen.getByRole("textbox", { name: "learning_rate" })).toBeInvalid();
});

test("a fork at a step asks for the step first and states from where its parent is replayed", async () => {
  const at = { snapshot: "1024", step: 1_536, trained_again_from: 1_024 };
  const forking = FORKING["GET /runs/a/fork"]().body;
  const asked = serve({
    ...FORKING,
    "GET /runs/a/snapshots": () => ({ body: list(snapshot(1_024), snapshot(2_048)) }),
    "GET /runs/a/fork": () => ({ body: { ...forking, at } }),
    "POST /runs/a/fork": () => ({ status: 201, body: run({ id: "child" }) }),
  });
  renderWithQueries(<SnapshotsPanel run={parent} />);
  await userEvent.click(await screen.findByRole("button", { name: "Fork at a step…" }));
  const step = screen.getByRole("textbox", { name: "Step" });
  await userEvent.type(step, "9000");
  expect(screen.getByText(/Must be 0 to 6,144/)).toBeVisible();
  await userEvent.clear(step);
  await userEvent.type(step, "1500");
  await userEvent.click(screen.getByRole("button", { name: "Choose what to change…" }));
  expect(
    await screen.findByText(/first trains this run again from step 1,024 to there/),
  ).toBeVisible();
  await userEvent.click(await screen.findByRole("button", { name: "Fork" }));
  await expect.poll(() => asked.at(-1)?.body).toMatchObject({ step: 1_500, start: false });
});

test("a fork from a cell of the map begins there with a probability", async () => {
  const cell = { id: 5, name: "Column 2, row 2", isArchived: false };
  const asked = serve({
    ...FORKING,
    "GET /limits": () => ({ body: { archive: { minimum: 0, maximum: 1, default: 0.3 } } }),
    "POST /runs/a/fork": () => ({ status: 201, body: run({ id: "child" }) }),
  });
  renderWithQueries(<ForkDialog run={parent} at={2_048} cell={cell} onClose={() => {}} />);
  const field = await screen.findByRole("textbox", {
    name: "Probability to begin in Column 2, row 2",
  });
  expect(screen.getByText(/once training has visited it/)).toBeVisible();
  await userEvent.type(field, "1.5");
  expect(screen.getByText("Must be above 0, at most 1")).toBeVisible();
  expect(screen.getByRole("button", { name: "Fork and start" })).toBeDisabled();
  await userEvent.clear(field);
  await userEvent.type(field, "0.5");
  await userEvent.click(screen.getByRole("button", { name: "Fork and start" }));
  expect(asked.find(({ route }) => route.startsWith("POST"))!.body).toMatchObject({
    ...{ step: 2_048, start_cell: 5, archive: 0.5 },
  });
});
