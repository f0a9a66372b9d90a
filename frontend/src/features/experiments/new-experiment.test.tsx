import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { renderWithQueries, serve } from "@/lib/testing/service";
import { NewExperiment } from "./new-experiment";

const push = vi.hoisted(() => vi.fn());
vi.mock("next/navigation", () => ({ useRouter: () => ({ push }) }));

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
const environments = [
  {
    ...{ id: "CartPole-v1", name: "Cart Pole", variants: [], options: [] },
    ...{ algorithms: ["ppo", "dqn"], presets: {} },
    ...{ observation_space: { is_real: true }, action_space: { kind: "Discrete" } },
  },
];

function shown(create: (body: unknown) => { status?: number; body?: unknown }) {
  const asked = serve({
    "GET /algorithms": () => ({ body: algorithms }),
    "GET /environments": () => ({ body: environments }),
    "GET /health": () => ({ body: {} }),
    "GET /sinks": () => ({
      body: [{ kind: "mlflow", label: "MLflow", install: null, place: "mlflow.db", note: null }],
    }),
    "POST /experiments": create,
  });
  renderWithQueries(<NewExperiment onClose={() => undefined} />);
  return () => asked.filter(({ route }) => route === "POST /experiments").map(({ body }) => body);
}

test("thousands of runs are asked back with what they cost, and started when that is wanted", async () => {
  const detail =
    "This would train 2,500 runs, 2,500,000 environment steps together. Say `confirm: true` if that is wanted.";
  const sent = shown((body) =>
    (body as { confirm: boolean }).confirm
      ? { status: 201, body: { id: "exp-a" } }
      : { status: 422, body: { detail, errors: [{ pointer: "/confirm", detail }] } },
  );
  await screen.findByRole("option", { name: "Cart Pole" });
  await userEvent.click(screen.getByRole("radio", { name: "Grid" }));
  expect(screen.getByRole("button", { name: "Start" })).toBeDisabled();
  await userEvent.selectOptions(
    screen.getByRole("combobox", { name: /add a hyperparameter/ }),
    "gamma",
  );
  await userEvent.clear(screen.getByLabelText("gamma"));
  await userEvent.type(screen.getByLabelText("gamma"), "0.9, 0.95, 0.99");
  expect(screen.getByText("15 runs, 15k steps together")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  const asked = await screen.findByText(/^This would train 2,500 runs/);
  expect(asked).not.toHaveTextContent("confirm");
  await userEvent.click(screen.getByRole("button", { name: "Start all the same" }));
  await vi.waitFor(() => expect(push).toHaveBeenCalledWith("/experiments/view?id=exp-a"));
  expect(sent()).toMatchObject([{ confirm: false }, { confirm: true }]);
});

test("the space of a search is changed before it begins", async () => {
  const sent = shown(() => ({ status: 201, body: { id: "exp-b" } }));
  await screen.findByRole("option", { name: "Cart Pole" });
  await userEvent.click(screen.getByRole("radio", { name: "Search" }));
  await userEvent.click(screen.getByText("1 hyperparameter searched"));
  const low = screen.getByLabelText("gamma: from");
  await userEvent.clear(low);
  expect(screen.getByRole("button", { name: "Start" })).toBeDisabled();
  await userEvent.type(low, "0.5");
  await userEvent.click(screen.getByLabelText("gamma: logarithmic"));
  await userEvent.clear(screen.getByLabelText("Trials"));
  await userEvent.type(screen.getByLabelText("Trials"), "8");
  expect(screen.getByText("8 runs, 8k steps together")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  await vi.waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]).toMatchObject({
    base: { algo: "ppo", preset: "fast" },
    sweep: { trials: 8, space: { gamma: { low: 0.5, high: 0.999, log: true } } },
  });
});

test("its runs are delivered to the programs that the form names", async () => {
  const sent = shown(() => ({ status: 201, body: { id: "exp-c" } }));
  await screen.findByRole("option", { name: "Cart Pole" });
  await userEvent.click(screen.getByText("Sinks"));
  await userEvent.click(await screen.findByRole("checkbox", { name: "MLflow" }));
  await userEvent.click(screen.getByRole("button", { name: "Start" }));
  await vi.waitFor(() => expect(sent()).toMatchObject([{ sinks: ["mlflow"] }]));
});
