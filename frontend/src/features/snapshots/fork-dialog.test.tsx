import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { RunDetail } from "@/lib/api";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { run, snapshot } from "./fixtures";
import { ForkDialog } from "./fork-dialog";

const push = vi.fn();
vi.mock("next/navigation", () => ({ useRouter: () => ({ push }) }));

const algorithm = {
  ...{ id: "ppo", seed: { minimum: 0, maximum: 99 } },
  total_timesteps: { minimum: 1, maximum: 1e9, default: 10 },
  hyperparameters: [
    { name: "learning_rate", type: "number", help: "Step size.", default: 0.001, maximum: 1 },
    { name: "net_arch", type: "array", help: "Layers.", default: [64] },
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
      run_id: "a",
      changes: [
        { name: "learning_rate", effect: "fits", why: null },
        { name: "net_arch", effect: "refused", why: "The weights are of another network." },
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

test("a fork changes what can be changed, says why the rest cannot, and opens the child", async () => {
  const create = { "POST /runs/a/fork": () => ({ status: 201, body: run({ id: "child" }) }) };
  const asked = show(create);
  const rate = await screen.findByRole("textbox", { name: "learning_rate" });
  expect(rate).toHaveValue("0.0003");
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

test("a fork changes options of the environment, as far as spaces stay the same", async () => {
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

test("a fork is delivered where its parent is, unless that is not wanted", async () => {
  const sinks = [
    { kind: "mlflow", label: "MLflow", live: true, state: "delivered", next_try_at: null },
    { kind: "trackio", label: "Trackio", live: false, state: "delivered", next_try_at: null },
  ];
  const asked = show({
    "GET /runs/a/sinks": () => ({ body: { run_id: "a", sinks } }),
    "POST /runs/a/fork": () => ({ status: 500, body: { title: "No" } }),
  });
  const wanted = await screen.findByRole("checkbox", { name: /^Deliver it to MLflow too/ });
  expect(wanted).toBeChecked();
  await userEvent.click(screen.getByRole("button", { name: "Fork" }));
  await userEvent.click(wanted);
  await userEvent.click(screen.getByRole("button", { name: "Fork" }));
  await expect.poll(asked).toHaveLength(2);
  expect(asked()[0]?.body).not.toHaveProperty("sinks");
  expect(asked()[1]?.body).toMatchObject({ sinks: [] });
});

test("a fork that the service refuses says so at the field", async () => {
  const errors = [{ pointer: "/hyperparameters/learning_rate", detail: "Too small." }];
  const refuse = () => ({ status: 422, body: { title: "Invalid request", detail: "", errors } });
  show({ "POST /runs/a/fork": refuse });
  await userEvent.click(await screen.findByRole("button", { name: "Fork" }));
  expect(await screen.findByText("Too small.")).toBeVisible();
  expect(screen.getByRole("textbox", { name: "learning_rate" })).toBeInvalid();
});
